/* Derivatives of functions of steps.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program may define void tl_tape_failed(const char *function, size_t bytes); it is told of arrays that cannot be
 * allocated. Without it a line goes to stderr. */
__attribute__((weak)) void tl_tape_observer(const char *function, size_t bytes) __asm__("tl_tape_failed");

/* The blocks that a call allocated, and the size of one that could not be had. */
typedef struct tl_tape {
  void **blocks;
  size_t count, failed_bytes;
} tl_tape;

/* Frees all blocks but the first `kept`. */
static void tl_tape_free(tl_tape *tape, size_t kept) {
  while (tape->count > kept) {
    free(tape->blocks[--tape->count]);
  }
}

/* Tells of the failure, and frees everything. */
static void tl_tape_report(const char *function, tl_tape *tape) {
  if (tl_tape_observer != NULL) {
    tl_tape_observer(function, tape->failed_bytes);
  } else {
    fprintf(stderr, "%s: %zu bytes could not be allocated\n", function, tape->failed_bytes);
  }
  tl_tape_free(tape, 0);
}

/* Room for `count` elements, or one. NULL where that fails. */
static void *tl_tape_alloc(tl_tape *tape, size_t count, size_t size) {
  size_t bytes = count == 0 ? size : count <= (size_t)-1 / size ? count * size : (size_t)-1;
  void *block = bytes < (size_t)-1 ? malloc(bytes) : NULL;
  if (block == NULL) {
    tape->failed_bytes = bytes;
  } else {
    tape->blocks[tape->count++] = block;
  }
  return block;
}

/* All bits set: NaN in any floating type. */
__attribute__((noinline)) static void tl_tape_spoil(void *results, size_t bytes) {
  memset(results, 0xff, bytes);
}
void distance__grad(size_t steps, const double force[steps], double stiffness, double force_bar[steps], double *stiffness_bar);

void distance__grad(size_t steps, const double force[steps], double stiffness,
    double force_bar[restrict steps], double *restrict stiffness_bar) {
  void *blocks[1];
  tl_tape tape = {blocks, 0, 0};
  double *x_saved = tl_tape_alloc(&tape, steps, sizeof *x_saved);
  if (tape.failed_bytes > 0) {
    tl_tape_report("distance__grad", &tape);
    tl_tape_spoil(force_bar, steps * sizeof *force_bar);
    *stiffness_bar = (double)NAN;
    return;
  }
  /* line 8: for (size_t i = 0; i < steps; i++) */
  double x = 0.0, v = 0.0;
  for (size_t i = 0; i < steps; i++) {
    x_saved[i] = x;
    /* line 9: double a = force[i] - stiffness * x * x * x - 0.1 * v; */
    double a = force[i] - stiffness * x * x * x - 0.1 * v;
    /* line 10: double half_v = v + dt * a; */
    double half_v = v + 0.01 * a;
    /* line 11: x += 0.5 * dt * (v + half_v); */
    x += 0.005 * (v + half_v);
    v = half_v;
  }
  double x_bar = x * 2.0, v_bar = 0.0, stiffness_bar_2 = 0.0;
  for (size_t i = steps; i-- > 0;) {
    x = x_saved[i];
    /* line 11: x += 0.5 * dt * (v + half_v); */
    double v_bar_2 = x_bar * 0.005, half_v_bar = v_bar + v_bar_2;
    /* line 10: double half_v = v + dt * a; */
    double a_bar = half_v_bar * 0.01;
    /* line 9: double a = force[i] - stiffness * x * x * x - 0.1 * v; */
    v_bar = v_bar_2 + half_v_bar - a_bar * 0.1;
    double half_v_bar_scaled = -0.01 * half_v_bar;
    x_bar += stiffness * x * x * half_v_bar_scaled * 3.0;
    stiffness_bar_2 += half_v_bar_scaled * x * x * x;
    force_bar[i] = a_bar;
  }
  /* line 9: double a = force[i] - stiffness * x * x * x - 0.1 * v; */
  *stiffness_bar = stiffness_bar_2;
  tl_tape_free(&tape, 0);
}

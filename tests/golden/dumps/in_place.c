/* Derivatives of functions of in_place.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void diffuse__vjp__u(int n, double u[n], int steps, double u_bar[n]);

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

void diffuse__vjp__u(int n, double u[restrict n], int steps, double u_bar[restrict n]) {
  void *blocks[1];
  tl_tape tape = {blocks, 0, 0};
  /* line 5: for (int k = 0; k < steps; k++) */
  long count = (long)n - 2 > 0 ? (long)n - 2 : 0;
  double (*here_saved)[count > 0 ? count : 1] =
      tl_tape_alloc(&tape, (size_t)(steps > 0 ? steps : 0), sizeof *here_saved);
  if (tape.failed_bytes > 0) {
    tl_tape_report("diffuse__vjp__u", &tape);
    tl_tape_spoil(u, (size_t)(n > 0 ? n : 0) * sizeof *u);
    tl_tape_spoil(u_bar, (size_t)(n > 0 ? n : 0) * sizeof *u_bar);
    return;
  }
  for (int k = 0; k < steps; k++) {
    /* line 7: for (int i = 1; i + 1 < n; i++) */
    double left = u[0];
    for (int i = 1; i < n - 1; i++) {
      /* line 8: double here = u[i]; */
      double here = here_saved[k][i - 1] = u[i];
      /* line 9: u[i] += 0.2 * (left - 2 * here + u[i + 1]) - 0.01 * here * here; */
      u[i] = here + (0.2 * (left - 2.0 * here + u[i + 1]) - 0.01 * here * here);
      left = here;
    }
  }
  for (int k = steps - 1; k >= 0; k--) {
    /* line 7: for (int i = 1; i + 1 < n; i++) */
    double left_bar = 0.0;
    for (int i = n - 2; i >= 1; i--) {
      /* line 9: u[i] += 0.2 * (left - 2 * here + u[i + 1]) - 0.01 * here * here; */
      double u_bar_i = u_bar[i], left_bar_2 = u_bar_i * 0.2;
      u_bar[i + 1] += left_bar_2;
      /* line 8: double here = u[i]; */
      u_bar[i] = left_bar + u_bar_i - 0.02 * here_saved[k][i - 1] * u_bar_i - 0.4 * u_bar_i;
      left_bar = left_bar_2;
    }
    /* line 6: double left = u[0]; */
    u_bar[0] += left_bar;
  }
  tl_tape_free(&tape, 0);
}

/* Derivatives of functions of adaptive.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

double run__value_and_grad__mu__start(double mu, double start, double end, double *mu_bar, double *start_bar);

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

/* How many elements there are to be, so that there is one at `index`. */
static size_t tl_tape_room(size_t room, size_t index) {
  room = room < 8 ? 16 : 2 * room;
  return room > index ? room : index + 1;
}

static void *tl_tape_resize(tl_tape *tape, void *block, size_t count, size_t size) {
  size_t at = 0;
  while (tape->blocks[at] != block) {
    at++;
  }
  void *grown = count <= (size_t)-1 / size ? realloc(block, count * size) : NULL;
  if (grown == NULL) {
    tape->failed_bytes = count <= (size_t)-1 / size ? count * size : (size_t)-1;
    return block;
  }
  tape->blocks[at] = grown;
  return grown;
}

double run__value_and_grad__mu__start(double mu, double start, double end, double *restrict mu_bar,
    double *restrict start_bar) {
  void *blocks[4];
  tl_tape tape = {blocks, 0, 0};
  /* line 9: while (t < end) */
  double *h_saved = tl_tape_alloc(&tape, 64, sizeof *h_saved);
  size_t room = 64;
  double *x_saved = tl_tape_alloc(&tape, 64, sizeof *x_saved);
  double *v_saved = tl_tape_alloc(&tape, 64, sizeof *v_saved);
  _Bool *saved = tl_tape_alloc(&tape, 64, sizeof *saved);
  if (tape.failed_bytes > 0) {
    goto out_of_memory;
  }
  double t = 0.0, h = 0.1, x = start, v = 0.0;
  long count = 0;
  for (long i = 0; t < end; i++) {
    if ((size_t)i >= room) {
      room = tl_tape_room(room, (size_t)i);
      h_saved = tl_tape_resize(&tape, h_saved, room, sizeof *h_saved);
      x_saved = tl_tape_resize(&tape, x_saved, room, sizeof *x_saved);
      v_saved = tl_tape_resize(&tape, v_saved, room, sizeof *v_saved);
      saved = tl_tape_resize(&tape, saved, room, sizeof *saved);
      if (tape.failed_bytes > 0) {
        goto out_of_memory;
      }
    }
    h_saved[i] = h;
    x_saved[i] = x;
    v_saved[i] = v;
    /* line 10: double a = mu * (1 - x * x) * v - x, x_next = x + h * v, v_next = v + h * a; */
    double a = mu * (1.0 - x * x) * v - x, x_next = x + h * v, v_next = v + h * a;
    /* line 11: double error = h / 2 * hypot(v_next - v, mu * (1 - x_next * x_next) * v_next - x_next - a); */
    double error = h / 2.0 * hypot(v_next - v, mu * (1.0 - x_next * x_next) * v_next - x_next - a);
    /* line 12: if (error > 1e-3) */
    _Bool is_greater = error > 1e-3;
    saved[i] = is_greater;
    if (is_greater) {
      /* line 13: h *= 0.5; */
      h *= 0.5;
    } else {
      /* line 18: t += h; */
      t += h;
      /* line 19: if (error < 2e-4) */
      if (error < 2e-4) {
        /* line 20: h *= 1.5; */
        h *= 1.5;
      }
      x = x_next;
      v = v_next;
    }
    count++;
  }
  double x_bar = x * 2.0, v_bar = 1.0, mu_bar_2 = 0.0;
  for (long k = count - 1; k >= 0; k--) {
    double h_2 = h_saved[k], x_2 = x_saved[k];
    /* line 10: double a = mu * (1 - x * x) * v - x, x_next = x + h * v, v_next = v + h * a; */
    double term = 1.0 - x_2 * x_2;
    /* line 12: if (error > 1e-3) */
    _Bool saved_k = saved[k];
    double term_2 = saved_k ? 0.0 : x_bar, term_3 = saved_k ? 0.0 : v_bar;
    /* line 10: double a = mu * (1 - x * x) * v - x, x_next = x + h * v, v_next = v + h * a; */
    double a_bar = term_3 * h_2, a_bar_times_v = a_bar * v_saved[k];
    v_bar = (saved_k ? v_bar : 0.0) + term_3 + term_2 * h_2 + a_bar * (mu * term);
    mu_bar_2 += a_bar_times_v * term;
    x_bar = (saved_k ? x_bar : 0.0) + term_2 - a_bar - 2.0 * (a_bar_times_v * mu * x_2);
  }
  /* line 10: double a = mu * (1 - x * x) * v - x, x_next = x + h * v, v_next = v + h * a; */
  *mu_bar = mu_bar_2;
  *start_bar = x_bar;
  double result = x * x + v;
  tl_tape_free(&tape, 0);
  return result;
out_of_memory:
  tl_tape_report("run__value_and_grad__mu__start", &tape);
  *mu_bar = (double)NAN;
  *start_bar = (double)NAN;
  return (double)NAN;
}

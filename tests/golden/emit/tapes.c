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

/* Takes and gives back one block for `count` elements: the C library then keeps so much for the next call. */
static void tl_tape_reserve(size_t count, size_t size) {
  void *volatile block = count <= (size_t)-1 / size ? malloc(count * size) : NULL;
  free(block);
}

/* The same filled with zeros. */
static void *tl_tape_zeros(tl_tape *tape, size_t count, size_t size) {
  void *block = calloc(count > 0 ? count : 1, size);
  if (block == NULL) {
    tape->failed_bytes = count <= (size_t)-1 / size ? count * size : (size_t)-1;
  } else {
    tape->blocks[tape->count++] = block;
  }
  return block;
}

/* All bits set: NaN in any floating type. */
__attribute__((noinline)) static void tl_tape_spoil(void *results, size_t bytes) {
  memset(results, 0xff, bytes);
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

/* Makes room in the block for element `index`. */
static void *tl_tape_grow_zeroed(tl_tape *tape, void *block, size_t *room, size_t index, size_t size) {
  size_t more = tl_tape_room(*room, index);
  char *grown = tl_tape_resize(tape, block, more, size);
  if (tape->failed_bytes == 0) {
    memset(grown + *room * size, 0, (more - *room) * size);
    *room = more;
  }
  return grown;
}

double small(double x) {
  double a[10];
  double y = x;
  for (int i = 0; i < 10; i++) {
    a[i] = y;
    y = sin(y);
  }
  double d = 1.0;
  for (int i = 9; i >= 0; i--) {
    d *= cos(a[i]);
  }
  return d;
}

double by_extent(size_t n, const double x[n], double start, double g[restrict n]) {
  void *blocks[1];
  tl_tape tape = {blocks, 0, 0};
  double *a = tl_tape_alloc(&tape, n, sizeof *a);
  if (tape.failed_bytes > 0) {
    tl_tape_report("by_extent", &tape);
    tl_tape_spoil(g, n * sizeof *g);
    return (double)NAN;
  }
  double y = start;
  for (size_t i = 0; i < n; i++) {
    a[i] = y;
    y = sin(y * x[i]);
  }
  double d = 1.0;
  for (size_t i = n; i-- > 0;) {
    double y_2 = a[i], e = x[i], q = d * cos(y_2 * e);
    g[i] = q * y_2;
    d = q * e;
  }
  tl_tape_free(&tape, 0);
  return y;
}

double growing(double x) {
  void *blocks[1];
  tl_tape tape = {blocks, 0, 0};
  double *a = tl_tape_alloc(&tape, 4, sizeof *a);
  size_t a_room = 4;
  if (tape.failed_bytes > 0) {
    goto out_of_memory;
  }
  double y = x;
  long t = 0;
  for (long i = 0; i < 50 && y > -1000000.0; i++) {
    if ((size_t)i >= a_room) {
      a_room = tl_tape_room(a_room, (size_t)i);
      a = tl_tape_resize(&tape, a, a_room, sizeof *a);
      if (tape.failed_bytes > 0) {
        goto out_of_memory;
      }
    }
    a[i] = y;
    y -= 1.0;
    t++;
  }
  double s = 0.0;
  for (long i = t - 1; i >= 0; i--) {
    s = s * 0.5 + a[i];
  }
  tl_tape_free(&tape, 0);
  return s;
out_of_memory:
  tl_tape_report("growing", &tape);
  return (double)NAN;
}

double several(size_t n, int m, double x) {
  void *blocks[3];
  tl_tape tape = {blocks, 0, 0};
  int *b = tl_tape_alloc(&tape, n, sizeof *b);
  tl_tape_reserve((size_t)n * (size_t)(m > 0 ? m : 0) + (size_t)(m > 0 ? m : 0), sizeof(double));
  double (*a)[m > 0 ? m : 1] = tl_tape_alloc(&tape, n, sizeof *a);
  double *w = tl_tape_alloc(&tape, (size_t)(m > 0 ? m : 0), sizeof *w);
  if (tape.failed_bytes > 0) {
    tl_tape_report("several", &tape);
    return (double)NAN;
  }
  double s = x;
  for (size_t i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      w[j] = a[i][j] = s;
      s = cos(s);
    }
    for (int j = m - 1; j >= 0; j--) {
      s += w[j];
    }
    b[i] = (int)i;
  }
  double r = s;
  for (size_t i = n; i-- > 0;) {
    double kf = b[i];
    for (int j = m - 1; j >= 0; j--) {
      r += a[i][j] * kf;
    }
  }
  tl_tape_free(&tape, 0);
  return r;
}

double reserved(int n, int m, double x) {
  void *blocks[3];
  tl_tape tape = {blocks, 0, 0};
  tl_tape_reserve(2 * (size_t)(n > 0 ? n : 0) + (size_t)(n > 0 ? n : 0) * (size_t)(m > 0 ? m : 0),
      sizeof(double));
  double *a = tl_tape_alloc(&tape, (size_t)(n > 0 ? n : 0), sizeof *a);
  double (*b)[m > 0 ? m : 1] = tl_tape_alloc(&tape, (size_t)(n > 0 ? n : 0), sizeof *b);
  double *c = tl_tape_alloc(&tape, (size_t)(n > 0 ? n : 0), sizeof *c);
  if (tape.failed_bytes > 0) {
    tl_tape_report("reserved", &tape);
    return (double)NAN;
  }
  double s = x;
  for (int i = 0; i < n; i++) {
    a[i] = s;
    for (int j = 0; j < m; j++) {
      b[i][j] = s;
      s = cos(s);
    }
    s = c[i] = sin(s);
  }
  double r = s;
  for (int i = n - 1; i >= 0; i--) {
    double v = a[i] * c[i];
    for (int j = m - 1; j >= 0; j--) {
      r += b[i][j] * v;
    }
  }
  tl_tape_free(&tape, 0);
  return r;
}

double triangle(int n, double x) {
  void *blocks[1];
  tl_tape tape = {blocks, 0, 0};
  double *a = tl_tape_alloc(&tape, 4, sizeof *a);
  size_t a_room = 4;
  if (tape.failed_bytes > 0) {
    goto out_of_memory;
  }
  double s = x;
  long pos = 0;
  for (int i = 0; i < n; i++) {
    int from = i + 1;
    if (n > from && (size_t)(pos + (n - from) - 1) >= a_room) {
      a_room = tl_tape_room(a_room, (size_t)(pos + (n - from) - 1));
      a = tl_tape_resize(&tape, a, a_room, sizeof *a);
      if (tape.failed_bytes > 0) {
        goto out_of_memory;
      }
    }
    for (int j = from; j < n; j++) {
      long k = pos + ((long)j - (long)from);
      a[k] = s;
      s = cos(s);
    }
    pos += n > from ? (long)(n - from) : 0;
  }
  double r = 0.0;
  for (long q = pos - 1; q >= 0; q--) {
    r = r * 0.5 + a[q];
  }
  tl_tape_free(&tape, 0);
  return r;
out_of_memory:
  tl_tape_report("triangle", &tape);
  return (double)NAN;
}

double regrown(int n, _Bool c, double x) {
  (void)n;
  void *blocks[2];
  tl_tape tape = {blocks, 0, 0};
  double *a = tl_tape_zeros(&tape, 4, sizeof *a);
  size_t a_room = 4;
  if (tape.failed_bytes > 0) {
    goto out_of_memory;
  }
  if ((size_t)(20 - 1) >= a_room) {
    a = tl_tape_grow_zeroed(&tape, a, &a_room, (size_t)(20 - 1), sizeof *a);
    if (tape.failed_bytes > 0) {
      goto out_of_memory;
    }
  }
  for (long i = 0; i < 20; i++) {
    a[i] = x;
  }
  if (c) {
    for (size_t i = 0; i < a_room; i++) {
      a[i] = 0.0;
    }
    if ((size_t)7 >= a_room) {
      a = tl_tape_grow_zeroed(&tape, a, &a_room, (size_t)7, sizeof *a);
      if (tape.failed_bytes > 0) {
        goto out_of_memory;
      }
    }
    a[7] = x;
    if ((size_t)25 >= a_room) {
      a = tl_tape_grow_zeroed(&tape, a, &a_room, (size_t)25, sizeof *a);
      if (tape.failed_bytes > 0) {
        goto out_of_memory;
      }
    }
    a[25] = x;
  }
  double *b = tl_tape_alloc(&tape, 4, sizeof *b);
  size_t b_room = 4;
  if (tape.failed_bytes > 0) {
    goto out_of_memory;
  }
  if (a_room > 0 && a_room - 1 >= b_room) {
    b = tl_tape_grow_zeroed(&tape, b, &b_room, a_room - 1, sizeof *b);
    if (tape.failed_bytes > 0) {
      goto out_of_memory;
    }
  }
  for (size_t i = 0; i < a_room; i++) {
    b[i] = a[i];
  }
  for (size_t i = a_room; i < b_room; i++) {
    b[i] = 0.0;
  }
  if ((size_t)3 >= b_room) {
    b = tl_tape_grow_zeroed(&tape, b, &b_room, (size_t)3, sizeof *b);
    if (tape.failed_bytes > 0) {
      goto out_of_memory;
    }
  }
  b[3] = 0.0;
  double result = b[9] + b[3] + a[3] + a[6];
  tl_tape_free(&tape, 0);
  return result;
out_of_memory:
  tl_tape_report("regrown", &tape);
  return (double)NAN;
}

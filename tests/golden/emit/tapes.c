#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program may define void tl_tape_failed(const char *function, size_t bytes); it is told of saved values that cannot be
 * allocated. Without it a line goes to stderr. */
__attribute__((weak)) void tl_tape_observer(const char *function, size_t bytes) __asm__("tl_tape_failed");

static void tl_tape_report(const char *function, size_t bytes) {
  if (tl_tape_observer != NULL) {
    tl_tape_observer(function, bytes);
  } else {
    fprintf(stderr, "%s: %zu bytes of saved values could not be allocated\n", function, bytes);
  }
}

/* Room for `count` elements, or one. Where that fails, NULL, and *failed becomes the bytes asked for. */
static void *tl_tape_alloc(size_t count, size_t size, size_t *failed) {
  size_t bytes = count == 0 ? size : count <= (size_t)-1 / size ? count * size : (size_t)-1;
  void *tape = bytes < (size_t)-1 ? malloc(bytes) : NULL;
  if (tape == NULL) {
    *failed = bytes;
  }
  return tape;
}

/* Takes and gives back one block for `count` elements: the C library then keeps so much for the next call. */
static void tl_tape_reserve(size_t count, size_t size) {
  void *volatile block = count <= (size_t)-1 / size ? malloc(count * size) : NULL;
  free(block);
}

/* Room for `count` elements, filled with zeros; NULL for none. */
static void *tl_tape_zeros(size_t count, size_t size, size_t *failed) {
  void *tape = count > 0 ? calloc(count, size) : NULL;
  if (tape == NULL && count > 0) {
    *failed = count <= (size_t)-1 / size ? count * size : (size_t)-1;
  }
  return tape;
}

/* Makes room for element `index`. NULL, with the old content freed and *room the bytes asked for, where that fails. */
static void *tl_tape_grow(void *tape, size_t *room, size_t index, size_t size, int zeroed) {
  size_t more = *room < 8 ? 16 : 2 * *room;
  if (more <= index) {
    more = index + 1;
  }
  void *grown = realloc(tape, more * size);
  if (grown == NULL) {
    free(tape);
    *room = more * size;
    return NULL;
  }
  if (zeroed) {
    memset((char *)grown + *room * size, 0, (more - *room) * size);
  }
  *room = more;
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
  size_t failed_bytes = 0;
  double *a = tl_tape_alloc(n, sizeof *a, &failed_bytes);
  if (failed_bytes > 0) {
    tl_tape_report("by_extent", failed_bytes);
    for (size_t i = 0; i < n; i++) {
      g[i] = NAN;
    }
    return NAN;
  }
  double y = start;
  for (size_t i = 0; i < n; i++) {
    a[i] = y;
    y = sin(y * x[i]);
  }
  double d = 1.0;
  for (size_t i = n; i-- > 0;) {
    double y_2 = a[i];
    double e = x[i];
    double c = cos(y_2 * e);
    double q = d * c;
    g[i] = q * y_2;
    d = q * e;
  }
  free(a);
  return y;
}

double growing(double x) {
  size_t failed_bytes = 0;
  double *a = NULL;
  size_t a_room = 0;
  a = tl_tape_alloc(4, sizeof *a, &failed_bytes);
  a_room = 4;
  if (failed_bytes > 0) {
    goto out_of_memory;
  }
  double y = x;
  long t = 0;
  for (long i = 0; i < 50 && y > -1000000.0; i++) {
    if ((size_t)i >= a_room) {
      a = tl_tape_grow(a, &a_room, (size_t)i, sizeof *a, 0);
      if (a == NULL) {
        failed_bytes = a_room;
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
  free(a);
  return s;
out_of_memory:
  tl_tape_report("growing", failed_bytes);
  free(a);
  return NAN;
}

double several(size_t n, int m, double x) {
  size_t failed_bytes = 0;
  double *a = NULL;
  int *b = NULL;
  double *w = NULL;
  b = tl_tape_alloc(n, sizeof *b, &failed_bytes);
  a = tl_tape_alloc((size_t)n * (m > 0 ? m : 0), sizeof *a, &failed_bytes);
  if (failed_bytes > 0) {
    goto out_of_memory;
  }
  w = tl_tape_alloc(m > 0 ? m : 0, sizeof *w, &failed_bytes);
  if (failed_bytes > 0) {
    goto out_of_memory;
  }
  double s = x;
  for (size_t i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      a[(size_t)i * m + j] = s;
      w[j] = s;
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
      r += a[(size_t)i * m + j] * kf;
    }
  }
  free(a);
  free(b);
  free(w);
  return r;
out_of_memory:
  tl_tape_report("several", failed_bytes);
  free(a);
  free(b);
  free(w);
  return NAN;
}

double reserved(int n, int m, double x) {
  size_t failed_bytes = 0;
  double *a = NULL;
  double *b = NULL;
  double *c = NULL;
  tl_tape_reserve(2 * (size_t)(n > 0 ? n : 0) + (size_t)(n > 0 ? n : 0) * (m > 0 ? m : 0), sizeof *a);
  a = tl_tape_alloc(n > 0 ? n : 0, sizeof *a, &failed_bytes);
  b = tl_tape_alloc((size_t)(n > 0 ? n : 0) * (m > 0 ? m : 0), sizeof *b, &failed_bytes);
  c = tl_tape_alloc(n > 0 ? n : 0, sizeof *c, &failed_bytes);
  if (failed_bytes > 0) {
    goto out_of_memory;
  }
  double s = x;
  for (int i = 0; i < n; i++) {
    a[i] = s;
    for (int j = 0; j < m; j++) {
      b[(size_t)i * m + j] = s;
      s = cos(s);
    }
    s = sin(s);
    c[i] = s;
  }
  double r = s;
  for (int i = n - 1; i >= 0; i--) {
    double v = a[i] * c[i];
    for (int j = m - 1; j >= 0; j--) {
      r += b[(size_t)i * m + j] * v;
    }
  }
  free(a);
  free(b);
  free(c);
  return r;
out_of_memory:
  tl_tape_report("reserved", failed_bytes);
  free(a);
  free(b);
  free(c);
  return NAN;
}

double triangle(int n, double x) {
  size_t failed_bytes = 0;
  double *a = NULL;
  size_t a_room = 0;
  a = tl_tape_alloc(4, sizeof *a, &failed_bytes);
  a_room = 4;
  if (failed_bytes > 0) {
    goto out_of_memory;
  }
  double s = x;
  long pos = 0;
  for (int i = 0; i < n; i++) {
    int from = i + 1;
    if (n > from && (size_t)(pos + (n - from) - 1) >= a_room) {
      a = tl_tape_grow(a, &a_room, (size_t)(pos + (n - from) - 1), sizeof *a, 0);
      if (a == NULL) {
        failed_bytes = a_room;
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
  free(a);
  return r;
out_of_memory:
  tl_tape_report("triangle", failed_bytes);
  free(a);
  return NAN;
}

double regrown(int n, _Bool c, double x) {
  (void)n;
  size_t failed_bytes = 0;
  double *a = NULL;
  size_t a_room = 0;
  double *b = NULL;
  size_t b_room = 0;
  a = tl_tape_zeros(4, sizeof *a, &failed_bytes);
  a_room = 4;
  if (failed_bytes > 0) {
    goto out_of_memory;
  }
  if ((size_t)(20 - 1) >= a_room) {
    a = tl_tape_grow(a, &a_room, (size_t)(20 - 1), sizeof *a, 1);
    if (a == NULL) {
      failed_bytes = a_room;
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
      a = tl_tape_grow(a, &a_room, (size_t)7, sizeof *a, 1);
      if (a == NULL) {
        failed_bytes = a_room;
        goto out_of_memory;
      }
    }
    a[7] = x;
    if ((size_t)25 >= a_room) {
      a = tl_tape_grow(a, &a_room, (size_t)25, sizeof *a, 1);
      if (a == NULL) {
        failed_bytes = a_room;
        goto out_of_memory;
      }
    }
    a[25] = x;
  }
  b = tl_tape_alloc(4, sizeof *b, &failed_bytes);
  b_room = 4;
  if (failed_bytes > 0) {
    goto out_of_memory;
  }
  if (a_room > 0 && a_room - 1 >= b_room) {
    b = tl_tape_grow(b, &b_room, a_room - 1, sizeof *b, 1);
    if (b == NULL) {
      failed_bytes = b_room;
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
    b = tl_tape_grow(b, &b_room, (size_t)3, sizeof *b, 1);
    if (b == NULL) {
      failed_bytes = b_room;
      goto out_of_memory;
    }
  }
  b[3] = 0.0;
  double s = b[9] + b[3] + a[3];
  double result = s + a[6];
  free(a);
  free(b);
  return result;
out_of_memory:
  tl_tape_report("regrown", failed_bytes);
  free(a);
  free(b);
  return NAN;
}

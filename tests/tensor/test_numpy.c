/* test_numpy CALLS: each line of a file that tests/oracles/eager_numpy.py wrote is called again, and gives what NumPy
 * gave. The form of a line is described there. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/small_float.h"
#include "random.h"
#include "tlaloc/tensor.h"

enum { MOST_OPERANDS = 3, LONGEST = 1 << 16 };

static void stop(const char *what, const char *line) {
  printf("%s: %s\n", what, line);
  exit(2);
}

/* ---- reading ---- */

static tl_dtype dtype_named(const char *name, const char *line) {
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    if (strcmp(tl_dtype_name((tl_dtype)d), name) == 0) {
      return (tl_dtype)d;
    }
  }
  stop("no dtype", line);
  return TL_F32;
}

/* Numbers between `separator`s; "-" is none. */
static int read_numbers(const char *text, char separator, int64_t *out) {
  int count = 0;
  for (const char *at = text; *at && strcmp(text, "-") != 0;) {
    char *end;
    out[count++] = strtoll(at, &end, 10);
    at = *end == separator ? end + 1 : end;
  }
  return count;
}

static tl_shape read_shape(const char *text) {
  tl_shape s = {.rank = 0};
  s.rank = read_numbers(text, ',', s.dim);
  return s;
}

static tl_axes read_axes(const char *text) {
  int64_t axes[TL_MAX_RANK];
  tl_axes out = {.count = read_numbers(text, '.', axes)};
  for (int i = 0; i < out.count; i++) {
    out.axis[i] = (int8_t)axes[i];
  }
  return out;
}

static int64_t count_of(tl_shape s) {
  int64_t count = 1;
  for (int i = 0; i < s.rank; i++) {
    count *= s.dim[i];
  }
  return count;
}

/* An element by its random bits; of a floating dtype as a double, else as an integer. */
static double floating_element(char kind, int64_t v, uint64_t bits) {
  const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
  return kind == 'z' && bits % 8 < 5 ? special[bits % 8] : (double)v / 16;
}

static int64_t integer_element(tl_dtype d, char kind, int64_t v, uint64_t bits) {
  int64_t least, most;
  tl_dtype_range(d, &least, &most);
  if (d == TL_BOOL) {
    return v % 2 != 0;
  }
  if (kind == 'z' && bits % 8 < 2) {
    return bits % 8 == 0 ? least : d == TL_U64 ? -1 : most;
  }
  return tl_dtype_is_unsigned(d) && v < 0 ? -v : v;
}

static tl_tensor elements(tl_dtype d, tl_shape shape, char kind, int64_t limit, uint64_t seed) {
  int64_t count = count_of(shape);
  double *floats = calloc((size_t)count + 1, sizeof *floats);
  int64_t *integers = calloc((size_t)count + 1, sizeof *integers);
  if (!floats || !integers) {
    exit(2);
  }
  random_state = seed;
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = random_bits(), low = (bits >> 8) % 201;
    int64_t v = (int64_t)low - 100;
    v = kind == 'p'   ? llabs(v) + 1
        : kind == 'u' ? (int64_t)(low % 33) - 16
        : kind == 'k' ? (int64_t)((bits >> 8) % (uint64_t)limit)
        : kind == 'o' ? (int64_t)((bits >> 8) % (uint64_t)(limit + 4)) - 2
                      : v;
    floats[i] = floating_element(kind, v, bits);
    integers[i] = integer_element(d, kind, v, bits);
  }
  bool is_float = tl_dtype_is_float(d);
  tl_tensor wide = is_float ? tl_from(TL_F64, shape, floats) : tl_from(d == TL_U64 ? TL_U64 : TL_I64, shape, integers);
  free(floats);
  free(integers);
  return tl_cast(wide, d);
}

static tl_tensor read_operand(char *text, const char *line) {
  char *rest, *d = strtok_r(text, ":", &rest), *shape = strtok_r(NULL, ":", &rest), *kind = strtok_r(NULL, ":", &rest);
  char *seed = kind ? strchr(kind, '.') : NULL;
  if (!d || !shape || !seed) {
    stop("no operand", line);
  }
  tl_tensor x = elements(dtype_named(d, line), read_shape(shape), *kind, strtoll(kind + 1, NULL, 10),
                         strtoull(seed + 1, NULL, 10));
  for (char *view; (view = strtok_r(NULL, ":", &rest));) {
    x = *view == 't'   ? tl_transpose(x, read_axes(view + 1))
        : *view == 'b' ? tl_broadcast(x, read_shape(view + 1))
                       : tl_reshape(x, read_shape(view + 1));
  }
  return x;
}

/* ---- calling ---- */

static const struct {
  const char *name;
  tl_tensor (*one)(tl_tensor);
  tl_tensor (*two)(tl_tensor, tl_tensor);
} table[] = {
#define ONE(name) {#name, tl_##name, NULL},
#define TWO(name) {#name, NULL, tl_##name},
    TL__UNARY(ONE) TL__BINARY(TWO){"matmul", NULL, tl_matmul}};

static const struct {
  const char *name;
  tl_tensor (*call)(tl_tensor, tl_axes, bool);
} over_axes[] = {{"sum", tl_sum},
                 {"max", tl_max},
                 {"reduce_or", tl_reduce_or},
                 {"reduce_and", tl_reduce_and},
                 {"mean", tl_mean},
                 {"logsumexp", tl_logsumexp}};

static const struct {
  const char *name;
  tl_tensor (*call)(tl_tensor, int, bool);
} along_axis[] = {{"argmax", tl_argmax}, {"argmin", tl_argmin}, {"argsort", tl_argsort}, {"sort", tl_sort}};

static tl_index_mode mode_named(const char *name) {
  return strcmp(name, "check") == 0  ? TL_INDEX_CHECK
         : strcmp(name, "clip") == 0 ? TL_INDEX_CLIP
         : strcmp(name, "drop") == 0 ? TL_INDEX_DROP
                                     : TL_INDEX_FILL;
}

static tl_tensor call(const char *op, char *const attributes[3], int count, const tl_tensor *x, const char *line) {
  const char *first = attributes[0], *second = attributes[1];
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(op, table[i].name) == 0) {
      return table[i].one ? table[i].one(x[0]) : table[i].two(x[0], x[1]);
    }
  }
  if (strcmp(op, "view") == 0 || strcmp(op, "print") == 0) {
    return x[0];
  }
  if (strcmp(op, "clip") == 0) {
    return tl_clip(x[0], x[1], x[2]);
  }
  if (strcmp(op, "where") == 0) {
    return tl_where(x[0], x[1], x[2]);
  }
  if (!first) {
    stop("no op", line);
  }
  if (strcmp(op, "cast") == 0) {
    return tl_cast(x[0], dtype_named(first, line));
  }
  if (strcmp(op, "log_softmax") == 0) {
    return tl_log_softmax(x[0], atoi(first));
  }
  if (strcmp(op, "einsum") == 0) {
    return tl_einsum(first, count, x);
  }
  if (strcmp(op, "softmax") == 0) {
    return tl_softmax(x[0], atoi(first));
  }
  if (!second) {
    stop("no op", line);
  }
  for (size_t i = 0; i < sizeof over_axes / sizeof *over_axes; i++) {
    if (strcmp(op, over_axes[i].name) == 0) {
      return over_axes[i].call(x[0], read_axes(first), atoi(second) != 0);
    }
  }
  for (size_t i = 0; i < sizeof along_axis / sizeof *along_axis; i++) {
    if (strcmp(op, along_axis[i].name) == 0) {
      return along_axis[i].call(x[0], atoi(first), atoi(second) != 0);
    }
  }
  if (strcmp(op, "iota") == 0 && attributes[2]) {
    return tl_iota(dtype_named(first, line), read_shape(second), atoi(attributes[2]));
  }
  if (strcmp(op, "top_k") == 0) {
    return tl_top_k(x[0], atoi(first), atoi(second)).values;
  }
  if (strcmp(op, "one_hot") == 0) {
    return tl_one_hot(x[0], atoi(first), dtype_named(second, line));
  }
  tl_gather_opts o = {.mode = mode_named(second)};
  if (strcmp(op, "take_along") == 0) {
    return tl_take_along(x[0], x[1], atoi(first), o.mode);
  }
  if (strcmp(op, "gather") == 0) {
    return tl_gather(x[0], x[1], atoi(first), o);
  }
  if (strcmp(op, "scatter_add") == 0) {
    return tl_scatter_add(x[0], x[1], x[2], atoi(first), o);
  }
  stop("no op", line);
  return NULL;
}

/* ---- comparing ---- */

static double element_at(tl_dtype d, const unsigned char *at) {
  uint16_t bits = *at;
  float f;
  double v;
  if (d == TL_F32) {
    memcpy(&f, at, sizeof f);
    return (double)f;
  }
  if (d == TL_F64) {
    memcpy(&v, at, sizeof v);
    return v;
  }
  if (d != TL_F8E4M3FN) {
    memcpy(&bits, at, sizeof bits);
  }
  return tl__small_float_to(d, bits);
}

/* NaN as one pattern, and where either zero is right, the positive one. */
static void make_plain(tl_dtype d, unsigned char *at, bool zeros_alike) {
  static const struct {
    tl_dtype dtype;
    uint64_t nan;
  } patterns[] = {
      {TL_F32, 0x7fc00000}, {TL_F64, 0x7ff8000000000000}, {TL_F16, 0x7e00}, {TL_BF16, 0x7fc0}, {TL_F8E4M3FN, 0x7f}};
  double v = element_at(d, at);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    if (patterns[i].dtype == d && isnan(v)) {
      memcpy(at, &patterns[i].nan, tl_dtype_size(d));
    }
  }
  if (zeros_alike && v == 0) {
    memset(at, 0, tl_dtype_size(d));
  }
}

static bool has_hash(const unsigned char *data, size_t bytes, const char *want) {
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; i++) {
    h = (h ^ data[i]) * 0x100000001b3u;
  }
  return h == strtoull(want, NULL, 16);
}

static bool prints(tl_tensor x, const char *want) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  bool same = out && tl_print(out, x) == TL_OK;
  if (out) {
    fclose(out);
  }
  same = same && has_hash((unsigned char *)text, length, want);
  free(text);
  return same;
}

/* Doubles in base64. */
static double *decode(const char *text, int64_t count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char *bytes = calloc((size_t)count + 1, sizeof(double));
  uint32_t bits = 0;
  int have = 0;
  for (int64_t at = 0; *text && *text != '=' && at < count * 8; text++) {
    bits = bits << 6 | (uint32_t)(strchr(digits, *text) - digits);
    have += 6;
    if (have >= 8) {
      bytes[at++] = (unsigned char)(bits >> (have -= 8));
    }
  }
  return (double *)(void *)bytes;
}

/* Half the distance of the numbers about v. */
static double rounding(tl_dtype d, double v) {
  int digits = d == TL_F64 ? 53 : d == TL_F32 ? 24 : d == TL_F16 ? 11 : d == TL_BF16 ? 8 : 4;
  int least = d == TL_F64 ? -1074 : d == TL_F32 || d == TL_BF16 ? -149 : d == TL_F16 ? -24 : -9;
  int e = v == 0 || !isfinite(v) ? least : ilogb(v) - digits + 1;
  return ldexp(1, (e < least ? least : e) - 1);
}

static bool is_near(tl_dtype d, const unsigned char *data, int64_t count, const char *want) {
  double units = strtod(want, NULL), *wanted = decode(strchr(want, '.') + 1, count);
  bool same = wanted != NULL;
  for (int64_t i = 0; same && i < count; i++) {
    double got = element_at(d, data + i * (int64_t)tl_dtype_size(d)), v = wanted[i];
    /* A small format is computed in float and rounded once: its own rounding counts for most. */
    double within = (tl_dtype_is_stored_only(d) ? 1.01 : units) * rounding(d, v);
    double largest = d == TL_F32 ? 0x1.ffffffp127 : d == TL_F16 ? 65520 : d == TL_BF16 ? 0x1.ffp127 : INFINITY;
    same = (isnan(v) && isnan(got)) || got == v || fabs(got - v) <= within || (isinf(got) && fabs(v) >= largest);
  }
  free(wanted);
  return same;
}

static bool holds(const char *op, tl_tensor got, const char *d, const char *shape, const char *result,
                  const char *line) {
  tl_shape s = tl_shape_of(got), want = read_shape(shape);
  if (tl_status_of(got) != TL_OK || tl_dtype_of(got) != dtype_named(d, line) || s.rank != want.rank ||
      memcmp(s.dim, want.dim, (size_t)s.rank * sizeof *s.dim) != 0) {
    return false;
  }
  if (strcmp(op, "print") == 0) {
    return prints(got, result + 1);
  }
  size_t size = tl_dtype_size(tl_dtype_of(got)), bytes = (size_t)count_of(s) * size;
  unsigned char *data = malloc(bytes + 1);
  bool same = data && tl_read(got, data, bytes) == TL_OK;
  if (same && *result == '~') {
    same = is_near(tl_dtype_of(got), data, count_of(s), result + 1);
  } else if (same) {
    static const char *const either_zero[] = {"fmax",        "fmin", "max",   "sum",  "matmul",
                                              "scatter_add", "sort", "top_k", "clip", "einsum"};
    bool zeros_alike = false;
    for (size_t i = 0; i < sizeof either_zero / sizeof *either_zero; i++) {
      zeros_alike = zeros_alike || strcmp(op, either_zero[i]) == 0;
    }
    for (size_t i = 0; tl_dtype_is_float(tl_dtype_of(got)) && i < bytes; i += size) {
      make_plain(tl_dtype_of(got), data + i, zeros_alike);
    }
    same = has_hash(data, bytes, result + 1);
  }
  free(data);
  return same;
}

static bool replay(const char *line) {
  static char text[LONGEST];
  strcpy(text, line);
  char *rest, *op = strtok_r(text, " \n", &rest), *attributes[3] = {NULL}, *bracket = op ? strchr(op, '[') : NULL;
  tl_tensor x[MOST_OPERANDS];
  int count = 0;
  char *word;
  while ((word = strtok_r(NULL, " \n", &rest)) && strcmp(word, ">") != 0) {
    if (count == MOST_OPERANDS) {
      stop("too many operands", line);
    }
    x[count++] = read_operand(word, line);
  }
  char *d = strtok_r(NULL, " \n", &rest), *shape = strtok_r(NULL, " \n", &rest), *result = strtok_r(NULL, " \n", &rest);
  if (!op || !result) {
    stop("no line of a call", line);
  }
  if (bracket) {
    *bracket = 0;
    attributes[0] = strtok_r(bracket + 1, ";]", &rest);
    attributes[1] = strtok_r(NULL, ";]", &rest);
    attributes[2] = strtok_r(NULL, ";]", &rest);
  }
  return holds(op, call(op, attributes, count, x, line), d, shape, result, line);
}

int main(int argc, char **argv) {
  FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!in) {
    puts("usage: test_numpy CALLS");
    return 2;
  }
  static char line[LONGEST];
  int calls = 0, faults = 0;
  while (fgets(line, sizeof line, in)) {
    tl_scope s = tl_scope_open();
    calls++;
    if (!replay(line) && ++faults <= 20) {
      printf("another result than NumPy's: %.300s\n", line);
    }
    tl_scope_close(s);
  }
  fclose(in);
  printf("%d calls, %d faults\n", calls, faults);
  return faults || !calls;
}

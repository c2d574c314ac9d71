/* A tensor as text, as NumPy prints arrays: elements aligned; floating ones with the fewest digits that tell them from
 * their neighbours but at most 8 of a fraction, all with an exponent where some are large, small or far apart; lines of
 * at most 75 characters; of more than 1000 elements the first and last three along each axis. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/tensor_priv.h"

enum { LINE = 75, EDGE = 3, MOST_SHOWN = 1000, PRECISION = 8, WORD = 400 };

typedef struct page {
  FILE *out;
  tl_tensor x;
  bool is_short; /* not all elements are shown */
  bool has_exponent;
  int left, right;      /* characters before the point and behind it; of what has no point, all are before it */
  int digits, exponent; /* behind the point and in the exponent, where there is one */
  int column, gap;      /* of the line; spaces at its end that are not written yet */
  double least, most;   /* magnitudes of the finite elements that are not zero */
  bool has_other, has_negative_infinity;
} page;

/* ---- elements ---- */

static double number_at(const page *p, const unsigned char *at) {
  double v;
  tl__convert(TL_F64, &v, p->x->dtype, at, 0, 1);
  return v;
}

static double rounded(tl_dtype d, double v) {
  unsigned char stored[8];
  tl__convert(d, stored, TL_F64, &v, 0, 1);
  tl__convert(TL_F64, &v, d, stored, 0, 1);
  return v;
}

/* Whether the text, read again, is the number. */
static bool says(tl_dtype d, const char *text, double v) {
  return (d == TL_F32 ? (double)strtof(text, NULL) : rounded(d, strtod(text, NULL))) == v;
}

/* The end of the digits. */
static char *end_of_digits(char *word) {
  char *end = strchr(word, 'e');
  return end ? end : word + strlen(word);
}

/* A finite number with the fewest digits behind the point that tell it from its neighbours, at most `most`, without
 * zeros at the end; returns how many. */
static int spell_fewest(tl_dtype d, double v, int most, bool has_exponent, char word[WORD]) {
  int digits = 0;
  for (; digits <= most; digits++) {
    snprintf(word, WORD, has_exponent ? "%.*e" : "%.*f", digits, v);
    if (says(d, word, v)) {
      return digits;
    }
  }
  for (char *last = end_of_digits(word); --digits > 0 && *--last == '0';) {
  }
  snprintf(word, WORD, has_exponent ? "%.*e" : "%.*f", digits, v);
  return digits;
}

/* The point that C leaves out where no digit is behind it. */
static void put_point(char word[WORD]) {
  if (!strchr(word, '.')) {
    char *end = end_of_digits(word);
    memmove(end + 1, end, strlen(end) + 1);
    *end = '.';
  }
}

static int exponent_digits(const char *word) { return (int)strlen(strchr(word, 'e')) - 2; }

static void spell_integer(const page *p, const unsigned char *at, char word[WORD]) {
  if (p->x->dtype == TL_U64) {
    uint64_t v;
    memcpy(&v, at, sizeof v);
    snprintf(word, WORD, "%" PRIu64, v);
    return;
  }
  int64_t v;
  tl__convert(TL_I64, &v, p->x->dtype, at, 0, 1);
  snprintf(word, WORD, "%" PRId64, v);
}

/* Without spaces around it; what is not finite has no point. */
static void spell(const page *p, const unsigned char *at, char word[WORD]) {
  if (p->x->dtype == TL_BOOL) {
    strcpy(word, *at ? "True" : "False");
    return;
  }
  if (!tl_dtype_is_float(p->x->dtype)) {
    spell_integer(p, at, word);
    return;
  }
  double v = number_at(p, at);
  if (!isfinite(v)) {
    strcpy(word, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
  } else if (p->has_exponent) {
    snprintf(word, WORD, "%.*e", p->digits, v);
    put_point(word);
    int missing = p->exponent - exponent_digits(word);
    char *first = strchr(word, 'e') + 2;
    memmove(first + missing, first, strlen(first) + 1);
    memset(first, '0', (size_t)missing);
  } else {
    spell_fewest(p->x->dtype, v, PRECISION, false, word);
    put_point(word);
  }
}

/* ---- what the elements have in common ---- */

static void survey(page *p, const unsigned char *at) {
  double v = number_at(p, at), size = fabs(v);
  p->has_other = p->has_other || !isfinite(v);
  p->has_negative_infinity = p->has_negative_infinity || (isinf(v) && v < 0);
  if (isfinite(v) && v != 0) {
    p->least = size < p->least ? size : p->least;
    p->most = size > p->most ? size : p->most;
  }
}

static void measure(page *p, const unsigned char *at) {
  char word[WORD];
  if (!tl_dtype_is_float(p->x->dtype)) {
    spell(p, at, word);
    int length = p->x->dtype == TL_BOOL ? (int)strlen("False") : (int)strlen(word);
    p->left = length > p->left ? length : p->left;
    return;
  }
  double v = number_at(p, at);
  if (!isfinite(v)) {
    return;
  }
  int digits = spell_fewest(p->x->dtype, v, PRECISION, p->has_exponent, word);
  if (p->has_exponent) {
    int exponent = exponent_digits(word);
    p->exponent = exponent > p->exponent ? exponent : p->exponent;
    p->digits = digits > p->digits ? digits : p->digits;
  }
  p->right = digits > p->right ? digits : p->right;
  int left = (int)strcspn(word, ".e");
  p->left = left > p->left ? left : p->left;
}

/* Calls visit for every element that is shown. */
static void each(page *p, int axis, const unsigned char *at, void (*visit)(page *, const unsigned char *)) {
  if (axis == p->x->rank) {
    visit(p, at);
    return;
  }
  int64_t n = p->x->dim[axis];
  for (int64_t i = 0; i < n; i++) {
    if (p->is_short && n > 2 * EDGE && i == EDGE) {
      i = n - EDGE;
    }
    each(p, axis + 1, at + i * p->x->stride[axis], visit);
  }
}

/* From which magnitude on there are exponents: as many digits as the format has, at most 8. */
static double large(tl_dtype d) { return d == TL_F64 ? 1e8 : d == TL_F32 ? 1e6 : d == TL_F16 ? 1e3 : 1e2; }

static void lay_out(page *p) {
  if (tl_dtype_is_float(p->x->dtype)) {
    p->least = INFINITY;
    each(p, 0, p->x->data, survey);
    p->has_exponent = p->most > 0 && (p->most >= large(p->x->dtype) || p->least < rounded(p->x->dtype, 1e-4) ||
                                      rounded(p->x->dtype, p->most / p->least) > 1000);
  }
  each(p, 0, p->x->data, measure);
  if (p->has_exponent) {
    p->right = p->digits + p->exponent + 2;
  }
  if (p->has_other) {
    int left = (p->has_negative_infinity ? 4 : 3) - (p->right + 1);
    p->left = left > p->left ? left : p->left;
  }
}

/* ---- lines ---- */

static void put_spaces(page *p, int count) {
  for (int i = 0; i < count; i++) {
    putc(' ', p->out);
  }
}

/* An element behind the line, or at the start of the next where it does not fit. */
static void put_word(page *p, const unsigned char *at) {
  char word[WORD];
  spell(p, at, word);
  char *point = tl_dtype_is_float(p->x->dtype) ? strchr(word, '.') : NULL;
  int length = (int)strlen(word), rank = p->x->rank;
  int width = p->left + (tl_dtype_is_float(p->x->dtype) ? 1 + p->right : 0);
  int before = point ? p->left - (int)(point - word) : width - length;
  if (p->column > rank && p->column + width > LINE - rank) {
    putc('\n', p->out);
    put_spaces(p, rank);
    p->column = rank;
    p->gap = 0;
  }
  put_spaces(p, p->gap + before);
  fputs(word, p->out);
  p->gap = width - before - length;
  p->column += width;
}

static void put_dots(page *p) {
  if (p->column > p->x->rank && p->column + EDGE > LINE - p->x->rank) {
    putc('\n', p->out);
    put_spaces(p, p->x->rank);
    p->column = p->x->rank;
    p->gap = 0;
  }
  put_spaces(p, p->gap);
  fputs("...", p->out);
  p->column += EDGE;
  p->gap = 0;
}

static void put_row(page *p, const unsigned char *at) {
  int64_t n = p->x->dim[p->x->rank - 1], stride = p->x->stride[p->x->rank - 1];
  p->column = p->x->rank;
  p->gap = 0;
  for (int64_t i = 0; i < n; i++) {
    if (p->is_short && n > 2 * EDGE && i == EDGE) {
      put_dots(p);
      i = n - EDGE;
      p->gap++, p->column++;
    }
    put_word(p, at + i * stride);
    if (i + 1 < n) {
      p->gap++, p->column++;
    }
  }
  put_spaces(p, p->gap);
}

static void put_axis(page *p, int axis, const unsigned char *at) {
  putc('[', p->out);
  if (axis == p->x->rank - 1) {
    put_row(p, at);
    putc(']', p->out);
    return;
  }
  int64_t n = p->x->dim[axis];
  for (int64_t i = 0; i < n; i++) {
    for (int k = axis; i > 0 && k < p->x->rank - 1; k++) {
      putc('\n', p->out);
    }
    put_spaces(p, i > 0 ? axis + 1 : 0);
    if (p->is_short && n > 2 * EDGE && i == EDGE) {
      fputs("...", p->out);
      i = n - EDGE - 1;
      continue;
    }
    put_axis(p, axis + 1, at + i * p->x->stride[axis]);
  }
  putc(']', p->out);
}

/* A single number: all the digits that it needs, and without an exponent one at least behind the point. */
static void put_scalar(page *p) {
  char word[WORD];
  if (!tl_dtype_is_float(p->x->dtype) || !isfinite(number_at(p, p->x->data))) {
    spell(p, p->x->data, word);
  } else {
    double v = number_at(p, p->x->data);
    p->has_exponent = v != 0 && (fabs(v) >= (p->x->dtype == TL_F64 ? 1e16 : large(p->x->dtype)) || fabs(v) < 1e-4);
    int digits = spell_fewest(p->x->dtype, v, p->has_exponent ? 17 : 24, p->has_exponent, word);
    if (!p->has_exponent && digits == 0) {
      strcat(word, ".0");
    }
  }
  fputs(word, p->out);
}

tl_status tl_print(FILE *out, tl_tensor x) {
  if (tl_status_of(x) != TL_OK) {
    return tl_status_of(x);
  }
  if (x->trace) {
    return TL_TRACED_TENSOR;
  }
  page p = {.out = out, .x = x, .is_short = x->count > MOST_SHOWN};
  if (x->count == 0) {
    fputs("[]", out);
  } else if (x->rank == 0) {
    put_scalar(&p);
  } else {
    lay_out(&p);
    put_axis(&p, 0, x->data);
  }
  putc('\n', out);
  return ferror(out) ? TL_FILE_UNWRITABLE : TL_OK;
}

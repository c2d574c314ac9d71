/* The difference of two softmaxes, p of s/h and q of t/h, and the cross entropy of p by q, line by line.
 *
 * p - q is made of d = log p - log q, as q expm1(d) or -p expm1(-d), whichever has no large exponential. d is the
 * difference of the arguments less that of the logarithms of the sums, and this is what cancels where s and t are
 * close. So both are taken relative to the largest element of t, a: with e = (s - t)/h less the same at a, which is 0
 * there, the sums' difference is log1p(sum of q expm1(e)), to which a adds nothing. Where q[a] is nearly 1, all that is
 * summed is small and exact to its own size. Where that sum is not small, nothing cancels, and the logarithms are each
 * their own.
 *
 * Lines of F32 are computed in double and rounded once. */
#include <math.h>
#include <string.h>

#include "tensor/tensor_priv.h"

typedef struct line {
  bool is_double;
  int64_t n;
  const unsigned char *at[2]; /* of s and t */
  int64_t step[2];
  double h;
  /* What follows is computed. */
  int64_t top[2]; /* the largest element, */
  double most[2]; /* and what it is */
  double rest[2]; /* the sum of exp(x - most) of all others */
  double common;  /* log sum exp(s/h) - log sum exp(t/h), both relative to a; where they are close */
  bool is_close;
} line;

enum { S, T };

static double number_at(bool is_double, const unsigned char *x) {
  return is_double ? *(const double *)(const void *)x : (double)*(const float *)(const void *)x;
}

static double raw(const line *l, int which, int64_t i) {
  return number_at(l->is_double, l->at[which] + i * l->step[which]);
}

/* With what was rounded away in the sum so far. */
typedef struct sum {
  double value, low;
} sum;

static void take(sum *s, double x) {
  double v = s->value + x;
  s->low += fabs(s->value) >= fabs(x) ? s->value - v + x : x - v + s->value;
  s->value = v;
}

/* An infinity has made the low part NaN. */
static double total(const sum *s) { return isfinite(s->value) ? s->value + s->low : s->value; }

/* exp of what element i is less than the largest. */
static double weight(const line *l, int which, int64_t i) { return exp((raw(l, which, i) - l->most[which]) / l->h); }

static double probability(const line *l, int which, int64_t i) { return weight(l, which, i) / (1 + l->rest[which]); }

/* -log p */
static double surprise(const line *l, int which, int64_t i) {
  return (l->most[which] - raw(l, which, i)) / l->h + log1p(l->rest[which]);
}

/* (s - t)/h less the same at t's largest. */
static double apart(const line *l, int64_t i) {
  int64_t a = l->top[T];
  return i == a ? 0 : (raw(l, S, i) - raw(l, T, i) - (raw(l, S, a) - raw(l, T, a))) / l->h;
}

static void find_top(line *l, int which) {
  l->top[which] = 0;
  for (int64_t i = 1; i < l->n; i++) {
    double x = raw(l, which, i) / l->h, most = raw(l, which, l->top[which]) / l->h;
    l->top[which] = x > most || (x != x && most == most) ? i : l->top[which];
  }
  l->most[which] = raw(l, which, l->top[which]);
  sum rest = {0, 0};
  for (int64_t i = 0; i < l->n; i++) {
    if (i != l->top[which]) {
      take(&rest, weight(l, which, i));
    }
  }
  l->rest[which] = total(&rest);
}

/* q expm1(e), before q's sum is divided by: of two weights, both relative to a, their difference. */
static double gain(const line *l, int64_t i) {
  double e = apart(l, i), q = weight(l, T, i);
  if (e <= 0) {
    return q * expm1(e);
  }
  double p = exp((raw(l, S, i) - raw(l, S, l->top[T])) / l->h);
  return p == 0 && q == 0 ? 0 : p * -expm1(-e);
}

static void compare(line *l) {
  sum gains = {0, 0};
  for (int64_t i = 0; i < l->n; i++) {
    bool is_nothing = weight(l, S, i) == 0 && weight(l, T, i) == 0; /* both may be infinitely small */
    if (i != l->top[T] && !is_nothing) {
      take(&gains, gain(l, i));
    }
  }
  double all = total(&gains) / (1 + l->rest[T]);
  l->is_close = fabs(all) <= 0.5;
  l->common = log1p(all);
}

static double difference(const line *l, int64_t i) {
  double p = probability(l, S, i), q = probability(l, T, i);
  if (p == 0 && q == 0) {
    return 0;
  }
  double d = l->is_close ? apart(l, i) - l->common : surprise(l, T, i) - surprise(l, S, i);
  return d <= 0 ? q * expm1(d) : -p * expm1(-d);
}

static double cross_entropy(const line *l) {
  sum out = {0, 0};
  for (int64_t i = 0; i < l->n; i++) {
    double q = probability(l, T, i);
    if (q != 0) {
      take(&out, q * surprise(l, S, i));
    }
  }
  return total(&out);
}

typedef struct lines {
  line line;
  bool is_entropy;
  int64_t out_step;
} lines;

static void put(const line *l, unsigned char *out, double v) {
  if (l->is_double) {
    *(double *)(void *)out = v;
  } else {
    *(float *)(void *)out = (float)v;
  }
}

static void run_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  lines *all = ctx;
  line *l = &all->line;
  for (int64_t k = 0; k < n; k++) {
    unsigned char *out = at[0] + k * step[0];
    l->at[S] = at[1] + k * step[1];
    l->at[T] = at[2] + k * step[2];
    l->h = number_at(l->is_double, at[3] + k * step[3]);
    if (l->n > 0) {
      find_top(l, S);
      find_top(l, T);
    }
    if (all->is_entropy) {
      put(l, out, cross_entropy(l));
      continue;
    }
    compare(l);
    for (int64_t i = 0; i < l->n; i++) {
      put(l, out + i * all->out_step, difference(l, i));
    }
  }
}

static tl_tensor run(tl_opcode code, const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(type->dtype)) {
    return tl__op_in_float(code, x, attrs);
  }
  tl_tensor out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  int axis = (int)(attrs[0].integer + (attrs[0].integer < 0 ? type->rank : 0));
  lines all = {.line = {.is_double = type->dtype == TL_F64,
                        .n = x[S]->dim[axis],
                        .step = {x[S]->stride[axis], x[T]->stride[axis]}},
               .is_entropy = code == TL_OP_soft_cross_entropy,
               .out_step = out->stride[axis]};
  tl__walk w;
  tl__walk_init(&w, type->rank, x[2]->dim, 4,
                (const int64_t *const[]){out->stride, x[S]->stride, x[T]->stride, x[2]->stride});
  tl__walk_run(&w, (unsigned char *const[]){out->data, x[S]->data, x[T]->data, x[2]->data}, run_stretch, &all);
  return out;
}

tl_tensor tl__eager_softmax_difference(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return run(TL_OP_softmax_difference, x, attrs, type);
}

tl_tensor tl__eager_soft_cross_entropy(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return run(TL_OP_soft_cross_entropy, x, attrs, type);
}

tl_tensor tl_softmax_difference(tl_tensor s, tl_tensor t, tl_tensor h, int axis) {
  return tl__op(TL_OP_softmax_difference, (tl_tensor[]){s, t, h}, &(tl_attr){.integer = axis});
}

tl_tensor tl_soft_cross_entropy(tl_tensor s, tl_tensor t, tl_tensor h, int axis) {
  return tl__op(TL_OP_soft_cross_entropy, (tl_tensor[]){s, t, h}, &(tl_attr){.integer = axis});
}

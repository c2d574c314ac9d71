/* Random programs on tensors, by seed: the same calls whether they run or are captured. */
#ifndef TL_TESTS_CAPTURE_PROGRAM_H
#define TL_TESTS_CAPTURE_PROGRAM_H

#include "rig.h"

typedef struct program {
  uint64_t seed;
  int inputs, ops;
  bool smooth; /* differentiable, values of moderate size; one output of rank 0 */
  tl_tensor constant;
  /* while it runs */
  uint64_t state;
  tl_tensor pool[64];
  int count;
} program;

enum { INPUTS = 3 };
static const tl_shape shapes[INPUTS] = {{2, {3, 4}}, {1, {4}}, {2, {3, 1}}};

static inline void make_inputs(tl_dtype dtype, tl_tensor *in, tl_spec *specs, bool symbolic) {
  for (int i = 0; i < INPUTS; i++) {
    in[i] = random_tensor(dtype, shapes[i], -1, 1);
    specs[i] = (tl_spec){dtype, shapes[i], NULL};
    for (int k = 0; symbolic && k < shapes[i].rank; k++) {
      specs[i].shape.dim[k] = shapes[i].dim[k] == 3 ? TL_SYM(0) : shapes[i].dim[k];
    }
  }
}

static inline uint64_t program_bits(program *p) {
  p->state += 0x9e3779b97f4a7c15u;
  uint64_t z = (p->state ^ p->state >> 30) * 0xbf58476d1ce4e5b9u;
  return (z ^ z >> 27) * 0x94d049bb133111ebu >> 16;
}

static inline int program_below(program *p, int n) { return (int)(program_bits(p) % (uint64_t)n); }
static inline tl_tensor program_any(program *p) { return p->pool[program_below(p, p->count)]; }

static inline tl_tensor program_index(program *p, int64_t extent) {
  static const int32_t rows[] = {0, 2, 1, 1, 7, -1};
  (void)extent;
  return tl_from(TL_I32, TL_SHAPE(2 + program_below(p, 3)), rows);
}

static inline tl_tensor smooth_op(program *p) {
  tl_tensor x = program_any(p), y = program_any(p), i;
  tl_shape s = tl_shape_of(x);
  switch (program_below(p, 17)) {
  case 0:
    return tl_add(x, y);
  case 1:
    return tl_sub(x, tl_mul(y, tl_scalar_like(y, 0.7)));
  case 2:
    return tl_tanh(tl_mul(x, y));
  case 3:
    return tl_sin(x);
  case 4:
    return tl_exp(tl_neg(tl_mul(x, x)));
  case 5:
    return tl_div(x, tl_add(tl_mul(y, y), tl_scalar_like(y, 1)));
  case 6:
    return tl_tanh(tl_sum(x, TL_AXES((int8_t)program_below(p, 2)), program_below(p, 2)));
  case 7:
    return tl_softmax(x, -1);
  case 8:
    return tl_tanh(tl_matmul(x, y));
  case 9:
    return tl_transpose(x, TL_ALL);
  case 10:
    return tl_reshape(x, TL_SHAPE(-1));
  case 11:
    i = program_index(p, 3);
    return tl_gather(x, i, 0, (tl_gather_opts){.mode = program_below(p, 2) ? TL_INDEX_CLIP : TL_INDEX_DROP});
  case 12:
    i = tl_from(TL_I64, TL_SHAPE(2), (int64_t[]){1, 0});
    return tl_tanh(tl_scatter_add(x, i, tl_gather(y, i, 0, (tl_gather_opts){.mode = TL_INDEX_CLIP}), 0,
                                  (tl_gather_opts){.mode = TL_INDEX_DROP}));
  case 13:
    return tl_where(tl_lt(x, tl_scalar_like(x, 0)), x, tl_add(x, tl_mul(x, x))); /* smooth at 0 */
  case 14:
    return tl_mul(x, p->constant);
  case 15:
    s.rank += s.rank < 3;
    memmove(s.dim + 1, s.dim, sizeof *s.dim * 3);
    s.dim[0] = 2;
    return tl_broadcast(x, s);
  default:
    return tl_log1p(tl_exp(x));
  }
}

static inline tl_tensor any_op(program *p) {
  static const tl_dtype dtypes[] = {TL_F64, TL_F32, TL_F16, TL_BF16, TL_F8E4M3FN,
                                    TL_I8,  TL_I32, TL_U16, TL_I64,  TL_BOOL};
  tl_tensor x = program_any(p), y = program_any(p);
  switch (program_below(p, 16)) {
  case 0:
    return tl_cast(x, dtypes[program_below(p, 10)]);
  case 1:
    return tl_add(x, y);
  case 2:
    return tl_mul(x, y);
  case 3:
    return tl_lt(x, y);
  case 4:
    return tl_ge(x, tl_scalar_like(x, program_below(p, 3)));
  case 5:
    return tl_eq(x, y);
  case 6:
    return tl_where(tl_ne(x, y), x, y);
  case 7:
    return tl_max(x, TL_AXES(-1), program_below(p, 2));
  case 8:
    return tl_sum(x, TL_ALL, false);
  case 9:
    return tl_div(x, tl_scalar_like(x, 3));
  case 10:
    return tl_xor(x, y);
  case 11:
    return tl_add(x, tl_fill(tl_dtype_of(x), TL_SHAPE(2, 1), 0.3));
  case 12:
    return tl_fmax(x, y);
  case 13:
    return tl_cast(program_any(p), tl_dtype_of(x));
  default:
    return smooth_op(p);
  }
}

/* Calls that refuse, the same ones eagerly and captured, give nothing to the pool. */
static inline void run_program(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  program *p = ctx;
  p->state = p->seed;
  p->count = 0;
  for (int i = 0; i < p->inputs; i++) {
    p->pool[p->count++] = in[i];
  }
  for (int i = 0; i < p->ops; i++) {
    tl_tensor x = p->smooth ? smooth_op(p) : any_op(p);
    bool fits = tl_status_of(x) == TL_OK && tl_shape_of(x).rank <= 4;
    int64_t n = 1;
    for (int k = 0; fits && k < tl_shape_of(x).rank; k++) {
      n *= tl_shape_of(x).dim[k] < 0 ? 3 : tl_shape_of(x).dim[k];
    }
    if (fits && n <= 256) {
      p->pool[p->count < 64 ? p->count++ : program_below(p, 64)] = x;
    }
  }
  if (!p->smooth) {
    for (int i = 0; i < 4; i++) {
      out[i] = p->pool[p->count - 1 - i % p->count];
    }
    return;
  }
  out[0] = NULL;
  for (int i = 0; i < p->count; i++) {
    tl_tensor s = tl_sum(tl_mul(p->pool[i], tl_scalar_like(p->pool[i], 0.3 + 0.1 * (i % 5))), TL_ALL, false);
    out[0] = out[0] ? tl_add(out[0], s) : s;
  }
}

#endif

/* The eager ops on matrices, for all matrices of a batch with one set of buffers. Small matrices by plain loops, larger
 * ones by LAPACK where the build has it, whose info becomes NaN. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/dense.h"
#include "tensor/tensor_priv.h"

/* What one matrix after another is done with. */
typedef struct job {
  int64_t rows, columns, right;             /* of a; the columns of the right side */
  int64_t a_row, a_column, b_row, b_column; /* strides in elements; the result has no gaps */
  bool upper, transposed, unit;
  void *room[2]; /* a matrix each, of the elements of a */
  void *vector;  /* as many elements as a has columns */
  void *work;
  int work_count, order_count;
  int *order;
  const void *factored; /* the matrix of which room[0] has the factors */
  bool ok;
  void *second; /* where a row has two results: those of the second, matrix by matrix */
} job;
typedef void one_matrix(job *, void *out, const void *a, const void *b);

/* The same of tridiagonal_solve: strides in elements, and room for three diagonals. */
typedef struct lines {
  int64_t rows, right, step[3], b_row, b_column;
  void *room;
} lines;

#define S float
#define N(name) name##_f32
#define M(name) name##f
#define EPSILON FLT_EPSILON
#define DTYPE TL_F32
#include "tensor/linalg_body.inc"
#undef S
#undef N
#undef M
#undef EPSILON
#undef DTYPE
#define S double
#define N(name) name##_f64
#define M(name) name
#define EPSILON DBL_EPSILON
#define DTYPE TL_F64
#include "tensor/linalg_body.inc"

/* ---- rows ---- */

enum { COPY = 1, TWO_COPIES = 2, ORDER = 4, QR = 8, EIGH = 16 }; /* what a row needs */
#define ROW(name, needs) [TL_OP_##name] = {{name##_f32, name##_f64}, needs}
static const struct {
  one_matrix *run[2];
  int needs;
} rows[TL_OP_COUNT] = {ROW(cholesky, 0),
                       ROW(triangular_solve, 0),
                       ROW(solve, TWO_COPIES | ORDER),
                       ROW(solve_spd, COPY),
                       ROW(inverse, TWO_COPIES | ORDER),
                       ROW(inv_spd, TWO_COPIES),
                       ROW(det, TWO_COPIES | ORDER),
                       ROW(log_det_spd, COPY),
                       ROW(slogdet_sign, TWO_COPIES | ORDER),
                       ROW(slogdet_log, TWO_COPIES | ORDER),
                       ROW(lu, TWO_COPIES | ORDER),
                       ROW(lu_permutation, TWO_COPIES | ORDER),
                       ROW(qr_q, TWO_COPIES | QR),
                       ROW(qr_r, TWO_COPIES | QR),
                       ROW(eigh_values, TWO_COPIES | EIGH),
                       ROW(eigh_vectors, TWO_COPIES | EIGH)};

enum { MOST_ROWS = 30000 }; /* the workspace of syevd is counted by an int */

static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* All buffers in one piece, which the caller frees; NULL where there is no memory. */
static void *get_room(job *j, int needs, size_t size) {
  size_t n = (size_t)j->columns, matrix = aligned((size_t)j->rows * n * size), vector = aligned(n * size);
  size_t copies = needs & TWO_COPIES ? 2 : needs & COPY ? 1 : 0, work = 0, order = needs & ORDER ? n : 0;
  if (needs & QR) {
    work = 64 * n;
  } else if (needs & EIGH) {
    work = 1 + 6 * n + 2 * n * n;
    order = 3 + 5 * n;
  }
  j->work_count = work < INT_MAX ? (int)work : INT_MAX;
  j->order_count = order < INT_MAX ? (int)order : INT_MAX;
  unsigned char *all = tl__alloc_try(copies * matrix + vector + aligned(work * size) + order * sizeof(int) + 64);
  unsigned char *at = all;
  for (size_t i = 0; all && i < copies; i++, at += matrix) {
    j->room[i] = at;
  }
  if (all) {
    j->vector = at;
    j->work = at + vector;
    j->order = (int *)(void *)(at + vector + aligned(work * size));
  }
  return all;
}

typedef struct batch {
  one_matrix *run;
  job j;
} batch;

static void run_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  batch *b = ctx;
  for (int64_t i = 0; i < n; i++) {
    b->run(&b->j, at[0] + i * step[0], at[1] + i * step[1], at[2] + i * step[2]);
  }
}

/* Over the axes in front of the matrices, which `own` axes of the result are. */
static void run_all(batch *all, tl_tensor out, int own, tl_tensor a, tl_tensor b) {
  int front = out->rank - own;
  int64_t strides[2][TL_MAX_RANK] = {{0}};
  tl__walk_strides(a, a->rank - 2, front, out->dim, strides[0]);
  if (b) {
    tl__walk_strides(b, b->rank - (b->rank > 1 ? 2 : 1), front, out->dim, strides[1]);
  }
  tl__walk w;
  tl__walk_init(&w, front, out->dim, 3, (const int64_t *const[]){out->stride, strides[0], strides[1]});
  tl__walk_run(&w, (unsigned char *const[]){out->data, a->data, b ? b->data : out->data}, run_stretch, all);
}

/* `second` is NULL, or a second result, for which `run` stands in for the row's function. */
static tl_tensor run_row(tl_opcode code, const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type,
                         one_matrix *run, tl_tensor second) {
  if (tl_dtype_is_stored_only(x[0]->dtype)) {
    return tl__op_in_float(code, x, attrs);
  }
  tl_tensor a = x[0], b = tl_op_table[code].arity > 1 ? x[1] : NULL;
  int needs = rows[code].needs;
  int64_t size = (int64_t)tl_dtype_size(a->dtype), most = a->dim[a->rank - 1];
  if (needs & EIGH && most > MOST_ROWS) {
    return tl__tensor_failed(TL_TENSOR_SHAPE_MISMATCH, "eigh: more rows than its workspace can be counted for");
  }
  tl_tensor out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  batch all = {.run = run ? run : rows[code].run[a->dtype == TL_F64]};
  all.j = (job){.rows = a->dim[a->rank - 2],
                .columns = most,
                .a_row = a->stride[a->rank - 2] / size,
                .a_column = a->stride[a->rank - 1] / size,
                .second = second ? second->data : NULL};
  int own = type->rank - (a->rank - 2);
  if (b) {
    bool is_column = b->rank == 1;
    own = is_column ? 1 : 2;
    all.j.right = is_column ? 1 : b->dim[b->rank - 1];
    all.j.b_row = b->stride[b->rank - own] / size;
    all.j.b_column = is_column ? 0 : b->stride[b->rank - 1] / size;
  }
  if (code == TL_OP_triangular_solve) {
    all.j.upper = attrs[0].integer;
    all.j.transposed = attrs[1].integer;
    all.j.unit = attrs[2].integer;
  } else if (code == TL_OP_solve) {
    all.j.transposed = attrs[0].integer;
  }
  void *room = get_room(&all.j, needs, (size_t)size);
  if (!room) {
    return NULL;
  }
  run_all(&all, out, own, a, b);
  tl__free(room);
  return out;
}

#define EAGER(name)                                                                                                    \
  tl_tensor tl__eager_##name(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {                   \
    return run_row(TL_OP_##name, x, attrs, type, NULL, NULL);                                                          \
  }
EAGER(cholesky)
EAGER(triangular_solve)
EAGER(solve)
EAGER(solve_spd)
EAGER(inverse)
EAGER(inv_spd)
EAGER(det)
EAGER(log_det_spd)
EAGER(slogdet_sign)
EAGER(slogdet_log)
EAGER(lu)
EAGER(lu_permutation)
EAGER(qr_q)
EAGER(qr_r)
EAGER(eigh_values)
EAGER(eigh_vectors)

tl_tensor tl__eager_tridiagonal_solve(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(type->dtype)) {
    return tl__op_in_float(TL_OP_tridiagonal_solve, x, attrs);
  }
  tl_tensor b = x[3], out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  int front = type->rank - 2;
  int64_t size = (int64_t)tl_dtype_size(type->dtype);
  lines l = {.rows = b->dim[front],
             .right = b->dim[front + 1],
             .b_row = b->stride[front] / size,
             .b_column = b->stride[front + 1] / size};
  for (int k = 0; k < 3; k++) {
    l.step[k] = x[k]->stride[front] / size;
  }
  l.room = tl__alloc_try(3 * (size_t)l.rows * (size_t)size);
  if (!l.room) {
    return NULL;
  }
  tl__walk w;
  tl__walk_init(&w, front, out->dim, 5,
                (const int64_t *const[]){out->stride, x[0]->stride, x[1]->stride, x[2]->stride, b->stride});
  tl__walk_run(&w, (unsigned char *const[]){out->data, x[0]->data, x[1]->data, x[2]->data, b->data},
               type->dtype == TL_F64 ? run_tridiagonal_f64 : run_tridiagonal_f32, &l);
  tl__free(l.room);
  return out;
}

/* ---- triangles ---- */

/* The result's part of a row that is x's: from `from` to before `to`. */
typedef struct part {
  int64_t rows, columns, row, column, size, diagonal;
  bool lower;
} part;

static void copy_parts(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const part *p = ctx;
  for (int64_t q = 0; q < n; q++) {
    unsigned char *out = at[0] + q * step[0], *x = at[1] + q * step[1];
    for (int64_t i = 0; i < p->rows; i++, out += p->columns * p->size, x += p->row) {
      int64_t cut = i + p->diagonal + p->lower;
      cut = cut < 0 ? 0 : cut > p->columns ? p->columns : cut;
      int64_t from = p->lower ? 0 : cut, to = p->lower ? cut : p->columns;
      memset(out, 0, (size_t)(p->columns * p->size));
      if (p->column == p->size) {
        memcpy(out + from * p->size, x + from * p->size, (size_t)((to - from) * p->size));
        continue;
      }
      for (int64_t k = from; k < to; k++) {
        memcpy(out + k * p->size, x + k * p->column, (size_t)p->size);
      }
    }
  }
}

static tl_tensor triangle(tl_tensor x, const tl_attr *attrs, const tl_tensor_type *type, bool lower) {
  tl_tensor out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  int64_t diagonal = attrs[0].integer, rows = x->dim[x->rank - 2], columns = x->dim[x->rank - 1];
  part p = {.rows = rows,
            .columns = columns,
            .row = x->stride[x->rank - 2],
            .column = x->stride[x->rank - 1],
            .size = (int64_t)tl_dtype_size(type->dtype),
            .diagonal = diagonal < -rows     ? -rows
                        : diagonal > columns ? columns
                                             : diagonal,
            .lower = lower};
  tl__walk w;
  tl__walk_init(&w, x->rank - 2, x->dim, 2, (const int64_t *const[]){out->stride, x->stride});
  tl__walk_run(&w, (unsigned char *const[]){out->data, x->data}, copy_parts, &p);
  return out;
}

tl_tensor tl__eager_tril(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return triangle(*x, attrs, type, true);
}

tl_tensor tl__eager_triu(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return triangle(*x, attrs, type, false);
}

tl_tensor tl__eager_identity_like(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  (void)x, (void)attrs;
  tl_tensor out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  unsigned char one[16];
  double number = 1;
  int64_t size = (int64_t)tl_dtype_size(type->dtype), n = out->dim[out->rank - 1];
  tl__convert(type->dtype, one, TL_F64, &number, 0, 1);
  memset(out->data, 0, (size_t)(out->count * size));
  for (int64_t i = 0; i < out->count / n; i++) {
    memcpy(out->data + (i * n + i % n) * size, one, (size_t)size);
  }
  return out;
}

/* ---- the ops ---- */

#define OP(name)                                                                                                       \
  tl_tensor tl_##name(tl_tensor a) { return tl__op(TL_OP_##name, &a, NULL); }
OP(identity_like)
OP(cholesky)
OP(inverse)
OP(inv_spd)
OP(det)
OP(log_det_spd)
OP(slogdet_sign)
OP(slogdet_log)
OP(lu)
OP(lu_permutation)
OP(qr_q)
OP(qr_r)
OP(eigh_values)
OP(eigh_vectors)

tl_tensor tl_tril(tl_tensor x, int diagonal) { return tl__op(TL_OP_tril, &x, &(tl_attr){.integer = diagonal}); }
tl_tensor tl_triu(tl_tensor x, int diagonal) { return tl__op(TL_OP_triu, &x, &(tl_attr){.integer = diagonal}); }

tl_tensor tl_triangular_solve(tl_tensor a, tl_tensor b, tl_triangular_solve_opts o) {
  return tl__op(TL_OP_triangular_solve, (tl_tensor[]){a, b},
                (tl_attr[]){{.integer = o.upper}, {.integer = o.transposed}, {.integer = o.unit_diagonal}});
}

tl_tensor tl_solve(tl_tensor a, tl_tensor b, bool transposed) {
  return tl__op(TL_OP_solve, (tl_tensor[]){a, b}, &(tl_attr){.integer = transposed});
}

tl_tensor tl_tridiagonal_solve(tl_tensor lower, tl_tensor diagonal, tl_tensor upper, tl_tensor b) {
  return tl__op(TL_OP_tridiagonal_solve, (tl_tensor[]){lower, diagonal, upper, b}, NULL);
}

tl_tensor tl_solve_spd(tl_tensor a, tl_tensor b) { return tl__op(TL_OP_solve_spd, (tl_tensor[]){a, b}, NULL); }

/* Two rows, of which memory runs out for both or for neither. */
static void run_one_by_one(tl_opcode first, tl_opcode second, tl_tensor a, tl_tensor out[2]) {
  out[0] = tl__op(first, &a, NULL);
  out[1] = out[0] ? tl__op(second, &a, NULL) : NULL;
  out[0] = out[1] ? out[0] : NULL;
}

/* Not at once, though LAPACK's driver could: a program that is captured has two rows, and is to give the same bits. */
tl_eigh_result tl_eigh(tl_tensor a) {
  tl_tensor out[2];
  run_one_by_one(TL_OP_eigh_values, TL_OP_eigh_vectors, a, out);
  return (tl_eigh_result){.values = out[0], .vectors = out[1]};
}

/* Two rows by one factorization. Where they are recorded, refused or of a small format, and where there is nothing to
 * compute, they are two ops. */
static void run_both(tl_opcode first, tl_opcode second, one_matrix *const run[2], tl_tensor a, tl_tensor out[2]) {
  tl_tensor failed;
  out[0] = out[1] = NULL;
  if (!tl__tensor_any_failed(1, &a, &failed) && !a->trace && a->count && (a->dtype == TL_F32 || a->dtype == TL_F64)) {
    tl_tensor_type type = tl__tensor_type(a), results[2];
    tl_shape_rules rules = {.product = NULL};
    if (tl__shape_op(&rules, first, &type, NULL, TL_DTYPE_COUNT, &results[0]) == TL_OK &&
        tl__shape_op(&rules, second, &type, NULL, TL_DTYPE_COUNT, &results[1]) == TL_OK) {
      out[1] = tl__tensor_of(&results[1]);
      if (out[1]) {
        out[0] = tl__tensor_name(run_row(first, &a, NULL, &results[0], run[a->dtype == TL_F64], out[1]), &results[0]);
        out[1] = out[0] ? tl__tensor_name(out[1], &results[1]) : NULL;
        out[0] = out[1] ? out[0] : NULL;
      }
      return;
    }
  }
  run_one_by_one(first, second, a, out);
}

tl_qr_result tl_qr(tl_tensor a) {
  static one_matrix *const run[2] = {qr_both_f32, qr_both_f64};
  tl_tensor out[2];
  run_both(TL_OP_qr_q, TL_OP_qr_r, run, a, out);
  return (tl_qr_result){.q = out[0], .r = out[1]};
}

tl_slogdet_result tl_slogdet(tl_tensor a) {
  static one_matrix *const run[2] = {slogdet_both_f32, slogdet_both_f64};
  tl_tensor out[2];
  run_both(TL_OP_slogdet_sign, TL_OP_slogdet_log, run, a, out);
  return (tl_slogdet_result){.sign = out[0], .log = out[1]};
}

tl_tensor tl_scale_triangles(tl_tensor x, double below, double diagonal, double above) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor out = tl_tril(x, INT_MIN); /* zeros */
  if (below != 0) {
    out = tl_add(out, tl_tril(tl_mul(x, tl_scalar_like(x, below)), -1));
  }
  if (diagonal != 0) {
    out = tl_add(out, tl_triu(tl_tril(tl_mul(x, tl_scalar_like(x, diagonal)), 0), 0));
  }
  if (above != 0) {
    out = tl_add(out, tl_triu(tl_mul(x, tl_scalar_like(x, above)), 1));
  }
  return tl__scope_leave(scope, out);
}

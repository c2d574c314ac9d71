/* Matrix products: by the loops of multiply.c, a large one by some threads; where the machine has no vectors of 64
 * bytes, large ones of floats by BLAS, if they lie as it wants them. With such vectors the loops are faster than
 * OpenBLAS, of which a release knows no later machine than itself. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "tensor/dense.h"
#include "tensor/tensor_priv.h"

typedef struct batch {
  tl_dtype dtype;
  tl__product p;
  tl__multiply *run;
} batch;

/* A vector is read once, so memory alone counts. */
static bool by_blas(const batch *b, void *out, const void *x, const void *y) {
  return tl__loops_here()->vector < 64 && b->p.rows != 1 && b->p.columns != 1 &&
         tl__dense_product(b->dtype, &b->p, out, x, y);
}

/* ---- threads ---- */

enum {
  MOST_THREADS = 16,
  ROWS_EACH = 64,
  MANY = 1 << 25 /* multiplications for which threads are worth their start */
};

typedef struct part {
  const batch *b;
  tl__product p;
  unsigned char *out;
  const unsigned char *x, *y;
  pthread_t thread;
  bool runs; /* in a thread of its own */
} part;

static void *run_part(void *ctx) {
  const part *r = ctx;
  r->b->run(&r->p, r->out, r->x, r->y);
  return NULL;
}

static int64_t threads_for(const tl__product *p) {
  if ((double)p->rows * (double)p->inner * (double)p->columns < MANY || p->rows < 2 * ROWS_EACH) {
    return 1;
  }
  cpu_set_t allowed;
  int64_t most = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  most = most < MOST_THREADS ? most : MOST_THREADS;
  return most < p->rows / ROWS_EACH ? most : p->rows / ROWS_EACH;
}

/* The rows in equal parts. A part whose thread does not start is done here. */
static void by_loops(const batch *b, unsigned char *out, const unsigned char *x, const unsigned char *y) {
  int64_t count = threads_for(&b->p), each = (b->p.rows + count - 1) / count;
  int64_t row = b->p.columns * (int64_t)tl_dtype_size(b->dtype);
  part parts[MOST_THREADS];
  sigset_t all, before;
  sigfillset(&all);
  for (int64_t i = 0; i < count; i++) {
    part *r = &parts[i];
    *r = (part){.b = b, .p = b->p, .out = out + i * each * row, .x = x + i * each * b->p.x_row, .y = y};
    r->p.rows = b->p.rows - i * each < each ? b->p.rows - i * each : each;
    if (i + 1 < count) { /* signals are the caller's */
      pthread_sigmask(SIG_SETMASK, &all, &before);
      r->runs = pthread_create(&r->thread, NULL, run_part, r) == 0;
      pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
  }
  for (int64_t i = 0; i < count; i++) {
    if (!parts[i].runs) {
      run_part(&parts[i]);
    }
  }
  for (int64_t i = 0; i < count; i++) {
    if (parts[i].runs) {
      pthread_join(parts[i].thread, NULL);
    }
  }
}

static void run_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  batch b = *(const batch *)ctx;
  if (step[2] == 0 && step[1] == b.p.rows * b.p.x_row) { /* one matrix shared by all: their rows are those of one */
    b.p.rows *= n;
    n = 1;
  }
  for (int64_t i = 0; i < n; i++) {
    unsigned char *out = at[0] + i * step[0], *x = at[1] + i * step[1], *y = at[2] + i * step[2];
    if (!by_blas(&b, out, x, y)) {
      by_loops(&b, out, x, y);
    }
  }
}

tl_tensor tl__eager_matmul(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(type->dtype)) {
    return tl__op_in_float(TL_OP_matmul, operands, attrs);
  }
  tl_tensor x = operands[0], y = operands[1], out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  int m = x->rank - 1, n = y->rank - 1;
  batch b = {.dtype = type->dtype, .run = tl__loops_here()->multiply[type->dtype]};
  b.p = (tl__product){.rows = m ? x->dim[m - 1] : 1,
                      .inner = x->dim[m],
                      .columns = n ? y->dim[n] : 1,
                      .x_row = m ? x->stride[m - 1] : 0,
                      .x_inner = x->stride[m],
                      .y_inner = y->stride[n ? n - 1 : 0],
                      .y_column = n ? y->stride[n] : 0};
  int front_x = m ? m - 1 : 0, front_y = n ? n - 1 : 0, rank = front_x > front_y ? front_x : front_y;
  int64_t strides[2][TL_MAX_RANK];
  tl__walk_strides(x, front_x, rank, out->dim, strides[0]);
  tl__walk_strides(y, front_y, rank, out->dim, strides[1]);
  tl__walk w;
  tl__walk_init(&w, rank, out->dim, 3, (const int64_t *const[]){out->stride, strides[0], strides[1]});
  tl__walk_run(&w, (unsigned char *const[]){out->data, x->data, y->data}, run_stretch, &b);
  return out;
}

tl_tensor tl_matmul(tl_tensor x, tl_tensor y) { return tl__op(TL_OP_matmul, (tl_tensor[]){x, y}, NULL); }

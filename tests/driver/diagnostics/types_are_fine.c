/* Nothing of this is refused: what is not known may be right. */
#include <stdlib.h>
#include <string.h>
#include <tlaloc/tensor.h>
tl_axis(Batch); tl_axis(In); tl_axis(Out);
tl_bound(MaxSeq, 4096);
typedef tl_typed(F32, Batch, In) images;
typedef struct { tl_typed(F32, In, Out) w; tl_tensor b; } layer;
typedef struct { layer l[2]; images last; } net;
union u { tl_tensor t; void *p; };
static tl_tensor global;
static tl_typed(F32, 3) fixed_global;
tl_status load(const char *path, tl_tensor *out);
void collect(void *ctx, const tl_tensor in[], tl_tensor out[]);
void collect(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  out[0] = tl_add(in[0], in[1]);
  out[1] = tl_matmul(in[0], tl_transpose(in[1], TL_ALL));
  for (int i = 0; i < 4; i++) out[i] = tl_sum(out[i], TL_AXES(i), false);
}
static void fill_typed(tl_typed(F32, 3) *out) { *out = tl_fill(TL_F32, TL_SHAPE(3), 1); }
static tl_typed(F32, 3) total(int n, const tl_typed(F32, 3) x[]) {
  tl_tensor s = tl_fill(TL_F32, TL_SHAPE(3), 0);
  for (int i = 0; i < n; i++) s = tl_add(s, x[i]);
  return s;
}
static tl_tensor grow(tl_tensor x, int n) {
  tl_tensor y = x, z = tl_fill(TL_F32, TL_SHAPE(2, 3), 0);
  while (n-- > 0) {
    z = tl_reshape(z, TL_SHAPE(1, -1));      /* types of the loop's head: (2,3), then (1,6) */
    if (n == 7) continue;
    if (n == 8) break;
    z = tl_add(z, y);
    do { z = tl_mul(z, z); } while (n > 100);
  }
  return z;
}
static tl_tensor jumps(tl_tensor q, int n) {
  tl_tensor x = tl_fill(TL_F32, TL_SHAPE(2), 0);
again:
  x = tl_add(x, q);
  if (n-- > 0) { x = tl_fill(TL_F64, TL_SHAPE(3), 0); goto again; }
  return tl_add(x, tl_fill(TL_F64, TL_SHAPE(5), 1));
}
static tl_tensor sw(int n) {
  tl_tensor x = tl_fill(TL_F32, TL_SHAPE(2), 0);
  switch (n) {
  case 0: x = tl_fill(TL_F64, TL_SHAPE(2), 0); break;
  case 1: x = tl_fill(TL_F32, TL_SHAPE(3), 0); /* fall */
  case 2: return x;
  default: return NULL;
  }
  return tl_add(x, tl_fill(TL_F64, TL_SHAPE(2), 1));
}
static tl_tensor pointers(tl_tensor q) {
  tl_tensor x = tl_fill(TL_F32, TL_SHAPE(2), 0), *p = &x;
  *p = tl_fill(TL_F64, TL_SHAPE(3), 0);
  tl_tensor y = tl_add(x, q);
  tl_tensor a[4] = {x, y};
  for (int i = 0; i < 4; i++) a[i] = tl_fill(TL_F32, TL_SHAPE(i + 1), 0);
  memcpy(a, &a[1], sizeof a[0]);
  load("x", &a[2]);
  tl_tensor *dyn = malloc(3 * sizeof *dyn);
  dyn[0] = tl_fill(TL_F32, TL_SHAPE(2), 0);
  dyn[1] = tl_fill(TL_F32, TL_SHAPE(3), 0);
  y = tl_add(dyn[0], dyn[1]);
  free(dyn);
  union u v = {.t = x};
  v.p = NULL;
  tl_tensor (*f)(tl_tensor, tl_tensor) = tl_add;
  return f(tl_add(a[0], tl_add(a[2], v.t)), y);
}
static tl_typed(F32, Batch, Out) apply(const net *n, images x) {
  tl_tensor h = tl_matmul(x, n->l[0].w);
  h = tl_where(tl_gt(h, tl_scalar_like(h, 0)), h, tl_mul(h, tl_scalar_like(h, 0.1)));
  h = tl_add(h, n->l[0].b);
  return tl_as(h, F32, Batch, Out);
}
static tl_tensor recursive(tl_typed(F32, Batch, 4) x, int n) { return n ? recursive(tl_exp(x), n - 1) : x; }
static tl_typed(F32, 3) use(void) {
  tl_typed(F32, 3) x;
  fill_typed(&x);
  tl_tensor y;
  fill_typed(&y);
  tl_typed(F32, 3) z = y, all[2] = {x, y};
  fixed_global = z;
  global = all[1];
  net n = {0};
  n.last = tl_fill(TL_F32, TL_SHAPE(4, 5), 0);
  n.l[1].w = tl_fill(TL_F32, TL_SHAPE(5, 6), 0);
  net m = n;
  m.l[1].b = tl_sum(m.l[1].w, TL_AXES(0), false);
  layer k = m.l[1];
  k.b = tl_add(k.b, k.w);
  apply(&m, n.last);
  recursive(tl_fill(TL_F32, TL_SHAPE(7, 4), 0), 3);
  tl_tensor t = ({ tl_tensor u = tl_exp(x); tl_add(u, u); });
  return x ? tl_add(t, total(2, all)) : NULL;
}
static tl_tensor shapes(tl_typed(F32, Batch, 12) x, int64_t b, bool keep, int axis, tl_axes which, tl_dtype d) {
  tl_typed(F32, Batch, 3, 4) y = tl_reshape(x, TL_SHAPE(tl_shape_of(x).dim[0], 3, 4));
  y = tl_reshape(x, TL_SHAPE(-1, 3, 4));
  tl_typed(F32, Batch, 12) w = tl_softmax(x, axis);
  w = tl_broadcast(w, tl_shape_of(x));
  tl_typed(F32, tl_any, 3, 4) z = tl_reshape(x, TL_SHAPE(b, 3, 4));
  tl_tensor s = tl_sum(y, TL_AXES(1), keep);
  s = tl_sum(s, which, keep);
  s = tl_cast(s, d);
  s = tl_max(z, TL_AXES(-1), true);
  const int64_t four = 4;
  const tl_axes last = TL_AXES(1);
  tl_typed(F32, 4) v = tl_sum(tl_fill(TL_F32, TL_SHAPE(four, 2), 0), last, false);
  return tl_add(tl_add(s, y), tl_scalar_like(v, 0));
}
int main(void) {
  (void)collect; (void)grow; (void)jumps; (void)sw; (void)pointers; (void)use; (void)shapes;
  static tl_tensor cache;
  if (!cache) cache = tl_fill(TL_F32, TL_SHAPE(2), 0);
  tl_add(cache, global);
  return 0;
}

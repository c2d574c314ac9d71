/* Calls of derivatives and batches: their arguments are of the primal's types, and so are their results. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

tl_axis(Batch);
tl_axis(In);
tl_axis(Out);
tl_axis(Example);

static tl_typed(F64) loss(tl_typed(F64, Batch, In) x, tl_typed(F64, In, Out) w) {
  return tl_sum(tl_square(tl_matmul(x, w)), TL_ALL, false);
}

tl_tensor unknown(void);

tl_tensor right(tl_typed(F64, Batch, In) x, tl_typed(F64, In, Out) w, tl_typed(F64, Example, Batch, In) xs) {
  tl_tensor x_bar, w_bar, value = tl_value_and_grad(loss)(x, w, &x_bar, &w_bar);
  tl_tensor each = tl_vmap(tl_grad(loss, w), Example, x)(xs, w);
  tl_tensor of_unknown = tl_grad(loss, w)(x, unknown());
  return tl_add(tl_mul(value, tl_add(w, tl_add(w_bar, tl_grad(loss, w)(x, w)))), tl_add(each, of_unknown));
}

tl_tensor wrong(tl_typed(F64, Batch, In) x, tl_typed(F64, In, Out) w, tl_typed(F64, Example, Batch, In) xs) {
  tl_tensor w_bar, value = tl_value_and_grad(loss, w)(x, w, &w_bar);
  tl_tensor a = tl_add(w_bar, x), b = tl_add(tl_grad(loss, w)(x, w), x), c = tl_grad(loss, w)(w, w);
  tl_tensor d = tl_vmap(tl_grad(loss, w), Example, x)(x, w);
  tl_tensor e = tl_add(tl_vmap(tl_grad(loss, w), Example, x)(xs, w), xs);
  tl_tensor f = tl_jvp(loss, x)(x, tl_cast(w, TL_F32), x);
  return tl_add(tl_add(value, a), tl_add(tl_add(b, c), tl_add(tl_add(d, e), f)));
}

/* Recurrent layers: one tl_scan over the steps, whatever their number. What the inputs alone give is one product for
 * all steps in front of it. */
#include "tensor/compose.h"
#include "tlaloc/capture.h"

enum { MOST_GATES = 4, MOST_CARRIES = 2 };

typedef struct layer {
  const char *op;
  tl_tensor weight, bias, peephole; /* [states, gates * states]; [gates * states]; [3, states] or NULL */
  int64_t states;
  bool reset_after;
} layer;

static tl_tensor gate(tl_tensor x, const layer *l, int k) {
  return tl__tensor_is_valid(x) ? tl__part(x, x->rank - 1, k * l->states, l->states) : x;
}

/* The k-th columns of the weight: those of one gate. */
static tl_tensor gate_product(tl_tensor h, const layer *l, int k) {
  return tl_add(tl_matmul(h, gate(l->weight, l, k)), gate(l->bias, l, k));
}
static tl_tensor all_products(tl_tensor h, const layer *l) { return tl_add(tl_matmul(h, l->weight), l->bias); }

/* ---- the steps: the states, then what the input gives; the next states, then the one that is collected ---- */

static void rnn_step(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  out[0] = out[1] = tl_tanh(tl_add(in[1], all_products(in[0], ctx)));
}

static void gru_step(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const layer *l = ctx;
  tl_tensor h = in[0], x = in[1], both = l->reset_after ? all_products(h, l) : NULL;
  tl_tensor of_update = both ? gate(both, l, 0) : gate_product(h, l, 0);
  tl_tensor of_reset = both ? gate(both, l, 1) : gate_product(h, l, 1);
  tl_tensor update = tl_logistic(tl_add(gate(x, l, 0), of_update));
  tl_tensor reset = tl_logistic(tl_add(gate(x, l, 1), of_reset));
  tl_tensor past = l->reset_after ? tl_mul(reset, gate(both, l, 2)) : gate_product(tl_mul(reset, h), l, 2);
  tl_tensor fresh = tl_tanh(tl_add(gate(x, l, 2), past));
  out[0] = out[1] = tl_add(tl_mul(tl_sub(tl_scalar_like(update, 1), update), fresh), tl_mul(update, h));
}

/* A gate with what it sees of the cell. */
static tl_tensor seen(tl_tensor sum, const layer *l, int k, tl_tensor cell) {
  if (!l->peephole) {
    return tl_logistic(sum);
  }
  return tl_logistic(tl_add(sum, tl_mul(tl__part(l->peephole, 0, k, 1), cell)));
}

static void lstm_step(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const layer *l = ctx;
  tl_tensor cell = in[1], sums = tl_add(in[2], all_products(in[0], l));
  tl_tensor input = seen(gate(sums, l, 0), l, 0, cell), forget = seen(gate(sums, l, 2), l, 2, cell);
  tl_tensor next = tl_add(tl_mul(forget, cell), tl_mul(input, tl_tanh(gate(sums, l, 3))));
  tl_tensor output = seen(gate(sums, l, 1), l, 1, next);
  out[0] = out[2] = tl_mul(output, tl_tanh(next));
  out[1] = next;
}

/* ---- the layers ---- */

static bool has_rank(const char *op, const char *what, tl_tensor x, int rank, tl_tensor *out) {
  if (x->rank != rank) {
    *out =
        tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: %s has rank %d, and is to have %d", op, what, x->rank, rank);
  }
  return x->rank == rank;
}

static bool has_extents(const char *op, const char *what, tl_tensor x, int64_t rows, int64_t columns, tl_tensor *out) {
  bool fits = x->dim[0] == rows && (columns < 0 || x->dim[1] == columns);
  if (!fits) {
    *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "%s: %s has %lld rows of %lld, not %lld of %lld", op, what,
                             (long long)x->dim[0], (long long)x->dim[1], (long long)rows, (long long)columns);
  }
  return fits;
}

static bool read_layer(const char *op, tl_tensor x, tl_recurrent_weights w, int gates, layer *l, tl_tensor *out) {
  if (!has_rank(op, "x", x, 3, out) || !has_rank(op, "the weight of inputs", w.input, 2, out) ||
      !has_rank(op, "the weight of states", w.state, 2, out) || !has_rank(op, "the bias", w.bias, 2, out) ||
      !tl__has_extent(op, w.state, 1, out)) {
    return false;
  }
  int64_t states = w.state->dim[1];
  *l = (layer){.op = op, .states = states};
  if (!has_extents(op, "the weight of states", w.state, gates * states, states, out) ||
      !has_extents(op, "the weight of inputs", w.input, gates * states, -1, out) ||
      !has_extents(op, "the bias", w.bias, 2, gates * states, out)) {
    return false;
  }
  l->weight = tl_transpose(tl__widened(w.state), TL_ALL);
  l->bias = tl__part(tl__widened(w.bias), 0, 1, 1);
  return true;
}

static tl_tensor time_first(tl_tensor x, bool batch_first) {
  return batch_first && tl__tensor_is_valid(x) ? tl_transpose(x, TL_AXES(1, 0, 2)) : x;
}

/* Runs the steps; `carries` are the first states and become the last ones. */
static tl_tensor run(layer *l, tl_fn *step, tl_tensor x, tl_recurrent_weights w, int count, tl_tensor *carries,
                     bool batch_first) {
  tl_tensor first[MOST_CARRIES], out[MOST_CARRIES + 1];
  tl_tensor sums = tl_matmul(time_first(tl__widened(x), batch_first), tl_transpose(tl__widened(w.input), TL_ALL));
  sums = tl_add(sums, tl__part(tl__widened(w.bias), 0, 0, 1));
  for (int i = 0; i < count; i++) {
    first[i] = tl__widened(carries[i]);
  }
  tl_scan(step, l, (size_t)count, first, 1, &sums, 1, out);
  for (int i = 0; i < count; i++) {
    carries[i] = tl__like(out[i], x);
  }
  return tl__like(time_first(out[count], batch_first), x);
}

static tl_recurrent_result failed_result(tl_tensor failed) { return (tl_recurrent_result){failed, failed, failed}; }

static tl_recurrent_result recurrent(const char *op, tl_fn *step, int gates, tl_tensor x, tl_tensor h, tl_tensor c,
                                     tl_recurrent_weights w, tl_tensor peephole, bool batch_first, bool reset_after) {
  tl_scope scope;
  tl_tensor failed, operands[] = {x, h, w.input, w.state, w.bias, c, peephole};
  int count = peephole ? 7 : c ? 6 : 5;
  if (!tl__compose_enter_floats(op, count, operands, &scope, &failed)) {
    return failed_result(failed);
  }
  layer l;
  bool ok = read_layer(op, x, w, gates, &l, &failed) && has_rank(op, "the first state", h, 2, &failed) &&
            (!c || has_rank(op, "the first cell", c, 2, &failed));
  if (ok && peephole) {
    l.peephole = tl__widened(peephole);
    ok = has_rank(op, "what gates see of cells", peephole, 2, &failed) &&
         has_extents(op, "what gates see of cells", peephole, 3, l.states, &failed);
  }
  if (!ok) {
    return failed_result(tl__compose_leave(op, scope, failed));
  }
  l.reset_after = reset_after;
  tl_tensor carries[MOST_CARRIES] = {h, c}, all = run(&l, step, x, w, c ? 2 : 1, carries, batch_first);
  tl_recurrent_result out = {.states = tl_scope_keep(scope, tl__compose_named(op, all)),
                             .state = tl_scope_keep(scope, tl__compose_named(op, carries[0]))};
  out.cell = c ? tl_scope_keep(scope, tl__compose_named(op, carries[1])) : out.state;
  tl_scope_close(scope);
  return out;
}

tl_recurrent_result tl_rnn(tl_tensor x, tl_tensor h, tl_recurrent_weights w, bool batch_first) {
  return recurrent("rnn", rnn_step, 1, x, h, NULL, w, NULL, batch_first, false);
}

tl_recurrent_result tl_gru(tl_tensor x, tl_tensor h, tl_recurrent_weights w, bool batch_first, bool reset_after) {
  return recurrent("gru", gru_step, 3, x, h, NULL, w, NULL, batch_first, reset_after);
}

tl_recurrent_result tl_lstm(tl_tensor x, tl_tensor h, tl_tensor c, tl_recurrent_weights w, bool batch_first) {
  return tl__tensor_is_valid(c) ? recurrent("lstm", lstm_step, 4, x, h, c, w, NULL, batch_first, false)
                                : failed_result(c);
}

tl_recurrent_result tl_lstm_peephole(tl_tensor x, tl_tensor h, tl_tensor c, tl_recurrent_weights w, tl_tensor peephole,
                                     bool batch_first) {
  tl_tensor first = tl__tensor_is_valid(c) ? peephole : c;
  return tl__tensor_is_valid(first) ? recurrent("lstm_peephole", lstm_step, 4, x, h, c, w, peephole, batch_first, false)
                                    : failed_result(first);
}

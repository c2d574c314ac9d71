/* Sequences of any length, one program: a classifier with attention over at most 64 tokens is captured once, and runs
 * padded to a power of 2, so that an engine which compiles has seven shapes to compile for, and not 64. Its gradient is
 * a program of the same kind. The task: whether a token, the third, is in a sequence. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <tlaloc/engine.h>

enum { MOST = 64, TOKENS = 32, WIDTH = 8, PARTS = 3, STEPS = 5000, TESTS = 500 };

/* ---- the model ---- */

static tl_tensor embedded(tl_tensor tokens, tl_tensor table) {
  return tl_gather(table, tokens, 0, (tl_gather_opts){.mode = TL_INDEX_CLIP});
}

/* The mean of the embedded tokens, weighted by attention, times the last weights. What is padding gets no attention. */
static tl_tensor score(tl_tensor tokens, tl_tensor table, tl_tensor query, tl_tensor last, bool masked) {
  tl_tensor h = embedded(tokens, table), attention = tl_matmul(h, query);
  if (masked) {
    tl_tensor here = tl_valid_mask(tl_shape_of(tokens).dim[0]);
    attention = tl_where(here, attention, tl_scalar_like(attention, -INFINITY));
  }
  return tl_matmul(tl_matmul(tl_softmax(attention, 0), h), last);
}

/* in[]: the tokens, the sign of the answer, the parameters. log(1 + exp(-sign*score)) */
static void loss(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  tl_tensor margin = tl_mul(in[1], score(in[0], in[2], in[3], in[4], ctx == NULL));
  out[0] = tl_log1p(tl_exp(tl_neg(margin)));
}

/* ---- the data ---- */

static unsigned long long state = 42;

static int draw(int below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (unsigned)below);
}

typedef struct example {
  tl_tensor tokens, sign;
} example;

static example draw_example(int length) {
  int32_t tokens[MOST] = {0};
  bool is_there = false;
  for (int i = 0; i < length; i++) {
    tokens[i] = draw(TOKENS);
    is_there = is_there || tokens[i] == 3;
  }
  return (example){tl_from(TL_I32, TL_SHAPE(length), tokens), tl_fill(TL_F64, TL_SCALAR, is_there ? 1 : -1)};
}

/* ---- training ---- */

static int fail(const char *what) {
  fprintf(stderr, "lengths: %s: %s\n", what, tl_last_message());
  return 1;
}

/* One step down the gradient, by a run at the bucket of the sequence. */
static tl_status step(tl_engine *engine, const tl_graph *train, tl_tensor part[PARTS]) {
  tl_scope scope = tl_scope_open();
  example e = draw_example(1 + draw(MOST));
  tl_tensor out[1 + PARTS];
  tl_status status =
      tl_bounded_run(engine, train, true, (const tl_tensor[]){e.tokens, e.sign, part[0], part[1], part[2]}, out);
  for (int i = 0; status == TL_OK && i < PARTS; i++) {
    part[i] = tl_scope_carry(scope, tl_sub(part[i], tl_mul(out[1 + i], tl_scalar_like(part[i], 0.1))), part[i]);
  }
  for (int i = 0; status == TL_OK && i <= PARTS; i++) {
    tl_release(out[i]);
  }
  tl_scope_close(scope);
  return status;
}

int main(void) {
  tl_spec specs[] = {{TL_I32, {1, {TL_BOUNDED(0, MOST)}}, "tokens"},
                     {TL_F64, TL_SCALAR, "sign"},
                     {TL_F64, {2, {TOKENS, WIDTH}}, "table"},
                     {TL_F64, {1, {WIDTH}}, "query"},
                     {TL_F64, {1, {WIDTH}}, "last"}};
  const size_t by[PARTS] = {2, 3, 4};
  tl_graph *primal, *train, *unmasked;
  tl_engine *engine;
  bool forget = true;
  if (tl_capture("loss", loss, NULL, 5, specs, 1, &primal) != TL_OK ||
      tl_capture("unmasked", loss, &forget, 5, specs, 1, &unmasked) != TL_OK ||
      tl_graph_grad(primal, PARTS, by, true, &train) != TL_OK ||
      tl_engine_open("interpreter", NULL, &engine) != TL_OK) {
    return fail("the program");
  }
  tl_tensor key = tl_random_key(1);
  tl_tensor part[PARTS] = {tl_random_normal(key, TL_F64, TL_SHAPE(TOKENS, WIDTH)), tl_fill(TL_F64, TL_SHAPE(WIDTH), 0),
                           tl_random_normal(tl_random_fold_in(key, 1), TL_F64, TL_SHAPE(WIDTH))};
  /* Padding reaches neither the loss nor its gradient. */
  double apart = 0;
  for (int length = 1; length <= MOST; length++) {
    tl_scope scope = tl_scope_open();
    example e = draw_example(length);
    const tl_tensor in[] = {e.tokens, e.sign, part[0], part[1], part[2]};
    tl_tensor exact[1 + PARTS], padded[1 + PARTS];
    if (tl_bounded_check(engine, train, in) != TL_OK || tl_bounded_run(engine, train, false, in, exact) != TL_OK ||
        tl_bounded_run(engine, train, true, in, padded) != TL_OK) {
      return fail("a check");
    }
    for (int k = 0; k <= PARTS; k++) {
      apart = fmax(apart, tl_item(tl_max(tl_fabs(tl_sub(exact[k], padded[k])), TL_ALL, false)));
      tl_release(exact[k]);
      tl_release(padded[k]);
    }
    tl_scope_close(scope);
  }
  printf("%d lengths, loss and gradient, padded against exact: %.1e\n", MOST, apart);

  /* The same without the mask: a check says that padding is in the result. */
  example e = draw_example(33);
  tl_status status =
      tl_bounded_check(engine, unmasked, (const tl_tensor[]){e.tokens, e.sign, part[0], part[1], part[2]});
  printf("without the mask: %s\n", tl_status_name(status));

  for (int i = 0; i < STEPS; i++) {
    if (step(engine, train, part) != TL_OK) {
      return fail("a step");
    }
  }
  int right = 0;
  for (int i = 0; i < TESTS; i++) {
    tl_scope scope = tl_scope_open();
    example e = draw_example(1 + draw(MOST));
    tl_tensor value;
    if (tl_bounded_run(engine, primal, true, (const tl_tensor[]){e.tokens, e.sign, part[0], part[1], part[2]},
                       &value)) {
      return fail("a test");
    }
    right += tl_item(value) < log(2);
    tl_release(value);
    tl_scope_close(scope);
  }
  printf("after %d steps %.1f %% of %d new sequences right\n", STEPS, 100.0 * right / TESTS, TESTS);
  tl_graph_release(primal);
  tl_graph_release(unmasked);
  tl_graph_release(train);
  tl_engine_close(engine);
  return status != TL_PADDING_DIFFERS || right < 0.95 * TESTS;
}

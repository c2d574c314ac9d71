/* What capture and the transforms cost: capture_bench [--check | grad | jvp | vmap] [OPS...]. For each number of ops,
 * least times of a few runs, of the processor's clock for this process, which other processes do not lengthen.
 *
 * The program is a chain of elementwise ops, sums and products over a vector, with branches of values that live on;
 * what it computes does not matter. With --check the exit status is 1 unless capturing 1,000 ops and reversing them
 * take at most 20 ms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tlaloc/capture.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ctx: how many ops. */
static void chain(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  size_t ops = *(const size_t *)ctx;
  tl_tensor x = in[0], old = in[1];
  for (size_t i = 0; i < ops; i += 8) {
    tl_scope scope = tl_scope_open();
    tl_tensor a = tl_tanh(x), b = tl_mul(a, old);
    tl_tensor s = tl_sum(b, TL_ALL, true);
    tl_tensor c = tl_add(a, s); /* with the broadcast two ops */
    tl_tensor d = tl_sin(tl_sub(c, in[1]));
    x = tl_scope_keep(scope, tl_add(d, a));
    old = tl_scope_keep(scope, a);
    tl_scope_close(scope);
  }
  out[0] = tl_sum(x, TL_ALL, false);
}

static void need(tl_status status) {
  if (status != TL_OK) {
    fprintf(stderr, "capture_bench: %s\n", tl_last_message());
    exit(2);
  }
}

typedef struct times {
  double capture, grad, jvp, vmap;
} times;

static void keep_least(double *least, double start) {
  double seconds = now() - start;
  *least = *least == 0 || seconds < *least ? seconds : *least;
}

/* Only what `what` names, where it is given. */
static bool wanted(const char *what, const char *name) { return !what || !strcmp(what, name); }

static void measure(size_t ops, const char *what, times *t) {
  tl_spec specs[] = {{TL_F64, {1, {8}}, "x"}, {TL_F64, {1, {8}}, "y"}};
  tl_graph *f, *g = NULL;
  double start = now();
  need(tl_capture("chain", chain, &ops, 2, specs, 1, &f));
  keep_least(&t->capture, start);
  if (wanted(what, "grad")) {
    start = now();
    need(tl_graph_grad(f, 0, NULL, true, &g));
    keep_least(&t->grad, start);
    tl_graph_release(g);
  }
  if (wanted(what, "jvp")) {
    start = now();
    need(tl_graph_jvp(f, 0, NULL, true, &g));
    keep_least(&t->jvp, start);
    tl_graph_release(g);
  }
  if (wanted(what, "vmap")) {
    start = now();
    need(tl_graph_vmap(f, (const bool[]){true, false}, &g));
    keep_least(&t->vmap, start);
    tl_graph_release(g);
  }
  tl_graph_release(f);
}

int main(int argc, char **argv) {
  static const size_t standard[] = {1000, 10000, 100000};
  bool check = argc > 1 && !strcmp(argv[1], "--check"), slow = false;
  const char *what = argc > 1 && !check && argv[1][0] >= 'a' ? argv[1] : NULL;
  int first = check || what ? 2 : 1, count = argc > first ? argc - first : 3;
  times before = {0, 0, 0, 0};
  printf("%10s %12s %12s %12s %12s   ms (and how many times the line before)\n", "ops", "capture", "grad", "jvp",
         "vmap");
  for (int i = 0; i < count; i++) {
    size_t ops = argc > first ? strtoull(argv[first + i], NULL, 10) : standard[i];
    times t = {0, 0, 0, 0};
    for (int round = 0; round < (ops > 20000 ? 1 : 5); round++) {
      measure(ops, what, &t);
    }
    printf("%10zu %12.2f %12.2f %12.2f %12.2f", ops, t.capture * 1e3, t.grad * 1e3, t.jvp * 1e3, t.vmap * 1e3);
    if (i) {
      printf("   (%.1f %.1f %.1f %.1f)", t.capture / before.capture, t.grad / before.grad, t.jvp / before.jvp,
             t.vmap / before.vmap);
    }
    printf("\n");
    fflush(stdout);
    slow = slow || (ops == 1000 && t.capture + t.grad > 20e-3);
    before = t;
  }
  return check && slow;
}

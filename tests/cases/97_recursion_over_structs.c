/* A recursion over an array of structs adds to the cotangents where they lie, as over flat arrays: what each level
 * copied, or cleared, would be n * n numbers, more than there is memory for here. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>

#include <tlaloc/grad.h>

enum { MANY = 8000, FEW = 6, MOST_BYTES = 1 << 28 };

typedef struct node {
  int left, right;
  double len, w[2];
  float unused;
} node;

static double of_array(int n, const node t[n], int i) {
  return i < 0 ? 1 : t[i].w[1] * of_array(n, t, t[i].left) + t[i].len * of_array(n, t, t[i].right);
}

/* Behind a member that is a pointer, in a struct that is passed by pointer and by value. */
struct tree {
  int n;
  const node *at TL_LEN(n);
  double scale;
  const int *tag TL_LEN(n);
};

static double by_pointer(const struct tree *t, int i) {
  return i < 0 ? t->scale : t->at[i].w[1] * by_pointer(t, t->at[i].left) + t->at[i].len * by_pointer(t, t->at[i].right);
}

static double by_value(struct tree t, int i) {
  return i < 0 ? t.scale
               : t.at[i].w[1] * by_value(t, t.at[i].left) * t.scale + t.at[i].len * by_value(t, t.at[i].right);
}

/* Numbers behind the pointer, and the pointer in a struct in the struct. */
struct flat {
  struct {
    double bias;
    const double *x TL_LEN(8000);
  } in;
};

static double of_flat(int n, struct flat f) { return n ? f.in.x[n - 1] * of_flat(n - 1, f) + f.in.bias : 1; }

/* A struct of one's own around the nodes of another. */
static double outer(struct tree a) {
  struct tree o = {a.n, a.at, a.scale * a.scale, a.tag};
  return by_value(o, 0) * a.at[1].w[1];
}

/* Two of them, taken by turns: each has storage of its own. */
static double by_turns(int n, const node a[n], const node b[n], int i) {
  return i < 0 ? 1 : a[i].len * by_turns(n, b, a, a[i].left) + b[i].w[0];
}
static double with_itself(int n, const node a[n]) { return by_turns(n, a, a, 0) * a[1].len; }

/* An in-out, and a local array of them. */
static double worn(int n, node t[n], int i) {
  if (i < 0) {
    return 1;
  }
  double r = t[i].w[1] * worn(n, t, t[i].left);
  t[i].w[0] += r * t[i].len;
  return r + t[i].w[0];
}

static double of_local(int n, const double x[n]) {
  node t[n];
  for (int i = 0; i < n; i++) {
    t[i] = (node){i + 1 < n ? i + 1 : -1, -1, x[i], {0.5, x[i] * x[i]}, 0};
  }
  return of_array(n, t, 0) * worn(n, t, 0) + t[0].w[0] * t[2].w[0];
}

static node t[MANY], t_bar[MANY], t_dot[MANY], t_bar_dot[MANY];
static int tag[MANY], tag_bar[MANY];

static void grow(int n) {
  for (int i = 0; i < n; i++) {
    t[i] = (node){i + 1 < n ? i + 1 : -1, i % 3 == 0 ? n - 1 : -1, 0.25, {0.125 * (i % 5), 0.75 + i % 2 * 0.25}, 1};
    t[i].right = t[i].right == i ? -1 : t[i].right;
    tag[i] = i;
  }
}

static double *number(node *at, int k) { return k == 0 ? &at->len : &at->w[k - 1]; }

/* Each cotangent is the tangent along its number, and the integers are the array's own. */
#define CHECK_TANGENTS(call)                                                                                           \
  for (int i = 0; i < FEW; i++) {                                                                                      \
    for (int k = 0; k < 3; k++) {                                                                                      \
      *number(&t_dot[i], k) = 1;                                                                                       \
      CHECK(*number(&t_bar[i], k), call);                                                                              \
      *number(&t_dot[i], k) = 0;                                                                                       \
    }                                                                                                                  \
    CHECK(t_bar[i].left, t[i].left);                                                                                   \
    CHECK(t_bar[i].right, t[i].right);                                                                                 \
  }

/* The same over flat arrays, in which nothing is put together. */
static double of_flat_arrays(int n, const int left[n], const double len[n], int i) {
  return i < 0 ? 1 : len[i] * of_flat_arrays(n, left, len, left[i]) + len[i];
}

/* The least of some runs: gradients of order 1 and 2, of structs and of flat arrays. */
static double seconds(int order, bool flat) {
  static int left[MANY];
  static double len[MANY], bar[MANY], dot[MANY], bar_dot[MANY];
  double best = 1e9;
  for (int i = 0; i < MANY; i++) {
    left[i] = t[i].left;
    len[i] = 0.5;
  }
  for (int k = 0; k < 7; k++) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (order == 1 && flat) {
      tl_grad(of_flat_arrays, len)(MANY, left, len, 0, bar);
    } else if (order == 1) {
      tl_grad(of_array, t)(MANY, t, 0, t_bar);
    } else if (flat) {
      tl_jvp(tl_grad(of_flat_arrays, len), len)(MANY, left, len, 0, bar, dot, bar_dot);
    } else {
      tl_jvp(tl_grad(of_array, t), t)(MANY, t, 0, t_bar, t_dot, t_bar_dot);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    best = fmin(best, (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
  }
  return best;
}

int main(void) {
  struct rlimit memory = {MOST_BYTES, MOST_BYTES};
  if (setrlimit(RLIMIT_AS, &memory)) {
    return 1;
  }
  struct tree tree = {MANY, t, 0.5, tag}, tree_bar = {0, t_bar, 0, tag_bar}, tree_dot = {0, t_dot, 0, tag};
  grow(MANY);
  t[MANY - 2].w[1] = t[MANY - 1].w[1] = 3;
  tl_grad(of_array, t)(MANY, t, 0, t_bar);
  CHECK(t_bar[0].w[1], of_array(MANY, t, 1));
  CHECK(t_bar[MANY - 1].right, -1);
  tl_grad(by_pointer, t)(&tree, 0, &tree_bar);
  CHECK(t_bar[0].w[1], by_pointer(&tree, 1));
  tl_grad(by_value, t)(tree, 0, &tree_bar);
  CHECK(t_bar[0].w[1], by_value(tree, 1) * tree.scale);
  CHECK(tag_bar[MANY - 1], 0); /* the recursion does not touch it */
  CHECK(tree_bar.n, MANY);
  static double x[MANY], x_bar[MANY];
  for (int i = 0; i < MANY; i++) {
    x[i] = i < MANY - 1 ? 1 : 0.5;
  }
  struct flat flat = {{0.25, x}}, flat_bar = {{0, x_bar}};
  tl_grad(of_flat, f)(MANY, flat, &flat_bar);
  CHECK(flat_bar.in.bias, 1 + 0.5 * (MANY - 1));
  CHECK(x_bar[MANY - 1], of_flat(MANY - 1, flat));
  /* steps for each node, where MANY for each would be a hundred times as long at least */
  grow(MANY);
  for (int order = 1; order <= 2; order++) {
    double ratio = seconds(order, false) / seconds(1, true);
    printf("order %d: %g times flat arrays' first order, which the second takes %g times\n", order, ratio,
           seconds(2, true) / seconds(1, true));
    CHECK(ratio < 40, 1);
    CHECK(seconds(order, true) / seconds(1, true) < 20, 1);
  }

  grow(FEW);
  tree.n = FEW;
  tl_grad(of_array, t)(FEW, t, 0, t_bar);
  CHECK_TANGENTS(tl_jvp(of_array, t)(FEW, t, 0, t_dot));
  tl_grad(by_pointer, t)(&tree, 0, &tree_bar);
  CHECK_TANGENTS(tl_jvp(by_pointer, t)(&tree, 0, &tree_dot));
  double scale_bar = tree_bar.scale;
  tree_dot.scale = 1;
  CHECK(scale_bar, tl_jvp(by_pointer, t)(&tree, 0, &tree_dot));
  tree_dot.scale = 0;
  tl_grad(by_value, t)(tree, 0, &tree_bar);
  CHECK_TANGENTS(tl_jvp(by_value, t)(tree, 0, tree_dot));
  tree_dot.scale = 1;
  CHECK(tree_bar.scale, tl_jvp(by_value, t)(tree, 0, tree_dot));
  tree_dot.scale = 0;
  tl_grad(outer)(tree, &tree_bar);
  CHECK_TANGENTS(tl_jvp(outer)(tree, tree_dot));
  tl_grad(with_itself)(FEW, t, t_bar);
  CHECK_TANGENTS(tl_jvp(with_itself)(FEW, t, t_dot));
  CHECK(tl_check_vjp(of_local)(FEW, x, 1e-7), 0);
  CHECK(tl_check_vjp(worn, t)(FEW, t, 0, 1e-7), 0);

  /* second derivatives, of many too: what is there is added to, so the derivative of that is an in-out's */
  for (int i = 0; i < FEW; i++) {
    for (int k = 0; k < 3; k++) {
      *number(&t_dot[i], k) = 0.5 * k - 0.25 * i;
    }
  }
  tl_jvp(tl_grad(of_array, t), t)(FEW, t, 0, t_bar, t_dot, t_bar_dot);
  for (int i = 0; i < FEW; i++) {
    for (int k = 0; k < 3; k++) {
      double up, down, h = 1e-4, *p = number(&t[i], k), start = *p;
      *p = start + h;
      up = tl_jvp(of_array, t)(FEW, t, 0, t_dot);
      *p = start - h;
      down = tl_jvp(of_array, t)(FEW, t, 0, t_dot);
      *p = start;
      CHECK_TO(*number(&t_bar_dot[i], k), (up - down) / (2 * h), 1e-6);
    }
  }
  return check_done();
}

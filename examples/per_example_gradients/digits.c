/* The gradient of each example: a classifier of handwritten digits, and which of them pull hardest on its weights.
 *
 *   zcat digits.csv.gz | ./digits
 *
 * The file has a digit per line: 64 numbers from 0 to 16, then the label. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

enum { PIXELS = 64, HIDDEN = 32, DIGITS = 10, MOST = 2000, STEPS = 200 };

tl_axis(Example);
tl_axis(Pixel);
tl_axis(Unit);
tl_axis(Digit);

/* What is written for one example. */
static tl_tensor scores(tl_typed(F32, Pixel, Unit) w1, tl_typed(F32, Unit) b1, tl_typed(F32, Unit, Digit) w2,
                        tl_typed(F32, Digit) b2, tl_typed(F32, Pixel) x) {
  return tl_add(tl_matmul(tl_tanh(tl_add(tl_matmul(x, w1), b1)), w2), b2);
}

static tl_tensor loss(tl_typed(F32, Pixel, Unit) w1, tl_typed(F32, Unit) b1, tl_typed(F32, Unit, Digit) w2,
                      tl_typed(F32, Digit) b2, tl_typed(F32, Pixel) x, tl_typed(F32, Digit) target) {
  return tl_neg(tl_sum(tl_mul(target, tl_log_softmax(scores(w1, b1, w2, b2, x), -1)), TL_ALL, false));
}

/* What it is trained by: the batch of that, and its mean. */
static tl_tensor mean_loss(tl_typed(F32, Pixel, Unit) w1, tl_typed(F32, Unit) b1, tl_typed(F32, Unit, Digit) w2,
                           tl_typed(F32, Digit) b2, tl_typed(F32, Example, Pixel) x,
                           tl_typed(F32, Example, Digit) target) {
  return tl_mean(tl_vmap(loss, Example, x, target)(w1, b1, w2, b2, x, target), TL_ALL, false);
}

typedef struct model {
  tl_tensor part[4]; /* w1, b1, w2, b2 */
} model;

static model start(void) {
  tl_tensor keys = tl_random_split(tl_random_key(7), 2), key[2];
  for (int i = 0; i < 2; i++) {
    key[i] = tl_reshape(tl_pick(keys, TL_SHAPE(1, 2), (tl_ints){2, {i, 0}}, (tl_ints){2, {1, 1}}), TL_SHAPE(2));
  }
  tl_tensor w1 = tl_random_normal(key[0], TL_F32, TL_SHAPE(PIXELS, HIDDEN));
  tl_tensor w2 = tl_random_normal(key[1], TL_F32, TL_SHAPE(HIDDEN, DIGITS));
  return (model){{tl_mul(w1, tl_scalar_like(w1, 1 / sqrt(PIXELS))), tl_fill(TL_F32, TL_SHAPE(HIDDEN), 0),
                  tl_mul(w2, tl_scalar_like(w2, 1 / sqrt(HIDDEN))), tl_fill(TL_F32, TL_SHAPE(DIGITS), 0)}};
}

static void train(model *m, tl_tensor x, tl_tensor target) {
  for (int step = 0; step <= STEPS; step++) {
    tl_scope scope = tl_scope_open();
    tl_tensor bar[4];
    tl_tensor value = tl_value_and_grad(mean_loss, w1, b1, w2, b2)(m->part[0], m->part[1], m->part[2], m->part[3], x,
                                                                   target, &bar[0], &bar[1], &bar[2], &bar[3]);
    if (step % 100 == 0) {
      printf("step %3d  loss %.4f\n", step, tl_item(value));
    }
    for (int i = 0; i < 4; i++) {
      tl_tensor next = tl_sub(m->part[i], tl_mul(bar[i], tl_scalar_like(bar[i], 0.5)));
      m->part[i] = tl_scope_carry(scope, next, m->part[i]);
    }
    tl_scope_close(scope);
  }
}

/* The norm of an example's gradient by backpropagation written out, in double. */
static double norm_by_hand(const float *w1, const float *b1, const float *w2, const float *b2, const float *x,
                           const float *target) {
  double h[HIDDEN], z[DIGITS], most = -INFINITY, total = 0, square = 0, inputs = 1;
  for (int j = 0; j < HIDDEN; j++) {
    h[j] = b1[j];
    for (int i = 0; i < PIXELS; i++) {
      h[j] += (double)x[i] * w1[i * HIDDEN + j];
    }
    h[j] = tanh(h[j]);
  }
  for (int k = 0; k < DIGITS; k++) {
    z[k] = b2[k];
    for (int j = 0; j < HIDDEN; j++) {
      z[k] += h[j] * w2[j * DIGITS + k];
    }
    most = fmax(most, z[k]);
  }
  for (int k = 0; k < DIGITS; k++) {
    total += exp(z[k] - most);
  }
  for (int i = 0; i < PIXELS; i++) {
    inputs += (double)x[i] * x[i];
  }
  for (int k = 0; k < DIGITS; k++) {
    z[k] = exp(z[k] - most) / total - target[k]; /* its cotangent */
    square += z[k] * z[k];
  }
  for (int j = 0; j < HIDDEN; j++) {
    double bar = 0;
    for (int k = 0; k < DIGITS; k++) {
      square += h[j] * h[j] * z[k] * z[k];
      bar += w2[j * DIGITS + k] * z[k];
    }
    bar *= 1 - h[j] * h[j];
    square += bar * bar * inputs;
  }
  return sqrt(square);
}

static int read_digits(float *x, float *target, int *label) {
  int count = 0;
  for (; count < MOST; count++) {
    for (int i = 0; i < PIXELS; i++) {
      double pixel;
      if (scanf(i ? ",%lf" : "%lf", &pixel) != 1) {
        return i ? -1 : count;
      }
      x[count * PIXELS + i] = (float)(pixel / 16);
    }
    if (scanf(",%d", &label[count]) != 1 || label[count] < 0 || label[count] >= DIGITS) {
      return -1;
    }
    target[count * DIGITS + label[count]] = 1;
  }
  return count;
}

int main(void) {
  static float xs[MOST * PIXELS], targets[MOST * DIGITS];
  static float w1[PIXELS * HIDDEN], b1[HIDDEN], w2[HIDDEN * DIGITS], b2[DIGITS], norm[MOST];
  static int label[MOST];
  static int64_t guess[MOST];
  int count = read_digits(xs, targets, label);
  if (count < 1) {
    fprintf(stderr, "digits: standard input has no digits: lines of 64 numbers and a label, separated by commas\n");
    return 1;
  }
  tl_tensor x = tl_from(TL_F32, TL_SHAPE(count, PIXELS), xs),
            target = tl_from(TL_F32, TL_SHAPE(count, DIGITS), targets);
  model m = start();
  train(&m, x, target);
  tl_tensor places = tl_argmax(tl_vmap(scores, Example, x)(m.part[0], m.part[1], m.part[2], m.part[3], x), 1, false);

  /* A gradient for each example, by ops on the whole batch. */
  tl_tensor bar[4], squares = tl_fill(TL_F32, TL_SHAPE(count), 0);
  tl_vmap(tl_grad(loss, w1, b1, w2, b2), Example, x, target)(m.part[0], m.part[1], m.part[2], m.part[3], x, target,
                                                             &bar[0], &bar[1], &bar[2], &bar[3]);
  for (int i = 0; i < 4; i++) {
    squares = tl_add(squares, tl_sum(tl_square(tl_reshape(bar[i], TL_SHAPE(count, -1))), TL_AXES(1), false));
  }
  size_t sizes[] = {sizeof w1, sizeof b1, sizeof w2, sizeof b2};
  float *parts[] = {w1, b1, w2, b2};
  for (int i = 0; i < 4; i++) {
    if (tl_read(m.part[i], parts[i], sizes[i]) != TL_OK) {
      fprintf(stderr, "digits: %s\n", tl_message_of(m.part[i]));
      return 1;
    }
  }
  if (tl_read(tl_sqrt(squares), norm, (size_t)count * sizeof *norm) != TL_OK ||
      tl_read(places, guess, (size_t)count * sizeof *guess) != TL_OK) {
    fprintf(stderr, "digits: %s%s\n", tl_message_of(squares), tl_message_of(places));
    return 1;
  }

  int right = 0;
  double most = 0, apart = 0, sum = 0;
  for (int i = 0; i < count; i++) {
    right += guess[i] == label[i];
    sum += norm[i];
    most = fmax(most, norm[i]);
    double by_hand = norm_by_hand(w1, b1, w2, b2, xs + (size_t)i * PIXELS, targets + (size_t)i * DIGITS);
    apart = fmax(apart, fabs(norm[i] - by_hand));
  }
  printf("%d digits, %.1f %% right\n", count, 100.0 * right / count);
  printf("gradient norms: mean %.3f, largest %.3f\n", sum / count, most);
  for (int rank = 0; rank < 3; rank++) {
    int hardest = 0;
    for (int i = 1; i < count; i++) {
      hardest = norm[i] > norm[hardest] ? i : hardest;
    }
    printf("  digit %d, a %d, taken for a %d: norm %.3f\n", hardest, label[hardest], (int)guess[hardest],
           norm[hardest]);
    norm[hardest] = 0;
  }
  printf("against backpropagation by hand in double: %.1e of the largest\n", apart / most);
  return apart / most > 1e-6;
}

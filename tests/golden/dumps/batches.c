/* Derivatives of functions of batches.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <string.h>

struct ball {
  double at, speed;
  int bounces;
};

void loss__vmap__batch__x__target(size_t batch, size_t n, const double w[n], const double x[batch][n], const double target[batch], double loss_out[batch]);
void loss__grad__w__vmap__batch__x__target(size_t batch, size_t n, const double w[n], const double x[batch][n], const double target[batch], double w_bar[batch][n]);
void loss__vmap__batch__x__target__vjp__w(size_t batch, size_t n, const double w[n], const double x[batch][n], const double target[batch], double loss_out[batch], double loss_out_bar[batch], double w_bar[n]);
void fall__vmap__batch__b__steps(size_t batch, struct ball b[batch], double step, const int steps[batch]);

void loss__vmap__batch__x__target(size_t batch, size_t n, const double w[n], const double x[batch][n],
    const double target[batch], double loss_out[restrict batch]) {
  for (size_t example = 0; example < batch; example++) {
    /* line 9: for (size_t i = 0; i < n; i++) */
    double s = 0.0;
    for (size_t i = 0; i < n; i++) {
      /* line 10: s += w[i] * x[i]; */
      s += w[i] * x[example][i];
    }
    /* line 12: double miss = tanh(s) - target; */
    double miss = tanh(s) - target[example];
    loss_out[example] = miss * miss;
  }
}

void loss__grad__w__vmap__batch__x__target(size_t batch, size_t n, const double w[n],
    const double x[batch][n], const double target[batch], double w_bar[restrict batch][n]) {
  for (size_t example = 0; example < batch; example++) {
    /* line 9: for (size_t i = 0; i < n; i++) */
    double s = 0.0;
    for (size_t i = 0; i < n; i++) {
      /* line 10: s += w[i] * x[i]; */
      s += w[i] * x[example][i];
    }
    /* line 12: double miss = tanh(s) - target; */
    double tanh_s = tanh(s), s_bar = (tanh_s - target[example]) * 2.0 * (1.0 - tanh_s * tanh_s);
    /* line 9: for (size_t i = 0; i < n; i++) */
    for (size_t i = 0; i < n; i++) {
      /* line 10: s += w[i] * x[i]; */
      w_bar[example][i] = s_bar * x[example][i];
    }
  }
}

void loss__vmap__batch__x__target__vjp__w(size_t batch, size_t n, const double w[n],
    const double x[batch][n], const double target[batch], double loss_out[restrict batch],
    double loss_out_bar[batch], double w_bar[restrict n]) {
  memset(w_bar, 0, n * sizeof *w_bar);
  for (size_t example = 0; example < batch; example++) {
    /* line 9: for (size_t i = 0; i < n; i++) */
    double s = 0.0;
    for (size_t i = 0; i < n; i++) {
      /* line 10: s += w[i] * x[i]; */
      s += w[i] * x[example][i];
    }
    /* line 12: double miss = tanh(s) - target; */
    double tanh_s = tanh(s), miss = tanh_s - target[example];
    loss_out[example] = miss * miss;
    /* line 12: double miss = tanh(s) - target; */
    double s_bar = miss * loss_out_bar[example] * 2.0 * (1.0 - tanh_s * tanh_s);
    /* line 9: for (size_t i = 0; i < n; i++) */
    for (size_t i = 0; i < n; i++) {
      /* line 10: s += w[i] * x[i]; */
      w_bar[i] += s_bar * x[example][i];
    }
  }
}

void fall__vmap__batch__b__steps(size_t batch, struct ball b[restrict batch], double step,
    const int steps[batch]) {
  /* line 23: b->speed -= 9.81 * step; */
  double step_scaled = 9.81 * step;
  for (size_t example = 0; example < batch; example++) {
    int steps_example = steps[example];
    /* line 22: for (int i = 0; i < steps; i++) */
    for (int i = 0; i < steps_example; i++) {
      /* line 23: b->speed -= 9.81 * step; */
      double b_speed_minus_step_scaled = b[example].speed = b[example].speed - step_scaled;
      /* line 24: b->at += b->speed * step; */
      double t = b[example].at = b[example].at + b_speed_minus_step_scaled * step;
      /* line 25: if (b->at < 0) */
      if (t < 0.0) {
        /* line 26: b->at = -b->at; */
        b[example].at = -t;
        /* line 27: b->speed *= -0.8; */
        b[example].speed = b_speed_minus_step_scaled * -0.8;
        /* line 28: b->bounces++; */
        b[example].bounces++;
      }
    }
  }
}

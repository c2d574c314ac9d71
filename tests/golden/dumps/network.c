/* Derivatives of functions of network.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>

enum { IN = 3, HIDDEN = 5, OUT = 2 };
typedef struct net {
  double w1[HIDDEN][IN], b1[HIDDEN], w2[OUT][HIDDEN], b2[OUT];
} net;

double loss__value_and_grad__p(const net *p, int n, const double x[n][3], const double t[n][2], net *p_bar);

double loss__value_and_grad__p(const net *p, int n, const double x[n][3], const double t[n][2],
    net *restrict p_bar) {
  /* line 33: return sum / n; */
  double sum_bar = 1.0 / (double)n;
  /* line 15: for (int k = 0; k < n; k++) */
  for (size_t i = 0; i < 5; i++) {
    p_bar->b1[i] = 0.0;
    for (size_t j = 0; j < 3; j++) {
      p_bar->w1[i][j] = 0.0;
    }
  }
  for (size_t i = 0; i < 2; i++) {
    p_bar->b2[i] = 0.0;
    for (size_t j = 0; j < 5; j++) {
      p_bar->w2[i][j] = 0.0;
    }
  }
  double sum = 0.0;
  for (int k = 0; k < n; k++) {
    /* line 16: double hidden[HIDDEN]; */
    double hidden[5];
    /* line 17: for (int i = 0; i < HIDDEN; i++) */
    for (int i = 0; i < 5; i++) {
      /* line 19: for (int j = 0; j < IN; j++) */
      double s = p->b1[i];
      for (int j = 0; j < 3; j++) {
        /* line 20: s += p->w1[i][j] * x[k][j]; */
        s += p->w1[i][j] * x[k][j];
      }
      /* line 22: hidden[i] = tanh(s); */
      hidden[i] = tanh(s);
    }
    /* line 24: for (int i = 0; i < OUT; i++) */
    double hidden_bar[5] = {0};
    for (int i = 0; i < 2; i++) {
      /* line 26: for (int j = 0; j < HIDDEN; j++) */
      double s = p->b2[i];
      for (int j = 0; j < 5; j++) {
        /* line 27: s += p->w2[i][j] * hidden[j]; */
        s += p->w2[i][j] * hidden[j];
      }
      /* line 29: double d = s - t[k][i]; */
      double d = s - t[k][i];
      /* line 30: sum += d * d; */
      sum += d * d;
      double d_bar = d * sum_bar * 2.0;
      /* line 26: for (int j = 0; j < HIDDEN; j++) */
      for (int j = 0; j < 5; j++) {
        /* line 27: s += p->w2[i][j] * hidden[j]; */
        hidden_bar[j] += d_bar * p->w2[i][j];
        p_bar->w2[i][j] += d_bar * hidden[j];
      }
      /* line 25: double s = p->b2[i]; */
      p_bar->b2[i] += d_bar;
    }
    /* line 17: for (int i = 0; i < HIDDEN; i++) */
    for (int i = 0; i < 5; i++) {
      /* line 22: hidden[i] = tanh(s); */
      double hidden_i = hidden[i], s_bar = hidden_bar[i] * (1.0 - hidden_i * hidden_i);
      /* line 19: for (int j = 0; j < IN; j++) */
      for (int j = 0; j < 3; j++) {
        /* line 20: s += p->w1[i][j] * x[k][j]; */
        p_bar->w1[i][j] += s_bar * x[k][j];
      }
      /* line 18: double s = p->b1[i]; */
      p_bar->b1[i] += s_bar;
    }
  }
  return sum / n;
}

/* A network of two layers over a batch, its loss and the gradient: the forward pass runs once, and the hidden layer is
 * read back from where it lies. */
#include "dumps.h"

#include <math.h>

enum { IN = 3, HIDDEN = 5, OUT = 2 };

typedef struct net {
  double w1[HIDDEN][IN], b1[HIDDEN], w2[OUT][HIDDEN], b2[OUT];
} net;

static double loss(const net *p, int n, const double x[n][IN], const double t[n][OUT]) {
  double sum = 0.0;
  for (int k = 0; k < n; k++) {
    double hidden[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
      double s = p->b1[i];
      for (int j = 0; j < IN; j++) {
        s += p->w1[i][j] * x[k][j];
      }
      hidden[i] = tanh(s);
    }
    for (int i = 0; i < OUT; i++) {
      double s = p->b2[i];
      for (int j = 0; j < HIDDEN; j++) {
        s += p->w2[i][j] * hidden[j];
      }
      double d = s - t[k][i];
      sum += d * d;
    }
  }
  return sum / n;
}

/* calls */
#ifdef DUMPED
#include <math.h>
#endif
int RUN(double out[]) {
  double x[4][IN], t[4][OUT];
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < IN; i++) {
      x[k][i] = sin(1.0 + 3 * k + i);
    }
    for (int i = 0; i < OUT; i++) {
      t[k][i] = cos(2.0 + k + 5 * i);
    }
  }
  net p, p_bar;
  for (int i = 0; i < HIDDEN; i++) {
    p.b1[i] = 0.1 * i;
    for (int j = 0; j < IN; j++) {
      p.w1[i][j] = sin(0.3 * i + j);
    }
    for (int j = 0; j < OUT; j++) {
      p.w2[j][i] = cos(i + 0.7 * j);
      p.b2[j] = 0.2 * j;
    }
  }
  int n = 0;
  out[n++] = CALL_BY(value_and_grad, loss, p)(&p, 4, x, t, &p_bar);
  for (int i = 0; i < HIDDEN; i++) {
    out[n++] = p_bar.b1[i];
    for (int j = 0; j < IN; j++) {
      out[n++] = p_bar.w1[i][j];
    }
    for (int j = 0; j < OUT; j++) {
      out[n++] = p_bar.w2[j][i];
    }
  }
  out[n++] = p_bar.b2[0];
  out[n++] = p_bar.b2[1];
  return n;
}

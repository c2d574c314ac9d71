/* A function without a body runs in the forward sweep alone: as often as in the primal, with the same arguments in the same
 * order, and what it returned there serves the way back. */
#include "check.h"

#include <tlaloc/grad.h>

/* Visible to the file as prototypes only. */
double draw(void);
double scale(int k);
int coin(void);
void note(int k);

enum { MOST_EVENTS = 4096 };

typedef struct recording {
  int count;
  int events[MOST_EVENTS];
} recording;

static recording now;

static void record(int event) {
  if (now.count < MOST_EVENTS) {
    now.events[now.count] = event;
  }
  now.count++;
}

double draw_body(void) __asm__("draw");
double draw_body(void) {
  record(1);
  return 0.5 + 0.125 * (now.count * 7 % 11);
}

double scale_body(int k) __asm__("scale");
double scale_body(int k) {
  record(1000 + k);
  return 1 + 0.01 * k + 0.125 * (now.count * 5 % 7);
}

int coin_body(void) __asm__("coin");
int coin_body(void) {
  record(2);
  return now.count * 5 % 3 != 0;
}

void note_body(int k) __asm__("note");
void note_body(int k) { record(2000 + k); }

static double plain(int n, double x) {
  double a = draw(), b = scale(n);
  note(n);
  return a * x * x + sin(b * x) * draw();
}

static double loop(int n, double x) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    s += draw() * s * x * 0.25;
  }
  return s;
}

static double argument(int n, double x) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    int k = i;
    for (int j = 0; j < i; j++) {
      k += 3 * j;
    }
    s += scale(k) * s * x * 0.125;
  }
  return s;
}

static double nested(int n, double x) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    double t = draw();
    for (int j = 0; j <= i; j++) {
      t = sin(t * x) + draw() * scale(j);
    }
    note(i);
    s = s * t * x * 0.25 + exp(-s);
  }
  return s;
}

static double branch(int n, double x) {
  double s = x;
  if (n & 1) {
    double a = draw();
    s = s * s * a;
  } else {
    s = s * scale(n);
    note(1);
  }
  return sin(s) * x;
}

static double branches(int n, double x) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (coin()) {
      double a = draw();
      s += a * s * x * 0.25;
      if (i & 1) {
        s *= cos(x * scale(i));
      }
    } else if (coin()) {
      note(i);
    } else {
      s = s * s * 0.25 + draw() * x;
    }
  }
  return s;
}

static double until(int n, double x) {
  double s = x;
  int k = 0;
  while (k < n && coin()) {
    s = sin(s) * draw();
    k += 1 + (coin() && k > 2);
    if (k > 7 && coin()) {
      return s * x * scale(k);
    }
  }
  return s * s;
}

static double step(double s, double x, int i) {
  double a = draw();
  return i % 3 ? s + a * s * x * 0.125 : s * scale(i) * 0.5;
}

static double callee(int n, double x) {
  double s = step(1, x, n);
  for (int i = 0; i < n; i++) {
    s = step(s, x, i);
    for (int j = 0; j < 2; j++) {
      s = step(s, x * s, j) * 0.5;
    }
  }
  return s;
}

static double arrays(int n, double x) {
  double v[8], s = 0;
  for (int i = 0; i < 8; i++) {
    v[i] = draw() * x;
  }
  for (int i = 0; i < n; i++) {
    v[i % 8] = v[(i + 3) % 8] * v[i % 8] * scale(i) * 0.5;
  }
  for (int i = 0; i < 8; i++) {
    s += v[i] * v[i];
  }
  return s;
}

/* How many events of the run since are not those of `want`. */
static int unlike(const recording *want) {
  int n = now.count > want->count ? now.count - want->count : want->count - now.count;
  for (int i = 0; i < now.count && i < want->count && i < MOST_EVENTS; i++) {
    n += now.events[i] != want->events[i];
  }
  return n;
}

static double again(double (*f)(int, double), int n, double x) {
  now.count = 0;
  return f(n, x);
}

#define FAMILY(f) \
  for (int n = 0; n < 12; n++) { \
    double x = 0.4, h = 1e-3, value, x_bar, dot; \
    double near = again(f, n, x + h) - again(f, n, x - h), far = again(f, n, x + 2 * h) - again(f, n, x - 2 * h); \
    double slope = (8 * near - far) / (12 * h); \
    value = again(f, n, x); \
    recording want = now; \
    now.count = 0; \
    x_bar = tl_grad(f, x)(n, x); \
    check_near(#f " tl_grad", x_bar, slope, 1e-8); \
    check_near(#f " tl_grad, events", unlike(&want), 0, 0); \
    now.count = 0; \
    check_near(#f " tl_value_and_grad, value", tl_value_and_grad(f, x)(n, x, &x_bar), value, 1e-14); \
    check_near(#f " tl_value_and_grad", x_bar, slope, 1e-8); \
    check_near(#f " tl_value_and_grad, events", unlike(&want), 0, 0); \
    now.count = 0; \
    dot = tl_jvp(f, x)(n, x, 1); \
    check_near(#f " tl_jvp", dot, x_bar, 1e-12); \
    check_near(#f " tl_jvp, events", unlike(&want), 0, 0); \
    now.count = 0; \
    double over = tl_grad(tl_grad(f, x), x)(n, x); \
    check_near(#f " tl_grad twice, events", unlike(&want), 0, 0); \
    now.count = 0; \
    double up = tl_grad(f, x)(n, x + h); \
    now.count = 0; \
    double down = tl_grad(f, x)(n, x - h); \
    now.count = 0; \
    double up_2 = tl_grad(f, x)(n, x + 2 * h); \
    now.count = 0; \
    double down_2 = tl_grad(f, x)(n, x - 2 * h); \
    check_near(#f " tl_grad twice", over, (8 * (up - down) - (up_2 - down_2)) / (12 * h), 1e-7); \
    now.count = 0; \
    check_near(#f " tl_jvp of tl_grad", tl_jvp(tl_grad(f, x), x)(n, x, 1), over, 1e-12); \
    check_near(#f " tl_jvp of tl_grad, events", unlike(&want), 0, 0); \
  }

int main(void) {
  FAMILY(plain)
  FAMILY(loop)
  FAMILY(argument)
  FAMILY(nested)
  FAMILY(branch)
  FAMILY(branches)
  FAMILY(until)
  FAMILY(callee)
  FAMILY(arrays)
  return check_done();
}

/* Case labels within loops, branches and blocks: the switch enters them in their middle, and they go on from there. */
#include "check.h"

#include <tlaloc/grad.h>

#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

static double duff(int n, const double x[n]) {
  double s = 1;
  int i = 0, rounds = (n + 3) / 4;
  switch (n % 4) {
  case 0:
    do {
      s = s * x[i++] + 1;
    case 3:
      s = s * x[i++] + 2;
    case 2:
      s = s * x[i++] + 3;
    case 1:
      s = s * x[i++] + 4;
    } while (--rounds > 0);
  }
  return s;
}

/* Breaks and continues of the loop and of the switch, a default within, a range, an object of the block. */
static double exits(int k, int n, const double x[n]) {
  double s = 0;
  int i = 0;
  switch (k) {
  case 0:
    for (i = 0; i < n; i++) {
      double t;
      s += x[i];
      if (i == k + 2) {
        continue;
      }
    case 1 ... 2:
      i = k == 1 ? 1 : k == 2 ? n - 1 : i;
      t = s * x[0];
      if (t > 3) {
        break;
      }
      switch (i & 1) {
      case 0:
        s += t * 0.25;
        break;
      default:
        if (k == 1) {
          continue;
        }
      }
      s *= x[i];
    }
    s += 0.5 * x[0];
    break;
  case 5:
    while (s < 2) {
      s += x[1] * 0.5;
    default:
      s += x[0] * x[0];
    }
  case 6:
    s *= x[0];
  }
  return s;
}

static double branches(int k, double x) {
  double s = x;
  switch (k & 7) {
  case 7:
    if (x > 0) {
    case 0:
      s *= x;
      {
      case 1:
        s += 2 * x;
      }
    } else {
    case 2:
      s = s * s * s;
    }
    s += 1;
    break;
  case 3:
    if (s > 1) {
      s *= 3;
    case 4:
      s *= x + 1;
    } else if (s > 0.5) {
      s *= 5;
    } else {
    case 5:
      s = s * 7 + x;
    }
  }
  return s;
}

/* A switch of this kind in a loop that is entered so. */
static double nested(int a, int b, double x) {
  double s = x;
  int i = 0;
  switch (a) {
    do {
    case 1:
      s *= x;
      switch (b) {
        for (; i < 3; i++) {
        case 1:
          s += x;
          if (s > 9) {
            break;
          }
        case 2:
          s *= 1.25;
        }
      case 3:
        if (i == 1) {
          continue;
        }
      }
    default:
      s -= 0.125 * x * x;
    } while (++i < 6);
  }
  return s;
}

static void compare(const char *what, double got, double low, double high, double step) {
  check_near(what, got, (high - low) / (2 * step), 1e-8);
}

int main(void) {
  double h = 1e-5, x[9] = {1.25, 0.5, 0.75, 1.5, -0.5, 1.125, 0.25, 0.875, 1.75}, x_bar[9];
  for (int n = 1; n <= 9; n++) {
    tl_grad(duff, x)(n, x, x_bar);
    CHECK_TO(tl_check_vjp(duff, x)(n, x, 1e-6), 0, 0);
    for (int i = 0; i < n; i++) {
      double at = x[i], low, high;
      x[i] = at - h;
      low = duff(n, x);
      x[i] = at + h;
      high = duff(n, x);
      x[i] = at;
      compare("duff", x_bar[i], low, high, h);
    }
  }
  for (int k = 0; k < 8; k++) {
    tl_grad(exits, x)(k, 4, x, x_bar);
    CHECK_TO(tl_check_vjp(exits, x)(k, 4, x, 1e-6), 0, 0);
    for (int i = 0; i < 4; i++) {
      double at = x[i], low, high;
      x[i] = at - h;
      low = exits(k, 4, x);
      x[i] = at + h;
      high = exits(k, 4, x);
      x[i] = at;
      compare("exits", x_bar[i], low, high, h);
    }
    for (int i = 0; i < 3; i++) {
      double y = 0.375 + 0.5 * i;
      compare("branches", tl_grad(branches, x)(k, y), branches(k, y - h), branches(k, y + h), h);
      compare("branches", tl_jvp(branches, x)(k, y, 1.0), branches(k, y - h), branches(k, y + h), h);
      for (int b = 0; b < 5; b++) {
        compare("nested", tl_grad(nested, x)(k, b, y), nested(k, b, y - h), nested(k, b, y + h), h);
        compare("nested", tl_jvp(nested, x)(k, b, y, 1.0), nested(k, b, y - h), nested(k, b, y + h), h);
      }
    }
  }
  return check_done();
}

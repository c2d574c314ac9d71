/* A value that is computed ahead of what guards it contributes nothing where the guard keeps it out, whatever its
 * partials are there, in every kind of guard; and all it should where it does not. */
#include "check.h"

#include <tlaloc/grad.h>

/* What is kept out: the value at (x, y), and whether it is let in. */
#define V_sqrt(x, y) sqrt((x) * (x) + (y) * (y))
#define V_log(x, y) log((x) * (x) + (y) * (y))
#define V_over(x, y) ((2 + (y)) / (x))
#define V_reciprocal(x, y) (1 / (x))
#define V_pow(x, y) pow((x) + (y) * (y), 1.5)
#define V_power(x, y) pow((x), 0.5 + (y))
#define V_exp(x, y) ((1 + (y)) * exp(1000 * (x)))
#define V_hypot(x, y) hypot((x), (y))
#define V_atan2(x, y) (1e-3 + atan2((x), (x) + (y)))
#define V_acos(x, y) acos(1 - 50 * (x) * (1 + (y)))
#define V_chain(x, y) sin(1 / ((x) + (y) * (y)))
#define IS_sqrt(v) ((v) > 1e-9)
#define IS_log(v) ((v) > -1e9)
#define IS_over(v) ((v) < 1e9)
#define IS_reciprocal(v) ((v) < 1e9)
#define IS_pow(v) ((v) > 1e-9)
#define IS_power(v) ((v) > 1e-9)
#define IS_exp(v) ((v) < 1e9)
#define IS_hypot(v) ((v) > 1e-9)
#define IS_atan2(v) ((v) > 2e-3)
#define IS_acos(v) ((v) > 1e-9)
#define IS_chain(v) ((v) > -2)
#define CLAMP_sqrt(v) fmax(v, 1e-9)
#define CLAMP_log(v) fmax(v, -1e9)
#define CLAMP_over(v) fmin(v, 1e9)
#define CLAMP_reciprocal(v) fmin(1e9, v)
#define CLAMP_pow(v) fmax(v, 1e-9)
#define CLAMP_power(v) fmax(1e-9, v)
#define CLAMP_exp(v) fmin(v, 1e9)
#define CLAMP_hypot(v) fmax(v, 1e-9)
#define CLAMP_atan2(v) fmax(v, 2e-3)
#define CLAMP_acos(v) fmax(v, 1e-9)
#define CLAMP_chain(v) fmax(v, -2)

/* Every function is x*y + 2*x where the value is kept out, and v*v*y more where it is let in. */
#define BASE(x, y) ((x) * (y) + 2 * (x))
#define MORE(v, y) ((v) * (v) * (y))
#define FUNCTIONS(op)                                                                                                  \
  static double in_##op(double x, double y) { return BASE(x, y) + MORE(V_##op(x, y), y); }                             \
  static double if_##op(double x, double y) {                                                                          \
    double v = V_##op(x, y), s = BASE(x, y);                                                                           \
    if (IS_##op(v)) {                                                                                                  \
      s += MORE(v, y);                                                                                                 \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double return_##op(double x, double y) {                                                                      \
    double v = V_##op(x, y);                                                                                           \
    if (!IS_##op(v)) {                                                                                                 \
      return BASE(x, y);                                                                                               \
    }                                                                                                                  \
    return BASE(x, y) + MORE(v, y);                                                                                    \
  }                                                                                                                    \
  static double choice_##op(double x, double y) {                                                                      \
    double v = V_##op(x, y), m = MORE(v, y);                                                                           \
    return BASE(x, y) + (IS_##op(v) ? m : 0);                                                                          \
  }                                                                                                                    \
  static double twice_##op(double x, double y) {                                                                       \
    double v = V_##op(x, y), a = IS_##op(v) ? v : 0, b = IS_##op(v) ? v * y : 0;                                       \
    return BASE(x, y) + a * b;                                                                                         \
  }                                                                                                                    \
  static double flag_##op(double x, double y) {                                                                        \
    double v = V_##op(x, y), m = MORE(v, y), s = BASE(x, y);                                                           \
    int use = IS_##op(v);                                                                                              \
    for (int i = 0; i < 3; i++) {                                                                                      \
      if (use && i == 1) {                                                                                             \
        s += m;                                                                                                        \
      }                                                                                                                \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double continue_##op(double x, double y) {                                                                    \
    double s = 0;                                                                                                      \
    for (int i = 0; i < 2; i++) {                                                                                      \
      double v = V_##op(x, y);                                                                                         \
      s += BASE(x, y) / 2;                                                                                             \
      if (!IS_##op(v)) {                                                                                               \
        continue;                                                                                                      \
      }                                                                                                                \
      s += MORE(v, y) / 2;                                                                                             \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double while_##op(double x, double y) {                                                                       \
    double v = V_##op(x, y), s = BASE(x, y);                                                                           \
    int left = IS_##op(v) ? 2 : 0;                                                                                     \
    while (left > 0) {                                                                                                 \
      s += MORE(v, y) / 2;                                                                                             \
      left--;                                                                                                          \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double array_##op(double x, double y) {                                                                       \
    double v[3], s = BASE(x, y);                                                                                       \
    for (int i = 0; i < 3; i++) {                                                                                      \
      v[i] = V_##op(x, y) / (1 + i);                                                                                   \
    }                                                                                                                  \
    for (int i = 0; i < 3; i++) {                                                                                      \
      if (IS_##op(v[i] * (1 + i))) {                                                                                   \
        s += (1 + i) * (1 + i) * MORE(v[i], y) / 3;                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double carried_##op(double x, double y) {                                                                     \
    double last = 0, s = BASE(x, y);                                                                                   \
    int is_in = 0;                                                                                                     \
    for (int i = 0; i < 3; i++) {                                                                                      \
      if (is_in) {                                                                                                     \
        s += MORE(last, y) / 2;                                                                                        \
      }                                                                                                                \
      last = V_##op(x, y);                                                                                             \
      is_in = IS_##op(last);                                                                                           \
    }                                                                                                                  \
    return s;                                                                                                          \
  }                                                                                                                    \
  static double clamp_##op(double x, double y) {                                                                       \
    double c = CLAMP_##op(V_##op(x, y));                                                                               \
    return BASE(x, y) + MORE(c, y);                                                                                    \
  }

#define OPS(F) F(sqrt) F(log) F(over) F(reciprocal) F(pow) F(power) F(exp) F(hypot) F(atan2) F(acos) F(chain)
OPS(FUNCTIONS)

/* `again` is the gradient of the derivative by x, by reverse mode twice; `third` that one's Hessian. */
typedef struct derivatives {
  double grad[2], vjp[2], again[2], hessian[2][2], third[2][2];
} derivatives;

static void check_two(const char *what, const double *got, double first, double second) {
  check_near(what, got[0], first, 1e-13);
  check_near(what, got[1], second, 1e-13);
}

static void check_kept_out(const char *what, double x, double y, double more_by_y, const derivatives *d) {
  check_two(what, d->grad, y + 2, x + more_by_y);
  check_two(what, d->vjp, y + 2, x + more_by_y);
  check_two(what, d->again, 0, 1);
  check_two(what, d->hessian[0], 0, 1);
  check_two(what, d->hessian[1], 1, 0);
  check_two(what, d->third[0], 0, 0);
  check_two(what, d->third[1], 0, 0);
}

static void check_let_in(const char *what, const derivatives *d, const derivatives *right) {
  check_two(what, d->grad, right->grad[0], right->grad[1]);
  check_two(what, d->vjp, right->grad[0], right->grad[1]);
  check_two(what, d->again, right->hessian[0][0], right->hessian[0][1]);
  for (int i = 0; i < 2; i++) {
    check_two(what, d->hessian[i], right->hessian[i][0], right->hessian[i][1]);
    check_two(what, d->third[i], right->third[i][0], right->third[i][1]);
  }
}

#define DERIVE(f, at_x, at_y, d)                                                                                       \
  tl_grad(f)(at_x, at_y, &(d).grad[0], &(d).grad[1]);                                                                  \
  tl_vjp(f)(at_x, at_y, 1, &(d).vjp[0], &(d).vjp[1]);                                                                  \
  tl_grad(tl_grad(f, x))(at_x, at_y, &(d).again[0], &(d).again[1]);                                                    \
  tl_hessian(f)(at_x, at_y, (d).hessian);                                                                              \
  tl_hessian(tl_grad(f, x))(at_x, at_y, (d).third)
#define TRY(f, op, at_x, at_y, more_by_y)                                                                              \
  DERIVE(f##_##op, at_x, at_y, d);                                                                                     \
  check_kept_out(#f "_" #op, at_x, at_y, more_by_y, &d);                                                               \
  DERIVE(f##_##op, 0.005, 0.3, d);                                                                                     \
  check_let_in(#f "_" #op " let in", &d, &right);                                                                      \
  DERIVE(f##_##op, 0.005, 0, d);                                                                                       \
  check_let_in(#f "_" #op " let in, its cotangent 0", &d, &right_at_0)
#define TRY_ALL(op, at_x, at_y, limit)                                                                                 \
  DERIVE(in_##op, 0.005, 0.3, right);                                                                                  \
  DERIVE(in_##op, 0.005, 0, right_at_0);                                                                               \
  TRY(if, op, at_x, at_y, 0);                                                                                          \
  TRY(return, op, at_x, at_y, 0);                                                                                      \
  TRY(choice, op, at_x, at_y, 0);                                                                                      \
  TRY(twice, op, at_x, at_y, 0);                                                                                       \
  TRY(flag, op, at_x, at_y, 0);                                                                                        \
  TRY(continue, op, at_x, at_y, 0);                                                                                    \
  TRY(while, op, at_x, at_y, 0);                                                                                       \
  TRY(array, op, at_x, at_y, 0);                                                                                       \
  TRY(carried, op, at_x, at_y, 0);                                                                                     \
  TRY(clamp, op, at_x, at_y, (limit) * (limit))

int main(void) {
  derivatives d, right, right_at_0;
  TRY_ALL(sqrt, 0, 0, 1e-9);
  TRY_ALL(log, 0, 0, -1e9);
  TRY_ALL(over, 0, 0, 1e9);
  TRY_ALL(reciprocal, 0, 0, 1e9);
  TRY_ALL(pow, 0, 0, 1e-9);
  TRY_ALL(power, 0, 0, 1e-9);
  TRY_ALL(exp, 1, 0, 1e9);
  TRY_ALL(hypot, 0, 0, 1e-9);
  TRY_ALL(atan2, 0, 0, 2e-3);
  TRY_ALL(acos, 0, 0, 1e-9);
  TRY_ALL(chain, 0, 0, -2);
  return check_done();
}

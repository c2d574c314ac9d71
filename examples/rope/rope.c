/* Differentiable physics: how stiff, damped and heavy a rope is, from where its end was seen.
 *
 * The rope is masses on springs that hang on a nail, let go from the side. The motion is a loop of steps, and the
 * parameters are found by Newton's method on what separates it from the motion that was seen: the gradient and the
 * Hessian are those of the whole loop. */
#include <math.h>
#include <stdio.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

enum { MASSES = 6, PARAMETERS = 3, STEPS = 400 };
static const double time_step = 2e-3, rest = 0.2;

tl_axis(Log);
tl_axis(Mass);
tl_axis(Plane);
tl_axis(Time);

/* theta has the logarithms of these, in 1/s^2, 1/s and m/s^2. */
static const char *const names[PARAMETERS] = {"stiffness/mass", "damping", "gravity"};

static tl_typed(F64) parameter(tl_typed(F64, Log) theta, int i) {
  return tl_exp(tl_gather(theta, tl_fill(TL_I64, TL_SCALAR, i), 0, (tl_gather_opts){.mode = TL_INDEX_CLIP}));
}

/* Each mass less the one above it, the first of which is the nail, at 0. */
static tl_typed(F64, Mass, Plane) from_above(tl_typed(F64, Mass, Plane) x) {
  return tl_sub(x, tl_pad(x, tl_scalar_like(x, 0), TL_INTS(1, 0), TL_INTS(-1, 0), TL_INTS(0, 0)));
}

/* Each force less the one below it, which the last mass has not. */
static tl_typed(F64, Mass, Plane) less_below(tl_typed(F64, Mass, Plane) f) {
  return tl_sub(f, tl_pad(f, tl_scalar_like(f, 0), TL_INTS(-1, 0), TL_INTS(1, 0), TL_INTS(0, 0)));
}

static tl_typed(F64, Mass, Plane)
    acceleration(tl_typed(F64, Log) theta, tl_typed(F64, Mass, Plane) x, tl_typed(F64, Mass, Plane) v) {
  tl_tensor d = from_above(x), length = tl_sqrt(tl_sum(tl_square(d), TL_AXES(1), true));
  tl_tensor strain = tl_sub(tl_div(length, tl_scalar_like(d, rest)), tl_scalar_like(d, 1));
  tl_tensor pull = tl_mul(tl_div(d, length), tl_mul(strain, parameter(theta, 0)));
  const double down[] = {0, -1};
  tl_tensor weight = tl_mul(tl_from(TL_F64, TL_SHAPE(2), down), parameter(theta, 2));
  return tl_sub(tl_sub(weight, tl_mul(v, parameter(theta, 1))), less_below(pull));
}

typedef struct rope {
  tl_typed(F64, Mass, Plane) x, v;
} rope;

/* A step of the semi-implicit Euler method. */
static void advance(tl_typed(F64, Log) theta, rope *r) {
  tl_tensor h = tl_scalar_like(theta, time_step);
  r->v = tl_add(r->v, tl_mul(acceleration(theta, r->x, r->v), h));
  r->x = tl_add(r->x, tl_mul(r->v, h));
}

static tl_typed(F64, Plane) end_of(tl_typed(F64, Mass, Plane) x) {
  return tl_gather(x, tl_fill(TL_I64, TL_SCALAR, MASSES - 1), 0, (tl_gather_opts){.mode = TL_INDEX_CLIP});
}

/* The squares of the distances between the rope's end and where it was seen, summed over the steps. */
static tl_tensor misfit(tl_typed(F64, Log) theta, tl_typed(F64, Mass, Plane) start, tl_typed(F64, Time, Plane) seen,
                        int steps) {
  rope r = {start, tl_sub(start, start)};
  tl_tensor sum = tl_scalar_like(start, 0);
  for (int i = 0; i < steps; i++) {
    advance(theta, &r);
    tl_tensor there = tl_gather(seen, tl_fill(TL_I64, TL_SCALAR, i), 0, (tl_gather_opts){.mode = TL_INDEX_CLIP});
    sum = tl_add(sum, tl_sum(tl_square(tl_sub(end_of(r.x), there)), TL_ALL, false));
  }
  return sum;
}

/* ---- what was seen: the motion with these parameters, to a tenth of a millimetre ---- */

static const double truth[PARAMETERS] = {2500, 0.8, 9.81};

static tl_tensor watch(tl_typed(F64, Mass, Plane) start) {
  double theta[PARAMETERS], seen[STEPS][2];
  for (int i = 0; i < PARAMETERS; i++) {
    theta[i] = log(truth[i]);
  }
  tl_tensor t = tl_from(TL_F64, TL_SHAPE(PARAMETERS), theta);
  rope r = {start, tl_sub(start, start)};
  for (int i = 0; i < STEPS; i++) {
    tl_scope scope = tl_scope_open();
    rope last = r;
    advance(t, &r);
    tl_read(end_of(r.x), seen[i], sizeof seen[i]);
    for (int k = 0; k < 2; k++) {
      seen[i][k] = round(seen[i][k] * 1e4) / 1e4;
    }
    r.x = tl_scope_carry(scope, r.x, i ? last.x : NULL);
    r.v = tl_scope_carry(scope, r.v, i ? last.v : NULL);
    tl_scope_close(scope);
  }
  return tl_from(TL_F64, TL_SHAPE(STEPS, 2), seen);
}

/* ---- the fit ---- */

/* Newton's step, turned downhill along the Hessian's directions of negative curvature: -|h|^-1 g. */
static tl_tensor newton_step(tl_tensor hessian, tl_tensor gradient) {
  tl_eigh_result e = tl_eigh(hessian);
  tl_tensor along = tl_div(tl_matmul(gradient, e.vectors), tl_fabs(e.values));
  return tl_neg(tl_matmul(e.vectors, along));
}

static tl_typed(F64, Log)
    fit(tl_typed(F64, Log) theta, tl_typed(F64, Mass, Plane) start, tl_typed(F64, Time, Plane) seen) {
  double gain = 1; /* of the last step, of the misfit before it */
  for (int step = 0; gain > 1e-6; step++) {
    tl_scope scope = tl_scope_open();
    tl_tensor gradient, hessian;
    tl_tensor value = tl_value_and_grad(misfit, theta)(theta, start, seen, STEPS, &gradient);
    tl_hessian(misfit, theta)(theta, start, seen, STEPS, &hessian);
    tl_tensor move = tl_as(newton_step(hessian, gradient), F64, Log), next = tl_add(theta, move);
    double before = tl_item(value), after = tl_item(misfit(next, start, seen, STEPS)), size = 1;
    while (!(after <= before) && size > 1e-9) {
      size /= 2;
      next = tl_add(theta, tl_mul(move, tl_scalar_like(move, size)));
      after = tl_item(misfit(next, start, seen, STEPS));
    }
    printf("step %d  misfit %.4e\n", step, before);
    gain = after <= before ? (before - after) / before : 0;
    theta = tl_scope_carry(scope, gain > 0 ? next : tl_retain(theta), theta);
    tl_scope_close(scope);
  }
  return theta;
}

/* The gradient's largest error, relative to its largest element, by differences of fourth order. */
static double gradient_error(tl_typed(F64, Log) theta, tl_typed(F64, Mass, Plane) start,
                             tl_typed(F64, Time, Plane) seen) {
  double at[PARAMETERS], exact[PARAMETERS], error = 0, largest = 0;
  tl_read(tl_grad(misfit, theta)(theta, start, seen, STEPS), exact, sizeof exact);
  tl_read(theta, at, sizeof at);
  for (int i = 0; i < PARAMETERS; i++) {
    const double h = 1e-3, middle = at[i], by[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double difference = 0;
    for (int k = 0; k < 4; k++) {
      at[i] = middle + by[k] * h;
      difference +=
          weight[k] * tl_item(misfit(tl_from(TL_F64, TL_SHAPE(PARAMETERS), at), start, seen, STEPS)) / (12 * h);
    }
    at[i] = middle;
    error = fmax(error, fabs(difference - exact[i]));
    largest = fmax(largest, fabs(exact[i]));
  }
  return error / largest;
}

int main(void) {
  double places[MASSES][2] = {{0}}, found[PARAMETERS];
  for (int i = 0; i < MASSES; i++) {
    places[i][0] = rest * (i + 1);
  }
  const double guess[PARAMETERS] = {log(1500), log(0.3), log(9)};
  tl_tensor start = tl_from(TL_F64, TL_SHAPE(MASSES, 2), places), theta = tl_from(TL_F64, TL_SHAPE(PARAMETERS), guess);
  tl_tensor seen = tl_as(watch(start), F64, Time, Plane);
  double error = gradient_error(theta, start, seen);
  theta = fit(theta, start, seen);
  if (tl_read(tl_exp(theta), found, sizeof found) != TL_OK) {
    fprintf(stderr, "rope: %s\n", tl_message_of(theta));
    return 1;
  }
  for (int i = 0; i < PARAMETERS; i++) {
    printf("%-15s %9.3f, in truth %g\n", names[i], found[i], truth[i]);
  }
  printf("gradient of %d steps against differences: %.1e\n", STEPS, error);
  return !(error < 1e-8);
}

/* A Gaussian process in F64 on real data: the yearly cycle and the slower waves of the air pressure over the Pacific,
 * NIST's data set ENSO. The parameters of the covariance are fitted by Newton's method on the marginal likelihood,
 * whose gradient and Hessian go through a factorization of the covariance.
 *
 *   ./gp ENSO.csv */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

enum { PARAMETERS = 5, MOST = 500 };
static const double log_2_pi = 1.8378770664093454836, pi = 3.14159265358979323846;

tl_axis(Log);
tl_axis(Month);

/* theta has the logarithms of these: height and roughness of the yearly cycle, height and length in months of the
 * slower waves, and the height of what is neither. */
static const char *const names[PARAMETERS] = {"cycle", "roughness", "waves", "length", "noise"};

static tl_typed(F64) parameter(tl_typed(F64, Log) theta, int i) {
  return tl_exp(tl_gather(theta, tl_fill(TL_I64, TL_SCALAR, i), 0, (tl_gather_opts){.mode = TL_INDEX_CLIP}));
}

/* height^2 exp(-(distance/length)^2/2) */
static tl_typed(F64, Month, Month)
    bell(tl_typed(F64) height, tl_typed(F64) length, tl_typed(F64, Month, Month) distance) {
  tl_tensor square = tl_square(tl_div(distance, length));
  return tl_mul(tl_square(height), tl_exp(tl_mul(square, tl_scalar_like(square, -0.5))));
}

static tl_typed(F64, Month, Month) covariance(tl_typed(F64, Log) theta, tl_typed(F64, Month, Month) apart) {
  tl_tensor angle = tl_mul(apart, tl_scalar_like(apart, pi / 12));
  tl_tensor chord = tl_mul(tl_sin(angle), tl_scalar_like(apart, 2));
  tl_tensor cycle = bell(parameter(theta, 0), parameter(theta, 1), chord);
  tl_tensor waves = bell(parameter(theta, 2), parameter(theta, 3), apart);
  return tl_add(tl_add(cycle, waves), tl_mul(tl_identity_like(apart), tl_square(parameter(theta, 4))));
}

/* Minus the logarithm of the density of y: (y' k^-1 y + log det k + n log 2 pi)/2. */
static tl_tensor surprise(tl_typed(F64, Log) theta, tl_typed(F64, Month, Month) apart, tl_typed(F64, Month) y) {
  tl_tensor k = covariance(theta, apart);
  tl_tensor n = tl_sum(tl_fill(TL_F64, tl_shape_of(y), 1), TL_ALL, false);
  tl_tensor both = tl_add(tl_matmul(y, tl_solve_spd(k, y)), tl_log_det_spd(k));
  return tl_mul(tl_add(both, tl_mul(n, tl_scalar_like(n, log_2_pi))), tl_scalar_like(n, 0.5));
}

/* ---- the fit ---- */

/* A step that the Hessian gives, turned downhill along its directions of negative curvature: |h|^-1 g. */
static tl_tensor newton_step(tl_tensor hessian, tl_tensor gradient) {
  tl_eigh_result e = tl_eigh(hessian);
  tl_tensor along = tl_div(tl_matmul(gradient, e.vectors), tl_fabs(e.values));
  return tl_neg(tl_matmul(e.vectors, along));
}

/* From theta downhill until the gradient is 0 but for rounding; a shorter step is taken where a whole one would not
 * lower the surprise. */
static tl_typed(F64, Log) fit(tl_typed(F64, Log) theta, tl_typed(F64, Month, Month) apart, tl_typed(F64, Month) y) {
  for (int step = 0; step < 50; step++) {
    tl_scope scope = tl_scope_open();
    tl_tensor gradient, hessian;
    tl_tensor value = tl_value_and_grad(surprise, theta)(theta, apart, y, &gradient);
    double slope = tl_item(tl_max(tl_fabs(gradient), TL_ALL, false));
    if (step % 2 == 0 || slope < 1e-9) {
      printf("step %2d  surprise %.6f  steepest slope %.1e\n", step, tl_item(value), slope);
    }
    if (!(slope >= 1e-9)) {
      tl_scope_close(scope);
      break;
    }
    tl_hessian(surprise, theta)(theta, apart, y, &hessian);
    tl_tensor move = tl_as(newton_step(hessian, gradient), F64, Log), next = tl_add(theta, move);
    double size = 1;
    while (size > 1e-6 && !(tl_item(surprise(next, apart, y)) <= tl_item(value))) {
      size /= 2;
      next = tl_add(theta, tl_mul(move, tl_scalar_like(move, size)));
    }
    theta = tl_scope_carry(scope, next, theta);
    tl_scope_close(scope);
  }
  return theta;
}

/* The largest error of the gradient, relative to its largest element, by differences of fourth order. */
static double gradient_error(tl_typed(F64, Log) theta, tl_typed(F64, Month, Month) apart, tl_typed(F64, Month) y) {
  double at[PARAMETERS], exact[PARAMETERS], error = 0, largest = 0;
  tl_read(tl_grad(surprise, theta)(theta, apart, y), exact, sizeof exact);
  tl_read(theta, at, sizeof at);
  for (int i = 0; i < PARAMETERS; i++) {
    const double h = 1e-3, middle = at[i], by[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    double difference = 0;
    for (int k = 0; k < 4; k++) {
      at[i] = middle + by[k] * h;
      difference += weight[k] * tl_item(surprise(tl_from(TL_F64, TL_SHAPE(PARAMETERS), at), apart, y)) / (12 * h);
    }
    at[i] = middle;
    error = fmax(error, fabs(difference - exact[i]));
    largest = fmax(largest, fabs(exact[i]));
  }
  return error / largest;
}

/* ---- the data ---- */

/* Lines of the form `y,x` behind the line "y,x"; how many, or -1. */
static int read_months(const char *path, double *y, double *x) {
  FILE *file = fopen(path, "r");
  char line[512];
  int count = -1;
  while (file && count < MOST && fgets(line, sizeof line, file)) {
    if (count >= 0 && sscanf(line, "%lf,%lf", &y[count], &x[count]) != 2) {
      count = -1;
      break;
    }
    count += count >= 0 || strncmp(line, "y,x", 3) == 0;
  }
  if (file) {
    fclose(file);
  }
  return count;
}

int main(int argc, char **argv) {
  double ys[MOST], months[MOST], mean = 0;
  int count = argc == 2 ? read_months(argv[1], ys, months) : -1;
  if (count < 2) {
    fprintf(stderr, "usage: gp FILE.csv, with a line \"y,x\" and behind it the numbers\n");
    return 2;
  }
  for (int i = 0; i < count; i++) {
    mean += ys[i] / count;
  }
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(count), months), y = tl_from(TL_F64, TL_SHAPE(count), ys);
  y = tl_sub(y, tl_scalar_like(y, mean));
  tl_tensor apart = tl_sub(tl_reshape(x, TL_SHAPE(count, 1)), x);
  const double start[PARAMETERS] = {log(2), log(1), log(2), log(4), log(2)};
  tl_tensor theta = tl_from(TL_F64, TL_SHAPE(PARAMETERS), start);
  double at_start = gradient_error(theta, apart, y);
  theta = fit(theta, apart, y);

  double fitted[PARAMETERS];
  if (tl_read(tl_exp(theta), fitted, sizeof fitted) != TL_OK) {
    fprintf(stderr, "gp: %s\n", tl_message_of(theta));
    return 1;
  }
  for (int i = 0; i < PARAMETERS; i++) {
    printf("%-9s %9.5f\n", names[i], fitted[i]);
  }
  /* What the process makes of each month from all of them: k minus the noise, times k^-1 y. */
  tl_tensor k = covariance(theta, apart);
  tl_tensor smooth = tl_sub(k, tl_mul(tl_identity_like(k), tl_scalar_like(k, fitted[4] * fitted[4])));
  tl_tensor rest = tl_sub(y, tl_matmul(smooth, tl_solve_spd(k, y)));
  printf("%d months, standard deviation %.4f, of what is left %.4f\n", count,
         sqrt(tl_item(tl_mean(tl_square(y), TL_ALL, false))), sqrt(tl_item(tl_mean(tl_square(rest), TL_ALL, false))));
  printf("gradient against differences: %.1e\n", at_start);
  return !(at_start < 1e-9);
}

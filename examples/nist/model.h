/* A regression problem in a CSV file of NIST's form, and its model as C.
 *
 *   # NAME
 *   # model: ... (b1 to b3) log[y] = b1 - b2*x1 * exp[-b3*x2]  +  e
 *   # residual_sum_of_squares: 3.7976833176E+00
 *   # b1: start1=2 start2=2.5 certified=2.5906836021E+00 sd=1.9149996413E-02
 *   y,x1,x2
 *   15.00E0,1E0,180E0
 *
 * The model line may define constants before the equation (pi = 3.14159E0), uses Fortran's operators (** is the power),
 * any kind of brackets, and the names of columns and parameters; the error term `+ e` ends it. The residual sum of
 * squares, sd= and, for all of the parameters, certified= may be left out. Every number is finite. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdio.h>

enum { MODEL_NAME = 32, MODEL_PARAMETERS = 32, MODEL_COLUMNS = 16 };

typedef struct {
  char name[MODEL_NAME];
  double start[2], certified, sd; /* certified: NaN where the file has none */
} model_parameter;

typedef struct {
  const char *path; /* as it was given, for messages */
  char name[MODEL_NAME];
  char title[256];
  char *equation;
  size_t equation_line, header_line;
  double certified_rss; /* NaN where the file has none */
  size_t parameters, columns, rows;
  model_parameter parameter[MODEL_PARAMETERS];
  char column_name[MODEL_COLUMNS][MODEL_NAME];
  double *column[MODEL_COLUMNS]; /* each of `rows` numbers */
} model_problem;

/* Reads a file; on failure prints why to stderr and returns -1. `deinit` frees what the problem holds. */
int model_problem_read(const char *path, model_problem *out_problem);
void model_problem_deinit(model_problem *problem);

/* Writes the C of the model: `residuals`, the model minus the left side of the equation at each observation, its
   Jacobian through tl_jacobian, and `curve`, the model alone. Each is reached through a table named nist_model. On a
   model that it cannot read prints why to stderr and returns -1. */
int model_write_c(const model_problem *problem, FILE *out);

/* The table of the compiled model. `column` has the columns in the order of the file. */
typedef struct {
  void (*residuals)(size_t p, const double *b, size_t n, const double *const column[], double *r);
  void (*jacobian)(size_t p, const double *b, size_t n, const double *const column[], double *r, double *jacobian);
  void (*curve)(size_t p, const double *b, size_t n, const double *const column[], double *f);
} model_table;

#endif

#include "hello.h"

#include "evals.h"

double hello_square(double x) { return square(x); }

double hello_double(double x) { return 2 * x; }

#include "hello.h"

#include "evals.h"

#include <tlaloc/grad.h>

double hello_square(double x) { return square(x); }

double hello_double(double x) { return tl_grad(square)(x); }

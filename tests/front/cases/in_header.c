#include <tlaloc/grad.h>
#include "in_header.h"
double slope(double x) { return tl_grad(cube)(x) * tl_grad(square)(x); }
double curve(double x) { return tl_grad(slope)(x); }

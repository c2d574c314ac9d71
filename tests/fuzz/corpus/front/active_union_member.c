#include <tlaloc/grad.h>
struct cell { int kind; union { double d; float f; } as; };
static double f(const struct cell *c, double x) { return c->kind ? c->as.d * x : x; }
void g(const struct cell *c, struct cell *c_bar) { tl_grad(f, c)(c, 1.0, c_bar); }

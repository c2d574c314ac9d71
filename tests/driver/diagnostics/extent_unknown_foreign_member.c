#include "foreign.h"
#include <tlaloc/grad.h>
static double f(const foreign *m, double x) {
  double s = 0;
  for (size_t j = 0; j < m->n; j++) {
    s += m->w[j] * x;
  }
  return s;
}
void g(const foreign *m, double x, foreign *m_bar) { tl_grad(f, m)(m, x, m_bar); }

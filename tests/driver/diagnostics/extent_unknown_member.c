#include <stddef.h>
#include <tlaloc/grad.h>
typedef struct { size_t n; double *w; } model;
static double f(const model *m, double x) {
  double s = 0;
  for (size_t j = 0; j < m->n; j++) {
    s += m->w[j] * x;
  }
  return s;
}
void g(const model *m, double x, model *m_bar) { tl_grad(f, m)(m, x, m_bar); }
typedef struct { const float *a, *b; long count; } pair;
typedef struct { int kind; pair in; double x; } deep;
static double f_deep(const deep *d) { return d->x * d->in.a[2] + d->in.b[1]; }
void g_deep(const deep *d, deep *d_bar) { tl_grad(f_deep, d)(d, d_bar); }
typedef struct { int columns; double *w TL_LEN(columns); } layer;
typedef struct { double scale; layer *layers; _Bool on; unsigned depth; } net;
static double f_net(const net *p) { return p->layers[1].w[0] * p->scale; }
void g_net(const net *p, net *p_bar) { tl_grad(f_net, p)(p, p_bar); }
typedef struct { double *w, b; } bare;
static double f_bare(const bare *q) { return q->w[0] * q->w[1] + q->b; }
void g_bare(const bare *q, bare *q_bar) { tl_grad(f_bare, q)(q, q_bar); }
typedef struct { int m; double **rows TL_LEN(m); } table;
static double f_rows(const table *t) { return t->rows[0][1]; }
void g_rows(const table *t, table *t_bar) { tl_grad(f_rows, t)(t, t_bar); }

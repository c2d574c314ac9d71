#include <tlaloc/grad.h>
#define WIDTH 4
enum { DEPTH = 7 };
struct list {
  int n;
  struct {
    int rows;
  } shape;
  double *data TL_LEN(n * 3);
  double *more TL_LEN((shape.rows + 1) / 2);
};
double later(double scale, const double *w TL_LEN(count), int count);
double later(double factor, const double *v, int m) { return factor * v[m - 1]; }
void all(double *x TL_LEN(n), double *y TL_INOUT TL_LEN(2 * n - 1), int n, struct list *s, double *z TL_LEN(s->n % (n / 2)),
         double *w TL_LEN(s->shape.rows), double *u TL_INOUT, unsigned long big, double *t TL_LEN(-n + big * 2));
void wrong(double *a TL_LEN(missing), int n, double *b TL_LEN(n.x), double *c TL_LEN(1.5), double *d TL_LEN(n +),
           double *e TL_LEN(n / ()), double f, double *g TL_LEN(f), double *h TL_LEN(n n));
double annotated_source(const double *p TL_LEN(k), int k) { return p[k - 1]; }
void constants(double *a TL_LEN(WIDTH * k + DEPTH), int k);

/* Types of the target, declarators, extents. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define N 3
typedef double vec[N];
typedef double (*fn)(double, int);
typedef struct node node;
struct node {
  node *next;
  struct node *children[2];
  double value;
  unsigned bits : 3, : 2, more : 4;
};
typedef enum { A, B = -1 } small;
enum wide { W = 0x80000000u };
union both {
  float f;
  int i;
};
struct never;

void scalars(char c, signed char sc, unsigned char uc, short s, unsigned short us, int i, unsigned u, long l,
             unsigned long ul, long long ll, unsigned long long ull, _Bool b, float f, double d, long double ld,
             size_t n, ptrdiff_t p, int32_t i32, uint8_t u8, small e, enum wide w, bool bb, wchar_t wc, __typeof__(1.0f) tf);
void declarators(double x[], const double y[static 4], double m[2][N], double (*p)[N], double *a[N], fn f, double (*g)(double),
                 vec v, const vec cv, double *const restrict r, volatile int *q, struct node s, struct never *o,
                 union both u, double);
void extents(size_t n, int m, const double x[n], double a[n][m], double t[m * 2 + 1][n][3], double (*p)[m], double c[2 * N],
             double q[const restrict static n]);
int variadic(const char *format, ...);
static inline double *returns(node *n) { return &n->value; }
double (*returns_function(int))(double);

double vla(int n, double m[n][n + 1]) {
  double x[n], y[n][2 * n];
  typedef double row[n];
  row r;
  vec v;
  double(*p)[n] = (double(*)[n])x;
  const double *c = m[1];
  return sizeof x + sizeof y + sizeof(double[n]) + sizeof(double[n][3]) + sizeof *p + sizeof(row) + sizeof(int) +
         sizeof v + _Alignof(double) + sizeof(struct node) + sizeof "abc" + offsetof(node, value) +
         offsetof(node, children[1]) + x[0] + y[0][1] + r[0] + v[0] + (*p)[0] + c[1] + m[1][2];
}

unsigned fields(node *n, union both u) {
  n->bits = 3;
  n->more++;
  n->bits += 2;
  n = n->children[1]->next;
  u.f = 1;
  return n->bits + u.i;
}

double of_expressions(int n, int m, double a[n][m]) {
  double x[n], k[3];
  __typeof__(x) y;
  __typeof__(&x) z = &x;
  __typeof__(x) w[2];
  __typeof__(k) q;
  __typeof__(k[0]) s[4];
  __typeof__(double[n]) t;
  __typeof__(a[0]) c;
  const __typeof__(n) i = 3;
  return sizeof y + sizeof(__typeof__(x)) + (*z)[0] + w[1][0] + q[0] + s[1] + t[0] + c[i];
}

struct deep {
  struct {
    struct {
      int inside;
    };
    int middle;
  };
  union {
    struct {
      short low, high;
    };
    int all;
  };
} deep = {.inside = 1, .middle = 2, .high = 3};
int anonymous(struct deep *d) { return d->inside + deep.middle + d->high + deep.all; }

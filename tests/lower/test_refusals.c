/* What the front refuses: the code, the place, which the marker stands right before, and where one code at one place
 * may have several reasons, a part of the message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "front/lower.h"
#include "front/parse.h"

#define HERE "/*!*/"

static const struct refusal {
  tl_status code;
  const char *source; /* the function is called f */
  const char *text;   /* NULL, or a part of the message */
} refusals[] = {
    {TL_UNKNOWN_EXTERNAL, "double g(const double *); double f(double x) { double y = x; return g(" HERE "&y); }",
     "'g' has no body here, and a pointer is passed to it"},
    {TL_UNKNOWN_EXTERNAL, "double g(int, double *); double f(double *x) { return g(1, " HERE "x); }",
     "'g' has no body here, and a pointer is passed to it"},
    {TL_UNKNOWN_EXTERNAL, "struct s { double a; }; struct s g(int); double f(double x) { return " HERE "g(2).a * x; }",
     "and returns a struct"},
    {TL_UNKNOWN_EXTERNAL,
     "struct s { double a; }; int g(struct s); double f(double x) { struct s v = {x}; return g(" HERE "v); }",
     "and a value of type 'struct s' is passed to it"},
    {TL_UNKNOWN_EXTERNAL,
     "#include <stdlib.h>\nint by(const void *, const void *); double f(double x[3]) { " HERE
     "qsort(x, 3, sizeof *x, by); return x[1]; }",
     "'qsort' has no body here, and what it does to the array is not known: write the sort as a function of this file"},
    {TL_UNKNOWN_EXTERNAL,
     "#include <stdlib.h>\nint by(const void *, const void *); double f(double x, const double t[3]) { "
     "const double *p = " HERE "bsearch(&x, t, 3, sizeof x, by); return p ? *p : x; }",
     "'bsearch' has no body here, and what it does to the array is not known: write the search as a function of"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <stdlib.h>\ndouble f(int n, const double x[n]) { double *y = malloc(n * sizeof *y); y[0] = x[0]; y "
     "= " HERE "realloc(y, 2 * n * sizeof *y); return y[0]; }",
     "realloc is not differentiated: copy the elements to a block from malloc and free the old one"},
    {TL_ACTIVE_UNION, "union u { double d; long l; }; double f(double x) { union u v; " HERE "v.d = x; return v.d; }",
     "a member of a union that may hold active values is used"},
    {TL_ACTIVE_UNION,
     "struct s { int k; union { double d; float f; } u; }; double f(struct s v) { return " HERE "v.u.d; }",
     "a member of a union that may hold active values is used"},
    {TL_ACTIVE_UNION, "union u { double d; long l; }; double f(union u *v) { return " HERE "v->d; }",
     "a member of a union that may hold active values is used"},
    {TL_ACTIVE_CAST, "double f(double x) { return " HERE "*(long *)&x; }",
     "'x' is read or written as another type, 'long'"},
    {TL_ACTIVE_CAST,
     "#include <string.h>\ndouble f(double x, unsigned long bits) { double d; " HERE
     "memcpy(&d, &bits, sizeof d); return d * x; }",
     "'bits' is read or written as another type, 'double'"},
    {TL_ACTIVE_CAST, /* the rule does not tell whether y is read */
     "#include <tlaloc/grad.h>\nstatic void g(double x, double *y) { *y += " HERE
     "*(long *)&x; } static void r(double x, double *y, double x_dot, double *y_dot) { g(x, y); *y_dot = x_dot; } "
     "TL_CUSTOM_JVP(g, r); double f(double x) { double y; g(x, &y); return y; }",
     "'x' is read or written as another type, 'long'"},
    {TL_ACTIVE_CAST, /* nor does const say that what members point to stays */
     "#include <tlaloc/grad.h>\nstruct s { double *y; }; static double g(const struct s *p, double x) { p->y[0] *= x; "
     "return " HERE
     "*(long *)&x; } static double r(const struct s *p, double x, double x_dot, double *y_dot) { *y_dot = "
     "x_dot; return g(p, x); } TL_CUSTOM_JVP(g, r); double f(double x) { double y = x; struct s v = {&y}; return g(&v, "
     "x) + y; }",
     "'x' is read or written as another type, 'long'"},
    {TL_ACTIVE_GLOBAL, /* nor that nothing else is written */
     "#include <tlaloc/grad.h>\nstatic double kept; static void keep(double x) { " HERE
     "kept = x; } static double g(double x) "
     "{ keep(x); return *(long *)&x; } static double r(double x, double x_dot, double *y_dot) { *y_dot = x_dot; return "
     "g(x); } "
     "TL_CUSTOM_JVP(g, r); double f(double x) { return g(x) + kept; }",
     "'kept', which outlives the call, is written to"},
    {TL_ACTIVE_CAST, "float f(float x) { int k = " HERE "*(int *)&x; return k; }",
     "'x' is read or written as another type, 'int'"},
    {TL_ACTIVE_CAST,
     "struct a { double x, y; }; struct b { double u; }; double f(struct a v) { return " HERE "((struct b *)&v)->u; }",
     "'v' is read or written as another type, 'b'"},
    {TL_ACTIVE_CAST, "#include <string.h>\nvoid f(int n, double x[n]) { " HERE "memset(x, 1, n * sizeof *x); }",
     "memset with another byte than 0"},
    {TL_ACTIVE_GLOBAL, "double kept; double f(double x) { " HERE "kept = x; return x; }",
     "'kept', which outlives the call, is written to"},
    {TL_ACTIVE_GLOBAL, "double f(double x) { static double last; " HERE "last = x; return last; }",
     "'last', which outlives the call, is written to"},
    {TL_ACTIVE_GLOBAL, "double kept[3]; double f(double x) { " HERE "kept[1] += x; return x; }",
     "'kept', which outlives the call, is written to"},
    {TL_ACTIVE_GLOBAL,
     "double kept[3]; static void set(double *p, double x) { " HERE
     "p[2] = x; } double f(double x) { set(kept, x); return x; }",
     "'kept', which outlives the call, is written to"},
    {TL_ACTIVE_GLOBAL,
     "static void set(double *p) { " HERE
     "p[1] = 2; } double f(double x) { static double t[2] = {1, 2}; set(t); return t[1] * x; }",
     "'t', which outlives the call, is written to"},
    {TL_ACTIVE_GLOBAL,
     "static void set(double *p) { " HERE
     "*(p + 1) = 2; } double f(double x) { static double t[2] = {1, 2}; set(t); return t[1] * x; }",
     "'t', which outlives the call, is written to"},
    {TL_ACTIVE_GLOBAL,
     "static void set(double *p) { " HERE
     "++*p; } double f(double x) { static double t[2] = {1, 2}; set(t); return t[1] * x; }",
     "'t' is static and may change from call to call"},
    {TL_ACTIVE_GLOBAL, "int count; double f(double x) { " HERE "count++; return x; }",
     "'count', an integer that outlives the call, is written to: pass it by pointer"},
    {TL_ACTIVE_GLOBAL,
     "static int count; int so_far(void) { return count; } double f(double x) { " HERE "count += 2; return x; }",
     "'count', an integer that outlives the call, is written to: pass it by pointer"},
    {TL_ACTIVE_GLOBAL, "double f(double x) { static int count; return " HERE "count++ ? x : 2 * x; }",
     "'count' is static and may change from call to call: pass it as a parameter"},
    {TL_ACTIVE_GLOBAL, "double f(double x) { static int calls; return (" HERE "++calls, x) + ({ calls++; }); }",
     "'calls' is static and may change from call to call"},
    {TL_ACTIVE_GLOBAL, "static int seen; double f(double x) { int k; " HERE "seen = k = 1; return seen ? x : k; }",
     "'seen', an integer that outlives the call"},
    {TL_ACTIVE_GLOBAL, "static int seen, *at = &seen; double f(double x) { " HERE "seen = 1; return x; }",
     "'seen', an integer that outlives the call"},
    {TL_POINTER_UNKNOWN,
     "struct node { double v; struct node *next; }; double f(const struct node *p) { return " HERE
     "p->next ? p->v * p->v : p->v; }",
     "whether this pointer is null is not known: it lies in memory that only the caller knows"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "double f(double x) { static const double c = __builtin_sqrt(2.0); return " HERE "c * x; }",
     "the initial value of 'c', which is static, is not known here"},
    {TL_POINTER_UNKNOWN,
     "struct s { double a, *w; }; static double g(int n, const struct s *p) { return n ? g(n - 1, p) : p->a * p->w[0]; "
     "}"
     "double f(int k, double x[2]) { struct s u = {x[0], x}, v = {x[1], x}; return g(k, " HERE "k ? &u : &v); }",
     "a pointer that may refer to several objects is passed to 'g'"},
    {TL_POINTER_UNKNOWN, "double *g(void); double f(double x) { return " HERE "*g() * x; }",
     "a function without a body returned it"},
    {TL_POINTER_UNKNOWN, "extern double *table; double f(double x) { return " HERE "table[0] * x; }",
     "it lies in an object of file scope that may change"},
    {TL_POINTER_UNKNOWN, "double f(double x) { double *p; return " HERE "*p + x; }", "it was never set"},
    {TL_POINTER_UNKNOWN, "double f(double x) { double *p = 0; return " HERE "*p + x; }", "a null pointer is followed"},
    {TL_POINTER_UNKNOWN, "double f(double x) { double *p; { double y = x; p = &y; } return " HERE "*p; }",
     "this pointer refers to 'y', whose life has ended"},
    {TL_POINTER_UNKNOWN,
     "struct s { double a, b; }; double f(struct s v, int k) { double *p = &v.a; return " HERE "p[k]; }",
     "it steps out of a struct's member"},
    {TL_POINTER_UNKNOWN, "double f(double *x, double *y, int k) { return x " HERE "< y ? 1.0 : 2.0; }",
     "pointers to different objects are compared by order"},
    {TL_POINTER_UNKNOWN, "long f(double *x, double *y) { return x " HERE "- y; }",
     "the difference of pointers into different objects"},
    {TL_POINTER_UNKNOWN, "double f(long address) { return *" HERE "(double *)address; }",
     "an integer is converted to a pointer"},
    {TL_POINTER_UNKNOWN, "double f(int n, double **rows, double *x) { " HERE "rows[n] = x; return *x; }",
     "a pointer is stored where only the caller knows"},
    {TL_POINTER_UNKNOWN, "double f(double *x, int n) { return n == 0 ? 0 : *x + f(x " HERE "+ 1, n - 1); }",
     "whose parameter 'x' does not say how many elements"},
    {TL_FUNCTION_POINTER_UNKNOWN, "double f(double (*g)(double), double x) { return " HERE "g(x); }",
     "is not known at compile time"},
    {TL_FUNCTION_POINTER_UNKNOWN,
     "struct s { double (*g)(double); }; double f(struct s *v, double x) { return " HERE "v->g(x); }",
     "is not known at compile time"},
    {TL_FUNCTION_POINTER_UNKNOWN, "extern double (*g)(double); double f(double x) { return 1 + " HERE "g(x); }",
     "is not known at compile time"},
    {TL_ALIASING_ARGUMENTS,
     "static void g(int n, double *a, const double *b) { if (n > 0) { *a += *b; g(n - 1, a, b); "
     "} } double f(double x) { g(3, &x, " HERE "&x); return x; }",
     "overlaps another one that is written"},
    {TL_ALIASING_ARGUMENTS,
     "static void g(int n, double *a, const double *b) { if (n > 0) { *a += *b; g(n - 1, a, b); } } double f(int k, "
     "double x[9]) { g(3, &x[k + 1], " HERE "&x[k + 1]); return x[2]; }",
     "overlaps another one that is written"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <setjmp.h>\njmp_buf j; double f(double x) { if (" HERE "setjmp(j)) return x; return 2 * x; }",
     "setjmp is not"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { " HERE "__asm__(\"nop\"); return x; }", "inline assembly is not"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { void *p = " HERE "&&end; goto *p; end: return x; }",
     "the address of a label is not"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { " HERE "goto in; { x = 2; in: x += 1; } return x; }",
     "a goto into a block"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "double f(double x, int n) { switch (n) { case 0: do { x = 1; case 1: x *= 2; if (x < 9) goto in; x += 3; " HERE
     "in:; } while (n++ < 9); } return x; }",
     "a label in a loop that a case label leads into"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "double f(double x, int n) { switch (n) { case 0: { double t = x; x = 1; case 1: x = " HERE "t; } } return x; }",
     "'t' is used where its declaration was not passed"},
    {TL_UNSUPPORTED_CONSTRUCT, "double " HERE "f(double x, ...) { return x; }", "the variadic function 'f'"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "static double g(double x, ...) { return x; } double f(double x) { return " HERE "g(x, 1); }",
     "the variadic function 'g'"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <stdlib.h>\ndouble f(double x) { double *p = malloc(8); p = " HERE "realloc(p, 16); return x; }",
     "realloc is not"},
    {TL_UNSUPPORTED_CONSTRUCT, "double *" HERE "f(double *x) { return x; }", "'f' returns a pointer"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(const char *s) { return " HERE "L\"abc\"[1] + *s; }",
     "the content of L\"abc\" is read or written"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <errno.h>\n#include <math.h>\ndouble f(double x) { double y = log(x); return " HERE "errno ? 0 : y; }",
     "errno is read"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <fenv.h>\n#include <math.h>\ndouble f(double x) { double y = exp(x); return " HERE
     "fetestexcept(FE_OVERFLOW) ? 0 : y; }",
     "the floating-point environment (fetestexcept) is read"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <fenv.h>\ndouble f(double x, fenv_t *e) { " HERE "feholdexcept(e); return x; }",
     "the floating-point environment (feholdexcept) is read"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <math.h>\nextern int signgam; double f(double x) { double y = lgamma(x); return " HERE
     "signgam * exp(y); }",
     "signgam is read"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <stdlib.h>\nstruct s { int n; double v[]; }; double f(double x) { struct s *p = malloc(sizeof *p " HERE
     "+ 8); p->v[0] = x; return p->v[0]; }",
     "'struct s' ends in the flexible array 'v', which is not differentiated"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "union u { struct { int i, j; }; int a[2]; }; double f(int k, double x) { union u v; " HERE
     "v.a[1] = k; return x * v.j; }",
     "a member of a union is used"},
    {TL_NO_DEFINITION, "double " HERE "f(double x); double g(double x) { return f(x); }",
     "the definition of 'f' is not visible"},
    /* calls */
    {TL_UNSUPPORTED_CONSTRUCT,
     "static double g(double x, _Complex double z) { return x; } double f(double x) { return g(x, " HERE "x); }",
     "a value of type '_Complex double'"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "static double g(x, y) double x, y; { return x * y; } double f(double x) { return " HERE "g(x); }",
     "'g' is called with another number of arguments"},
    {TL_FUNCTION_POINTER_UNKNOWN,
     "struct s { double a; }; static struct s g(double x) { return (struct s){x}; } static struct s h(double x) { "
     "return (struct s){-x}; } double f(double x, int n) { struct s (*p)(double) = n ? g : h; return " HERE "p(x).a; }",
     "returns no number"},
    {TL_FUNCTION_POINTER_UNKNOWN, "double f(double x) { double (*g)(double); return " HERE "g(x); }",
     "is not known at compile time"},
    {TL_UNSUPPORTED_CONSTRUCT, "double pow(int); double f(double x) { return " HERE "pow(2); }", "too few arguments"},
    {TL_UNSUPPORTED_CONSTRUCT, "int isnan(); double f(double x) { return " HERE "isnan(); }", "too few arguments"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <tlaloc/grad.h>\nstatic double g(double x) { return x * x; } double f(double x) { return " HERE
     "tl_grad(g)(x); }",
     "'g__grad' is not known here"},
    /* calls that stay calls */
    {TL_UNSUPPORTED_CONSTRUCT,
     "static double g(x, n) double x; int n; { return n ? x * g(x, n - 1) : x; } double f(double x) { return " HERE
     "g(x); }",
     "'g' is called with another number of arguments"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "static double g(x, n) double x; int n; { return n ? x * g(x, n - 1) : x; } double f(double x) { return g(x "
     "* " HERE "2.0i, 2); }",
     "a value of type '_Complex double'"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "static double *g(double *p, int n) { return n ? g(p, n - 1) : p; } double f(double x) { return *" HERE
     "g(&x, 2); }",
     "is not inlined here and returns a pointer"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#define A(m) m##0, m##1, m##2, m##3, m##4, m##5, m##6, m##7, m##8, m##9\n"
     "#define B(m) A(m##0), A(m##1), A(m##2), A(m##3), A(m##4), A(m##5), A(m##6), A(m##7), A(m##8), A(m##9)\n"
     "struct s { double B(a), B(b), B(c); };\n"
     "static struct s g(double x, int n) { struct s v = {x}; if (n) { v = " HERE
     "g(x, n - 1); v.a00 *= x; } return v; }\n"
     "double f(double x, int n) { return g(x, n).a00; }",
     "'g' has too many parts in its parameters"},
    {TL_ACTIVE_CAST,
     "struct a { double x; }; struct b { double u, v; }; static double g(int n, struct a *p) { return n ? p->x * g(n - "
     "1, p) : p->x; } double f(struct b *q) { return g(2, " HERE "(struct a *)q); }",
     "'g' takes an object of another type here"},
    {TL_POINTER_UNKNOWN,
     "struct a { double x; }; struct b { double u, v; }; static double g(int n, struct b *p) { return n ? p->u * g(n - "
     "1, p) : p->v; } double f(struct a *q) { return " HERE "g(2, (struct b *)q); }",
     "what 'g' reads through its parameter 'p' is not known here"},
    {TL_ACTIVE_GLOBAL,
     "double kept[3]; static void g(int n, double a[3]) { if (n) { a[n - 1] = n; g(n - 1, a); } } double f(double x) { "
     "g(2, " HERE "kept); return x; }",
     "an object that outlives the call"},
    /* values and objects */
    {TL_UNSUPPORTED_CONSTRUCT, "long f(double *x) { return " HERE "(long)x; }", "a pointer is converted to an integer"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { return " HERE "({ if (x > 0) return 1; x; }); }",
     "left by a jump"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { return x * " HERE "2.0i; }", "a value of type '_Complex double'"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { _Complex double " HERE "z = x; return x; }",
     "an object of type '_Complex double'"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x, _Complex double " HERE "z) { return x; }",
     "a parameter of type '_Complex double'"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "struct s { double a; _Complex double z; }; double f(double x) { struct s v = {x, " HERE "1}; return v.a; }",
     "a value of type '_Complex double'"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "struct s { double a; _Complex double z; }; double f(struct s v) { return " HERE "*(double *)&v.z; }",
     "'v' holds a value of type '_Complex double' here"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <stddef.h>\ndouble f(double x) { wchar_t s[] = " HERE "L\"a\"; return s[0] * x; }",
     "is set from a string"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x, int n) { if (n) goto skip; double y = x; skip: return " HERE "y; }",
     "'y' is used where its declaration was not passed"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "double f(double x) { double " HERE "a[1][1][1][1][1][1][1][1][1][1][1][1][1] = {0}; return x; }",
     "'a' has more than 12 axes"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "struct s { double *p[1][1][1][1][1][1][1][1][1][1][1][1]; }; double f(struct s *" HERE
     "v) { return v->p[0][0][0][0][0][0][0][0][0][0][0][0][1]; }",
     "has more than 12 axes"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <stdlib.h>\nvoid f(double x) { double (*p)[] = " HERE "malloc(8); (*p)[0] = x; }", "the extent of"},
    {TL_ACTIVE_CAST, "double f(double x) { return *" HERE "*(double **)&x; }", "'x' is read or written as a pointer"},
    {TL_ACTIVE_CAST, "struct t; double f(void *p, double x) { return &" HERE "*(struct t *)p ? x : 0; }",
     "what 'p' points to is used as"},
    /* copies */
    {TL_EXTENT_UNKNOWN, "struct s { int n; double a[]; }; void f(struct s *p) { p[1] " HERE "= p[0]; }",
     "how many elements are copied"},
    {TL_ACTIVE_GLOBAL, "struct s { double a; } kept; double f(struct s v) { kept " HERE "= v; return v.a; }",
     "'kept', which outlives the call, is written to"},
    {TL_ACTIVE_GLOBAL,
     "#include <string.h>\ndouble kept[3]; void f(double x[3]) { " HERE "memcpy(kept, x, 3 * sizeof *x); }",
     "'kept', which outlives the call, is written to"},
    {TL_ACTIVE_CAST,
     "struct a { double x, y; }; struct b { double u; }; void f(struct a *p, struct b *q) { *(struct b *)p " HERE
     "= *q; }",
     "objects of different types are copied"},
    {TL_ACTIVE_CAST,
     "struct a { double x; }; struct b { float u; }; void f(struct a *p, struct b *q) { *(struct b *)p " HERE "= *q; }",
     "objects of different types are copied"},
    {TL_ACTIVE_CAST,
     "struct a { double x[2]; }; struct b { double u; }; void f(struct a *p, struct b *q) { *(struct b *)p " HERE
     "= *q; }",
     "objects of different types are copied"},
    {TL_ACTIVE_UNION,
     "struct s { int k; union { double d; float f; } u; }; int f(struct s *v, struct s *w) { *v " HERE
     "= *w; return v->k; }",
     "a member of type"},
    {TL_POINTER_UNKNOWN, "struct s { double *p[2]; }; void f(struct s *v, struct s *w) { *v " HERE "= *w; }",
     "an array of pointers is copied"},
    {TL_POINTER_UNKNOWN,
     "#include <string.h>\nvoid f(int n, double x[4], double y[4]) { double *p = n ? x : y; " HERE
     "memcpy(p, x, 4 * sizeof *x); }",
     "may refer to several objects"},
    {TL_POINTER_UNKNOWN,
     "#include <string.h>\nstruct s { double *p; }; void f(double *x) { struct s v[2], w[2] = {{x}, {x}}; " HERE
     "memcpy(v, w, 2 * sizeof *v); }",
     "memory that holds a value of type"},
    {TL_UNSUPPORTED_CONSTRUCT, "#include <string.h>\nint f(int n) { char c[3]; " HERE "memset(c, 1, 3); return c[n]; }",
     "memset with another byte than 0"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <stdlib.h>\nstruct s { int k : 3; double x; }; double f(double x) { struct s *v = malloc(" HERE
     "sizeof(struct s)); v->x = x; return v->x; }",
     "the size of"},
    /* pointers */
    {TL_POINTER_UNKNOWN, "double *g(void); int f(double *x) { return g() " HERE "== x; }",
     "the pointer compared here is not known"},
    {TL_POINTER_UNKNOWN, "struct s { double a, b; }; int f(struct s *v) { return &v->a " HERE "< &v->b; }",
     "different parts of one object"},
    {TL_POINTER_UNKNOWN, "int f(double *x) { double *p; return p " HERE "== x; }", "was never set"},
    {TL_POINTER_UNKNOWN, "long f(double *x, double *y, int n) { double *p = n ? x : y; return p " HERE "- x; }",
     "may refer to several objects"},
    {TL_POINTER_UNKNOWN,
     "#include <stdlib.h>\nvoid f(int n, double *x, double *y) { double **t = malloc(n * sizeof *t); t[0] = x; " HERE
     "t[1] = y; }",
     "do not all refer to one object"},
    {TL_POINTER_UNKNOWN,
     "#include <stdlib.h>\nvoid f(int n, int m) { double **t = malloc(n * sizeof *t); for (int i = 0; i < n; i++) t[i] "
     "= malloc(m * sizeof *t[i]); " HERE "t[0] = malloc((m + 1) * sizeof *t[0]); }",
     "are not all of one length"},
    /* control */
    {TL_UNSUPPORTED_CONSTRUCT,
     "double f(double x) { if (x < 0) goto mid; top: x += 1; " HERE "mid: x *= 2; if (x < 10) goto top; return x; }",
     "into the middle of a loop"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#define A(m) m##0: m##1: m##2: m##3: m##4: m##5: m##6: m##7: m##8: m##9:\n"
     "#define B(m) A(m##0) A(m##1) A(m##2) A(m##3) A(m##4) A(m##5) A(m##6) A(m##7) A(m##8) A(m##9)\n"
     "double f(double x) { B(a) B(b) " HERE "B(c) return x; }",
     "nested too deeply"},
    /* what the reading of the file refuses */
    {TL_NO_DEFINITION,
     "#include <tlaloc/grad.h>\n"
     "  " HERE "TL_CUSTOM_VJP(g, g_vjp);\ndouble f(double x) { return x; }",
     "a custom rule for 'g', which is not declared before"},
    {TL_NO_DEFINITION, "double f(double x) { return " HERE "f$$grad$$slope(x); }", "is no intrinsic's name"},
    {TL_EXTENT_UNKNOWN, "#include <tlaloc/grad.h>\ndouble f(double *x " HERE "TL_LEN(n)) { return x[0]; }",
     "'n' is neither a parameter nor a number"},
};

typedef struct place {
  uint32_t line, column;
} place;

static place marked(const char *source) {
  const char *at = strstr(source, HERE) + strlen(HERE);
  place p = {1, 1};
  for (const char *s = source; s < at; s++) {
    p.line += *s == '\n';
    p.column = *s == '\n' ? 1 : p.column + 1;
  }
  return p;
}

static bool check(const struct refusal *r) {
  char path[] = "/tmp/tl_refuse_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, r->source, strlen(r->source)) == (ssize_t)strlen(r->source));
  close(fd);
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  static const char *const args[] = {"-I" TL_INCLUDE_DIR};
  tl_parse_opts opts = {.file = path, .args = args, .arg_count = 1};
  tl_parse_result parsed;
  bool lowered = false;
  if (tl_parse_file(&arena, &diag, &opts, &parsed) == TL_OK && !diag.errors) {
    tl_lower_opts lower = {0};
    lowered = tl_lower_function(tl_module_create(&arena, &diag), parsed.unit, tl_unit_find(parsed.unit, "f"), &lower);
  }
  place want = marked(r->source);
  const tl_diag_item *d = diag.items.count ? &diag.items.data[0] : NULL;
  bool ok = !lowered && d && d->code == r->code && d->loc.line == want.line && d->loc.column == want.column &&
            (!r->text || strstr(d->message, r->text));
  if (!ok) {
    print_error("%s\n  wants %s at %u:%u%s%s, gets ", r->source, tl_status_name(r->code), want.line, want.column,
                r->text ? ": " : "", r->text ? r->text : "");
    if (d) {
      print_error("%s at %u:%u: %s\n", tl_status_name(d->code), d->loc.line, d->loc.column, d->message);
    } else {
      print_error("nothing\n");
    }
  }
  unlink(path);
  tl_arena_deinit(&arena);
  return ok;
}

static void test_refusals(void **unused) {
  (void)unused;
  int failures = 0;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    failures += !check(&refusals[i]);
  }
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

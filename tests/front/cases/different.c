/* Preprocessed by clang and by a compiler without __clang__, each of these reads as another program, or as the same. */
#include <math.h>
#ifdef __clang__
#define PICK(a, b) a
#else
#define PICK(a, b) b
#endif
struct s {
  double a;
  PICK(double, float) b;
};
struct t {
  int x PICK(: 3, : 4);
};
static const double table[] = {1, PICK(2, 3)};
static PICK(double, float) global;
static inline double helper(double x) { return x PICK(*, +) 2; }
typedef PICK(int, long) integer;
enum e { FIRST = PICK(1, 2) };

double differs_by_a_constant(double x) { return x * PICK(2.0, 3.0); }
double differs_by_an_integer(double x) { return x * PICK(2, 3); }
double differs_in_width(double x) { return x * PICK(2, 2l); }
double differs_in_precision(double x) { return x * PICK(0.1, 0.1f); }
double differs_by_an_operator(double x) { return x PICK(+, -) 1; }
double differs_by_a_call(double x) { return PICK(sin, cos)(x); }
double differs_by_a_callee(double x) { return helper(x); }
double differs_through_a_callee(double x) { return differs_by_a_callee(x); }
double differs_by_a_type(double x) {
  PICK(double, float) y = x;
  return y;
}
double differs_by_a_typedef(double x) {
  integer i = x;
  return i;
}
double differs_by_a_member_type(struct s v) { return v.b; }
double differs_by_a_bit_field(struct t *v) { return v->x; }
double differs_by_a_table(int i) { return table[i]; }
double differs_by_a_global(void) { return global; }
double differs_by_an_enumerator(double x) { return x * FIRST; }
double differs_by_a_statement(double x) {
  PICK(if (x > 0), while (x > 0)) x = x - 1;
  return x;
}
double differs_by_a_missing_statement(double x) {
  PICK(x = x + 1;, )
  return x;
}
double differs_by_a_variable(double x, double y) { return PICK(x, y); }
double differs_by_a_parameter(PICK(double, float) x) { return x; }
double differs_by_an_extent(int n, int m, double x[PICK(n, m)]) { return x[n - m]; }
double differs_by_a_cast(double x) { return (PICK(float, int))x; }
double differs_by_a_case(int n) {
  switch (n) {
    case PICK(1, 2):
      return 1;
  }
  return 0;
}
double differs_by_order(double x, double y) { return PICK(x / y, y / x); }
double differs_by_an_initialiser(double x) {
  double a[2] = {PICK(x, 0)};
  return a[1];
}
double differs_by_an_index(const double x[3]) { return x[PICK(1, 2)]; }
double same_by_spelling(double x) { return x * PICK(2.0, (2.0)) + PICK(0x10, 16) + PICK(1e0, 1.0); }
double same_by_space(double x) { return PICK(x + 1, x /* */ + 1); }
double same_by_value(double x) { return x * PICK(3, (1 + 2)); }
double same_by_constness(PICK(const double, double) x) { return x; }
double same_without_it(double x) { return x; }
#ifdef __clang__
double differs_by_being_there(double x) { return x; }
#endif

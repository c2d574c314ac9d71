/* What is parsed and refused when it is lowered. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
typedef double vec4 __attribute__((vector_size(32)));
static jmp_buf environment;

double complex_numbers(double x) {
  double _Complex z = x + 2.0 * I;
  z *= 2;
  return creal(z) + __real__ z;
}
int jumps(int n) {
  if (setjmp(environment)) return 1;
  longjmp(environment, n);
}
double assembly(double x) {
  __asm__ volatile("nop");
  __asm__("" : "+x"(x));
  return x;
}
int computed(int n) {
  void *labels[] = {&&one, &&two};
  goto *labels[n];
one:
  return 1;
two:
  return 2;
}
double arguments(int n, ...) {
  va_list list;
  va_start(list, n);
  double x = va_arg(list, double);
  int *p = va_arg(list, int *);
  va_end(list);
  return x + *p;
}
double vectors(double x) {
  vec4 v = {1, 2, 3, 4};
  v = v * x;
  return v[1];
}
double odd(double x) {
  _Atomic int a = 3;
  a = 4;
  __int128 i = 3;
  _Float16 h = 1;
  __float128 q = 1;
  x += (double)i + (double)h + (double)q + a;
  return x;
}
double old(a, b)
  double a;
  int b;
{
  return a * b;
}

#include <stddef.h>
#include <math.h>

double commented(int n, double x) {
  /* line 3: for (int i = 0; i < n; i++) */
  double s = 1.0;
  for (int i = 0; i < n; i++) {
    /* line 4: s += sin(i * x);  // "a string" and * / the end of a comment */
    double p = i * x;
    s += sin(p);
    /* line 5: s *= x;           / * not closed here */
    s *= x;
  }
  return s * s + s;
}

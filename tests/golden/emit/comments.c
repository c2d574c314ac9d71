#include <stddef.h>
#include <math.h>

double commented(int n, double x) {
  /* line 3: for (int i = 0; i < n; i++) */
  double s = 1.0;
  for (int i = 0; i < n; i++) {
    /* line 4: s += sin(i * x); */
    s += sin(i * x);
    /* line 5: s *= x; */
    s *= x;
  }
  return s * s + s;
}

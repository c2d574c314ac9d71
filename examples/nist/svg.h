/* A plot of observations and a curve as SVG. */
#ifndef SVG_H
#define SVG_H

#include <stddef.h>

/* Points (x[i], y[i]), i < n, and the curve through (curve_x[i], curve_y[i]), i < m. Returns -1 with a message on
   stderr where the file cannot be written. */
int svg_write(const char *path, const char *title, const char *x_label, const char *y_label, size_t n, const double *x,
              const double *y, size_t m, const double *curve_x, const double *curve_y);

#endif

/* saddle: a function with a saddle. */
#ifndef SADDLE_H
#define SADDLE_H

static double saddle(double x1, double x2, double y1, double y2) { return (x1 * x1 + x2 * x2) - (y1 * y1 + y2 * y2); }

#endif

/* hello: the square of a number. */
#ifndef HELLO_H
#define HELLO_H

static double square(double x) { return x * x; }

#endif

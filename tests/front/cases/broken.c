/* The tree of what clang could not read holds refusals, and nothing crashes. */
double broken(double x) {
  double y = x * undeclared + missing(x);
  struct never z = {1};
  int a[-1];
  y = x.m + *x + (x)(3);
  for (int i = 0; i < ; i++) y++;
  return y
}
double after(double x) { return x; }

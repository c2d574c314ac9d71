#define DOUBLE(x) ((x) + (x))
int first(int alpha,
          int beta) {
  int c = alpha + beta;
  c = (alpha)   /* no */ * (beta);
  c += DOUBLE(beta) - alpha;
  return first(c,
               alpha) << 1;
}
struct s { double m; };
double second(struct s *p) { return p->m * first(1, 2); }

/* Branches, switches, exits. */
double early(double x) { if (x < 0) return -x; if (x > 1) return x * x; return x; }
double nested(double x, double y) { if (x < 0) { if (y < 0) return 1; x = 2; } else if (y > 1) { y = x; } else return y * x; return x + y; }
void early_void(double x, double *y) { *y = 0; if (x < 0) return; *y = x; if (x > 1) { *y *= 2; return; } *y += 3; }
int falls(int a) { int r = 0; switch (a) { case 0: r += 1; case 1: r += 10; break; case 2: r += 100; case 3: case 4: r += 1000; break; default: r = -1; } return r; }
int no_fall(int a) { switch (a) { case 0: return 5; case 1: return 7; case -2: return 9; default: return a; } }
int default_first(int a) { int r = 0; switch (a) { default: r = 50; case 1: r += 1; break; case 2: r = 2; } return r; }
int default_middle(int a) { int r = 0; switch (a) { case 1: r = 1; break; default: r = 2; break; case 3: r = 3; break; } return r; }
int ranges(int a) { switch (a) { case 0 ... 3: return 1; case 5 ... 7: return 2; } return 0; }
double switch_double(int a, double x) { double y = x; switch (a & 3) { case 0: y *= 2; break; case 1: { double t = y; y = t * t; break; } case 2: if (x > 0) break; y = 7; default: y += 1; } return y; }
int switch_in_loop(int n, int a) { int r = 0; for (int i = 0; i < n; i++) { switch ((i + a) & 3) { case 0: continue; case 1: r += 1; break; case 2: r += 10; if (r > 50) return r; break; default: goto out; } r += 100; } out: return r; }
int switch_unsigned(unsigned a) { switch (a) { case 1u: return 3; case 4: return 9; } return 1; }
int switch_char(signed char c) { switch (c) { case 'a': return 1; case -1: return 2; case 3: return 3; } return 0; }
int switch_constant(int a) { switch (3) { case 1: a = 1; case 3: a += 3; case 4: a *= 2; break; default: a = 0; } return a; }
int case_in_do(int a, int n) { int r = 0, k = n & 7; switch (a & 3) { case 0: do { r += 1; case 3: r = r * 3 + a; case 2: if (r > 900) break; r ^= 5; case 1: r += k; } while (k-- > 0); } return r; }
int case_in_for(int a, int n) { int r = a, i = n & 3; switch (a & 7) { for (i = 0; i < 9; i++) { case 1: r += 2; if (r & 1) continue; case 2: if (r > 60) break; default: i++; r += n & 15; } case 6: r *= 2; } return r + i; }
int case_in_while(int a, int n) { int r = 0; switch (a & 3) { case 1: while (r < 20) { r += 3; case 2: r += n & 7; switch (n & 1) { case 0: continue; } r += 1; } break; case 3: r = -1; } return r; }
int case_in_if(int a, int n) { int r = n; switch (a & 7) { case 0: if (n > 2) { r += 10; case 1: r += 100; if (n > 5) break; } else { r -= 10; case 2: { r -= 100; case 3 ... 4: r ^= 3; } } r += 1000; default: r *= 2; } return r; }
int case_in_if_of_known(int n) { int r = n; switch (3) { case 0: if (n > 2) { case 3: r += 100; } else { default: r -= 10; } r += 1000; } return r; }
int switch_declaration(int a) { switch (a) { int t; case 1: t = a * 3; return t; case 2: t = a; a = t + 1; default: return a; } }
double goto_ahead(double x) { if (x < 0) goto low; x *= 2; if (x > 1) goto high; x += 1; goto done; low: x = -x; high: x -= 3; done: return x; }
double goto_cleanup(int n, const double x[n], int k) { double s = 0; int status = 0; if (k < 0) { status = -1; goto fail; } for (int i = 0; i < n; i++) { if (x[i] > 1.5) { status = i + 1; goto fail; } s += x[i]; } return s; fail: return status * 100 + s; }
double goto_nested(int n, const double x[n][3]) { double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) { if (x[i][j] > 1.2) goto found; s += x[i][j]; } s = -s; found: return s; }
double goto_out_of_block(double x) { { double y = x * 2; if (y > 1) goto end; { x += y; if (x < -2) goto end; x = x * x; } x += 1; } x -= 0.5; end: return x; }
int constant_branches(int a) { if (0) a = 100; if (1) a += 1; else a = 200; if (sizeof(long) == 8) a *= 2; while (0) a = 3; do a++; while (0); for (; 0;) a = 9; return a; }
double dead_code(double x) { return x; x = 5; return x * 2; }
double chain(double x) { if (x < -1) x = 1; else if (x < 0) x = x * 2; else if (x < 1) { x = x * x; } else { x = x - 1; if (x > 0.5) x = 0.5; } return x; }
double both_leave(double x) { if (x > 0) { return x; } else { return -2 * x; } }
int clamp(int a) { if (a < 0) a = 0; if (a > 5) a = 5; return a; }
double ternary_lvalue_effects(int a, double x) { double y = 1, z = 2; *(a > 0 ? &y : &z) = x; return y * 10 + z; }
double many_exits(int n, const double x[n], int a) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (a == i) continue;
    if (x[i] < -1.5) break;
    if (x[i] > 1.7) return s * 2;
    for (int j = 0; j < i; j++) {
      if (x[j] > x[i]) break;
      if (x[j] * x[i] > 2.5) return -s;
      s += x[j] * x[i];
    }
    s += x[i];
  }
  return s;
}
int goto_after_return(int a) { if (a > 2) goto big; return 1; big: if (a > 5) return 2; return 3; }
int label_last(int a) { if (a > 0) goto end; a = 5; end:; return a; }
double labels_in_loop(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { if (x[i] < 0) goto next; s += x[i]; if (s > 2) goto next; s *= 1.5; next: s += 0.25; } return s; }
double goto_back(double x) { int k = 0; again: x = x * 0.5 + 1; if (++k < 5) goto again; return x; }
double goto_newton(double a) { double x = 1; int k = 0; a = a * a + 1; loop: { double d = x * x - a; if (d < 1e-9 && d > -1e-9) goto done; x = 0.5 * (x + a / x); if (++k > 50) goto done; goto loop; } done: return x; }
double goto_in_loop(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { int k = 0; retry: s += x[i]; if (x[i] > 1 && k++ < 2) goto retry; if (s > 5) break; if (s < -3) continue; s *= 0.9; } return s; }
double goto_two(double x) { int i = 0, j = 0; a: i++; b: j++; x = x * 0.7 + i; if (j < 3) goto b; if (i < 2) { j = 0; goto a; } return x + j; }
double goto_early(double x) { if (x < 0) goto start; x += 1; start: x = x * 0.5; if (x > 0.5) goto start; if (x < -5) return 1; return x; }
double goto_f2c(int n, const double x[n]) { double s = 0; int i = 0; L10: if (i >= n) goto L20; s += x[i]; ++i; goto L10; L20: return s; }
double goto_past_loop(double x) { if (x < 0) goto done; top: x += 1; if (x < 5) goto top; x *= 3; done: return 2 * x; }
double goto_past_two(double x, int a) { if (x < 0) goto low; if (a > 1) goto done; b: x += 1; c: x = x * 1.5 + 1; if (x < 4) goto c; if (x < 9) goto b; low: x -= 3; done: return 2 * x; }
double goto_past_more(double x, int a) { x *= 2; if (a > 1) { if (x > 1) x -= 1; else return 7; } else if (a == 1) goto done; top: x += 1; if (a < 0 && x > 3) goto done; if (x < 5) goto top; x = -x; done: if (x > 20) return x; x += 0.5; return x * x; }
double goto_past_declared(double x) { if (x < -1) return x; top:; double y = x * 2; x = y + 1; if (x < 5) goto top; x -= y; return x + 3 * y; }
int goto_loop_in_switch(int n, int a) { int r = n; switch (a) { case 1: if (n > 2) goto out; more: r += 2; if (r < 9) goto more; out: r *= 2; break; case 2: r = 1; default: r -= 1; } return r; }
double switch_of_a_loop(double x, int n) { int k = 3; switch (n & 3) do { case 0: x = x * x; case 1: x = x + 0.5; } while (--k > 0); return x; }
double switch_of_a_case(double x, int n) { switch (n & 1) case 1: x = x * x; return x; }

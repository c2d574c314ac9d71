/* Every kind of loop. */
#include <stddef.h>
double sum(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
double sum_size(size_t n, const double x[n]) { double s = 0; for (size_t i = 0; i < n; ++i) s += x[i]; return s; }
double sum_mixed(size_t n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) s = s * 0.5 + x[i]; return s; }
double sum_long(long n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) s = s * 0.5 + x[i]; return s; }
double sum_le(int n, const double x[n]) { double s = 0; for (int i = 1; i <= n; i++) s = s * 0.5 + x[i - 1]; return s; }
double sum_down(int n, const double x[n]) { double s = 0; for (int i = n - 1; i >= 0; i--) s = s * 0.5 + x[i]; return s; }
double sum_down_gt(int n, const double x[n]) { double s = 0; for (int i = n; i > 0; --i) s = s * 0.5 + x[i - 1]; return s; }
double sum_down_size(size_t n, const double x[n]) { double s = 0; for (size_t i = n; i-- > 0;) s = s * 0.5 + x[i]; return s; }
double sum_while_down(size_t n, const double x[n]) { double s = 0; while (n--) s = s * 0.5 + x[n]; return s; }
double sum_while_down_gt(int n, const double x[n]) { double s = 0; while (n-- > 0) s = s * 0.5 + x[n]; return s + n; }
double sum_pre_down(int n, const double x[n]) { double s = 0; int i = n; while (--i >= 0) s = s * 0.5 + x[i]; return s + i; }
double sum_pre_down_gt(int n, const double x[n]) { double s = 0; int i = n; while (--i > 0) s = s * 0.5 + x[i]; return s + i; }
double sum_ne(int n, const double x[n]) { double s = 0; for (int i = 0; i != n; i++) s = s * 0.5 + x[i]; return s; }
double sum_reversed_operands(int n, const double x[n]) { double s = 0; for (int i = 0; n > i; i++) s = s * 0.5 + x[i]; return s; }
double sum_step(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i += 2) s = s * 0.5 + x[i]; return s; }
double sum_step_long(int n, const double x[n]) { double s = 0; for (int i = n - 1; i >= 0; i -= 3) s = s * 0.5 + x[i]; return s; }
double sum_assign_step(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i = i + 1) s = s * 0.5 + x[i]; return s; }
double while_sum(int n, const double x[n]) { double s = 0; int i = 0; while (i < n) { s = s * 0.5 + x[i]; i++; } return s + i; }
double while_post(int n, const double x[n]) { double s = 0; int i = 0; while (i < n) s = s * 0.5 + x[i++]; return s + i; }
double do_sum(int n, const double x[n]) { double s = 0; int i = 0; do { s = s * 0.5 + x[i]; i++; } while (i < n); return s; }
double do_break(int n, const double x[n]) { double s = 0; int i = 0; do { if (x[i] > 1) break; s += x[i]; if (x[i] < -1) continue; s *= 1.5; } while (++i < n); return s + i; }
double forever(int n, const double x[n]) { double s = 0; int i = 0; for (;;) { if (i >= n) break; s = s * 0.5 + x[i]; i++; } return s; }
double while_true(int n, const double x[n]) { double s = 0; int i = 0; while (1) { s = s * 0.5 + x[i]; if (++i == n) return s; } }
double newton(double a) { double x = 1; a = a * a + 1; int k = 0; while (x * x - a > 1e-9 || x * x - a < -1e-9) { x = 0.5 * (x + a / x); if (++k > 60) break; } return x; }
double counted_and(int n, const double x[n]) { double s = 0; int i; for (i = 0; i < n && x[i] < 1.5; i++) s += x[i]; return s + i; }
double counted_and_flag(int n, const double x[n]) { double s = 0; int done = 0; for (int i = 0; i < n && !done; i++) { s += x[i]; if (s > 2) done = 1; } return s; }
double flag_first(int n, const double x[n]) { double s = 0; int done = 0; for (int i = 0; !done && i < n; i++) { s += x[i]; if (s > 2) done = 1; } return s; }
double body_changes_i(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { s += x[i]; if (x[i] > 0) i++; } return s; }
double body_changes_n(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { s += x[i]; if (x[i] < -1) n--; } return s; }
double bound_in_memory(int *n, const double *x) { double s = 0; int m = *n < 0 ? 0 : *n; *n = m; for (int i = 0; i < *n; i++) { s += x[i]; if (s > 3) *n = i; } return s; }
double bound_in_memory_fixed(const int *n, const double *x) { double s = 0; for (int i = 0; i < *n; i++) s += x[i]; return s; }
double expression_bound(int n, const double x[n]) { double s = 0; for (int i = 0; i < n / 2 + 1; i++) s += x[i] * x[n - 1 - i]; return s; }
double after(int n, const double x[n]) { int i; double s = 0; for (i = 0; i < n; i++) if (x[i] > 1) break; for (int j = i; j < n; j++) s += x[j]; return s * 10 + i; }
double two_variables(int n, const double x[n]) { double s = 0; for (int i = 0, j = n - 1; i < j; i++, j--) s += x[i] * x[j]; return s; }
double two_variables_counted(int n, const double x[n]) { double s = 0; int k = 0; for (int i = 0; i < n; i++, k += 2) s += x[i] * k; return s; }
double triangle(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) for (int k = j; k < n; k++) s = s * 0.9 + x[i] * x[j] + x[k]; return s; }
double empty_loop(int n, double x) { for (int i = 0; i < n; i++) ; return x; }
double continue_in_while(int n, const double x[n]) { double s = 0; int i = -1; while (++i < n) { if (x[i] < 0) continue; s += x[i]; } return s; }
double continue_in_for(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { if (x[i] < 0) continue; if (x[i] > 1) { s += 1; continue; } s += x[i]; } return s; }
double nested_breaks(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { int j = 0; while (1) { if (j > i) break; if (x[j] > 1.5) { s -= 1; break; } s += x[j++]; } if (s > 4) break; s += j; } return s; }
double condition_effect(int n, const double x[n]) { double s = 0, t; int i = 0; while (i < n && (t = x[i++]) < 1) s += t * t; return s + i; }
double unsigned_char_counter(unsigned char n, const double *x) { double s = 0; for (unsigned char i = 0; i < n; i++) s += x[i]; return s; }
double short_counter(short n, double x) { for (short i = 0; i < n; i++) x = x * 0.5 + i; return x; }
double long_bound(int n, double x) { for (long i = n; i < 8; i++) x = x * 0.5 + i; return x; }
double negative_start(int k, double x) { for (int i = k; i < 5; i++) x = x * 0.5 + i; return x; }
double unsigned_from_negative(int k, size_t n, double x) { for (int i = k; i < n; i++) x = x * 0.5 + i; return x; }
double down_to(unsigned n, double x) { for (unsigned i = n; i >= 1; i--) x = x * 0.5 + i; return x; }
double truth_counter(int n, double x) { for (int i = n; i; i--) x = x * 0.5 + i; return x; }
double i_after_break(int n, const double x[n]) { int i; for (i = n - 1; i >= 0; i--) if (x[i] < 0) break; return i; }
double inner_uses_outer(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { double t = x[i]; for (int j = i; j < n; j++) t = t * 0.5 + x[j]; s += t; } return s; }
double loop_in_branch(int n, const double x[n]) { double s = 0; if (n > 2) for (int i = 0; i < n; i++) s += x[i]; else for (int i = 0; i < n; i++) s -= x[i]; return s; }
double swap_scalars(int n, double a, double b) { for (int i = 0; i < n; i++) { double t = a; a = b; b = t + 1; } return a * 10 + b; }
int gcd(unsigned a, unsigned b) { while (b) { unsigned t = a % b; a = b; b = t; } return a; }
int collatz(unsigned a) { int k = 0; a += 1; while (a != 1 && k < 200) { a = a % 2 ? 3 * a + 1 : a / 2; k++; } return k; }
double loop_return_struct_free(int n, const double x[n], double *where) { for (int i = 0; i < n; i++) { if (x[i] > 1) { *where = x[i]; return i; } } *where = 0; return -1; }
double uninitialised_before(int n, const double x[n]) { double t, s = 0; for (int i = 0; i < n; i++) { t = x[i] * 2; s += t; } return s; }
double last_value(int n, const double x[n]) { double t = 0; for (int i = 0; i < n; i++) { t = x[i]; } return t; }
double for_no_init(int n, int k, const double x[n]) { double s = 0; k = k < 0 ? 0 : k; for (; k < n; k++) s += x[k]; return s + k; }

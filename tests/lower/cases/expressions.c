/* Arithmetic, conversions and order of evaluation. */
#include <stddef.h>
#include <stdint.h>

double plain(double x, double y) { return (x + y) * (x - y) / (1 + x * x) - -y; }
float in_float(float x, float y) { return x * y + x / 3 - 0.1f * y; }
double float_then_double(float x, double y) { return x * x + y; }
float narrowed(double x, double y) { float a = x * y; a += y; return a * 2; }
long double wide(long double x, double y) { return x * y + 0.1L; }
float wide_to_float(float x) { return x + 0.1; }
double from_int(int a, unsigned b) { return a / 2 + b / 2 + a % 3 + 0.5 * a; }
int to_int(double x) { return (int)(x * 10) + (int)-x; }
unsigned char to_byte(int a) { return a; }
signed char to_schar(int a) { return (signed char)(a * 50); }
short to_short(int a) { return a * 20000; }
int promoted(signed char a, unsigned char b) { return a * b + (a << 2) + (b >> 1); }
unsigned mixed_sign(int a, unsigned b) { return a + b; }
int compare_mixed(int a, unsigned b) { return a < b; }
long long_math(long a, int b) { return a * b - (a >> 1) + (a ^ b) + (a & 6) + (a | 1); }
uint64_t unsigned_math(uint64_t a, uint32_t b) { return a * 0x9e3779b97f4a7c15u + (a >> 3) + ~b + (a << 5); }
int bits(int a, int b) { return (a & b) | (a ^ ~b) | (a << 3) | (b >> 1); }
int logic(int a, int b) { return (a && b) + (a || b) * 2 + !a * 4 + (a && !b) * 8; }
int comparisons(double x, double y) { return (x < y) + 2 * (x <= y) + 4 * (x > y) + 8 * (x >= y) + 16 * (x == y) + 32 * (x != y); }
_Bool to_bool(double x, int a) { _Bool b = x; _Bool c = a; return b && c; }
_Bool bool_sum(_Bool a, _Bool b) { return a + b; }
int negate_bool(_Bool a) { return -a + ~a; }
double chosen(double x, double y) { return x < y ? x : y; }
double chosen_calls(double x, double y) { return x > 0 ? x * y / 3 : y > 0 ? y * y : -x * y; }
int chosen_mixed(int a, unsigned char b) { return a > 0 ? a : b; }
double gnu_chosen(double x, double y) { return x ?: y; }
double comma(double x) { double y = 0; return y = x * 2, y += 1, y * x; }
double compound(double x, double y) { x += y; x -= 2 * y; x *= 3; x /= 1 + y * y; return x; }
int compound_int(int a, int b) { a += b; a -= 3; a *= b; a <<= 1; a >>= 1; a |= 8; a &= 0xff; a ^= b; a %= 7; a /= 2; return a; }
unsigned char compound_narrow(unsigned char a, int b) { a += b; a *= 3; a -= 200; return a; }
float compound_float(float x, double y) { x += y; x *= 0.1; x -= y / 3; return x; }
int compound_mixed(int a, double y) { a *= y; a += 0.5; return a; }
unsigned compound_shift(unsigned a, int b) { a <<= b & 7; a >>= 2; return a; }
int increments(int a) { int b = a++ + 2; int c = ++a; int d = a-- - b; return a + 10 * b + 100 * c + 1000 * d + --a; }
double float_increment(double x) { double y = x++; ++x; x--; return x * y; }
float small_increment(float x) { x++; return x--; }
unsigned char wrap_increment(unsigned char a) { a += 250; a++; a++; a++; a++; a++; a++; a++; return a++; }
double assigned_value(double x) { double a, b, c; a = b = c = x * 3; return a + (b *= 2) + (c = 5); }
int assigned_narrow(int a) { unsigned char b; int c = b = a * 100; return c; }
double in_condition(double x) { double y; if ((y = x * x) > 1) y -= 1; return y; }
double shadow(double x) { double y = x; { double y = x * 2; x += y; } return x + y; }
size_t sizes(int n) { return sizeof(double) + sizeof n + sizeof(int[3]); }
double constants(void) { return 1e-3 + 0x1.8p3 + 'a' + 1.5f + 3u + 7L; }
enum colour { RED, GREEN = 5, BLUE };
int enums(enum colour c, int a) { enum colour d = a > 0 ? BLUE : GREEN; return c + d * 2 + RED; }
typedef double real;
real typedefs(real x) { typedef int whole; whole k = 3; return x * k; }
double statement_expression(double x) { return ({ double t = x * x; t + 1; }) * 2; }
#define SQUARE(x) ((x) * (x))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
double macros(double x, double y) { return SQUARE(x + y) + MAX(x, y * 2); }
double negative_zero(double x) { return -0.0 * x; }
double division(double x, double y) { return x / y + y / x; }
int and_side_effect(int a, int b) { int n = 0; if (a > 0 && (n = b) > 1) n += 10; return n; }
int or_side_effect(int a, int b) { int n = 0; int r = a > 0 || n++ || (b > 2 && ++n); return r * 100 + n; }
double volatile_value(double x) { volatile double y = x; y *= 2; return y; }
double unsigned_to_double(uint64_t a, uint32_t b) { return (double)(a - 1) + b; }
double generic(double x, int a) { return _Generic(x, double: x * 2, default: 0.0) + _Generic(a, int: 1, default: 2); }
int shifts_signed(int a, int b) { return (a - 5) >> (b & 3); }
int division_signs(int a, int b) { return b ? a / b * 100 + a % b : 0; }

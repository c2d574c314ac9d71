/* Structs: by value, by pointer, nested, arrays of them. */
struct v3 { double x, y, z; };
struct pair { struct v3 a, b; int n; };
struct poly { int n; double c[4]; };
struct bits { unsigned a : 3; int b : 5; unsigned c : 1; double x; };
struct s_float { float f; char c; double d; long k; };
double dot(struct v3 a, struct v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
struct v3 cross(struct v3 a, struct v3 b) { struct v3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z}; r.z = a.x * b.y - a.y * b.x; return r; }
struct v3 scaled(struct v3 a, double s) { a.x *= s; a.y *= s; a.z *= s; return a; }
double combined(struct v3 a, struct v3 b) { return dot(cross(a, b), scaled(a, 2)) + cross(a, b).x; }
double by_pointer(const struct v3 *a) { return a->x * a->y - (*a).z; }
void normalise(struct v3 *a) { double n = a->x * a->x + a->y * a->y + a->z * a->z + 1; a->x /= n; a->y /= n; a->z /= n; }
void assign(const struct v3 *a, struct v3 *b) { *b = *a; b->x += 1; }
double nested(struct pair p) { struct v3 t = p.a; p.a = p.b; p.b = t; return p.a.x * 100 + p.b.x + p.n; }
double nested_pointer(struct pair *p) { p->a = p->b; p->b.y = 4; p->n++; return p->a.y; }
double member_array(struct poly p, double x) { double s = 0; for (int i = 3; i >= 0; i--) s = s * x + p.c[i]; p.c[0] = 5; return s + p.c[0]; }
void member_array_pointer(struct poly *p, double x) { for (int i = 0; i < 4; i++) p->c[i] += x * i; p->n = 4; }
struct poly returned_array(struct poly p, double x) { p.c[1] = x; p.n = 7; return p; }
double array_of_structs(int n, const struct v3 a[n]) { double s = 0; for (int i = 0; i < n; i++) s = s * 0.5 + a[i].x * a[i].y + a[i].z; return s; }
void update_structs(int n, struct v3 a[n]) { for (int i = 1; i < n; i++) { a[i].x += a[i - 1].x; struct v3 t = a[i]; t.y = t.x; a[i] = t; } }
void swap_structs(int n, struct v3 a[n]) { struct v3 t = a[0]; a[0] = a[n - 1]; a[n - 1] = t; }
double local_structs(double x) { struct v3 a[3] = {{1, x, 2}, {.y = x}, {x}}; double s = 0; for (int i = 0; i < 3; i++) s = s * 2 + a[i].x + a[i].y * 3 + a[i].z * 5; return s; }
double struct_with_local_array(double x, int k) { struct poly p = {.c = {1, x}}; p.c[k & 3] += x * x; struct poly q = p; q.c[0] = 100; return p.c[0] + p.c[1] * 2 + p.c[2] * 3 + p.c[3] * 4 + q.c[0] + q.n; }
double array_of_polys(double x, int k) { struct poly p[2] = {{1, {x, 2}}, {2, {3, 4, x}}}; p[k & 1].c[2] *= 3; p[0] = p[1]; return p[0].c[0] + p[0].c[2] + p[1].c[1] + p[0].n; }
double bitfields(int a, double x) { struct bits b = {.a = a, .b = -3, .x = x}; b.b += a; b.c = a; b.a++; return b.a * 100 + b.b + b.c * 1000 + b.x; }
int bitfield_value(int a) { struct bits b; return (b.a = a + 5) + (b.b = a * 7); }
double mixed_types(struct s_float s) { return s.f * s.d + s.c + s.k; }
struct s_float changed(struct s_float s) { s.f *= 0.1; s.c += 100; s.k -= 2; return s; }
double literal(double x) { struct v3 a = (struct v3){x, .z = 2}; return dot(a, (struct v3){1, 2, x}); }
double conditional(struct v3 a, struct v3 b, int k) { struct v3 r = k > 0 ? a : b; return r.x + 2 * r.y; }
double pointer_to_member(struct v3 a) { double *p = &a.y; *p *= 3; return a.x + a.y; }
double pointer_to_nested(struct pair p) { struct v3 *q = &p.b; q->x = 7; (*q).y += 1; return p.b.x * p.b.y; }
double anonymous(double x) { struct { double a; struct { double b, c; }; } s = {x, {2, 3}}; s.b *= x; return s.a + s.b + s.c; }
struct v3 chained(struct v3 a) { struct v3 b, c; b = c = a; c.x = 1; return b; }
double self_assign(struct v3 a) { a = a; return a.x; }
double in_loop(int n, struct v3 a) { for (int i = 0; i < n; i++) { struct v3 t = {a.y, a.z, a.x + i}; a = t; } return a.x * 100 + a.y * 10 + a.z; }
struct v3 early(double x, struct v3 a) { if (x < 0) return a; a.x = x; return scaled(a, 2); }
struct matrix { double m[2][2]; };
struct matrix product(struct matrix a, struct matrix b) { struct matrix c; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) { c.m[i][j] = 0; for (int k = 0; k < 2; k++) c.m[i][j] += a.m[i][k] * b.m[k][j]; } return c; }
struct matrix power(struct matrix a, int n) { struct matrix r = {{{1, 0}, {0, 1}}}; for (int i = 0; i < n; i++) r = product(r, a); return r; }
#include <tlaloc/grad.h>
struct view { int n; const double *p TL_LEN(n); };
double viewed(const struct view *v) { double s = 0; for (int i = 0; i < v->n; i++) s = s * 0.5 + v->p[i]; return s; }
struct out_view { int n; double *p TL_LEN(n); };
void viewed_write(struct out_view v, double x) { for (int i = 0; i < v.n; i++) v.p[i] += x * i; }
double member_pointer(struct view v) { const double *q = v.p; double s = 0; while (v.n-- > 0) s = s * 0.5 + *q++; return s; }
struct deep_bits { struct { unsigned b : 3; int c : 4; } i; struct { struct { unsigned d : 2; } k; } j[2]; double x; };
double nested_bitfields(unsigned n, double x) { struct deep_bits o; o.x = x; o.i.b = n; o.i.c = (int)n; o.j[1].k.d = n; return o.x * (o.i.b + 10 * o.i.c + 100 * o.j[1].k.d); }
struct framed { double scale; struct view inner; };
double viewed_nested(const struct framed *f) { double s = 0; for (int i = 0; i < f->inner.n; i++) s = s * 0.5 + f->scale * f->inner.p[i]; return s; }
struct twice { struct view a; double k; struct view b; };
double viewed_twice(struct twice t) { double s = 0; for (int i = 0; i < t.a.n; i++) s += t.a.p[i] * t.k; for (int i = 0; i < t.b.n; i++) s = s * 0.5 + t.b.p[i]; return s; }

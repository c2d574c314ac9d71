/* Initialisers, arrays, pointers, structs, unions, sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct inner {
  int a[3];
  double d;
};
struct outer {
  struct inner i;
  int k;
  union {
    int u;
    float f;
  };
  struct {
    int s, t;
  };
  unsigned bits : 3, : 2, more : 9;
  const char *name;
};
union either {
  double d;
  int i[2];
};
typedef double row[3];
int plain[] = {1, 2, 3}, sparse[] = {[3] = 1, 2, [1] = 7}, range[8] = {[1 ... 3] = 5, 6, [0] = 1};
double table[2][3] = {{1, 2, 3}, {4, 5}}, flat[2][3] = {1, 2, 3, 4}, mixed[3][2] = {[1] = {[1] = 5}, {7}, [0][1] = 2};
struct inner some[2] = {[1].d = 3, [0].a[1] = 7, 8, 9};
struct outer all = {{{1}, 2}, 3, {4}, {5, 6}, 1, 2, "x"}, flat_all = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
struct outer named = {.i.a = {1, 2}, .f = 2.5, .t = 4, .more = 300, .name = "n"}, skipping = {.i.a[1] = 1, 2, 3, 4, 5};
union either e1 = {1}, e2 = {.i = {1, 2}}, e3 = {.i[1] = 3};
char text[] = "abc", braces[8] = {"de"}, letters[] = {'a', 'b', 0}, words[2][4] = {"ab", "cd"};
double *address = &table[1][2], *first = table[1];
int (*functions[2])(const char *) = {atoi};
static int counter(void) {
  static int n = 40;
  return n++;
}

static void show_outer(const struct outer *o) {
  printf("%d %d %d %g | %d | %d | %d %d | %u %u %s\n", o->i.a[0], o->i.a[1], o->i.a[2], o->i.d, o->k, o->u, o->s, o->t, o->bits, o->more,
         o->name ? o->name : "-");
}

static struct inner swap(struct inner v, int n) {
  struct inner r = {.d = v.a[0] + n, .a = {v.a[2], v.a[1], (int)v.d}};
  v.a[0] = 1000;
  return n ? r : (struct inner){{v.a[0]}, -1};
}

static double matrices(int n, int m, double x[n][m], row y[2], double (*z)[3], double *p) {
  double s = 0, local[m + 1], (*q)[m] = x + 1;
  for (int i = 0; i < m + 1; i++) local[i] = i * .5;
  s += sizeof local + sizeof x[0] + sizeof *q + sizeof(double[n][m]) + sizeof(row) + sizeof y[0] + sizeof(int[3]);
  s += x[1][2] + (*q)[1] + q[-1][0] + y[1][1] + *z[0] + (*(z + 1))[2] + p[1] + 1 [p] + *(p + 2) + local[m];
  p += 2;
  s += *p++ + *--p - p[-1] + (&p[1] - p);
  memset(local, 0, sizeof local);
  return s + local[1];
}

static double copy(struct inner v, double x) {
  double a[4] = {x, [2] = x * 2}, b[] = {x, x + 1};
  struct outer o = {v, 3}, p = {.i = v, .k = 4, .bits = 9};
  struct inner copies[] = {v, {{2}, x}, swap(v, 1)}, *at = &copies[1];
  int deep[2][2][2] = {{{1, 2}, 3, 4}, 5};
  at++;
  at->a[1]++;
  (*at).d *= at[-1].d;
  p.more += 500;
  p.bits -= 3;
  p.bits++;
  o.u = -5;
  show_outer(&o);
  show_outer(&p);
  return a[0] + a[1] * 10 + a[2] * 100 + b[1] + copies[2].d + copies[2].a[1] + deep[0][1][1] + deep[1][0][0] + o.i.d + sizeof b;
}

int main(void) {
  for (int i = 0; i < 8; i++) printf("%d %d %d;", plain[i % 3], sparse[i % 5], range[i]);
  for (int i = 0; i < 6; i++) printf("%g %g %g;", table[i / 3][i % 3], flat[i / 3][i % 3], mixed[i / 2][i % 2]);
  for (int i = 0; i < 2; i++) printf("%d %d %d %g\n", some[i].a[0], some[i].a[1], some[i].a[2], some[i].d);
  show_outer(&all);
  show_outer(&named);
  show_outer(&skipping);
  flat_all.name = 0;
  show_outer(&flat_all);
  printf("%g %d %d %d %s %s %s %.4s %s\n", e1.d, e2.i[0], e2.i[1], e3.i[1], text, braces, letters, words[0], words[1]);
  printf("%g %g %d %zu %zu %zu\n", *address, *first, functions[0]("42"), sizeof text, sizeof sparse, sizeof(struct outer));
  row rows[2] = {{1, 2, 3}, {4, 5, 6}};
  double x[2][3] = {{1.5, 2.5, 3.5}, {4.5, 5.5, 6.5}};
  printf("%g %g %g\n", matrices(2, 3, x, rows, rows, x[0]), copy(some[0], 1.25), swap((struct inner){{1, 2, 3}, 4}, 5).d);
  struct inner in = swap(some[0], 2), *heap = malloc(sizeof *heap);
  *heap = in;
  heap->a[1] = counter() + counter();
  printf("%d %d %d %g %d\n", heap->a[0], heap->a[1], heap->a[2], heap->d, counter());
  char *s = text, c = -1;
  unsigned char u = c;
  while (*s) printf("%c ", *s++);
  printf("%d %d %d %d\n", c, u, c == u, (c >> 1) + (u >> 1));
  free(heap);
  return 0;
}

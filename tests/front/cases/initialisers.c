/* Braces left out, designators, strings. */
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
  const char *name;
};
union either {
  double d;
  int i[2];
};

int plain[] = {1, 2, 3};
int sparse[] = {[3] = 1, 2, [1] = 7};
int range[8] = {[1 ... 3] = 5, 6, [0] = 1};
int twice[] = {1, [0] = 2};
double table[2][3] = {{1, 2, 3}, {4, 5}};
double flat[2][3] = {1, 2, 3, 4};
double mixed[3][2] = {[1] = {[1] = 5}, {7}, [0][1] = 2};
int empty[4] = {};
int zero[4] = {0};
struct inner in = {{1, 2}, 3};
struct inner flat_in = {1, 2, 3, 4};
struct inner some[2] = {[1].d = 3, [0].a[1] = 7, 8, 9};
struct outer all = {{{1}, 2}, 3, {4}, {5, 6}, "x"};
struct outer flat_all = {1, 2, 3, 4, 5, 6, 7, 8};
struct outer named = {.i.a = {1, 2}, .f = 2.5, .t = 4, .name = "n"};
struct outer skipping = {.i.a[1] = 1, 2, 3, 4, 5};
union either e1 = {1}, e2 = {.i = {1, 2}}, e3 = {.i[1] = 3};
char text[] = "abc", braces[8] = {"de"}, letters[] = {'a', 'b'}, long_text[2] = "ab";
char words[2][4] = {"ab", "cd"};
const char *list[] = {"p", "q", 0};
int scalar = {3};
int (*functions[2])(int) = {0};
static const double constant = 2 * 3.0 + 1;
double *address = &table[1][2], *row = table[1];
extern int declared;
int tentative;
int tentative;
int defined_later;
int use(void) { return defined_later + declared + tentative; }
int defined_later = 4;

double local(double x, struct inner s, int n) {
  double a[3] = {x, [2] = x * 2};
  struct outer o = {s, n};
  struct outer p = {.i = s, .k = n};
  struct inner copies[] = {s, {{n}, x}, s};
  struct inner q = s;
  struct outer overridden = {.i = s, .i.d = 3};
  int deep[2][2][2] = {{{1, 2}, 3, 4}, 5};
  return a[0] + o.k + p.i.d + copies[1].d + q.d + overridden.k + deep[0][0][0];
}

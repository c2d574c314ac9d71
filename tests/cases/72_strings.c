/* Strings: read through pointers and tables, as constants of the function; and passed on as they are spelled. */
#include "check.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <tlaloc/grad.h>

static const char *const names[] = {"ab", "c", "", "def\x21\101"};
static const char *plain_names[2] = {"xy", "z"};
static const struct rule {
  const char *steps;
  double weight;
} rules[] = {{"+*", 2}, {"**+", 3}};

static double element(double x, int i) {
  const char *s = "abc";
  return s[i] * x * x;
}
static double walk(double x) {
  double r = 0;
  for (const char *s = "hello, "
                       "w\n";
       *s; s++) {
    r += (*s - 'a') * x * x;
  }
  return r;
}
static double program(const char *code,
                      double x) { /* inlined with literals, and differentiated with the caller's own */
  double a = 1;
  while (*code) {
    switch (*code++) {
    case '+':
      a += x;
      break;
    case '*':
      a *= x;
      break;
    case 's':
      a = sin(a);
      break;
    default:
      return 0;
    }
  }
  return a;
}
static double fixed_program(double x) { return program("+*s", x); }
static double chosen_program(double x, int which) { return program(which ? "**" : "+++*", x); }
static double table_program(double x, int i) { return program(rules[i].steps, x) * rules[i].weight; }
static double name_sum(double x, int i) {
  double r = 0;
  for (const char *s = names[i]; *s != '\0'; ++s) {
    r += *s * x;
  }
  return r + plain_names[i & 1][0] * x;
}
static double digits(double x) {
  int n = 0;
  const char *p = "0x1f" + 2;
  while (*p) {
    n = n * 16 + (*p <= '9' ? *p - '0' : *p - 'a' + 10);
    p++;
  }
  return n * x + "\0\377"[1] * x + sizeof "four" * x;
}
static double mutable_copy(double x) {
  char s[] = "abc";
  const char *from = "xyz";
  for (int i = 0; i < 3; i++) {
    s[i] = from[2 - i];
  }
  return s[0] * x;
}
static double by_recursion(const char *s, int i, double x) {
  return s[i] ? s[i] * x + by_recursion(s, i + 1, x * x) : 0;
}
static double recursion_of_literal(double x) { return by_recursion("ab", 0, x); }

static double printed(FILE *to, double x, int i) {
  assert(i >= 0 && "an index");
  const char *tail = "tail" + i;
  fprintf(to, "%s %s %s $%%;", names[i], i ? "one" : "none", tail);
  fputs(tail, to);
  return x * x;
}
static double compared(double x, const char *name) { return strcmp(name, "square") == 0 ? x * x : strlen("four") * x; }

int main(void) {
  CHECK(tl_grad(element, x)(2, 1), 'b' * 4);
  double sum = 0;
  for (const char *s = "hello, w\n"; *s; s++) {
    sum += *s - 'a';
  }
  CHECK(tl_grad(walk)(3), sum * 6);
  CHECK(tl_grad(fixed_program)(2), cos(6) * (1 + 2 * 2));
  CHECK(tl_grad(chosen_program, x)(2, 1), 4);
  CHECK(tl_grad(chosen_program, x)(2, 0), 1 + 6 * 2);
  CHECK(tl_grad(program, x)("*+*", 2), 4 * 2);
  CHECK(tl_grad(table_program, x)(2, 0), 2 * (1 + 2 * 2));
  CHECK(tl_grad(table_program, x)(2, 1), 3 * (2 * 2 + 1));
  CHECK(tl_grad(name_sum, x)(2, 0), 'a' + 'b' + 'x');
  CHECK(tl_grad(name_sum, x)(2, 2), 'x');
  CHECK(tl_grad(name_sum, x)(2, 3), 'd' + 'e' + 'f' + '!' + 'A' + 'z');
  CHECK(tl_grad(digits)(2), 31 + "\377"[0] + 5);
  CHECK(tl_grad(mutable_copy)(2), 'z');
  CHECK(tl_grad(recursion_of_literal)(2), 'a' + 'b' * 4);
  CHECK(tl_grad(by_recursion, x)("ab", 0, 2), 'a' + 'b' * 4);
  CHECK(tl_check_vjp(table_program, x)(2, 1, 0), 0);

  FILE *to = tmpfile();
  if (!to) {
    return 1;
  }
  CHECK(tl_grad(printed, x)(to, 3, 3), 6);
  char line[64] = "";
  rewind(to);
  CHECK(fgets(line, sizeof line, to) != NULL, 1);
  CHECK(strcmp(line, "def!A one l $%;l"), 0);
  fclose(to);
  CHECK(tl_grad(compared, x)(3, "square"), 6);
  CHECK(tl_grad(compared, x)(3, "other"), 4);
  return check_done();
}

/* Any bytes as the expression of a TL_LEN, of a parameter and of a member. */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>

#include "memory_file.h"
#include "translate.h"

/* In a string literal of C. */
static char *escape(char *to, const uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    to += sprintf(to, data[i] < ' ' || data[i] > '~' || strchr("\"\\?", data[i]) ? "\\%03o" : "%c", data[i]);
  }
  return to;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const pieces[] = {
      "enum { E = 4 };\n"
      "struct s { int m; double d; struct { int k; } in; union { struct { long w; }; float v; };\n"
      "  double *p __attribute__((annotate(\"tl_len:",
      "\"))); };\n"
      "double f(int n, unsigned long u, struct s *s, const double *x __attribute__((annotate(\"tl_len:",
      "\")))) { return x[0] * x[n - 1] * s->p[0]; }\n"
      "void g(int n, unsigned long u, struct s *s, struct s *t, const double *x, double *b) {\n"
      "  f$$grad$x(n, u, s, x, b);\n"
      "  f$$value_and_grad(n, u, s, x, t, b);\n"
      "}\n"};
  if (size > 1 << 16 || memchr(data, 0, size)) {
    return 0;
  }
  char *text = malloc(8 * size + 1024);
  if (!text) {
    exit(1);
  }
  char *to = stpcpy(text, pieces[0]);
  to = stpcpy(escape(to, data, size), pieces[1]);
  to = stpcpy(escape(to, data, size), pieces[2]);
  memory_file_put(MEMORY_FILE, text, (size_t)(to - text));
  const char *mismatch;
  translate(MEMORY_FILE_PATH, NULL, &mismatch);
  close(MEMORY_FILE);
  free(text);
  return 0;
}

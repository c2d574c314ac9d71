/* Prototypes laid out so that cc's notes about arguments point at the primal's parameters: by #line each parameter lies
 * where the primal has it, and its name at the same column. */
#include <string.h>

#include "base/ctext.h"
#include "base/name.h"
#include "front.h"

/* Where the parameter's name begins in its declaration; 0 where it is not found. */
static size_t offset_of_name(const char *declaration, size_t length, const char *name) {
  size_t n = strlen(name);
  for (size_t i = 1; i + n <= length; i++) {
    bool ends = i + n == length || !tl_in_name(declaration[i + n]);
    if (ends && !tl_in_name(declaration[i - 1]) && memcmp(declaration + i, name, n) == 0) {
      return i;
    }
  }
  return 0;
}

/* The length of a parameter's declaration: up to a comma or parenthesis that is not within others. */
static size_t declaration_length(const char *s) {
  int depth = 0;
  size_t n = 0;
  for (; s[n] && (depth > 0 || (s[n] != ',' && s[n] != ')')); n++) {
    depth += s[n] == '(' || s[n] == '[';
    depth -= s[n] == ')' || s[n] == ']';
  }
  return n;
}

static void start_line(front *f, const tl_loc *loc, FILE *out) {
  fprintf(out, "\n#line %u \"%s\"\n", loc->line, tl_literal_escape(f->arena, loc->file));
}

void front_write_placed_prototype(front *f, const tl_func *func, const char *text, FILE *out) {
  const char *open = strchr(text, '(');
  if (!open || !func->loc.file) {
    fputs(text, out);
    return;
  }
  start_line(f, &func->loc, out);
  fwrite(text, 1, (size_t)(open + 1 - text), out);
  const char *s = open + 1;
  for (uint32_t i = 0; i < func->cparams.count; i++) {
    const tl_cparam *c = &func->cparams.data[i];
    size_t length = declaration_length(s), name = offset_of_name(s, length, c->name);
    start_line(f, c->loc.file && c->loc.line ? &c->loc : &func->loc, out);
    size_t column = c->loc.column ? c->loc.column - 1 : 0;
    fprintf(out, "%*s%.*s", (int)(column > name ? column - name : 0), "", (int)length, s);
    s += length;
    if (*s == ',') {
      fputc(*s++, out);
      s += *s == ' ';
    }
  }
  fputs(s, out);
}

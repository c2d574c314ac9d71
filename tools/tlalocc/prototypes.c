#include "prototypes.h"

#include <stdlib.h>
#include <string.h>

#include "base/name.h"

void tl_prototype_write(const tl_prototype *p, FILE *out) {
  fprintf(out, "%s\t%u\t%u\t%u\t%s\t%s\t%s\n", p->name, p->primal.line, p->primal.column, p->primal.end_column,
          p->primal.file ? p->primal.file : "", p->use_lines, p->text);
}

/* The text up to the next tab or the line's end, and *at behind that. */
static const char *field(tl_arena *a, const char **at) {
  size_t n = strcspn(*at, "\t\n");
  const char *text = tl_arena_strndup(a, *at, n);
  *at += n + ((*at)[n] != '\0');
  return text;
}

static uint32_t number(tl_arena *a, const char **at) { return (uint32_t)strtoul(field(a, at), NULL, 10); }

/* "a.c:3:9: error: ... 'f__grad'" */
static bool error_names(const char *messages, const char *name) {
  size_t n = strlen(name);
  for (const char *p = messages; (p = strstr(p, name)) != NULL; p += n) {
    if (tl_in_name(p[n]) || (p > messages && tl_in_name(p[-1]))) {
      continue;
    }
    const char *line = p;
    while (line > messages && line[-1] != '\n') {
      line--;
    }
    const char *sign = strstr(line, ": error: ");
    if (sign && sign < p) {
      return true;
    }
  }
  return false;
}

/* "a.c:3:9: error: void value not ignored as it ought to be", gcc's, which names no function. */
static bool error_misses_value(const char *messages, const tl_prototype *p) {
  static const char sign[] = ": error: void value";
  for (const char *s = messages; strncmp(p->text, "void ", 5) == 0 && (s = strstr(s, sign)) != NULL; s++) {
    const char *column = s;
    while (column > messages && column[-1] != ':' && column[-1] != '\n') {
      column--;
    }
    const char *line = column - (column > messages);
    while (line > messages && line[-1] != ':' && line[-1] != '\n') {
      line--;
    }
    char wanted[32];
    int n = snprintf(wanted, sizeof wanted, ",%lu,", strtoul(line, NULL, 10));
    if (n > 2 && strstr(p->use_lines, wanted)) {
      return true;
    }
  }
  return false;
}

void tl_prototypes_explain(tl_diag *diag, const char *prototypes, const char *messages) {
  for (const char *at = prototypes; *at;) {
    tl_prototype p = {.name = field(diag->arena, &at)};
    p.primal.line = number(diag->arena, &at);
    p.primal.column = number(diag->arena, &at);
    p.primal.end_column = number(diag->arena, &at);
    p.primal.file = field(diag->arena, &at);
    p.use_lines = field(diag->arena, &at);
    p.text = field(diag->arena, &at);
    if (error_names(messages, p.name) || error_misses_value(messages, &p)) {
      tl_diag_note(diag, p.primal, "'%s' is %s", p.name, p.text);
    }
  }
}

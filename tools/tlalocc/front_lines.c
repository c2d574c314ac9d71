/* Where a debugger finds the bodies: with -g each line of theirs is, by #line, one of the dump in a folder, if there is
 * one, else the line of the user's that it was made from. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctext.h"
#include "base/name.h"
#include "front.h"

/* A function's definition in text as the emitter lays it out: what is at the left margin begins or ends it. */
typedef struct definition {
  const char *head, *body, *end; /* the first line; the line behind the one that opens the body; behind the last */
  const char *name;
} definition;

static const char *next_line(const char *p) {
  const char *newline = strchr(p, '\n');
  return newline ? newline + 1 : p + strlen(p);
}

static char last_sign(const char *line, const char *next) {
  while (next > line && isspace((unsigned char)next[-1])) {
    next--;
  }
  return next > line ? next[-1] : '\0';
}

static const char *name_before_parenthesis(front *f, const char *head) {
  const char *skipped = strncmp(head, "__attribute__((", 15) == 0 ? strstr(head, "))") : NULL;
  const char *open = strchr(skipped ? skipped + 2 : head, '('), *start = open;
  while (start && start > head && tl_in_name(start[-1])) {
    start--;
  }
  return start ? tl_arena_strndup(f->arena, start, (size_t)(open - start)) : "";
}

/* The next definition of a function from `p` on; false where there is none. */
static bool find_definition(front *f, const char *p, definition *d) {
  for (; *p; p = next_line(p)) {
    if (!isalpha((unsigned char)*p) && *p != '_') {
      continue;
    }
    const char *line = p, *next = next_line(p);
    while (*next && !strchr("{};", last_sign(line, next))) {
      line = next;
      next = next_line(next);
    }
    if (last_sign(line, next) != '{') {
      p = line;
      continue;
    }
    const char *close = strstr(next - 1, "\n}");
    *d = (definition){p, next, close ? next_line(close + 1) : next + strlen(next), name_before_parenthesis(f, p)};
    return true;
  }
  return false;
}

static bool find_same(front *f, const char *dump, const definition *like, definition *out) {
  for (const char *p = dump; find_definition(f, p, out); p = out->end) {
    size_t n = (size_t)(like->end - like->body);
    if (!strcmp(out->name, like->name) && (size_t)(out->end - out->body) == n && !memcmp(out->body, like->body, n)) {
      return true;
    }
  }
  return false;
}

static uint32_t line_number(const char *text, const char *at) {
  uint32_t line = 1;
  for (; text < at; text++) {
    line += *text == '\n';
  }
  return line;
}

static void mark(front *f, uint32_t line, const char *file, FILE *out) {
  fprintf(out, "#line %u \"%s\"\n", line, tl_literal_escape(f->arena, file));
}

static void write_as_in_dump(front *f, const definition *d, const char *dump, const definition *same, const char *path,
                             FILE *out) {
  mark(f, line_number(dump, same->head), path, out);
  fwrite(d->head, 1, (size_t)(d->body - d->head), out);
  mark(f, line_number(dump, same->body), path, out);
  fwrite(d->body, 1, (size_t)(d->end - d->body), out);
}

/* The file whose name stands at the start of `text`, before ": ", as comments have it: the emitter asked for its lines.
 */
static const char *file_of_comment(front *f, const char *text) {
  const char *found = NULL;
  size_t longest = 0;
  for (uint32_t i = 0; i < f->sources.count; i++) {
    const char *shown = tl_comment_escape(f->arena, f->sources.data[i]->name);
    size_t n = strlen(shown);
    if (n > longest && strncmp(text, shown, n) == 0 && strncmp(text + n, ": ", 2) == 0) {
      found = f->sources.data[i]->name;
      longest = n;
    }
  }
  return found;
}

/* "  / * line 12: x = y; * /" or "line 12 of a.h: ..." */
static bool read_comment(front *f, const char *line, const char *own_file, tl_loc *loc) {
  static const char sign[] = "/* line ";
  line += strspn(line, " ");
  if (strncmp(line, sign, sizeof sign - 1) != 0) {
    return false;
  }
  char *end;
  loc->line = (uint32_t)strtoul(line + sizeof sign - 1, &end, 10);
  const char *file = strncmp(end, " of ", 4) == 0 ? file_of_comment(f, end + 4) : NULL;
  loc->file = file ? file : own_file;
  return true;
}

static void write_as_in_source(front *f, const definition *d, tl_loc loc, FILE *out) {
  const char *own_file = loc.file;
  bool starts = true;
  for (const char *p = d->head; p < d->end; p = next_line(p)) {
    const char *next = next_line(p);
    if (!read_comment(f, p, own_file, &loc) && starts) {
      mark(f, loc.line, loc.file, out);
    }
    fwrite(p, 1, (size_t)(next - p), out);
    starts = strchr("{};:/", last_sign(p, next)) != NULL;
  }
}

void front_write_with_lines(front *f, const char *text, const char *dump, const char *path, FILE *out) {
  definition d, same;
  const char *p = text;
  for (; find_definition(f, p, &d); p = d.end) {
    fwrite(p, 1, (size_t)(d.head - p), out);
    const tl_func *func = tl_module_find(f->module, d.name);
    if (dump && find_same(f, dump, &d, &same)) {
      write_as_in_dump(f, &d, dump, &same, path, out);
    } else if (func && func->loc.file) {
      write_as_in_source(f, &d, func->loc, out);
    } else {
      fwrite(d.head, 1, (size_t)(d.end - d.head), out);
      continue;
    }
    mark(f, line_number(text, d.end), f->opts->generated, out);
  }
  fputs(p, out);
}

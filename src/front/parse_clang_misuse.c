/* Intrinsics that come to no name: tl_grad(f(x)), tl_grad(f, "x"). What libclang says of them is about the pasting of
 * tokens; what is wrong shows in the text. */
#include <ctype.h>
#include <string.h>

#include "base/near.h"
#include "front/parse_clang.h"

typedef struct span {
  const char *start, *end; /* without the space around it */
} span;

/* tl_grad(f, x) as it is written. */
typedef struct written {
  const char *name, *name_end, *open, *close;
  TL_VEC(span) args; /* the function first */
} written;

static bool starts_name(char c) { return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

static bool is_one_name(span s) { return starts_name(*s.start) && tl__parse_skip_token(s.start, s.end) == s.end; }

static int length(span s) { return (int)(s.end - s.start); }

/* Without the space and the comments around it. */
static span trimmed(const char *start, const char *end) {
  start = tl__parse_skip_space(start, end);
  const char *last = start;
  for (const char *s = start; s < end; s = tl__parse_skip_space(last, end)) {
    last = tl__parse_skip_token(s, end);
  }
  return (span){start, last};
}

/* Past the bracket that closes the one at s; NULL where none does. Adds what commas separate, if it is asked for. */
static const char *skip_brackets(tl__parse *p, const char *s, const char *end, written *to) {
  const char *from = s + 1;
  int depth = 0;
  for (; s < end; s = tl__parse_skip_space(tl__parse_skip_token(s, end), end)) {
    depth += *s == '(' || *s == '[' || *s == '{';
    depth -= *s == ')' || *s == ']' || *s == '}';
    if (to && (depth == 0 || (depth == 1 && *s == ','))) {
      TL_PUSH(p->arena, to->args, trimmed(from, s));
      from = s + 1;
    }
    if (depth == 0) {
      return s + 1;
    }
  }
  return NULL;
}

static bool read_written(tl__parse *p, const char *s, const char *end, written *out) {
  *out = (written){.name = s, .name_end = tl__parse_skip_token(s, end)};
  bool is_intrinsic = out->name_end - s > 3 && memcmp(s, "tl_", 3) == 0 &&
                      tl_intrinsic_find(s + 3, (size_t)(out->name_end - s) - 3) != TL_INTRINSIC_COUNT;
  out->open = tl__parse_skip_space(out->name_end, end);
  if (!is_intrinsic || out->open >= end || *out->open != '(') {
    return false;
  }
  const char *behind = skip_brackets(p, out->open, end, out);
  out->close = behind ? behind - 1 : NULL;
  return behind && out->args.count > 0;
}

/* What an argument is, where it is no name. */
typedef enum shape {
  SHAPE_NAME,   /* or what a macro may make one of */
  SHAPE_EMPTY,  /* nothing */
  SHAPE_CALL,   /* f(x): a macro's, or a call */
  SHAPE_QUOTED, /* "x" */
  SHAPE_MARKED, /* &x, *x, (x) */
  SHAPE_PART,   /* x[0], x->y, x.y */
  SHAPE_TYPED,  /* double x */
  SHAPE_WORDS,  /* f x */
  SHAPE_OTHER,  /* 1.5, x + y */
} shape;

static bool is_type_word(span s) {
  static const char *const words[] = {"const",  "double", "float",    "int",    "long", "short",  "char",  "void",
                                      "struct", "union",  "unsigned", "signed", "enum", "static", "size_t"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i]) == (size_t)length(s) && memcmp(words[i], s.start, (size_t)length(s)) == 0) {
      return true;
    }
  }
  return false;
}

static span last_token(span s) {
  span last = s;
  for (const char *at = s.start; at < s.end; at = tl__parse_skip_space(last.end, s.end)) {
    last = (span){at, tl__parse_skip_token(at, s.end)};
  }
  return last;
}

/* `out_inner` is the name that was meant. */
static shape shape_of(tl__parse *p, span arg, span *out_inner) {
  written nested;
  *out_inner = arg;
  if (arg.start == arg.end) {
    return SHAPE_EMPTY;
  }
  if (is_one_name(arg) || read_written(p, arg.start, arg.end, &nested)) {
    return SHAPE_NAME;
  }
  if (starts_name(*arg.start)) {
    out_inner->end = tl__parse_skip_token(arg.start, arg.end);
    if (is_type_word(*out_inner) && starts_name(*last_token(arg).start)) {
      *out_inner = last_token(arg);
      return SHAPE_TYPED;
    }
    const char *next = tl__parse_skip_space(out_inner->end, arg.end);
    bool calls = *next == '(' && skip_brackets(p, next, arg.end, NULL) == arg.end;
    bool part = *next == '[' || *next == '.' || (*next == '-' && next[1] == '>');
    return calls ? SHAPE_CALL : part ? SHAPE_PART : starts_name(*next) ? SHAPE_WORDS : SHAPE_OTHER;
  }
  char first = *arg.start;
  if (first == '"' || first == '(') {
    *out_inner = trimmed(arg.start + 1, arg.end - (arg.end - arg.start > 1));
  } else if (first == '&' || first == '*') {
    *out_inner = trimmed(arg.start + 1, arg.end);
  }
  bool meant = out_inner->start != arg.start && out_inner->start < out_inner->end && is_one_name(*out_inner);
  return !meant ? SHAPE_OTHER : first == '"' ? SHAPE_QUOTED : SHAPE_MARKED;
}

/* The intrinsic with argument k put in another form; NULL where it is no good to show. */
static const char *with_argument(tl__parse *p, const written *w, uint32_t k, const char *text) {
  if (memchr(w->name, '\n', (size_t)(w->close - w->name))) {
    return NULL;
  }
  const char *from = w->args.data[k].start, *to = w->args.data[k].end;
  if (!*text && k) { /* with its comma */
    from = w->args.data[k - 1].end;
    to = k + 1 < w->args.count ? w->args.data[k].end : w->close;
  }
  return tl_arena_printf(p->arena, "%.*s%s%.*s", (int)(from - w->name), w->name, text, (int)(w->close + 1 - to), to);
}

static const char *of_function(tl__parse *p, const written *w) {
  span f = w->args.data[0];
  return is_one_name(f) ? tl_arena_printf(p->arena, "'%.*s'", length(f), f.start) : "its function";
}

static void note_parameters(tl__parse *p, const written *w) {
  span name = w->args.data[0];
  const tl_function *f = tl_unit_find(p->unit, tl_arena_strndup(p->arena, name.start, (size_t)length(name)));
  if (f && f->params.count) {
    TL_VEC(const char *) names = {0};
    for (uint32_t i = 0; i < f->params.count; i++) {
      TL_PUSH(p->arena, names, f->params.data[i]->name ? f->params.data[i]->name : "");
    }
    tl_diag_note(p->diag, f->loc, "the %s of '%s' %s %s", names.count == 1 ? "parameter" : "parameters", f->name,
                 names.count == 1 ? "is" : "are", tl_names_quoted(p->arena, names.count, names.data));
  }
}

static tl_loc loc_of(tl__parse *p, CXFile file, const char *text, const written *w) {
  CXSourceLocation at = clang_getLocationForOffset(p->tu, file, (unsigned)(w->name - text));
  const char *end = w->close + 1;
  bool one_line = !memchr(w->name, '\n', (size_t)(end - w->name));
  return tl__parse_location(p, at, (uint32_t)((one_line ? end : w->name_end) - w->name));
}

static void say_function(tl__parse *p, const written *w, tl_loc loc, shape s, span inner, const char *end) {
  span arg = w->args.data[0];
  const char *fix = tl_arena_strndup(p->arena, inner.start, (size_t)length(inner));
  fix = with_argument(p, w, 0, fix);
  switch (s) {
  case SHAPE_NAME:
  case SHAPE_EMPTY:
    return;
  case SHAPE_CALL: {
    tl_diag_error(p->diag, TL_NO_DEFINITION, loc,
                  "an intrinsic takes a function, and this is a call of it: the arguments stand behind the intrinsic");
    const char *behind = tl__parse_skip_space(w->close + 1, end);
    if (fix && (behind >= end || *behind != '(')) {
      fix = tl_arena_printf(p->arena, "%s%.*s", fix, (int)(arg.end - inner.end), inner.end);
    }
    break;
  }
  case SHAPE_QUOTED:
    tl_diag_error(p->diag, TL_NO_DEFINITION, loc, "an intrinsic takes the name of a function, without quotes");
    break;
  case SHAPE_MARKED:
    tl_diag_error(p->diag, TL_NO_DEFINITION, loc, "an intrinsic takes the name of a function alone, without '%c'",
                  *arg.start);
    break;
  case SHAPE_TYPED:
    tl_diag_error(p->diag, TL_NO_DEFINITION, loc, "an intrinsic takes the name of a function alone, without its type");
    break;
  case SHAPE_WORDS:
    tl_diag_error(p->diag, TL_NO_DEFINITION, loc, "a comma is missing behind '%.*s'", length(inner), inner.start);
    fix = with_argument(
        p, w, 0,
        tl_arena_printf(p->arena, "%.*s,%.*s", length(inner), inner.start, (int)(arg.end - inner.end), inner.end));
    break;
  case SHAPE_PART:
  case SHAPE_OTHER:
    tl_diag_error(p->diag, TL_NO_DEFINITION, loc, "'%.*s' is not the name of a function", length(arg), arg.start);
    return;
  }
  p->diag->items.data[p->diag->items.count - 1].fix = fix;
}

/* What stands behind the function of a tl_vmap. */
static bool is_batch_name(const written *w, uint32_t k) {
  return k == 1 && tl_intrinsic_find(w->name + 3, (size_t)(w->name_end - w->name) - 3) == TL_INTRINSIC_VMAP;
}

static void say_batch_name(tl__parse *p, const written *w, tl_loc loc, shape s, span inner) {
  span arg = w->args.data[1];
  if (s == SHAPE_EMPTY) {
    tl_diag_error(p->diag, TL_VMAP_AXIS_NAME_CLASH, loc, "a name for the batch is missing behind %s",
                  of_function(p, w));
    return;
  }
  tl_diag_error(p->diag, TL_VMAP_AXIS_NAME_CLASH, loc,
                "the batch cannot be called '%.*s': it is the name of a parameter, which holds the number of examples",
                length(arg), arg.start);
  if (s == SHAPE_QUOTED || s == SHAPE_MARKED || s == SHAPE_TYPED) {
    const char *fix = tl_arena_strndup(p->arena, inner.start, (size_t)length(inner));
    p->diag->items.data[p->diag->items.count - 1].fix = with_argument(p, w, 1, fix);
  }
}

static void say_parameter(tl__parse *p, const written *w, tl_loc loc, uint32_t k, shape s, span inner) {
  span arg = w->args.data[k];
  const char *f = of_function(p, w);
  const char *why = "";
  switch (s) {
  case SHAPE_NAME:
    return;
  case SHAPE_EMPTY:
    tl_diag_error(p->diag, TL_NO_SUCH_PARAMETER, loc, "a parameter of %s is missing %s", f,
                  k + 1 < w->args.count ? "between two commas" : "behind the last comma");
    inner.end = inner.start;
    break;
  case SHAPE_QUOTED:
    why = ": a parameter is named without quotes";
    break;
  case SHAPE_MARKED:
    why = tl_arena_printf(p->arena, ": a parameter is named without '%c'", *arg.start);
    break;
  case SHAPE_PART:
    why = ": a parameter is named as a whole, and its result has the parts";
    break;
  case SHAPE_TYPED:
    why = ": a parameter is named without its type";
    break;
  case SHAPE_CALL:
  case SHAPE_WORDS:
  case SHAPE_OTHER:
    break;
  }
  if (s != SHAPE_EMPTY) {
    tl_diag_error(p->diag, TL_NO_SUCH_PARAMETER, loc, "%s has no parameter '%.*s'%s", f, length(arg), arg.start, why);
  }
  if (*why || s == SHAPE_EMPTY) {
    const char *fix = tl_arena_strndup(p->arena, inner.start, (size_t)length(inner));
    p->diag->items.data[p->diag->items.count - 1].fix = with_argument(p, w, k, fix);
  }
  note_parameters(p, w);
}

enum { DEEPEST_NEST = 64 };

static bool misused_at(tl__parse *p, CXFile file, span text, const char *s, tl__misuse seen, int depth) {
  written w, nested;
  if (depth > DEEPEST_NEST || !read_written(p, s, text.end, &w)) {
    return false;
  }
  tl_loc loc = loc_of(p, file, text.start, &w);
  span f = w.args.data[0];
  if (read_written(p, f.start, f.end, &nested) && misused_at(p, file, text, f.start, seen, depth + 1)) {
    TL_PUSH(p->arena, p->misuses, loc);
    return true;
  }
  for (uint32_t k = 0; k < w.args.count; k++) {
    span inner;
    shape is = shape_of(p, w.args.data[k], &inner);
    /* A macro may make a name of these; then libclang has nothing to say of the intrinsic itself. */
    bool doubtful =
        (is == SHAPE_CALL && seen != TL__MISUSE_PASTED) || (is == SHAPE_WORDS && seen == TL__MISUSE_UNDECLARED);
    if (is == SHAPE_NAME || doubtful || (k == 0 && is == SHAPE_EMPTY)) {
      continue;
    }
    TL_PUSH(p->arena, p->misuses, loc);
    if (k == 0) {
      say_function(p, &w, loc, is, inner, text.end);
    } else if (is_batch_name(&w, k)) {
      say_batch_name(p, &w, loc, is, inner);
    } else {
      say_parameter(p, &w, loc, k, is, inner);
    }
    return true;
  }
  return false;
}

bool tl__request_misused(tl__parse *p, CXSourceLocation at, tl__misuse seen) {
  CXFile file;
  unsigned offset;
  clang_getExpansionLocation(at, &file, NULL, NULL, &offset);
  const char *end, *text = tl__parse_file_text(p, file, &end);
  return text && text + offset < end && misused_at(p, file, (span){text, end}, text + offset, seen, 0);
}

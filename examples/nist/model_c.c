/* The model line: parsed into a tree by recursive descent, written as C.
 *
 *   line     = { name "=" sum } sum "=" sum [ "+" "e" ]
 *   sum      = product { ("+" | "-") product }
 *   product  = sign { ("*" | "/") sign }
 *   sign     = [ "-" | "+" ] power ...
 *   power    = atom [ "**" sign ]
 *   atom     = number | name | function bracket | bracket
 */
#include "model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  NODE_NUMBER,
  NODE_NAME,
  NODE_CALL,
  NODE_NEGATE,
  NODE_ADD,
  NODE_SUBTRACT,
  NODE_MULTIPLY,
  NODE_DIVIDE,
  NODE_POWER
} node_kind;

typedef struct node {
  node_kind kind;
  char text[64]; /* of a number or name; the C function of a call */
  const struct node *left, *right;
} node;

typedef enum { TOKEN_END, TOKEN_NUMBER, TOKEN_NAME, TOKEN_MARK } token_kind;

enum { MAX_NODES = 512, MAX_CONSTANTS = 8, MAX_DEPTH = 64 };

typedef struct {
  const model_problem *problem;
  const char *at;
  token_kind kind;
  char text[64]; /* of the token; a mark is "+", "**", "(" (for every opening bracket), ... */
  char opening;
  node nodes[MAX_NODES];
  size_t node_count, depth;
  struct {
    char name[64];
    const node *value;
  } constant[MAX_CONSTANTS];
  size_t constant_count;
  int failed;
} parser;

static const struct {
  const char *name, *c;
} functions[] = {
    {"exp", "exp"},     {"log", "log"},   {"ln", "log"},    {"log10", "log10"}, {"sqrt", "sqrt"},
    {"sin", "sin"},     {"cos", "cos"},   {"tan", "tan"},   {"arcsin", "asin"}, {"arccos", "acos"},
    {"arctan", "atan"}, {"asin", "asin"}, {"acos", "acos"}, {"atan", "atan"},   {"sinh", "sinh"},
    {"cosh", "cosh"},   {"tanh", "tanh"}, {"abs", "fabs"},  {"erf", "erf"},
};

static const char *function_of(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (strcmp(functions[i].name, name) == 0) {
      return functions[i].c;
    }
  }
  return NULL;
}

static void fail(parser *ps, const char *text, const char *detail) {
  if (!ps->failed) {
    fprintf(stderr, "%s:%zu: the model line: %s%s%s", ps->problem->path, ps->problem->equation_line, text,
            detail ? " " : "", detail ? detail : "");
    if (*ps->at) {
      fprintf(stderr, ", before \"%.30s\"\n", ps->at);
    } else {
      fprintf(stderr, ", at its end\n");
    }
  }
  ps->failed = 1;
}

static void next(parser *ps) {
  const char *at = ps->at;
  while (isspace((unsigned char)*at)) {
    at++;
  }
  size_t length = 0;
  if (*at == '\0') {
    ps->kind = TOKEN_END;
  } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
    ps->kind = TOKEN_NUMBER;
    while (isdigit((unsigned char)at[length]) || at[length] == '.') {
      length++;
    }
    if (at[length] && strchr("eEdD", at[length])) {
      size_t exponent = length + 1;
      if (at[exponent] == '+' || at[exponent] == '-') {
        exponent++;
      }
      if (isdigit((unsigned char)at[exponent])) {
        length = exponent;
        while (isdigit((unsigned char)at[length])) {
          length++;
        }
      }
    }
  } else if (isalpha((unsigned char)*at)) {
    ps->kind = TOKEN_NAME;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') {
      length++;
    }
  } else {
    ps->kind = TOKEN_MARK;
    length = at[0] == '*' && at[1] == '*' ? 2 : 1;
  }
  if (length >= sizeof ps->text) {
    fail(ps, "a token is too long", NULL);
    length = sizeof ps->text - 1;
  }
  memcpy(ps->text, at, length);
  ps->text[length] = '\0';
  if (ps->kind == TOKEN_NUMBER) {
    char *exponent = strpbrk(ps->text, "dDE");
    if (exponent) {
      *exponent = 'e';
    }
  }
  ps->at = at + length;
}

static int is_mark(const parser *ps, const char *mark) { return ps->kind == TOKEN_MARK && strcmp(ps->text, mark) == 0; }

static const node *make(parser *ps, node_kind kind, const char *text, const node *left, const node *right) {
  if (ps->node_count == MAX_NODES) {
    fail(ps, "it is too long", NULL);
    ps->node_count = 0;
  }
  node *made = &ps->nodes[ps->node_count++];
  made->kind = kind;
  made->left = left;
  made->right = right;
  snprintf(made->text, sizeof made->text, "%s", text);
  return made;
}

static const node *parse_sum(parser *ps);

static const node *parse_bracket(parser *ps) {
  static const char opening[] = "([{", closing[] = ")]}";
  const char *which = ps->kind == TOKEN_MARK ? strchr(opening, ps->text[0]) : NULL;
  if (which == NULL) {
    fail(ps, "a bracket or a value is missing", NULL);
    return make(ps, NODE_NUMBER, "0", NULL, NULL);
  }
  const char end[2] = {closing[which - opening], '\0'};
  next(ps);
  const node *inside = parse_sum(ps);
  if (!is_mark(ps, end)) {
    fail(ps, "a bracket is not closed by", end);
  }
  next(ps);
  return inside;
}

static const node *parse_atom(parser *ps) {
  char text[64];
  strcpy(text, ps->text);
  if (ps->kind == TOKEN_NUMBER) {
    next(ps);
    return make(ps, NODE_NUMBER, text, NULL, NULL);
  }
  if (ps->kind == TOKEN_NAME) {
    next(ps);
    if (ps->kind == TOKEN_MARK && strchr("([{", ps->text[0])) {
      const char *function = function_of(text);
      if (function == NULL) {
        fail(ps, "there is no function", text);
        function = "exp";
      }
      return make(ps, NODE_CALL, function, parse_bracket(ps), NULL);
    }
    return make(ps, NODE_NAME, text, NULL, NULL);
  }
  return parse_bracket(ps);
}

static const node *parse_sign(parser *ps) {
  const node *value;
  if (++ps->depth > MAX_DEPTH) {
    fail(ps, "it nests too deeply", NULL);
  }
  if (ps->failed) {
    value = make(ps, NODE_NUMBER, "0", NULL, NULL);
  } else if (is_mark(ps, "-")) {
    next(ps);
    value = make(ps, NODE_NEGATE, "", parse_sign(ps), NULL);
  } else if (is_mark(ps, "+")) {
    next(ps);
    value = parse_sign(ps);
  } else {
    value = parse_atom(ps);
    if (is_mark(ps, "**") || is_mark(ps, "^")) {
      next(ps);
      value = make(ps, NODE_POWER, "", value, parse_sign(ps));
    }
  }
  ps->depth--;
  return value;
}

static const node *parse_product(parser *ps) {
  const node *left = parse_sign(ps);
  while (!ps->failed && (is_mark(ps, "*") || is_mark(ps, "/"))) {
    node_kind kind = ps->text[0] == '*' ? NODE_MULTIPLY : NODE_DIVIDE;
    next(ps);
    left = make(ps, kind, "", left, parse_sign(ps));
  }
  return left;
}

/* Whether what follows the `+` at hand is the error term, which ends the line. */
static int is_error_term(const parser *ps) {
  const char *at = ps->at;
  while (isspace((unsigned char)*at)) {
    at++;
  }
  if (*at++ != 'e') {
    return 0;
  }
  while (isspace((unsigned char)*at)) {
    at++;
  }
  return *at == '\0';
}

static const node *parse_sum(parser *ps) {
  const node *left = parse_product(ps);
  while (!ps->failed && (is_mark(ps, "-") || (is_mark(ps, "+") && !is_error_term(ps)))) {
    node_kind kind = ps->text[0] == '+' ? NODE_ADD : NODE_SUBTRACT;
    next(ps);
    left = make(ps, kind, "", left, parse_product(ps));
  }
  return left;
}

static int binding(const node *x) {
  switch (x->kind) {
  case NODE_ADD:
  case NODE_SUBTRACT:
    return 1;
  case NODE_MULTIPLY:
  case NODE_DIVIDE:
    return 2;
  case NODE_NEGATE:
    return 3;
  case NODE_NUMBER:
  case NODE_NAME:
  case NODE_CALL:
  case NODE_POWER:
    return 4;
  }
  return 4;
}

static void write_node(parser *ps, const node *x, int least, FILE *out);

static void write_binary(parser *ps, const node *x, const char *mark, FILE *out) {
  write_node(ps, x->left, binding(x), out);
  fprintf(out, " %s ", mark);
  write_node(ps, x->right, binding(x) + 1, out);
}

static void write_name(parser *ps, const char *name, FILE *out) {
  for (size_t i = 0; i < ps->problem->parameters; i++) {
    if (strcmp(ps->problem->parameter[i].name, name) == 0) {
      fprintf(out, "b[%zu]", i);
      return;
    }
  }
  for (size_t i = 0; i < ps->problem->columns; i++) {
    if (strcmp(ps->problem->column_name[i], name) == 0) {
      fprintf(out, "%s[i]", name);
      return;
    }
  }
  for (size_t i = 0; i < ps->constant_count; i++) {
    if (strcmp(ps->constant[i].name, name) == 0) {
      fputs(name, out);
      return;
    }
  }
  fail(ps, "there is no column, parameter or constant", name);
}

/* Small whole powers of names become products; the exponent of any other is written as it is. */
static void write_power(parser *ps, const node *x, FILE *out) {
  double exponent = x->right->kind == NODE_NUMBER ? strtod(x->right->text, NULL) : 0;
  if (x->left->kind == NODE_NAME && (exponent == 2 || exponent == 3)) {
    fputc('(', out);
    for (int i = 0; i < (int)exponent; i++) {
      fprintf(out, "%s", i ? " * " : "");
      write_node(ps, x->left, 4, out);
    }
    fputc(')', out);
    return;
  }
  fprintf(out, "pow(");
  write_node(ps, x->left, 0, out);
  fprintf(out, ", ");
  write_node(ps, x->right, 0, out);
  fputc(')', out);
}

/* Writes x, in brackets where it binds less than `least`. */
static void write_node(parser *ps, const node *x, int least, FILE *out) {
  int bracket = binding(x) < least;
  if (bracket) {
    fputc('(', out);
  }
  switch (x->kind) {
  case NODE_NUMBER:
    fprintf(out, "%s%s", x->text, strpbrk(x->text, ".e") ? "" : ".0");
    break;
  case NODE_NAME:
    write_name(ps, x->text, out);
    break;
  case NODE_CALL:
    fprintf(out, "%s(", x->text);
    write_node(ps, x->left, 0, out);
    fputc(')', out);
    break;
  case NODE_NEGATE:
    fputc('-', out);
    write_node(ps, x->left, 4, out);
    break;
  case NODE_ADD:
    write_binary(ps, x, "+", out);
    break;
  case NODE_SUBTRACT:
    write_binary(ps, x, "-", out);
    break;
  case NODE_MULTIPLY:
    write_binary(ps, x, "*", out);
    break;
  case NODE_DIVIDE:
    write_binary(ps, x, "/", out);
    break;
  case NODE_POWER:
    write_power(ps, x, out);
    break;
  }
  if (bracket) {
    fputc(')', out);
  }
}

static int mentions(const node *x, const char *name) {
  return x &&
         ((x->kind == NODE_NAME && strcmp(x->text, name) == 0) || mentions(x->left, name) || mentions(x->right, name));
}

/* A sum with more than three terms has one on each line. */
static void write_equation(parser *ps, const node *x, int least, FILE *out) {
  int terms = 1;
  for (const node *at = x; at->kind == NODE_ADD || at->kind == NODE_SUBTRACT; at = at->left) {
    terms++;
  }
  if (terms <= 3 || least > 1) {
    write_node(ps, x, least, out);
    return;
  }
  const node *term[MAX_NODES];
  int count = 0;
  for (const node *at = x; count < terms; at = at->left) {
    term[count++] = at;
  }
  write_node(ps, term[terms - 1], 1, out);
  for (int i = terms - 1; i-- > 0;) {
    fprintf(out, "\n           %c ", term[i]->kind == NODE_ADD ? '+' : '-');
    write_node(ps, term[i]->right, 2, out);
  }
}

/* Names of columns and constants stand in the C as they are. */
static int is_usable_name(const char *name) {
  static const char *const taken[] = {"p",      "b",  "n",  "r",   "i",   "f",  "jacobian",
                                      "column", "if", "do", "int", "for", "pow"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    if (strcmp(taken[i], name) == 0) {
      return 0;
    }
  }
  if (!isalpha((unsigned char)*name) || function_of(name)) {
    return 0;
  }
  return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

static void write_parameters(const model_problem *problem, FILE *out) {
  fprintf(out, "size_t p, const double b[p], size_t n");
  for (size_t c = 0; c < problem->columns; c++) {
    fprintf(out, ", const double %s[n]", problem->column_name[c]);
  }
}

static void write_arguments(const model_problem *problem, FILE *out) {
  fprintf(out, "p, b, n");
  for (size_t c = 0; c < problem->columns; c++) {
    fprintf(out, ", column[%zu]", c);
  }
}

static void write_functions(parser *ps, const node *left, const node *right, FILE *out) {
  const model_problem *problem = ps->problem;
  fprintf(out, "/* %s: %s */\n#include <math.h>\n#include <stddef.h>\n#include <tlaloc/grad.h>\n\n", problem->name,
          problem->equation);
  for (size_t i = 0; i < ps->constant_count; i++) {
    fprintf(out, "static const double %s = ", ps->constant[i].name);
    write_node(ps, ps->constant[i].value, 0, out);
    fprintf(out, ";\n%s", i + 1 == ps->constant_count ? "\n" : "");
  }
  fprintf(out, "static void residuals(");
  write_parameters(problem, out);
  fprintf(out, ", double r[n]) {\n  for (size_t i = 0; i < n; i++) {\n    r[i] = ");
  write_equation(ps, right, 1, out);
  fprintf(out, " - ");
  write_node(ps, left, 2, out);
  fprintf(out, ";\n  }\n}\n\n");

  fprintf(
      out,
      "static void table_residuals(size_t p, const double *b, size_t n, const double *const column[], double *r) {\n"
      "  residuals(");
  write_arguments(problem, out);
  fprintf(out, ", r);\n}\n\n");

  fprintf(out,
          "static void table_jacobian(size_t p, const double *b, size_t n, const double *const column[], double *r,\n"
          "                           double *jacobian) {\n  tl_jacobian(residuals, b)(");
  write_arguments(problem, out);
  fprintf(out, ", r, (double(*)[p])jacobian);\n}\n\n");

  fprintf(out,
          "static void table_curve(size_t p, const double *b, size_t n, const double *const column[], double *f) {\n");
  for (size_t c = 0; c < problem->columns; c++) {
    if (mentions(right, problem->column_name[c])) {
      fprintf(out, "  const double *%s = column[%zu];\n", problem->column_name[c], c);
    }
  }
  fprintf(out, "  (void)p;\n  (void)column;\n  for (size_t i = 0; i < n; i++) {\n    f[i] = ");
  write_equation(ps, right, 0, out);
  fprintf(out, ";\n  }\n}\n\n");

  fprintf(out, "const struct {\n"
               "  void (*residuals)(size_t p, const double *b, size_t n, const double *const column[], double *r);\n"
               "  void (*jacobian)(size_t p, const double *b, size_t n, const double *const column[], double *r,\n"
               "                   double *jacobian);\n"
               "  void (*curve)(size_t p, const double *b, size_t n, const double *const column[], double *f);\n"
               "} nist_model = {table_residuals, table_jacobian, table_curve};\n");
}

/* Defines a constant, or defines it anew. */
static void define(parser *ps, const char *name, const node *value) {
  size_t at = 0;
  while (at < ps->constant_count && strcmp(ps->constant[at].name, name) != 0) {
    at++;
  }
  if (at == MAX_CONSTANTS) {
    fail(ps, "it defines too many constants", NULL);
    return;
  }
  ps->constant_count = at == ps->constant_count ? at + 1 : ps->constant_count;
  strcpy(ps->constant[at].name, name);
  ps->constant[at].value = value;
}

static int mentions_word(const char *text, const char *word) {
  size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
    if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length])) {
      return 1;
    }
  }
  return 0;
}

int model_write_c(const model_problem *problem, FILE *out) {
  parser *ps = calloc(1, sizeof *ps);
  if (ps == NULL) {
    fprintf(stderr, "%s: out of memory\n", problem->path);
    return -1;
  }
  const char *comment = strstr(problem->equation, "*/");
  const char *start = strchr(problem->equation, ')');
  const node *left = NULL, *right = NULL;
  ps->problem = problem;
  ps->at = start && strstr(problem->equation, "Parameters (") ? start + 1 : problem->equation;
  if (comment) {
    fail(ps, "it has a", "*/");
  }
  for (size_t c = 0; c < problem->columns; c++) {
    if (!is_usable_name(problem->column_name[c])) {
      fprintf(stderr, "%s:%zu: a column cannot have the name %s\n", problem->path, problem->header_line,
              problem->column_name[c]);
      ps->failed = 1;
    }
  }
  next(ps);
  if (mentions_word(problem->equation, "pi")) {
    define(ps, "pi", make(ps, NODE_NUMBER, "3.141592653589793238462643", NULL, NULL));
  }
  while (!ps->failed) {
    left = parse_sum(ps);
    if (!is_mark(ps, "=")) {
      fail(ps, "an equals sign is missing", NULL);
    }
    next(ps);
    right = parse_sum(ps);
    if (ps->kind != TOKEN_NAME) {
      break; /* the equation; before it, definitions of constants, each ended by the next name */
    }
    if (left->kind != NODE_NAME || !is_usable_name(left->text)) {
      fail(ps, "what stands before the equation does not define a constant", NULL);
      break;
    }
    define(ps, left->text, right);
  }
  if (!ps->failed && ps->kind != TOKEN_END && !(is_mark(ps, "+") && is_error_term(ps))) {
    fail(ps, "something follows the equation:", ps->text);
  }
  if (!ps->failed) {
    write_functions(ps, left, right, out);
  }
  int status = ps->failed ? -1 : 0;
  free(ps);
  return status;
}

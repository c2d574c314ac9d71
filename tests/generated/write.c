#include <stdlib.h>
#include <string.h>

#include "gen.h"

static const char *const type_names[] = {"double", "float", "wide"};

/* --- access to leaves --- */

/* `name` with the leaf's path, element k in row-major order. */
static void access_element(FILE *out, const gen_leaf *l, const char *name, int k) {
  int index[3] = {0}, rest = k;
  for (int r = l->rank - 1; r >= 0; r--) {
    index[r] = rest % l->extents[r];
    rest /= l->extents[r];
  }
  int at = 0;
  fputs(name, out);
  for (const char *c = l->path; *c; c++) {
    if (*c == '#') {
      fprintf(out, "%d", index[at++]);
    } else {
      fputc(*c, out);
    }
  }
}

static void each_element(FILE *out, const gen_program *p, int param, bool outs, const char *name, const char *vector,
                         bool load) {
  const gen_leaf *leaves = outs ? p->out_leaves : p->in_leaves;
  int count = outs ? p->out_leaf_count : p->in_leaf_count;
  for (int i = 0; i < count; i++) {
    for (int k = 0; leaves[i].param == param && k < leaves[i].count; k++) {
      fputs("  ", out);
      if (!load) {
        fprintf(out, "%s[%d] = ", vector, leaves[i].at + k);
      }
      access_element(out, &leaves[i], name, k);
      if (load) {
        fprintf(out, " = %s[%d]", vector, leaves[i].at + k);
      }
      fputs(";\n", out);
    }
  }
}

static void load(FILE *out, const gen_program *p, int param, bool outs, const char *suffix, const char *vector) {
  char name[32];
  gen_set(name, sizeof name, "%s%s", p->params[param].name, suffix);
  each_element(out, p, param, outs, name, vector, true);
}

static void store(FILE *out, const gen_program *p, int param, bool outs, const char *suffix, const char *vector) {
  char name[32];
  gen_set(name, sizeof name, "%s%s", p->params[param].name, suffix);
  each_element(out, p, param, outs, name, vector, false);
}

int gen_param_leaf_count(const gen_program *p, int param, bool outs) {
  const gen_leaf *leaves = outs ? p->out_leaves : p->in_leaves;
  int count = outs ? p->out_leaf_count : p->in_leaf_count, n = 0;
  for (int i = 0; i < count; i++) {
    n += leaves[i].param == param ? leaves[i].count : 0;
  }
  return n;
}

/* --- arguments --- */

static bool is_by_value(const gen_param *q) { return q->kind == GEN_REAL || q->kind == GEN_STRUCT; }
static bool is_wrt(const gen_param *q) { return q->kind >= GEN_REAL && q->role != GEN_OUTPUT; }

/* An object for the parameter, or an array of them, `many` being "[3]"; every byte is 0, or 255 (NaN) where it is to be
 * written. Integers are shared. */
static void declare_many(FILE *out, const gen_program *p, int param, const char *suffix, const char *many, int byte) {
  const gen_param *q = &p->params[param];
  switch (q->kind) {
  case GEN_INT:
    fprintf(out, "  int %s%s = %d;\n", q->name, suffix, q->integer);
    return;
  case GEN_INTS:
    fprintf(out, "  int %s%s[%d] = {", q->name, suffix, q->extents[0]);
    for (int i = 0; i < q->extents[0]; i++) {
      fprintf(out, "%s%d", i ? ", " : "", q->integers[i]);
    }
    fputs("};\n", out);
    return;
  case GEN_REAL:
  case GEN_CELL:
    fprintf(out, "  %s %s%s%s;\n", type_names[q->type], q->name, suffix, many);
    break;
  case GEN_ARRAY:
    fprintf(out, "  %s %s%s%s[%d]", type_names[q->type], q->name, suffix, many, q->extents[0]);
    if (q->rank == 2) {
      fprintf(out, "[%d]", q->extents[1]);
    }
    fputs(";\n", out);
    break;
  case GEN_STRUCT:
  case GEN_STRUCT_PTR:
    fprintf(out, "  struct %s %s%s%s;\n", p->structs[q->structure].name, q->name, suffix, many);
    break;
  case GEN_STRUCTS:
    fprintf(out, "  struct %s %s%s%s[%d];\n", p->structs[q->structure].name, q->name, suffix, many, q->extents[0]);
    break;
  }
  fprintf(out, "  memset(&%s%s, %d, sizeof %s%s);\n", q->name, suffix, byte, q->name, suffix);
}

static void declare(FILE *out, const gen_program *p, int param, const char *suffix, int byte) {
  declare_many(out, p, param, suffix, "", byte);
}

static void pass(FILE *out, const gen_param *q, const char *suffix, bool as_result) {
  bool address = q->kind == GEN_CELL || q->kind == GEN_STRUCT_PTR || (as_result && is_by_value(q));
  fprintf(out, "%s%s%s", address ? "&" : "", q->name, suffix);
}

static void begin(FILE *out, const gen_program *p) {
  for (int i = 0; i < p->param_count; i++) {
    declare(out, p, i, "", p->params[i].role == GEN_OUTPUT ? 255 : 0);
    if (p->params[i].role != GEN_OUTPUT) {
      load(out, p, i, false, "", "in");
    }
  }
}

static void arguments(FILE *out, const gen_program *p) {
  for (int i = 0; i < p->param_count; i++) {
    fputs(i ? ", " : "", out);
    pass(out, &p->params[i], "", false);
  }
}

static void return_type(FILE *out, const gen_program *p) {
  switch (p->returns) {
  case GEN_RETURNS_VOID:
    fputs("void", out);
    break;
  case GEN_RETURNS_INT:
    fputs("int", out);
    break;
  case GEN_RETURNS_REAL:
    fputs(type_names[p->return_type], out);
    break;
  case GEN_RETURNS_STRUCT:
    fprintf(out, "struct %s", p->structs[p->return_structure].name);
    break;
  }
}

static bool returns_float(const gen_program *p) {
  return p->returns == GEN_RETURNS_REAL || p->returns == GEN_RETURNS_STRUCT;
}

/* "T name = " */
static void keep_value(FILE *out, const gen_program *p, const char *name) {
  fputs("  ", out);
  if (returns_float(p)) {
    return_type(out, p);
    fprintf(out, " %s = ", name);
  }
}

static void store_finals(FILE *out, const gen_program *p, const char *value) {
  if (value && returns_float(p)) {
    each_element(out, p, -1, true, value, "out", false);
  }
  for (int i = 0; i < p->param_count; i++) {
    if (p->params[i].role != GEN_INPUT) {
      store(out, p, i, true, "", "out");
    }
  }
}

/* --- entry points --- */

static void write_primal(FILE *out, const gen_program *p) {
  fprintf(out, "static void %s_primal(const double *in, double *out) {\n", p->name);
  begin(out, p);
  keep_value(out, p, "value");
  fprintf(out, "%s(", p->name);
  arguments(out, p);
  fputs(");\n", out);
  store_finals(out, p, "value");
  fputs("}\n\n", out);
}

static void write_vjp(FILE *out, const gen_program *p) {
  fprintf(out, "static void %s_vjp(const double *in, const double *seeds, double *out, double *bar) {\n", p->name);
  begin(out, p);
  if (returns_float(p)) {
    fputs("  ", out);
    return_type(out, p);
    fputs(" f_bar;\n  memset(&f_bar, 0, sizeof f_bar);\n", out);
    each_element(out, p, -1, true, "f_bar", "seeds", true);
  }
  for (int i = 0; i < p->param_count; i++) {
    const gen_param *q = &p->params[i];
    if (q->kind >= GEN_REAL) {
      declare(out, p, i, "_bar", q->role == GEN_INPUT ? 255 : 0);
      if (q->role != GEN_INPUT) {
        load(out, p, i, true, "_bar", "seeds");
      }
    }
  }
  keep_value(out, p, "value");
  fprintf(out, "tl_vjp(%s)(", p->name);
  arguments(out, p);
  if (returns_float(p)) {
    fputs(", f_bar", out);
  }
  for (int i = 0; i < p->param_count; i++) {
    if (p->params[i].role != GEN_INPUT) {
      fputs(", ", out);
      pass(out, &p->params[i], "_bar", true);
    }
  }
  for (int i = 0; i < p->param_count; i++) {
    if (is_wrt(&p->params[i]) && p->params[i].role == GEN_INPUT) {
      fputs(", ", out);
      pass(out, &p->params[i], "_bar", true);
    }
  }
  fputs(");\n", out);
  store_finals(out, p, "value");
  for (int i = 0; i < p->param_count; i++) {
    if (is_wrt(&p->params[i])) {
      store(out, p, i, false, "_bar", "bar");
    }
  }
  fputs("}\n\n", out);
}

static void write_jvp(FILE *out, const gen_program *p) {
  bool float_value = returns_float(p), has_value = p->jvp_has_value;
  fprintf(out, "static void %s_jvp(const double *in, const double *dot, double *out, double *out_dot) {\n", p->name);
  begin(out, p);
  if (float_value && has_value) {
    fputs("  ", out);
    return_type(out, p);
    fputs(" f_dot;\n  memset(&f_dot, 255, sizeof f_dot);\n", out);
  }
  for (int i = 0; i < p->param_count; i++) {
    const gen_param *q = &p->params[i];
    if (q->kind >= GEN_REAL) {
      declare(out, p, i, "_dot", q->role == GEN_OUTPUT ? 255 : 0);
      if (is_wrt(q)) {
        load(out, p, i, false, "_dot", "dot");
      }
    }
  }
  keep_value(out, p, has_value ? "value" : "f_dot");
  fprintf(out, "%s(%s)(", has_value ? "tl_value_and_jvp" : "tl_jvp", p->name);
  arguments(out, p);
  for (int i = 0; i < p->param_count; i++) {
    if (is_wrt(&p->params[i])) {
      fputs(", ", out);
      pass(out, &p->params[i], "_dot", p->params[i].role != GEN_INPUT);
    }
  }
  if (float_value && has_value) {
    fputs(", &f_dot", out);
  }
  for (int i = 0; i < p->param_count; i++) {
    if (p->params[i].role == GEN_OUTPUT) {
      fputs(", ", out);
      pass(out, &p->params[i], "_dot", true);
    }
  }
  fputs(");\n", out);
  store_finals(out, p, has_value ? "value" : NULL);
  if (float_value) {
    each_element(out, p, -1, true, "f_dot", "out_dot", false);
  }
  for (int i = 0; i < p->param_count; i++) {
    if (p->params[i].role != GEN_INPUT) {
      store(out, p, i, true, "_dot", "out_dot");
    }
  }
  fputs("}\n\n", out);
}

static void write_grad(FILE *out, const gen_program *p) {
  int wrt = 0, only = 0;
  for (int i = 0; i < p->param_count; i++) {
    if (is_wrt(&p->params[i])) {
      declare(out, p, i, "_bar", 255);
      wrt++;
      only = i;
    }
  }
  bool returned = !p->jvp_has_value && wrt == 1 && p->params[only].kind == GEN_REAL;
  fputs("  ", out);
  if (returned) {
    fprintf(out, "%s_bar = ", p->params[only].name);
  }
  fprintf(out, "%s(%s)(", p->jvp_has_value ? "tl_value_and_grad" : "tl_grad", p->name);
  arguments(out, p);
  for (int i = 0; i < p->param_count && !returned; i++) {
    if (is_wrt(&p->params[i])) {
      fputs(", ", out);
      pass(out, &p->params[i], "_bar", true);
    }
  }
  fputs(");\n", out);
  for (int i = 0; i < p->param_count; i++) {
    if (is_wrt(&p->params[i])) {
      store(out, p, i, false, "_bar", "result");
    }
  }
}

static gen_real widest(const gen_program *p, int param, bool outs, gen_real before) {
  const gen_leaf *leaves = outs ? p->out_leaves : p->in_leaves;
  int count = outs ? p->out_leaf_count : p->in_leaf_count;
  for (int i = 0; i < count; i++) {
    before = leaves[i].param == param && leaves[i].type == GEN_F64 ? GEN_F64 : before;
  }
  return before;
}

static void write_matrices(FILE *out, const gen_program *p) {
  bool hessian = p->extra == GEN_EXTRA_HESSIAN;
  int columns = gen_param_leaf_count(p, p->extra_wrt, false), rows[GEN_MAX_PARAMS + 1], count = 0;
  for (int i = -1; i < p->param_count; i++) {
    bool is_row = i < 0 ? returns_float(p) : p->params[i].role != GEN_INPUT;
    if (hessian ? i == p->extra_wrt : is_row) {
      rows[count] = gen_param_leaf_count(p, i, !hessian);
      gen_real type = widest(p, p->extra_wrt, false, widest(p, i, !hessian, GEN_F32));
      fprintf(out, "  %s j%d[%d][%d];\n  memset(j%d, 255, sizeof j%d);\n", type_names[type], count, rows[count],
              columns, count, count);
      count++;
    }
  }
  /* gcc 12 mistranslates some callers that see through to the stores (-O2, loop distribution). */
  for (int i = 0; i < count; i++) {
    fprintf(out, "  __asm__ volatile(\"\" : : \"r\"(j%d) : \"memory\");\n", i);
  }
  fprintf(out, "  %s(%s, %s)(",
          hessian                          ? "tl_hessian"
          : p->extra == GEN_EXTRA_JACOBIAN ? "tl_jacobian"
                                           : "tl_jacobian_reverse",
          p->name, p->params[p->extra_wrt].name);
  arguments(out, p);
  for (int i = 0; i < count; i++) {
    fprintf(out, ", j%d", i);
  }
  fputs(");\n", out);
  for (int i = 0; i < count; i++) {
    fprintf(out, "  __asm__ volatile(\"\" : : \"r\"(j%d) : \"memory\");\n", i);
  }
  fputs("  int at = 0;\n", out);
  for (int i = 0; i < count; i++) {
    fprintf(out,
            "  for (int i = 0; i < %d; i++) {\n    for (int j = 0; j < %d; j++) {\n      result[at++] = j%d[i][j];\n   "
            " }\n  }\n",
            rows[i], columns, i);
  }
}

int gen_extra_count(const gen_program *p) {
  int columns = gen_param_leaf_count(p, p->extra_wrt, false);
  switch (p->extra) {
  case GEN_EXTRA_NONE:
    return 0;
  case GEN_EXTRA_GRAD:
    return p->in_count;
  case GEN_EXTRA_JACOBIAN:
  case GEN_EXTRA_JACOBIAN_REVERSE:
    return p->out_count * columns;
  case GEN_EXTRA_HESSIAN:
    return columns * columns;
  }
  return 0;
}

static void write_extra(FILE *out, const gen_program *p) {
  if (p->extra == GEN_EXTRA_NONE) {
    return;
  }
  fprintf(out, "static void %s_extra(const double *in, double *result) {\n", p->name);
  begin(out, p);
  if (p->extra == GEN_EXTRA_GRAD) {
    write_grad(out, p);
  } else {
    write_matrices(out, p);
  }
  fputs("}\n\n", out);
}

/* --- batches --- */

/* The elements of each example, to or from its part of a vector; param -1: the returned values. */
static void each_example(FILE *out, const gen_program *p, int param, bool outs, const char *name, const char *vector,
                         bool load) {
  char element[48], part[64];
  gen_set(element, sizeof element, "%s[e]", name);
  gen_set(part, sizeof part, "(%s + e * %d)", vector, outs ? p->out_count : p->in_count);
  fprintf(out, "  for (int e = 0; e < %d; e++) {\n", GEN_EXAMPLES);
  each_element(out, p, param, outs, element, part, load);
  fputs("  }\n", out);
}

static void each_example_of(FILE *out, const gen_program *p, int param, bool outs, const char *suffix,
                            const char *vector, bool load) {
  char name[32];
  gen_set(name, sizeof name, "%s%s", p->params[param].name, suffix);
  each_example(out, p, param, outs, name, vector, load);
}

static void pass_bars(FILE *out, const gen_program *p, bool of_results) {
  for (int i = 0; i < p->param_count; i++) {
    bool is_result = p->params[i].role != GEN_INPUT;
    if (of_results ? is_result : is_wrt(&p->params[i]) && !is_result) {
      fprintf(out, ", %s_bar", p->params[i].name);
    }
  }
}

static void declare_values(FILE *out, const gen_program *p, const char *name, int byte) {
  fputs("  ", out);
  return_type(out, p);
  fprintf(out, " %s[%d];\n  memset(%s, %d, sizeof %s);\n", name, GEN_EXAMPLES, name, byte, name);
}

static void write_batch(FILE *out, const gen_program *p) {
  bool derives = p->batched != GEN_BATCHED_VALUES, has_value = p->returns != GEN_RETURNS_VOID;
  char many[16];
  gen_set(many, sizeof many, "[%d]", GEN_EXAMPLES);
  fprintf(out, "static void %s_batch(const double *in, const double *seeds, double *out, double *bar) {\n", p->name);
  for (int i = 0; i < p->param_count; i++) {
    const gen_param *q = &p->params[i];
    declare_many(out, p, i, "", many, q->role == GEN_OUTPUT ? 255 : 0);
    if (q->role != GEN_OUTPUT) {
      each_example_of(out, p, i, false, "", "in", true);
    }
    if (derives && q->kind >= GEN_REAL) {
      declare_many(out, p, i, "_bar", many, q->role == GEN_INPUT ? 255 : 0);
    }
    if (derives && q->role != GEN_INPUT) {
      each_example_of(out, p, i, true, "_bar", "seeds", true);
    }
  }
  if (has_value) {
    declare_values(out, p, "value", 255);
  }
  if (derives && returns_float(p)) {
    declare_values(out, p, "f_bar", 0);
    each_example(out, p, -1, true, "f_bar", "seeds", true);
  }
  fprintf(out,
          p->batched == GEN_BATCHED_VALUES ? "  tl_vmap(%s, batch)(%d"
          : p->batched == GEN_BATCHED_VJPS ? "  tl_vmap(tl_vjp(%s), batch)(%d"
                                           : "  tl_vjp(tl_vmap(%s, batch))(%d",
          p->name, GEN_EXAMPLES);
  for (int i = 0; i < p->param_count; i++) {
    fprintf(out, ", %s", p->params[i].name);
  }
  const char *value = has_value ? ", value" : "", *f_bar = returns_float(p) ? ", f_bar" : "";
  if (p->batched == GEN_BATCHED_VJPS) {
    fputs(f_bar, out);
    pass_bars(out, p, true);
    pass_bars(out, p, false);
    fputs(value, out);
  } else {
    fputs(value, out);
    if (derives) { /* what the function returned is the last output */
      pass_bars(out, p, true);
      fputs(f_bar, out);
      pass_bars(out, p, false);
    }
  }
  fputs(");\n", out);
  if (returns_float(p)) {
    each_example(out, p, -1, true, "value", "out", false);
  }
  for (int i = 0; i < p->param_count; i++) {
    if (p->params[i].role != GEN_INPUT) {
      each_example_of(out, p, i, true, "", "out", false);
    }
    if (derives && is_wrt(&p->params[i])) {
      each_example_of(out, p, i, false, "_bar", "bar", false);
    }
  }
  fprintf(out, "%s}\n\n", derives ? "" : "  (void)seeds, (void)bar;\n");
}

/* --- files
 * -------------------------------------------------------------------------------------------------------------------
 */

static const char *const one_argument[] = {
    "sin",   "cos",       "tan",    "asin",    "acos",   "atan",   "sinh",  "cosh",      "tanh",     "asinh",
    "acosh", "atanh",     "exp",    "exp2",    "expm1",  "log",    "log2",  "log10",     "log1p",    "sqrt",
    "cbrt",  "fabs",      "erf",    "erfc",    "lgamma", "tgamma", "floor", "ceil",      "trunc",    "round",
    "rint",  "nearbyint", "logb",   "ilogb",   "j0",     "j1",     "y0",    "y1",        "jn",       "yn",
    "pow",   "atan2",     "hypot",  "fmax",    "fmin",   "fdim",   "fmod",  "remainder", "copysign", "nextafter",
    "fma",   "ldexp",     "scalbn", "scalbln", "frexp",  "modf",   "remquo"};

void gen_write(FILE *out, gen_file file, unsigned count, gen_program *const programs[]) {
  fputs("#include <math.h>\n#include <stddef.h>\n#include <string.h>\n", out);
  if (file == GEN_FILE_REFERENCE) {
    fputs("#define TL_LEN(...)\n#define TL_INOUT\ntypedef long double wide;\n#define double wide\n#define float wide\n",
          out);
    for (size_t i = 0; i < sizeof one_argument / sizeof *one_argument; i++) {
      fprintf(out, "#define %s %sl\n#define %sf %sl\n", one_argument[i], one_argument[i], one_argument[i],
              one_argument[i]);
    }
  } else if (file == GEN_FILE_PLAIN) {
    fputs("#define TL_LEN(...)\n#define TL_INOUT\ntypedef long double wide;\n", out);
  } else {
    fputs("#include <tlaloc/grad.h>\ntypedef long double wide;\n", out);
  }
  fputs("\n", out);
  for (unsigned i = 0; i < count; i++) {
    fputs(programs[i]->text, out);
    fputs("\n", out);
  }
  if (file == GEN_FILE_FRONT) {
    return;
  }
  for (unsigned i = 0; i < count; i++) {
    write_primal(out, programs[i]);
    if (file == GEN_FILE_COMPILED) {
      write_vjp(out, programs[i]);
      write_jvp(out, programs[i]);
      write_extra(out, programs[i]);
      if (programs[i]->batched) {
        write_batch(out, programs[i]);
      }
    }
  }
  if (file != GEN_FILE_COMPILED) {
    fprintf(out, "void (*const gen_%s_table[])(const double *, double *) = {\n",
            file == GEN_FILE_PLAIN ? "plain" : "reference");
  } else {
    fputs("extern const struct gen_entry {\n  void (*primal)(const double *, double *);\n"
          "  void (*vjp)(const double *, const double *, double *, double *);\n"
          "  void (*jvp)(const double *, const double *, double *, double *);\n"
          "  void (*extra)(const double *, double *);\n"
          "  void (*batch)(const double *, const double *, double *, double *);\n} gen_table[];\nconst struct "
          "gen_entry gen_table[] = {\n",
          out);
  }
  for (unsigned i = 0; i < count; i++) {
    const char *name = programs[i]->name;
    if (file != GEN_FILE_COMPILED) {
      fprintf(out, "    %s_primal,\n", name);
    } else {
      fprintf(out, "    {%s_primal, %s_vjp, %s_jvp, %s%s, %s%s},\n", name, name, name, programs[i]->extra ? name : "",
              programs[i]->extra ? "_extra" : "0", programs[i]->batched ? name : "",
              programs[i]->batched ? "_batch" : "0");
    }
  }
  fputs("};\n", out);
}

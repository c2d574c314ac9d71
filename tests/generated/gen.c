#include "gen.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gen_priv.h"

const char *const gen_feature_names[GEN_FEATURE_COUNT] = {
#define GEN_NAME(name) #name,
    GEN_FEATURE_MAP(GEN_NAME)
#undef GEN_NAME
};

unsigned gen_pick(gen *g, unsigned n) { return gen_tape_pick(g->tape, n ? n : 1); }
bool gen_chance(gen *g, unsigned percent) {
  return percent && gen_tape_pick(g->tape, 100) >= 100 - (percent > 100 ? 100 : percent);
}
bool gen_may(gen *g, gen_feature f) { return g->allowed >> f & 1; }
void gen_mark(gen *g, gen_feature f) { g->p->features |= (uint64_t)1 << f; }

const char *gen_format(gen *g, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = NULL;
  int length = vasprintf(&text, format, args);
  va_end(args);
  struct chunk *c = malloc(sizeof *c + (size_t)length + 1);
  memcpy(c->text, text, (size_t)length + 1);
  free(text);
  c->next = g->chunks;
  g->chunks = c;
  return c->text;
}

void gen_say(gen *g, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = NULL;
  int length = vasprintf(&text, format, args), pad = length ? 2 * g->indent : 0;
  va_end(args);
  size_t need = g->length + (size_t)length + (size_t)pad + 2;
  if (need > g->capacity) {
    g->capacity = need * 2;
    g->text = realloc(g->text, g->capacity);
  }
  memset(g->text + g->length, ' ', (size_t)pad);
  memcpy(g->text + g->length + pad, text, (size_t)length);
  g->length += (size_t)(pad + length);
  g->text[g->length++] = '\n';
  g->text[g->length] = '\0';
  free(text);
}

const char *gen_type_name(gen_real t) { return t == GEN_F64 ? "double" : t == GEN_F32 ? "float" : "wide"; }

gen_real gen_pick_type(gen *g) {
  if (gen_chance(g, (unsigned)g->float_share)) {
    g->p->has_float = true;
    gen_mark(g, GEN_HAS_floats);
    return GEN_F32;
  }
  if (gen_chance(g, (unsigned)g->wide_share)) {
    gen_mark(g, GEN_HAS_long_doubles);
    return GEN_F80;
  }
  return GEN_F64;
}

const char *gen_name(gen *g, const char *stem) { return gen_format(g, "%s%u", stem, g->names++); }

var *gen_add_var(gen *g, var_kind kind, const char *name) {
  if (g->var_count == MAX_VARS) {
    memmove(&g->vars[MAX_VARS / 2], &g->vars[MAX_VARS / 2 + 1], sizeof g->vars[0] * (MAX_VARS / 2 - 1));
    g->var_count--;
  }
  var *v = &g->vars[g->var_count++];
  *v = (var){.kind = kind};
  gen_set(v->name, sizeof v->name, "%s", name);
  gen_set(v->root, sizeof v->root, "%s", name);
  return v;
}

/* --- types --- */

static void make_struct(gen *g) {
  gen_program *p = g->p;
  int at = p->struct_count;
  gen_struct *s = &p->structs[at];
  gen_set(s->name, sizeof s->name, "%s_s%d", p->name, at);
  s->count = 1 + (int)gen_pick(g, 4);
  for (int i = 0; i < s->count; i++) {
    gen_field *f = &s->fields[i];
    *f = (gen_field){.nested = -1};
    gen_set(f->name, sizeof f->name, "m%d", i);
    f->is_int = i > 0 && gen_chance(g, 20);
    if (!f->is_int && at > 0 && gen_chance(g, 25)) {
      f->nested = (int)gen_pick(g, (unsigned)at);
    } else if (!f->is_int) {
      f->type = gen_chance(g, (unsigned)g->float_share) ? GEN_F32 : GEN_F64;
      g->p->has_float |= f->type == GEN_F32;
      f->extent = gen_chance(g, 25) ? 2 + (int)gen_pick(g, 2) : 0;
    }
  }
  p->struct_count++;
  gen_say(g, "struct %s {", s->name);
  for (int i = 0; i < s->count; i++) {
    const gen_field *f = &s->fields[i];
    const char *extent = f->extent ? gen_format(g, "[%d]", f->extent) : "";
    const char *type = f->is_int        ? "int"
                       : f->nested >= 0 ? gen_format(g, "struct %s", p->structs[f->nested].name)
                                        : gen_type_name(f->type);
    gen_say(g, "  %s %s%s;", type, f->name, extent);
  }
  gen_say(g, "};");
  gen_say(g, "%s", "");
}

static void add_leaves(const gen_program *p, gen_leaf *leaves, int *count, int *flat, gen_leaf base, int structure) {
  const gen_struct *s = &p->structs[structure];
  for (int i = 0; i < s->count; i++) {
    const gen_field *f = &s->fields[i];
    gen_leaf leaf = base;
    size_t used = strlen(leaf.path);
    gen_set(leaf.path + used, sizeof leaf.path - used, ".%s%s", f->name, f->extent ? "[#]" : "");
    if (f->extent && leaf.rank < 3) {
      leaf.extents[leaf.rank++] = f->extent;
      leaf.count *= f->extent;
    }
    if (f->nested >= 0) {
      add_leaves(p, leaves, count, flat, leaf, f->nested);
    } else if (!f->is_int && *count < GEN_MAX_LEAVES) {
      leaf.type = f->type;
      leaf.at = *flat;
      *flat += leaf.count;
      leaves[(*count)++] = leaf;
    }
  }
}

static void add_param_leaves(const gen_program *p, int param, gen_leaf *leaves, int *count, int *flat) {
  const gen_param *q = &p->params[param];
  gen_leaf leaf = {.param = param, .type = q->type, .count = 1};
  switch (q->kind) {
  case GEN_INT:
  case GEN_INTS:
    return;
  case GEN_STRUCTS:
    gen_set(leaf.path, sizeof leaf.path, "[#]");
    leaf.rank = 1;
    leaf.extents[0] = leaf.count = q->extents[0];
    add_leaves(p, leaves, count, flat, leaf, q->structure);
    return;
  case GEN_STRUCT:
  case GEN_STRUCT_PTR:
    add_leaves(p, leaves, count, flat, leaf, q->structure);
    return;
  case GEN_ARRAY:
    leaf.rank = q->rank;
    for (int i = 0; i < q->rank; i++) {
      leaf.extents[i] = q->extents[i];
      leaf.count *= q->extents[i];
    }
    gen_set(leaf.path, sizeof leaf.path, q->rank == 2 ? "[#][#]" : "[#]");
    break;
  case GEN_REAL:
  case GEN_CELL:
    break;
  }
  leaf.at = *flat;
  *flat += leaf.count;
  if (*count < GEN_MAX_LEAVES) {
    leaves[(*count)++] = leaf;
  }
}

static void find_leaves(gen_program *p) {
  if (p->returns == GEN_RETURNS_REAL) {
    p->out_leaves[p->out_leaf_count++] =
        (gen_leaf){.param = -1, .type = p->return_type, .count = 1, .at = p->out_count++};
  } else if (p->returns == GEN_RETURNS_STRUCT) {
    add_leaves(p, p->out_leaves, &p->out_leaf_count, &p->out_count, (gen_leaf){.param = -1, .count = 1},
               p->return_structure);
  }
  for (int i = 0; i < p->param_count; i++) {
    if (p->params[i].role != GEN_OUTPUT) {
      add_param_leaves(p, i, p->in_leaves, &p->in_leaf_count, &p->in_count);
    }
    if (p->params[i].role != GEN_INPUT) {
      add_param_leaves(p, i, p->out_leaves, &p->out_leaf_count, &p->out_count);
    }
  }
}

/* --- parameters --- */

static var *param_var(gen *g, const gen_param *p) {
  static const var_kind kinds[] = {VAR_INT,   VAR_INTS,   VAR_REAL,   VAR_ARRAY,
                                   VAR_ARRAY, VAR_STRUCT, VAR_STRUCT, VAR_STRUCTS};
  var *v = gen_add_var(g, kinds[p->kind], p->name);
  v->type = p->type;
  v->structure = p->structure;
  v->writable = p->role != GEN_INPUT || p->kind == GEN_REAL || p->kind == GEN_STRUCT;
  v->rank = p->kind == GEN_CELL ? 1 : p->rank;
  v->arrow = p->kind == GEN_STRUCT_PTR;
  v->is_pointer = p->kind == GEN_CELL;
  return v;
}

static extent pick_extent(gen *g, int *n) {
  gen_param *p = g->p->params;
  for (int i = 0; i < g->p->param_count; i++) {
    if (p[i].kind == GEN_INT && gen_chance(g, 60)) {
      extent e = {.min = p[i].integer, .max = p[i].integer};
      gen_set(e.text, sizeof e.text, "%s", p[i].name);
      *n = p[i].integer;
      return e;
    }
  }
  *n = 2 + (int)gen_pick(g, 3);
  extent e = {.min = *n, .max = *n};
  gen_set(e.text, sizeof e.text, "%d", *n);
  return e;
}

static void add_int(gen *g) {
  gen_param *p = &g->p->params[g->p->param_count];
  *p = (gen_param){.kind = GEN_INT, .integer = 2 + (int)gen_pick(g, 3)};
  gen_set(p->name, sizeof p->name, "n%d", g->p->param_count);
  static const char *const types[] = {"int", "size_t", "unsigned", "long"};
  gen_set(p->declarator, sizeof p->declarator, "%s %s", types[gen_pick(g, 4)], p->name);
  g->p->param_count++;
  var *v = param_var(g, p);
  v->lo = v->hi = p->integer;
}

static void add_real(gen *g) {
  gen_param *p = &g->p->params[g->p->param_count];
  *p = (gen_param){.kind = GEN_REAL, .type = gen_pick_type(g)};
  p->type = p->type == GEN_F80 ? GEN_F64 : p->type;
  gen_set(p->name, sizeof p->name, "x%d", g->p->param_count);
  gen_set(p->declarator, sizeof p->declarator, "%s%s %s", gen_chance(g, 10) ? "const " : "", gen_type_name(p->type),
          p->name);
  g->p->param_count++;
  param_var(g, p)->writable = strncmp(p->declarator, "const", 5) != 0;
}

static gen_role pick_role(gen *g) {
  if (gen_chance(g, 55)) {
    if (gen_may(g, GEN_HAS_outputs) && gen_chance(g, 50)) {
      gen_mark(g, GEN_HAS_outputs);
      return GEN_OUTPUT;
    }
    if (gen_may(g, GEN_HAS_inouts)) {
      gen_mark(g, GEN_HAS_inouts);
      return GEN_INOUT;
    }
  }
  return GEN_INPUT;
}

static void add_array(gen *g) {
  int at = g->p->param_count;
  gen_param *p = &g->p->params[at];
  gen_real type = gen_pick_type(g);
  *p = (gen_param){.kind = GEN_ARRAY, .type = type == GEN_F80 ? GEN_F64 : type, .role = pick_role(g), .rank = 1};
  gen_set(p->name, sizeof p->name, "a%d", at);
  extent e[2];
  e[0] = pick_extent(g, &p->extents[0]);
  if (gen_may(g, GEN_HAS_matrices) && gen_chance(g, 30)) {
    p->rank = 2;
    e[1] = pick_extent(g, &p->extents[1]);
    gen_mark(g, GEN_HAS_matrices);
  }
  const char *qualifier = p->role == GEN_INPUT && !gen_chance(g, 25) ? "const " : "", *t = gen_type_name(p->type);
  if (p->rank == 2) {
    gen_set(p->declarator, sizeof p->declarator, "%s%s %s[%s][%s]", qualifier, t, p->name, e[0].text, e[1].text);
  } else {
    const char *form =
        (const char *const[]){"%s%s %s[%s]", "%s%s %s[static %s]", "%s%s *%s TL_LEN(%s)"}[gen_pick(g, 3)];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    gen_set(p->declarator, sizeof p->declarator, form, qualifier, t, p->name, e[0].text);
#pragma GCC diagnostic pop
  }
  g->p->param_count++;
  var *v = param_var(g, p);
  v->extents[0] = e[0], v->extents[1] = p->rank == 2 ? e[1] : e[0];
  gen_mark(g, GEN_HAS_arrays);
}

static void add_ints(gen *g) {
  int at = g->p->param_count;
  gen_param *p = &g->p->params[at];
  *p = (gen_param){.kind = GEN_INTS, .rank = 1};
  gen_set(p->name, sizeof p->name, "idx%d", at);
  extent e = pick_extent(g, &p->extents[0]);
  gen_set(p->declarator, sizeof p->declarator, "const int %s[%s]", p->name, e.text);
  for (int i = 0; i < p->extents[0]; i++) {
    p->integers[i] = (int)gen_pick(g, 2);
  }
  g->p->param_count++;
  var *v = param_var(g, p);
  v->extents[0] = e;
  v->lo = 0, v->hi = 1;
}

static void add_cell(gen *g) {
  int at = g->p->param_count;
  gen_param *p = &g->p->params[at];
  gen_real type = gen_pick_type(g);
  *p = (gen_param){.kind = GEN_CELL, .type = type == GEN_F80 ? GEN_F64 : type, .role = pick_role(g)};
  gen_set(p->name, sizeof p->name, "c%d", at);
  gen_set(p->declarator, sizeof p->declarator, "%s%s *%s", p->role == GEN_INPUT ? "const " : "", gen_type_name(p->type),
          p->name);
  g->p->param_count++;
  var *v = param_var(g, p);
  v->extents[0] = (extent){"1", 1, 1};
}

static void add_struct(gen *g) {
  int at = g->p->param_count;
  gen_param *p = &g->p->params[at];
  *p = (gen_param){.kind = GEN_STRUCT, .structure = (int)gen_pick(g, (unsigned)g->p->struct_count)};
  gen_set(p->name, sizeof p->name, "v%d", at);
  const char *name = g->p->structs[p->structure].name;
  gen_mark(g, GEN_HAS_structs);
  extent e = {"1", 1, 1};
  if (gen_may(g, GEN_HAS_struct_pointers) && gen_chance(g, 55)) {
    gen_mark(g, GEN_HAS_struct_pointers);
    p->kind = GEN_STRUCT_PTR;
    p->role = pick_role(g) == GEN_INPUT ? GEN_INPUT : GEN_INOUT;
    const char *qualifier = p->role == GEN_INPUT ? "const " : "";
    if (gen_chance(g, 35)) {
      p->kind = GEN_STRUCTS, p->rank = 1;
      e = pick_extent(g, &p->extents[0]);
      gen_set(p->declarator, sizeof p->declarator, "%sstruct %s %s[%s]", qualifier, name, p->name, e.text);
    } else {
      gen_set(p->declarator, sizeof p->declarator, "%sstruct %s *%s%s", qualifier, name, p->name,
              p->role == GEN_INOUT && gen_chance(g, 30) ? " TL_INOUT" : "");
    }
    if (p->role == GEN_INOUT) {
      gen_mark(g, GEN_HAS_inouts);
    }
  } else {
    gen_set(p->declarator, sizeof p->declarator, "struct %s %s", name, p->name);
  }
  g->p->param_count++;
  var *v = param_var(g, p);
  v->extents[0] = e;
}

static void add_params(gen *g) {
  for (unsigned k = gen_pick(g, 3); k > 0; k--) {
    add_int(g);
  }
  add_real(g);
  for (unsigned k = gen_pick(g, 5); k > 0 && g->p->param_count < GEN_MAX_PARAMS - 1; k--) {
    switch (gen_pick(g, 9)) {
    case 1:
    case 2:
    case 3:
      if (gen_may(g, GEN_HAS_arrays)) {
        add_array(g);
        break;
      }
      add_real(g);
      break;
    case 4:
      if (gen_may(g, GEN_HAS_structs) && g->p->struct_count) {
        add_struct(g);
        break;
      }
      add_real(g);
      break;
    case 5:
    case 6:
      if (gen_may(g, GEN_HAS_structs) && g->p->struct_count) {
        add_struct(g);
        break;
      }
      add_cell(g);
      break;
    case 7:
      if (gen_may(g, GEN_HAS_gathers)) {
        add_ints(g);
      } else {
        add_cell(g);
      }
      break;
    default:
      add_real(g);
      break;
    }
  }
}

/* --- the function --- */

static void touch_struct(gen *g, int structure, const char *base, bool arrow) {
  const gen_struct *s = &g->p->structs[structure];
  for (int i = 0; i < s->count; i++) {
    const gen_field *f = &s->fields[i];
    if (f->is_int) {
      continue;
    }
    const char *place = gen_format(g, "%s%s%s", base, arrow ? "->" : ".", f->name);
    if (f->extent) {
      place = gen_format(g, "%s[%u]", place, gen_pick(g, (unsigned)f->extent));
    }
    if (f->nested >= 0) {
      touch_struct(g, f->nested, place, false);
    } else {
      gen_say(g, "%s = 0.5 * %s + %s;", place, place, gen_bounded(g, 1, 1).s);
    }
    return;
  }
}

/* Outputs are written in full and in-outs read and written before anything else. */
static void begin_body(gen *g) {
  gen_program *p = g->p;
  int mark = g->var_count;
  var all[MAX_VARS];
  memcpy(all, g->vars, sizeof all);
  /* An output is not read before it is written. */
  g->var_count = 0;
  for (int i = 0; i < mark; i++) {
    if (p->params[i].role != GEN_OUTPUT) {
      g->vars[g->var_count++] = all[i];
    }
  }
  for (int i = 0; i < p->param_count; i++) {
    const gen_param *q = &p->params[i];
    if (q->role == GEN_INPUT) {
      continue;
    }
    bool reads = q->role == GEN_INOUT;
    switch (q->kind) {
    case GEN_ARRAY:
      gen_fill_array(g, q->name, q->rank, all[i].extents, reads);
      break;
    case GEN_CELL:
      gen_say(g, reads ? "*%s = 0.5 * *%s + %s;" : "*%s = %.0s%s;", q->name, q->name, gen_bounded(g, 2, 1).s);
      break;
    case GEN_STRUCT_PTR:
      touch_struct(g, q->structure, q->name, true);
      break;
    case GEN_STRUCTS:
      touch_struct(g, q->structure, gen_format(g, "%s[%d]", q->name, (int)gen_pick(g, (unsigned)q->extents[0])), false);
      break;
    default:
      break;
    }
  }
  memcpy(g->vars, all, sizeof all);
  g->var_count = mark;
}

static void add_table(gen *g) {
  const char *name = gen_format(g, "%s_table", g->p->name);
  int n = 2 + (int)gen_pick(g, 3);
  const char *text = "";
  for (int i = 0; i < n; i++) {
    double v;
    text = gen_format(g, "%s%s%s", text, i ? ", " : "", gen_literal(g, &v));
  }
  gen_say(g, "static const double %s[%d] = {%s};", name, n, text);
  gen_say(g, "%s", "");
  gen_mark(g, GEN_HAS_tables);
}

/* What a program may be made of differs from program to program, so that small mixes are seen as well as large ones. */
static void choose_mix(gen *g) {
  for (int f = 0; f < GEN_FEATURE_COUNT; f++) {
    bool common = f == GEN_HAS_loops || f == GEN_HAS_branches || f == GEN_HAS_arrays || f == GEN_HAS_math ||
                  f == GEN_HAS_inouts || f == GEN_HAS_outputs || f == GEN_HAS_struct_pointers ||
                  f == GEN_HAS_pointer_calls || f == GEN_HAS_continues;
    if (gen_chance(g, common ? 80 : 50)) {
      g->allowed |= (uint64_t)1 << f;
    }
  }
  if (gen_may(g, GEN_HAS_floats) && gen_chance(g, 35)) {
    g->float_share = gen_chance(g, 30) ? 100 : 25;
  }
  if (gen_may(g, GEN_HAS_long_doubles) && gen_chance(g, 20)) {
    g->wide_share = 20;
  }
}

static double pick_real(gen *g, double size, bool is_float) {
  double v = ((double)gen_pick(g, 2000001) / 1000000 - 1) * size;
  v = v == -size ? 0.5473 * size : v; /* decision 0 is no edge */
  return is_float ? (float)v : v;
}

static void pick_values(gen *g) {
  gen_program *p = g->p;
  for (int i = 0; i < p->in_leaf_count; i++) {
    for (int k = 0; k < p->in_leaves[i].count; k++) {
      bool f = p->in_leaves[i].type == GEN_F32;
      p->in[p->in_leaves[i].at + k] = pick_real(g, 1.3, f);
      p->dot[p->in_leaves[i].at + k] = pick_real(g, 1, f);
    }
  }
  for (int i = 0; i < p->out_leaf_count; i++) {
    for (int k = 0; k < p->out_leaves[i].count; k++) {
      p->seeds[p->out_leaves[i].at + k] = pick_real(g, 1, p->out_leaves[i].type == GEN_F32);
    }
  }
}

static void choose_extra(gen *g) {
  gen_program *p = g->p;
  p->jvp_has_value = gen_chance(g, 50);
  switch (gen_pick(g, 8)) {
  case 1:
    p->extra = p->returns == GEN_RETURNS_REAL ? GEN_EXTRA_GRAD : GEN_EXTRA_NONE;
    return;
  case 2:
    p->extra = GEN_EXTRA_JACOBIAN;
    break;
  case 3:
    p->extra = GEN_EXTRA_JACOBIAN_REVERSE;
    break;
  case 4:
  case 5:
    p->extra = p->returns == GEN_RETURNS_REAL && !p->has_float ? GEN_EXTRA_HESSIAN : GEN_EXTRA_NONE;
    break;
  default:
    return;
  }
  int fitting[GEN_MAX_PARAMS], count = 0;
  for (int i = 0; i < p->param_count; i++) {
    if (p->params[i].kind >= GEN_REAL && p->params[i].role != GEN_OUTPUT &&
        (p->extra != GEN_EXTRA_HESSIAN || gen_param_leaf_count(p, i, false) <= 8)) {
      fitting[count++] = i;
    }
  }
  if (!count) {
    p->extra = GEN_EXTRA_NONE;
    return;
  }
  p->extra_wrt = fitting[gen_pick(g, (unsigned)count)];
}

bool gen_program_init(gen_program *p, uint64_t seed, unsigned index, gen_tape *tape) {
  *p = (gen_program){.seed = seed};
  gen_set(p->name, sizeof p->name, "g%u", index);
  gen g = {.tape = tape, .p = p, .index = index, .self = -1};
  choose_mix(&g);
  if (gen_may(&g, GEN_HAS_structs)) {
    for (unsigned k = 1 + gen_pick(&g, 3); k > 0; k--) {
      make_struct(&g);
    }
  }
  bool table = gen_may(&g, GEN_HAS_tables);
  if (table) {
    add_table(&g);
  }
  if (gen_may(&g, GEN_HAS_calls)) {
    for (unsigned k = 1 + gen_pick(&g, 3); k > 0; k--) {
      gen_helper(&g);
    }
  }
  g.var_count = 0;
  add_params(&g);
  bool has_output = false;
  for (int i = 0; i < p->param_count; i++) {
    has_output |= p->params[i].role != GEN_INPUT;
  }
  unsigned way = has_output ? gen_pick(&g, 4) : 0;
  p->returns = way == 1 ? GEN_RETURNS_VOID : way == 2 ? GEN_RETURNS_INT : GEN_RETURNS_REAL;
  if (way != 1 && way != 2 && p->struct_count && gen_chance(&g, 12)) {
    p->returns = GEN_RETURNS_STRUCT;
    p->return_structure = (int)gen_pick(&g, (unsigned)p->struct_count);
    gen_mark(&g, GEN_HAS_structs);
  }
  p->return_type = gen_pick_type(&g);
  p->return_type = p->return_type == GEN_F80 ? GEN_F64 : p->return_type;
  const char *type = p->returns == GEN_RETURNS_VOID  ? "void"
                     : p->returns == GEN_RETURNS_INT ? "int"
                     : p->returns == GEN_RETURNS_STRUCT
                         ? gen_format(&g, "struct %s", p->structs[p->return_structure].name)
                         : gen_type_name(p->return_type);
  const char *params = "";
  for (int i = 0; i < p->param_count; i++) {
    params = gen_format(&g, "%s%s%s", params, i ? ", " : "", p->params[i].declarator);
  }
  gen_say(&g, "static %s %s(%s) {", type, p->name, params);
  g.indent++;
  g.returns = (int)p->returns, g.return_type = p->return_type, g.return_structure = p->return_structure;
  g.in_top = true;
  g.runs = 1;
  begin_body(&g);
  if (table) {
    var *v = gen_add_var(&g, VAR_ARRAY, gen_format(&g, "%s_table", p->name));
    const char *at = strstr(g.text, "_table[");
    v->rank = 1;
    v->extents[0] = (extent){.min = at[7] - '0', .max = at[7] - '0'};
    gen_set(v->extents[0].text, sizeof v->extents[0].text, "%c", at[7]);
  }
  g.budget = 3 + (int)gen_pick(&g, 14);
  if (gen_chance(&g, 80)) {
    gen_declare_scalar(&g);
  }
  gen_block(&g, g.budget);
  if (p->returns != GEN_RETURNS_VOID) {
    gen_return(&g);
  }
  gen_say(&g, "}");
  find_leaves(p);
  bool fits = p->in_count > 0 && p->out_count > 0 && p->in_count <= GEN_MAX_FLAT && p->out_count <= GEN_MAX_FLAT &&
              p->in_leaf_count < GEN_MAX_LEAVES && p->out_leaf_count < GEN_MAX_LEAVES;
  if (fits) {
    pick_values(&g);
    choose_extra(&g);
    p->batched = (gen_batched)gen_pick(&g, 4);
    p->features |= p->out_count > 1 ? (uint64_t)1 << GEN_HAS_several_results : 0;
  }
  for (struct chunk *c = g.chunks, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  p->text = g.text;
  if (!fits) {
    gen_program_deinit(p);
  }
  return fits;
}

void gen_program_deinit(gen_program *p) {
  free(p->text);
  p->text = NULL;
}

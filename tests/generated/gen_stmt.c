#include <string.h>

#include "gen_priv.h"

/* --- scopes
 * -------------------------------------------------------------------------------------------------------------- */

static int open_scope(gen *g) {
  g->indent++;
  return g->var_count;
}

static void close_scope(gen *g, int mark) {
  g->indent--;
  g->var_count = mark;
}

static void add_extent(extent *e, int n) {
  gen_set(e->text, sizeof e->text, "%d", n);
  e->min = e->max = n;
}

static var *add_counter(gen *g, const char *name, int lo, int hi, const char *below) {
  var *v = gen_add_var(g, VAR_INT, name);
  v->lo = lo, v->hi = hi;
  gen_set(v->below, sizeof v->below, "%s", below);
  return v;
}

/* --- declarations
 * ----------------------------------------------------------------------------------------------------- */

void gen_declare_scalar(gen *g) {
  gen_real type = gen_pick_type(g);
  const char *name = gen_name(g, "t");
  bool sum = gen_chance(g, 30), joined = !sum && gen_chance(g, 15);
  if (joined) {
    ex a = gen_bounded(g, 1, 2), b = gen_bounded(g, 1, 2);
    const char *c = gen_condition(g, 1);
    gen_say(g, "%s %s;", gen_type_name(type), name);
    gen_say(g, "if (%s) {", c);
    gen_say(g, "  %s = %s;", name, a.s);
    gen_say(g, "} else {");
    gen_say(g, "  %s = %s;", name, b.s);
    gen_say(g, "}");
    gen_mark(g, GEN_HAS_branches);
  } else {
    gen_say(g, "%s %s = %s;", gen_type_name(type), name, sum && gen_chance(g, 60) ? "0" : gen_bounded(g, 2, 2).s);
  }
  var *v = gen_add_var(g, VAR_REAL, name);
  v->type = type, v->writable = true, v->sum = sum;
}

/* Every element gets a value; in-outs keep a part of theirs where `reads`. */
void gen_fill_array(gen *g, const char *name, int rank, const extent *e, bool reads) {
  const char *i = gen_name(g, "i"), *j = rank == 2 ? gen_name(g, "jj") : "",
             *type = gen_chance(g, 30) ? "size_t" : "int";
  int mark = g->var_count;
  if (gen_chance(g, 15) && strcmp(type, "int") == 0) {
    gen_mark(g, GEN_HAS_down_loops);
    gen_say(g, "for (int %s = %s - 1; %s >= 0; %s--) {", i, e[0].text, i, i);
  } else {
    gen_say(g, "for (%s %s = 0; %s < %s%s; %s++) {", type, i, i, *type == 's' ? "(size_t)" : "", e[0].text, i);
  }
  g->indent++;
  add_counter(g, i, 0, e[0].max - 1, e[0].text);
  if (rank == 2) {
    gen_say(g, "for (int %s = 0; %s < %s; %s++) {", j, j, e[1].text, j);
    g->indent++;
    add_counter(g, j, 0, e[1].max - 1, e[1].text);
  }
  const char *place = rank == 2 ? gen_format(g, "%s[%s][%s]", name, i, j) : gen_format(g, "%s[%s]", name, i);
  if (reads) {
    gen_say(g, "%s = 0.5 * %s + %s;", place, place, gen_bounded(g, 2, 1).s);
  } else {
    gen_say(g, "%s = %s;", place, gen_bounded(g, 2, 2).s);
  }
  if (rank == 2) {
    g->indent--;
    gen_say(g, "}");
  }
  g->indent--;
  gen_say(g, "}");
  g->var_count = mark;
  gen_mark(g, GEN_HAS_loops);
}

static bool is_extent(const var *v) {
  return v->kind == VAR_INT && v->lo == v->hi && v->lo >= 2 && v->lo <= 5 && !v->below[0];
}

static void declare_array(gen *g) {
  gen_real type = gen_pick_type(g);
  int rank = gen_chance(g, 25) ? 2 : 1;
  extent e[2];
  bool variable = false;
  for (int k = 0; k < rank; k++) {
    add_extent(&e[k], 2 + (int)gen_pick(g, 3));
    for (int i = 0; i < g->var_count && gen_may(g, GEN_HAS_vlas); i++) {
      if (is_extent(&g->vars[i]) && !g->vars[i].writable && gen_chance(g, 50)) {
        gen_set(e[k].text, sizeof e[k].text, "%s", g->vars[i].name);
        e[k].min = e[k].max = g->vars[i].lo;
        variable = true;
        break;
      }
    }
  }
  const char *name = gen_name(g, "b");
  const char *declarator =
      rank == 2 ? gen_format(g, "%s[%s][%s]", name, e[0].text, e[1].text) : gen_format(g, "%s[%s]", name, e[0].text);
  gen_mark(g, GEN_HAS_local_arrays);
  if (variable) {
    gen_mark(g, GEN_HAS_vlas);
  }
  if (rank == 2) {
    gen_mark(g, GEN_HAS_matrices);
  }
  int like = -1; /* copied as a whole */
  for (int i = 0; i < g->var_count && rank == 1 && !variable; i++) {
    const var *w = &g->vars[i];
    like = w->kind == VAR_ARRAY && w->rank == 1 && w->type == type && w->extents[0].min >= e[0].max && gen_chance(g, 30)
               ? i
               : like;
  }
  if (like >= 0) {
    gen_say(g, "%s %s;", gen_type_name(type), declarator);
    gen_say(g, "memcpy(%s, %s, sizeof %s);", name, g->vars[like].name, name);
  } else if (!variable && gen_chance(g, 10)) {
    gen_say(g, "%s %s;", gen_type_name(type), declarator);
    gen_say(g, "memset(%s, 0, sizeof %s);", name, name);
  } else if (!variable && rank == 1 && gen_chance(g, 40)) {
    gen_say(g, "%s %s = {%s, %s};", gen_type_name(type), declarator, gen_bounded(g, 1, 2).s, gen_bounded(g, 1, 2).s);
  } else if (!variable && gen_chance(g, 20)) {
    gen_say(g, "%s %s = {0};", gen_type_name(type), declarator);
  } else {
    gen_say(g, "%s %s;", gen_type_name(type), declarator);
    gen_fill_array(g, name, rank, e, false);
  }
  var *v = gen_add_var(g, VAR_ARRAY, name);
  v->type = type, v->rank = rank, v->writable = true;
  v->extents[0] = e[0];
  if (rank == 2) {
    v->extents[1] = e[1];
  }
}

static const char *struct_initializer(gen *g, int structure) {
  const gen_struct *s = &g->p->structs[structure];
  const char *text = "";
  for (int i = 0; i < s->count; i++) {
    const gen_field *f = &s->fields[i];
    const char *one = "";
    for (int k = 0; k < (f->extent ? f->extent : 1); k++) {
      const char *v = f->is_int        ? gen_format(g, "%u", gen_pick(g, 4))
                      : f->nested >= 0 ? struct_initializer(g, f->nested)
                                       : gen_bounded(g, 1, 2).s;
      one = gen_format(g, "%s%s%s", one, k ? ", " : "", v);
    }
    text = gen_format(g, "%s%s", text, i ? ", " : "");
    text = f->extent ? gen_format(g, "%s{%s}", text, one) : gen_format(g, "%s%s", text, one);
  }
  return gen_format(g, "{%s}", text);
}

static void declare_structs(gen *g, int structure, const char *name) {
  int n = 2 + (int)gen_pick(g, 2);
  const char *text = struct_initializer(g, structure);
  for (int i = 1; i < n; i++) {
    text = gen_format(g, "%s, %s", text, struct_initializer(g, structure));
  }
  gen_say(g, "struct %s %s[%d] = {%s};", g->p->structs[structure].name, name, n, text);
  var *v = gen_add_var(g, VAR_STRUCTS, name);
  v->structure = structure, v->writable = true, v->rank = 1;
  add_extent(&v->extents[0], n);
}

static void declare_struct(gen *g) {
  int structure = (int)gen_pick(g, (unsigned)g->p->struct_count);
  const char *name = gen_name(g, "s");
  gen_mark(g, GEN_HAS_structs);
  if (gen_chance(g, 20)) {
    declare_structs(g, structure, name);
    return;
  }
  int same = -1;
  for (int i = 0; i < g->var_count; i++) {
    if (g->vars[i].kind == VAR_STRUCT && g->vars[i].structure == structure) {
      same = i;
    }
  }
  const char *made = NULL;
  gen_real type;
  for (int i = 0; i < g->helper_count && !made; i++) {
    if (gen_may(g, GEN_HAS_calls) && g->helpers[i].return_structure >= 0 && gen_chance(g, 40)) {
      made = gen_call(g, false, g->helpers[i].return_structure, &type);
      structure = made ? g->helpers[i].return_structure : structure;
    }
  }
  if (made) {
    gen_say(g, "struct %s %s = %s;", g->p->structs[structure].name, name, made);
  } else if (same >= 0 && gen_chance(g, 40)) {
    gen_say(g, "struct %s %s = %s%s;", g->p->structs[structure].name, name, g->vars[same].arrow ? "*" : "",
            g->vars[same].name);
  } else {
    gen_say(g, "struct %s %s = %s;", g->p->structs[structure].name, name, struct_initializer(g, structure));
  }
  var *v = gen_add_var(g, VAR_STRUCT, name);
  v->structure = structure, v->writable = true;
  if (gen_may(g, GEN_HAS_struct_pointers) && gen_chance(g, 30)) {
    const char *pointer = gen_name(g, "r");
    gen_mark(g, GEN_HAS_struct_pointers);
    gen_say(g, "struct %s *%s = &%s;", g->p->structs[structure].name, pointer, name);
    v = gen_add_var(g, VAR_STRUCT, pointer);
    v->structure = structure, v->writable = v->arrow = true;
    gen_set(v->root, sizeof v->root, "%s", name);
    gen_mark(g, GEN_HAS_aliases);
  }
}

/* A pointer into an array or to a scalar; both stay in use. */
static void declare_pointer(gen *g) {
  int fitting[MAX_VARS], count = 0;
  for (int i = 0; i < g->var_count; i++) {
    const var *v = &g->vars[i];
    if ((v->kind == VAR_ARRAY && v->extents[v->rank - 1].min >= 2) || (v->kind == VAR_REAL && v->writable && !v->sum) ||
        (v->kind == VAR_STRUCT && v->writable)) {
      fitting[count++] = i;
    }
  }
  if (!count) {
    return;
  }
  var v = g->vars[fitting[gen_pick(g, (unsigned)count)]];
  const char *name = gen_name(g, "p");
  extent e = {"1", 1, 1};
  if (v.kind == VAR_REAL) {
    gen_say(g, "%s *%s = &%s;", gen_type_name(v.type), name, v.name);
  } else if (v.kind == VAR_STRUCT) {
    const char *member = gen_struct_member(g, v.structure, v.name, v.arrow, &v.type);
    gen_say(g, "%s *%s = &%s;", gen_type_name(v.type), name, member);
  } else {
    e = v.extents[v.rank - 1];
    const char *base = v.rank == 2 ? gen_format(g, "%s[%s]", v.name, gen_index(g, &v.extents[0])) : v.name;
    if (e.min >= 3 && gen_chance(g, 50)) {
      const char *offset = gen_format(g, "%u", 1 + gen_pick(g, (unsigned)e.min - 2));
      int k = offset[0] - '0';
      gen_say(g, gen_chance(g, 50) ? "%s%s *%s = %s + %s;" : "%s%s *%s = &%s[%s];", v.writable ? "" : "const ",
              gen_type_name(v.type), name, base, offset);
      e.min -= k, e.max -= k;
      gen_set(e.text, sizeof e.text, "%d", e.min);
    } else {
      gen_say(g, "%s%s *%s = %s;", v.writable ? "" : "const ", gen_type_name(v.type), name, base);
    }
  }
  var *p = gen_add_var(g, VAR_ARRAY, name);
  p->type = v.type, p->rank = 1, p->writable = v.writable, p->is_pointer = true;
  p->extents[0] = e;
  gen_set(p->root, sizeof p->root, "%s", v.root);
  gen_mark(g, GEN_HAS_pointers);
  if (v.writable) {
    gen_mark(g, GEN_HAS_aliases);
  }
}

static void declare_int(gen *g) {
  int lo, hi;
  const char *i = gen_integer(g, &lo, &hi);
  const char *name = gen_name(g, "k");
  static const char *const types[] = {"int", "unsigned", "long", "short", "unsigned char"};
  const char *type = types[gen_pick(g, 5)];
  gen_mark(g, GEN_HAS_integers);
  gen_say(g, "%s %s = (%s)((%s * 5 + 7) & 3);", type, name, type, i);
  var *v = gen_add_var(g, VAR_INT, name);
  v->lo = 0, v->hi = 3, v->writable = true;
}

/* --- assignments ----------------------------------------------------------------------------------------------------
 */

static void assign(gen *g) {
  var *v;
  const char *place = gen_real_ref(g, true, &v);
  if (!place) {
    return;
  }
  bool sum = v->kind == VAR_REAL && v->sum;
  if (sum) {
    gen_mark(g, GEN_HAS_compound_assignments);
    const char *e = gen_bounded(g, 3, 2).s;
    switch (gen_pick(g, 4)) {
    case 1:
      gen_say(g, "%s -= %s;", place, e);
      break;
    case 2:
      gen_say(g, "%s = %s + %s;", place, place, e);
      break;
    default:
      gen_say(g, "%s += %s;", place, e);
      break;
    }
    return;
  }
  switch (gen_pick(g, 9)) {
  case 1:
    gen_mark(g, GEN_HAS_compound_assignments);
    gen_say(g, "%s *= %s;", place, gen_bounded(g, 2, 1).s);
    break;
  case 2:
    gen_mark(g, GEN_HAS_compound_assignments);
    gen_say(g, "%s /= 1.5 + %s;", place, gen_format(g, "fabs(%s)", gen_bounded(g, 2, 2).s));
    break;
  case 3: {
    gen_mark(g, GEN_HAS_compound_assignments);
    const char *e = gen_bounded(g, 2, 2).s, *op = gen_chance(g, 50) ? "+" : "-";
    gen_say(g, "%s %s= %s;", place, op, e);
    gen_say(g, gen_chance(g, 50) ? "%s *= 0.5;" : "%s /= 2;", place);
    break;
  }
  case 4:
    gen_say(g, "%s = 0.5 * %s + %s;", place, place, gen_bounded(g, 2, 1).s);
    break;
  case 5: {
    var *w;
    const char *other = gen_real_ref(g, true, &w);
    if (gen_may(g, GEN_HAS_commas) && !(w->kind == VAR_REAL && w->sum) && w != v && w->kind == VAR_REAL &&
        v->kind == VAR_REAL) {
      gen_mark(g, GEN_HAS_commas);
      gen_say(g, "%s = (%s = %s, 0.5 * %s);", place, other, gen_bounded(g, 2, 2).s, other);
    } else if (gen_may(g, GEN_HAS_chained) && !(w->kind == VAR_REAL && w->sum) && w->type == v->type &&
               w->kind != VAR_STRUCT && w->kind != VAR_STRUCTS && v->kind != VAR_STRUCT && v->kind != VAR_STRUCTS) {
      gen_mark(g, GEN_HAS_chained);
      gen_say(g, "%s = %s = %s;", place, other, gen_bounded(g, 2, 2).s);
    }
    break;
  }
  default:
    gen_say(g, "%s = %s;", place, gen_bounded(g, 3, 2).s);
    break;
  }
}

static void swap(gen *g) {
  for (int i = 0; i < g->var_count; i++) {
    var *v = &g->vars[i];
    if (v->kind == VAR_ARRAY && v->writable && v->rank == 1 && v->extents[0].min >= 2) {
      const char *a = gen_index(g, &v->extents[0]), *b = gen_index(g, &v->extents[0]), *t = gen_name(g, "t");
      gen_say(g, "%s %s = %s[%s];", gen_type_name(v->type), t, v->name, a);
      gen_say(g, "%s[%s] = %s[%s];", v->name, a, v->name, b);
      gen_say(g, "%s[%s] = %s;", v->name, b, t);
      return;
    }
  }
  assign(g);
}

static void assign_struct(gen *g) {
  int from = -1, to = -1;
  for (int i = 0; i < g->var_count; i++) {
    for (int k = 0; k < g->var_count; k++) {
      if (i != k && g->vars[i].kind == VAR_STRUCT && g->vars[k].kind == VAR_STRUCT &&
          g->vars[i].structure == g->vars[k].structure && g->vars[k].writable && gen_chance(g, 40)) {
        from = i, to = k;
      }
    }
  }
  if (from < 0) {
    assign(g);
    return;
  }
  gen_say(g, "%s%s = %s%s;", g->vars[to].arrow ? "*" : "", g->vars[to].name, g->vars[from].arrow ? "*" : "",
          g->vars[from].name);
}

static void pointer_out(gen *g) {
  gen_real type = gen_pick_type(g);
  const char *name = gen_name(g, "t"), *x = gen_bounded(g, 1, 2).s;
  if (type == GEN_F80) {
    type = GEN_F64;
  }
  const char *f = type == GEN_F32 ? "f" : "", *t = gen_type_name(type);
  gen_mark(g, GEN_HAS_math);
  switch (gen_pick(g, 3)) {
  case 1: {
    const char *k = gen_name(g, "k");
    gen_say(g, "int %s;", k);
    gen_say(g, "%s %s = 0.8 * frexp%s(3.3 + %s, &%s);", t, name, f, x, k);
    gen_say(g, "%s += 0.25 * %s - 0.5;", name, k);
    break;
  }
  case 2: {
    const char *k = gen_name(g, "k");
    gen_say(g, "int %s;", k);
    gen_say(g, "%s %s = remquo%s(2 * %s, 1.7, &%s);", t, name, f, x, k);
    gen_say(g, "%s += 0.125 * (%s & 3);", name, k);
    break;
  }
  default: {
    const char *whole = gen_name(g, "w");
    gen_say(g, "%s %s;", t, whole);
    gen_say(g, "%s %s = modf%s(1.9 * %s, &%s);", t, name, f, x, whole);
    gen_say(g, "%s += 0.2 * %s;", name, whole);
    break;
  }
  }
  var *v = gen_add_var(g, VAR_REAL, name);
  v->type = type, v->writable = true;
}

static void call(gen *g) {
  gen_real type;
  const char *name = gen_name(g, "t");
  const char *text = gen_call(g, false, -1, &type);
  if (!text) {
    assign(g);
    return;
  }
  gen_say(g, "%s %s = %s;", gen_type_name(type), name, text);
  var *v = gen_add_var(g, VAR_REAL, name);
  v->type = type, v->writable = true;
}

/* --- control
 * ---------------------------------------------------------------------------------------------------------- */

static void inner_block(gen *g, int statements) {
  int mark = open_scope(g);
  gen_block(g, statements);
  close_scope(g, mark);
}

static void leave(gen *g) {
  /* an exit under a condition */
  const char *c = gen_condition(g, 1);
  switch (gen_pick(g, 3)) {
  case 1:
    if (g->continues && gen_may(g, GEN_HAS_continues)) {
      gen_mark(g, GEN_HAS_continues);
      gen_say(g, "if (%s) {", c);
      gen_say(g, "  continue;");
      gen_say(g, "}");
      return;
    }
    break;
  case 2:
    if (gen_may(g, GEN_HAS_early_returns)) {
      gen_mark(g, GEN_HAS_early_returns);
      gen_say(g, "if (%s) {", c);
      g->indent++;
      gen_return(g);
      g->indent--;
      gen_say(g, "}");
      return;
    }
    break;
  default:
    break;
  }
  if (g->breaks) {
    gen_mark(g, GEN_HAS_exits);
    gen_say(g, "if (%s) {", c);
    gen_say(g, "  break;");
    gen_say(g, "}");
  }
}

static void branch(gen *g) {
  const char *c = gen_condition(g, 2);
  gen_mark(g, GEN_HAS_branches);
  var *v;
  if (gen_may(g, GEN_HAS_condition_assignments) && gen_real_at_hand(g, true) && gen_chance(g, 25)) {
    const char *place = gen_real_ref(g, true, &v);
    if (v->kind == VAR_REAL && !v->sum) {
      gen_mark(g, GEN_HAS_condition_assignments);
      c = gen_format(g, "(%s = %s) > 0.1931", place, gen_bounded(g, 2, 2).s);
    }
  }
  gen_say(g, "if (%s) {", c);
  inner_block(g, 1 + (int)gen_pick(g, 3));
  unsigned more = gen_pick(g, 4);
  if (more == 2) {
    gen_say(g, "} else if (%s) {", gen_condition(g, 1));
    inner_block(g, 1 + (int)gen_pick(g, 2));
  }
  if (more >= 2) {
    gen_say(g, "} else {");
    inner_block(g, 1 + (int)gen_pick(g, 2));
  }
  gen_say(g, "}");
}

static void switch_on(gen *g) {
  int lo, hi;
  const char *i = gen_integer(g, &lo, &hi);
  gen_mark(g, GEN_HAS_switches);
  gen_say(g, "switch (%s) {", i);
  bool breaks = g->breaks;
  g->breaks = false; /* a break here leaves the switch, which the last statement of a case does */
  int cases = 1 + (int)gen_pick(g, 3);
  bool has_default = gen_chance(g, 70);
  int default_at = (int)gen_pick(g, (unsigned)cases + 1);
  for (int k = 0; k <= cases; k++) {
    if (k == default_at && has_default) {
      gen_say(g, "  default: {");
    } else if (k < cases) {
      gen_say(g, "  case %d: {", lo + k);
    } else {
      break;
    }
    g->indent++;
    inner_block(g, 1);
    if (k < cases && gen_may(g, GEN_HAS_fall_through) && gen_chance(g, 35)) {
      gen_mark(g, GEN_HAS_fall_through);
    } else {
      gen_say(g, "  break;");
    }
    g->indent--;
    gen_say(g, "  }");
  }
  g->breaks = breaks;
  gen_say(g, "}");
}

static void jump(gen *g) {
  const char *label = gen_name(g, "l");
  gen_mark(g, GEN_HAS_gotos);
  gen_say(g, "if (%s) {", gen_condition(g, 1));
  gen_say(g, "  goto %s;", label);
  gen_say(g, "}");
  gen_say(g, "{");
  inner_block(g, 1 + (int)gen_pick(g, 2));
  gen_say(g, "}");
  gen_say(g, "%s:;", label);
}

/* The bound of a counted loop: an extent in scope or a constant. */
static extent pick_bound(gen *g) {
  extent found[8], e;
  int count = 0;
  for (int i = g->var_count - 1; i >= 0 && count < 8; i--) {
    const var *v = &g->vars[i];
    if (v->kind == VAR_ARRAY || v->kind == VAR_STRUCTS || v->kind == VAR_INTS) {
      found[count++] = v->extents[v->kind == VAR_ARRAY && v->rank == 2 && gen_chance(g, 50)];
    } else if (is_extent(v)) {
      gen_set(e.text, sizeof e.text, "%s", v->name);
      e.min = e.max = v->lo;
      found[count++] = e;
    }
  }
  if (count && !gen_chance(g, 25)) {
    return found[gen_pick(g, (unsigned)count)];
  }
  add_extent(&e, 1 + (int)gen_pick(g, 5));
  return e;
}

static void loop_body(gen *g, int runs, bool continues) {
  bool breaks = g->breaks, old_continues = g->continues;
  int old_runs = g->runs;
  g->runs *= runs;
  g->loops++;
  g->breaks = true, g->continues = continues;
  if (g->loops > 1) {
    gen_mark(g, GEN_HAS_nested_loops);
  }
  gen_block(g, 1 + (int)gen_pick(g, 3));
  if (gen_may(g, GEN_HAS_exits) && gen_chance(g, 30)) {
    leave(g);
    gen_block(g, 1);
  }
  g->loops--;
  g->runs = old_runs;
  g->breaks = breaks, g->continues = old_continues;
}

static void while_loop(gen *g) {
  extent e = pick_bound(g);
  const char *i = gen_name(g, "i"), *c = "";
  bool runs_once = gen_may(g, GEN_HAS_do_loops) && gen_chance(g, 35), early = gen_chance(g, 30);
  if (gen_chance(g, 40)) {
    c = gen_format(g, " && %s", gen_condition(g, 0));
  }
  gen_say(g, "int %s = 0;", i);
  int mark = g->var_count;
  if (runs_once) {
    gen_mark(g, GEN_HAS_do_loops);
    gen_say(g, "do {");
    g->indent++;
    add_counter(g, i, 0, e.max - 1 > 0 ? e.max - 1 : 0, e.min >= 1 ? e.text : "");
    loop_body(g, e.max, false);
    gen_say(g, "%s++;", i);
    close_scope(g, mark);
    gen_say(g, "} while (%s < %s%s);", i, e.text, c);
  } else if (early) { /* the increment comes first, so that `continue` is safe */
    gen_mark(g, GEN_HAS_while_loops);
    gen_say(g, "while (%s < %s%s) {", i, e.text, c);
    g->indent++;
    const char *k = gen_name(g, "k");
    gen_say(g, "int %s = %s++;", k, i);
    add_counter(g, k, 0, e.max - 1, e.text);
    loop_body(g, e.max, true);
    close_scope(g, mark);
    gen_say(g, "}");
  } else {
    gen_mark(g, GEN_HAS_while_loops);
    gen_say(g, "while (%s < %s%s) {", i, e.text, c);
    g->indent++;
    add_counter(g, i, 0, e.max - 1, e.text);
    loop_body(g, e.max, false);
    gen_say(g, "%s++;", i);
    close_scope(g, mark);
    gen_say(g, "}");
  }
  add_counter(g, i, 0, e.max, "");
}

/* A pointer walks an array: s += *p++. */
static void walk(gen *g) {
  for (int k = g->var_count - 1; k >= 0; k--) {
    var v = g->vars[k];
    if (v.kind != VAR_ARRAY || v.rank != 1 || v.is_pointer || v.extents[0].min < 1) {
      continue;
    }
    const char *p = gen_name(g, "p"), *i = gen_name(g, "i"), *s = gen_name(g, "t");
    gen_mark(g, GEN_HAS_pointer_walks);
    gen_mark(g, GEN_HAS_loops);
    gen_say(g, "%s %s = 0;", gen_type_name(v.type), s);
    var *sum = gen_add_var(g, VAR_REAL, s);
    sum->type = v.type, sum->writable = sum->sum = true;
    int mark = g->var_count;
    const char *qualifier = v.writable && gen_chance(g, 50) ? "" : "const ";
    gen_say(g, "%s%s *%s = %s;", qualifier, gen_type_name(v.type), p, v.name);
    if (gen_chance(g, 30)) {
      const char *end = gen_name(g, "e");
      gen_say(g, "const %s *%s = %s + %s;", gen_type_name(v.type), end, v.name, v.extents[0].text);
      gen_say(g, "while (%s != %s) {", p, end);
    } else {
      gen_say(g, "for (int %s = 0; %s < %s; %s++) {", i, i, v.extents[0].text, i);
    }
    if (!*qualifier && gen_chance(g, 60)) {
      gen_say(g, "  %s += *%s;", s, p);
      gen_say(g, "  *%s++ = %s;", p, gen_bounded(g, 1, 2).s);
    } else {
      gen_say(g, "  %s += %s * *%s++;", s, gen_bounded(g, 1, 1).s, p);
    }
    gen_say(g, "}");
    g->var_count = mark;
    return;
  }
  assign(g);
}

static void for_loop(gen *g) {
  extent e = pick_bound(g);
  const char *i = gen_name(g, "i");
  int mark = g->var_count, lo = 0, hi = e.max - 1;
  const char *below = e.text;
  gen_mark(g, GEN_HAS_loops);
  switch (gen_pick(g, 9)) {
  case 1:
    gen_mark(g, GEN_HAS_down_loops);
    gen_say(g, "for (int %s = %s - 1; %s >= 0; %s--) {", i, e.text, i, i);
    break;
  case 2:
    gen_mark(g, GEN_HAS_down_loops);
    gen_say(g, "for (size_t %s = %s; %s-- > 0;) {", i, e.text, i);
    break;
  case 3:
    gen_mark(g, GEN_HAS_strides);
    gen_say(g, "for (int %s = %u; %s < %s; %s += 2) {", i, gen_pick(g, 2), i, e.text, i);
    break;
  case 4:
    gen_say(g, "for (int %s = 1; %s <= %s; %s++) {", i, i, e.text, i);
    lo = 1, hi = e.max, below = "";
    break;
  case 5:
    gen_say(g, "for (size_t %s = 0; %s < (size_t)%s; ++%s) {", i, i, e.text, i);
    break;
  case 6: {
    const char *from = NULL;
    for (int k = 0; k < g->var_count; k++) {
      const var *v = &g->vars[k];
      if (v->kind == VAR_INT && v->lo >= 0 && !strcmp(v->below, e.text)) {
        from = v->name;
      }
    }
    if (from) {
      gen_say(g, "for (int %s = (int)%s; %s < %s; %s++) {", i, from, i, e.text, i);
      break;
    }
  }
    /* fall through */
  default:
    gen_say(g, "for (int %s = 0; %s < %s; %s++) {", i, i, e.text, i);
    break;
  }
  g->indent++;
  add_counter(g, i, lo, hi, below);
  loop_body(g, e.max, true);
  close_scope(g, mark);
  gen_say(g, "}");
}

/* Out of two loops at once, or a search. */
static void nested_exit(gen *g) {
  extent a = pick_bound(g), b = pick_bound(g);
  const char *i = gen_name(g, "i"), *j = gen_name(g, "jj"), *label = gen_name(g, "l");
  int mark = g->var_count;
  gen_mark(g, GEN_HAS_exits);
  gen_mark(g, GEN_HAS_gotos);
  gen_mark(g, GEN_HAS_nested_loops);
  gen_say(g, "for (int %s = 0; %s < %s; %s++) {", i, i, a.text, i);
  g->indent++;
  add_counter(g, i, 0, a.max - 1, a.text);
  gen_say(g, "for (int %s = 0; %s < %s; %s++) {", j, j, b.text, j);
  g->indent++;
  add_counter(g, j, 0, b.max - 1, b.text);
  int runs = g->runs;
  bool breaks = g->breaks, continues = g->continues;
  g->runs *= a.max * b.max;
  g->breaks = g->continues = false;
  gen_block(g, 1);
  gen_say(g, "if (%s) {", gen_condition(g, 1));
  gen_say(g, "  goto %s;", label);
  gen_say(g, "}");
  gen_block(g, 1);
  g->runs = runs, g->breaks = breaks, g->continues = continues;
  g->indent -= 2;
  g->var_count = mark;
  gen_say(g, "  }");
  gen_say(g, "}");
  gen_say(g, "%s:;", label);
}

static void statement(gen *g) {
  bool room = g->runs <= 40 && g->loops < 3;
  switch (gen_pick(g, 30)) {
  case 1:
  case 2:
    gen_declare_scalar(g);
    return;
  case 3:
  case 4:
  case 5:
  case 6:
    if (room && gen_may(g, GEN_HAS_loops)) {
      for_loop(g);
      return;
    }
    break;
  case 7:
    if (room && gen_may(g, GEN_HAS_while_loops)) {
      while_loop(g);
      return;
    }
    break;
  case 8:
  case 9:
    if (gen_may(g, GEN_HAS_branches)) {
      branch(g);
      return;
    }
    break;
  case 10:
    if (gen_may(g, GEN_HAS_switches)) {
      switch_on(g);
      return;
    }
    break;
  case 11:
    if (gen_may(g, GEN_HAS_gotos)) {
      jump(g);
      return;
    }
    break;
  case 12:
  case 13:
    if (gen_may(g, GEN_HAS_local_arrays)) {
      declare_array(g);
      return;
    }
    break;
  case 14:
    if (gen_may(g, GEN_HAS_structs) && g->p->struct_count) {
      declare_struct(g);
      return;
    }
    break;
  case 15:
  case 16:
    if (gen_may(g, GEN_HAS_pointers)) {
      declare_pointer(g);
      return;
    }
    break;
  case 17:
  case 18:
  case 19:
    if (gen_may(g, GEN_HAS_calls) && gen_has_call(g, false, false) && g->runs <= 60) {
      call(g);
      return;
    }
    break;
  case 20:
    if (gen_may(g, GEN_HAS_integers)) {
      declare_int(g);
      return;
    }
    break;
  case 21:
    if (gen_may(g, GEN_HAS_local_arrays)) {
      swap(g);
      return;
    }
    break;
  case 22:
    if (gen_may(g, GEN_HAS_structs)) {
      assign_struct(g);
      return;
    }
    break;
  case 23:
    if (gen_may(g, GEN_HAS_math)) {
      pointer_out(g);
      return;
    }
    break;
  case 24:
    if (gen_may(g, GEN_HAS_pointer_walks) && g->runs <= 60) {
      walk(g);
      return;
    }
    break;
  case 25:
    if (gen_may(g, GEN_HAS_early_returns) && g->in_top) {
      leave(g);
      return;
    }
    break;
  case 26:
    if (room && g->runs <= 10 && gen_may(g, GEN_HAS_gotos) && gen_may(g, GEN_HAS_exits)) {
      nested_exit(g);
      return;
    }
    break;
  default:
    break;
  }
  assign(g);
}

void gen_block(gen *g, int statements) {
  for (int i = 0; i < statements && g->budget > 0; i++) {
    g->budget--;
    statement(g);
  }
}

/* --- results
 * ------------------------------------------------------------------------------------------------------------- */

/* A sum over several objects in scope, so that what was computed reaches a result. */
const char *gen_combination(gen *g, double bound) {
  ex sum = gen_bounded(g, 1, bound / 4);
  const char *text = sum.s;
  for (unsigned k = gen_pick(g, 3); k > 0; k--) {
    double scale;
    const char *factor = gen_literal(g, &scale);
    text =
        gen_format(g, "%s + %s * %s", text, factor, gen_bounded(g, 1, bound / 4 / scale > 1 ? 1 : bound / 4 / scale).s);
  }
  return text;
}

void gen_return(gen *g) {
  switch (g->returns) {
  case GEN_RETURNS_REAL:
    gen_say(g, "return %s;", gen_combination(g, 2));
    break;
  case GEN_RETURNS_STRUCT: {
    for (int i = g->var_count - 1; i >= 0; i--) {
      const var *v = &g->vars[i];
      if (v->kind == VAR_STRUCT && v->structure == g->return_structure) {
        gen_say(g, "return %s%s;", v->arrow ? "*" : "", v->name);
        return;
      }
    }
    const char *name = gen_name(g, "s");
    gen_say(g, "struct %s %s = %s;", g->p->structs[g->return_structure].name, name,
            struct_initializer(g, g->return_structure));
    gen_say(g, "return %s;", name);
    break;
  }
  case GEN_RETURNS_INT: {
    int lo, hi;
    gen_say(g, "return %s;", gen_integer(g, &lo, &hi));
    break;
  }
  default:
    gen_say(g, "return;");
    break;
  }
}

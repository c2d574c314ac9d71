/* Declarations: objects of every kind, their initial values, and what is known of them. */
#include <string.h>

#include "gen_priv.h"

void gen_fix_extent(extent *e, int n) {
  gen_set(e->text, sizeof e->text, "%d", n);
  e->min = e->max = n;
}

var *gen_add_counter(gen *g, const char *name, int lo, int hi, const char *below) {
  var *v = gen_add_var(g, VAR_INT, name);
  v->lo = lo, v->hi = hi;
  gen_set(v->below, sizeof v->below, "%s", below);
  return v;
}

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
  gen_add_counter(g, i, 0, e[0].max - 1, e[0].text);
  if (rank == 2) {
    gen_say(g, "for (int %s = 0; %s < %s; %s++) {", j, j, e[1].text, j);
    g->indent++;
    gen_add_counter(g, j, 0, e[1].max - 1, e[1].text);
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

bool gen_is_extent(const var *v) {
  return v->kind == VAR_INT && v->lo == v->hi && v->lo >= 2 && v->lo <= 5 && !v->below[0];
}

void gen_declare_array(gen *g) {
  gen_real type = gen_pick_type(g);
  int rank = gen_chance(g, 25) ? 2 : 1;
  extent e[2];
  bool variable = false;
  for (int k = 0; k < rank; k++) {
    gen_fix_extent(&e[k], 2 + (int)gen_pick(g, 3));
    for (int i = 0; i < g->var_count && gen_may(g, GEN_HAS_vlas); i++) {
      if (gen_is_extent(&g->vars[i]) && !g->vars[i].writable && gen_chance(g, 50)) {
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

const char *gen_struct_initializer(gen *g, int structure) {
  const gen_struct *s = &g->p->structs[structure];
  const char *text = "";
  for (int i = 0; i < s->count; i++) {
    const gen_field *f = &s->fields[i];
    const char *one = "";
    for (int k = 0; k < (f->extent ? f->extent : 1); k++) {
      const char *v = f->is_int        ? gen_format(g, "%u", gen_pick(g, 4))
                      : f->nested >= 0 ? gen_struct_initializer(g, f->nested)
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
  const char *text = gen_struct_initializer(g, structure);
  for (int i = 1; i < n; i++) {
    text = gen_format(g, "%s, %s", text, gen_struct_initializer(g, structure));
  }
  gen_say(g, "struct %s %s[%d] = {%s};", g->p->structs[structure].name, name, n, text);
  var *v = gen_add_var(g, VAR_STRUCTS, name);
  v->structure = structure, v->writable = true, v->rank = 1;
  gen_fix_extent(&v->extents[0], n);
}

void gen_declare_struct(gen *g) {
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
    gen_say(g, "struct %s %s = %s;", g->p->structs[structure].name, name, gen_struct_initializer(g, structure));
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
void gen_declare_pointer(gen *g) {
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

void gen_declare_int(gen *g) {
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

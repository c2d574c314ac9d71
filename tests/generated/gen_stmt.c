#include <string.h>

#include "gen_priv.h"

/* --- scopes --- */

static int open_scope(gen *g) {
  g->indent++;
  return g->var_count;
}

static void close_scope(gen *g, int mark) {
  g->indent--;
  g->var_count = mark;
}

/* --- assignments --- */

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

/* --- control --- */

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
    } else if (gen_is_extent(v)) {
      gen_set(e.text, sizeof e.text, "%s", v->name);
      e.min = e.max = v->lo;
      found[count++] = e;
    }
  }
  if (count && !gen_chance(g, 25)) {
    return found[gen_pick(g, (unsigned)count)];
  }
  gen_fix_extent(&e, 1 + (int)gen_pick(g, 5));
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
    gen_add_counter(g, i, 0, e.max - 1 > 0 ? e.max - 1 : 0, e.min >= 1 ? e.text : "");
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
    gen_add_counter(g, k, 0, e.max - 1, e.text);
    loop_body(g, e.max, true);
    close_scope(g, mark);
    gen_say(g, "}");
  } else {
    gen_mark(g, GEN_HAS_while_loops);
    gen_say(g, "while (%s < %s%s) {", i, e.text, c);
    g->indent++;
    gen_add_counter(g, i, 0, e.max - 1, e.text);
    loop_body(g, e.max, false);
    gen_say(g, "%s++;", i);
    close_scope(g, mark);
    gen_say(g, "}");
  }
  gen_add_counter(g, i, 0, e.max, "");
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
  gen_add_counter(g, i, lo, hi, below);
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
  gen_add_counter(g, i, 0, a.max - 1, a.text);
  gen_say(g, "for (int %s = 0; %s < %s; %s++) {", j, j, b.text, j);
  g->indent++;
  gen_add_counter(g, j, 0, b.max - 1, b.text);
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
      gen_declare_array(g);
      return;
    }
    break;
  case 14:
    if (gen_may(g, GEN_HAS_structs) && g->p->struct_count) {
      gen_declare_struct(g);
      return;
    }
    break;
  case 15:
  case 16:
    if (gen_may(g, GEN_HAS_pointers)) {
      gen_declare_pointer(g);
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
      gen_declare_int(g);
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

/* --- results --- */

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
            gen_struct_initializer(g, g->return_structure));
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

#include <stdlib.h>
#include <string.h>

#include "gen_priv.h"

/* --- helpers --- */

static const char *declare_params(gen *g, helper *h) {
  const char *text = "";
  for (int i = 0; i < h->count; i++) {
    const char *name = gen_name(g, h->params[i].kind == HELPER_DEPTH ? "d" : "q"),
               *type = gen_type_name(h->params[i].type), *one = "";
    var *v = NULL;
    switch (h->params[i].kind) {
    case HELPER_DEPTH:
      one = gen_format(g, "int %s", name);
      v = gen_add_var(g, VAR_INT, name);
      v->lo = 0, v->hi = 4;
      break;
    case HELPER_INT:
      one = gen_format(g, "int %s", name);
      v = gen_add_var(g, VAR_INT, name);
      v->lo = 2, v->hi = 5;
      break;
    case HELPER_REAL:
      one = gen_format(g, "%s %s", type, name);
      v = gen_add_var(g, VAR_REAL, name);
      v->writable = true;
      break;
    case HELPER_IN_ARRAY:
    case HELPER_IO_ARRAY:
      v = gen_add_var(g, VAR_ARRAY, name);
      v->rank = 1, v->writable = h->params[i].kind == HELPER_IO_ARRAY, v->is_pointer = true;
      gen_set(v->extents[0].text, sizeof v->extents[0].text, "%s", g->vars[h->params[0].kind == HELPER_DEPTH].name);
      v->extents[0].min = 2, v->extents[0].max = 5;
      one = gen_chance(g, 50)
                ? gen_format(g, "%s%s %s[%s]", v->writable ? "" : "const ", type, name, v->extents[0].text)
            : h->recursive
                ? gen_format(g, "%s%s *%s TL_LEN(%s)", v->writable ? "" : "const ", type, name, v->extents[0].text)
                : gen_format(g, "%s%s *%s", v->writable ? "" : "const ", type, name);
      break;
    case HELPER_OUT_REAL:
      one = gen_format(g, "%s *%s", type, name);
      v = gen_add_var(g, VAR_ARRAY, name);
      v->rank = 1, v->writable = true, v->is_pointer = true;
      v->extents[0] = (extent){"1", 1, 1};
      break;
    case HELPER_STRUCT:
    case HELPER_STRUCT_PTR: {
      bool pointer = h->params[i].kind == HELPER_STRUCT_PTR;
      one = gen_format(g, "%sstruct %s %s%s", pointer && h->params[i].is_const ? "const " : "",
                       g->p->structs[h->params[i].structure].name, pointer ? "*" : "", name);
      v = gen_add_var(g, VAR_STRUCT, name);
      v->structure = h->params[i].structure, v->arrow = pointer, v->writable = !h->params[i].is_const;
      break;
    }
    }
    v->type = h->params[i].type;
    text = gen_format(g, "%s%s%s", text, i ? ", " : "", one);
  }
  return text;
}

static void pick_params(gen *g, helper *h, bool recursive) {
  if (recursive) {
    h->params[h->count++].kind = HELPER_DEPTH;
  }
  int arrays = (int)gen_pick(g, 3);
  if (arrays && h->count < 2) {
    h->params[h->count++].kind = HELPER_INT;
  }
  h->params[h->count++] = (__typeof__(h->params[0])){HELPER_REAL, gen_pick_type(g), 0, false};
  for (int i = 0; i < arrays && h->count < MAX_HELPER_PARAMS; i++) {
    bool writes = gen_may(g, GEN_HAS_pointer_calls) && gen_chance(g, 40);
    h->params[h->count++] =
        (__typeof__(h->params[0])){writes ? HELPER_IO_ARRAY : HELPER_IN_ARRAY,
                                   gen_chance(g, (unsigned)g->float_share) ? GEN_F32 : GEN_F64, 0, false};
    h->pure = h->pure && !writes;
  }
  if (gen_may(g, GEN_HAS_pointer_calls) && gen_chance(g, 35) && h->count < MAX_HELPER_PARAMS) {
    h->params[h->count++] = (__typeof__(h->params[0])){
        HELPER_OUT_REAL, gen_chance(g, (unsigned)g->float_share) ? GEN_F32 : GEN_F64, 0, false};
    h->pure = false;
  }
  if (gen_may(g, GEN_HAS_structs) && g->p->struct_count && gen_chance(g, 50) && h->count < MAX_HELPER_PARAMS) {
    bool pointer = gen_may(g, GEN_HAS_struct_pointers) && gen_chance(g, 50), writes = pointer && gen_chance(g, 60);
    h->params[h->count++] =
        (__typeof__(h->params[0])){pointer ? HELPER_STRUCT_PTR : HELPER_STRUCT, GEN_F64,
                                   (int)gen_pick(g, (unsigned)g->p->struct_count), pointer && !writes};
    h->pure = h->pure && !writes;
  }
  if (gen_chance(g, 50) && h->count < MAX_HELPER_PARAMS) {
    h->params[h->count++] = (__typeof__(h->params[0])){HELPER_REAL, gen_pick_type(g), 0, false};
  }
}

/* c[0] + x * (c[1] + x * ...), by recursion over the array. */
static void list_helper(gen *g) {
  helper *h = &g->helpers[g->helper_count];
  *h = (helper){.pure = true, .recursive = true, .return_structure = -1, .cost = 5, .type = GEN_F64};
  gen_set(h->name, sizeof h->name, "%s_h%d", g->p->name, g->helper_count);
  h->params[0].kind = HELPER_INT, h->params[1].kind = HELPER_IN_ARRAY, h->params[2].kind = HELPER_REAL;
  h->count = 3;
  const char *n = gen_name(g, "n"), *c = gen_name(g, "c"), *x = gen_name(g, "x");
  const char *params = gen_format(g, "int %s, const double %s[%s], double %s", n, c, n, x);
  gen_say(g, "static double %s(%s) {", h->name, params);
  gen_say(g, "  if (%s == 0) {", n);
  gen_say(g, "    return 0.3;");
  gen_say(g, "  }");
  switch (gen_pick(g, 3)) {
  case 1:
    gen_say(g, "  return sin(%s[0] + 0.5 * %s * %s(%s - 1, %s + 1, %s));", c, x, h->name, n, c, x);
    break;
  case 2:
    gen_say(g, "  double rest = %s(%s - 1, %s + 1, 0.7 * %s + *%s);", h->name, n, c, x, c);
    gen_say(g, "  return tanh(rest * %s) + 0.5 * *%s;", x, c);
    break;
  default:
    gen_say(g, "  return 0.5 * (%s[0] + 0.5 * %s * %s(%s - 1, &%s[1], %s));", c, x, h->name, n, c, x);
    break;
  }
  gen_say(g, "}");
  gen_say(g, "%s", "");
  g->helper_count++;
}

void gen_helper(gen *g) {
  bool recursive = gen_may(g, GEN_HAS_recursion) && gen_chance(g, 40);
  if (recursive && gen_chance(g, 30)) {
    list_helper(g);
    return;
  }
  helper h = {.pure = true, .recursive = recursive, .return_structure = -1, .cost = 10};
  gen_set(h.name, sizeof h.name, "%s_h%d", g->p->name, g->helper_count);
  h.type = gen_pick_type(g);
  pick_params(g, &h, recursive);
  if (!recursive && gen_may(g, GEN_HAS_structs) && g->p->struct_count && gen_chance(g, 30)) {
    h.return_structure = (int)gen_pick(g, (unsigned)g->p->struct_count);
  }
  int mark = g->var_count;
  g->var_count = 0;
  const char *params = declare_params(g, &h);
  const char *type = h.return_structure >= 0 ? gen_format(g, "struct %s", g->p->structs[h.return_structure].name)
                                             : gen_type_name(h.type);
  gen_say(g, "static %s %s(%s) {", type, h.name, params);
  g->indent++;
  int budget = g->budget;
  g->budget = 2 + (int)gen_pick(g, 5);
  g->runs = 8, g->loops = 0, g->breaks = g->continues = false;
  g->in_top = false;
  g->returns = h.return_structure >= 0 ? GEN_RETURNS_STRUCT : GEN_RETURNS_REAL;
  g->return_type = h.type, g->return_structure = h.return_structure;
  if (recursive) {
    gen_say(g,
            gen_chance(g, 30) && gen_may(g, GEN_HAS_active_branches) ? "if (%s <= 0 || %s > 1.9137) {"
                                                                     : "if (%s <= 0) {",
            g->vars[0].name, g->vars[h.params[1].kind == HELPER_INT ? 2 : 1].name);
    g->indent++;
    gen_return(g);
    g->indent--;
    gen_say(g, "}");
    g->helpers[g->helper_count] = h;
    g->self = g->helper_count;
  }
  gen_block(g, g->budget);
  if (recursive) {
    g->helper_count++;
    gen_real rt;
    const char *text = gen_call(g, false, -1, &rt);
    g->helper_count--;
    if (text) {
      const char *name = gen_name(g, "t");
      gen_say(g, "%s %s = %s;", gen_type_name(rt), name, text);
      var *v = gen_add_var(g, VAR_REAL, name);
      v->type = rt, v->writable = true;
      gen_mark(g, GEN_HAS_recursion);
      gen_block(g, 1);
    }
    g->self = -1;
  }
  gen_return(g);
  g->indent--;
  gen_say(g, "}");
  gen_say(g, "%s", "");
  g->helpers[g->helper_count++] = h;
  g->budget = budget;
  g->var_count = mark;
}

/* --- calls --- */

static bool fits(const gen *g, const helper *h, bool pure, int structure) {
  (void)g;
  return (!pure || (h->pure && !h->recursive)) && h->return_structure == structure;
}

bool gen_has_call(gen *g, bool pure, bool structure) {
  for (int i = 0; i < g->helper_count; i++) {
    const helper *h = &g->helpers[i];
    if ((!pure || (h->pure && !h->recursive)) && (h->return_structure >= 0) == structure) {
      return true;
    }
  }
  return false;
}

/* Whether the object may be lent to one more parameter of the call. */
static bool is_free(const char *roots, const char *root, bool writes) {
  const char *key = root;
  size_t n = strlen(key);
  for (const char *at = roots; (at = strstr(at, key)); at += n) {
    if (at > roots && at[-1] != '!' && at[-1] != '.') {
      continue;
    }
    if (at[n] == ';' && (writes || at[-1] == '!')) {
      return false;
    }
  }
  return true;
}

const char *gen_call(gen *g, bool pure, int structure, gen_real *type) {
  int fitting[MAX_HELPERS + 1], count = 0;
  for (int i = 0; i < g->helper_count; i++) {
    if (fits(g, &g->helpers[i], pure, structure) && (i != g->self || g->loops == 0)) {
      fitting[count++] = i;
    }
  }
  if (!count) {
    return NULL;
  }
  int which = fitting[gen_pick(g, (unsigned)count)];
  if (g->self >= 0 && !pure && structure < 0 && g->loops == 0 && gen_chance(g, 70)) {
    which = g->self;
  }
  const helper *h = &g->helpers[which];
  const char *roots = ".;", *texts[MAX_HELPER_PARAMS] = {0};
  int shortest = 5;
  const char *shared = NULL;
  for (int i = 0; i < h->count; i++) {
    helper_param_kind kind = h->params[i].kind;
    bool writes =
        kind == HELPER_IO_ARRAY || kind == HELPER_OUT_REAL || (kind == HELPER_STRUCT_PTR && !h->params[i].is_const);
    switch (kind) {
    case HELPER_DEPTH:
      texts[i] = which == g->self ? gen_format(g, "%s - 1", g->vars[0].name) : NULL;
      if (!texts[i]) {
        int lo, hi;
        const char *k = gen_integer(g, &lo, &hi);
        texts[i] = gen_chance(g, 50) ? gen_format(g, "%u", 1 + gen_pick(g, 4)) : gen_format(g, "(int)(%s & 3)", k);
      }
      break;
    case HELPER_INT:
      break;
    case HELPER_REAL:
      texts[i] = gen_bounded(g, pure ? 0 : 2, 2).s;
      break;
    case HELPER_IN_ARRAY:
    case HELPER_IO_ARRAY: {
      int found[MAX_VARS], n = 0;
      for (int k = 0; k < g->var_count; k++) {
        const var *v = &g->vars[k];
        int last = v->rank - 1;
        if (v->kind == VAR_ARRAY && v->type == h->params[i].type && v->extents[last].min >= 2 &&
            (!writes || v->writable) && is_free(roots, v->root, writes)) {
          found[n++] = k;
        }
      }
      if (!n) {
        return NULL;
      }
      const var *v = &g->vars[found[gen_pick(g, (unsigned)n)]];
      extent e = v->extents[v->rank - 1];
      texts[i] = v->rank == 2 ? gen_format(g, "%s[%s]", v->name, gen_index(g, &v->extents[0])) : v->name;
      if (e.min >= 3 && which != g->self && gen_chance(g, 30)) {
        texts[i] = gen_format(g, gen_chance(g, 50) ? "%s + 1" : "&%s[1]", texts[i]);
        e.min--;
        gen_set(e.text, sizeof e.text, "%d", e.min);
      }
      if (e.min < shortest || !shared) {
        shortest = e.min < shortest ? e.min : shortest;
        shared = e.min == shortest ? gen_format(g, "%s", e.text) : NULL;
      } else if (shared && strcmp(shared, e.text) != 0) {
        shared = NULL;
      }
      roots = gen_format(g, "%s%s%s;", roots, writes ? "!" : ".", v->root);
      break;
    }
    case HELPER_OUT_REAL: {
      int found[MAX_VARS], n = 0;
      for (int k = 0; k < g->var_count; k++) {
        const var *v = &g->vars[k];
        if ((v->kind == VAR_REAL || v->kind == VAR_ARRAY) && v->type == h->params[i].type && v->writable && !v->sum &&
            is_free(roots, v->root, true)) {
          found[n++] = k;
        }
      }
      if (!n) {
        return NULL;
      }
      const var *v = &g->vars[found[gen_pick(g, (unsigned)n)]];
      texts[i] = v->kind == VAR_REAL                       ? gen_format(g, "&%s", v->name)
                 : v->is_pointer && v->extents[0].max == 1 ? v->name
                 : v->rank == 2
                     ? gen_format(g, "&%s[%s][%s]", v->name, gen_index(g, &v->extents[0]), gen_index(g, &v->extents[1]))
                     : gen_format(g, "&%s[%s]", v->name, gen_index(g, &v->extents[0]));
      roots = gen_format(g, "%s!%s;", roots, v->root);
      break;
    }
    case HELPER_STRUCT:
    case HELPER_STRUCT_PTR: {
      int found[MAX_VARS], n = 0;
      for (int k = 0; k < g->var_count; k++) {
        const var *v = &g->vars[k];
        if ((v->kind == VAR_STRUCT || v->kind == VAR_STRUCTS) && v->structure == h->params[i].structure &&
            (!writes || v->writable) && (kind == HELPER_STRUCT || is_free(roots, v->root, writes))) {
          found[n++] = k;
        }
      }
      if (!n) {
        return NULL;
      }
      const var *v = &g->vars[found[gen_pick(g, (unsigned)n)]];
      if (v->kind == VAR_STRUCTS) {
        texts[i] =
            gen_format(g, "%s%s[%s]", kind == HELPER_STRUCT_PTR ? "&" : "", v->name, gen_index(g, &v->extents[0]));
      } else {
        texts[i] =
            gen_format(g, "%s%s", kind == HELPER_STRUCT_PTR ? (v->arrow ? "" : "&") : (v->arrow ? "*" : ""), v->name);
      }
      if (kind == HELPER_STRUCT_PTR) {
        roots = gen_format(g, "%s%s%s;", roots, writes ? "!" : ".", v->root);
      }
      break;
    }
    }
  }
  gen_mark(g, GEN_HAS_calls);
  if (!h->pure) {
    gen_mark(g, GEN_HAS_pointer_calls);
  }
  const char *text = gen_format(g, "%s(", h->name);
  for (int i = 0; i < h->count; i++) {
    if (h->params[i].kind == HELPER_INT) {
      texts[i] = shared && gen_chance(g, 60)
                     ? shared
                     : gen_format(g, "%d", shortest >= 2 ? (int)(2 + gen_pick(g, (unsigned)(shortest - 1))) : 2);
    }
    text = gen_format(g, "%s%s%s", text, i ? ", " : "", texts[i]);
  }
  *type = h->type;
  return gen_format(g, "%s)", text);
}

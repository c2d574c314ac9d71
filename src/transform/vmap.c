/* tl_vmap: f for each of `batch` examples, as one counted loop over f's own body.
 *
 *     void g(size_t n, const double w[n], const double x[n], double y[n])
 *     tl_vmap(g, b, x): void (size_t b, size_t n, const double w[n], const double x[b][n], double y[b][n])
 *
 * No call of f is left, and nothing is copied: a batched number is loaded at the example's index, and of a batched
 * array every version stands in the whole, with the example as one more index in front. So the loop is what one would
 * write by hand, and every other transform takes it for one.
 *
 * Versions that hand on one storage form a group. A group is a row of the whole where a batched leaf is all that it
 * starts from. Where it starts from more (a branch chooses between two arrays, a loop exchanges them) or writes into
 * what f got by value, the leaf is copied for the example, and what f leaves in it is stored at the end. So is a row
 * that a call which is not inlined takes: views.c then passes many of them where they lie. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctext.h"
#include "base/name.h"
#include "transform/copy.h"
#include "transform/derive_priv.h"
#include "transform/elements.h"

/* What a group of versions starts from. */
typedef struct group {
  uint32_t sources;
  uint32_t leaf; /* one of them, if `has_leaf` */
  bool has_leaf, is_written;
} group;

typedef struct vmap {
  tl_derive_ctx *d;
  tl_func *f, *h;
  tl_builder b;
  tl_signer s;
  bool *is_batched;    /* by cparam of f */
  bool *is_needed;     /* by value of f: an extent depends on it */
  uint32_t *needed_by; /* by value of f: the leaf whose extent */
  tl_value *joined;    /* by value of f: another one of its group, or itself */
  group *groups;       /* by value of f that stands for its group */
  tl_value *map;       /* by value of f; of a row the whole array */
  tl_value example;
} vmap;

static tl_diag *diag_of(const vmap *m) { return m->f->module->diag; }

/* ---- which parameters ---- */

static bool is_batched_anyway(const tl_func *f, uint32_t cparam) {
  bool written = f->cparams.data[cparam].role != TL_ROLE_INPUT;
  for (uint32_t i = 0; i < f->params.count; i++) {
    written |= f->params.data[i].cparam == cparam && tl_func_final(f, i) != TL_NO_RESULT;
  }
  return written;
}

static bool has_leaf(const tl_func *f, uint32_t cparam) {
  uint32_t i = 0;
  while (i < f->params.count && f->params.data[i].cparam != cparam) {
    i++;
  }
  return i < f->params.count;
}

static uint32_t find_cparam(const tl_func *f, const char *name) {
  uint32_t at = 0;
  while (at < f->cparams.count && strcmp(f->cparams.data[at].name, name) != 0) {
    at++;
  }
  return at;
}

static bool find_batched(vmap *m) {
  const tl_derivation *spec = m->d->spec;
  tl_func *f = m->f;
  m->is_batched = TL_NEW_ARRAY(m->d->arena, bool, f->cparams.count + 1);
  for (uint32_t k = 1; k < spec->wrt_count; k++) {
    uint32_t at = find_cparam(f, spec->wrt[k]);
    if (at == f->cparams.count) {
      tl_diag_error(diag_of(m), TL_NO_SUCH_PARAMETER, spec->loc, "'%s' has no parameter '%s'", f->name, spec->wrt[k]);
      return false;
    }
    const tl_cparam *c = &f->cparams.data[at];
    if (m->is_batched[at] || !has_leaf(f, at)) {
      tl_diag_error(diag_of(m), m->is_batched[at] ? TL_VMAP_AXIS_NAME_CLASH : TL_VMAP_NO_BATCHING_RULE, spec->loc,
                    m->is_batched[at] ? "'%s' is named twice"
                                      : "'%s' cannot be batched: it holds no numbers that '%s' looks at",
                    c->name, f->name);
      tl_diag_note(diag_of(m), c->loc, "declared here");
      return false;
    }
    m->is_batched[at] = true;
  }
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    bool by_default = spec->wrt_count == 1 && tl__may_be_wrt(&f->cparams.data[i]);
    m->is_batched[i] |= has_leaf(f, i) && (by_default || is_batched_anyway(f, i));
  }
  return true;
}

/* ---- the name of the batch ---- */

static bool has_word(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *s = text; s && (s = strstr(s, word)) != NULL; s += n) {
    if ((s == text || !tl_in_name(s[-1])) && !tl_in_name(s[n])) {
      return true;
    }
  }
  return false;
}

static bool is_keyword(const char *name) {
  static const char *const words[] = {
      "auto",   "break",    "case",     "char",      "const",   "continue", "default", "do",     "double",
      "else",   "enum",     "extern",   "float",     "for",     "goto",     "if",      "inline", "int",
      "long",   "register", "restrict", "return",    "short",   "signed",   "sizeof",  "static", "struct",
      "switch", "typedef",  "union",    "unsigned",  "void",    "volatile", "while",   "bool",   "true",
      "false",  "nullptr",  "typeof",   "constexpr", "alignas", "alignof",  "asm",     "size_t"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!strcmp(words[i], name)) {
      return true;
    }
  }
  return false;
}

static bool check_name(const vmap *m) {
  const tl_derivation *spec = m->d->spec;
  const tl_func *f = m->f;
  if (!spec->wrt_count) {
    tl_diag_error(diag_of(m), TL_NO_SUCH_PARAMETER, spec->loc,
                  "tl_vmap takes a name for the number of examples behind the function: tl_vmap(%s, batch)", f->name);
    return false;
  }
  const char *name = spec->wrt[0];
  uint32_t at = find_cparam(f, name);
  if (at < f->cparams.count) {
    tl_diag_error(diag_of(m), TL_VMAP_AXIS_NAME_CLASH, spec->loc,
                  "the batch is called '%s', and so is a parameter of '%s'", name, f->name);
    tl_diag_note(diag_of(m), f->cparams.data[at].loc, "declared here");
    return false;
  }
  if (isdigit((unsigned char)*name) || is_keyword(name)) {
    tl_diag_error(diag_of(m), TL_VMAP_AXIS_NAME_CLASH, spec->loc,
                  "the batch cannot be called '%s': it is the name of a parameter, which holds the number of examples",
                  name);
    return false;
  }
  bool is_taken = has_word(f->return_declarator, name);
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    is_taken |= has_word(f->cparams.data[i].declarator, name);
    at = is_taken && at == f->cparams.count ? i : at;
  }
  if (is_taken) {
    tl_diag_error(diag_of(m), TL_VMAP_AXIS_NAME_CLASH, spec->loc,
                  "the batch is called '%s', a name that the parameters of '%s' are declared by", name, f->name);
    tl_diag_note(diag_of(m), at < f->cparams.count ? f->cparams.data[at].loc : f->loc, "used here");
  }
  return !is_taken;
}

/* ---- extents ---- */

static void need(vmap *m, tl_value v, uint32_t leaf);

static void need_region(vmap *m, const tl_region *r, uint32_t leaf) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      need(m, o->operands[k], leaf);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      need_region(m, o->regions[k], leaf);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    need(m, r->yields.data[i], leaf);
  }
}

/* An extent of the leaf depends on v. */
static void need(vmap *m, tl_value v, uint32_t leaf) {
  if (!v || m->is_needed[v]) {
    return;
  }
  m->is_needed[v] = true;
  m->needed_by[v] = leaf;
  const tl_op *o = tl_def(m->f, v);
  for (uint32_t i = 0; o && i < o->operand_count; i++) {
    need(m, o->operands[i], leaf);
  }
  for (uint32_t i = 0; o && i < o->region_count; i++) {
    need_region(m, o->regions[i], leaf);
  }
}

/* The leaf as C spells it, without the indices of an array. */
static const char *object_name(const vmap *m, const tl_param *p) {
  const char *access = p->access;
  size_t n = strlen(access);
  while (n > 3 && !strncmp(access + n - 3, "[#]", 3)) {
    n -= 3;
  }
  bool is_cell = !strcmp(access, "(*$)");
  access = is_cell ? "*$" : tl_arena_strndup(m->d->arena, access, n);
  return tl__spell_access(m->d->arena, access, m->f->cparams.data[p->cparam].name);
}

static bool check_extents(vmap *m) {
  tl_func *f = m->f;
  m->is_needed = TL_NEW_ARRAY(m->d->arena, bool, f->values.count);
  m->needed_by = TL_NEW_ARRAY(m->d->arena, uint32_t, f->values.count);
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_type type = tl_type_of(f, f->params.data[i].value);
    for (int k = 0; k < type.rank; k++) {
      need(m, type.extents[k].value, i);
    }
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    if (m->is_needed[p->value] && m->is_batched[p->cparam]) {
      const tl_param *of = &f->params.data[m->needed_by[p->value]];
      const tl_cparam *array = &f->cparams.data[of->cparam];
      tl_diag_error(diag_of(m), TL_EXTENT_BATCHED, m->d->spec->loc,
                    "'%s' says how long '%s' is, and all examples have the same extents: it cannot be batched%s",
                    object_name(m, p), object_name(m, of),
                    is_batched_anyway(f, p->cparam) ? ", as all is that the function writes" : "");
      tl_diag_note(diag_of(m), array->loc, "'%s' is declared here", array->name);
      return false;
    }
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    tl_type type = tl_type_of(f, p->value);
    int axes = p->by_members ? (int)p->axes_before : type.rank; /* behind a pointer every row has its own place */
    for (int k = 0; k < axes && m->is_batched[p->cparam]; k++) {
      if (!type.extents[k].value && type.extents[k].fixed < 0) {
        tl__refuse_extent(m->d, i, (uint32_t)k);
        tl_diag_note(diag_of(m), m->d->spec->loc, "needed by this batch");
        return false;
      }
    }
    if (m->is_batched[p->cparam] && type.rank == TL_MAX_RANK) {
      tl_diag_error(diag_of(m), TL_VMAP_NO_BATCHING_RULE, m->d->spec->loc,
                    "'%s' has %d axes already, the most there can be", f->cparams.data[p->cparam].name, TL_MAX_RANK);
      return false;
    }
  }
  return true;
}

/* An op that the extents are computed by, ahead of the loop over examples. */
static bool is_ahead(const vmap *m, const tl_op *o) {
  bool needed = false;
  for (uint32_t i = 0; i < o->result_count; i++) {
    needed |= m->is_needed[tl_op_result(o, i)];
  }
  return needed;
}

/* ---- groups ---- */

static tl_value group_of(vmap *m, tl_value v) {
  while (m->joined[v] != v) {
    v = m->joined[v] = m->joined[m->joined[v]];
  }
  return v;
}

static void join(vmap *m, tl_value x, tl_value y) {
  tl_value a = group_of(m, x), b = group_of(m, y);
  if (a != b && tl_type_of(m->f, x).is_array) {
    group *to = &m->groups[a], *from = &m->groups[b];
    to->sources += from->sources;
    to->is_written |= from->is_written;
    to->leaf = from->has_leaf ? from->leaf : to->leaf;
    to->has_leaf |= from->has_leaf;
    m->joined[b] = a;
  }
}

static void group_region(vmap *m, const tl_region *r);

static void group_op(vmap *m, const tl_op *o) {
  const tl_func *callee = o->code == TL_OP_call ? tl_module_find(m->f->module, o->callee) : NULL;
  for (uint32_t i = 0; i < o->region_count; i++) {
    group_region(m, o->regions[i]);
  }
  for (uint32_t i = 0; i < o->result_count; i++) {
    tl_value v = tl_op_result(o, i);
    if (!tl_type_of(m->f, v).is_array) {
      continue;
    }
    if (tl_op_stores(o)) {
      join(m, v, o->operands[0]);
      m->groups[group_of(m, v)].is_written = true;
    } else if (o->code == TL_OP_if) {
      join(m, v, o->regions[0]->yields.data[i]);
      join(m, v, o->regions[1]->yields.data[i]);
    } else if (o->code == TL_OP_loop) {
      join(m, v, tl_loop_init(o, i));
      join(m, v, tl_loop_cond(o)->params.data[1 + i]);
      join(m, v, tl_loop_body(o)->params.data[1 + i]);
      join(m, v, tl_loop_body(o)->yields.data[i]);
    } else if (callee && callee->results.data[i].role == TL_RESULT_FINAL) {
      join(m, v, o->operands[callee->results.data[i].param]);
      m->groups[group_of(m, v)].is_written = true;
    } else {
      m->groups[group_of(m, v)].sources++;
    }
  }
}

static void group_region(vmap *m, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    group_op(m, r->ops.data[i]);
  }
}

static void find_groups(vmap *m) {
  tl_func *f = m->f;
  m->joined = TL_NEW_ARRAY(m->d->arena, tl_value, f->values.count);
  m->groups = TL_NEW_ARRAY(m->d->arena, group, f->values.count);
  for (tl_value v = 0; v < f->values.count; v++) {
    m->joined[v] = v;
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    m->groups[f->params.data[i].value] = (group){.sources = 1, .leaf = i, .has_leaf = true};
  }
  group_region(m, f->body);
}

/* Does f leave something in the leaf? */
static bool is_changed(const tl_func *f, uint32_t leaf) {
  uint32_t result = tl_func_final(f, leaf);
  return result != TL_NO_RESULT && f->body->yields.data[result] != f->params.data[leaf].value;
}

/* Does v stand in a whole array, at the example's row? */
static bool is_row(vmap *m, tl_value v) {
  if (!tl_type_of(m->f, v).is_array) {
    return false;
  }
  const group *g = &m->groups[group_of(m, v)];
  return g->sources == 1 && g->has_leaf && m->is_batched[m->f->params.data[g->leaf].cparam] &&
         (!g->is_written || is_changed(m->f, g->leaf));
}

/* ---- declarators ---- */

/* "$->x" to "$[#].x", "(*$)" to "$[#]". */
static const char *batched_access(tl_arena *arena, const char *access) {
  const char *at = strchr(access, '$');
  int before = (int)(at - access);
  bool is_cell = before >= 2 && !strncmp(at - 2, "(*$)", 4);
  if (is_cell) {
    return tl_arena_printf(arena, "%.*s$[#]%s", before - 2, access, at + 2);
  }
  if (!strncmp(at, "$->", 3)) {
    return tl_arena_printf(arena, "%.*s$[#].%s", before, access, at + 3);
  }
  return tl_arena_printf(arena, "%.*s$[#]%s", before, access, at + 1);
}

/* How much of the text is left without the blanks and qualifiers at its end. */
static size_t without_qualifiers(const char *text, size_t n) {
  static const char *const words[] = {"restrict", "__restrict", "const", "volatile"};
  bool found = true;
  while (found) {
    found = false;
    while (n && text[n - 1] == ' ') {
      n--;
      found = true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      size_t k = strlen(words[i]);
      if (n > k && !strncmp(text + n - k, words[i], k) && !tl_in_name(text[n - k - 1])) {
        n -= k;
        found = true;
      }
    }
  }
  return n;
}

/* "[n]" of "[static restrict n]"; the extent that TL_LEN states where there is none. */
static const char *plain_bracket(tl_arena *arena, const char *bracket, const char *extent) {
  static const char *const words[] = {"static", "restrict", "const", "volatile"};
  const char *s = bracket + 1;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    s += strspn(s, " ");
    size_t k = strlen(words[i]);
    if (!strncmp(s, words[i], k) && !tl_in_name(s[k])) {
      s += k;
      i = (size_t)-1;
    }
  }
  s += strspn(s, " ");
  return *s == ']' && extent ? tl_arena_printf(arena, "[%s%s", extent, s) : tl_arena_printf(arena, "[%s", s);
}

/* The declarator of an array of `batch` such parameters. `extent`: of the axis that a pointer leads to, NULL where that
 * is one object. */
static const char *batched_declarator(tl_arena *arena, const char *text, const char *batch, const char *extent) {
  const char *at = strchr(text, '@');
  size_t n = (size_t)(at - text), cut = without_qualifiers(text, n);
  const char *axis = extent ? tl_arena_printf(arena, "[%s]", extent) : "";
  if (at[1] == '[') {
    return tl_arena_printf(arena, "%.*s@[%s]%s", (int)n, text, batch, plain_bracket(arena, at + 1, extent));
  }
  if (!cut || text[cut - 1] != '*') {
    return tl_arena_printf(arena, "%.*s@[%s]%s", (int)n, text, batch, at + 1);
  }
  bool inside = cut > 1 && text[cut - 2] == '(' && at[1] == ')'; /* "double (*@)[n]" */
  bool space = !inside && cut > 1 && text[cut - 2] != ' ' && text[cut - 2] != '*';
  return tl_arena_printf(arena, "%.*s%s@[%s]%s%s", (int)cut - 1, text, space ? " " : "", batch, axis, at + 1);
}

static const char *with_const(tl_arena *arena, const char *declarator) {
  return has_word(declarator, "const") ? declarator : tl_arena_printf(arena, "const %s", declarator);
}

/* ---- the signature ---- */

static const char *batch_name(const vmap *m) { return m->d->spec->wrt[0]; }

static tl_type with_batch(vmap *m, tl_type type) {
  tl_extent extents[TL_MAX_RANK];
  extents[0] = (tl_extent){0, m->h->params.data[0].value};
  for (int k = 0; k < type.rank; k++) {
    extents[k + 1] = type.extents[k];
  }
  return tl_array_type(m->h, type.dtype, type.rank + 1, extents);
}

static const tl_member *batched_member(vmap *m, const tl_member *member) {
  if (!member) {
    return NULL;
  }
  tl_member *made = TL_NEW(m->h->arena, tl_member);
  *made = *member;
  made->access = batched_access(m->h->arena, member->access);
  made->axis++;
  made->outer = batched_member(m, member->outer);
  return made;
}

/* Of a row the extents are f's until the map holds the values that they refer to. */
static void add_leaf(vmap *m, uint32_t leaf) {
  tl_func *f = m->f, *h = m->h;
  tl_param p = f->params.data[leaf];
  tl_value_info info = *tl_info(f, p.value);
  if (m->is_batched[p.cparam]) {
    info.type = with_batch(m, info.type);
    p.access = batched_access(h->arena, p.access);
    p.is_memory = true;
    p.axes_before += p.by_members ? 1 : 0;
    p.member = batched_member(m, p.member);
  } else if (info.type.rank) {
    info.type = tl_array_type(h, info.type.dtype, info.type.rank, info.type.extents);
  }
  p.value = m->map[p.value] = tl_region_add_param(h, h->body, info.type, info.name);
  p.cparam++;
  p.origin = TL_ORIGIN_PRIMAL;
  p.origin_index = leaf;
  TL_PUSH(h->arena, h->params, p);
}

static void map_extents(vmap *m) {
  for (uint32_t i = 0; i < m->f->params.count; i++) {
    const tl_param *p = &m->f->params.data[i];
    tl_type from = tl_type_of(m->f, p->value), type = tl_type_of(m->h, m->map[p->value]);
    tl_extent *extents = (tl_extent *)type.extents + (m->is_batched[p->cparam] ? 1 : 0);
    for (int k = 0; k < from.rank; k++) {
      extents[k].value = from.extents[k].value ? m->map[from.extents[k].value] : TL_NO_VALUE;
    }
  }
}

/* The extent of what a pointer leads to, of which the declarator says nothing; TL_NO_VALUE in an extent of 0: one
 * object. */
static bool find_pointee_extent(const vmap *m, uint32_t cparam, tl_extent *out) {
  for (uint32_t i = 0; i < m->f->params.count; i++) {
    const tl_param *p = &m->f->params.data[i];
    if (p->cparam == cparam && !strncmp(p->access, "$[#]", 4)) {
      *out = tl_type_of(m->h, m->map[p->value]).extents[1];
      return true;
    }
  }
  return false;
}

/* Does the declarator leave the first extent to TL_LEN? */
static bool is_open(const char *declarator) {
  const char *at = strchr(declarator, '@');
  return at[1] == '[' ? !strncmp(at + 1, "[]", 2) : strchr(declarator, '*') != NULL;
}

static bool batch_cparam(vmap *m, uint32_t cparam) {
  tl_arena *arena = m->h->arena;
  tl_cparam *c = &m->h->cparams.data[cparam + 1];
  const char *written = c->declarator, *bare = c->bare, *text = NULL;
  if (c->pointee) { /* behind a typedef */
    written = tl_arena_printf(arena, "%s *@", c->pointee);
    bare = tl_text_without_const(arena, written);
  }
  tl_extent extent;
  if (!c->by_value && is_open(written) && find_pointee_extent(m, cparam, &extent)) {
    text = extent.value ? tl__signer_extent_text(m->h, extent.value)
                        : tl_arena_printf(arena, "%lld", (long long)extent.fixed);
    if (!text) {
      tl_diag_error(diag_of(m), TL_EXTENT_UNKNOWN, m->d->spec->loc,
                    "the number of elements of '%s' is not an expression over the parameters", c->name);
      return false;
    }
  }
  bool is_read = c->by_value && !is_batched_anyway(m->f, cparam);
  written = batched_declarator(arena, written, batch_name(m), text);
  c->declarator = is_read ? with_const(arena, written) : written;
  c->bare = batched_declarator(arena, bare, batch_name(m), text);
  c->by_value = false;
  c->pointee = NULL;
  return true;
}

/* "T f_out[batch]", with the leaves of what f returns. */
static void add_out(vmap *m) {
  tl_func *f = m->f, *h = m->h;
  uint32_t cparam = UINT32_MAX;
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    if (r->role != TL_RESULT_RETURN) {
      continue;
    }
    if (cparam == UINT32_MAX) {
      const char *type = tl_text_without_const(h->arena, f->return_declarator);
      const char *declarator = tl_arena_printf(h->arena, "%s @[%s]", type, batch_name(m));
      cparam = tl__signer_add(&m->s, tl__signer_name(&m->s, f->name, "_out"), declarator, TL_ROLE_OUTPUT);
      h->cparams.data[cparam].is_struct = strcmp(r->access, "$") != 0;
    }
    tl_type type = with_batch(m, tl_type_of(f, f->body->yields.data[i])); /* a member's extents are fixed */
    tl_value v = tl_region_add_param(h, h->body, type, h->cparams.data[cparam].name);
    tl__signer_add_leaf(&m->s, v, cparam, batched_access(h->arena, r->access), true, TL_ORIGIN_CELL, i);
  }
}

/* Begins h: the batch, f's parameters, what their extents are computed from, and storage for what f returns. */
static bool begin(vmap *m) {
  tl_func *f = m->f;
  tl_func *h = m->h = tl_func_create(f->module, m->d->spec->name);
  h->return_declarator = "void";
  h->loc = f->loc;
  h->reads_signs = f->reads_signs;
  h->is_check = f->is_check;
  m->b = (tl_builder){.func = h, .region = h->body, .loc = f->loc};
  m->s = (tl_signer){.f = f, .h = h, .arena = m->d->arena};
  m->map = TL_NEW_ARRAY(m->d->arena, tl_value, f->values.count);
  uint32_t batch = tl__signer_add(&m->s, batch_name(m), "size_t @", TL_ROLE_INPUT);
  h->cparams.data[batch].by_value = true;
  tl_value count = tl_region_add_param(h, h->body, tl_scalar(TL_U64), batch_name(m));
  tl__signer_add_leaf(&m->s, count, batch, "$", false, TL_ORIGIN_CELL, 0);
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    TL_PUSH(h->arena, h->cparams, f->cparams.data[i]);
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    add_leaf(m, i);
  }
  for (uint32_t i = 0; i < f->body->ops.count; i++) {
    const tl_op *o = f->body->ops.data[i];
    if (is_ahead(m, o)) {
      tl_clone_op_from(&m->b, f, o, m->map);
    }
  }
  map_extents(m);
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    if (m->is_batched[i] && !batch_cparam(m, i)) {
      return false;
    }
  }
  add_out(m);
  return true;
}

/* ---- elements of rows ---- */

/* The indices of an element of an array of so many axes in h; gives their count. */
static uint32_t place(const vmap *m, int rank, bool in_row, const tl_value *at, tl_value out[TL_MAX_RANK]) {
  uint32_t n = 0;
  if (in_row) {
    out[n++] = m->example;
  }
  for (int k = 0; (int)n < rank; k++) {
    out[n++] = at[k];
  }
  return n;
}

/* The type of v in h, of a row the row's. */
static tl_type row_type(vmap *m, tl_value v) {
  tl_type type = tl_type_of(m->f, v);
  tl_extent extents[TL_MAX_RANK];
  for (int k = 0; k < type.rank; k++) {
    tl_value e = type.extents[k].value;
    extents[k] = (tl_extent){type.extents[k].fixed, e ? m->map[e] : TL_NO_VALUE};
  }
  return tl_array_type(m->h, type.dtype, type.rank, extents);
}

/* What is stored to each element of an array: all the same number, or elements of an array of h. */
typedef struct storing {
  vmap *m;
  bool into_row, from_row; /* the example's index stands ahead of the element's own */
  tl_value from;
  bool adds;
} storing;

static tl_value element(vmap *m, tl_value array, bool in_row, const tl_value *at) {
  tl_value to[TL_MAX_RANK];
  uint32_t n = place(m, tl_type_of(m->h, array).rank, in_row, at, to);
  return tl_build_index(&m->b, array, n, to);
}

static void store_element(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)linear, (void)carry_count;
  const storing *s = ctx;
  vmap *m = s->m;
  tl_value x = tl_type_of(m->h, s->from).is_array ? element(m, s->from, s->from_row, at) : s->from;
  if (s->adds) {
    x = tl_build_binary(&m->b, TL_OP_add, element(m, carries[0], s->into_row, at), x);
  }
  tl_value to[TL_MAX_RANK];
  uint32_t n = place(m, tl_type_of(m->h, carries[0]).rank, s->into_row, at, to);
  carries[0] = tl_build_update(&m->b, carries[0], n, to, x);
}

/* The array with that stored into all elements that f's array v has. */
static tl_value store_all(storing s, tl_value into, tl_value v) {
  tl__each_element(&s.m->b, row_type(s.m, v), 1, &into, store_element, &s);
  return into;
}

/* An array of its own, like f's array v. */
static tl_value own_array(vmap *m, tl_value v) {
  tl_type type = row_type(m, v);
  return tl_build_alloc(&m->b, type.dtype, type.rank, type.extents, 0, tl_info(m->f, v)->name);
}

/* ---- texts that name parameters ---- */

/* How a text goes on behind the parameter's name is spelled of the example: "$2->p" as "$3[%4].p". */
typedef struct text_at {
  const char *name; /* from '$' on */
  const char *rest; /* behind the number */
  uint32_t cparam;
} text_at;

/* The next '$' that names a parameter, from s on; false where there is none. */
static bool find_name(const char *s, text_at *out) {
  for (; (s = strchr(s, '$')) != NULL; s += 2) {
    if (s[1] != '$') {
      char *end;
      *out = (text_at){.name = s, .cparam = (uint32_t)strtoul(s + 1, &end, 10)};
      out->rest = end;
      return true;
    }
  }
  return false;
}

/* What an object of the parameter decays to, passed as it is. */
static bool leads_to_array(const vmap *m, uint32_t cparam) {
  for (uint32_t i = 0; i < m->f->params.count; i++) {
    const tl_param *p = &m->f->params.data[i];
    if (p->cparam == cparam && !strncmp(p->access, "$[#]", 4)) {
      return true;
    }
  }
  return false;
}

/* The text in h's terms. *out_uses: operand `operand`, the example, is needed for it. */
static const char *batched_text(vmap *m, const char *text, uint32_t operand, bool asks_null, bool *out_uses) {
  tl_arena *arena = m->h->arena;
  const char *out = "";
  for (text_at t; find_name(text, &t);) {
    int before = (int)(t.name - text);
    bool is_whole = t.name == text && !*t.rest;
    if (!m->is_batched[t.cparam] || (asks_null && is_whole)) {
      out = tl_arena_printf(arena, "%s%.*s$%u", out, before, text, t.cparam + 1);
      text = t.rest;
      continue;
    }
    *out_uses = true;
    bool is_cell = before >= 2 && !strncmp(t.name - 2, "(*", 2) && *t.rest == ')';
    bool is_pointer = !is_cell && *t.rest != '.' && *t.rest != '[' && strncmp(t.rest, "->", 2) != 0 &&
                      !m->f->cparams.data[t.cparam].by_value && !leads_to_array(m, t.cparam);
    const char *dot = strncmp(t.rest, "->", 2) ? "" : ".";
    out = tl_arena_printf(arena, "%s%.*s%s$%u[%%%u]%s", out, is_cell ? before - 2 : before, text, is_pointer ? "&" : "",
                          t.cparam + 1, operand, dot);
    text = t.rest + (is_cell ? 1 : *dot ? 2 : 0);
  }
  return tl_arena_printf(arena, "%s%s", out, text);
}

static void copy_extern(vmap *m, const tl_op *o) {
  tl_op *made = tl_clone_op_from(&m->b, m->f, o, m->map);
  bool uses = false;
  made->format = batched_text(m, o->format, o->operand_count, !strcmp(o->callee, "!!"), &uses);
  if (uses) {
    tl_value *operands = TL_NEW_ARRAY(m->h->arena, tl_value, o->operand_count + 1);
    for (uint32_t i = 0; i < o->operand_count; i++) {
      operands[i] = made->operands[i];
    }
    operands[made->operand_count++] = m->example;
    made->operands = operands;
  }
}

/* ---- the body ---- */

static bool copy_ops(vmap *m, const tl_region *r);

static void copy_name(vmap *m, tl_value made, tl_value old) {
  m->map[old] = made;
  m->h->values.data[made].name = tl_info(m->f, old)->name;
}

static void yield(vmap *m, tl_value v) { TL_PUSH(m->h->arena, m->b.region->yields, m->map[v]); }

static bool copy_if(vmap *m, const tl_op *o) {
  tl_op *made = tl_build_if(&m->b, m->map[o->operands[0]]);
  tl_region *outer = m->b.region;
  bool ok = true;
  for (uint32_t r = 0; r < 2 && ok; r++) {
    m->b.region = made->regions[r];
    ok = copy_ops(m, o->regions[r]);
    for (uint32_t i = 0; i < o->result_count && ok; i++) {
      yield(m, o->regions[r]->yields.data[i]);
    }
  }
  m->b.region = outer;
  if (ok) {
    tl_build_if_results(&m->b, made);
    for (uint32_t i = 0; i < o->result_count; i++) {
      copy_name(m, tl_op_result(made, i), tl_op_result(o, i));
    }
  }
  return ok;
}

static bool copy_loop(vmap *m, const tl_op *o) {
  uint32_t carries = tl_loop_carries(o);
  tl_value *inits = TL_NEW_ARRAY(m->d->arena, tl_value, carries + 1);
  for (uint32_t i = 0; i < carries; i++) {
    inits[i] = m->map[tl_loop_init(o, i)];
  }
  tl_value lo = m->map[tl_loop_lo(o)], hi = tl_loop_hi(o) ? m->map[tl_loop_hi(o)] : TL_NO_VALUE;
  tl_op *made = tl_build_loop(&m->b, lo, hi, o->u.step, NULL, carries, inits);
  made->reversed = o->reversed;
  made->is_ours = o->is_ours;
  tl_region *outer = m->b.region;
  bool ok = true;
  for (uint32_t r = 0; r < 2 && ok; r++) {
    for (uint32_t i = 0; i < o->regions[r]->params.count; i++) {
      copy_name(m, made->regions[r]->params.data[i], o->regions[r]->params.data[i]);
    }
    m->b.region = made->regions[r];
    ok = copy_ops(m, o->regions[r]);
    for (uint32_t i = 0; i < o->regions[r]->yields.count && ok; i++) {
      yield(m, o->regions[r]->yields.data[i]);
    }
  }
  m->b.region = outer;
  if (ok) {
    tl_build_loop_results(&m->b, made);
    for (uint32_t i = 0; i < o->result_count; i++) {
      copy_name(m, tl_op_result(made, i), tl_op_result(o, i));
    }
  }
  return ok;
}

/* Arguments in h's terms. */
static bool copy_texts(vmap *m, const tl_op *o, const tl_func *callee, tl_op *made) {
  const char **texts = TL_NEW_ARRAY(m->h->arena, const char *, callee->cparams.count + 1);
  for (uint32_t c = 0; c < callee->cparams.count; c++) {
    bool uses = false;
    if (has_leaf(callee, c) || !o->texts[c]) {
      continue;
    }
    texts[c] = batched_text(m, o->texts[c], 0, false, &uses);
    if (uses) {
      tl_diag_error(diag_of(m), TL_VMAP_NO_BATCHING_RULE, o->loc,
                    "'%s' is called here, is not inlined, and gets a pointer out of a batched parameter as '%s'",
                    callee->name, callee->cparams.data[c].name);
      tl_diag_note(diag_of(m), m->d->spec->loc, "needed by this batch");
      return false;
    }
  }
  made->texts = texts;
  return true;
}

/* A row is passed as a copy; what the call leaves in that is stored into the row. */
static bool copy_call(vmap *m, const tl_op *o) {
  const tl_func *callee = tl_module_find(m->f->module, o->callee);
  tl_value *wholes = TL_NEW_ARRAY(m->d->arena, tl_value, o->operand_count + 1);
  tl_value *passed = TL_NEW_ARRAY(m->d->arena, tl_value, o->operand_count + 1);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    tl_value v = o->operands[i];
    passed[i] = wholes[i] = m->map[v];
    if (is_row(m, v)) {
      passed[i] = own_array(m, v);
    }
    if (is_row(m, v) && !tl_func_is_output(callee, i)) {
      passed[i] = store_all((storing){.m = m, .from = wholes[i], .from_row = true}, passed[i], v);
    }
  }
  tl_op *made = tl_clone_op_from(&m->b, m->f, o, m->map);
  memcpy(made->operands, passed, sizeof *passed * o->operand_count);
  for (uint32_t i = 0; i < o->result_count; i++) {
    tl_value v = tl_op_result(o, i);
    if (is_row(m, v)) {
      storing s = {.m = m, .into_row = true, .from = m->map[v]};
      m->map[v] = store_all(s, wholes[callee->results.data[i].param], v);
    }
  }
  return !o->texts || copy_texts(m, o, callee, made);
}

static void copy_element_op(vmap *m, const tl_op *o) {
  tl_value at[TL_MAX_RANK], to[TL_MAX_RANK], array = o->operands[0], whole = m->map[array];
  uint32_t rank = (uint32_t)tl_type_of(m->f, array).rank;
  for (uint32_t k = 0; k < rank; k++) {
    at[k] = m->map[o->operands[1 + k]];
  }
  uint32_t n = place(m, tl_type_of(m->h, whole).rank, true, at, to);
  tl_value made = o->code == TL_OP_index ? tl_build_index(&m->b, whole, n, to)
                                         : tl_build_update(&m->b, whole, n, to, m->map[o->operands[1 + rank]]);
  copy_name(m, made, tl_op_result(o, 0));
}

/* fill, clone and accumulate, where one of the arrays is a row. */
static void copy_array_op(vmap *m, const tl_op *o) {
  tl_value result = tl_op_result(o, 0), array = o->operands[0];
  bool clones = o->code == TL_OP_clone;
  tl_value from = clones ? array : o->operands[1];
  storing s = {.m = m,
               .into_row = !clones && is_row(m, array),
               .from_row = is_row(m, from),
               .from = m->map[from],
               .adds = o->code == TL_OP_accumulate};
  copy_name(m, store_all(s, clones ? own_array(m, array) : m->map[array], array), result);
}

static bool copy_op(vmap *m, const tl_op *o) {
  m->b.loc = o->loc;
  bool any_row = false;
  for (uint32_t i = 0; i < o->operand_count; i++) {
    any_row |= o->operands[i] && is_row(m, o->operands[i]);
  }
  if (o->code == TL_OP_if) {
    return copy_if(m, o);
  }
  if (o->code == TL_OP_loop) {
    return copy_loop(m, o);
  }
  if (o->code == TL_OP_call) {
    return copy_call(m, o);
  }
  if (o->code == TL_OP_extern) {
    copy_extern(m, o);
  } else if (!any_row) {
    tl_clone_op_from(&m->b, m->f, o, m->map);
  } else if (o->code == TL_OP_index || (o->code == TL_OP_update && is_row(m, o->operands[0]))) {
    copy_element_op(m, o);
  } else {
    copy_array_op(m, o);
  }
  return true;
}

static bool copy_ops(vmap *m, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (!(r == m->f->body && is_ahead(m, r->ops.data[i])) && !copy_op(m, r->ops.data[i])) {
      return false;
    }
  }
  return true;
}

/* What a leaf is at the head of an iteration: of a batched number the example's, of an array that is no row, and that
 * f writes to or has several of, a copy. */
static void enter_leaf(vmap *m, uint32_t leaf, tl_value whole) {
  tl_value v = m->f->params.data[leaf].value;
  bool is_batched = m->is_batched[m->f->params.data[leaf].cparam];
  m->map[v] = whole;
  if (!tl_type_of(m->f, v).is_array) {
    m->map[v] = is_batched ? tl_build_index(&m->b, whole, 1, &m->example) : whole;
  } else if (!is_row(m, v) && (is_batched || m->groups[group_of(m, v)].is_written)) {
    storing s = {.m = m, .from = whole, .from_row = is_batched};
    tl_value own = own_array(m, v);
    m->map[v] = tl_func_is_output(m->f, leaf) ? own : store_all(s, own, v);
  }
}

/* The whole array at the end of an iteration in which f leaves v in the leaf, or returns it. */
static tl_value leave_result(vmap *m, const tl_result *r, tl_value v, tl_value whole) {
  bool is_there = r->role == TL_RESULT_FINAL && is_row(m, v) && m->groups[group_of(m, v)].leaf == r->param;
  storing s = {.m = m, .into_row = true, .from_row = is_row(m, v), .from = m->map[v]};
  return is_there ? m->map[v] : store_all(s, whole, v);
}

/* h's parameter that result i of f goes to. */
static uint32_t param_of_result(const tl_func *f, uint32_t result) {
  const tl_result *r = &f->results.data[result];
  uint32_t returned = 0;
  for (uint32_t i = 0; i < result; i++) {
    returned += f->results.data[i].role == TL_RESULT_RETURN;
  }
  return 1 + (r->role == TL_RESULT_FINAL ? r->param : f->params.count + returned);
}

tl_func *tl__derive_vmap(tl_derive_ctx *d) {
  vmap m = {.d = d, .f = d->f};
  tl_func *f = m.f;
  if (!check_name(&m) || !find_batched(&m) || !check_extents(&m)) {
    return NULL;
  }
  find_groups(&m);
  if (!begin(&m)) {
    return NULL;
  }
  tl_func *h = m.h;
  tl_value *wholes = TL_NEW_ARRAY(d->arena, tl_value, h->params.count);
  for (uint32_t i = 0; i < h->params.count; i++) {
    wholes[i] = h->params.data[i].value;
  }
  TL_VEC(uint32_t) stored = {0}; /* results */
  TL_VEC(tl_value) carries = {0};
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    if (r->role == TL_RESULT_RETURN || is_changed(f, r->param)) {
      TL_PUSH(d->arena, stored, i);
      TL_PUSH(d->arena, carries, wholes[param_of_result(f, i)]);
    }
  }
  tl_value zero = tl_build_int(&m.b, TL_U64, 0);
  tl_op *loop = tl_build_loop(&m.b, zero, wholes[0], 1, "example", carries.count, carries.data);
  tl_build_loop_enter(&m.b, loop, carries.data);
  m.example = m.b.region->params.data[0];
  for (uint32_t k = 0; k < stored.count; k++) {
    wholes[param_of_result(f, stored.data[k])] = carries.data[k];
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    enter_leaf(&m, i, wholes[1 + i]);
  }
  if (!copy_ops(&m, f->body)) {
    return NULL;
  }
  m.b.loc = f->loc;
  for (uint32_t k = 0; k < stored.count; k++) {
    uint32_t i = stored.data[k];
    carries.data[k] = leave_result(&m, &f->results.data[i], f->body->yields.data[i], carries.data[k]);
  }
  tl_build_loop_leave(&m.b, loop, carries.data);
  for (uint32_t i = 0, k = 0; i < f->results.count; i++) {
    uint32_t param = param_of_result(f, i);
    bool is_stored = k < stored.count && stored.data[k] == i;
    TL_PUSH(h->arena, h->results, (tl_result){.role = TL_RESULT_FINAL, .param = param});
    TL_PUSH(h->arena, h->body->yields, is_stored ? carries.data[k++] : h->params.data[param].value);
  }
  return h;
}

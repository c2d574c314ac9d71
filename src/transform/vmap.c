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
 * starts from. Where it starts from more (a branch chooses between two arrays, a loop exchanges them), writes into what
 * f got by value or needs an older version again, for which the emitter would copy the whole, the leaf is copied for
 * the example, and what f leaves in it is stored at the end. So is a row
 * that a call which is not inlined takes: views.c then passes many of them where they lie. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctext.h"
#include "transform/batch.h"
#include "transform/copy.h"
#include "transform/elements.h"
#include "transform/rewrite.h"

/* What a group of versions starts from. */
typedef struct group {
  uint32_t sources;
  uint32_t leaf; /* one of them, if `has_leaf` */
  bool has_leaf, is_written;
  bool is_kept; /* a version is used again after there is a newer one */
} group;

typedef struct vmap {
  tl_derive_ctx *d;
  tl_func *f, *h;
  tl_builder b;
  tl_signer s;
  tl_batch batch;
  tl_value *joined; /* by value of f: another one of its group, or itself */
  group *groups;    /* by value of f that stands for its group */
  tl_value *map;    /* by value of f; of a row the whole array */
  tl_value example;
} vmap;

static tl_diag *diag_of(const vmap *m) { return m->f->module->diag; }

/* An op that the extents are computed by, ahead of the loop over examples. */
static bool is_ahead(const vmap *m, const tl_op *o) {
  bool needed = false;
  for (uint32_t i = 0; i < o->result_count; i++) {
    needed |= m->batch.is_needed[tl_op_result(o, i)];
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
    to->is_kept |= from->is_kept;
    to->leaf = from->has_leaf ? from->leaf : to->leaf;
    to->has_leaf |= from->has_leaf;
    m->joined[b] = a;
  }
}

/* Is v used after the op, perhaps in the next iteration of a loop? */
static bool is_used_later(const tl_func *f, const tl_op *op, tl_value v) {
  for (;;) {
    const tl_region *r = op->parent;
    uint32_t at = 0;
    while (r->ops.data[at] != op) {
      at++;
    }
    if (tl__uses_in(r, at + 1, v)) {
      return true;
    }
    if (tl_info(f, v)->region == r || !r->parent) {
      return false;
    }
    op = r->parent;
    if (op->code == TL_OP_loop) {
      return true;
    }
  }
}

static void keep(vmap *m, tl_value v) {
  if (tl_type_of(m->f, v).is_array) {
    m->groups[group_of(m, v)].is_kept = true;
  }
}

/* Looks for what keeps versions that the op hands on. */
static void find_kept(vmap *m, const tl_op *o) {
  for (uint32_t i = 0; i < o->operand_count; i++) {
    tl_value v = o->operands[i];
    bool carries = o->code == TL_OP_loop && i >= 2;
    if (v && tl_type_of(m->f, v).is_array && (carries || tl__op_overwrites(m->f, o, i)) &&
        (is_used_later(m->f, o, v) ||
         (carries && (tl__uses_in(tl_loop_cond(o), 0, v) || tl__uses_in(tl_loop_body(o), 0, v))))) {
      keep(m, v);
    }
  }
  for (uint32_t r = 0; r < o->region_count; r++) {
    for (uint32_t i = 0; i < o->regions[r]->yields.count; i++) {
      tl_value v = o->regions[r]->yields.data[i];
      if (tl_info(m->f, v)->region != o->regions[r] && (o->code == TL_OP_loop || is_used_later(m->f, o, v))) {
        keep(m, v);
      }
    }
  }
}

static void group_region(vmap *m, const tl_region *r);

static void group_op(vmap *m, const tl_op *o) {
  const tl_func *callee = o->code == TL_OP_call ? tl_module_find(m->f->module, o->callee) : NULL;
  for (uint32_t i = 0; i < o->region_count; i++) {
    group_region(m, o->regions[i]);
  }
  find_kept(m, o);
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
  for (uint32_t i = 0; i < f->results.count; i++) { /* of one leaf into another */
    const tl_result *r = &f->results.data[i];
    tl_value v = f->body->yields.data[i];
    tl_value into = r->role == TL_RESULT_FINAL ? f->params.data[r->param].value : TL_NO_VALUE;
    if (!into || group_of(m, v) != group_of(m, into)) {
      keep(m, v);
      m->groups[group_of(m, into)].is_kept = true;
    }
  }
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
  if (g->sources != 1 || !g->has_leaf || !m->batch.is_batched[m->f->params.data[g->leaf].cparam]) {
    return false;
  }
  bool changed = is_changed(m->f, g->leaf);
  return changed ? !g->is_kept : !g->is_written;
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
  made->access = tl__batch_access(m->h->arena, member->access);
  made->axis++;
  made->outer = batched_member(m, member->outer);
  return made;
}

/* Of a row the extents are f's until the map holds the values that they refer to. */
static void add_leaf(vmap *m, uint32_t leaf) {
  tl_func *f = m->f, *h = m->h;
  tl_param p = f->params.data[leaf];
  tl_value_info info = *tl_info(f, p.value);
  if (m->batch.is_batched[p.cparam]) {
    info.type = with_batch(m, info.type);
    p.access = tl__batch_access(h->arena, p.access);
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
    tl_extent *extents = (tl_extent *)type.extents + (m->batch.is_batched[p->cparam] ? 1 : 0);
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

static bool batch_cparam(vmap *m, uint32_t cparam) {
  tl_arena *arena = m->h->arena;
  tl_cparam *c = &m->h->cparams.data[cparam + 1];
  const char *written = c->declarator, *bare = c->bare, *text = NULL;
  if (c->pointee) { /* behind a typedef */
    written = tl_arena_printf(arena, "%s *@", c->pointee);
    bare = tl_text_without_const(arena, written);
  }
  tl_extent extent;
  if (!c->by_value && tl__batch_is_open(written) && find_pointee_extent(m, cparam, &extent)) {
    text = extent.value ? tl__signer_extent_text(m->h, extent.value)
                        : tl_arena_printf(arena, "%lld", (long long)extent.fixed);
    if (!text) {
      tl_diag_error(diag_of(m), TL_EXTENT_UNKNOWN, m->d->spec->loc,
                    "the number of elements of '%s' is not an expression over the parameters", c->name);
      return false;
    }
  }
  bool is_read = c->by_value && !tl__batch_is_written(m->f, cparam);
  written = tl__batch_declarator(arena, written, batch_name(m), text);
  c->declarator = is_read ? tl__batch_with_const(arena, written) : written;
  c->bare = tl__batch_declarator(arena, bare, batch_name(m), text);
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
    tl__signer_add_leaf(&m->s, v, cparam, tl__batch_access(h->arena, r->access), true, TL_ORIGIN_CELL, i);
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
  h->cparams.data[batch].by_value = h->cparams.data[batch].is_batch = true;
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
    if (m->batch.is_batched[i] && !batch_cparam(m, i)) {
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

/* The next '$' that names a parameter, from s on, and where the text goes on behind it; NULL where there is none. */
static const char *find_name(const char *s, uint32_t *out_cparam, const char **out_rest) {
  for (; (s = strchr(s, '$')) != NULL; s += 2) {
    if (s[1] != '$') {
      char *end;
      *out_cparam = (uint32_t)strtoul(s + 1, &end, 10);
      *out_rest = end;
      return s;
    }
  }
  return NULL;
}

/* The text in h's terms. What is passed on as text lies in no batched parameter. */
static const char *text_in_batch(const vmap *m, const char *text) {
  const char *out = "", *rest, *name;
  uint32_t c;
  for (; (name = find_name(text, &c, &rest)) != NULL; text = rest) {
    assert(!m->batch.is_batched[c]);
    out = tl_arena_printf(m->h->arena, "%s%.*s$%u", out, (int)(name - text), text, c + 1);
  }
  return tl_arena_printf(m->h->arena, "%s%s", out, text);
}

/* A null test asks the same of the example's own pointer, "$3[%0].p" of "$2->p"; of a parameter itself, of the array of
 * all. */
static void copy_null_test(vmap *m, const tl_op *o) {
  tl_arena *arena = m->h->arena;
  uint32_t c = 0;
  const char *rest = "", *name = find_name(o->format, &c, &rest);
  tl_op *made = tl_clone_op_from(&m->b, m->f, o, m->map);
  if (!m->batch.is_batched[c] || (name == o->format && !*rest)) {
    made->format = tl_arena_printf(arena, "%.*s$%u%s", (int)(name - o->format), o->format, c + 1, rest);
    return;
  }
  const char *access = tl_arena_printf(arena, "%.*s$%s", (int)(name - o->format), o->format, rest);
  access = tl__batch_access(arena, access);
  const char *at = strchr(access, '$');
  made->format = tl_arena_printf(arena, "%.*s$%u[%%%u]%s", (int)(at - access), access, c + 1, o->operand_count, at + 4);
  tl_value *operands = TL_NEW_ARRAY(arena, tl_value, o->operand_count + 1);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    operands[i] = made->operands[i];
  }
  operands[made->operand_count++] = m->example;
  made->operands = operands;
}

static void copy_extern(vmap *m, const tl_op *o) {
  if (!strcmp(o->callee, "!!")) {
    copy_null_test(m, o);
  } else {
    tl_clone_op_from(&m->b, m->f, o, m->map)->format = text_in_batch(m, o->format);
  }
}

/* ---- the body ---- */

static void copy_ops(vmap *m, const tl_region *r);

static void copy_name(vmap *m, tl_value made, tl_value old) {
  m->map[old] = made;
  m->h->values.data[made].name = tl_info(m->f, old)->name;
}

static void copy_names(vmap *m, const tl_op *made, const tl_op *old) {
  for (uint32_t i = 0; i < old->result_count; i++) {
    copy_name(m, tl_op_result(made, i), tl_op_result(old, i));
  }
}

static void copy_region(vmap *m, tl_region *into, const tl_region *r) {
  tl_region *outer = m->b.region;
  for (uint32_t i = 0; i < r->params.count; i++) {
    copy_name(m, into->params.data[i], r->params.data[i]);
  }
  m->b.region = into;
  copy_ops(m, r);
  for (uint32_t i = 0; i < r->yields.count; i++) {
    TL_PUSH(m->h->arena, into->yields, m->map[r->yields.data[i]]);
  }
  m->b.region = outer;
}

static void copy_if(vmap *m, const tl_op *o) {
  tl_op *made = tl_build_if(&m->b, m->map[o->operands[0]]);
  copy_region(m, made->regions[0], o->regions[0]);
  copy_region(m, made->regions[1], o->regions[1]);
  tl_build_if_results(&m->b, made);
  copy_names(m, made, o);
}

static void copy_loop(vmap *m, const tl_op *o) {
  uint32_t carries = tl_loop_carries(o);
  tl_value *inits = TL_NEW_ARRAY(m->d->arena, tl_value, carries + 1);
  for (uint32_t i = 0; i < carries; i++) {
    inits[i] = m->map[tl_loop_init(o, i)];
  }
  tl_value lo = m->map[tl_loop_lo(o)], hi = tl_loop_hi(o) ? m->map[tl_loop_hi(o)] : TL_NO_VALUE;
  tl_op *made = tl_build_loop(&m->b, lo, hi, o->u.step, NULL, carries, inits);
  made->reversed = o->reversed;
  made->is_ours = o->is_ours;
  copy_region(m, made->regions[0], o->regions[0]);
  copy_region(m, made->regions[1], o->regions[1]);
  tl_build_loop_results(&m->b, made);
  copy_names(m, made, o);
}

enum { FEW_ELEMENTS = 32 };

/* Does views.c find nothing to do with the copy of the row that argument i gets? It passes where it lies what an array
 * of numbers takes that only reads, of a whole that is only read. */
static bool stays_copy(vmap *m, const tl_op *o, const tl_func *callee, uint32_t i) {
  tl_type type = tl_type_of(m->f, o->operands[i]);
  int64_t count = tl_extents_count(type.extents, type.rank, INT64_MAX);
  bool is_viewed = !strcmp(callee->params.data[i].access, "$[#]") && !m->groups[group_of(m, o->operands[i])].is_written;
  return type.rank && !is_viewed && (count < 0 || count > FEW_ELEMENTS);
}

static void warn_of_copy(vmap *m, const tl_op *o, uint32_t i) {
  const char *name = tl_info(m->f, o->operands[i])->name;
  tl_diag_warn(diag_of(m), "tl-array-copy", o->loc,
               "the array '%s' of each example is copied in '%s': it is passed to '%s', which is not inlined",
               name ? name : "", m->h->name, o->callee);
}

/* A row is passed as a copy; what the call leaves in that is stored into the row. */
static void copy_call(vmap *m, const tl_op *o) {
  const tl_func *callee = tl_module_find(m->f->module, o->callee);
  tl_value *wholes = TL_NEW_ARRAY(m->d->arena, tl_value, o->operand_count + 1);
  tl_value *passed = TL_NEW_ARRAY(m->d->arena, tl_value, o->operand_count + 1);
  uint32_t warns = o->operand_count;
  for (uint32_t i = 0; i < o->operand_count; i++) {
    tl_value v = o->operands[i];
    passed[i] = wholes[i] = m->map[v];
    if (is_row(m, v)) {
      passed[i] = own_array(m, v);
      warns = warns == o->operand_count && stays_copy(m, o, callee, i) ? i : warns;
    }
    if (is_row(m, v) && !tl_func_is_output(callee, i)) {
      passed[i] = store_all((storing){.m = m, .from = wholes[i], .from_row = true}, passed[i], v);
    }
  }
  if (warns < o->operand_count) { /* once a place */
    warn_of_copy(m, o, warns);
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
  const char **texts = TL_NEW_ARRAY(m->h->arena, const char *, callee->cparams.count + 1);
  for (uint32_t c = 0; o->texts && c < callee->cparams.count; c++) {
    texts[c] = o->texts[c] && !tl__batch_has_leaf(callee, c) ? text_in_batch(m, o->texts[c]) : NULL;
  }
  made->texts = texts;
}

static void copy_element_op(vmap *m, const tl_op *o) {
  tl_value at[TL_MAX_RANK] = {0}, to[TL_MAX_RANK], array = o->operands[0], whole = m->map[array];
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

static void copy_op(vmap *m, const tl_op *o) {
  m->b.loc = o->loc;
  bool any_row = false;
  for (uint32_t i = 0; i < o->operand_count; i++) {
    any_row |= o->operands[i] && is_row(m, o->operands[i]);
  }
  if (o->code == TL_OP_if) {
    copy_if(m, o);
  } else if (o->code == TL_OP_loop) {
    copy_loop(m, o);
  } else if (o->code == TL_OP_call) {
    copy_call(m, o);
  } else if (o->code == TL_OP_extern) {
    copy_extern(m, o);
  } else if (!any_row) {
    tl_clone_op_from(&m->b, m->f, o, m->map);
  } else if (o->code == TL_OP_index || (o->code == TL_OP_update && is_row(m, o->operands[0]))) {
    copy_element_op(m, o);
  } else {
    copy_array_op(m, o);
  }
}

static void copy_ops(vmap *m, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (r != m->f->body || !is_ahead(m, r->ops.data[i])) {
      copy_op(m, r->ops.data[i]);
    }
  }
}

/* What a leaf is at the head of an iteration: of a batched number the example's, of an array that is no row, and that
 * f writes to or has several of, a copy. */
static void enter_leaf(vmap *m, uint32_t leaf, tl_value whole) {
  tl_value v = m->f->params.data[leaf].value;
  bool is_batched = m->batch.is_batched[m->f->params.data[leaf].cparam];
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
  if (!tl__batch_find(d, &m.batch)) {
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
  copy_ops(&m, f->body);
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

/* Which memory behind pointer members a function leaves alone. Such a pointer may be null: what a caller keeps in its
 * structs for other functions is not looked at.
 *
 * An array goes on under other names: through loops and branches, and as what a call leaves of it. A number that only
 * says how long an array is, `n` of TL_LEN(n), is used where that array is. The functions that call one another start
 * with nothing touched, and are walked until no more is. */
#include "transform/copy.h"
#include "transform/derive_priv.h"

typedef struct member {
  tl_func *func;
  bool *touched;   /* by leaf */
  uint32_t *alias; /* by value: 1 + the leaf whose memory it is, or that an extent is read from; or 0 */
} member;

typedef struct search {
  tl_arena *arena;
  TL_VEC(member) members; /* that call one another */
  bool changed;
} search;

static uint32_t add_member(search *s, tl_func *f) {
  for (uint32_t i = 0; i < s->members.count; i++) {
    if (s->members.data[i].func == f) {
      return i;
    }
  }
  member m = {f, TL_NEW_ARRAY(s->arena, bool, f->params.count + 1),
              TL_NEW_ARRAY(s->arena, uint32_t, f->values.count + 1)};
  for (uint32_t i = 0; i < f->params.count; i++) {
    m.touched[i] = !f->params.data[i].by_members || !f->params.data[i].is_memory;
    m.alias[f->params.data[i].value] = i + 1;
  }
  TL_PUSH(s->arena, s->members, m);
  s->changed = true;
  return s->members.count - 1;
}

static void touch(search *s, const member *m, tl_value v) {
  uint32_t leaf = v ? m->alias[v] : 0;
  if (leaf && !m->touched[leaf - 1]) {
    m->touched[leaf - 1] = true;
    s->changed = true;
  }
}

/* One of two goes on as `to`: the same memory, or that is a use of both. */
static void join(search *s, const member *m, tl_value x, tl_value y, tl_value to) {
  m->alias[to] = m->alias[x];
  if (m->alias[x] != m->alias[y]) {
    touch(s, m, x);
    touch(s, m, y);
  }
}

static void walk_region(search *s, const member *m, const tl_region *r);

static void walk_call(search *s, const member *m, const tl_op *op) {
  tl_func *callee = tl_module_find(m->func->module, op->callee);
  bool is_known = callee && !callee->is_declared && !callee->custom_vjp && !callee->custom_jvp && !op->views;
  const bool *touched = is_known ? s->members.data[add_member(s, callee)].touched : NULL;
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (!touched || i >= callee->params.count || touched[i]) {
      touch(s, m, op->operands[i]);
    }
  }
  for (uint32_t i = 0; touched && i < callee->results.count; i++) {
    if (callee->results.data[i].role == TL_RESULT_FINAL) {
      m->alias[tl_op_result(op, i)] = m->alias[op->operands[callee->results.data[i].param]];
    }
  }
}

static void walk_loop(search *s, const member *m, const tl_op *op) {
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    uint32_t alias = m->alias[tl_loop_init(op, i)];
    m->alias[tl_loop_cond(op)->params.data[1 + i]] = m->alias[tl_loop_body(op)->params.data[1 + i]] = alias;
  }
  walk_region(s, m, tl_loop_cond(op));
  walk_region(s, m, tl_loop_body(op));
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    join(s, m, tl_loop_init(op, i), tl_loop_body(op)->yields.data[i], tl_op_result(op, i));
  }
}

static void walk_ops(search *s, const member *m, const tl_region *r, uint32_t first) {
  for (uint32_t i = first; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    if (op->code == TL_OP_call) {
      walk_call(s, m, op);
    } else if (op->code == TL_OP_loop) {
      walk_loop(s, m, op);
    } else {
      for (uint32_t k = 0; k < op->operand_count; k++) {
        touch(s, m, op->operands[k]);
      }
    }
    if (op->code == TL_OP_if) {
      walk_region(s, m, op->regions[0]);
      walk_region(s, m, op->regions[1]);
      for (uint32_t n = 0; n < op->result_count; n++) {
        join(s, m, op->regions[0]->yields.data[n], op->regions[1]->yields.data[n], tl_op_result(op, n));
      }
    }
  }
}

static void walk_region(search *s, const member *m, const tl_region *r) { walk_ops(s, m, r, 0); }

/* What the op makes for an extent stands for the leaf that it is made of; of two, both are used. */
static void walk_extent(search *s, const member *m, const tl_op *op) {
  tl_value made = tl_op_result(op, 0);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_value v = op->operands[i];
    if (m->alias[made] && m->alias[v] && m->alias[made] != m->alias[v]) {
      touch(s, m, made);
      touch(s, m, v);
    }
    m->alias[made] = m->alias[v] ? m->alias[v] : m->alias[made];
  }
}

static void walk_member(search *s, const member *m) {
  const tl_func *f = m->func;
  uint32_t extents = tl__func_extent_ops(f);
  for (uint32_t i = 0; i < extents; i++) {
    walk_extent(s, m, f->body->ops.data[i]);
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_type type = tl_type_of(f, f->params.data[i].value);
    for (int k = 0; k < type.rank && m->touched[i]; k++) {
      touch(s, m, type.extents[k].value);
    }
  }
  walk_ops(s, m, f->body, extents);
  for (uint32_t i = 0; i < m->func->results.count; i++) {
    const tl_result *r = &m->func->results.data[i];
    tl_value v = m->func->body->yields.data[i];
    if (r->role != TL_RESULT_FINAL || m->alias[v] != r->param + 1) {
      touch(s, m, v);
      touch(s, m, r->role == TL_RESULT_FINAL ? m->func->params.data[r->param].value : TL_NO_VALUE);
    }
  }
}

static void search_from(search *s, tl_func *f) {
  add_member(s, f);
  while (s->changed) {
    s->changed = false;
    for (uint32_t i = 0; i < s->members.count; i++) {
      member m = s->members.data[i];
      walk_member(s, &m);
    }
  }
}

/* What it goes on as is what came in. */
static void name_alike(const member *m, tl_value *v) {
  uint32_t leaf = *v ? m->alias[*v] : 0;
  if (leaf && !m->touched[leaf - 1] && tl_type_of(m->func, *v).is_array) {
    *v = m->func->params.data[leaf - 1].value;
  }
}

static void name_alike_in(const member *m, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      name_alike(m, &op->operands[k]);
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      name_alike_in(m, op->regions[k]);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    name_alike(m, &r->yields.data[i]);
  }
}

void tl__note_untouched(tl_func *f, tl_arena *arena) {
  search s = {.arena = arena};
  search_from(&s, f);
  for (uint32_t k = 0; k < s.members.count; k++) {
    const member *m = &s.members.data[k];
    for (uint32_t i = 0; i < m->func->params.count && m->func->is_primal && !m->func->is_tidy; i++) {
      m->func->params.data[i].is_untouched = !m->touched[i];
    }
    if (m->func->is_primal && !m->func->is_tidy) {
      name_alike_in(m, m->func->body);
    }
  }
}

bool *tl__find_untouched(tl_func *f, tl_arena *arena) {
  search s = {.arena = arena};
  search_from(&s, f);
  bool *untouched = TL_NEW_ARRAY(arena, bool, f->params.count + 1);
  for (uint32_t i = 0; i < f->params.count; i++) {
    untouched[i] = !s.members.data[0].touched[i];
  }
  return untouched;
}

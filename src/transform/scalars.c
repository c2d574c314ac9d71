/* Small arrays become scalars: a local array of constant extents whose elements are only named by constants is its
 * elements. Versions of an array that share storage go together or not at all. Two accesses by a variable are no
 * obstacle: the 1 at i that makes a unit direction of two or three zeros, and a loop that does nothing but copy the
 * array into another, which then are that many statements. */
#include <assert.h>

#include "transform/rewrite.h"
#include "transform/transform.h"

enum { MOST_ELEMENTS = 32, MOST_DIRECTIONS = 3 };

typedef struct splitter {
  tl_func *func;
  tl_arena *scratch;
  uint32_t room;       /* values when the pass began */
  tl_value *root;      /* by array value: union-find over versions of one storage */
  bool *keep;          /* by root: stays an array */
  tl_value **elements; /* by array value that is split: its elements */
  tl_rewrite rewrite;
} splitter;

static tl_value find(splitter *s, tl_value v) {
  while (s->root[v] != v) {
    s->root[v] = s->root[s->root[v]];
    v = s->root[v];
  }
  return v;
}

static void join(splitter *s, tl_value a, tl_value b) {
  if (tl_type_of(s->func, a).is_array) {
    tl_value x = find(s, a), y = find(s, b);
    s->root[x] = y;
    s->keep[y] |= s->keep[x];
  }
}

static void keep(splitter *s, tl_value v) { s->keep[find(s, v)] = true; }

/* Arrays of tensors stay arrays. */
static int64_t element_count(tl_type type) {
  return type.element ? -1 : tl_extents_count(type.extents, type.rank, MOST_ELEMENTS);
}

/* The element that constant indices name; -1 where they do not, or name none. */
static int64_t element_at(const tl_func *f, tl_type type, const tl_value *at) {
  int64_t element = 0;
  for (int i = 0; i < type.rank; i++) {
    int64_t index;
    if (!tl_is_const_int(f, at[i], &index) || index < 0 || index >= type.extents[i].fixed) {
      return -1;
    }
    element = element * type.extents[i].fixed + index;
  }
  return element;
}

/* ---- accesses by a variable ---- */

/* The first update of a small array that holds zeros. */
static bool is_unit_direction(const tl_func *f, const tl_op *update) {
  tl_type type = tl_type_of(f, update->operands[0]);
  const tl_op *def = tl_def(f, update->operands[0]);
  return type.rank == 1 && element_count(type) > 0 && type.extents[0].fixed <= MOST_DIRECTIONS && def &&
         def->code == TL_OP_alloc && def->u.flags & TL_ALLOC_ZEROED;
}

/* In a loop over the elements of an array that stores each into another array and does nothing else: the load. */
static const tl_op *load_of_copy(const tl_func *f, const tl_op *loop) {
  const tl_region *body = loop->regions[1];
  int64_t lo, hi;
  if (loop->code != TL_OP_loop || tl_loop_carries(loop) != 1 || !tl_loop_hi(loop) || loop->regions[0]->yields.count ||
      body->ops.count != 2 || !tl_is_const_int(f, tl_loop_lo(loop), &lo) ||
      !tl_is_const_int(f, tl_loop_hi(loop), &hi) || loop->u.step != 1) {
    return NULL;
  }
  const tl_op *load = body->ops.data[0], *store = body->ops.data[1];
  tl_value iv = body->params.data[0], into = body->params.data[1];
  bool copies = load->code == TL_OP_index && load->operand_count == 2 && load->operands[0] != into &&
                load->operands[1] == iv && store->code == TL_OP_update && store->operands[0] == into &&
                store->operands[store->operand_count - 1] == load->first_result &&
                body->yields.data[0] == store->first_result;
  for (uint32_t i = 1; copies && i + 1 < store->operand_count; i++) {
    copies = store->operands[i] != into && store->operands[i] != load->first_result;
  }
  tl_type type = copies ? tl_type_of(f, load->operands[0]) : (tl_type){0};
  return copies && element_count(type) >= 0 && lo >= 0 && hi <= type.extents[0].fixed ? load : NULL;
}

/* ---- which arrays ---- */

static void study_region(splitter *s, const tl_region *r) {
  const tl_func *f = s->func;
  const tl_op *copied = r->parent ? load_of_copy(f, r->parent) : NULL;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->region_count; k++) {
      study_region(s, o->regions[k]);
    }
    switch (o->code) {
    case TL_OP_alloc:
      if (element_count(tl_type_of(f, o->first_result)) < 0 || (o->u.flags & (TL_ALLOC_GROW | TL_ALLOC_TABLE))) {
        keep(s, o->first_result);
      }
      break;
    case TL_OP_index:
    case TL_OP_update:
      if (o->code == TL_OP_update) {
        join(s, o->operands[0], o->first_result);
      }
      if (element_count(tl_type_of(f, o->operands[0])) < 0 ||
          (element_at(f, tl_type_of(f, o->operands[0]), o->operands + 1) < 0 && o != copied &&
           !(o->code == TL_OP_update && is_unit_direction(f, o)))) {
        keep(s, o->operands[0]);
      }
      break;
    case TL_OP_fill:
      join(s, o->operands[0], o->first_result);
      break;
    case TL_OP_if:
      for (uint32_t k = 0; k < o->result_count; k++) {
        join(s, o->regions[0]->yields.data[k], tl_op_result(o, k));
        join(s, o->regions[1]->yields.data[k], tl_op_result(o, k));
      }
      break;
    case TL_OP_loop:
      for (uint32_t k = 0; k < tl_loop_carries(o); k++) {
        join(s, tl_loop_init(o, k), tl_op_result(o, k));
        join(s, tl_loop_cond(o)->params.data[1 + k], tl_op_result(o, k));
        join(s, tl_loop_body(o)->params.data[1 + k], tl_op_result(o, k));
        join(s, tl_loop_body(o)->yields.data[k], tl_op_result(o, k));
      }
      break;
    default:
      for (uint32_t k = 0; k < o->operand_count; k++) {
        if (tl_type_of(f, o->operands[k]).is_array) {
          keep(s, o->operands[k]);
        }
      }
      for (uint32_t k = 0; k < o->result_count; k++) {
        if (tl_type_of(f, tl_op_result(o, k)).is_array) {
          keep(s, tl_op_result(o, k));
        }
      }
      break;
    }
  }
}

/* ---- splitting ---- */

static bool is_split(splitter *s, tl_value v) {
  return v < s->room && tl_type_of(s->func, v).is_array && !s->keep[find(s, v)];
}

static tl_value *elements_of(splitter *s, tl_value v) {
  assert(s->elements[v]);
  return s->elements[v];
}

static tl_value *new_elements(splitter *s, tl_value v) {
  return s->elements[v] = TL_NEW_ARRAY(s->scratch, tl_value, element_count(tl_type_of(s->func, v)));
}

static const char *element_name(splitter *s, tl_value v, int64_t element) {
  const char *name = tl_info(s->func, v)->name;
  return name ? tl_arena_printf(s->func->arena, "%s_%lld", name, (long long)element) : NULL;
}

static void split_region(splitter *s, tl_region *r);

/* Appends v, or its elements, to a list of values. */
typedef TL_VEC(tl_value) value_list;

static void push_value(splitter *s, value_list *list, tl_value v) {
  if (!is_split(s, v)) {
    TL_PUSH(s->scratch, *list, v);
    return;
  }
  for (int64_t k = 0; k < element_count(tl_type_of(s->func, v)); k++) {
    TL_PUSH(s->scratch, *list, elements_of(s, v)[k]);
  }
}

static bool any_split(splitter *s, const tl_op *o) {
  for (uint32_t i = 0; i < o->result_count; i++) {
    if (is_split(s, tl_op_result(o, i))) {
      return true;
    }
  }
  return false;
}

/* What stands for result or parameter `old` among `made`'s, from position *at on. */
static void take_value(splitter *s, tl_value old, tl_value made, uint32_t *at) {
  if (!is_split(s, old)) {
    tl__rewrite_set(&s->rewrite, old, made + *at);
    s->func->values.data[made + *at].name = tl_info(s->func, old)->name;
    ++*at;
    return;
  }
  tl_value *elements = new_elements(s, old);
  for (int64_t k = 0; k < element_count(tl_type_of(s->func, old)); k++, ++*at) {
    elements[k] = made + *at;
    s->func->values.data[made + *at].name = element_name(s, old, k);
  }
}

static void move_ops(splitter *s, tl_region *from, tl_region *into) {
  uint32_t count;
  tl_op **ops = tl__region_take(s->scratch, from, &count);
  for (uint32_t i = 0; i < count; i++) {
    tl__region_append(s->func, into, ops[i]);
  }
}

static void push_yields(splitter *s, const tl_region *from, tl_region *into) {
  value_list yields = {0};
  for (uint32_t i = 0; i < from->yields.count; i++) {
    push_value(s, &yields, from->yields.data[i]);
  }
  for (uint32_t i = 0; i < yields.count; i++) {
    TL_PUSH(s->func->arena, into->yields, yields.data[i]);
  }
}

static void split_if(splitter *s, tl_builder *b, tl_op *o) {
  tl_op *made = tl_build_if(b, o->operands[0]);
  for (int k = 0; k < 2; k++) {
    split_region(s, o->regions[k]);
    move_ops(s, o->regions[k], made->regions[k]);
    push_yields(s, o->regions[k], made->regions[k]);
  }
  tl_build_if_results(b, made);
  uint32_t at = 0;
  for (uint32_t i = 0; i < o->result_count; i++) {
    take_value(s, tl_op_result(o, i), made->first_result, &at);
  }
}

static void split_loop(splitter *s, tl_builder *b, tl_op *o) {
  value_list inits = {0};
  for (uint32_t i = 0; i < tl_loop_carries(o); i++) {
    push_value(s, &inits, tl_loop_init(o, i));
  }
  tl_op *made = tl_build_loop(b, tl_loop_lo(o), tl_loop_hi(o), o->u.step, NULL, inits.count, inits.data);
  made->reversed = o->reversed;
  made->is_ours = o->is_ours;
  for (int k = 0; k < 2; k++) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < o->regions[k]->params.count; i++) {
      take_value(s, o->regions[k]->params.data[i], made->regions[k]->params.data[0], &at);
    }
    split_region(s, o->regions[k]);
    move_ops(s, o->regions[k], made->regions[k]);
    push_yields(s, o->regions[k], made->regions[k]);
  }
  tl_build_loop_results(b, made);
  uint32_t at = 0;
  for (uint32_t i = 0; i < o->result_count; i++) {
    take_value(s, tl_op_result(o, i), made->first_result, &at);
  }
}

/* A copy of what is split: its stores one by one. */
static void unroll_copy(splitter *s, tl_builder *b, const tl_op *o, const tl_op *load) {
  const tl_func *f = s->func;
  const tl_op *store = o->regions[1]->ops.data[1];
  tl_value iv = o->regions[1]->params.data[0], array = tl_loop_init(o, 0), at[TL_MAX_RANK];
  int64_t lo, hi;
  tl_is_const_int(f, tl_loop_lo(o), &lo);
  tl_is_const_int(f, tl_loop_hi(o), &hi);
  for (int64_t k = lo; k < hi; k++) {
    uint32_t rank = store->operand_count - 2;
    for (uint32_t i = 0; i < rank; i++) {
      tl_value index = store->operands[1 + i];
      at[i] = index == iv ? tl_build_int(b, tl_type_of(f, iv).dtype, k) : index;
    }
    array = tl_build_update(b, array, rank, at, elements_of(s, load->operands[0])[k]);
  }
  tl__rewrite_set(&s->rewrite, tl_op_result(o, 0), array);
  tl__rewrite_set(&s->rewrite, tl_loop_trips(o), tl_build_int(b, TL_I64, hi > lo ? hi - lo : 0));
}

/* v at index `at` and zeros elsewhere. */
static void set_unit_direction(splitter *s, tl_builder *b, const tl_op *o, tl_value *made) {
  tl_value at = o->operands[1], v = o->operands[2], zero = elements_of(s, o->operands[0])[0];
  for (int64_t k = 0; k < element_count(tl_type_of(s->func, o->first_result)); k++) {
    tl_value number = tl_build_int(b, tl_type_of(s->func, at).dtype, k);
    made[k] = tl_build_select(b, tl_build_binary(b, TL_OP_eq, at, number), v, zero);
    s->func->values.data[made[k]].name = element_name(s, o->first_result, k);
  }
}

static void split_region(splitter *s, tl_region *r) {
  tl_func *f = s->func;
  uint32_t count;
  tl_op **ops = tl__region_take(s->scratch, r, &count);
  for (uint32_t i = 0; i < count; i++) {
    tl_op *o = ops[i];
    tl_builder b = {.func = f, .region = r, .loc = o->loc};
    const tl_op *load = load_of_copy(f, o);
    if (load && is_split(s, load->operands[0])) {
      unroll_copy(s, &b, o, load);
      continue;
    }
    if ((o->code == TL_OP_if || o->code == TL_OP_loop) && any_split(s, o)) {
      if (o->code == TL_OP_if) {
        split_if(s, &b, o);
      } else {
        split_loop(s, &b, o);
      }
      continue;
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      split_region(s, o->regions[k]);
    }
    if (o->code == TL_OP_index && is_split(s, o->operands[0])) {
      int64_t k = element_at(f, tl_type_of(f, o->operands[0]), o->operands + 1);
      tl__rewrite_set(&s->rewrite, o->first_result, elements_of(s, o->operands[0])[k]);
      continue;
    }
    if (o->result_count != 1 || !is_split(s, o->first_result)) {
      tl__region_append(f, r, o);
      continue;
    }
    tl_value *made = new_elements(s, o->first_result);
    int64_t elements = element_count(tl_type_of(f, o->first_result));
    if (o->code == TL_OP_alloc) {
      tl_value zero = tl_build_zero(&b, tl_type_of(f, o->first_result).dtype);
      for (int64_t k = 0; k < elements; k++) {
        made[k] = zero;
      }
    } else if (o->code == TL_OP_fill) {
      for (int64_t k = 0; k < elements; k++) {
        made[k] = o->operands[1];
      }
    } else {
      assert(o->code == TL_OP_update);
      tl_type type = tl_type_of(f, o->operands[0]);
      if (element_at(f, type, o->operands + 1) < 0) {
        set_unit_direction(s, &b, o, made);
        continue;
      }
      for (int64_t k = 0; k < elements; k++) {
        made[k] = elements_of(s, o->operands[0])[k];
      }
      int64_t k = element_at(f, type, o->operands + 1);
      made[k] = o->operands[type.rank + 1];
      tl_value v = made[k];
      const tl_op *def = tl_def(f, v);
      if (def && def->code != TL_OP_const && !tl_info(f, v)->name) {
        f->values.data[v].name = element_name(s, o->first_result, k);
      }
    }
  }
}

void tl__scalars_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  splitter s = {.func = f, .scratch = scratch, .room = f->values.count};
  s.root = TL_NEW_ARRAY(scratch, tl_value, s.room);
  s.keep = TL_NEW_ARRAY(scratch, bool, s.room);
  s.elements = TL_NEW_ARRAY(scratch, tl_value *, s.room);
  for (tl_value v = 0; v < s.room; v++) {
    s.root[v] = v;
  }
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    keep(&s, f->body->params.data[i]);
  }
  study_region(&s, f->body);
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    if (tl_type_of(f, f->body->yields.data[i]).is_array) {
      keep(&s, f->body->yields.data[i]);
    }
  }
  bool any = false;
  for (tl_value v = 1; v < s.room; v++) {
    any |= f->values.data[v].op && f->values.data[v].op->code == TL_OP_alloc && is_split(&s, v);
  }
  if (any) {
    tl__rewrite_init(&s.rewrite, f, scratch);
    split_region(&s, f->body);
    tl__rewrite_region(&s.rewrite, f->body);
  }
  tl_arena_rewind(scratch, mark);
}

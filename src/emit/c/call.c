/* Calls of DXIR functions and of C functions. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "emit/c/internal.h"

/* The access spells elements of an array of scalars, "$[#][#]", or one cell, "(*$)". */
static bool is_plain(const char *access) {
  if (!strcmp(access, "(*$)")) {
    return true;
  }
  if (*access != '$') {
    return false;
  }
  for (access++; *access; access += 3) {
    if (strncmp(access, "[#]", 3)) {
      return false;
    }
  }
  return true;
}

/* The storage that argument `leaf` has: the result's where the call writes it. */
static tl_value storage_of(tl__c_emit *e, const tl_op *op, uint32_t leaf) {
  uint32_t r = tl__c_tied_result(e, op, leaf);
  tl_value v = r == TL__NONE ? TL_NO_VALUE : tl_op_result(op, r);
  return v != TL_NO_VALUE && e->values[v].needed ? v : op->operands[leaf];
}

/* The call leaves something in the argument's storage that is read afterwards. */
static bool gives_back(tl__c_emit *e, const tl_op *op, uint32_t leaf) {
  uint32_t r = tl__c_tied_result(e, op, leaf);
  return r != TL__NONE && e->values[tl_op_result(op, r)].uses.count;
}

/* A parameter of ours whose leaves, in the same places, are the arguments for the callee's parameter c. */
static const char *same_object(tl__c_emit *e, const tl_op *op, const tl_func *callee, uint32_t c) {
  uint32_t ours = TL__NONE;
  for (uint32_t i = 0; i < callee->params.count; i++) {
    const tl_param *p = &callee->params.data[i];
    if (p->cparam != c) {
      continue;
    }
    tl_value v = storage_of(e, op, i);
    if (e->values[v].mode != TL__VARIABLE) {
      return NULL;
    }
    const tl__c_var *var = tl__c_var_of(e, v);
    if (!var->is_param) {
      return NULL;
    }
    const tl_param *mine = &e->f->params.data[var->param];
    if (strcmp(mine->access, p->access) || (ours != TL__NONE && ours != mine->cparam)) {
      return NULL;
    }
    ours = mine->cparam;
  }
  if (ours == TL__NONE || e->f->cparams.data[ours].by_value != callee->cparams.data[c].by_value ||
      strcmp(e->f->cparams.data[ours].bare, callee->cparams.data[c].bare)) {
    return NULL;
  }
  return e->f->cparams.data[ours].name;
}

/* The type of the object that a parameter is or points at: "struct p" of "struct p *@" or "struct p @[n]". */
static const char *object_type(tl__c_emit *e, const tl_cparam *c) {
  const char *at = strchr(c->bare, '@');
  size_t n = at ? (size_t)(at - c->bare) : strlen(c->bare);
  bool pointer = false;
  for (;;) {
    while (n && c->bare[n - 1] == ' ') {
      n--;
    }
    if (n >= 8 && !strncmp(c->bare + n - 8, "restrict", 8)) {
      n -= 8;
    } else if (n && c->bare[n - 1] == '*' && !pointer) {
      pointer = true;
      n--;
    } else {
      return tl_arena_strndup(e->arena, c->bare, n);
    }
  }
}

/* Over how many axes of the leaf the parameter has one object each: those right behind it. */
static int object_axes(const char *access) {
  int n = 0;
  while (!strncmp(access + 1 + 3 * n, "[#]", 3)) {
    n++;
  }
  return n;
}

/* An object made for the call out of values that lie elsewhere, and the way back. */
typedef struct object {
  uint32_t cparam;
  const char *name;
  bool pointer;
  bool is_heap;
  int axes; /* there is one for each element over so many axes */
} object;

static const char *leaf_text(tl__c_emit *e, const tl_param *p, const object *o, uint32_t rank,
                             const char *const *indices) {
  const char *access = p->access;
  tl__c_text t = {.arena = e->arena};
  if (o->is_heap && !o->axes) {
    return tl__c_substitute(e->arena, access, o->name, rank, indices);
  }
  if (!strncmp(access, "$->", 3)) { /* the object itself, not a pointer to it */
    tl__c_text_addf(&t, "$.%s", access + 3);
    access = t.data;
  } else if (!strncmp(access, "(*$)", 4)) {
    tl__c_text_addf(&t, "$%s", access + 4);
    access = t.data;
  }
  return tl__c_substitute(e->arena, access, o->name, rank, indices);
}

/* An object for a call that cannot be put together; `why` ends the message. */
static void refuse_object(tl__c_emit *e, const tl_cparam *c, tl_loc loc, const char *why) {
  const tl_diag *diag = e->f->module->diag;
  for (uint32_t i = 0; i < diag->items.count; i++) {
    const tl_diag_item *item = &diag->items.data[i];
    if (item->code == TL_UNSUPPORTED_CONSTRUCT && item->loc.line == loc.line && item->loc.column == loc.column) {
      return; /* each derivative of the function has this call */
    }
  }
  tl_diag_error(e->f->module->diag, TL_UNSUPPORTED_CONSTRUCT, loc,
                "an object of type '%s' is put together for this call, which is not inlined, and %s", object_type(e, c),
                why);
}

/* A pointer to the element: "&p->x[0]" is written as "p->x", "&(*p->x)" too. */
static const char *pointer_text(tl__c_emit *e, tl_value v, uint32_t rank, const char *const *indices) {
  const char *element = tl__c_element_expr(e, v, rank, indices).text;
  size_t n = strlen(element);
  if (!strncmp(element, "(*", 2) && element[n - 1] == ')') {
    return tl_arena_strndup(e->arena, element + 2, n - 3);
  }
  if (tl__c_var_of(e, v)->is_param && rank == 1 && n > 3 && !strcmp(element + n - 3, "[0]") && *element != '*') {
    return tl_arena_strndup(e->arena, element, n - 3);
  }
  return tl_arena_printf(e->arena, "&%s", element);
}

/* How much of the access spells the member that points to the leaf and that no array leads to: "$->a.at" of
 * "$->a.at[#].x"; 0 where there is none. */
static size_t pointer_length(const tl_param *p) {
  size_t head = !strncmp(p->access, "$->", 3) ? 3 : 2;
  if (!p->by_members || p->axes_before || strncmp(p->access, head == 3 ? "$->" : "$.", head) != 0) {
    return 0;
  }
  for (size_t n = head; p->access[n]; n++) {
    if (p->access[n] == '[' || !strncmp(p->access + n, "->", 2)) {
      return n;
    }
  }
  return 0;
}

/* The member of a parameter of ours that points to all that this leaf's pointer leads to; NULL where there is none.
 * `out_first` is the first of those leaves. */
static const char *same_pointer(tl__c_emit *e, const tl_op *op, const tl_func *callee, uint32_t leaf,
                                uint32_t *out_first) {
  const tl_param *p = &callee->params.data[leaf];
  const char *type = object_type(e, &callee->cparams.data[p->cparam]);
  size_t length = pointer_length(p), head = p->access[1] == '-' ? 3 : 2;
  uint32_t ours = TL__NONE;
  const char *access = NULL;
  for (uint32_t i = 0; length && i < callee->params.count; i++) {
    const tl_param *q = &callee->params.data[i];
    if (q->cparam != p->cparam || pointer_length(q) != length || strncmp(q->access, p->access, length) != 0) {
      continue;
    }
    tl_value v = storage_of(e, op, i);
    const tl__c_var *var = e->values[v].mode == TL__VARIABLE ? tl__c_var_of(e, v) : NULL;
    const tl_param *mine = var && var->is_param ? &e->f->params.data[var->param] : NULL;
    size_t my_length = mine ? pointer_length(mine) : 0, my_head = mine && mine->access[1] == '-' ? 3 : 2;
    if (!my_length || (ours != TL__NONE && ours != mine->cparam) ||
        strcmp(mine->access + my_head, q->access + head) != 0) {
      return NULL;
    }
    *out_first = access ? *out_first : i;
    ours = mine->cparam;
    access = tl_arena_strndup(e->arena, mine->access, my_length);
  }
  if (!access || strcmp(object_type(e, &e->f->cparams.data[ours]), type) != 0) {
    return NULL;
  }
  return tl__c_substitute(e->arena, access, e->f->cparams.data[ours].name, 0, NULL);
}

/* The object's pointer becomes that of an object of ours which leads to the same, or, where it leads to nothing else
 * than values that lie somewhere, one to the values where they lie. */
static void point_at_leaf(tl__c_emit *e, const tl_op *op, const tl_func *callee, uint32_t leaf, const object *o) {
  tl_loc loc = op->loc;
  tl_value v = storage_of(e, op, leaf);
  const tl_param *p = &callee->params.data[leaf];
  uint32_t first;
  const char *ours = o->axes ? NULL : same_pointer(e, op, callee, leaf, &first);
  if (ours && leaf == first) {
    const tl_param pointer = {.access = tl_arena_strndup(e->arena, p->access, pointer_length(p))};
    tl__c_line(e, "%s = %s;", leaf_text(e, &pointer, o, 0, NULL), ours);
  }
  if (ours) {
    return;
  }
  uint32_t length = tl_func_pointer_length(callee, leaf);
  if (!length) {
    refuse_object(e, &callee->cparams.data[p->cparam], loc, "holds pointers to other than scalars and arrays of them");
    return;
  }
  tl_type outer = tl__c_type(e, v);
  int rank = outer.rank;
  outer.rank = (int)p->axes_before;
  tl__c_nest nest = {0};
  tl__c_nest_open(e, outer, &nest);
  for (int axis = outer.rank; axis < rank; axis++) {
    nest.index[axis] = "0";
  }
  bool is_scalar = !strncmp(p->access, "(*", 2);
  tl_param pointer = *p;
  pointer.access = tl_arena_strndup(e->arena, p->access + (is_scalar ? 2 : 0), length - (is_scalar ? 2 : 0));
  const char *there = leaf_text(e, &pointer, o, (uint32_t)outer.rank, nest.index);
  tl__c_line(e, "%s = (void *)%s;", there, pointer_text(e, v, (uint32_t)rank, nest.index));
  tl__c_nest_close(e, &nest);
}

static void move_leaf(tl__c_emit *e, const tl_param *p, const object *o, tl_value v, bool back) {
  tl_type t = tl__c_type(e, v);
  tl__c_nest nest = {0};
  tl__c_nest_open(e, t, &nest);
  const char *there = leaf_text(e, p, o, (uint32_t)t.rank, nest.index);
  const char *here = t.is_array ? tl__c_element_expr(e, v, (uint32_t)t.rank, nest.index).text
                                : tl__c_converted_text(e, v, TL__PREC_ASSIGN);
  if (back) {
    tl__c_store_line(e, v, tl_arena_printf(e->arena, "%s = %s;", here, there));
  } else {
    tl__c_line(e, "%s = %s;", there, here);
  }
  tl__c_nest_close(e, &nest);
}

/* Something was written to the array, as against a fresh one. */
static bool has_content(const tl__c_emit *e, tl_value v) {
  const tl_op *op = tl_def(e->f, v);
  return !(op && op->code == TL_OP_alloc && !(op->u.flags & (TL_ALLOC_ZEROED | TL_ALLOC_TABLE)));
}

/* Some leaf of a returned struct is needed. */
static bool returns_needed(const tl__c_emit *e, const tl_op *op, const tl_func *callee) {
  for (uint32_t i = 0; i < callee->results.count; i++) {
    if (callee->results.data[i].role == TL_RESULT_RETURN && e->values[tl_op_result(op, i)].needed) {
      return true;
    }
  }
  return false;
}

/* A pointer to the first element of the part of an array that the call gets. */
static const char *part_text(tl__c_emit *e, const tl_op *op, uint32_t leaf) {
  const char *indices[TL_MAX_RANK];
  tl_value array = storage_of(e, op, leaf);
  uint32_t rank = (uint32_t)tl__c_type(e, array).rank;
  int64_t first;
  const tl_value *at = &op->operands[op->views[leaf]];
  if (rank > 1) {
    for (uint32_t k = 0; k < rank; k++) {
      indices[k] = tl__c_index_text(e, at[k], TL__PREC_ASSIGN);
    }
    return tl_arena_printf(e->arena, "&%s", tl__c_element_expr(e, array, rank, indices).text);
  }
  const char *base = tl__c_base_text(e, array);
  bool whole = tl_is_const_int(e->f, *at, &first) && first == 0;
  return whole ? base : tl_arena_printf(e->arena, "%s + %s", base, tl__c_index_text(e, *at, TL__PREC_ADD));
}

/* C text in which `%k` stands for an operand and `$k` for a C parameter of ours. */
static void add_filled(tl__c_emit *e, const tl_op *op, const char *format, tl__c_text *out) {
  for (const char *s = format; *s;) {
    char sign = *s++;
    if ((sign != '%' && sign != '$') || *s == sign) {
      tl__c_text_addn(out, &sign, 1);
      s += *s == sign && (sign == '%' || sign == '$');
      continue;
    }
    char *end;
    unsigned long k = strtoul(s, &end, 10);
    s = end;
    if (sign == '$') {
      assert(k < e->f->cparams.count);
      tl__c_text_add(out, e->f->cparams.data[k].name);
      continue;
    }
    assert(k < op->operand_count);
    tl_value v = op->operands[k];
    tl__c_text_add(out, tl__c_type(e, v).is_array ? tl__c_base_text(e, v) : tl__c_exact_text(e, v, TL__PREC_ASSIGN));
  }
}

/* How the call gets what the callee takes as one parameter. */
typedef enum manner {
  SAME_OBJECT, /* a parameter of ours */
  SCALAR,
  ARRAY,
  TEXT,    /* what the user wrote there, values put in */
  NOTHING, /* the callee does not look at it */
  MADE,    /* an object is put together */
} manner;

typedef struct argument {
  manner manner;
  uint32_t leaf;    /* SCALAR, ARRAY: the argument */
  const char *name; /* SAME_OBJECT */
  int axes;         /* MADE: of an array of objects; their extents */
  const tl_extent *extents;
  bool is_heap; /* MADE */
} argument;

enum { MOST_OBJECT_BYTES = 4096 };

/* An object that is large, or of a size known at run time only, lies on the heap. What of it is no leaf is not counted.
 */
static bool is_large(tl__c_emit *e, const tl_op *op, const tl_func *callee, uint32_t c) {
  int64_t bytes = 0;
  for (uint32_t i = 0; i < callee->params.count; i++) {
    tl_type t = tl__c_type(e, op->operands[i]);
    if (callee->params.data[i].cparam != c || callee->params.data[i].by_members) {
      continue;
    }
    int64_t count = t.rank ? tl_extents_count(t.extents, t.rank, MOST_OBJECT_BYTES) : 1;
    bytes += count < 0 ? MOST_OBJECT_BYTES + 1 : count * (int64_t)tl_dtype_size(t.dtype);
  }
  return bytes > MOST_OBJECT_BYTES;
}

static argument argument_for(tl__c_emit *e, const tl_op *op, const tl_func *callee, uint32_t c) {
  uint32_t count = 0;
  argument a = {.manner = MADE};
  for (uint32_t i = 0; i < callee->params.count; i++) {
    if (callee->params.data[i].cparam == c) {
      count++;
      a.leaf = i;
    }
  }
  const tl_cparam *param = &callee->cparams.data[c];
  const tl_param *leaf = count ? &callee->params.data[a.leaf] : NULL;
  bool is_object = param->is_struct || (leaf && leaf->is_memory && !is_plain(leaf->access));
  a.name = is_object ? same_object(e, op, callee, c) : NULL;
  if (!count && op->texts && op->texts[c]) {
    a.manner = TEXT;
  } else if (a.name) {
    a.manner = SAME_OBJECT;
  } else if (count == 1 && !leaf->is_memory && !strcmp(leaf->access, "$")) {
    a.manner = SCALAR;
  } else if (count == 1 && !param->is_struct && is_plain(leaf->access)) {
    a.manner = ARRAY;
  } else if (!count && !param->is_struct) {
    a.manner = NOTHING;
  } else if (count) {
    a.axes = object_axes(leaf->access);
    a.extents = tl__c_type(e, op->operands[a.leaf]).extents;
    a.is_heap = !param->by_value && is_large(e, op, callee, c);
  }
  return a;
}

uint32_t tl__c_call_blocks(tl__c_emit *e, const tl_op *op, bool *out_rows_vary) {
  const tl_func *callee = tl_module_find(e->f->module, op->callee);
  uint32_t n = 0;
  for (uint32_t c = 0; c < callee->cparams.count; c++) {
    argument a = argument_for(e, op, callee, c);
    n += a.manner == MADE && a.is_heap;
    for (int axis = 1; axis < a.axes; axis++) {
      *out_rows_vary |= a.is_heap && a.extents[axis].value != TL_NO_VALUE;
    }
  }
  return n;
}

/* Is the argument for the callee's leaf the leaf in the same place of our parameter? */
static bool lies_in(tl__c_emit *e, const tl_op *op, const tl_func *callee, uint32_t leaf, uint32_t ours) {
  tl_value v = storage_of(e, op, leaf);
  const tl__c_var *var = e->values[v].mode == TL__VARIABLE ? tl__c_var_of(e, v) : NULL;
  const tl_param *mine = var && var->is_param ? &e->f->params.data[var->param] : NULL;
  return mine && mine->cparam == ours && !strcmp(mine->access, callee->params.data[leaf].access);
}

/* A parameter of ours of the same type that a single object is a copy of but for what differs; TL__NONE if there is
 * none. */
static uint32_t find_original(tl__c_emit *e, const tl_op *op, const tl_func *callee, uint32_t c, const argument *a) {
  const tl_cparam *param = &callee->cparams.data[c];
  for (uint32_t i = 0; i < callee->params.count && !a->axes && !a->is_heap && param->role != TL_ROLE_OUTPUT; i++) {
    for (uint32_t k = 0; k < e->f->cparams.count && callee->params.data[i].cparam == c; k++) {
      const tl_cparam *ours = &e->f->cparams.data[k];
      if (ours->by_value == param->by_value && ours->role != TL_ROLE_OUTPUT && !strcmp(ours->bare, param->bare) &&
          lies_in(e, op, callee, i, k)) {
        return k;
      }
    }
  }
  return TL__NONE;
}

/* Declares the object, and fills it with what the callee reads. */
static object make_object(tl__c_emit *e, const tl_op *op, const tl_func *callee, uint32_t c, const argument *a) {
  const tl_cparam *param = &callee->cparams.data[c];
  uint32_t original = find_original(e, op, callee, c, a);
  object made = {c, tl__c_name_fresh(e, e->region, param->name), !param->by_value, a->is_heap, a->axes};
  tl__c_text extents = {.arena = e->arena};
  tl__c_text_add(&extents, "");
  for (int axis = a->is_heap; axis < a->axes; axis++) {
    tl__c_text_addf(&extents, "[%s]", tl__c_stack_extent(e, a->extents[axis]));
  }
  if (a->is_heap) {
    tl__c_tape_allocate_object(e, object_type(e, param), made.name, extents.data,
                               (tl_type){.rank = a->axes ? 1 : 0, .extents = a->extents});
  } else if (original != TL__NONE) {
    const tl_cparam *ours = &e->f->cparams.data[original];
    tl__c_line(e, "%s %s = %s%s;", object_type(e, param), made.name, ours->by_value ? "" : "*", ours->name);
  } else {
    tl__c_line(e, "%s %s%s;", object_type(e, param), made.name, extents.data);
  }
  for (uint32_t i = 0; i < callee->params.count; i++) {
    const tl_param *p = &callee->params.data[i];
    tl_value v = storage_of(e, op, i);
    if (p->cparam == c && original != TL__NONE && lies_in(e, op, callee, i, original)) {
      continue; /* it came with the copy */
    }
    if (p->cparam == c && p->is_const) {
      refuse_object(e, param, op->loc, "has const members");
    } else if (p->cparam == c && p->by_members) {
      point_at_leaf(e, op, callee, i, &made);
    } else if (p->cparam == c && param->role != TL_ROLE_OUTPUT && has_content(e, op->operands[i])) {
      move_leaf(e, p, &made, v, false);
    }
  }
  return made;
}

/* Characters are of a type with a sign here, and char is neither of those. */
static const char *char_cast(tl__c_emit *e, const tl_op *op, uint32_t leaf, const char *declarator) {
  bool is_char = tl__c_has_word(declarator, "char") && !tl__c_has_word(declarator, "signed") &&
                 !tl__c_has_word(declarator, "unsigned");
  if (!is_char || tl_dtype_size(tl__c_type(e, op->operands[leaf]).dtype) != 1 ||
      tl__c_var_of(e, storage_of(e, op, leaf))->is_param) {
    return "";
  }
  return tl__c_has_word(declarator, "const") ? "(const char *)" : "(char *)";
}

void tl__c_emit_call(tl__c_emit *e, tl_op *op) {
  const tl_func *callee = tl_module_find(e->f->module, op->callee);
  tl__c_comment(e, op->loc);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    tl_value v = storage_of(e, op, i);
    if (v != op->operands[i] && tl__c_root(e, v) != tl__c_root(e, op->operands[i])) {
      tl__c_emit_array_copy(e, v, op->operands[i], op);
    }
    tl__c_var *p = tl__c_type(e, op->operands[i]).is_array ? tl__c_var_of(e, op->operands[i]) : NULL;
    if (p && p->storage == TL__CELL && !p->is_param && !p->declared) { /* the callee writes it first */
      tl__c_declare_array(e, op->operands[i], false);
    }
  }
  TL_VEC(object) objects = {0};
  tl__c_text t = {.arena = e->arena};
  tl__c_text_addf(&t, "%s(", op->callee);
  for (uint32_t c = 0; c < callee->cparams.count; c++) {
    argument a = argument_for(e, op, callee, c);
    tl__c_text_add(&t, c ? ", " : "");
    switch (a.manner) {
    case SAME_OBJECT:
      tl__c_text_add(&t, a.name);
      break;
    case SCALAR:
      tl__c_text_add(&t, tl__c_converted_text(e, op->operands[a.leaf], TL__PREC_ASSIGN));
      break;
    case ARRAY:
      tl__c_text_add(&t, char_cast(e, op, a.leaf, callee->cparams.data[c].declarator));
      tl__c_text_add(&t, op->views && op->views[a.leaf] ? part_text(e, op, a.leaf)
                                                        : tl__c_base_text(e, storage_of(e, op, a.leaf)));
      break;
    case TEXT:
      add_filled(e, op, op->texts[c], &t);
      break;
    case NOTHING:
      tl__c_text_add(&t, "0");
      break;
    case MADE: {
      object made = make_object(e, op, callee, c, &a);
      TL_PUSH(e->arena, objects, made);
      tl__c_text_addf(&t, "%s%s", made.pointer && !made.axes && !made.is_heap ? "&" : "", made.name);
      break;
    }
    }
  }
  tl__c_text_add(&t, ")");
  bool stored = false;
  for (uint32_t i = 0; i < callee->results.count; i++) {
    const tl_result *r = &callee->results.data[i];
    if (r->role != TL_RESULT_RETURN) {
      continue;
    }
    tl_value v = tl_op_result(op, i);
    if (!strcmp(r->access, "$")) {
      stored = true;
      if (e->values[v].needed) {
        tl__c_set_text(e, v, t.data, op);
      } else {
        tl__c_line(e, "(void)%s;", t.data);
      }
      continue;
    }
    if (!stored && !returns_needed(e, op, callee)) {
      stored = true;
      tl__c_line(e, "(void)%s;", t.data);
      continue;
    }
    if (!stored) {
      stored = true;
      const char *name = tl__c_name_fresh(e, e->region, "result");
      tl__c_line(e, "%s %s = %s;", callee->return_declarator, name, t.data);
      t.data = (char *)name;
    }
    if (!e->values[v].needed) {
      continue;
    }
    tl_type type = tl__c_type(e, v);
    if (!type.is_array) {
      tl__c_set_text(e, v, tl__c_substitute(e->arena, r->access, t.data, 0, NULL), op);
      continue;
    }
    tl__c_declare_array(e, v, false);
    tl__c_tape_check(e);
    tl__c_nest nest = {0};
    tl__c_nest_open(e, type, &nest);
    tl__c_line(e, "%s = %s;", tl__c_element_expr(e, v, (uint32_t)type.rank, nest.index).text,
               tl__c_substitute(e->arena, r->access, t.data, (uint32_t)type.rank, nest.index));
    tl__c_nest_close(e, &nest);
  }
  if (!stored) {
    tl__c_line(e, "%s;", t.data);
  }
  bool blocks = false;
  for (uint32_t k = 0; k < objects.count; k++) {
    for (uint32_t i = 0; i < callee->params.count; i++) {
      const tl_param *p = &callee->params.data[i];
      if (p->cparam == objects.data[k].cparam && !p->by_members && gives_back(e, op, i)) {
        move_leaf(e, p, &objects.data[k], storage_of(e, op, i), true);
      }
    }
    blocks |= objects.data[k].is_heap;
  }
  if (blocks) {
    tl__c_tape_free_objects(e);
  }
}

void tl__c_emit_extern(tl__c_emit *e, tl_op *op) {
  tl__c_comment(e, op->loc);
  tl__c_text t = {.arena = e->arena};
  tl__c_text_addf(&t, "%s(", op->callee);
  add_filled(e, op, op->format ? op->format : "", &t);
  tl__c_text_add(&t, ")");
  if (op->result_count && e->values[op->first_result].needed) {
    tl__c_set_text(e, op->first_result, t.data, op);
  } else {
    tl__c_line(e, "%s%s;", op->result_count ? "(void)" : "", t.data);
  }
}

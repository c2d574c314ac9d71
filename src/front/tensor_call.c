#include "front/tensor_call.h"

#include <string.h>

bool tl_ctype_is_tensor(const tl_ctype *t) { return t && t->is_tensor; }

/* ---- attributes ---- */

/* Without conversions, and what const objects are initialised with in their place. */
static const tl_expr *looked_through(const tl_expr *e) {
  for (int steps = 0; e && steps < 16; steps++) {
    if (e->kind == TL_EXPR_CAST && e->implicit) {
      e = e->a;
    } else if (e->kind == TL_EXPR_COMPOUND_LITERAL) {
      e = e->a;
    } else if (e->kind == TL_EXPR_VAR && e->decl && e->decl->type->is_const && e->decl->init &&
               e->decl->storage != TL_STORAGE_PARAM) {
      e = e->decl->init;
    } else {
      return e;
    }
  }
  return NULL;
}

/* The operand as a constant of its type; one that has no value stays as it is, and makes the whole have none. */
static tl_expr constant_of(const tl_expr *e) {
  int64_t value;
  return tl_attr_integer(e, &value) ? (tl_expr){.kind = TL_EXPR_INT, .type = e->type, .integer = value} : *e;
}

bool tl_attr_integer(const tl_expr *e, int64_t *out) {
  const tl_ctype *t = e ? e->type : NULL;
  e = looked_through(e);
  if (!e || !t || t->kind != TL_CT_SCALAR || tl_dtype_is_float(t->dtype)) {
    return false;
  }
  tl_expr whole = *e, a, b;
  if (e->kind == TL_EXPR_BINARY || e->kind == TL_EXPR_UNARY || e->kind == TL_EXPR_CAST) {
    a = constant_of(e->a);
    whole.a = &a;
  }
  if (e->kind == TL_EXPR_BINARY) {
    b = constant_of(e->b);
    whole.b = &b;
  }
  if (!tl_expr_constant(&whole, out)) {
    return false;
  }
  *out = tl_dtype_wrap(t->dtype, *out);
  return true;
}

bool tl_attr_number(const tl_expr *e, double *out) {
  long double number = 0;
  bool is_known = e && tl_expr_number(e, &number);
  *out = (double)number;
  return is_known;
}

/* {count, {elements}}: TL__LITERAL. */
static const tl_expr *counted_list(const tl_expr *e, int64_t *out_count) {
  const tl_expr *list = looked_through(e);
  if (!list || list->kind != TL_EXPR_INIT_LIST || list->type->kind != TL_CT_RECORD || list->args.count < 1 ||
      list->args.count > 2 || (list->args.data[0] && !tl_attr_integer(list->args.data[0], out_count))) {
    return NULL;
  }
  *out_count = list->args.data[0] ? *out_count : 0;
  return list;
}

static const tl_expr *element(const tl_expr *list, uint32_t i) {
  const tl_expr *elements = list->args.count > 1 ? list->args.data[1] : NULL;
  return elements && elements->kind == TL_EXPR_INIT_LIST && i < elements->args.count ? elements->args.data[i] : NULL;
}

bool tl_attr_axes(const tl_expr *e, tl_axes *out) {
  int64_t count = 0, axis;
  const tl_expr *list = counted_list(e, &count);
  if (!list || count < -1 || count > TL_MAX_RANK) {
    return false;
  }
  *out = (tl_axes){.count = (int)count};
  for (int i = 0; i < count; i++) {
    const tl_expr *x = element(list, (uint32_t)i);
    axis = 0;
    if (x && !tl_attr_integer(x, &axis)) {
      return false;
    }
    out->axis[i] = (int8_t)axis;
  }
  return true;
}

static const tl_expr *call_of(const tl_expr *e, const char *name) {
  e = tl_expr_strip(e);
  bool is = e && e->kind == TL_EXPR_CALL && e->a->kind == TL_EXPR_FUNCTION && strcmp(e->a->name, name) == 0;
  return is && e->args.count == 1 ? e->args.data[0] : NULL;
}

bool tl_attr_shape(const tl_expr *e, tl_attr_dims *out) {
  *out = (tl_attr_dims){.of = call_of(e, "tl_shape_of")};
  int64_t rank = 0;
  const tl_expr *list = out->of ? NULL : counted_list(e, &rank);
  if (!list || rank < 0 || rank > TL_MAX_RANK) {
    return out->of != NULL;
  }
  out->rank = (int)rank;
  for (int i = 0; i < out->rank; i++) {
    out->dim[i] = element(list, (uint32_t)i);
  }
  return true;
}

bool tl_attr_ints(const tl_expr *e, int64_t *storage, tl_attr *out) {
  tl_attr_dims dims;
  if (!tl_attr_shape(e, &dims) || dims.of) {
    return false;
  }
  for (int i = 0; i < dims.rank; i++) {
    storage[i] = 0;
    if (dims.dim[i] && !tl_attr_integer(dims.dim[i], &storage[i])) {
      return false;
    }
  }
  out->ints.count = dims.rank;
  out->ints.at = storage;
  return true;
}

bool tl_attr_extent_of(const tl_expr *e, const tl_expr **out_x, int64_t *out_axis) {
  e = tl_expr_strip(e);
  if (!e || e->kind != TL_EXPR_INDEX || !tl_attr_integer(e->b, out_axis)) {
    return false;
  }
  const tl_expr *array = e->a->kind == TL_EXPR_DECAY ? e->a->a : e->a;
  bool is_dim = array->kind == TL_EXPR_MEMBER && array->name && strcmp(array->name, "dim") == 0;
  *out_x = is_dim ? call_of(array->a, "tl_shape_of") : NULL;
  return *out_x != NULL;
}

/* ---- calls ---- */

/* Functions whose name is not the row's. */
static const struct {
  const char *function;
  tl_opcode code;
} renamed[] = {{"tl_where", TL_OP_select}, {"tl_cast", TL_OP_cvt}};

static bool find_row(const char *function, tl_opcode *out) {
  for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++) {
    if (strcmp(renamed[i].function, function) == 0) {
      *out = renamed[i].code;
      return true;
    }
  }
  for (int code = 0; code < TL_OP_COUNT; code++) {
    const tl_op_info *row = &tl_op_table[code];
    bool is_renamed = code == TL_OP_select || code == TL_OP_cvt;
    if ((row->elementwise || row->on_tensors) && !is_renamed && strcmp(row->name, function + 3) == 0) {
      *out = (tl_opcode)code;
      return true;
    }
  }
  return false;
}

static void add_argument(tl_tensor_call *c, const tl_expr *e) { c->arguments[c->argument_count++] = e; }

static void add_operand(tl_tensor_call *c, const tl_expr *e) {
  c->operands[c->operand_count++] = e;
  add_argument(c, e);
}

static bool is_option(const tl_op_info *row, uint32_t i) {
  tl_attr_kind kind = row->attrs[i].kind;
  return kind == TL_ATTR_OPTION || kind == TL_ATTR_MODE || kind == TL_ATTR_COUNT;
}

/* The options are the fields of one struct, in the row's order. */
static void read_options(const tl_expr *options, uint32_t first, uint32_t count, tl_tensor_call *out) {
  const tl_expr *list = looked_through(options);
  bool is_list = list && list->kind == TL_EXPR_INIT_LIST && list->type->kind == TL_CT_RECORD;
  for (uint32_t i = first; i < count; i++) {
    out->attrs[i] = is_list && i - first < list->args.count ? list->args.data[i - first] : NULL;
    out->hidden[i] = !is_list;
  }
}

static bool read_op(const tl_expr *e, tl_tensor_call *out) {
  const tl_op_info *row = &tl_op_table[out->code];
  uint32_t arity = (uint32_t)row->arity, count = (uint32_t)row->attr_count, attrs = 0;
  while (attrs < count && !is_option(row, attrs)) {
    attrs++;
  }
  bool has_options = attrs < count;
  attrs = out->code == TL_OP_cvt ? 1 : attrs;
  if (e->args.count != arity + attrs + has_options || arity > TL_CALL_MOST_OPERANDS) {
    return false;
  }
  out->kind = TL_CALL_OP;
  out->name = row->name;
  for (uint32_t i = 0; i < arity; i++) {
    add_operand(out, e->args.data[i]);
  }
  for (uint32_t i = 0; i < attrs; i++) {
    const tl_expr *attr = e->args.data[arity + i];
    *(out->code == TL_OP_cvt ? &out->dtype : &out->attrs[i]) = attr;
    add_argument(out, attr);
  }
  if (has_options) {
    const tl_expr *options = e->args.data[arity + attrs];
    read_options(options, attrs, count, out);
    add_argument(out, options);
  }
  return true;
}

const tl_composite_info tl_composite_table[] = {
#define TL_COMPOSITE(name, arguments, call) {#name, arguments},
#include "tensor/composites.def"
};

static bool find_composite(const char *function, int *out) {
  for (int i = 0; i < (int)(sizeof tl_composite_table / sizeof *tl_composite_table); i++) {
    if (strcmp(tl_composite_table[i].name, function + 3) == 0) {
      *out = i;
      return true;
    }
  }
  return false;
}

/* An array of tensors is written out: its elements are operands. */
static bool read_list(const tl_expr *e, tl_tensor_call *out) {
  const tl_expr *list = e->kind == TL_EXPR_DECAY ? looked_through(e->a) : NULL;
  out->first_of_list = out->operand_count;
  if (!list || list->kind != TL_EXPR_INIT_LIST ||
      list->args.count + (uint32_t)out->operand_count > TL_CALL_MOST_OPERANDS) {
    return false;
  }
  for (uint32_t i = 0; i < list->args.count; i++) {
    if (!list->args.data[i]) {
      return false;
    }
    out->operands[out->operand_count++] = list->args.data[i];
  }
  return true;
}

static bool read_composite(const tl_expr *e, tl_tensor_call *out) {
  const tl_composite_info *row = &tl_composite_table[out->composite];
  if (e->args.count != strlen(row->arguments)) {
    return false;
  }
  out->kind = TL_CALL_COMPOSITE;
  out->name = row->name;
  for (uint32_t i = 0; i < e->args.count; i++) {
    const tl_expr *argument = e->args.data[i];
    add_argument(out, argument);
    if (row->arguments[i] == 'x') {
      out->operands[out->operand_count++] = argument;
    } else if (row->arguments[i] == 'X' && !read_list(argument, out)) {
      return false;
    }
  }
  return true;
}

static void read_create(const tl_expr *e, const char *name, tl_tensor_call *out) {
  out->kind = TL_CALL_CREATE;
  out->name = name;
  out->dtype = e->args.data[0];
  out->shape = e->args.data[1];
  add_argument(out, out->dtype);
  add_argument(out, out->shape);
}

const char *tl_attr_text(const tl_unit *unit, const tl_expr *e) {
  while (e->kind == TL_EXPR_CAST || e->kind == TL_EXPR_DECAY) {
    e = e->a;
  }
  bool is_string = e->kind == TL_EXPR_STRING && strlen(e->spelling) >= 2;
  return is_string ? tl_arena_strndup(unit->arena, e->spelling + 1, strlen(e->spelling) - 2) : NULL;
}

static void read_as(const tl_unit *unit, const tl_expr *e, tl_tensor_call *out) {
  out->kind = TL_CALL_AS;
  out->name = "as";
  add_operand(out, e->args.data[0]);
  out->dtype = e->args.data[1];
  out->shape = e->args.data[3];
  out->stated = tl_attr_text(unit, e->args.data[2]);
}

bool tl_tensor_call_read(const tl_unit *unit, const tl_expr *e, tl_tensor_call *out) {
  *out = (tl_tensor_call){.code = TL_OP_COUNT};
  if (!e || e->kind != TL_EXPR_CALL || e->a->kind != TL_EXPR_FUNCTION || strncmp(e->a->name, "tl_", 3) != 0 ||
      !tl_ctype_is_tensor(e->type)) {
    return false;
  }
  const char *name = e->a->name;
  uint32_t count = e->args.count;
  if (find_row(name, &out->code)) {
    return read_op(e, out);
  }
  if (find_composite(name, &out->composite)) {
    return read_composite(e, out);
  }
  if ((strcmp(name, "tl_from") == 0 && count == 3) || (strcmp(name, "tl_wrap") == 0 && count == 5) ||
      (strcmp(name, "tl_fill") == 0 && count == 3)) {
    read_create(e, name + 3, out);
  } else if (strcmp(name, "tl_scalar_like") == 0 && count == 2) {
    out->kind = TL_CALL_SCALAR_LIKE;
    add_operand(out, e->args.data[0]);
  } else if (strcmp(name, "tl_retain") == 0 && count == 1) {
    out->kind = TL_CALL_SAME;
    add_operand(out, e->args.data[0]);
  } else if ((strcmp(name, "tl_scope_keep") == 0 && count == 2) ||
             (strcmp(name, "tl_scope_carry") == 0 && count == 3)) {
    out->kind = TL_CALL_SAME;
    add_operand(out, e->args.data[1]);
  } else if (strcmp(name, "tl__as") == 0 && count == 4) {
    read_as(unit, e, out);
  } else {
    return false;
  }
  return true;
}

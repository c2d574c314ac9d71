/* Arrays: elements, declarations, copies, updates in place. */
#include <assert.h>
#include <string.h>

#include "emit/c/internal.h"

const char *tl__c_substitute(tl_arena *arena, const char *access, const char *name, uint32_t count,
                             const char *const *indices) {
  tl__c_text t = {.arena = arena};
  uint32_t k = 0;
  (void)count;
  tl__c_text_add(&t, "");
  for (; *access; access++) {
    if (*access == '$') {
      tl__c_text_add(&t, name);
    } else if (*access == '#') {
      assert(k < count);
      tl__c_text_add(&t, indices[k++]);
    } else {
      tl__c_text_addn(&t, access, 1);
    }
  }
  assert(k == count);
  return t.data;
}

const char *tl__c_scalar_param_text(tl__c_emit *e, const tl__c_var *p) {
  const tl_param *param = &e->f->params.data[p->param];
  return tl__c_substitute(e->arena, param->access, e->f->cparams.data[param->cparam].name, 0, NULL);
}

static bool is_simple(const char *s) {
  while (tl__c_in_word(*s)) {
    s++;
  }
  return !*s;
}

/* The alloc of an object that is read by its name in the user's file; NULL if it is none. */
static const tl_op *named_table(const tl__c_emit *e, tl_value array) {
  const tl_op *op = tl_def(e->f, array);
  return op && op->code == TL_OP_alloc && op->u.flags & TL_ALLOC_TABLE && !op->table ? op : NULL;
}

bool tl__c_narrow_extents(tl__c_emit *e, tl_type t) {
  for (int i = 0; i < t.rank; i++) {
    if (t.extents[i].value != TL_NO_VALUE && tl_dtype_size(tl__c_type(e, t.extents[i].value).dtype) < 8) {
      return true;
    }
  }
  return false;
}

/* A result behind a member that points to const: the object that it points to is not, or nothing could be written. */
static bool is_written_behind_const(const tl__c_emit *e, uint32_t leaf) {
  const tl_param *p = &e->f->params.data[leaf];
  return p->behind_const && p->origin != TL_ORIGIN_PRIMAL && tl_func_final(e->f, leaf) != TL_NO_RESULT;
}

tl__c_expr tl__c_element_expr(tl__c_emit *e, tl_value array, uint32_t rank, const char *const *indices) {
  const tl__c_var *p = tl__c_var_of(e, array);
  const tl_op *table = named_table(e, array);
  if (table) {
    return (tl__c_expr){tl__c_substitute(e->arena, table->format, table->callee, rank, indices), TL__PREC_POSTFIX};
  }
  if (p->is_param) {
    const tl_param *param = &e->f->params.data[p->param];
    const char *name = e->f->cparams.data[param->cparam].name;
    if (!strcmp(param->access, "(*$)")) {
      return (tl__c_expr){tl_arena_printf(e->arena, "*%s", name), TL__PREC_UNARY};
    }
    if (is_written_behind_const(e, p->param)) {
      const char *element = tl__c_substitute(e->arena, param->access, name, rank, indices);
      const char *type = tl__c_type_text(tl__c_type(e, param->value).dtype);
      size_t n = strlen(element);
      if (!strncmp(element, "(*", 2) && element[n - 1] == ')') { /* "(*p->x)": one that is pointed to */
        return (tl__c_expr){tl_arena_printf(e->arena, "*(%s *)%.*s", type, (int)n - 3, element + 2), TL__PREC_UNARY};
      }
      return (tl__c_expr){tl_arena_printf(e->arena, "*(%s *)&%s", type, element), TL__PREC_UNARY};
    }
    return (tl__c_expr){tl__c_substitute(e->arena, param->access, name, rank, indices), TL__PREC_POSTFIX};
  }
  tl__c_text t = {.arena = e->arena};
  tl__c_text_add(&t, p->name);
  for (uint32_t i = 0; i < rank; i++) {
    tl__c_text_addf(&t, "[%s]", indices[i]);
  }
  return (tl__c_expr){t.data, TL__PREC_POSTFIX};
}

static tl__c_expr element_of_op(tl__c_emit *e, const tl_op *op, tl_value array, uint32_t rank) {
  const char *indices[TL_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) {
    indices[i] = tl__c_index_text(e, op->operands[1 + i], TL__PREC_ASSIGN);
  }
  return tl__c_element_expr(e, array, rank, indices);
}

tl__c_expr tl__c_load_expr(tl__c_emit *e, const tl_op *op) {
  return element_of_op(e, op, op->operands[0], op->operand_count - 1);
}

const char *tl__c_base_text(tl__c_emit *e, tl_value array) {
  const tl__c_var *p = tl__c_var_of(e, array);
  if (named_table(e, array)) {
    return named_table(e, array)->callee;
  }
  if (!p->is_param) {
    return p->storage == TL__CELL ? tl_arena_printf(e->arena, "&%s", p->name) : p->name;
  }
  const tl_param *param = &e->f->params.data[p->param];
  const char *name = e->f->cparams.data[param->cparam].name, *access = param->access;
  if (!strcmp(access, "(*$)")) {
    return name;
  }
  size_t n = strlen(access);
  bool element = false;
  while (n >= 3 && !strncmp(access + n - 3, "[#]", 3)) {
    n -= 3;
    element = true;
  }
  const char *base = tl__c_substitute(e->arena, tl_arena_strndup(e->arena, access, n), name, 0, NULL);
  base = element ? base : tl_arena_printf(e->arena, "&%s", base);
  if (is_written_behind_const(e, p->param)) {
    tl_type t = tl__c_type(e, param->value);
    return tl_arena_printf(e->arena, "(%s *)%s",
                           t.rank - (int)param->axes_before > 1 ? "void" : tl__c_type_text(t.dtype), base);
  }
  return base;
}

/* ---- loop nests ---- */

void tl__c_nest_open(tl__c_emit *e, tl_type t, tl__c_nest *nest) {
  static const char *const letters[] = {"i", "j", "k", "l", "m", "p", "q", "r", "u", "v", "w", "z"};
  nest->outside = e->out;
  nest->name_count = e->named.count;
  int letter = 0;
  for (int i = 0; i < t.rank; i++) {
    tl_dtype d = t.extents[i].value == TL_NO_VALUE ? TL_U64 : tl__c_type(e, t.extents[i].value).dtype;
    const char *name = NULL;
    while (!name && letter < 12) { /* the next letter that stands for nothing else here */
      name = tl__c_name_visible(e, e->region, letters[letter]) ? NULL : letters[letter];
      letter++;
    }
    if (name) {
      tl__c_name_add(e, e->region, name);
    } else {
      name = tl__c_name_fresh(e, e->region, "i");
    }
    nest->index[i] = name;
    const char *head = tl_arena_printf(e->arena, "for (%s %s = 0; %s < %s; %s++)", tl__c_type_text(d), name, name,
                                       tl__c_extent_text(e, t.extents[i], TL__PREC_SHIFT), name);
    tl__c_stmt *loop = tl__c_braced(e, head);
    loop->counted = true;
    e->out = &loop->body;
  }
}

void tl__c_nest_close(tl__c_emit *e, tl__c_nest *nest) {
  e->out = nest->outside;
  tl__c_name_rewind(e, nest->name_count);
}

/* A statement that stores into the array. */
void tl__c_store_line(tl__c_emit *e, tl_value array, const char *text) {
  const tl__c_var *p = tl__c_var_of(e, array);
  if (p->is_param) {
    tl__c_line(e, "%s", text);
    return;
  }
  tl__c_define(e, p->name, text);
  if (p->storage != TL__CELL) { /* its indices are read too */
    e->out->data[e->out->count - 1]->reads = text + strlen(p->name);
  }
}

/* The same over all the room of an array that grows. */
static void open_room(tl__c_emit *e, const char *from, const char *room, tl__c_nest *nest) {
  nest->outside = e->out;
  nest->name_count = e->named.count;
  const char *i = tl__c_name_visible(e, e->region, "i") ? tl__c_name_fresh(e, e->region, "element") : "i";
  tl__c_name_add(e, e->region, i);
  nest->index[0] = i;
  tl__c_stmt *loop =
      tl__c_braced(e, tl_arena_printf(e->arena, "for (size_t %s = %s; %s < %s; %s++)", i, from, i, room, i));
  loop->counted = true;
  e->out = &loop->body;
}

void tl__c_emit_set_all(tl__c_emit *e, tl_value array, const char *text) {
  tl_type t = tl__c_type(e, array);
  tl__c_nest nest = {0};
  const tl__c_var *p = tl__c_var_of(e, array);
  if (!p->is_param && p->storage == TL__HEAP && p->room) {
    open_room(e, "0", p->room, &nest);
  } else {
    tl__c_nest_open(e, t, &nest);
  }
  const char *place = tl__c_element_expr(e, array, (uint32_t)t.rank, nest.index).text;
  tl__c_store_line(e, array, tl_arena_printf(e->arena, "%s = %s;", place, text));
  tl__c_nest_close(e, &nest);
}

static const char *zero_text(tl_dtype d) {
  return d == TL_F32 ? "0.0f" : d == TL_F64 ? "0.0" : d == TL_F80 ? "0.0L" : "0";
}

/* Its elements lie side by side: the IR's inner extents are those that C declares. */
static bool is_one_block(tl__c_emit *e, tl_value array) {
  const tl__c_var *p = tl__c_var_of(e, array);
  tl_type t = tl__c_type(e, array);
  if (!p->is_param) {
    return t.rank > 0 && p->storage != TL__CELL;
  }
  const tl_param *param = &e->f->params.data[p->param];
  tl__c_text access = {.arena = e->arena}, inner = {.arena = e->arena};
  tl__c_text_add(&access, "$");
  tl__c_text_add(&inner, "");
  for (int i = 0; i < t.rank; i++) {
    tl__c_text_add(&access, "[#]");
    if (i) {
      tl__c_text_addf(&inner, "[%s]", tl__c_extent_text(e, t.extents[i], TL__PREC_COMMA));
    }
  }
  const char *declarator = e->f->cparams.data[param->cparam].declarator;
  size_t n = strlen(declarator), m = inner.count;
  return t.rank > 0 && !strcmp(param->access, access.data) && n >= m && !strcmp(declarator + n - m, inner.data);
}

/* Arrays of few elements are left to the C compiler, which keeps them in registers then. */
static bool is_small(tl_type t) {
  int64_t count = 1;
  for (int i = 0; i < t.rank; i++) {
    if (t.extents[i].value != TL_NO_VALUE) {
      return false;
    }
    count *= t.extents[i].fixed;
  }
  return count <= 32;
}

/* What of the array is whole in memory: "m, n * sizeof *m" with *out_reads as what that reads. */
static const char *block_text(tl__c_emit *e, tl_value array, const char *name, const char *set,
                              const char **out_reads) {
  const tl__c_var *p = tl__c_var_of(e, array);
  tl_type t = tl__c_type(e, array);
  if (!p->is_param && p->storage == TL__STACK) {
    *out_reads = "";
    return tl_arena_printf(e->arena, "%s%s, sizeof %s", name, set, name);
  }
  t.rank = 1; /* the extents of a row are in its type */
  bool is_room = !p->is_param && p->room;
  *out_reads = is_room ? p->room : tl__c_count_factor(e, t);
  if (!strcmp(*out_reads, "1")) {
    return tl_arena_printf(e->arena, "%s%s, sizeof *%s", name, set, name);
  }
  return tl_arena_printf(e->arena, "%s%s, %s * sizeof *%s", name, set, *out_reads, name);
}

static bool is_one_large_block(tl__c_emit *e, tl_value array) {
  return is_one_block(e, array) && !is_small(tl__c_type(e, array));
}

static void clear(tl__c_emit *e, tl_value array) {
  const tl__c_var *p = tl__c_var_of(e, array);
  tl_type t = tl__c_type(e, array);
  bool as_loop = is_small(t) && !(p->is_param && t.rank > 1); /* one line is shorter than a loop in a loop */
  if (!is_one_block(e, array) || as_loop) {
    tl__c_emit_set_all(e, array, zero_text(t.dtype));
    return;
  }
  e->needs->memory = true;
  const char *name = tl__c_base_text(e, array), *reads;
  const char *text = tl_arena_printf(e->arena, "memset(%s);", block_text(e, array, name, ", 0", &reads));
  if (p->is_param) {
    tl__c_line(e, "%s", text);
  } else {
    tl__c_define(e, name, text);
    e->out->data[e->out->count - 1]->reads = reads;
  }
}

void tl__c_emit_spoil(tl__c_emit *e, tl_value array) {
  if (tl__c_type(e, array).element) {
    tl__c_emit_set_all(e, array, "NULL");
    return;
  }
  if (!is_one_large_block(e, array)) {
    tl__c_emit_set_all(e, array, tl__c_nan_text(e, tl__c_type(e, array).dtype));
    return;
  }
  const char *reads;
  e->needs->spoil = e->needs->memory = true;
  tl__c_line(e, "tl_tape_spoil(%s);", block_text(e, array, tl__c_base_text(e, array), "", &reads));
}

/* ---- declarations ---- */

static bool is_constant(tl_type t) {
  for (int i = 0; i < t.rank; i++) {
    if (t.extents[i].value != TL_NO_VALUE || t.extents[i].fixed == 0) {
      return false;
    }
  }
  return true;
}

/* An array on the stack has at least one element per axis: C has no empty arrays. */
const char *tl__c_stack_extent(tl__c_emit *e, tl_extent x) {
  if (x.value == TL_NO_VALUE) {
    return tl_arena_printf(e->arena, "%lld", (long long)(x.fixed > 0 ? x.fixed : 1));
  }
  return tl_arena_printf(e->arena, "%s > 0 ? %s : 1", tl__c_extent_text(e, x, TL__PREC_SHIFT),
                         tl__c_extent_text(e, x, TL__PREC_COND));
}

/* Makes the storage of a variable, on the stack or the heap. */
void tl__c_declare_array(tl__c_emit *e, tl_value array, bool zeroed) {
  tl__c_var *p = tl__c_var_of(e, array);
  tl_type t = tl__c_type(e, array);
  if (p->is_param) {
    if (zeroed) {
      clear(e, array);
    }
    return;
  }
  if (p->storage == TL__HEAP && !p->made) {
    p->made = true;
    tl__c_tape_allocate(e, array, zeroed);
    return;
  }
  if (p->storage == TL__HEAP || p->declared) {
    if (zeroed) {
      tl__c_tape_check(e);
      clear(e, array);
    }
    return;
  }
  p->declared = true;
  tl__c_text s = {.arena = e->arena};
  tl__c_text_addf(&s, "%s %s", tl__c_decl_text(t), p->name);
  for (int i = 0; i < t.rank; i++) {
    tl__c_text_addf(&s, "[%s]", tl__c_stack_extent(e, t.extents[i]));
  }
  bool initialised = zeroed && is_constant(t);
  tl__c_define(e, p->name, tl_arena_printf(e->arena, initialised ? t.rank ? "%s = {0};" : "%s = 0;" : "%s;", s.data));
  if (!initialised) {
    e->out->data[e->out->count - 1]->reads = strchr(s.data, '[') ? strchr(s.data, '[') : "";
  }
  if (zeroed && !initialised) {
    clear(e, array);
  }
}

/* static const double table[2][2] = {{1.0, 2.0}, {3.0, 4.0}}; */
static void declare_table(tl__c_emit *e, const tl_op *op) {
  tl_type t = tl__c_type(e, op->first_result);
  tl__c_var *p = tl__c_var_of(e, op->first_result);
  tl__c_text s = {.arena = e->arena};
  tl__c_text_addf(&s, "static const %s %s", tl__c_type_text(t.dtype), p->name);
  int64_t count = 1, row[TL_MAX_RANK];
  for (int i = t.rank - 1; i >= 0; i--) {
    count *= t.extents[i].fixed;
    row[i] = count;
  }
  for (int i = 0; i < t.rank; i++) {
    tl__c_text_addf(&s, "[%s]", tl__c_stack_extent(e, t.extents[i]));
  }
  tl__c_text_add(&s, " = ");
  for (int64_t k = 0; k < count; k++) {
    if (k) {
      tl__c_text_add(&s, ", ");
    }
    for (int i = 0; i < t.rank; i++) {
      tl__c_text_add(&s, k % row[i] == 0 ? "{" : "");
    }
    tl_op number = {.code = TL_OP_const};
    if (tl_dtype_is_float(t.dtype)) {
      number.u.floating = op->table[k];
    } else {
      number.u.integer = t.dtype == TL_U64 ? (int64_t)(uint64_t)op->table[k] : (int64_t)op->table[k];
    }
    tl__c_text_add(&s, tl__c_constant_expr(e, &number, t.dtype, false).text);
    for (int i = 0; i < t.rank; i++) {
      tl__c_text_add(&s, (k + 1) % row[i] == 0 ? "}" : "");
    }
  }
  p->declared = true;
  tl__c_define(e, p->name, tl_arena_printf(e->arena, "%s;", s.data));
}

void tl__c_emit_alloc(tl__c_emit *e, tl_op *op) {
  bool zeroed = op->u.flags & TL_ALLOC_ZEROED;
  tl__c_var *p = tl__c_var_of(e, op->first_result);
  if (op->u.flags & TL_ALLOC_TABLE) {
    if (p->used && op->table) {
      declare_table(e, op);
    }
    return;
  }
  if (!p->used || (p->storage == TL__CELL && !p->is_param && !zeroed) || p->zeroed_by == op) {
    return; /* a cell without content is declared where it is first written */
  }
  if (p->is_param && !zeroed) {
    return;
  }
  tl__c_comment(e, op->loc);
  if (p->storage == TL__CELL && !p->is_param) {
    tl__c_set_text(e, op->first_result, zero_text(tl__c_type(e, op->first_result).dtype), op);
    return;
  }
  tl__c_declare_array(e, op->first_result, zeroed);
}

/* ---- statements ---- */

/* Does a loop of the user's run what stands here? A loop over directions runs it as often as a call would. */
static bool in_users_loop(const tl__c_emit *e) {
  uint32_t k = e->regions.data[e->region].loop;
  while (k != TL__NONE && e->ops.data[k].op->is_ours) {
    k = e->regions.data[e->ops.data[k].region].loop;
  }
  return k != TL__NONE;
}

enum { MOST_DIRECTIONS = 32 };

/* "x" of "x_dot", "x_bar" and "x_bar_dot"; NULL where the name is not one of a derivative's. */
static const char *name_of_primal(tl__c_emit *e, const char *name) {
  size_t n = strlen(name), all = n;
  while (n > 4 && (!strncmp(name + n - 4, "_dot", 4) || !strncmp(name + n - 4, "_bar", 4))) {
    n -= 4;
  }
  return n < all ? tl_arena_strndup(e->arena, name, n) : NULL;
}

static bool is_array_name(const tl__c_emit *e, const char *name) {
  for (tl_value v = 1; v < e->f->values.count; v++) {
    const tl_value_info *info = tl_info(e->f, v);
    if (info->type.rank && info->name && !strcmp(info->name, name)) {
      return true;
    }
  }
  return false;
}

/* "T.m" of "T_m". */
static const char *spelled(const tl__c_emit *e, const char *name) {
  const tl_module *m = e->f->module;
  for (uint32_t i = 0; i < m->spellings.count; i++) {
    if (!strcmp(m->spellings.data[i].name, name)) {
      return m->spellings.data[i].spelled;
    }
  }
  return name;
}

/* What the user calls the array: of those that only the derivative has the array that it belongs to, and NULL where the
 * array is no longer than the directions of a number. */
static const char *copied_array(tl__c_emit *e, tl_value to, tl_value from) {
  const char *name = tl_info(e->f, from)->name ? tl_info(e->f, from)->name : tl_info(e->f, to)->name;
  const char *primal = name ? name_of_primal(e, name) : NULL;
  bool is_nameless = !name || !strcmp(name, "dot") || !strcmp(name, "bar");
  tl_type t = tl__c_type(e, to);
  if ((is_nameless || primal) && tl_extents_count(t.extents, t.rank, MOST_DIRECTIONS) > 0) {
    return NULL;
  }
  if (primal && is_array_name(e, primal)) {
    return tl_arena_printf(e->arena, "the derivative of the array '%s'", spelled(e, primal));
  }
  return is_nameless ? "an array" : tl_arena_printf(e->arena, "the array '%s'", spelled(e, name));
}

/* The program's own copy of one object to another: by assignment, or what a function returns. */
static bool is_programs_copy(tl__c_emit *e, tl_value to, tl_value from, const tl_op *at) {
  if (at && at->code == TL_OP_clone) {
    return !at->is_ours;
  }
  const tl__c_var *p = tl__c_var_of(e, to);
  return (p->is_param || p->is_users) && tl__c_var_of(e, from)->is_users;
}

static bool is_same_place(tl_loc x, tl_loc y) {
  return x.line == y.line && x.column == y.column &&
         (x.file == y.file || (x.file && y.file && !strcmp(x.file, y.file)));
}

void tl__c_warn_copy(tl__c_emit *e, tl_value to, tl_value from, const tl_op *at) {
  if (!in_users_loop(e) || !tl__c_type(e, to).rank || e->f->is_check || is_programs_copy(e, to, from, at)) {
    return;
  }
  if (!at) { /* the loop or branch at whose end it is */
    at = e->ops.data[e->regions.data[e->region].parent].op;
  }
  for (uint32_t i = 0; i < e->warned.count; i++) {
    if (is_same_place(e->warned.data[i], at->loc)) {
      return;
    }
  }
  const char *array = copied_array(e, to, from);
  if (array) {
    TL_PUSH(e->arena, e->warned, at->loc);
    tl_diag_warn(e->f->module->diag, "tl-array-copy", at->loc,
                 "%s is copied in each iteration of a loop in '%s': an older content of it is needed after it was "
                 "overwritten",
                 array, e->f->name);
  }
}

/* Both whole and side by side, and large: "memcpy(x, y, n * sizeof *y);". Rows of arrays of our own have an element at
 * least, those of parameters may have none, so that theirs say how much there is. */
static bool copy_block(tl__c_emit *e, tl_value to, tl_value from) {
  if (!is_one_large_block(e, to) || !is_one_block(e, from) || named_table(e, from)) {
    return false;
  }
  const tl__c_var *p = tl__c_var_of(e, to), *source = tl__c_var_of(e, from);
  tl_type t = tl__c_type(e, to);
  const char *name = tl__c_base_text(e, to), *from_name = tl__c_base_text(e, from);
  const char *size = tl_arena_printf(e->arena, "sizeof %s", p->is_param ? from_name : name);
  if (!is_constant(t) || (p->is_param ? source : p)->is_param || (p->is_param ? source : p)->storage != TL__STACK) {
    t.rank = 1;
    size = tl_arena_printf(e->arena, "%s * sizeof *%s", tl__c_count_factor(e, t), p->is_param ? name : from_name);
  }
  e->needs->memory = true;
  const char *text = tl_arena_printf(e->arena, "memcpy(%s, %s, %s);", name, from_name, size);
  if (p->is_param) {
    tl__c_line(e, "%s", text);
  } else {
    tl__c_define(e, name, text);
    e->out->data[e->out->count - 1]->reads = tl_arena_printf(e->arena, "%s, %s", from_name, size);
  }
  return true;
}

void tl__c_emit_array_copy(tl__c_emit *e, tl_value to, tl_value from, tl_op *at) {
  tl_type t = tl__c_type(e, to);
  tl__c_var *p = tl__c_var_of(e, to);
  tl__c_warn_copy(e, to, from, at);
  if (p->storage == TL__CELL && !p->is_param) {
    tl__c_set_text(e, to, tl__c_element_expr(e, from, 0, NULL).text, at);
    return;
  }
  bool is_made = p->is_param || (p->storage == TL__HEAP ? p->made : p->declared);
  if (!is_made) {
    assert(p->declared_at == at);
    tl__c_declare_array(e, to, false);
    tl__c_tape_check(e);
  }
  tl__c_nest nest = {0};
  const tl__c_var *source = tl__c_var_of(e, from);
  bool grown = !p->is_param && p->room && !source->is_param && source->room;
  bool hands_out = t.element && p->is_param; /* tensors of the call's go to the caller */
  if (!grown && !hands_out && copy_block(e, to, from)) {
    return;
  }
  if (grown) {
    tl__c_tape_widen(e, to, source->room);
    open_room(e, "0", source->room, &nest);
  } else {
    tl__c_nest_open(e, t, &nest);
  }
  const char *target = tl__c_element_expr(e, to, (uint32_t)t.rank, nest.index).text;
  const char *content = tl__c_element_expr(e, from, (uint32_t)t.rank, nest.index).text;
  content = hands_out ? tl__c_kept_text(e, content, 0) : content;
  tl__c_store_line(e, to, tl_arena_printf(e->arena, "%s = %s;", target, content));
  tl__c_nest_close(e, &nest);
  if (grown && p->flags & TL_ALLOC_ZEROED) {
    open_room(e, source->room, p->room, &nest);
    tl__c_store_line(e, to, tl_arena_printf(e->arena, "%s[%s] = %s;", p->name, nest.index[0], zero_text(t.dtype)));
    tl__c_nest_close(e, &nest);
  }
}

void tl__c_emit_update(tl__c_emit *e, tl_op *op) {
  tl_value result = op->first_result, v = op->operands[op->operand_count - 1];
  uint32_t rank = op->operand_count - 2;
  tl__c_var *p = tl__c_var_of(e, result);
  tl__c_comment(e, op->loc);
  if (tl__c_op_of(e, op)->copies_operand && (rank || p->is_param)) {
    tl__c_emit_array_copy(e, result, op->operands[0], op);
  }
  if (p->storage == TL__CELL && !p->is_param && !p->declared && p->declared_at == op) {
    tl__c_set_text(e, result, tl__c_converted_text(e, v, TL__PREC_ASSIGN), op);
    return;
  }
  if (p->flags & TL_ALLOC_GROW && !p->is_param && !tl__c_op_of(e, op)->reserved) {
    tl__c_tape_grow(e, op);
  }
  const char *place = element_of_op(e, op, result, rank).text;
  const char *compound = e->values[v].mode == TL__INLINE ? tl__c_assign_text(e, place, v) : NULL;
  const char *value = tl__c_converted_text(e, v, TL__PREC_ASSIGN);
  if (tl__c_type(e, v).is_tensor) { /* it lives as long as the array: as the call, or the caller's storage */
    value = tl__c_kept_text(e, value, p->is_param ? 0 : 1);
  }
  if (!compound && !strcmp(place, value)) {
    return;
  }
  const char *text = compound ? compound : tl_arena_printf(e->arena, "%s = %s;", place, value);
  tl__c_store_line(e, result, text);
  if (e->values[v].mode == TL__VARIABLE && is_simple(value) && tl_dtype_is_float(tl__c_type(e, v).dtype)) {
    tl__c_stmt *s = e->out->data[e->out->count - 1];
    s->place = place;
    s->stored = value;
    s->saves = p->flags & TL_ALLOC_TAPE;
  }
}

void tl__c_emit_fill(tl__c_emit *e, tl_op *op) {
  tl_value result = op->first_result;
  tl__c_var *p = tl__c_var_of(e, result);
  tl__c_comment(e, op->loc);
  const char *text = tl__c_converted_text(e, op->operands[1], TL__PREC_ASSIGN);
  bool is_own = p->storage == TL__CELL && !p->is_param && !p->declared && p->declared_at == op;
  if (tl__c_type(e, op->operands[1]).is_tensor && !is_own) { /* as in an update */
    text = tl__c_kept_text(e, text, p->is_param ? 0 : 1);
  }
  if (p->storage == TL__CELL && !p->is_param) {
    tl__c_set_text(e, result, text, op);
    return;
  }
  bool is_made = p->is_param || (p->storage == TL__HEAP ? p->made : p->declared);
  if (tl__c_op_of(e, op)->copies_operand && !is_made) {
    tl__c_declare_array(e, result, false);
    tl__c_tape_check(e);
  }
  if (tl_is_plus_zero(e->f, op->operands[1])) {
    clear(e, result);
  } else {
    tl__c_emit_set_all(e, result, text);
  }
}

void tl__c_emit_accumulate(tl__c_emit *e, tl_op *op) {
  tl_value result = op->first_result;
  tl_type t = tl__c_type(e, result);
  if (tl__c_is_plain_sum(e, op)) {
    if (tl__c_root(e, op->operands[1]) != tl__c_root(e, result)) {
      tl__c_comment(e, op->loc);
      tl__c_emit_array_copy(e, result, op->operands[1], op);
    }
    return;
  }
  tl__c_comment(e, op->loc);
  if (tl__c_op_of(e, op)->copies_operand) {
    tl__c_emit_array_copy(e, result, op->operands[0], op);
  }
  tl__c_nest nest = {0};
  const tl__c_var *p = tl__c_var_of(e, result), *term_var = tl__c_var_of(e, op->operands[1]);
  if (!p->is_param && p->room && !term_var->is_param && term_var->room) {
    tl__c_tape_widen(e, result, term_var->room);
    open_room(e, "0", term_var->room, &nest);
  } else {
    tl__c_nest_open(e, t, &nest);
  }
  const char *target = tl__c_element_expr(e, result, (uint32_t)t.rank, nest.index).text;
  const char *term = tl__c_element_expr(e, op->operands[1], (uint32_t)t.rank, nest.index).text;
  if (t.element) {
    const char *sum = tl_arena_printf(e->arena, "tl_add(%s, %s)", target, term);
    tl__c_store_line(e, result,
                     tl_arena_printf(e->arena, "%s = %s;", target, tl__c_kept_text(e, sum, p->is_param ? 0 : 1)));
  } else {
    tl__c_store_line(e, result, tl_arena_printf(e->arena, "%s += %s;", target, term));
  }
  tl__c_nest_close(e, &nest);
}

/* Builders, types and deep copies. */
#include "ir_testing.h"

typedef struct function {
  bench b;
  tl_func *f;
  tl_builder at;
} function;

static void open_function(function *t) {
  bench_open(&t->b);
  t->f = tl_func_create(t->b.module, "f");
  t->f->return_declarator = "void";
  t->at = (tl_builder){.func = t->f, .region = t->f->body};
}

static tl_dtype dtype_of(const function *t, tl_value v) { return tl_type_of(t->f, v).dtype; }

static void results_follow_the_row(void **state) {
  (void)state;
  function t;
  open_function(&t);
  tl_builder *b = &t.at;
  tl_value x = tl_build_float(b, TL_F32, 1, NULL), k = tl_build_int(b, TL_I32, 2), w = tl_build_int(b, TL_I64, 3);
  tl_value c = tl_build_binary(b, TL_OP_lt, x, x);
  assert_int_equal(dtype_of(&t, c), TL_BOOL);
  assert_int_equal(dtype_of(&t, tl_build_binary(b, TL_OP_add, x, x)), TL_F32);
  assert_int_equal(dtype_of(&t, tl_build_binary(b, TL_OP_ldexp, x, k)), TL_F32);
  assert_int_equal(dtype_of(&t, tl_build_binary(b, TL_OP_jn, k, x)), TL_F32);
  assert_int_equal(dtype_of(&t, tl_build_binary(b, TL_OP_polygamma, k, x)), TL_F32);
  assert_int_equal(dtype_of(&t, tl_build_binary(b, TL_OP_shl, w, k)), TL_I64);
  assert_int_equal(dtype_of(&t, tl_build_binary(b, TL_OP_shr, k, w)), TL_I32);
  assert_int_equal(dtype_of(&t, tl_build_binary(b, TL_OP_remquo_quotient, x, x)), TL_I32);
  assert_int_equal(dtype_of(&t, tl_build_unary(b, TL_OP_ilogb, x)), TL_I32);
  assert_int_equal(dtype_of(&t, tl_build_unary(b, TL_OP_signbit, x)), TL_BOOL);
  assert_int_equal(dtype_of(&t, tl_build_select(b, c, w, w)), TL_I64);
  assert_int_equal(dtype_of(&t, tl_build_cvt(b, TL_U8, x)), TL_U8);
  assert_int_equal(tl_build_cvt(b, TL_F32, x), x);
  assert_int_equal(tl_module_verify(t.b.module), TL_OK);
  bench_close(&t.b);
}

static void constants_hold_what_their_dtype_holds(void **state) {
  (void)state;
  function t;
  open_function(&t);
  tl_builder *b = &t.at;
  int64_t i;
  long double x;
  assert_true(tl_is_const_int(t.f, tl_build_int(b, TL_U8, 257), &i) && i == 1);
  assert_true(tl_is_const_int(t.f, tl_build_int(b, TL_I8, 255), &i) && i == -1);
  assert_true(tl_is_const_int(t.f, tl_build_int(b, TL_BOOL, 8), &i) && i == 1);
  assert_true(tl_is_const_int(t.f, tl_build_int(b, TL_U32, -1), &i) && i == 4294967295);
  assert_true(tl_is_const_int(t.f, tl_build_int(b, TL_U64, -1), &i) && i == -1);
  assert_true(tl_is_const_float(t.f, tl_build_float(b, TL_F32, 0.1L, NULL), &x) && x == (long double)0.1f);
  assert_true(tl_is_const_float(t.f, tl_build_float(b, TL_F64, 0.1L, NULL), &x) && x == (long double)(double)0.1L);
  assert_true(tl_is_const_float(t.f, tl_build_float(b, TL_F80, 0.1L, NULL), &x) && x == 0.1L);
  tl_value zero = tl_build_zero(b, TL_F64), one = tl_build_int(b, TL_I32, 1);
  assert_true(tl_is_const_float(t.f, zero, &x) && x == 0 && !tl_is_const_int(t.f, zero, &i));
  assert_false(tl_is_const_float(t.f, one, &x));
  assert_false(tl_is_const_int(t.f, tl_build_unary(b, TL_OP_neg, one), &i));
  assert_int_equal(tl_module_verify(t.b.module), TL_OK);
  bench_close(&t.b);
}

static void arrays_pass_on_type_and_name(void **state) {
  (void)state;
  function t;
  open_function(&t);
  tl_builder *b = &t.at;
  tl_value n = tl_build_int(b, TL_U64, 4), x = tl_build_float(b, TL_F64, 1, NULL);
  tl_value a = tl_build_alloc(b, TL_F64, 2, (tl_extent[]){{0, n}, {3, 0}}, TL_ALLOC_ZEROED, "a");
  assert_int_equal(tl_def(t.f, a)->operand_count, 1);
  assert_int_equal(tl_def(t.f, a)->operands[0], n);
  tl_value versions[] = {tl_build_update(b, a, 2, (tl_value[]){n, n}, x), tl_build_fill(b, a, x), tl_build_clone(b, a),
                         tl_build_accumulate(b, a, a)};
  for (int i = 0; i < 4; i++) {
    assert_true(tl_type_equal(tl_type_of(t.f, versions[i]), tl_type_of(t.f, a)));
    assert_string_equal(tl_info(t.f, versions[i])->name, "a");
  }
  tl_value e = tl_build_index(b, a, 2, (tl_value[]){n, n});
  assert_true(tl_type_equal(tl_type_of(t.f, e), tl_scalar(TL_F64)));
  assert_int_equal(tl_module_verify(t.b.module), TL_OK);
  bench_close(&t.b);
}

static void types_compare(void **state) {
  (void)state;
  function t;
  open_function(&t);
  tl_extent fixed[] = {{2, 0}, {3, 0}}, other[] = {{2, 0}, {4, 0}}, symbolic[] = {{9, 1}, {3, 0}}, same[] = {{8, 1}, {3, 0}};
  tl_type a = tl_array_type(t.f, TL_F64, 2, fixed), b = tl_array_type(t.f, TL_F64, 2, other);
  tl_type c = tl_array_type(t.f, TL_F64, 2, symbolic), d = tl_array_type(t.f, TL_F64, 2, same);
  assert_true(tl_type_equal(a, a));
  assert_true(tl_type_equal(c, d)); /* `fixed` means nothing where there is a value */
  assert_false(tl_type_equal(a, b));
  assert_false(tl_type_equal(a, c));
  assert_false(tl_type_equal(a, tl_array_type(t.f, TL_F32, 2, fixed)));
  assert_false(tl_type_equal(tl_scalar(TL_F64), tl_array_type(t.f, TL_F64, 0, NULL)));
  tl_type named = a;
  named.axis_names = (const char *const[]){"row", "column"};
  assert_false(tl_type_equal(a, named));
  tl_type renamed = a;
  renamed.axis_names = (const char *const[]){"row", "col"};
  assert_false(tl_type_equal(named, renamed));
  bench_close(&t.b);
}

static void regions_are_named_after_what_flows(void **state) {
  (void)state;
  function t;
  open_function(&t);
  tl_builder *b = &t.at;
  tl_value x = tl_region_add_param(t.f, t.f->body, tl_scalar(TL_F64), "x");
  tl_value cell = tl_region_add_param(t.f, t.f->body, tl_array_type(t.f, TL_F64, 0, NULL), "cell");
  tl_value lo = tl_build_int(b, TL_U64, 0), c = tl_build_binary(b, TL_OP_lt, x, x);
  tl_op *loop = tl_build_loop(b, lo, lo, 1, "i", 2, (tl_value[]){x, cell});
  for (int r = 0; r < 2; r++) {
    const tl_region *region = loop->regions[r];
    assert_int_equal(region->params.count, 3);
    assert_string_equal(tl_info(t.f, region->params.data[0])->name, "i");
    assert_int_equal(tl_type_of(t.f, region->params.data[0]).dtype, TL_U64);
    assert_string_equal(tl_info(t.f, region->params.data[1])->name, "x");
    assert_string_equal(tl_info(t.f, region->params.data[2])->name, "cell");
    assert_true(tl_type_of(t.f, region->params.data[2]).is_array);
  }
  tl_value carries[2];
  tl_build_loop_enter(b, loop, carries);
  assert_ptr_equal(b->region, tl_loop_body(loop));
  assert_int_equal(carries[0], b->region->params.data[1]);
  assert_int_equal(carries[1], b->region->params.data[2]);
  carries[0] = tl_build_binary(b, TL_OP_add, carries[0], x);
  tl_build_loop_leave(b, loop, carries);
  assert_ptr_equal(b->region, t.f->body);
  assert_int_equal(carries[0], tl_op_result(loop, 0));
  assert_int_equal(carries[1], tl_op_result(loop, 1));
  assert_int_equal(loop->result_count, 3);
  assert_string_equal(tl_info(t.f, tl_op_result(loop, 0))->name, "x");
  assert_string_equal(tl_info(t.f, tl_op_result(loop, 1))->name, "cell");
  assert_true(tl_type_equal(tl_type_of(t.f, tl_loop_trips(loop)), tl_scalar(TL_I64)));
  tl_op *branch = tl_build_if(b, c);
  tl_value yes = tl_op_result(loop, 0);
  TL_PUSH(t.f->arena, branch->regions[0]->yields, yes);
  TL_PUSH(t.f->arena, branch->regions[1]->yields, x);
  tl_build_if_results(b, branch);
  assert_string_equal(tl_info(t.f, tl_op_result(branch, 0))->name, "x");
  assert_int_equal(tl_info(t.f, tl_op_result(branch, 0))->region == t.f->body, 1);
  for (uint32_t i = 0; i < 2; i++) {
    static const char *const names[] = {"x", "cell"};
    TL_PUSH(t.f->arena, t.f->cparams, (tl_cparam){.name = names[i], .declarator = "@", .bare = "@"});
    TL_PUSH(t.f->arena, t.f->params, (tl_param){.value = t.f->body->params.data[i], .cparam = i, .access = "$", .is_memory = i == 1});
  }
  if (tl_module_verify(t.b.module) != TL_OK) {
    bench_show(&t.b);
  }
  assert_int_equal(t.b.diag.errors, 0);
  bench_close(&t.b);
}

static tl_value never_twice(tl_builder *b, tl_opcode code, tl_dtype result, const tl_value *operands) {
  (void)b;
  (void)result;
  return code == TL_OP_neg ? operands[0] : TL_NO_VALUE;
}

static void the_peephole_is_asked(void **state) {
  (void)state;
  function t;
  open_function(&t);
  tl_value x = tl_build_float(&t.at, TL_F64, 1, NULL);
  t.at.peephole = never_twice;
  assert_int_equal(tl_build_unary(&t.at, TL_OP_neg, x), x);
  assert_int_not_equal(tl_build_unary(&t.at, TL_OP_sin, x), x);
  assert_int_equal(t.f->body->ops.count, 2);
  bench_close(&t.b);
}

/* A function whose body is copied behind itself: the copy computes with the mapped operands and has types of its own. */
static const char nested[] =
    "func @f(%n: u64, %m: u64, %c: i1, %x: f64) -> (return) {\n"
    "  %len: u64 = add %n, %n\n"
    "  %a: f64[%len, 2] = alloc(%len) zeroed tape at \"a.c\":1:2-3\n"
    "  %lo: u64 = const 0 \"0\"\n"
    "  %r: f64, %b: f64[%len, 2], %t: i64 = loop %lo to %len step 2 reversed carry %x, %a do (%i: u64, %y: f64, %v: f64[%len, 2]) {\n"
    "    %z: f64 = if %c {\n"
    "      %q: f64 = call @f(%n, %m, %c, %y)\n"
    "      yield %q\n"
    "    } else {\n"
    "      extern @puts(%i) \"%0\" effect\n"
    "      yield %x\n"
    "    }\n"
    "    %w: f64[%len, 2] = update %v, %i, %lo, %z\n"
    "    yield %z, %w\n"
    "  }\n"
    "  yield %r\n"
    "}\n";

static void a_copy_is_deep(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  bench_read(&b, nested);
  tl_func *f = b.module->funcs.data[0];
  char *before = module_text(b.module);
  uint32_t old_count = f->body->ops.count;
  tl_value *map = TL_NEW_ARRAY(&b.arena, tl_value, f->values.count);
  tl_value n = f->body->params.data[0], m = f->body->params.data[1], r = value_called(f, "r");
  map[n] = m;
  tl_builder at = {.func = f, .region = f->body};
  tl_clone_ops(&at, f->body, map);
  assert_int_equal(f->body->ops.count, 2 * old_count);
  assert_int_equal(tl_module_verify(b.module), TL_OK);

  const tl_op *len = f->body->ops.data[old_count];
  assert_int_equal(len->operands[0], m);
  const tl_op *alloc = f->body->ops.data[old_count + 1], *loop = f->body->ops.data[old_count + 3];
  assert_int_equal(alloc->operands[0], len->first_result);
  assert_int_equal(tl_type_of(f, alloc->first_result).extents[0].value, len->first_result);
  assert_int_equal(tl_type_of(f, alloc->first_result).extents[1].fixed, 2);
  assert_int_equal(alloc->u.flags, TL_ALLOC_ZEROED | TL_ALLOC_TAPE);
  assert_string_equal(alloc->loc.file, "a.c");
  assert_string_equal(tl_info(f, alloc->first_result)->name, "a");
  assert_true(loop->reversed && loop->u.step == 2);
  assert_int_equal(map[r], loop->first_result);
  assert_int_equal(tl_type_of(f, tl_loop_body(loop)->params.data[2]).extents[0].value, len->first_result);
  const tl_op *branch = tl_loop_body(loop)->ops.data[0];
  assert_string_equal(branch->regions[0]->ops.data[0]->callee, "f");
  assert_int_equal(branch->regions[0]->ops.data[0]->operands[0], m);
  assert_int_equal(branch->regions[0]->ops.data[0]->operands[1], m);
  assert_true(branch->regions[1]->ops.data[0]->has_effect);

  f->body->ops.count = old_count; /* the original did not change */
  char *after = module_text(b.module);
  assert_string_equal(before, after);
  free(before);
  free(after);
  bench_close(&b);
}

static void a_copy_crosses_functions(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  bench_read(&b, nested);
  const tl_func *f = b.module->funcs.data[0];
  tl_func *g = tl_func_create(b.module, "g");
  tl_value *map = TL_NEW_ARRAY(&b.arena, tl_value, f->values.count);
  tl_builder at = {.func = g, .region = g->body};
  tl_build_int(&at, TL_I32, 1); /* ids differ */
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    const tl_value_info *p = tl_info(f, f->body->params.data[i]);
    map[f->body->params.data[i]] = tl_region_add_param(g, g->body, p->type, p->name);
  }
  tl_clone_ops_from(&at, f, f->body, map);
  TL_PUSH(g->arena, g->body->yields, map[f->body->yields.data[0]]);
  g->cparams.data = f->cparams.data;
  g->cparams.count = f->cparams.count;
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_param p = f->params.data[i];
    p.value = g->body->params.data[i];
    TL_PUSH(g->arena, g->params, p);
  }
  g->results.data = f->results.data;
  g->results.count = f->results.count;
  g->return_declarator = f->return_declarator;
  if (tl_module_verify(b.module) != TL_OK) {
    bench_show(&b);
  }
  assert_int_equal(b.diag.errors, 0);
  bench_close(&b);
}

static void functions_are_found_by_name(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  char name[] = "first";
  tl_func *f = tl_func_create(b.module, name);
  memset(name, 'x', sizeof name - 1);
  tl_func *g = tl_func_create(b.module, "second");
  assert_ptr_equal(tl_module_find(b.module, "first"), f);
  assert_ptr_equal(tl_module_find(b.module, "second"), g);
  assert_null(tl_module_find(b.module, "third"));
  bench_close(&b);
}

/* What a tensor op's result is: its rule's type, of which the builder makes a value. */
static void tensors_have_the_type_of_their_rule(void **state) {
  (void)state;
  function t;
  open_function(&t);
  tl_builder *b = &t.at;
  tl_value n = tl_build_int(b, TL_I64, 5), one = tl_build_float(b, TL_F32, 1, NULL);
  tl_extent dim[] = {{0, n}, {3, 0}, {4, 0}};
  tl_type type = tl_array_type(t.f, TL_F32, 3, dim);
  type.is_array = false;
  type.is_tensor = true;
  type.axis_names = (const char *const[]){"batch", NULL, "feature"};
  tl_value x = tl_build_broadcast(b, one, type);
  assert_int_equal(tl_def(t.f, x)->operand_count, 2); /* the symbolic extent is an operand */
  tl_value y = tl_build_tensor(b, TL_OP_transpose, &x, &(tl_attr){.axes = TL_ALL});
  tl_type ty = tl_type_of(t.f, y);
  assert_true(ty.is_tensor && ty.rank == 3 && ty.extents[2].value == n && ty.extents[0].fixed == 4);
  assert_string_equal(ty.axis_names[0], "feature");
  assert_null(ty.axis_names[1]);
  tl_value s = tl_build_tensor(b, TL_OP_sum, &x, (tl_attr[]){{.axes = TL_AXES(0, -1)}, {.integer = 0}});
  assert_int_equal(tl_type_of(t.f, s).rank, 1);
  tl_value flat = tl_build_tensor(b, TL_OP_reshape, &x, &(tl_attr){.shape = {1, (tl_extent[]){{-1, 0}}}});
  assert_true(tl_type_of(t.f, flat).extents[0].value != TL_NO_VALUE); /* 5 * 3 * 4 as a value */
  tl_value all = tl_build_tensor(b, TL_OP_sum, &flat, (tl_attr[]){{.axes = TL_ALL}, {.integer = 0}});
  assert_true(tl_type_equal(tl_type_of(t.f, tl_build_item(b, all)), tl_scalar(TL_F32)));
  assert_int_equal(dtype_of(&t, tl_build_dim(b, x, 0)), TL_I64);
  tl_value mixed = tl_build_binary(b, TL_OP_lt, one, x); /* a scalar meets a tensor */
  assert_true(tl_type_of(t.f, mixed).is_tensor && dtype_of(&t, mixed) == TL_BOOL);
  tl_value kept = tl_build_alloc_of(b, tl_type_of(t.f, x), 1, dim, 0, "kept");
  tl_value filled = tl_build_update(b, kept, 1, &n, x), again = tl_build_index(b, filled, 1, &n);
  assert_true(tl_type_equal(tl_type_of(t.f, again), tl_type_of(t.f, x)));
  if (tl_module_verify(t.b.module) != TL_OK) {
    bench_show(&t.b);
  }
  assert_int_equal(t.b.diag.errors, 0);
  bench_close(&t.b);
}

/* Rows are told apart by hand here: what the table says is what this list says. */
static void the_table_is_complete(void **state) {
  (void)state;
  int elementwise = 0, on_tensors = 0;
  for (int i = 0; i < TL_OP_COUNT; i++) {
    const tl_op_info *row = &tl_op_table[i];
    assert_non_null(row->name);
    assert_true(row->doc && row->doc[0]);
    assert_true(row->elementwise == (row->operands != TL_OPERANDS_OTHER));
    assert_true(!row->elementwise || (row->arity >= 1 && row->arity <= 3));
    assert_true(!row->on_tensors || (!row->elementwise && row->arity >= 1 && row->arity <= 4));
    assert_true(row->on_tensors || row->attr_count == 0);
    for (int k = 0; k < row->attr_count; k++) {
      assert_true(row->attrs[k].name && row->attrs[k].name[0]);
      assert_true(row->attrs[k].kind != TL_ATTR_SHAPE || k == 0); /* the printer leaves it to the type */
    }
    elementwise += row->elementwise;
    on_tensors += row->on_tensors;
    for (int k = 0; k < i; k++) {
      assert_string_not_equal(row->name, tl_op_table[k].name);
    }
  }
  assert_int_equal(TL_OP_COUNT - elementwise - on_tensors, 14);
  assert_true(tl_op_states_shape(TL_OP_reshape) && !tl_op_states_shape(TL_OP_transpose));
  assert_int_equal(tl_op_table[TL_OP_max].op_class, TL_CLASS_HAND);
  assert_int_equal(tl_op_table[TL_OP_matmul].op_class, TL_CLASS_BILINEAR);
  assert_int_equal(tl_op_table[TL_OP_const].op_class, TL_CLASS_BUILDER);
  assert_int_equal(tl_op_table[TL_OP_index].op_class, TL_CLASS_LINEAR);
  assert_int_equal(tl_op_table[TL_OP_loop].op_class, TL_CLASS_REGION);
  assert_int_equal(tl_op_table[TL_OP_loop].arity, -1);
  assert_int_equal(tl_op_table[TL_OP_fma].arity, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_follow_the_row),
      cmocka_unit_test(constants_hold_what_their_dtype_holds),
      cmocka_unit_test(arrays_pass_on_type_and_name),
      cmocka_unit_test(types_compare),
      cmocka_unit_test(regions_are_named_after_what_flows),
      cmocka_unit_test(the_peephole_is_asked),
      cmocka_unit_test(a_copy_is_deep),
      cmocka_unit_test(a_copy_crosses_functions),
      cmocka_unit_test(functions_are_found_by_name),
      cmocka_unit_test(tensors_have_the_type_of_their_rule),
      cmocka_unit_test(the_table_is_complete),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

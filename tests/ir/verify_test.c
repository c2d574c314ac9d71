/* Each rule has a graph that breaks it and nothing else; the message quotes the rule, the function and the op. */
#include "ir_testing.h"

typedef struct broken {
  const char *rule, *says, *text;
  void (*damage)(tl_func *); /* what text cannot say, or NULL */
} broken;

static tl_op *op_at(tl_func *f, uint32_t i) { return f->body->ops.data[i]; }

static void wrong_record(tl_func *f) { f->values.data[value_called(f, "r")].index = 7; }
static void wrong_region(tl_func *f) { f->values.data[value_called(f, "r")].region = NULL; }
static void wrong_parent(tl_func *f) { op_at(f, 0)->parent = NULL; }
static void region_of_another(tl_func *f) { op_at(f, 0)->regions[1]->parent = NULL; }
static void same_op_twice(tl_func *f) { TL_PUSH(f->arena, f->body->ops, op_at(f, 0)); }
static void id_out_of_range(tl_func *f) { op_at(f, 0)->operands[0] = 4000000000u; }
static void result_out_of_range(tl_func *f) { op_at(f, 0)->first_result = 4000000000u; }
static void bad_dtype(tl_func *f) { f->values.data[value_called(f, "r")].type.dtype = (tl_dtype)99; }
static void scalar_with_rank(tl_func *f) { f->values.data[value_called(f, "r")].type.rank = 2; }
static void no_extents(tl_func *f) { f->values.data[value_called(f, "r")].type.extents = NULL; }
static void bad_opcode(tl_func *f) { op_at(f, 0)->code = TL_OP_COUNT; }
static void missing_regions(tl_func *f) { op_at(f, 0)->region_count = 0; }
static void no_callee(tl_func *f) { op_at(f, 0)->callee = NULL; }
static void unknown_flag(tl_func *f) { op_at(f, 0)->u.flags |= 1u << 20; }
static void fraction_of_f32(tl_func *f) { op_at(f, 0)->u.floating = 0.1L; }
static void no_bare(tl_func *f) { f->cparams.data[0].bare = NULL; }
static void leaf_of_nothing(tl_func *f) { f->params.data[0].cparam = 9; }
static void missing_leaf(tl_func *f) { f->params.count = 0; }
static void no_memory(tl_func *f) { f->params.data[0].is_memory = true; }
static void other_access(tl_func *f) { f->params.data[0].access = "$[#]"; }
static void other_value(tl_func *f) { f->params.data[0].value = f->body->params.data[1]; }
static void missing_result(tl_func *f) { f->results.count = 0; }
static void final_of_scalar(tl_func *f) { f->results.data[0] = (tl_result){.role = TL_RESULT_FINAL, .param = 0}; }
static void no_return(tl_func *f) { f->return_declarator = NULL; }
static void return_of_array(tl_func *f) { f->results.data[0].access = "$[#]"; }
static void second_of_the_name(tl_func *f) { tl_func_create(f->module, f->name)->return_declarator = "void"; }

static void array_and_tensor(tl_func *f) { f->values.data[value_called(f, "r")].type.is_array = true; }
static void tensor_of_rank_13(tl_func *f) { f->values.data[value_called(f, "r")].type.rank = 13; }
static void no_attributes(tl_func *f) { op_at(f, 0)->attrs = NULL; }
static void element_of_f32(tl_func *f) {
  tl_type *t = &f->values.data[value_called(f, "r")].type;
  tl_type *element = TL_NEW(f->arena, tl_type);
  *element = *t->element;
  element->dtype = TL_F32;
  t->element = element;
}
static void ninth_mode(tl_func *f) {
  tl_attr *attrs = TL_NEW_ARRAY(f->arena, tl_attr, 3);
  memcpy(attrs, op_at(f, 0)->attrs, sizeof *attrs * 3);
  attrs[1].integer = 9;
  op_at(f, 0)->attrs = attrs;
}
static void no_dtype(tl_func *f) {
  op_at(f, 0)->attrs = TL_NEW_ARRAY(f->arena, tl_attr, 1);
  ((tl_attr *)op_at(f, 0)->attrs)->integer = 99;
}

#define IF_OF(then, otherwise) \
  "func @f(%c: i1, %x: f64) -> (return) { %r: f64 = if %c { " then " } else { " otherwise " } yield %r }"
#define LOOP_OF(header, body) \
  "func @f(%n: i64, %x: f64, %k: i32) -> (return) { %lo: i64 = const 0 %r: f64, %t: i64 = loop " header " " body \
  " yield %r }"
#define BODY "do (%i: i64, %x.1: f64) { yield %x.1 }"

static const broken cases[] = {
    {"C1", "is not defined before it",
     "func @f(%x: f64) -> (return) { %a: f64 = neg %b %b: f64 = neg %x yield %a }", NULL},
    {"C1", "is defined in a region that has ended",
     "func @f(%c: i1, %x: f64) -> (return) { if %c { %a: f64 = neg %x } else { } yield %a }", NULL},
    {"C1", "is defined in a region that has ended",
     "func @f(%c: i1, %x: f64) -> (return) { %r: f64 = if %c { %a: f64 = neg %x yield %a } else { yield %a } yield %r }",
     NULL},
    {"C1", "is defined in a region that has ended",
     LOOP_OF("%lo to %n step 1 carry %x", "do (%i: i64, %x.1: f64) { yield %x.1 } %u: i64 = neg %i"), NULL},
    {"C1", "extent 0 of",
     "func @f(%n: i64) -> (return) { %a: f64[%m] = alloc zeroed %m: i64 = neg %n %r: f64 = index %a, %m yield %r }", NULL},
    {"C1", "operand 0 is no value", "func @f(%x: f64) -> (return) { %r: f64 = neg none yield %r }", NULL},
    {"C1", "no such value", "func @f(%x: f64) -> (return) { %r: f64 = neg %x yield %r }", id_out_of_range},
    {"C2", "names another op, region or position", "func @f(%x: f64) -> (return) { %r: f64 = neg %x yield %r }",
     wrong_record},
    {"C2", "names another op, region or position", "func @f(%x: f64) -> (return) { %r: f64 = neg %x yield %r }",
     wrong_region},
    {"C2", "parent", "func @f(%x: f64) -> (return) { %r: f64 = neg %x yield %r }", wrong_parent},
    {"C2", "region 1 has another parent", IF_OF("yield %x", "yield %x"), region_of_another},
    {"C2", "is defined twice", "func @f(%x: f64) -> (return) { %r: f64 = neg %x yield %r }", same_op_twice},
    {"C2", "no such value", "func @f(%x: f64) -> (return) { %r: f64 = neg %x yield %x }", result_out_of_range},
    {"C3", "is negative", "func @f() { %a: f64[-1] = alloc }", NULL},
    {"C3", "which only tensors have", "func @f() { %a: bf16[2] = alloc }", NULL},
    {"C3", "no integer scalar", "func @f(%x: f64) { %a: f64[%x] = alloc(%x) }", NULL},
    {"C3", "no valid dtype", "func @f(%x: f64) -> (return) { %r: f64 = neg %x yield %r }", bad_dtype},
    {"C3", "has rank 2", "func @f(%x: f64) -> (return) { %r: f64 = neg %x yield %x }", scalar_with_rank},
    {"C3", "has no extents", "func @f(%x: f64) { %r: f64[4] = alloc }", no_extents},
    {"C4", "1 operands", "func @f(%x: f64) -> (return) { %r: f64 = add %x yield %r }", NULL},
    {"C4", "3 operands", "func @f(%x: f64) -> (return) { %r: f64 = add %x, %x, %x yield %r }", NULL},
    {"C4", "2 operands", "func @f(%c: i1) { if %c, %c { } else { } }", NULL},
    {"C4", "not in the table", "func @f(%x: f64) { %r: f64 = neg %x }", bad_opcode},
    {"C4", "0 regions", IF_OF("yield %x", "yield %x"), missing_regions},
    {"C5", "the op takes numbers", "func @f(%x: i1) -> (return) { %r: i1 = add %x, %x yield %r }", NULL},
    {"C5", "the op takes floating scalars", "func @f(%x: i32) -> (return) { %r: i32 = sin %x yield %r }", NULL},
    {"C5", "the op takes integers", "func @f(%x: f64) -> (return) { %r: f64 = rem %x, %x yield %r }", NULL},
    {"C5", "the op takes an i1", "func @f(%x: i32) -> (return) { %r: i32 = not %x yield %r }", NULL},
    {"C5", "i64", "func @f(%x: f64, %k: i64) -> (return) { %r: f64 = ldexp %x, %k yield %r }", NULL},
    {"C5", "the op takes an i32 and", "func @f(%x: f64) -> (return) { %r: f64 = jn %x, %x yield %r }", NULL},
    {"C5", "operand 1 has type f64, operand 2 f32",
     "func @f(%c: i1, %x: f64, %y: f32) -> (return) { %r: f64 = select %c, %x, %y yield %r }", NULL},
    {"C5", "operand 0 has type f64, operand 1 f32",
     "func @f(%x: f64, %y: f32) -> (return) { %r: f64 = add %x, %y yield %r }", NULL},
    {"C5", "has type f64[]", "func @f(%x: f64[]) -> (return) { %r: f64 = neg %x yield %r }", NULL},
    {"C6", "the row gives i1", "func @f(%x: f64) -> (return) { %r: f64 = lt %x, %x yield %r }", NULL},
    {"C6", "the row gives f64", "func @f(%x: f64) -> (return) { %r: f32 = neg %x yield %r }", NULL},
    {"C6", "the row gives i32", "func @f(%x: f64) -> (return) { %r: i64 = ilogb %x yield %r }", NULL},
    {"C6", "has one result, a scalar or of the shape", "func @f(%x: f64) { neg %x }", NULL},
    {"C6", "has one result, a scalar or of the shape", "func @f(%x: f64) { %a: f64, %b: f64 = neg %x }", NULL},
    {"C6", "has one result, a scalar or of the shape", "func @f(%x: f64) { %a: f64[] = cvt %x }", NULL},
    {"C7", "256 is no value of u8", "func @f() { %a: u8 = const 256 }", NULL},
    {"C7", "2 is no value of i1", "func @f() { %a: i1 = const 2 }", NULL},
    {"C7", "-1 is no value of u32", "func @f() { %a: u32 = const -1 }", NULL},
    {"C7", "0.1 is no value of f32", "func @f() { %a: f32 = const 0.5 }", fraction_of_f32},
    {"C7", "is a scalar", "func @f() { %a: f32[] = const 0.5 }", NULL},
    {"C8", "symbolic extents", "func @f(%n: i64, %m: i64) { %a: f64[%n, 3, %m] = alloc(%m, %n) }", NULL},
    {"C8", "symbolic extents", "func @f(%n: i64) { %a: f64[3] = alloc(%n) }", NULL},
    {"C8", "symbolic extents", "func @f(%n: i64) { %a: f64[%n] = alloc }", NULL},
    {"C8", "is an array", "func @f() { %a: f64 = alloc }", NULL},
    {"C8", "rank 1", "func @f() { %a: f64[2, 2] = alloc grow }", NULL},
    {"C8", "unknown flags", "func @f() { %a: f64[2] = alloc }", unknown_flag},
    {"C8", "one result", "func @f() { alloc }", NULL},
    {"C9", "1 indices for an array of rank 2",
     "func @f(%a: f64[2, 2], %i: i64) -> (return) { %r: f64 = index %a, %i yield %r }", NULL},
    {"C9", "index 0 has type f64", "func @f(%a: f64[2], %i: f64) -> (return) { %r: f64 = index %a, %i yield %r }", NULL},
    {"C9", "it is an array", "func @f(%a: f64, %i: i64) -> (return) { %r: f64 = index %a, %i yield %r }", NULL},
    {"C9", "is an element of the array, f64", "func @f(%a: f64[2], %i: i64) -> (return) { %r: f32 = index %a, %i yield %r }", NULL},
    {"C10", "0 indices for an array of rank 1", "func @f(%a: f64[2], %x: f64) { %r: f64[2] = update %a, %x }", NULL},
    {"C10", "the array's elements have f64",
     "func @f(%a: f64[2], %i: i64, %x: f32) { %r: f64[2] = update %a, %i, %x }", NULL},
    {"C10", "the array has f64[2]", "func @f(%a: f64[2], %i: i64, %x: f64) { %r: f64[3] = update %a, %i, %x }", NULL},
    {"C10", "index 0 has type i1", "func @f(%a: f64[2], %i: i1, %x: f64) { %r: f64[2] = update %a, %i, %x }", NULL},
    {"C11", "the array's elements have f64", "func @f(%a: f64[2], %x: i32) { %r: f64[2] = fill %a, %x }", NULL},
    {"C11", "it is an array", "func @f(%x: f64) { %r: f64 = clone %x }", NULL},
    {"C11", "is added to", "func @f(%a: f64[2], %b: f64[3]) { %r: f64[2] = accumulate %a, %b }", NULL},
    {"C11", "is added to", "func @f(%a: i1[2]) { %r: i1[2] = accumulate %a, %a }", NULL},
    {"C11", "the array has f64[2]", "func @f(%a: f64[2]) { %r: f32[2] = clone %a }", NULL},
    {"C12", "the condition has type f64", "func @f(%x: f64) { if %x { } else { } }", NULL},
    {"C12", "region 1 yields 0 values", IF_OF("yield %x", ""), NULL},
    {"C12", "has type i1", IF_OF("yield %c", "yield %x"), NULL},
    {"C12", "has parameters", "func @f(%c: i1) { if %c (%p: f64) { } else { } }", NULL},
    {"C13", "lo has type f64", "func @f(%x: f64) { %t: i64 = loop %x to %x step 1 do (%i: f64) { } }", NULL},
    {"C13", "hi has type i32", LOOP_OF("%lo to %k step 1 carry %x", BODY), NULL},
    {"C13", "the step is 0", LOOP_OF("%lo to %n step 0 carry %x", BODY), NULL},
    {"C14", "has type i32, not i64", LOOP_OF("%lo to %n step 1 carry %x", "do (%i: i32, %x.1: f64) { yield %x.1 }"),
     NULL},
    {"C14", "has type f32, not f64", LOOP_OF("%lo to %n step 1 carry %x", "do (%i: i64, %x.1: f32) { yield %x }"), NULL},
    {"C14", "parameters", LOOP_OF("%lo to %n step 1 carry %x", "while () { } do (%i: i64, %x.1: f64) { yield %x.1 }"),
     NULL},
    {"C15", "yields 0 values for 1 carries", LOOP_OF("%lo to %n step 1 carry %x", "do (%i: i64, %x.1: f64) { }"), NULL},
    {"C15", "the condition yields f64",
     LOOP_OF("%lo step 1 carry %x", "while (%i.0: i64, %x.0: f64) { yield %x.0 } " BODY), NULL},
    {"C15", "the condition yields 2 values",
     "func @f(%lo: i64, %c: i1) { %t: i64 = loop %lo step 1 while (%i: i64) { yield %c, %c } do (%j: i64) { } }", NULL},
    {"C15", "the body yields i64", LOOP_OF("%lo to %n step 1 carry %x", "do (%i: i64, %x.1: f64) { yield %i }"), NULL},
    {"C15", "they are 0 carries and the trip count", "func @f(%n: i64) { loop %n to %n step 1 do (%i: i64) { } }", NULL},
    {"C15", "it is an i64", "func @f(%n: i64) { %t: i32 = loop %n to %n step 1 do (%i: i64) { } }", NULL},
    {"C15", "the carry has f64",
     "func @f(%n: i64, %x: f64) { %r: f32, %t: i64 = loop %n to %n step 1 carry %x do (%i: i64, %a: f64) { yield %a } }",
     NULL},
    {"C16", "only a counted loop", LOOP_OF("%lo step 1 reversed carry %x", BODY), NULL},
    {"C16", "only a counted loop",
     "func @f(%n: i64, %c: i1) { %t: i64 = loop %n to %n step 1 reversed while (%i: i64) { yield %c } do (%j: i64) { } }",
     NULL},
    {"C17", "a C function with effects",
     "func @f(%n: i64, %c: i1) { %t: i64 = loop %n to %n step 1 while (%i: i64) { extern @puts(%i) \"%0\" effect yield %c } "
     "do (%j: i64) { } }",
     NULL},
    {"C17", "'g' has effects",
     "func @f(%n: i64, %c: i1) { %t: i64 = loop %n to %n step 1 while (%i: i64) { if %c { call @g(%i) } else { } yield %c } "
     "do (%j: i64) { } } func @g(%x: i64) { call @h(%x) } func @h(%x: i64) { call @g(%x) extern @puts(%x) \"%0\" effect }",
     NULL},
    {"C18", "no function 'g'", "func @f(%x: f64) { call @g(%x) }", NULL},
    {"C18", "the module has no function ''", "func @f(%x: f64) { call @f(%x) }", no_callee},
    {"C18", "2 arguments and 0 results; 'f' has 1 and 0", "func @f(%x: f64) { call @f(%x, %x) }", NULL},
    {"C18", "1 results", "func @f(%x: f64) { %r: f64 = call @f(%x) }", NULL},
    {"C18", "argument 0 has type i32", "func @f(%x: f64, %k: i32) { call @f(%k, %k) }", NULL},
    {"C18", "result 0 has type f32", "func @f(%x: f64) -> (return) { %r: f32 = call @f(%x) yield %x }", NULL},
    {"C18", "argument 0 is no array that these indices are in",
     "func @f(%x: f64, %k: i64) { call @g(%x[%k]) } func @g(%a: f64[3]) { }", NULL},
    {"C18", "argument 0 is no array that these indices are in",
     "func @f(%x: f64[2, 2], %k: i64) { call @g(%x[%k]) } func @g(%a: f64[3]) { }", NULL},
    {"C18", "argument 0 is no array that these indices are in",
     "func @f(%x: f64[2], %k: f64) { call @g(%x[%k]) } func @g(%a: f64[1]) { }", NULL},
    {"C18", "result 0 has type f64[2]",
     "func @f(inout %x: f64[9], %k: i64) -> (final %x) { %x.1: f64[2] = call @g(%x[%k]) yield %x } "
     "func @g(inout %a: f64[2]) -> (final %a) { yield %a }", NULL},
    {"C18", "argument 0 has type f64[2]", "func @f(%a: f64[2]) { call @g(%a) } func @g(%a: f64[3]) { }", NULL},
    {"C19", "names an operand that is not there", "func @f(%x: f64) { extern @puts(%x) \"%1\" }", NULL},
    {"C19", "names an operand that is not there", "func @f(%x: f64) { extern @puts(%x) \"100%\" }", NULL},
    {"C19", "names an operand that is not there", "func @f(%x: f64) { extern @puts(%x) \"%99999999999999999999\" }", NULL},
    {"C19", "no argument list", "func @f(%x: f64) { extern @puts(%x) null }", NULL},
    {"C19", "no name", "func @f(%x: f64) { extern @\"\"(%x) \"%0\" }", NULL},
    {"C19", "at most one", "func @f() { %a: i32, %b: i32 = extern @rand() \"\" }", NULL},
    {"C20", "two C parameters are called 'x'", "func @f(%x: f64, %x.1: f64) { }", NULL},
    {"C20", "no name or declarator", "func @f(%x: f64) { }", no_bare},
    {"C20", "belongs to C parameter 9 of 1", "func @f(%x: f64) { }", leaf_of_nothing},
    {"C20", "0 leaves for 1 parameters", "func @f(%x: f64) { }", missing_leaf},
    {"C20", "marked as memory", "func @f(%x: f64) { }", no_memory},
    {"C20", "has not one '#' per axis", "func @f(%x: f64) { }", other_access},
    {"C20", "not the body's parameter", "func @f(%x: f64, %y: f64) { }", other_value},
    {"C20", "no integer scalar of the body", "func @f(%x: f64[%y], %y: f64) { }", NULL},
    {"C20", "no integer scalar of the body",
     "func @f(%x: f64[%m], %c: i1, %n: i64) { if %c { %m: i64 = neg %n } else { } }", NULL},
    {"C21", "the body yields 1 values for 0 results", "func @f(%x: f64) -> (return) { yield %x }", missing_result},
    {"C21", "which is no memory", "func @f(%x: f64) -> (return) { yield %x }", final_of_scalar},
    {"C21", "no return declarator", "func @f(%x: f64) -> (return) { yield %x }", no_return},
    {"C21", "has not one '#' per axis", "func @f(%x: f64) -> (return) { yield %x }", return_of_array},
    {"C21", "the memory has f64[2]", "func @f(%x: f64[2], %y: f64[3]) -> (final %x) { yield %y }", NULL},
    {"C22", "another of that name", "func @f(%x: f64) { }", second_of_the_name},
    {"C3", "f80, which no tensor has", "func @f(%x: f80<2>) { %r: f80<2> = neg %x }", NULL},
    {"C3", "bf16, which only tensors have", "func @f(%x: bf16<>) -> (return) { %r: bf16 = item %x yield %r }", NULL},
    {"C3", "is an array and a tensor", "func @f(%x: f64<2>) { %r: f64<2> = neg %x }", array_and_tensor},
    {"C3", "no tensors of its dtype", "func @f() { %r: f64<2>[3] = alloc }", element_of_f32},
    {"C3", "is no integer scalar", "func @f(%x: f64<2>, %y: f64) { %r: f64<%y> = reshape %x, %y }", NULL},
    {"C3", "is no integer scalar", "func @f(%y: f64) { %r: f64<%y>[3] = alloc }", NULL},
    {"C1", "extent 0 of", "func @f(%n: i64) { %r: f64<%m>[3] = alloc %m: i64 = neg %n }", NULL},
    {"C3", "extent 0 of", "func @f() { %r: f64<-2>[3] = alloc }", NULL},
    {"C3", "has rank 13", "func @f(%x: f64<2>) { %r: f64<2> = neg %x }", tensor_of_rank_13},
    {"C5", "operand 1 has type f64<3>, an operand before it f64<2>",
     "func @f(%x: f64<2>, %y: f64<3>) { %r: f64<2> = add %x, %y }", NULL},
    {"C5", "operand 1 has type f64<2, 1>", "func @f(%x: f64<2>, %y: f64<2, 1>) { %r: f64<2> = add %x, %y }", NULL},
    {"C5", "operand 1 has type f64<b=2>, an operand before it f64<a=2>",
     "func @f(%x: f64<a=2>, %y: f64<b=2>) { %r: f64<2> = add %x, %y }", NULL},
    {"C5", "operand 0 has type f64, operand 1 f32", "func @f(%x: f64<2>, %y: f32) { %r: f64<2> = add %x, %y }", NULL},
    {"C5", "the op takes numbers", "func @f(%x: i1<2>) { %r: i1<2> = add %x, %x }", NULL},
    {"C6", "of the shape of its tensors", "func @f(%x: f64<2>) { %r: f64<3> = neg %x }", NULL},
    {"C6", "of the shape of its tensors", "func @f(%x: f64<2>) { %r: f64 = neg %x }", NULL},
    {"C6", "of the shape of its tensors", "func @f(%x: f64) { %r: f64<2> = neg %x }", NULL},
    {"C6", "of the shape of its tensors", "func @f(%x: f64<a=2>) { %r: f64<b=2> = neg %x }", NULL},
    {"C6", "the row gives i1", "func @f(%x: f64<2>) { %r: f64<2> = lt %x, %x }", NULL},
    {"C9", "is an element of the array, f64<2>", "func @f(%i: i64) { %a: f64<2>[3] = alloc %r: f64 = index %a, %i }", NULL},
    {"C9", "is an element of the array, f64<2>",
     "func @f(%i: i64) { %a: f64<2>[3] = alloc %r: f64<3> = index %a, %i }", NULL},
    {"C9", "it is an array", "func @f(%x: f64<2>, %i: i64) { %r: f64 = index %x, %i }", NULL},
    {"C10", "the value has type f64<3>; the array's elements have f64<2>",
     "func @f(%x: f64<3>, %i: i64) { %a: f64<2>[3] = alloc %r: f64<2>[3] = update %a, %i, %x }", NULL},
    {"C10", "the value has type f64;", "func @f(%x: f64, %i: i64) { %a: f64<2>[3] = alloc %r: f64<2>[3] = update %a, %i, %x }",
     NULL},
    {"C10", "the result has type f64[3]",
     "func @f(%x: f64<2>, %i: i64) { %a: f64<2>[3] = alloc %r: f64[3] = update %a, %i, %x }", NULL},
    {"C15", "the body yields f64<3>",
     "func @f(%n: i64, %x: f64<2>, %y: f64<3>) { %r: f64<2>, %t: i64 = loop %n to %n step 1 carry %x do (%i: i64, %a: f64<2>) "
     "{ yield %y } }",
     NULL},
    {"C23", "it is a tensor", "func @f(%x: f64) { %r: f64<> = sum %x with axes all, keep 0 }", NULL},
    {"C23", "operand 1 has type i64[2]; it is a tensor",
     "func @f(%x: f64<3>, %i: i64[2]) { %r: f64<2> = gather %x, %i with axis 0, mode check, batch 0 }", NULL},
    {"C23", "the result has type f64; it is a tensor", "func @f(%x: f64<2>) { %r: f64 = softmax %x with axis 0 }", NULL},
    {"C23", "there are no attributes", "func @f(%x: f64<2>) { %r: f64<2> = softmax %x with axis 0 }", no_attributes},
    {"C23", "no index mode has the number 9",
     "func @f(%x: f64<3>, %i: i64<2>) { %r: f64<2> = gather %x, %i with axis 0, mode clip, batch 0 }", ninth_mode},
    {"C23", "the last operands are the symbolic extents of f64<%n.2, 1>",
     "func @f(%x: f64<2>, %n: i64) { %r: f64<%n, 1> = reshape %x }", NULL},
    {"C23", "the last operands are the symbolic extents",
     "func @f(%x: f64<2>, %n: i64, %m: i64) { %r: f64<%n, %m> = reshape %x, %m, %n }", NULL},
    {"C23", "broadcast: axis 0 has extent 2, and is to have 3", "func @f(%x: f64<2>) { %r: f64<3> = broadcast %x }", NULL},
    {"C23", "broadcast: rank 2 to rank 1", "func @f(%x: f64<2, 2>) { %r: f64<2> = broadcast %x }", NULL},
    {"C23", "sum_to: axis 1 has extent 2, and is to have 3", "func @f(%x: f64<2, 2>) { %r: f64<3> = sum_to %x }", NULL},
    {"C23", "reshape: 4 elements into a shape of 5", "func @f(%x: f64<2, 2>) { %r: f64<5> = reshape %x }", NULL},
    {"C23", "transpose: axis 0 is named twice",
     "func @f(%x: f64<2, 2>) { %r: f64<2, 2> = transpose %x with order (0, 0) }", NULL},
    {"C23", "transpose: 1 axes for a tensor of rank 2",
     "func @f(%x: f64<2, 2>) { %r: f64<2, 2> = transpose %x with order (0) }", NULL},
    {"C23", "sum: there is no axis 2", "func @f(%x: f64<2, 2>) { %r: f64<2> = sum %x with axes (2), keep 0 }", NULL},
    {"C23", "max: axis 1 is named twice", "func @f(%x: f64<2, 3>) { %r: f64<2> = max %x with axes (1, -1), keep 0 }", NULL},
    {"C23", "softmax: there is no axis 0", "func @f(%x: f64<>) { %r: f64<> = softmax %x with axis 0 }", NULL},
    {"C23", "matmul: axis 1 of operand 0 has extent 3, axis 0 of operand 1 2",
     "func @f(%x: f64<2, 3>, %y: f64<2, 4>) { %r: f64<2, 4> = matmul %x, %y }", NULL},
    {"C23", "matmul: axis 'a' meets axis 'b'",
     "func @f(%x: f64<2, a=3>, %y: f64<b=3, 4>) { %r: f64<2, 4> = matmul %x, %y }", NULL},
    {"C23", "matmul: operand 1 has rank 0", "func @f(%x: f64<2>, %y: f64<>) { %r: f64<> = matmul %x, %y }", NULL},
    {"C23", "operand 0 has dtype f64, operand 1 f32", "func @f(%x: f64<2>, %y: f32<2>) { %r: f64<> = matmul %x, %y }", NULL},
    {"C23", "gather: the indices have dtype f64",
     "func @f(%x: f64<3>, %i: f64<2>) { %r: f64<2> = gather %x, %i with axis 0, mode check, batch 0 }", NULL},
    {"C23", "gather: 1 common axes, of which axis 0 is none",
     "func @f(%x: f64<2, 3>, %i: i32<2>) { %r: f64<2> = gather %x, %i with axis 0, mode check, batch 1 }", NULL},
    {"C23", "scatter_add: axis 0 of operand 2 has extent 4, the places 2",
     "func @f(%x: f64<3>, %i: i32<2>, %u: f64<4>) { %r: f64<3> = scatter_add %x, %i, %u with axis 0, mode drop, batch 0 }",
     NULL},
    {"C23", "no reducer has the number 9",
     "func @f(%x: f64<3>, %i: i64<1>) { %r: f64<3> = window_scatter %x, %i, %x with axes (0), reducer add, mode clip, batch 0 }",
     ninth_mode},
    {"C23", "no dtype has the number 99", "func @f(%x: i32<3>) { %r: u32<3> = bitcast %x with dtype u32 }", no_dtype},
    {"C23", "pick: 1 starts for 2 axes", "func @f(%x: f64<2, 3>) { %r: f64<2, 3> = pick %x with start (0), step (1, 1) }", NULL},
    {"C23", "place: a step of 0", "func @f(%x: f64<2>) { %r: f64<4> = place %x with start (0), step (0) }", NULL},
    {"C23", "pick: rank 1 to rank 2", "func @f(%x: f64<2>) { %r: f64<2, 2> = pick %x with start (0, 0), step (1, 1) }", NULL},
    {"C23", "concat: axis 1 of operand 1 has extent 4, and is to have 3",
     "func @f(%x: f64<2, 3>, %y: f64<2, 4>) { %r: f64<4, 3> = concat %x, %y with axis 0 }", NULL},
    {"C23", "concat: axis 'a' meets axis 'b'",
     "func @f(%x: f64<a=2, 3>, %y: f64<b=2, 3>) { %r: f64<2, 6> = concat %x, %y with axis 1 }", NULL},
    {"C23", "windows: 3 windows of 3 do not fit in axis 0 of 4",
     "func @f(%x: f64<4>) { %r: f64<3, 3> = windows %x with axes (0), stride (1), dilation (1) }", NULL},
    {"C23", "windows: rank 1 with windows along 1 axes is not rank 3",
     "func @f(%x: f64<4>) { %r: f64<2, 3, 1> = windows %x with axes (0), stride (1), dilation (1) }", NULL},
    {"C23", "overlap_add: a stride of 0",
     "func @f(%x: f64<2, 3>) { %r: f64<4> = overlap_add %x with axes (0), stride (0), dilation (1) }", NULL},
    {"C23", "window_gather: a window of 4 along axis 0, which has extent 3",
     "func @f(%x: f64<3>, %i: i64<2, 1>) { %r: f64<2, 4> = window_gather %x, %i with axes (0), mode clip, batch 0 }", NULL},
    {"C23", "window_gather: 2 indices for 1 axes",
     "func @f(%x: f64<3>, %i: i64<2, 2>) { %r: f64<2, 3> = window_gather %x, %i with axes (0), mode clip, batch 0 }", NULL},
    {"C23", "window_gather: axis 0 is a common one",
     "func @f(%x: f64<3>, %i: i64<3, 1>) { %r: f64<3> = window_gather %x, %i with axes (0), mode clip, batch 1 }", NULL},
    {"C23", "window_scatter: rank 1; the windows have 2",
     "func @f(%x: f64<3>, %i: i64<2, 1>) { %r: f64<3> = window_scatter %x, %i, %x with axes (0), reducer max, mode clip, batch 0 }",
     NULL},
    {"C23", "bitcast: a last axis of 3; it is 4 for u32 of u8", "func @f(%x: u8<3>) { %r: u32<> = bitcast %x with dtype u32 }", NULL},
    {"C23", "bitcast: operand 0 has dtype i1", "func @f(%x: i1<3>) { %r: u8<3> = bitcast %x with dtype u8 }", NULL},
    {"C23", "popcnt: operand 0 has dtype f64", "func @f(%x: f64<3>) { %r: f64<3> = popcnt %x }", NULL},
    {"C23", "reduce_precision: 0 bits of exponent",
     "func @f(%x: f64<3>) { %r: f64<3> = reduce_precision %x with exponent 0, mantissa 3 }", NULL},
    {"C23", "has type f32<>, which is not that of the op",
     "func @f(%x: f64<2>) { %r: f32<> = sum %x with axes all, keep 0 }", NULL},
    {"C23", "has type f64<>, which is not that of the op",
     "func @f(%x: f64<2>) { %r: f64<> = sum %x with axes all, keep 1 }", NULL},
    {"C23", "has type f64<b=2>, which is not that of the op",
     "func @f(%x: f64<a=2, 3>) { %r: f64<b=2> = sum %x with axes (1), keep 0 }", NULL},
    {"C23", "the op has one result", "func @f(%x: f64<2>) { sum %x with axes all, keep 0 }", NULL},
    {"C24", "f64<1> is no tensor of rank 0", "func @f(%x: f64<1>) { %r: f64 = item %x }", NULL},
    {"C24", "is no tensor of rank 0 with the result's dtype", "func @f(%x: f64<>) { %r: f32 = item %x }", NULL},
    {"C25", "f64[3] as a tensor", "func @f(%x: f64[3]) { %r: f64<4> = pack %x }", NULL},
    {"C25", "f64[2, 3] as a tensor", "func @f(%x: f64[2, 3]) { %r: f64<6> = pack %x }", NULL},
    {"C25", "f64[3] as a tensor", "func @f(%x: f64[3]) { %r: f32<3> = pack %x }", NULL},
    {"C25", "f64<3> as a tensor", "func @f(%x: f64<3>) { %r: f64<3> = pack %x }", NULL},
    {"C24", "f64 is no tensor of rank 0", "func @f(%x: f64) { %r: f64 = item %x }", NULL},
    {"C24", "axis 1 of f64<2> as an i64", "func @f(%x: f64<2>) { %r: i64 = dim %x axis 1 }", NULL},
    {"C24", "axis -1 of f64<2> as an i64", "func @f(%x: f64<2>) { %r: i64 = dim %x axis -1 }", NULL},
    {"C24", "axis 0 of f64<2> as an i64", "func @f(%x: f64<2>) { %r: i32 = dim %x axis 0 }", NULL},
    {"C24", "axis 0 of f64[2] as an i64", "func @f(%x: f64[2]) { %r: i64 = dim %x axis 0 }", NULL},
};
enum { CASES = sizeof cases / sizeof *cases, RULES = 25 };

static void each_rule_is_enforced(void **state) {
  (void)state;
  int wrong = 0;
  for (int i = 0; i < CASES; i++) {
    const broken *c = &cases[i];
    bench b;
    bench_open(&b);
    tl_status parsed = bench_parse(&b, c->text);
    if (parsed != TL_OK) {
      bench_show(&b);
      fail_msg("case %d (%s) does not parse: %s", i, c->rule, c->text);
    }
    if (c->damage) {
      assert_int_equal(tl_module_verify(b.module), TL_OK);
      c->damage(b.module->funcs.data[0]);
    }
    tl_status status = tl_module_verify(b.module);
    char label[16];
    snprintf(label, sizeof label, "(%s)", c->rule);
    bool ok = status == TL_IR_INVALID && b.diag.errors > 0;
    for (uint32_t k = 0; k < b.diag.items.count; k++) {
      const tl_diag_item *item = &b.diag.items.data[k];
      ok &= strstr(item->message, label) != NULL && strstr(item->message, "function 'f'") != NULL &&
            item->code == TL_IR_INVALID;
    }
    ok = ok && strstr(b.diag.items.data[0].message, c->says) != NULL;
    if (!ok) {
      bench_show(&b);
      print_message("case %d should break (%s), \"%s\", alone: %s\n", i, c->rule, c->says, c->text);
      wrong++;
    }
    bench_close(&b);
  }
  assert_int_equal(wrong, 0);
}

static void each_rule_has_a_case_and_a_paragraph(void **state) {
  (void)state;
  FILE *in = fopen(TL_SOURCE_DIR "/docs/ir.md", "rb");
  assert_non_null(in);
  static char text[1 << 18];
  size_t length = fread(text, 1, sizeof text - 1, in);
  text[length] = 0;
  fclose(in);
  for (int rule = 1; rule <= RULES; rule++) {
    char label[16], paragraph[32];
    snprintf(label, sizeof label, "C%d", rule);
    snprintf(paragraph, sizeof paragraph, "**(C%d)**", rule);
    bool found = false;
    for (int i = 0; i < CASES; i++) {
      found |= !strcmp(cases[i].rule, label);
    }
    assert_true(found);
    if (!strstr(text, paragraph)) {
      fail_msg("docs/ir.md has no paragraph %s", paragraph);
    }
  }
}

static void names_the_op_and_its_place(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  assert_int_equal(
      bench_parse(&b, "func @f(%x: f64) -> (return) { %r: f32 = sin %x at \"user.c\":12:7-13 yield %r }"), TL_OK);
  assert_int_equal(tl_module_verify(b.module), TL_IR_INVALID);
  const tl_diag_item *d = &b.diag.items.data[0];
  assert_string_equal(d->message, "function 'f': op 'sin' that defines %r.2: (C6) the result has type f32; the row gives f64");
  assert_string_equal(d->loc.file, "user.c");
  assert_int_equal(d->loc.line, 12);
  assert_int_equal(d->loc.column, 7);
  bench_close(&b);
}

static void many_errors_stay_few_messages(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  tl_func *f = tl_func_create(b.module, "f");
  f->return_declarator = "void";
  tl_builder at = {.func = f, .region = f->body};
  for (int i = 0; i < 1000; i++) {
    tl_op_create(&at, TL_OP_add, 0, NULL);
  }
  assert_int_equal(tl_func_verify(f), TL_IR_INVALID);
  assert_in_range(b.diag.items.count, 1, 32);
  bench_close(&b);
}

static void a_sound_function_leaves_the_arena_alone(void **state) {
  (void)state;
  bench b;
  bench_open(&b);
  bench_read(&b, "func @f(%x: f64) -> (return) { %r: f64 = sin %x yield %r }");
  tl_arena_mark before = tl_arena_get_mark(&b.arena);
  assert_int_equal(tl_module_verify(b.module), TL_OK);
  tl_arena_mark after = tl_arena_get_mark(&b.arena);
  assert_ptr_equal(before.block, after.block);
  assert_int_equal(before.used, after.used);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_rule_is_enforced),
      cmocka_unit_test(each_rule_has_a_case_and_a_paragraph),
      cmocka_unit_test(names_the_op_and_its_place),
      cmocka_unit_test(many_errors_stay_few_messages),
      cmocka_unit_test(a_sound_function_leaves_the_arena_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

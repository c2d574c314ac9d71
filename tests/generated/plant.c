#include "plant.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "transform/activity.h"
#include "transform/keep.h"
#include "transform/storage.h"

/* --- the list --- */

typedef enum mutant {
  MUTANT_NONE,
  LOOP_NOT_REVERSED,
  LOOP_ENDS_EARLY,
  LOOP_STARTS_LATE,
  LOOP_RUNS_ON,
  CARRY_LOST,
  CARRY_FROM_ZERO,
  EXIT_IGNORED,
  EXIT_NEGATED,
  TRIPS_MORE,
  TRIPS_LESS,
  OVERWRITES,
  BAR_NOT_RESET,
  BAR_NOT_ZEROED,
  ALLOC_NOT_ZEROED,
  ACCUMULATE_LOST,
  ACCUMULATE_OVERWRITES,
  UPDATE_LOST,
  UPDATE_FIRST,
  TAPE_ZERO,
  TAPE_FIRST,
  TAPE_NEXT,
  SELECT_SWAPPED,
  BRANCHES_SWAPPED,
  SUM_IS_DIFFERENCE,
  SUM_LOSES_TERM,
  NEGATION_LOST,
  PRODUCT_IS_QUOTIENT,
  SINE_IS_COSINE,
  CONSTANT_OFF,
  RESULT_OF_ENTRY,
  ARGUMENTS_SWAPPED,
  INDICES_SWAPPED,
  LOAD_FIRST,
  PRODUCT_SQUARES,
  COMPARISON_FLIPPED,
  CONVERSION_TO_INTEGER,
  RESULTS_SWAPPED
} mutant;

enum { ON_VJP = 1, ON_JVP = 2, ON_EXTRA = 4 };

typedef enum spoiler {
  SPOIL_NONE,
  ACTIVITY_CARRY,
  ACTIVITY_LOOP,
  ACTIVITY_IF,
  ACTIVITY_INDEX,
  ACTIVITY_UPDATE,
  ACTIVITY_SELECT,
  ACTIVITY_CVT,
  ACTIVITY_CALL,
  ACTIVITY_SECOND_WRT,
  ACTIVITY_VARIED,
  KEEP_EXCHANGED,
  KEEP_FORGOTTEN
} spoiler;

typedef struct fault {
  char name[64];
  enum { RULE_DROPPED, RULE_DOUBLED, MUTATES, SPOILS } kind;
  tl_opcode op;
  uint32_t which;
  mutant mutant;
  unsigned on;
  spoiler spoiler;
} fault;

static fault *faults;
static unsigned fault_count;
static const fault *planted;

static void add(fault f) {
  faults = realloc(faults, (fault_count + 1) * sizeof *faults);
  faults[fault_count++] = f;
}

static bool is_float_operand(tl_opcode op, uint32_t which) {
  switch (tl_op_table[op].operands) {
  case TL_OPERANDS_FLT_INT:
    return which == 0;
  case TL_OPERANDS_INT_FLT:
    return which == 1;
  case TL_OPERANDS_SELECT:
    return which > 0;
  default:
    return true;
  }
}

static void list_rules(void) {
  for (int op = 0; op < TL_OP_COUNT; op++) {
    const tl_op_info *info = &tl_op_table[op];
    for (uint32_t which = 0;
         info->elementwise && (info->op_class == TL_CLASS_ELEM || info->op_class == TL_CLASS_LINEAR) &&
         which < (uint32_t)info->arity;
         which++) {
      bool zero = which == 1 && (op == TL_OP_copysign || op == TL_OP_nextafter);
      if (is_float_operand((tl_opcode)op, which) && !zero) {
        fault f = {.kind = RULE_DROPPED, .op = (tl_opcode)op, .which = which};
        gen_set(f.name, sizeof f.name, "rule %s[%u] deleted", info->name, which);
        add(f);
        f.kind = RULE_DOUBLED;
        gen_set(f.name, sizeof f.name, "rule %s[%u] doubled", info->name, which);
        add(f);
      }
    }
  }
}

static void list_mutants(void) {
  static const struct {
    const char *name;
    mutant mutant;
    unsigned on;
  } list[] = {{"order: adjoint loops run forward", LOOP_NOT_REVERSED, ON_VJP},
              {"exits: adjoint loops end an iteration early", LOOP_ENDS_EARLY, ON_VJP},
              {"exits: adjoint loops start an iteration late", LOOP_STARTS_LATE, ON_VJP},
              {"exits: adjoint loops run one on", LOOP_RUNS_ON, ON_VJP},
              {"exits: conditions of loops ignored", EXIT_IGNORED, ON_VJP | ON_JVP},
              {"exits: conditions of loops negated", EXIT_NEGATED, ON_VJP | ON_JVP},
              {"exits: trip counts one more", TRIPS_MORE, ON_VJP},
              {"exits: trip counts one less", TRIPS_LESS, ON_VJP},
              {"activity: a carry of adjoint loops lost", CARRY_LOST, ON_VJP},
              {"activity: carries of adjoint loops begin at zero", CARRY_FROM_ZERO, ON_VJP},
              {"order: cotangents overwrite", OVERWRITES, ON_VJP},
              {"order: cotangents of what is overwritten stay", BAR_NOT_RESET, ON_VJP},
              {"order: storage is not cleared", BAR_NOT_ZEROED, ON_VJP},
              {"order: allocated storage is not cleared", ALLOC_NOT_ZEROED, ON_VJP | ON_JVP},
              {"order: accumulations lost", ACCUMULATE_LOST, ON_VJP},
              {"order: accumulations overwrite", ACCUMULATE_OVERWRITES, ON_VJP},
              {"stores lost", UPDATE_LOST, ON_VJP},
              {"stores lost in tangents", UPDATE_LOST, ON_JVP},
              {"stores to the first element", UPDATE_FIRST, ON_VJP},
              {"kept: zero is saved", TAPE_ZERO, ON_VJP},
              {"kept: the first saved value is read", TAPE_FIRST, ON_VJP},
              {"kept: the next saved value is read", TAPE_NEXT, ON_VJP},
              {"choices swapped", SELECT_SWAPPED, ON_VJP},
              {"branches swapped", BRANCHES_SWAPPED, ON_VJP},
              {"branches swapped in tangents", BRANCHES_SWAPPED, ON_JVP},
              {"sums are differences", SUM_IS_DIFFERENCE, ON_VJP},
              {"sums lose a term in tangents", SUM_LOSES_TERM, ON_JVP},
              {"negations lost", NEGATION_LOST, ON_VJP},
              {"products are quotients", PRODUCT_IS_QUOTIENT, ON_VJP},
              {"products square", PRODUCT_SQUARES, ON_JVP},
              {"sines are cosines", SINE_IS_COSINE, ON_VJP},
              {"constants are off", CONSTANT_OFF, ON_VJP},
              {"results are what was there at entry", RESULT_OF_ENTRY, ON_VJP},
              {"results exchanged", RESULTS_SWAPPED, ON_VJP},
              {"arguments of calls exchanged", ARGUMENTS_SWAPPED, ON_VJP | ON_JVP},
              {"matrices transposed", INDICES_SWAPPED, ON_EXTRA},
              {"matrices: stores lost", UPDATE_LOST, ON_EXTRA},
              {"matrices: sums lose a term", SUM_LOSES_TERM, ON_EXTRA},
              {"matrices: products square", PRODUCT_SQUARES, ON_EXTRA},
              {"loads of the first element", LOAD_FIRST, ON_VJP},
              {"comparisons flipped", COMPARISON_FLIPPED, ON_VJP}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    fault f = {.kind = MUTATES, .mutant = list[i].mutant, .on = list[i].on};
    gen_set(f.name, sizeof f.name, "%s", list[i].name);
    add(f);
  }
}

static void list_spoilers(void) {
  static const char *const names[] = {[ACTIVITY_CARRY] = "activity: carries of loops inactive",
                                      [ACTIVITY_LOOP] = "activity: results of loops not useful",
                                      [ACTIVITY_IF] = "activity: results of branches inactive",
                                      [ACTIVITY_INDEX] = "activity: loads inactive",
                                      [ACTIVITY_UPDATE] = "activity: stores inactive",
                                      [ACTIVITY_SELECT] = "activity: choices inactive",
                                      [ACTIVITY_CVT] = "activity: conversions inactive",
                                      [ACTIVITY_CALL] = "activity: results of calls inactive",
                                      [ACTIVITY_SECOND_WRT] = "activity: the second wrt inactive",
                                      [ACTIVITY_VARIED] = "activity: products of variables inactive",
                                      [KEEP_EXCHANGED] = "kept: two saved values exchanged",
                                      [KEEP_FORGOTTEN] = "kept: a saved value forgotten"};
  for (int s = 1; s <= KEEP_FORGOTTEN; s++) {
    fault f = {.kind = SPOILS, .spoiler = (spoiler)s};
    gen_set(f.name, sizeof f.name, "%s", names[s]);
    add(f);
  }
}

unsigned gen_fault_count(void) {
  if (!faults) {
    list_rules();
    list_mutants();
    list_spoilers();
  }
  return fault_count;
}

const char *gen_fault_name(unsigned i) { return i < gen_fault_count() ? faults[i].name : "none"; }
void gen_fault_plant(unsigned i) { planted = i < gen_fault_count() ? &faults[i] : NULL; }

/* --- rules --- */

static bool is_planted_rule(tl_opcode op, uint32_t which) {
  return planted && (planted->kind == RULE_DROPPED || planted->kind == RULE_DOUBLED) && planted->op == op &&
         planted->which == which;
}

static tl_value spoilt(tl_builder *b, tl_value v) {
  return !v || planted->kind == RULE_DROPPED ? TL_NO_VALUE : tl_build_binary(b, TL_OP_add, v, v);
}

#define PLANT_ELEM(name)                                                                                               \
  static tl_value partial_##name(tl_builder *b, const tl_value *args, tl_value result, uint32_t which) {               \
    tl_value v = tl__partial_##name(b, args, result, which);                                                           \
    return is_planted_rule(TL_OP_##name, which) ? spoilt(b, v) : v;                                                    \
  }
#define PLANT_LINEAR(name)
#define PLANT_ZEROGRAD(name)
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) PLANT_##class(name)
#include "ir/ops.def"
#undef PLANT_ELEM

#define PLANT_ELEM(name) [TL_OP_##name] = partial_##name,
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) PLANT_##class(name)
extern tl_partial_fn *const __wrap_tl_partial_table[TL_OP_COUNT];
tl_partial_fn *const __wrap_tl_partial_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};

tl_value __real_tl_op_tangent(tl_builder *, const tl_op *, const tl_value *, tl_value, const tl_value *);
tl_value __wrap_tl_op_tangent(tl_builder *, const tl_op *, const tl_value *, tl_value, const tl_value *);
tl_value __wrap_tl_op_tangent(tl_builder *b, const tl_op *op, const tl_value *operands, tl_value result,
                              const tl_value *tangents) {
  tl_value mine[3] = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    mine[i] = tangents[i];
    if (tl_op_table[op->code].op_class == TL_CLASS_LINEAR && is_planted_rule(op->code, i)) {
      mine[i] = spoilt(b, tangents[i]);
    }
  }
  return __real_tl_op_tangent(b, op, operands, result, mine);
}

tl_value __real_tl_op_cotangent(tl_builder *, const tl_op *, const tl_value *, tl_value, tl_value, uint32_t);
tl_value __wrap_tl_op_cotangent(tl_builder *, const tl_op *, const tl_value *, tl_value, tl_value, uint32_t);
tl_value __wrap_tl_op_cotangent(tl_builder *b, const tl_op *op, const tl_value *operands, tl_value result,
                                tl_value cotangent, uint32_t which) {
  tl_value v = __real_tl_op_cotangent(b, op, operands, result, cotangent, which);
  return tl_op_table[op->code].op_class == TL_CLASS_LINEAR && is_planted_rule(op->code, which) ? spoilt(b, v) : v;
}

/* --- activity and what is kept --- */

static bool is_spoiler(spoiler s) { return planted && planted->kind == SPOILS && planted->spoiler == s; }

static void make_inactive(tl_activity *a, tl_value v) { a->varied[v] = a->useful[v] = false; }

static bool loses_activity(const tl_op *op) {
  switch (op->code) {
  case TL_OP_loop:
    return is_spoiler(ACTIVITY_CARRY) || is_spoiler(ACTIVITY_LOOP);
  case TL_OP_if:
    return is_spoiler(ACTIVITY_IF);
  case TL_OP_index:
    return is_spoiler(ACTIVITY_INDEX);
  case TL_OP_update:
    return is_spoiler(ACTIVITY_UPDATE);
  case TL_OP_select:
    return is_spoiler(ACTIVITY_SELECT);
  case TL_OP_cvt:
    return is_spoiler(ACTIVITY_CVT);
  case TL_OP_call:
    return is_spoiler(ACTIVITY_CALL);
  case TL_OP_mul:
    return is_spoiler(ACTIVITY_VARIED);
  default:
    return false;
  }
}

static void spoil_activity(const tl_region *r, tl_activity *a) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->result_count && loses_activity(op); k++) {
      make_inactive(a, tl_op_result(op, k));
      if (op->code == TL_OP_loop && is_spoiler(ACTIVITY_CARRY) && k < tl_loop_carries(op)) {
        make_inactive(a, tl_loop_body(op)->params.data[1 + k]);
      }
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      spoil_activity(op->regions[k], a);
    }
  }
}

bool __real_tl__activity_find(const tl_func *, const bool *, const bool *, tl_arena *, tl_activity *);
bool __wrap_tl__activity_find(const tl_func *, const bool *, const bool *, tl_arena *, tl_activity *);
bool __wrap_tl__activity_find(const tl_func *f, const bool *wrt, const bool *seeded, tl_arena *arena,
                              tl_activity *out) {
  bool *mine = TL_NEW_ARRAY(arena, bool, f->params.count + 1);
  int seen = 0;
  for (uint32_t i = 0; i < f->params.count; i++) {
    mine[i] = wrt[i] && !(++seen == 2 && is_spoiler(ACTIVITY_SECOND_WRT));
  }
  bool good = __real_tl__activity_find(f, mine, seeded, arena, out);
  if (good && planted && planted->kind == SPOILS) {
    spoil_activity(f->body, out);
  }
  return good;
}

tl_keep *__real_tl__keep_plan(tl_adjoint *, uint32_t, const tl_value *);
tl_keep *__wrap_tl__keep_plan(tl_adjoint *, uint32_t, const tl_value *);
tl_keep *__wrap_tl__keep_plan(tl_adjoint *a, uint32_t root_count, const tl_value *roots) {
  tl_keep *k = __real_tl__keep_plan(a, root_count, roots);
  for (uint32_t i = 0; k && i < k->saves.count; i++) {
    tl_value v = k->saves.data[i]->value;
    if (is_spoiler(KEEP_FORGOTTEN)) {
      k->saved[v] = NULL;
    }
    for (uint32_t j = i + 1; j < k->saves.count && is_spoiler(KEEP_EXCHANGED); j++) {
      tl_value w = k->saves.data[j]->value;
      if (k->saved[v] && k->saved[w] && k->saves.data[i]->provider == k->saves.data[j]->provider &&
          tl_type_equal(tl_type_of(a->func, v), tl_type_of(a->func, w))) {
        tl_save *t = k->saved[v];
        k->saved[v] = k->saved[w];
        k->saved[w] = t;
        return k;
      }
    }
  }
  return k;
}

/* --- derived functions --- */

typedef struct mutation {
  tl_func *f;
  mutant mutant;
  uint32_t in_reversed; /* adjoint loops around the op */
} mutation;

static bool is_float(const tl_func *f, tl_value v) { return tl_dtype_is_float(tl_type_of(f, v).dtype); }
static bool is_float_scalar(const tl_func *f, tl_value v) { return is_float(f, v) && !tl_type_of(f, v).is_array; }

/* Moves the last op of the region to position `at`. */
static void move_last(tl_region *r, uint32_t at) {
  tl_op *op = r->ops.data[r->ops.count - 1];
  memmove(&r->ops.data[at + 1], &r->ops.data[at], (r->ops.count - 1 - at) * sizeof *r->ops.data);
  r->ops.data[at] = op;
}

/* x + c ahead of the op at *at, which moves on. */
static tl_value insert_sum(tl_func *f, tl_region *r, uint32_t *at, tl_value x, int64_t c) {
  tl_builder b = {.func = f, .region = r};
  tl_value constant = tl_build_int(&b, tl_type_of(f, x).dtype, c);
  move_last(r, (*at)++);
  tl_value operands[] = {x, constant};
  tl_op *op = tl_op_create(&b, TL_OP_add, 2, operands);
  tl_value sum = tl_op_add_result(f, op, tl_type_of(f, x), NULL);
  move_last(r, (*at)++);
  return sum;
}

static tl_value insert_zero(tl_func *f, tl_region *r, uint32_t *at, tl_value like) {
  tl_builder b = {.func = f, .region = r};
  tl_value zero = tl_build_zero(&b, tl_type_of(f, like).dtype);
  move_last(r, (*at)++);
  return zero;
}

static void replace_in(tl_region *r, const tl_op *from, tl_value old, tl_value new) {
  bool active = from == NULL;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; active && k < op->operand_count; k++) {
      op->operands[k] = op->operands[k] == old ? new : op->operands[k];
    }
    for (uint32_t k = 0; active && k < op->region_count; k++) {
      replace_in(op->regions[k], NULL, old, new);
    }
    active = active || op == from;
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    r->yields.data[i] = r->yields.data[i] == old ? new : r->yields.data[i];
  }
}

static bool is_tape(const tl_func *f, tl_value array) {
  const tl_op *root = tl_def(f, tl__storage_root(f, array));
  return root && root->code == TL_OP_alloc && (root->u.flags & TL_ALLOC_TAPE);
}

/* The other term where op adds to what was loaded from `array`. */
static tl_value added_to_load(const tl_func *f, const tl_op *op) {
  const tl_op *sum = tl_def(f, op->operands[op->operand_count - 1]);
  for (uint32_t i = 0; sum && sum->code == TL_OP_add && i < 2; i++) {
    const tl_op *load = tl_def(f, sum->operands[i]);
    if (load && load->code == TL_OP_index && load->operands[0] == op->operands[0]) {
      return sum->operands[1 - i];
    }
  }
  return TL_NO_VALUE;
}

static void mutate_loop(mutation *m, tl_region *r, uint32_t *at, tl_op *op) {
  tl_func *f = m->f;
  tl_region *body = tl_loop_body(op), *cond = tl_loop_cond(op);
  bool counted = tl_loop_hi(op) != TL_NO_VALUE;
  int64_t step = op->u.step > 0 ? 1 : -1;
  switch (m->mutant) {
  case LOOP_NOT_REVERSED:
    op->reversed = false;
    break;
  case LOOP_ENDS_EARLY:
  case LOOP_RUNS_ON:
    if (op->reversed && counted) {
      op->operands[1] = insert_sum(f, r, at, op->operands[1], m->mutant == LOOP_RUNS_ON ? step : -step);
    }
    break;
  case LOOP_STARTS_LATE:
    if (op->reversed) {
      op->operands[0] = insert_sum(f, r, at, op->operands[0], step);
    }
    break;
  case CARRY_LOST:
    for (uint32_t i = 0; op->reversed && i < tl_loop_carries(op); i++) {
      if (is_float_scalar(f, body->yields.data[i])) {
        body->yields.data[i] = body->params.data[1 + i];
        break;
      }
    }
    break;
  case CARRY_FROM_ZERO:
    for (uint32_t i = 0; op->reversed && i < tl_loop_carries(op); i++) {
      if (is_float_scalar(f, tl_loop_init(op, i))) {
        op->operands[2 + i] = insert_zero(f, r, at, tl_loop_init(op, i));
      }
    }
    break;
  case EXIT_IGNORED:
    if (counted) {
      cond->yields.count = 0;
    }
    break;
  case EXIT_NEGATED:
    if (cond->yields.count) {
      tl_builder b = {.func = f, .region = cond};
      cond->yields.data[0] = tl_build_unary(&b, TL_OP_not, cond->yields.data[0]);
    }
    break;
  case TRIPS_MORE:
  case TRIPS_LESS: {
    uint32_t after = *at + 1;
    tl_value trips = tl_loop_trips(op), sum = insert_sum(f, r, &after, trips, m->mutant == TRIPS_MORE ? 1 : -1);
    replace_in(r, r->ops.data[after - 1], trips, sum);
    break;
  }
  default:
    break;
  }
}

static void mutate_op(mutation *m, tl_region *r, uint32_t *at, tl_op *op) {
  tl_func *f = m->f;
  uint32_t last = op->operand_count - 1;
  tl_value result = op->result_count ? tl_op_result(op, 0) : TL_NO_VALUE, term;
  switch (m->mutant) {
  case OVERWRITES:
    if (op->code == TL_OP_update && (term = added_to_load(f, op))) {
      op->operands[last] = term;
    }
    break;
  case BAR_NOT_RESET: {
    long double c;
    if (op->code == TL_OP_update && tl_is_const_float(f, op->operands[last], &c) && c == 0 && m->in_reversed) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  }
  case BAR_NOT_ZEROED:
    if (op->code == TL_OP_fill) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case ALLOC_NOT_ZEROED:
    if (op->code == TL_OP_alloc) {
      op->u.flags &= ~(unsigned)TL_ALLOC_ZEROED;
    }
    break;
  case ACCUMULATE_LOST:
  case ACCUMULATE_OVERWRITES:
    if (op->code == TL_OP_accumulate) {
      replace_in(r, op, result, op->operands[m->mutant == ACCUMULATE_OVERWRITES]);
    }
    break;
  case UPDATE_LOST:
    if (op->code == TL_OP_update && !is_tape(f, op->operands[0])) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case UPDATE_FIRST:
  case LOAD_FIRST:
    if (op->code == (m->mutant == UPDATE_FIRST ? TL_OP_update : TL_OP_index) &&
        op->operand_count > (m->mutant == UPDATE_FIRST ? 2U : 1U) && !is_tape(f, op->operands[0])) {
      op->operands[1] = insert_zero(f, r, at, op->operands[1]);
    }
    break;
  case TAPE_ZERO:
    if (op->code == TL_OP_update && is_tape(f, op->operands[0])) {
      op->operands[last] = insert_zero(f, r, at, op->operands[last]);
    }
    break;
  case TAPE_FIRST:
    if (op->code == TL_OP_index && is_tape(f, op->operands[0]) && op->operand_count > 1) {
      op->operands[1] = insert_zero(f, r, at, op->operands[1]);
    }
    break;
  case TAPE_NEXT:
    if (op->code == TL_OP_index && is_tape(f, op->operands[0]) && op->operand_count > 1) {
      op->operands[1] = insert_sum(f, r, at, op->operands[1], 1);
    }
    break;
  case SELECT_SWAPPED:
    if (op->code == TL_OP_select) {
      tl_value t = op->operands[1];
      op->operands[1] = op->operands[2];
      op->operands[2] = t;
    }
    break;
  case BRANCHES_SWAPPED:
    if (op->code == TL_OP_if) {
      tl_region *t = op->regions[0];
      op->regions[0] = op->regions[1];
      op->regions[1] = t;
    }
    break;
  case SUM_IS_DIFFERENCE:
    if (op->code == TL_OP_add && is_float(f, result)) {
      op->code = TL_OP_sub;
    }
    break;
  case SUM_LOSES_TERM:
    if (op->code == TL_OP_add && is_float(f, result)) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case NEGATION_LOST:
    if (op->code == TL_OP_neg && is_float(f, result)) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case PRODUCT_IS_QUOTIENT:
    if (op->code == TL_OP_mul && is_float(f, result)) {
      op->code = TL_OP_div;
    }
    break;
  case PRODUCT_SQUARES:
    if (op->code == TL_OP_mul && is_float(f, result)) {
      op->operands[1] = op->operands[0];
    }
    break;
  case SINE_IS_COSINE:
    if (op->code == TL_OP_sin) {
      op->code = TL_OP_cos;
    }
    break;
  case CONSTANT_OFF:
    if (op->code == TL_OP_const && is_float(f, result)) {
      op->u.floating += 0.001L;
    }
    break;
  case ARGUMENTS_SWAPPED:
    for (uint32_t i = 1; op->code == TL_OP_call && i < op->operand_count; i++) {
      if (is_float_scalar(f, op->operands[i]) && is_float_scalar(f, op->operands[i - 1]) &&
          tl_type_equal(tl_type_of(f, op->operands[i]), tl_type_of(f, op->operands[i - 1])) &&
          op->operands[i] != op->operands[i - 1]) {
        tl_value t = op->operands[i];
        op->operands[i] = op->operands[i - 1];
        op->operands[i - 1] = t;
        break;
      }
    }
    break;
  case INDICES_SWAPPED:
    if (op->code == TL_OP_update && op->operand_count == 4) {
      tl_value t = op->operands[1];
      op->operands[1] = op->operands[2];
      op->operands[2] = t;
    }
    break;
  case COMPARISON_FLIPPED:
    if ((op->code == TL_OP_lt || op->code == TL_OP_gt) && is_float(f, op->operands[0])) {
      op->code = op->code == TL_OP_lt ? TL_OP_gt : TL_OP_lt;
    }
    break;
  default:
    break;
  }
}

static void mutate_region(mutation *m, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    if (op->code == TL_OP_loop) {
      mutate_loop(m, r, &i, op);
    }
    mutate_op(m, r, &i, op);
    m->in_reversed += op->reversed;
    for (uint32_t k = 0; k < op->region_count; k++) {
      mutate_region(m, op->regions[k]);
    }
    m->in_reversed -= op->reversed;
  }
}

static void mutate(tl_func *f, mutant kind) {
  mutation m = {.f = f, .mutant = kind};
  mutate_region(&m, f->body);
  uint32_t previous = UINT32_MAX;
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    tl_value *v = &f->body->yields.data[i];
    if (kind == RESULT_OF_ENTRY && r->role == TL_RESULT_FINAL && r->is_derived) {
      *v = f->params.data[r->param].value;
    }
    if (kind == RESULTS_SWAPPED && r->is_derived && is_float(f, *v)) {
      if (previous != UINT32_MAX && tl_type_equal(tl_type_of(f, *v), tl_type_of(f, f->body->yields.data[previous]))) {
        tl_value t = *v;
        *v = f->body->yields.data[previous];
        f->body->yields.data[previous] = t;
      }
      previous = i;
    }
  }
}

void gen_fault_spoil(gen_derived *d) {
  if (!planted || planted->kind != MUTATES) {
    return;
  }
  if (planted->on & ON_VJP && d->vjp) {
    mutate(d->vjp, planted->mutant);
  }
  if (planted->on & ON_JVP && d->jvp) {
    mutate(d->jvp, planted->mutant);
  }
  if (planted->on & ON_EXTRA && d->extra) {
    mutate(d->extra, planted->mutant);
  }
}

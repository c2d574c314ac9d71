/* Two fixed points over the regions: varied runs forward, useful backward. A loop is walked until its carries stop
 * changing; flags only ever rise, so that ends.
 *
 * Beside them runs a third mark: an integer that was made from a varied value by conversion. Where such an integer is
 * converted back and the result is useful, the derivative that C's arithmetic suggests is lost: ACTIVE_INTEGER.
 * Comparisons do not pass the mark on, nor do floor and its kin, whose derivative is zero by definition. An integer
 * that a function without a body makes of a varied value may be such a conversion too: UNKNOWN_EXTERNAL. */
#include "transform/activity.h"

typedef struct walk {
  const tl_func *func;
  bool *varied, *useful, *rounded;
  const tl_op **maker; /* of what is rounded: the function without a body that made it, or NULL */
  bool changed;
} walk;

static void raise_flag(walk *w, bool *flags, tl_value v) {
  if (!flags[v]) {
    flags[v] = true;
    w->changed = true;
  }
}

static bool is_float(const walk *w, tl_value v) { return tl_dtype_is_float(w->func->values.data[v].type.dtype); }

static void pass_rounded(walk *w, tl_value from, tl_value to) {
  if (w->rounded[from]) {
    raise_flag(w, w->rounded, to);
    w->maker[to] = w->maker[to] ? w->maker[to] : w->maker[from];
  }
}

static void vary_from(walk *w, tl_value from, tl_value to) {
  if (w->varied[from] && is_float(w, to)) {
    raise_flag(w, w->varied, to);
  }
  pass_rounded(w, from, to);
}

static void use_from(walk *w, tl_value to, tl_value from) {
  if (w->useful[to] && is_float(w, from)) {
    raise_flag(w, w->useful, from);
  }
}

static void vary_region(walk *w, const tl_region *r);

static void vary_integer(walk *w, const tl_op *o, tl_value from, tl_value to) {
  bool is_integer = !is_float(w, to) && w->func->values.data[to].type.dtype != TL_BOOL;
  if (o->code == TL_OP_extern && w->varied[from] && is_integer) {
    raise_flag(w, w->rounded, to);
    w->maker[to] = o;
  }
}

static void vary_op(walk *w, const tl_op *o) {
  const tl_op_info *info = &tl_op_table[o->code];
  switch (o->code) {
  case TL_OP_if:
    for (int k = 0; k < 2; k++) {
      vary_region(w, o->regions[k]);
      for (uint32_t i = 0; i < o->regions[k]->yields.count; i++) {
        vary_from(w, o->regions[k]->yields.data[i], tl_op_result(o, i));
      }
    }
    return;
  case TL_OP_loop: {
    uint32_t n = tl_loop_carries(o);
    const tl_region *cond = tl_loop_cond(o), *body = tl_loop_body(o);
    for (uint32_t i = 0; i < n; i++) {
      vary_from(w, tl_loop_init(o, i), body->params.data[1 + i]);
    }
    bool outer = w->changed, again = true;
    while (again) {
      w->changed = false;
      vary_region(w, body);
      for (uint32_t i = 0; i < n; i++) {
        vary_from(w, body->yields.data[i], body->params.data[1 + i]);
      }
      again = w->changed;
      outer |= w->changed;
    }
    w->changed = outer;
    for (uint32_t i = 0; i < n; i++) {
      vary_from(w, body->params.data[1 + i], cond->params.data[1 + i]);
      vary_from(w, body->params.data[1 + i], tl_op_result(o, i));
    }
    vary_region(w, cond);
    return;
  }
  case TL_OP_call:
  case TL_OP_extern:
    for (uint32_t i = 0; i < o->operand_count; i++) {
      for (uint32_t k = 0; k < o->result_count; k++) {
        vary_from(w, o->operands[i], tl_op_result(o, k));
        vary_integer(w, o, o->operands[i], tl_op_result(o, k));
      }
    }
    return;
  default:
    break;
  }
  if (o->result_count == 0) {
    return;
  }
  tl_value result = tl_op_result(o, 0);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    tl_value x = o->operands[i];
    bool to_integer = o->code == TL_OP_cvt && is_float(w, x) && !is_float(w, result);
    if (to_integer && w->func->values.data[result].type.dtype != TL_BOOL) {
      if (w->varied[x]) {
        raise_flag(w, w->rounded, result);
      }
    } else if (info->result == TL_RESULT_BOOL) {
      continue;
    } else if (o->code == TL_OP_index || o->code == TL_OP_update) {
      if (i == 0 || (o->code == TL_OP_update && i == o->operand_count - 1)) {
        vary_from(w, x, result);
      }
    } else if (info->op_class == TL_CLASS_ZEROGRAD) {
      pass_rounded(w, x, result);
    } else if (o->code != TL_OP_select || i != 0) {
      vary_from(w, x, result);
    }
  }
}

static void vary_region(walk *w, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    vary_op(w, r->ops.data[i]);
  }
}

static void use_region(walk *w, const tl_region *r);

static void use_op(walk *w, const tl_op *o) {
  switch (o->code) {
  case TL_OP_if:
    for (int k = 0; k < 2; k++) {
      for (uint32_t i = 0; i < o->regions[k]->yields.count; i++) {
        use_from(w, tl_op_result(o, i), o->regions[k]->yields.data[i]);
      }
      use_region(w, o->regions[k]);
    }
    return;
  case TL_OP_loop: {
    uint32_t n = tl_loop_carries(o);
    const tl_region *body = tl_loop_body(o);
    for (uint32_t i = 0; i < n; i++) {
      use_from(w, tl_op_result(o, i), body->yields.data[i]);
      /* With no iteration the result is the initial value. */
      use_from(w, tl_op_result(o, i), body->params.data[1 + i]);
    }
    bool outer = w->changed, again = true;
    while (again) {
      w->changed = false;
      use_region(w, body);
      for (uint32_t i = 0; i < n; i++) {
        use_from(w, body->params.data[1 + i], body->yields.data[i]);
      }
      again = w->changed;
      outer |= w->changed;
    }
    w->changed = outer;
    for (uint32_t i = 0; i < n; i++) {
      use_from(w, body->params.data[1 + i], tl_loop_init(o, i));
    }
    return;
  }
  case TL_OP_call:
  case TL_OP_extern:
    for (uint32_t k = 0; k < o->result_count; k++) {
      for (uint32_t i = 0; i < o->operand_count; i++) {
        use_from(w, tl_op_result(o, k), o->operands[i]);
      }
    }
    return;
  default:
    break;
  }
  if (o->result_count == 0 || tl_op_table[o->code].op_class == TL_CLASS_ZEROGRAD) {
    return;
  }
  tl_value result = tl_op_result(o, 0);
  if (is_float(w, result)) {
    for (uint32_t i = 0; i < o->operand_count; i++) {
      use_from(w, result, o->operands[i]);
    }
  }
}

static void use_region(walk *w, const tl_region *r) {
  for (uint32_t i = r->ops.count; i-- > 0;) {
    use_op(w, r->ops.data[i]);
  }
}

static void refuse_unknown(const walk *w, const tl_op *o) {
  tl_diag_error(w->func->module->diag, TL_UNKNOWN_EXTERNAL, o->loc,
                "'%s' has no body in this unit, and its result depends on an active argument", o->callee);
}

/* Refusals: an integer made from a varied value that becomes a useful one, and an unknown function on the active path.
 */
static bool check_region(walk *w, const tl_region *r) {
  bool ok = true;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->region_count; k++) {
      ok &= check_region(w, o->regions[k]);
    }
    if (o->result_count == 0) {
      continue;
    }
    tl_value result = tl_op_result(o, 0);
    bool returns = o->code == TL_OP_cvt && w->rounded[o->operands[0]] && !is_float(w, o->operands[0]) &&
                   is_float(w, result) && w->useful[result];
    const tl_op *maker = returns ? w->maker[o->operands[0]] : NULL;
    if (maker) {
      refuse_unknown(w, maker);
      tl_diag_note(w->func->module->diag, o->loc, "the integer that it returns goes on as a number here");
      ok = false;
    } else if (returns) {
      tl_diag_error(w->func->module->diag, TL_ACTIVE_INTEGER, o->loc,
                    "an active value was converted to an integer and returns to active arithmetic here");
      tl_diag_note(w->func->module->diag, o->loc,
                   "use floor, ceil, trunc, round, rint or nearbyint, whose derivative is 0");
      ok = false;
    }
    if (o->code == TL_OP_extern && is_float(w, result) && w->useful[result] && w->varied[result]) {
      refuse_unknown(w, o);
      tl_diag_note(w->func->module->diag, o->loc,
                   "give its derivative with TL_CUSTOM_VJP(%s, rule) or TL_CUSTOM_JVP(%s, rule)", o->callee, o->callee);
      ok = false;
    }
  }
  return ok;
}

bool tl__activity_find(const tl_func *f, const bool *wrt, const bool *seeded, tl_arena *arena, tl_activity *out) {
  walk w = {.func = f};
  w.varied = TL_NEW_ARRAY(arena, bool, f->values.count);
  w.useful = TL_NEW_ARRAY(arena, bool, f->values.count);
  w.rounded = TL_NEW_ARRAY(arena, bool, f->values.count);
  w.maker = TL_NEW_ARRAY(arena, const tl_op *, f->values.count);
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_value v = f->params.data[i].value;
    w.varied[v] = wrt[i] && is_float(&w, v);
  }
  for (uint32_t i = 0; i < f->results.count; i++) {
    tl_value v = f->body->yields.data[i];
    w.useful[v] |= seeded[i] && is_float(&w, v);
  }
  vary_region(&w, f->body);
  use_region(&w, f->body);
  out->varied = w.varied;
  out->useful = w.useful;
  return check_region(&w, f->body);
}

static void warn_region(const tl_func *f, const tl_activity *a, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->region_count; k++) {
      warn_region(f, a, o->regions[k]);
    }
    if ((o->code == TL_OP_eq || o->code == TL_OP_ne) && (a->varied[o->operands[0]] || a->varied[o->operands[1]])) {
      tl_diag_warn(
          f->module->diag, "tl-equality-branch", o->loc,
          "active values are compared for equality: where they are equal the derivative is that of this case alone");
    }
  }
}

void tl__activity_warn(const tl_func *f, const tl_activity *a) { warn_region(f, a, f->body); }

#include <stdlib.h>
#include <string.h>

#include "front/lower_priv.h"

/* A copied body names parameters of the function that it was copied from: in the texts of arguments, and where it asks
 * whether a pointer is null. Here it is told what the caller passed there. */

/* The C text with the arguments' texts in place of the callee's parameters. */
static const char *in_callers_terms(tl_lower *l, const tl_call_terms *in, const char *format) {
  const char *out = "";
  while (format && *format) {
    size_t n = strcspn(format, "$");
    out = tl_arena_printf(l->func->arena, "%s%.*s", out, (int)n, format);
    format += n;
    if (*format == '$' && format[1] == '$') {
      out = tl_arena_printf(l->func->arena, "%s$$", out);
      format += 2;
    } else if (*format == '$') {
      char *end;
      unsigned long c = strtoul(format + 1, &end, 10);
      if (!in->texts[c]) {
        tl__lower_refuse(l, TL_UNKNOWN_EXTERNAL, in->loc, "'%s' passes its parameter '%s' to a function without a body",
                         in->name, in->callee->cparams.data[c].name);
      }
      out = tl_arena_printf(l->func->arena, "%s%s", out, in->texts[c]);
      format = end;
    }
  }
  return out;
}

/* The access of a pointer that the format of a null test spells, over '$' and '#'. */
static const char *access_of(tl_lower *l, const char *format, uint32_t *out_cparam, uint32_t *out_axes) {
  const char *out = "";
  *out_axes = 0;
  while (*format) {
    char sign = *format++, *end;
    if (sign != '$' && sign != '%') {
      out = tl_arena_printf(l->arena, "%s%c", out, sign);
      continue;
    }
    unsigned long k = strtoul(format, &end, 10);
    format = end;
    out = tl_arena_printf(l->arena, "%s%c", out, sign == '$' ? '$' : '#');
    *out_cparam = sign == '$' ? (uint32_t)k : *out_cparam;
    *out_axes += sign == '%';
  }
  return out;
}

/* The leaf lies behind the pointer, or behind others that do. */
static bool is_behind(const char *leaf, const char *pointer) {
  size_t n = strlen(pointer);
  return (!strncmp(leaf, pointer, n) && (!strncmp(leaf + n, "[#]", 3) || !strncmp(leaf + n, "->", 2))) ||
         (!strncmp(leaf, "(*", 2) && !strncmp(leaf + 2, pointer, n) && leaf[2 + n] == ')');
}

/* The argument, or the pointer in memory behind one, that a null test of the callee's asks about. */
static const tl_pointer *tested_pointer(const tl_call_terms *in, const char *access, uint32_t cparam, uint32_t axes) {
  bool is_param = !strchr(access, '.') && !strchr(access, '>') && !strchr(access, '[');
  const tl_pointer *found = NULL;
  for (uint32_t i = 0; i < in->pointers.count; i++) {
    const tl_passed_pointer *p = &in->pointers.data[i];
    const tl_param *leaf = p->leaf < in->callee->params.count ? &in->callee->params.data[p->leaf] : NULL;
    if (p->cparam != cparam) {
      continue;
    }
    if (is_param) {
      found = p->depth == 0 ? p->pointer : found;
    } else if (leaf && leaf->cparam == cparam && is_behind(leaf->access, access)) {
      bool last = leaf->axes_before == axes;
      found = p->depth + !last == leaf->by_members ? p->pointer : found;
    }
  }
  return found;
}

static uint32_t place_of(const tl_region *r, const tl_op *op) {
  uint32_t at = 0;
  while (r->ops.data[at] != op) {
    at++;
  }
  return at;
}

/* A copied body asks whether a pointer that was passed to it is null; here that is known, or asked of the caller's. */
static void settle_null_test(tl_lower *l, const tl_call_terms *in, tl_op *op) {
  uint32_t cparam = 0, axes;
  const char *access = access_of(l, op->format, &cparam, &axes);
  if (!strcmp(access, "$") && in->texts[cparam]) {
    op->format = in_callers_terms(l, in, op->format);
    return;
  }
  const tl_pointer *passed = tested_pointer(in, access, cparam, axes);
  if (!passed) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, in->loc, "'%s' asks whether a pointer is null that is not known here",
                     in->name);
  }
  tl_pointer *p = tl__lower_pointer_copy(l, passed);
  tl_region *home = op->parent, *region = l->b.region;
  const tl_op *last = home->ops.data[home->ops.count - 1];
  l->b.region = home;
  for (uint32_t i = 0; i < p->count; i++) {
    for (uint32_t k = 0; k < op->operand_count && k < p->targets[i].index_count; k++) {
      p->targets[i].index[k] = tl__lower_int_op(l, TL_OP_add, tl__lower_int_cvt(l, TL_I64, p->targets[i].index[k]),
                                                tl__lower_int_cvt(l, TL_I64, op->operands[k]));
    }
  }
  tl_value set = tl__lower_pointer_is_set(l, p);
  uint32_t at = place_of(home, op), mark = place_of(home, last) + 1, made = home->ops.count - mark;
  tl_op **moved = TL_NEW_ARRAY(l->arena, tl_op *, made + 1);
  memcpy(moved, home->ops.data + mark, sizeof *moved * made);
  memmove(home->ops.data + at + made, home->ops.data + at, sizeof *moved * (mark - at));
  memcpy(home->ops.data + at, moved, sizeof *moved * made);
  l->b.region = region;
  op->code = TL_OP_cvt;
  op->operand_count = 1;
  op->operands = TL_NEW_ARRAY(l->func->arena, tl_value, 1);
  op->operands[0] = set;
  op->callee = op->format = NULL;
}

/* A copied op names parameters of the function that it was copied from. */
void tl__lower_settle(tl_lower *l, const tl_call_terms *in, tl_op *op) {
  for (uint32_t r = 0; r < op->region_count; r++) {
    for (uint32_t i = 0; i < op->regions[r]->ops.count; i++) {
      tl_op *inner = op->regions[r]->ops.data[i];
      tl__lower_settle(l, in, inner);
      while (op->regions[r]->ops.data[i] != inner) { /* what it was settled with stands before it */
        i++;
      }
    }
  }
  if (op->code == TL_OP_extern && !strcmp(op->callee, TL_NULL_TEST)) {
    settle_null_test(l, in, op);
  } else if (op->code == TL_OP_extern) {
    op->format = in_callers_terms(l, in, op->format);
  } else if (op->code == TL_OP_call && op->texts) {
    const tl_func *called = tl_module_find(l->module, op->callee);
    const char **texts = TL_NEW_ARRAY(l->func->arena, const char *, called->cparams.count + 1);
    for (uint32_t c = 0; c < called->cparams.count; c++) {
      bool leafless = tl__lower_first_leaf(called, c) == called->params.count;
      texts[c] = leafless && op->texts[c] ? in_callers_terms(l, in, op->texts[c]) : NULL;
    }
    op->texts = texts;
  }
}

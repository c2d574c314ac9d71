/* Loops that C leaves by `break`. In DXIR such a loop carries a flag, and its condition is that the flag has its first
 * value. Where the body sets the flag only at its end, to constants, a `break` there says the same, and the condition
 * goes; so does the flag, where nothing reads it after the loop. */
#include <stdlib.h>
#include <string.h>

#include "emit/c/internal.h"

/* The condition is `flag == first value`, or `!flag`: the carry, else TL__NONE. */
static uint32_t flag_of(tl__c_emit *e, const tl_op *loop, tl_value condition, int64_t *go) {
  const tl_op *op = tl_def(e->f, condition);
  const tl_region *r = tl_loop_cond(loop);
  tl_value flag = TL_NO_VALUE;
  *go = 0;
  if (op && op->code == TL_OP_eq && tl_is_const_int(e->f, op->operands[1], go)) {
    flag = op->operands[0];
  } else if (op && op->code == TL_OP_not) {
    flag = op->operands[0];
  }
  int64_t first;
  for (uint32_t i = 1; i < r->params.count; i++) {
    if (r->params.data[i] == flag && tl_is_const_int(e->f, tl_loop_init(loop, i - 1), &first) && first == *go) {
      return i - 1;
    }
  }
  return TL__NONE;
}

uint32_t tl__c_exit_flag(tl__c_emit *e, const tl_op *loop, tl_value *out_rest, int64_t *go) {
  tl_value condition = tl_loop_cond(loop)->yields.data[0];
  *out_rest = TL_NO_VALUE;
  uint32_t flag = flag_of(e, loop, condition, go);
  const tl_op *op = tl_def(e->f, condition);
  if (flag == TL__NONE && op && op->code == TL_OP_and) {
    for (int k = 0; k < 2 && flag == TL__NONE; k++) {
      flag = flag_of(e, loop, op->operands[k], go);
      *out_rest = op->operands[1 - k];
    }
  }
  return flag;
}

/* The flag is left as it is or set to a constant, as the statement after which nothing follows. */
static bool sets_sometimes(const tl__c_block *b, uint32_t i, const char *flag, int64_t go) {
  const tl__c_stmt *s = b->data[i];
  return s->truth && s->defines && !strcmp(s->defines, flag) && i + 1 == b->count &&
         (s->if_true == go) != (s->if_false == go);
}

/* `flag = constant;`, and which constant. */
static bool sets(const tl__c_stmt *s, const char *flag, int64_t *out) {
  size_t n = strlen(flag);
  if (!s->defines || strcmp(s->defines, flag) || strncmp(s->text, flag, n) || strncmp(s->text + n, " = ", 3)) {
    return false;
  }
  char *end;
  *out = strtoll(s->text + n + 3, &end, 10);
  return end != s->text + n + 3 && !strcmp(end, ";");
}

static uint32_t count_settings(const tl__c_block *b, const char *flag) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    const tl__c_stmt *s = b->data[i];
    n += s->defines && !strcmp(s->defines, flag);
    n += count_settings(&s->body, flag) + count_settings(&s->otherwise, flag);
  }
  return n;
}

static bool reads(const tl__c_block *b, const char *flag) {
  for (uint32_t i = 0; i < b->count; i++) {
    const tl__c_stmt *s = b->data[i];
    const char *text = s->kind == TL__COMMENT ? NULL : s->defines ? s->reads : s->text;
    if ((text && tl__c_has_word(text, flag)) || reads(&s->body, flag) || reads(&s->otherwise, flag)) {
      return true;
    }
  }
  return false;
}

/* Settings in blocks that end the body; TL__NONE where one of them is no constant, or followed by another. */
static uint32_t count_last(const tl__c_block *b, const char *flag, int64_t go) {
  int64_t k;
  uint32_t own = 0, below = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    own += sets(b->data[i], flag, &k) || sets_sometimes(b, i, flag, go);
  }
  const tl__c_stmt *last = b->count ? b->data[b->count - 1] : NULL;
  if (last && last->kind == TL__BRACED && last->is_if) {
    below = count_last(&last->body, flag, go) + count_last(&last->otherwise, flag, go);
  }
  return own > 1 || (own && below) ? 1u << 30 : own + below;
}

static void put_breaks(tl__c_emit *e, tl__c_block *b, const char *flag, int64_t go) {
  int64_t k;
  for (uint32_t i = 0; i < b->count; i++) {
    if (sets_sometimes(b, i, flag, go)) {
      const tl__c_stmt *s = b->data[i];
      bool when = s->if_false == go;
      b->count--;
      tl__c_block *old = tl__c_into(e, b);
      e->out = &tl__c_braced(e, tl_arena_printf(e->arena, "if (%s)", when ? s->truth : s->untruth))->body;
      tl__c_define(e, flag,
                   tl_arena_printf(e->arena, "%s = %lld;", flag, (long long)(when ? s->if_true : s->if_false)));
      tl__c_line(e, "break;");
      e->out = old;
      return;
    }
    if (sets(b->data[i], flag, &k)) {
      if (k == go) { /* it has that value */
        for (uint32_t j = i + 1; j < b->count; j++) {
          b->data[j - 1] = b->data[j];
        }
        b->count--;
      } else {
        tl__c_block *old = tl__c_into(e, b);
        tl__c_line(e, "break;");
        e->out = old;
      }
      return;
    }
  }
  tl__c_stmt *last = b->count ? b->data[b->count - 1] : NULL;
  if (last && last->kind == TL__BRACED && last->is_if) {
    put_breaks(e, &last->body, flag, go);
    put_breaks(e, &last->otherwise, flag, go);
    const tl__c_stmt *end = last->body.count ? last->body.data[last->body.count - 1] : NULL;
    if (end && end->kind == TL__LINE && !strcmp(end->text, "break;")) { /* no else after it */
      for (uint32_t i = 0; i < last->otherwise.count; i++) {
        TL_PUSH(e->arena, *b, last->otherwise.data[i]);
      }
      last->otherwise.count = 0;
    }
  }
}

/* The last statement may turn one value of the flag into another, "flag = flag == 3 ? 0 : flag;", which is what
 * `continue` leaves. It is done where the flag is set, if all settings before it are constants, or 0 or 1 and not
 * concerned. */
static bool rename_settings(tl__c_emit *e, tl__c_block *b, const char *flag, int64_t from, int64_t to, bool change) {
  for (uint32_t i = 0; i < b->count; i++) {
    tl__c_stmt *s = b->data[i];
    int64_t k;
    if (!rename_settings(e, &s->body, flag, from, to, change) ||
        !rename_settings(e, &s->otherwise, flag, from, to, change)) {
      return false;
    }
    if (!s->defines || strcmp(s->defines, flag)) {
      continue;
    }
    if (!sets(s, flag, &k)) {
      if (!s->truth || s->if_true == from || s->if_false == from) {
        return false;
      }
    } else if (change && k == from) {
      s->text = tl_arena_printf(e->arena, "%s = %lld;", flag, (long long)to);
      s->reads = strchr(s->text, '=') + 1;
    }
  }
  return true;
}

static void absorb_renaming(tl__c_emit *e, tl__c_block *b, const char *flag, int64_t go) {
  tl__c_stmt *last = b->count ? b->data[b->count - 1] : NULL;
  if (!last || last->kind != TL__LINE || !last->defines || strcmp(last->defines, flag)) {
    return;
  }
  const char *start = tl_arena_printf(e->arena, "%s = %s == ", flag, flag);
  size_t n = strlen(start);
  char *end;
  if (strncmp(last->text, start, n)) {
    return;
  }
  int64_t from = strtoll(last->text + n, &end, 10), to;
  if (end == last->text + n || strncmp(end, " ? ", 3)) {
    return;
  }
  const char *second = end + 3;
  to = strtoll(second, &end, 10);
  if (end == second || strcmp(end, tl_arena_printf(e->arena, " : %s;", flag)) || from == go) {
    return;
  }
  b->count--;
  if (!reads(b, flag) && rename_settings(e, b, flag, from, to, false)) {
    rename_settings(e, b, flag, from, to, true);
    while (b->count && b->data[b->count - 1]->kind == TL__COMMENT) {
      b->count--;
    }
  } else {
    b->count++;
  }
}

bool tl__c_exit_by_break(tl__c_emit *e, tl__c_block *body, const char *flag, int64_t go) {
  absorb_renaming(e, body, flag, go);
  uint32_t n = count_settings(body, flag);
  if (!n || reads(body, flag) || count_last(body, flag, go) != n) {
    return false;
  }
  put_breaks(e, body, flag, go);
  return true;
}

#include <ctype.h>
#include <string.h>

#include "front/lower_priv.h"

/* Initialisers: lists, strings, expressions; what they leave out is zero. */

static tl_pointer *element(tl_lower *l, const tl_pointer *array, tl_ctype *type, int64_t i) {
  tl_pointer *first = tl__lower_place_decay(l, array, type);
  return tl__lower_pointer_step(l, first, type->target, tl_build_int(&l->b, TL_I64, i), false);
}

/* One character of a string literal, escapes decoded. */
static const char *next_character(const char *s, int64_t *out) {
  static const char names[] = "abfnrtv", codes[] = "\a\b\f\n\r\t\v";
  if (*s != '\\') {
    *out = (int8_t)*s;
    return s + 1;
  }
  s++;
  const char *at = strchr(names, *s);
  if (*s && at) {
    *out = (unsigned char)codes[at - names];
    return s + 1;
  }
  int64_t v = 0;
  if (*s == 'x') {
    for (s++; isxdigit((unsigned char)*s); s++) {
      v = v * 16 + (isdigit((unsigned char)*s) ? *s - '0' : tolower((unsigned char)*s) - 'a' + 10);
    }
  } else if (*s >= '0' && *s <= '7') {
    for (int i = 0; i < 3 && *s >= '0' && *s <= '7'; i++) {
      v = v * 8 + *s++ - '0';
    }
  } else {
    v = (unsigned char)*s++;
  }
  *out = (int8_t)v;
  return s;
}

bool tl__lower_string(const tl_ctype *array, const tl_expr *init, int64_t *out) {
  const char *s = init->kind == TL_EXPR_STRING ? init->spelling : NULL;
  if (!s || *s != '"' || array->target->kind != TL_CT_SCALAR || tl_dtype_size(array->target->dtype) != 1) {
    return false;
  }
  bool inside = false;
  for (int64_t i = 0; i < array->extent; i++) {
    out[i] = 0;
    while (*s && (*s == '"' || !inside)) { /* pieces side by side are one literal */
      inside = *s == '"' ? !inside : inside;
      s++;
    }
    if (*s) {
      s = next_character(s, &out[i]);
    }
  }
  return true;
}

/* char s[] = "..."; */
static void init_string(tl_lower *l, const tl_pointer *place, tl_ctype *type, const tl_expr *init) {
  int64_t *codes = TL_NEW_ARRAY(l->arena, int64_t, type->extent > 0 ? type->extent : 1);
  if (!tl__lower_string(type, init, codes)) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, init->loc, "'%s' is set from a string", type->spelling);
  }
  for (int64_t i = 0; i < type->extent; i++) {
    tl__lower_place_store(l, element(l, place, type, i), type->target,
                          tl_build_int(&l->b, type->target->dtype, codes[i]), init->loc);
  }
}

/* Stores an initialiser; with `zeroed` the place holds zeros already. Members without one are zero. */
void tl__lower_init(tl_lower *l, const tl_pointer *place, tl_ctype *type, const tl_expr *init, bool zeroed) {
  tl_loc before = l->b.loc;
  if (init) {
    l->b.loc = init->loc;
  }
  switch (type->kind) {
  case TL_CT_SCALAR:
    if (init || !zeroed) {
      tl_value v =
          init ? tl__lower_convert(l, type->dtype, tl__lower_expr(l, init)) : tl_build_zero(&l->b, type->dtype);
      tl__lower_place_store(l, place, type, v, init ? init->loc : l->b.loc);
    }
    break;
  case TL_CT_POINTER: {
    tl_pointer *v = init ? tl__lower_pointer_as(l, init, type->target) : tl__lower_pointer_null(l);
    tl__lower_place_store_pointer(l, place, v, l->b.loc);
    break;
  }
  case TL_CT_ARRAY:
    if (init && init->kind != TL_EXPR_INIT_LIST) {
      if (init->kind == TL_EXPR_COMPOUND_LITERAL) {
        tl__lower_place_copy(l, place, tl__lower_lvalue(l, init), init->loc);
        break;
      }
      init_string(l, place, type, init);
      break;
    }
    for (int64_t i = 0; i < type->extent; i++) {
      const tl_expr *part = init && i < (int64_t)init->args.count ? init->args.data[i] : NULL;
      if (part || !zeroed || tl__lower_leaf_count(type->target) > 1 || type->target->kind == TL_CT_POINTER) {
        tl__lower_init(l, element(l, place, type, i), type->target, part, zeroed);
      }
    }
    break;
  case TL_CT_RECORD:
    if (init && init->kind != TL_EXPR_INIT_LIST) {
      tl__lower_place_copy(l, place, tl__lower_record(l, init), init->loc);
      break;
    }
    if (type->record->is_union) {
      break; /* its use is refused */
    }
    for (uint32_t i = 0; i < type->record->fields.count; i++) {
      const tl_field *f = &type->record->fields.data[i];
      const tl_expr *part = init && i < init->args.count ? init->args.data[i] : NULL;
      if (part || !zeroed || tl__lower_leaf_count(f->type) > 1 || f->type->kind == TL_CT_POINTER) {
        tl__lower_init(l, tl__lower_place_member(l, place, type->record, i, l->b.loc), f->type, part, zeroed);
      }
    }
    break;
  case TL_CT_VOID:
  case TL_CT_FUNCTION:
  case TL_CT_UNSUPPORTED:
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, l->b.loc, "a value of type '%s' is not differentiated",
                     type->spelling);
  }
  l->b.loc = before;
}

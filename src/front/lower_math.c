#include <string.h>

#include "front/lower_priv.h"

typedef enum tl_math_form {
  MATH_1,       /* op(x) */
  MATH_2,       /* op(x, y) */
  MATH_3,       /* op(x, y, z) */
  MATH_FLT_INT, /* op(x, int) */
  MATH_INT_FLT, /* op(int, x) */
  MATH_TO_INT,  /* an integer from op(x): lround and its kin */
  MATH_FREXP,
  MATH_MODF,
  MATH_REMQUO,
  MATH_SINCOS,
  MATH_NAN,
  MATH_SCALBLN,
} tl_math_form;

typedef struct tl_math_row {
  const char *name; /* of the double function; f and l are its kin */
  tl_math_form form;
  tl_opcode op;
} tl_math_row;

static const tl_math_row rows[] = {
    {"fabs", MATH_1, TL_OP_fabs},
    {"sqrt", MATH_1, TL_OP_sqrt},
    {"cbrt", MATH_1, TL_OP_cbrt},
    {"exp", MATH_1, TL_OP_exp},
    {"exp2", MATH_1, TL_OP_exp2},
    {"expm1", MATH_1, TL_OP_expm1},
    {"log", MATH_1, TL_OP_log},
    {"log2", MATH_1, TL_OP_log2},
    {"log10", MATH_1, TL_OP_log10},
    {"log1p", MATH_1, TL_OP_log1p},
    {"sin", MATH_1, TL_OP_sin},
    {"cos", MATH_1, TL_OP_cos},
    {"tan", MATH_1, TL_OP_tan},
    {"asin", MATH_1, TL_OP_asin},
    {"acos", MATH_1, TL_OP_acos},
    {"atan", MATH_1, TL_OP_atan},
    {"sinh", MATH_1, TL_OP_sinh},
    {"cosh", MATH_1, TL_OP_cosh},
    {"tanh", MATH_1, TL_OP_tanh},
    {"asinh", MATH_1, TL_OP_asinh},
    {"acosh", MATH_1, TL_OP_acosh},
    {"atanh", MATH_1, TL_OP_atanh},
    {"erf", MATH_1, TL_OP_erf},
    {"erfc", MATH_1, TL_OP_erfc},
    {"lgamma", MATH_1, TL_OP_lgamma},
    {"gamma", MATH_1, TL_OP_lgamma},
    {"tgamma", MATH_1, TL_OP_tgamma},
    {"floor", MATH_1, TL_OP_floor},
    {"ceil", MATH_1, TL_OP_ceil},
    {"trunc", MATH_1, TL_OP_trunc},
    {"round", MATH_1, TL_OP_round},
    {"rint", MATH_1, TL_OP_rint},
    {"nearbyint", MATH_1, TL_OP_nearbyint},
    {"logb", MATH_1, TL_OP_logb},
    {"j0", MATH_1, TL_OP_j0},
    {"j1", MATH_1, TL_OP_j1},
    {"y0", MATH_1, TL_OP_y0},
    {"y1", MATH_1, TL_OP_y1},
    {"jn", MATH_INT_FLT, TL_OP_jn},
    {"yn", MATH_INT_FLT, TL_OP_yn},
    {"pow", MATH_2, TL_OP_pow},
    {"atan2", MATH_2, TL_OP_atan2},
    {"hypot", MATH_2, TL_OP_hypot},
    {"fmax", MATH_2, TL_OP_fmax},
    {"fmin", MATH_2, TL_OP_fmin},
    {"fdim", MATH_2, TL_OP_fdim},
    {"fmod", MATH_2, TL_OP_fmod},
    {"remainder", MATH_2, TL_OP_remainder},
    {"drem", MATH_2, TL_OP_remainder},
    {"copysign", MATH_2, TL_OP_copysign},
    {"nextafter", MATH_2, TL_OP_nextafter},
    {"fma", MATH_3, TL_OP_fma},
    {"ldexp", MATH_FLT_INT, TL_OP_ldexp},
    {"scalbn", MATH_FLT_INT, TL_OP_ldexp},
    {"scalbln", MATH_SCALBLN, TL_OP_ldexp},
    {"ilogb", MATH_1, TL_OP_ilogb},
    {"lround", MATH_TO_INT, TL_OP_round},
    {"llround", MATH_TO_INT, TL_OP_round},
    {"lrint", MATH_TO_INT, TL_OP_rint},
    {"llrint", MATH_TO_INT, TL_OP_rint},
    {"frexp", MATH_FREXP, TL_OP_frexp_fraction},
    {"modf", MATH_MODF, TL_OP_modf_fraction},
    {"remquo", MATH_REMQUO, TL_OP_remainder},
    {"sincos", MATH_SINCOS, TL_OP_sin},
    {"nan", MATH_NAN, TL_OP_const},
};

static const char *without_builtin(const char *name) { return !strncmp(name, "__builtin_", 10) ? name + 10 : name; }

/* The row of a function's name and the type that its suffix says. */
static const tl_math_row *find(const char *name, tl_dtype *out_dtype) {
  name = without_builtin(name);
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t m = strlen(rows[i].name);
    if (strncmp(rows[i].name, name, m) != 0) {
      continue;
    }
    if (n == m) {
      *out_dtype = TL_F64;
      return &rows[i];
    }
    if (n == m + 1 && (name[m] == 'f' || name[m] == 'l')) {
      *out_dtype = name[m] == 'f' ? TL_F32 : TL_F80;
      return &rows[i];
    }
  }
  return NULL;
}

/* The first ones are functions of the library too; the others are macros there, so that by the plain name they are the
 * program's own. */
static const char *const tests[] = {"isnan",       "isinf",          "finite",    "__isnan",     "__isinf",
                                    "__finite",    "__signbit",      "isfinite",  "isnormal",    "signbit",
                                    "isgreater",   "isgreaterequal", "isless",    "islessequal", "islessgreater",
                                    "isunordered", "isinf_sign",     "fpclassify"};
enum { LIBRARY_TESTS = 7 };

/* isnan and its kin, by any suffix: their operand is of any floating type. */
static const char *find_test(const char *name) {
  size_t count = name == without_builtin(name) ? LIBRARY_TESTS : sizeof tests / sizeof *tests;
  name = without_builtin(name);
  size_t n = strlen(name);
  for (size_t i = 0; i < count; i++) {
    size_t m = strlen(tests[i]);
    if (!strncmp(tests[i], name, m) && (n == m || (n == m + 1 && (name[m] == 'f' || name[m] == 'l')))) {
      return tests[i][0] == '_' ? tests[i] + 2 : tests[i];
    }
  }
  return NULL;
}

bool tl__lower_math_is_pure(const char *name) {
  tl_dtype d;
  const tl_math_row *row = name ? find(name, &d) : NULL;
  if (row) {
    return row->form != MATH_FREXP && row->form != MATH_MODF && row->form != MATH_REMQUO && row->form != MATH_SINCOS;
  }
  name = name ? without_builtin(name) : NULL;
  return name && (find_test(name) || !strcmp(name, "abs") || !strcmp(name, "labs") || !strcmp(name, "llabs"));
}

static tl_value arg(tl_lower *l, const tl_expr *call, uint32_t i, tl_dtype dtype) {
  if (i >= call->args.count) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "too few arguments");
  }
  return tl__lower_convert(l, dtype, tl__lower_expr(l, call->args.data[i]));
}

static tl_value infinity(tl_lower *l, tl_dtype dtype) { return tl_build_float(&l->b, dtype, __builtin_infl(), NULL); }

static tl_value is_finite(tl_lower *l, tl_value x, tl_dtype d) {
  return tl_build_binary(&l->b, TL_OP_lt, tl_build_unary(&l->b, TL_OP_fabs, x), infinity(l, d));
}

/* |x| at least the smallest normal number: 0x1p-126, -1022 or -16382. */
static tl_value is_above_subnormal(tl_lower *l, tl_value x, tl_dtype d) {
  long double least = d == TL_F32 ? 0x1p-126L : d == TL_F64 ? 0x1p-1022L : 0x1p-16382L;
  return tl_build_binary(&l->b, TL_OP_ge, tl_build_unary(&l->b, TL_OP_fabs, x), tl_build_float(&l->b, d, least, NULL));
}

static tl_value nan_test(tl_lower *l, tl_value x) { return tl_build_binary(&l->b, TL_OP_ne, x, x); }

static tl_value int_if(tl_lower *l, tl_value c, int64_t yes, tl_value no) {
  return tl_build_select(&l->b, c, tl_build_int(&l->b, TL_I32, yes), no);
}

static tl_value lower_test(tl_lower *l, const tl_expr *call, const char *test) {
  bool classify = !strcmp(test, "fpclassify");
  uint32_t at = classify && call->args.count == 6 ? 5 : 0;
  if (at >= call->args.count) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "too few arguments");
  }
  tl_value x = tl__lower_expr(l, call->args.data[at]);
  tl_dtype d = tl_type_of(l->func, x).dtype;
  if (!tl_dtype_is_float(d)) {
    x = tl__lower_convert(l, TL_F64, x);
    d = TL_F64;
  }
  tl_value r;
  if (classify) {
    int64_t codes[5] = {0, 1, 4, 3, 2}; /* nan, infinite, normal, subnormal, zero: as glibc numbers them */
    for (uint32_t i = 0; at && i < 5; i++) {
      tl_expr_constant(call->args.data[i], &codes[i]);
    }
    tl_value zero = tl_build_binary(&l->b, TL_OP_eq, x, tl_build_zero(&l->b, d));
    r = int_if(l, zero, codes[4], tl_build_int(&l->b, TL_I32, codes[3]));
    r = int_if(l, is_above_subnormal(l, x, d), codes[2], r);
    r = tl_build_select(&l->b, is_finite(l, x, d), r, tl_build_int(&l->b, TL_I32, codes[1]));
    return int_if(l, nan_test(l, x), codes[0], r);
  }
  if (!strcmp(test, "isnan")) {
    r = nan_test(l, x);
  } else if (!strcmp(test, "isinf") || !strcmp(test, "isinf_sign")) {
    tl_value inf = tl_build_binary(&l->b, TL_OP_eq, tl_build_unary(&l->b, TL_OP_fabs, x), infinity(l, d));
    tl_value sign = int_if(l, tl_build_unary(&l->b, TL_OP_signbit, x), -1, tl_build_int(&l->b, TL_I32, 1));
    return tl_build_select(&l->b, inf, sign, tl_build_int(&l->b, TL_I32, 0));
  } else if (!strcmp(test, "isfinite") || !strcmp(test, "finite")) {
    r = is_finite(l, x, d);
  } else if (!strcmp(test, "isnormal")) {
    r = tl_build_binary(&l->b, TL_OP_and, is_finite(l, x, d), is_above_subnormal(l, x, d));
  } else if (!strcmp(test, "signbit")) {
    r = tl_build_unary(&l->b, TL_OP_signbit, x);
  } else {
    tl_value y = arg(l, call, 1, d);
    if (!strcmp(test, "isunordered")) {
      r = tl_build_binary(&l->b, TL_OP_or, nan_test(l, x), nan_test(l, y));
    } else if (!strcmp(test, "islessgreater")) {
      r = tl_build_binary(&l->b, TL_OP_or, tl_build_binary(&l->b, TL_OP_lt, x, y),
                          tl_build_binary(&l->b, TL_OP_gt, x, y));
    } else {
      r = tl_build_binary(&l->b,
                          !strcmp(test, "isgreater")        ? TL_OP_gt
                          : !strcmp(test, "isgreaterequal") ? TL_OP_ge
                          : !strcmp(test, "isless")         ? TL_OP_lt
                                                            : TL_OP_le,
                          x, y);
    }
  }
  return tl_build_cvt(&l->b, TL_I32, r);
}

static void store_through(tl_lower *l, const tl_expr *pointer, tl_value v) {
  tl_pointer *p = tl__lower_pointer(l, pointer);
  tl_ctype *type = pointer->type->target;
  tl__lower_place_store(l, p, type, tl__lower_convert(l, type->dtype, v), pointer->loc);
}

static tl_value lower_abs(tl_lower *l, const tl_expr *call) {
  tl_dtype d = call->type->dtype;
  tl_value x = arg(l, call, 0, d);
  tl_value negative = tl_build_binary(&l->b, TL_OP_lt, x, tl_build_zero(&l->b, d));
  return tl_build_select(&l->b, negative, tl_build_unary(&l->b, TL_OP_neg, x), x);
}

bool tl__lower_math(tl_lower *l, const tl_expr *call, const char *name, tl_value *out) {
  tl_dtype d;
  const char *plain = without_builtin(name);
  const tl_math_row *row = find(name, &d);
  const char *test = row ? NULL : find_test(name);
  if (test) {
    *out = lower_test(l, call, test);
    return true;
  }
  if (!strcmp(plain, "abs") || !strcmp(plain, "labs") || !strcmp(plain, "llabs")) {
    *out = lower_abs(l, call);
    return true;
  }
  if (!row) {
    return false;
  }
  tl_value x, v[3];
  switch (row->form) {
  case MATH_1:
    *out = tl_build_unary(&l->b, row->op, arg(l, call, 0, d));
    break;
  case MATH_2:
  case MATH_3:
    for (uint32_t i = 0; i < (row->form == MATH_2 ? 2U : 3U); i++) {
      v[i] = arg(l, call, i, d);
    }
    *out = tl_build_elementwise(&l->b, row->op, d, v);
    break;
  case MATH_FLT_INT:
    v[0] = arg(l, call, 0, d);
    v[1] = arg(l, call, 1, TL_I32);
    *out = tl_build_elementwise(&l->b, row->op, d, v);
    break;
  case MATH_SCALBLN: {
    v[0] = arg(l, call, 0, d);
    tl_value n = arg(l, call, 1, TL_I64), most = tl_build_int(&l->b, TL_I64, 50000),
             least = tl_build_int(&l->b, TL_I64, -50000);
    n = tl_build_select(&l->b, tl_build_binary(&l->b, TL_OP_gt, n, most), most, n);
    n = tl_build_select(&l->b, tl_build_binary(&l->b, TL_OP_lt, n, least), least, n);
    v[1] = tl_build_cvt(&l->b, TL_I32, n);
    *out = tl_build_elementwise(&l->b, row->op, d, v);
    break;
  }
  case MATH_INT_FLT:
    v[0] = arg(l, call, 0, TL_I32);
    v[1] = arg(l, call, 1, d);
    *out = tl_build_elementwise(&l->b, row->op, d, v);
    break;
  case MATH_TO_INT:
    *out = tl_build_cvt(&l->b, TL_I64, tl_build_unary(&l->b, row->op, arg(l, call, 0, d)));
    break;
  case MATH_FREXP:
    x = arg(l, call, 0, d);
    store_through(l, call->args.data[1], tl_build_unary(&l->b, TL_OP_frexp_exponent, x));
    *out = tl_build_unary(&l->b, TL_OP_frexp_fraction, x);
    break;
  case MATH_MODF:
    x = arg(l, call, 0, d);
    store_through(l, call->args.data[1], tl_build_unary(&l->b, TL_OP_trunc, x));
    *out = tl_build_unary(&l->b, TL_OP_modf_fraction, x);
    break;
  case MATH_REMQUO:
    v[0] = arg(l, call, 0, d);
    v[1] = arg(l, call, 1, d);
    store_through(l, call->args.data[2], tl_build_elementwise(&l->b, TL_OP_remquo_quotient, TL_I32, v));
    *out = tl_build_elementwise(&l->b, TL_OP_remainder, d, v);
    break;
  case MATH_SINCOS:
    x = arg(l, call, 0, d);
    store_through(l, call->args.data[1], tl_build_unary(&l->b, TL_OP_sin, x));
    store_through(l, call->args.data[2], tl_build_unary(&l->b, TL_OP_cos, x));
    *out = TL_NO_VALUE;
    break;
  case MATH_NAN:
    *out = tl_build_float(&l->b, d, __builtin_nanl(""), NULL);
    break;
  }
  return true;
}

/* Under --no-strict-lowering a refused derivative is a function that says so when it runs. Its parameters are not
 * known, so it is declared without a prototype: every call compiles. */
#include <string.h>

#include "base/ctext.h"
#include "front.h"

static bool is_floating(const tl_ctype *t) { return t && t->kind == TL_CT_SCALAR && tl_dtype_is_float(t->dtype); }

static const tl_ctype *param_type(const tl_function *f, const char *name) {
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_decl *p = f->params.data[i];
    if (p->name && strcmp(p->name, name) == 0) {
      return p->type;
    }
  }
  return NULL;
}

/* The one floating scalar that tl_grad would return the derivative of, or NULL. */
static const tl_ctype *only_scalar_wrt(const tl_function *f, const tl_request_step *step) {
  if (step->wrt.count == 1) {
    const tl_ctype *t = param_type(f, step->wrt.data[0]);
    return is_floating(t) ? t : NULL;
  }
  const tl_ctype *only = NULL;
  for (uint32_t i = 0; i < f->params.count && !step->wrt.count; i++) {
    const tl_ctype *t = f->params.data[i]->type;
    if (is_floating(t) && !only) {
      only = t;
    } else if (is_floating(t) || t->kind != TL_CT_SCALAR) {
      return NULL;
    }
  }
  return only;
}

/* What the generated function would return, step by step from f's own type. */
static const char *return_text(const front_target *target) {
  const tl_function *f = target->request->primal;
  const char *text = f->return_declarator;
  bool floating = is_floating(f->type->target);
  for (uint32_t i = 0; i < target->request->steps.count; i++) {
    const tl_request_step *step = &target->request->steps.data[i];
    switch (step->intrinsic) {
    case TL_INTRINSIC_GRAD: {
      const tl_ctype *wrt = only_scalar_wrt(f, step);
      text = wrt ? wrt->dtype == TL_F32 ? "float" : wrt->dtype == TL_F64 ? "double" : "long double" : "void";
      floating = wrt != NULL;
      break;
    }
    case TL_INTRINSIC_JVP:
      text = floating ? text : "void";
      break;
    case TL_INTRINSIC_HESSIAN:
    case TL_INTRINSIC_VMAP:
      text = "void";
      floating = false;
      break;
    case TL_INTRINSIC_CHECK_VJP:
      text = "int";
      floating = false;
      break;
    case TL_INTRINSIC_VALUE_AND_GRAD: /* f's value */
    case TL_INTRINSIC_VALUE_AND_JVP:
    case TL_INTRINSIC_VJP:
    case TL_INTRINSIC_JACOBIAN:
    case TL_INTRINSIC_JACOBIAN_REVERSE:
    case TL_INTRINSIC_COUNT:
      break;
    }
  }
  return text;
}

void front_write_any_arguments(FILE *out) {
  fputs("#if __STDC_VERSION__ > 201710L && (defined __clang__ || __GNUC__ > 12)\n#define TL__ANY_ARGUMENTS ...\n#else\n"
        "#define TL__ANY_ARGUMENTS\n#endif\n",
        out);
}

void front_write_stub_declaration(const front_target *target, FILE *out) {
  fprintf(out,
          "_Pragma(\"GCC diagnostic push\") _Pragma(\"GCC diagnostic ignored \\\"-Wstrict-prototypes\\\"\") "
          "static %s %s(TL__ANY_ARGUMENTS); _Pragma(\"GCC diagnostic pop\")",
          return_text(target), target->request->name);
}

void front_write_stub(const front *f, const front_target *target, FILE *out) {
  fputs("\n#include <stdio.h>\n#include <stdlib.h>\n", out);
  fprintf(out, "static %s %s(TL__ANY_ARGUMENTS)\n{\n  fputs(\"%s\\n\", stderr);\n  abort();\n}\n", return_text(target),
          target->request->name, tl_literal_escape(f->arena, target->refusal));
}

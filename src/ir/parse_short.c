/* Functions in short form, as tests and people write them. */
#include "ir/parse_priv.h"

void tl__parse_short_param(parser *p) {
  short_param s = {.has_role = true};
  if (tl__lexer_accept_word(&p->lex, "in")) {
    s.role = TL_ROLE_INPUT;
  } else if (tl__lexer_accept_word(&p->lex, "out")) {
    s.role = TL_ROLE_OUTPUT;
  } else if (tl__lexer_accept_word(&p->lex, "inout")) {
    s.role = TL_ROLE_INOUT;
  } else {
    s.has_role = false;
  }
  definition d = tl__parse_definition(p);
  tl__parse_add_param(p, p->func->body, &d);
  TL_PUSH(arena_of(p), p->short_params, s);
}

void tl__parse_short_results(parser *p) {
  tl__lexer_expect_punct(&p->lex, '(');
  while (!failed(p) && !tl__lexer_at_punct(&p->lex, ')')) {
    if (p->short_results.count) {
      tl__lexer_expect_punct(&p->lex, ',');
    }
    short_result r = {0};
    if (tl__lexer_accept_word(&p->lex, "final")) {
      r.final = tl__parse_use(p);
      if (r.final == TL_NO_VALUE) {
        FAIL(p, "a parameter is expected here");
      }
    } else {
      tl__lexer_expect_word(&p->lex, "return");
      if (token(p)->kind == TL_TOKEN_STRING) {
        r.access = tl__lexer_string(&p->lex);
      }
    }
    TL_PUSH(arena_of(p), p->short_results, r);
  }
  tl__lexer_expect_punct(&p->lex, ')');
}

static const char *c_spelling(tl_dtype d) {
  static const char *const names[] = {
#define TL_SPELLING(id, name, size, c) c,
      TL_DTYPE_MAP(TL_SPELLING)
#undef TL_SPELLING
  };
  return names[d];
}

static const char *param_name(parser *p, uint32_t i) {
  const char *name = tl_info(p->func, p->func->body->params.data[i])->name;
  return name ? name : tl_arena_printf(arena_of(p), "p%u", i);
}

/* "[n][3]" where every extent is fixed or a scalar parameter, else NULL. */
static const char *c_extents(parser *p, tl_type t) {
  const char *text = "";
  for (int i = 0; i < t.rank; i++) {
    tl_value v = t.extents[i].value;
    if (v == TL_NO_VALUE) {
      text = tl_arena_printf(arena_of(p), "%s[%lld]", text, (long long)t.extents[i].fixed);
      continue;
    }
    const tl_value_info *info = tl_info(p->func, v);
    if (info->region != p->func->body || info->op || info->type.is_array) {
      return NULL;
    }
    text = tl_arena_printf(arena_of(p), "%s[%s]", text, param_name(p, info->index));
  }
  return text;
}

/* The C face of a function in short form: each parameter is a C parameter of its own. */
static void complete_params(parser *p) {
  tl_func *f = p->func;
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_value v = f->body->params.data[i];
    tl_type t = tl_type_of(f, v);
    short_param s = p->short_params.data[i];
    for (uint32_t k = 0; !s.has_role && k < p->short_results.count; k++) {
      if (p->short_results.data[k].final != 0 && p->symbols.data[p->short_results.data[k].final].value == v) {
        s.role = TL_ROLE_INOUT;
      }
    }
    tl_cparam c = {.name = param_name(p, i), .role = s.role, .by_value = !t.is_array};
    if (t.is_tensor) {
      c.declarator = c.bare = "tl_tensor @";
      c.differentiable = tl_dtype_is_float(t.dtype);
      TL_PUSH(f->arena, f->cparams, c);
      TL_PUSH(f->arena, f->params, (tl_param){.value = v, .cparam = i, .access = "$"});
      continue;
    }
    const char *extents = c_extents(p, t);
    const char *shape = !t.is_array ? "@" : !t.rank || !extents ? "*@" : tl_arena_printf(arena_of(p), "@%s", extents);
    c.bare = tl_arena_printf(arena_of(p), "%s %s", c_spelling(t.dtype), shape);
    c.declarator = t.is_array && s.role == TL_ROLE_INPUT ? tl_arena_printf(arena_of(p), "const %s", c.bare) : c.bare;
    c.differentiable = tl_dtype_is_float(t.dtype) && s.role != TL_ROLE_OUTPUT;
    TL_PUSH(f->arena, f->cparams, c);
    const char *access = !t.is_array ? "$" : !t.rank ? "(*$)" : "$";
    for (int axis = 0; axis < t.rank; axis++) {
      access = tl_arena_printf(arena_of(p), "%s[#]", access);
    }
    TL_PUSH(f->arena, f->params, (tl_param){.value = v, .cparam = i, .access = access, .is_memory = t.is_array});
  }
}

static void complete_results(parser *p) {
  tl_func *f = p->func;
  uint32_t returned = 0, nth = 0;
  for (uint32_t i = 0; i < p->short_results.count; i++) {
    returned += p->short_results.data[i].final == 0;
  }
  const char *type = returned ? tl_arena_printf(arena_of(p), "struct %s_result", f->name) : "void";
  for (uint32_t i = 0; i < p->short_results.count; i++) {
    short_result s = p->short_results.data[i];
    tl_result r = {.role = TL_RESULT_RETURN, .access = s.access};
    if (s.final) {
      r.role = TL_RESULT_FINAL;
      tl_value v = p->symbols.data[s.final].value;
      const tl_value_info *info = tl_info(f, v);
      if (info->op || info->region != f->body) {
        p->lex.token = p->symbols.data[s.final].use;
        FAIL(p, "a parameter is expected here");
        return;
      }
      r.param = info->index;
    } else if (!s.access && returned > 1) {
      r.access = tl_arena_printf(arena_of(p), "$.r%u", nth);
    } else if (!s.access) {
      r.access = "$";
      if (i < f->body->yields.count && f->body->yields.data[i] != TL_NO_VALUE) {
        tl_type t = tl_type_of(f, f->body->yields.data[i]);
        type = t.is_tensor ? "tl_tensor" : c_spelling(t.dtype);
      }
    }
    nth += s.final == 0;
    TL_PUSH(f->arena, f->results, r);
  }
  if (!p->has_returns) {
    f->return_declarator = type;
  }
}

void tl__parse_complete_short(parser *p) {
  complete_params(p);
  complete_results(p);
}

/* Parameters that would hide what a body names: a primal with a parameter `log` calls no log, but its derivative may,
 * and a function that was inlined may read a global that has the name of a parameter. In the definition, though not in
 * its prototypes, these parameters have other names. */
#include <ctype.h>
#include <string.h>

#include "emit/c/internal.h"

/* What bodies call besides ops, or name as types. */
static const char *const helpers[] = {"calloc", "free",   "isfinite", "isinf",   "isnan",  "malloc",
                                      "memcpy", "memset", "realloc",  "signbit", "size_t", "tl_tape"};

/* The next identifier of C text from *text on, which is advanced; NULL: none. Members, tags and strings are none. */
static const char *next_name(const char **text, size_t *out_length) {
  bool is_other = false; /* what follows "." or "->", or "struct" */
  for (const char *s = *text; *s;) {
    if (*s == '"') {
      for (s++; *s && *s != '"'; s++) {
        s += *s == '\\' && s[1];
      }
      s += *s == '"';
    } else if (isalpha((unsigned char)*s) || *s == '_') {
      size_t n = 1;
      while (tl__c_in_word(s[n])) {
        n++;
      }
      if (!is_other) {
        *out_length = n;
        *text = s + n;
        return s;
      }
      is_other = false;
      s += n;
    } else if (isdigit((unsigned char)*s)) { /* with its suffix */
      while (isalnum((unsigned char)*s) || *s == '.') {
        s++;
      }
    } else {
      is_other = *s == '.' || (s[0] == '-' && s[1] == '>') || (is_other && (*s == '>' || *s == ' '));
      s++;
    }
  }
  return NULL;
}

static bool is_word(const char *s, size_t n, const char *word) { return strlen(word) == n && !memcmp(s, word, n); }

static bool is_tag_keyword(const char *s, size_t n) {
  return is_word(s, n, "struct") || is_word(s, n, "union") || is_word(s, n, "enum");
}

static bool names(const char *text, const char *name) {
  size_t n;
  bool is_tag = false;
  for (const char *s; text && (s = next_name(&text, &n));) {
    if (!is_tag && is_word(s, n, name)) {
      return true;
    }
    is_tag = is_tag_keyword(s, n);
  }
  return false;
}

/* The text with every `name` in it written otherwise. */
static const char *renamed(tl_arena *arena, const char *text, const char *name, const char *other) {
  tl__c_text t = {.arena = arena};
  tl__c_text_add(&t, "");
  size_t n;
  bool is_tag = false;
  const char *from = text, *at = text;
  for (const char *s; (s = next_name(&at, &n));) {
    if (!is_tag && is_word(s, n, name)) {
      tl__c_text_addn(&t, from, (size_t)(s - from));
      tl__c_text_add(&t, other);
      from = s + n;
    }
    is_tag = is_tag_keyword(s, n);
  }
  tl__c_text_add(&t, from);
  return t.data;
}

/* sin, sinf or sinl. */
static bool is_function_of(tl_opcode code, const char *name) {
  const char *op = tl_op_table[code].name;
  size_t n = strlen(op);
  return !strncmp(name, op, n) && (!name[n] || (strchr("fl", name[n]) && !name[n + 1]));
}

/* A declarator's type, ahead of what it declares; its extents are about parameters of its own function. */
static bool type_names(const char *declarator, const char *name, tl_arena *arena) {
  const char *at = strchr(declarator, '@');
  return names(at ? tl_arena_strndup(arena, declarator, (size_t)(at - declarator)) : declarator, name);
}

static bool op_names(const tl_func *f, const tl_op *op, const char *name, tl_arena *arena) {
  if ((op->callee && !strcmp(op->callee, name)) || names(op->format, name)) {
    return true;
  }
  const tl_func *called = op->code == TL_OP_call ? tl_module_find(f->module, op->callee) : NULL;
  if (called && names(called->return_declarator, name)) {
    return true;
  }
  for (uint32_t i = 0; called && i < called->cparams.count; i++) {
    if (type_names(called->cparams.data[i].bare, name, arena)) {
      return true;
    }
  }
  return tl_op_table[op->code].elementwise && is_function_of(op->code, name);
}

static bool region_names(const tl_func *f, const tl_region *r, const char *name, tl_arena *arena) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    if (op_names(f, op, name, arena)) {
      return true;
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      if (region_names(f, op->regions[k], name, arena)) {
        return true;
      }
    }
  }
  return false;
}

static bool hides(const tl_func *f, const char *name, tl_arena *arena) {
  for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
    if (!strcmp(name, helpers[i])) {
      return true;
    }
  }
  return names(f->return_declarator, name) || region_names(f, f->body, name, arena);
}

/* No other parameter is called so, nor anything of file scope that the body names. */
static bool is_free(const tl_func *f, const tl_emit_opts *opts, const char *name, tl_arena *arena) {
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    if (!strcmp(f->cparams.data[i].name, name) || names(f->cparams.data[i].declarator, name)) {
      return false;
    }
  }
  return !hides(f, name, arena) && !(opts && opts->is_object && opts->is_object(opts->ctx, name));
}

const tl_func *tl__c_unhide(const tl_func *f, const tl_emit_opts *opts, tl_arena *arena) {
  tl_func *copy = NULL;
  for (uint32_t i = 0; !f->is_primal && i < f->cparams.count; i++) {
    const char *name = f->cparams.data[i].name;
    if (!hides(f, name, arena)) {
      continue;
    }
    if (!copy) {
      copy = TL_NEW(arena, tl_func);
      *copy = *f;
      copy->cparams.data = TL_NEW_ARRAY(arena, tl_cparam, f->cparams.count);
      memcpy(copy->cparams.data, f->cparams.data, sizeof *f->cparams.data * f->cparams.count);
    }
    const char *other = tl_arena_printf(arena, "%s_value", name);
    for (int k = 2; !is_free(copy, opts, other, arena); k++) {
      other = tl_arena_printf(arena, "%s_value_%d", name, k);
    }
    for (uint32_t k = 0; k < copy->cparams.count; k++) {
      tl_cparam *c = &copy->cparams.data[k];
      c->declarator = renamed(arena, c->declarator, name, other);
    }
    copy->cparams.data[i].name = other;
  }
  return copy ? copy : f;
}

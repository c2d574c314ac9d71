/* What tl_vmap batches: the parameters, what is refused of them, and how they are declared. */
#include "transform/batch.h"

#include <ctype.h>
#include <string.h>

#include "base/name.h"

static tl_diag *diag_of(const tl_batch *m) { return m->f->module->diag; }

/* ---- which parameters ---- */

bool tl__batch_is_written(const tl_func *f, uint32_t cparam) {
  bool written = f->cparams.data[cparam].role != TL_ROLE_INPUT;
  for (uint32_t i = 0; i < f->params.count; i++) {
    written |= f->params.data[i].cparam == cparam && tl_func_final(f, i) != TL_NO_RESULT;
  }
  return written;
}

bool tl__batch_has_leaf(const tl_func *f, uint32_t cparam) {
  uint32_t i = 0;
  while (i < f->params.count && f->params.data[i].cparam != cparam) {
    i++;
  }
  return i < f->params.count;
}

static uint32_t find_cparam(const tl_func *f, const char *name) {
  uint32_t at = 0;
  while (at < f->cparams.count && strcmp(f->cparams.data[at].name, name) != 0) {
    at++;
  }
  return at;
}

static bool find_batched(tl_batch *m) {
  const tl_derivation *spec = m->d->spec;
  tl_func *f = m->f;
  m->is_batched = TL_NEW_ARRAY(m->d->arena, bool, f->cparams.count + 1);
  for (uint32_t k = 1; k < spec->wrt_count; k++) {
    uint32_t at = find_cparam(f, spec->wrt[k]);
    if (at == f->cparams.count) {
      tl_diag_error(diag_of(m), TL_NO_SUCH_PARAMETER, spec->loc, "'%s' has no parameter '%s'", f->name, spec->wrt[k]);
      return false;
    }
    const tl_cparam *c = &f->cparams.data[at];
    if (m->is_batched[at] || !tl__batch_has_leaf(f, at)) {
      tl_diag_error(diag_of(m), m->is_batched[at] ? TL_VMAP_AXIS_NAME_CLASH : TL_VMAP_NO_BATCHING_RULE, spec->loc,
                    m->is_batched[at] ? "'%s' is named twice"
                                      : "'%s' cannot be batched: it holds no numbers that '%s' looks at",
                    c->name, f->name);
      tl_diag_note(diag_of(m), c->loc, "declared here");
      return false;
    }
    m->is_batched[at] = true;
  }
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    bool by_default = spec->wrt_count == 1 && tl__may_be_wrt(&f->cparams.data[i]);
    m->is_batched[i] |= tl__batch_has_leaf(f, i) && (by_default || tl__batch_is_written(f, i));
  }
  return true;
}

static bool holds_tensors(tl_type type) { return type.is_tensor || type.element; }

/* A function of tensors has an axis for its batch, not a loop. */
static bool check_arrays(const tl_batch *m) {
  const tl_func *f = m->f;
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (holds_tensors(tl_type_of(f, f->params.data[i].value))) {
      const tl_cparam *c = &f->cparams.data[f->params.data[i].cparam];
      tl_diag_error(diag_of(m), TL_VMAP_NO_BATCHING_RULE, m->d->spec->loc,
                    "'%s' of '%s' is a tensor: tl_vmap batches functions over numbers and arrays", c->name, f->name);
      tl_diag_note(diag_of(m), c->loc, "declared here");
      return false;
    }
  }
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (holds_tensors(tl_type_of(f, f->body->yields.data[i]))) {
      tl_diag_error(diag_of(m), TL_VMAP_NO_BATCHING_RULE, m->d->spec->loc,
                    "'%s' returns a tensor: tl_vmap batches functions over numbers and arrays", f->name);
      return false;
    }
  }
  return true;
}

/* ---- the name of the batch ---- */

static bool has_word(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *s = text; s && (s = strstr(s, word)) != NULL; s += n) {
    if ((s == text || !tl_in_name(s[-1])) && !tl_in_name(s[n])) {
      return true;
    }
  }
  return false;
}

static bool check_name(const tl_batch *m) {
  const tl_derivation *spec = m->d->spec;
  const tl_func *f = m->f;
  if (!spec->wrt_count) {
    tl_diag_error(diag_of(m), TL_NO_SUCH_PARAMETER, spec->loc,
                  "tl_vmap takes a name for the number of examples behind the function: tl_vmap(%s, batch)", f->name);
    return false;
  }
  const char *name = spec->wrt[0];
  uint32_t at = find_cparam(f, name);
  if (at < f->cparams.count) {
    tl_diag_error(diag_of(m), TL_VMAP_AXIS_NAME_CLASH, spec->loc,
                  "the batch is called '%s', and so is a parameter of '%s'", name, f->name);
    tl_diag_note(diag_of(m), f->cparams.data[at].loc, "declared here");
    return false;
  }
  if (isdigit((unsigned char)*name) || tl_is_keyword(name) || !strcmp(name, "size_t")) {
    tl_diag_error(diag_of(m), TL_VMAP_AXIS_NAME_CLASH, spec->loc,
                  "the batch cannot be called '%s': it is the name of a parameter, which holds the number of examples",
                  name);
    return false;
  }
  bool is_taken = has_word(f->return_declarator, name);
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    is_taken |= has_word(f->cparams.data[i].declarator, name);
    at = is_taken && at == f->cparams.count ? i : at;
  }
  if (is_taken) {
    tl_diag_error(diag_of(m), TL_VMAP_AXIS_NAME_CLASH, spec->loc,
                  "the batch is called '%s', a name that the parameters of '%s' are declared by", name, f->name);
    tl_diag_note(diag_of(m), at < f->cparams.count ? f->cparams.data[at].loc : f->loc, "used here");
  }
  return !is_taken;
}

/* ---- extents ---- */

static void need(tl_batch *m, tl_value v, uint32_t leaf);

static void need_region(tl_batch *m, const tl_region *r, uint32_t leaf) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      need(m, o->operands[k], leaf);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      need_region(m, o->regions[k], leaf);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    need(m, r->yields.data[i], leaf);
  }
}

/* An extent of the leaf depends on v. */
static void need(tl_batch *m, tl_value v, uint32_t leaf) {
  if (!v || m->is_needed[v]) {
    return;
  }
  m->is_needed[v] = true;
  m->needed_by[v] = leaf;
  const tl_op *o = tl_def(m->f, v);
  for (uint32_t i = 0; o && i < o->operand_count; i++) {
    need(m, o->operands[i], leaf);
  }
  for (uint32_t i = 0; o && i < o->region_count; i++) {
    need_region(m, o->regions[i], leaf);
  }
}

/* The leaf as C spells it, without the indices of an array. */
static const char *object_name(const tl_batch *m, const tl_param *p) {
  const char *access = p->access;
  size_t n = strlen(access);
  while (n > 3 && !strncmp(access + n - 3, "[#]", 3)) {
    n -= 3;
  }
  bool is_cell = !strcmp(access, "(*$)");
  access = is_cell ? "*$" : tl_arena_strndup(m->d->arena, access, n);
  return tl__spell_access(m->d->arena, access, m->f->cparams.data[p->cparam].name);
}

static bool check_extents(tl_batch *m) {
  tl_func *f = m->f;
  m->is_needed = TL_NEW_ARRAY(m->d->arena, bool, f->values.count);
  m->needed_by = TL_NEW_ARRAY(m->d->arena, uint32_t, f->values.count);
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_type type = tl_type_of(f, f->params.data[i].value);
    for (int k = 0; k < type.rank; k++) {
      need(m, type.extents[k].value, i);
    }
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    if (m->is_needed[p->value] && m->is_batched[p->cparam]) {
      const tl_param *of = &f->params.data[m->needed_by[p->value]];
      const tl_cparam *array = &f->cparams.data[of->cparam];
      tl_diag_error(diag_of(m), TL_EXTENT_BATCHED, m->d->spec->loc,
                    "'%s' says how long '%s' is, and all examples have the same extents: it cannot be batched%s",
                    object_name(m, p), object_name(m, of),
                    tl__batch_is_written(f, p->cparam) ? ", as all is that the function writes" : "");
      tl_diag_note(diag_of(m), array->loc, "'%s' is declared here", array->name);
      return false;
    }
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    tl_type type = tl_type_of(f, p->value);
    int axes = p->by_members ? (int)p->axes_before : type.rank; /* behind a pointer every row has its own place */
    for (int k = 0; k < axes && m->is_batched[p->cparam]; k++) {
      if (!type.extents[k].value && type.extents[k].fixed < 0) {
        tl__refuse_extent(m->d, i, (uint32_t)k);
        tl_diag_note(diag_of(m), m->d->spec->loc, "needed by this batch");
        return false;
      }
    }
    if (m->is_batched[p->cparam] && type.rank == TL_MAX_RANK) {
      tl_diag_error(diag_of(m), TL_VMAP_NO_BATCHING_RULE, m->d->spec->loc,
                    "'%s' has %d axes already, the most there can be", f->cparams.data[p->cparam].name, TL_MAX_RANK);
      return false;
    }
  }
  return true;
}

bool tl__batch_find_params(tl_derive_ctx *d, tl_batch *out) {
  *out = (tl_batch){.d = d, .f = d->f};
  return check_name(out) && find_batched(out);
}

bool tl__batch_find(tl_derive_ctx *d, tl_batch *out) {
  return tl__batch_find_params(d, out) && check_arrays(out) && check_extents(out);
}

/* ---- declarators ---- */

/* "$->x" to "$[#].x", "(*$)" to "$[#]". */
const char *tl__batch_access(tl_arena *arena, const char *access) {
  const char *at = strchr(access, '$');
  int before = (int)(at - access);
  bool is_cell = before >= 2 && !strncmp(at - 2, "(*$)", 4);
  if (is_cell) {
    return tl_arena_printf(arena, "%.*s$[#]%s", before - 2, access, at + 2);
  }
  if (!strncmp(at, "$->", 3)) {
    return tl_arena_printf(arena, "%.*s$[#].%s", before, access, at + 3);
  }
  return tl_arena_printf(arena, "%.*s$[#]%s", before, access, at + 1);
}

/* How much of the text is left without the blanks and qualifiers at its end. */
static size_t without_qualifiers(const char *text, size_t n) {
  static const char *const words[] = {"restrict", "__restrict", "const", "volatile"};
  bool found = true;
  while (found) {
    found = false;
    while (n && text[n - 1] == ' ') {
      n--;
      found = true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      size_t k = strlen(words[i]);
      if (n > k && !strncmp(text + n - k, words[i], k) && !tl_in_name(text[n - k - 1])) {
        n -= k;
        found = true;
      }
    }
  }
  return n;
}

/* "[n]" of "[static restrict n]"; the extent that TL_LEN states where there is none. */
static const char *plain_bracket(tl_arena *arena, const char *bracket, const char *extent) {
  static const char *const words[] = {"static", "restrict", "const", "volatile"};
  const char *s = bracket + 1;
  for (size_t i = 0; i < sizeof words / sizeof *words;) {
    s += strspn(s, " ");
    size_t k = strlen(words[i]);
    bool found = !strncmp(s, words[i], k) && !tl_in_name(s[k]);
    s += found ? k : 0;
    i = found ? 0 : i + 1;
  }
  return tl_arena_printf(arena, "[%s%s", *s == ']' && extent ? extent : "", s);
}

const char *tl__batch_declarator(tl_arena *arena, const char *text, const char *batch, const char *extent) {
  const char *at = strchr(text, '@');
  size_t n = (size_t)(at - text), cut = without_qualifiers(text, n);
  const char *axis = extent ? tl_arena_printf(arena, "[%s]", extent) : "";
  if (at[1] == '[') {
    return tl_arena_printf(arena, "%.*s@[%s]%s", (int)n, text, batch, plain_bracket(arena, at + 1, extent));
  }
  if (!cut || text[cut - 1] != '*') {
    return tl_arena_printf(arena, "%.*s@[%s]%s", (int)n, text, batch, at + 1);
  }
  bool inside = cut > 1 && text[cut - 2] == '(' && at[1] == ')'; /* "double (*@)[n]" */
  bool space = !inside && cut > 1 && text[cut - 2] != ' ' && text[cut - 2] != '*';
  return tl_arena_printf(arena, "%.*s%s@[%s]%s%s", (int)cut - 1, text, space ? " " : "", batch, axis, at + 1);
}

const char *tl__batch_with_const(tl_arena *arena, const char *declarator) {
  return has_word(declarator, "const") ? declarator : tl_arena_printf(arena, "const %s", declarator);
}

bool tl__batch_is_open(const char *declarator) {
  const char *at = strchr(declarator, '@');
  return at[1] == '[' ? !strncmp(at + 1, "[]", 2) : strchr(declarator, '*') != NULL;
}

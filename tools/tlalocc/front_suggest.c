/* "did you mean": the nearest name to one that is not there; the prototype that a rule should have. */
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/near.h"
#include "front.h"

/* The intrinsic's text with `wrong` replaced, as the fix of the item; where the text shows the name once. */
static void set_fix(front *f, tl_diag_item *item, const char *wrong, const char *right) {
  const char *line = front_source_line(f, item->loc.file, item->loc.line);
  if (!line || item->loc.end_column - 1 > strlen(line)) {
    return;
  }
  const char *text = tl_arena_strndup(f->arena, line + item->loc.column - 1, item->loc.end_column - item->loc.column);
  const char *found = NULL;
  size_t n = strlen(wrong);
  for (const char *p = text; (p = strstr(p, wrong)) != NULL; p += n) {
    if (!tl_in_name(p[n]) && (p == text || !tl_in_name(p[-1]))) {
      if (found) {
        return;
      }
      found = p;
    }
  }
  if (found) {
    item->fix = tl_arena_printf(f->arena, "%.*s%s%s", (int)(found - text), text, right, found + n);
  }
}

static void suggest(front *f, uint32_t item, const char *wrong, const char *right, tl_loc declared) {
  set_fix(f, &f->diag.items.data[item], wrong, right);
  tl_diag_note(&f->diag, declared, "did you mean '%s'?", right);
}

static const tl_cparam *find_cparam(const tl_func *func, const char *name) {
  for (uint32_t i = 0; i < func->cparams.count; i++) {
    if (strcmp(func->cparams.data[i].name, name) == 0) {
      return &func->cparams.data[i];
    }
  }
  return NULL;
}

static void suggest_parameter(front *f, const tl_request *r, uint32_t item, const tl_func *func, const char *wrong) {
  tl_near near = {.wrong = wrong};
  tl_args names = {0};
  for (uint32_t i = 0; i < func->cparams.count; i++) {
    tl_near_consider(&near, func->cparams.data[i].name);
    TL_PUSH(f->arena, names, func->cparams.data[i].name);
  }
  if (near.best) {
    suggest(f, item, wrong, near.best, find_cparam(func, near.best)->loc);
  }
  if (names.count) {
    tl_diag_note(&f->diag, r->primal->loc, "the %s of '%s' %s %s", names.count == 1 ? "parameter" : "parameters",
                 func->name, names.count == 1 ? "is" : "are", tl_names_quoted(f->arena, names.count, names.data));
  } else {
    tl_diag_note(&f->diag, r->primal->loc, "'%s' has no parameters", func->name);
  }
}

void front_suggest_parameter(front *f, const tl_request *r, uint32_t first_item) {
  uint32_t item = f->diag.items.count - 1;
  if (f->diag.items.count <= first_item || f->diag.items.data[item].code != TL_NO_SUCH_PARAMETER || !r->primal) {
    return;
  }
  const char *name = r->primal_name;
  for (uint32_t i = 0; i < r->steps.count; i++) {
    const tl_request_step *step = &r->steps.data[i];
    const tl_func *func = tl_module_find(f->module, name);
    for (uint32_t k = 0; k < step->wrt.count && func; k++) {
      if (!find_cparam(func, step->wrt.data[k])) {
        suggest_parameter(f, r, item, func, step->wrt.data[k]);
        return;
      }
    }
    name = front_step_name(f->arena, name, step);
  }
}

void front_suggest_function(front *f, const tl_request *r) {
  const tl_function *best = NULL;
  tl_near near = {.wrong = r->primal_name};
  for (uint32_t i = 0; i < f->parse.unit->functions.count; i++) {
    const tl_function *function = f->parse.unit->functions.data[i];
    if (function->body && tl_near_consider(&near, function->name)) {
      best = function;
    }
  }
  if (best) {
    suggest(f, f->diag.items.count - 1, r->primal_name, best->name, best->loc);
  }
}

/* ---- every place that names what is wrong ---- */

static bool is_same_place(tl_loc a, tl_loc b) {
  return a.line == b.line && a.column == b.column &&
         (a.file == b.file || (a.file && b.file && !strcmp(a.file, b.file)));
}

static const char *text_at(front *f, tl_loc loc) {
  const char *line = front_source_line(f, loc.file, loc.line);
  return line && loc.end_column <= strlen(line) + 1
             ? tl_arena_strndup(f->arena, line + loc.column - 1, loc.end_column - loc.column)
             : "";
}

/* The error and its notes once more, at another place. */
static void repeat(front *f, uint32_t item, tl_loc at) {
  tl_diag_item copy = f->diag.items.data[item];
  bool is_same_text = strcmp(text_at(f, at), text_at(f, copy.loc)) == 0;
  copy.loc = at;
  copy.fix = is_same_text ? copy.fix : NULL;
  TL_PUSH(f->arena, f->diag.items, copy);
  f->diag.errors++;
  for (uint32_t i = item + 1; f->diag.items.data[i].severity == TL_NOTE; i++) {
    tl_diag_item note = f->diag.items.data[i];
    TL_PUSH(f->arena, f->diag.items, note);
  }
}

void front_repeat_at_uses(front *f, const tl_request *r, uint32_t first_item) {
  uint32_t last = f->diag.items.count;
  for (uint32_t u = 0; u < r->uses.count; u++) {
    for (uint32_t i = first_item; i < last && !is_same_place(r->uses.data[u], r->loc); i++) {
      if (f->diag.items.data[i].severity == TL_ERROR && is_same_place(f->diag.items.data[i].loc, r->loc)) {
        repeat(f, i, r->uses.data[u]);
      }
    }
  }
}

/* ---- rules ---- */

const char *front_prototype(front *f, const tl_func *func, const char *name) {
  tl_func named = *func;
  named.name = name;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  tl_emit_c_prototype(&named, &(tl_emit_opts){0}, out);
  fclose(out);
  char *kept = tl_arena_strndup(f->arena, text, size);
  free(text);
  for (char *p = kept; *p; p++) {
    *p = *p == '\n' ? ' ' : *p;
  }
  return kept;
}

/* As the intrinsic that the rule stands for would declare it, were there no rules; NULL where that fails too. */
static const char *expected_prototype(front *f, tl_func *primal, tl_intrinsic intrinsic, const char *rule) {
  tl_diag reported = f->diag;
  tl_diag_init(&f->diag, f->arena);
  const char *vjp = primal->custom_vjp, *jvp = primal->custom_jvp;
  primal->custom_vjp = primal->custom_jvp = NULL;
  tl_derivation d = {.intrinsic = intrinsic,
                     .name = tl_arena_printf(f->arena, "%s__is_to_be__%s", rule, tl_intrinsic_name(intrinsic)),
                     .loc = primal->loc};
  tl_func *func = tl_derive(f->module, primal, &d);
  primal->custom_vjp = vjp;
  primal->custom_jvp = jvp;
  f->diag = reported;
  return func ? front_prototype(f, func, rule) : NULL;
}

static const char *prototype_for(front *f, const tl_diag_item *item) {
  for (uint32_t i = 0; i < f->module->funcs.count; i++) {
    tl_func *primal = f->module->funcs.data[i];
    const char *names[] = {primal->custom_vjp, primal->custom_jvp};
    for (int k = 0; k < 2; k++) {
      const tl_func *rule = names[k] ? tl_module_find(f->module, names[k]) : NULL;
      if (rule && rule->loc.file == item->loc.file && rule->loc.line == item->loc.line &&
          rule->loc.column == item->loc.column) {
        return expected_prototype(f, primal, k ? TL_INTRINSIC_VALUE_AND_JVP : TL_INTRINSIC_VJP, names[k]);
      }
    }
  }
  return NULL;
}

void front_suggest_rules(front *f, uint32_t first_item) {
  for (uint32_t i = first_item; i < f->diag.items.count; i++) {
    const char *prototype =
        f->diag.items.data[i].code == TL_CUSTOM_RULE_SIGNATURE ? prototype_for(f, &f->diag.items.data[i]) : NULL;
    if (!prototype) {
      continue;
    }
    tl_diag_note(&f->diag, f->diag.items.data[i].loc, "expected is %s", prototype);
    uint32_t to = i + 1, last = f->diag.items.count - 1;
    while (to < last && f->diag.items.data[to].severity == TL_NOTE) {
      to++;
    }
    tl_diag_item note = f->diag.items.data[last];
    memmove(&f->diag.items.data[to + 1], &f->diag.items.data[to], (last - to) * sizeof note);
    f->diag.items.data[to] = note;
  }
}

/* "did you mean": the nearest name to one that is not there; the prototype that a rule should have. */
#include <stdlib.h>
#include <string.h>

#include "front.h"

enum { LONGEST_NAME = 63 };

/* Insertions, deletions, replacements and swaps of neighbours that lead from a to b. */
static uint32_t distance(const char *a, const char *b) {
  uint32_t n = (uint32_t)strlen(a), m = (uint32_t)strlen(b);
  if (n > LONGEST_NAME || m > LONGEST_NAME) {
    return UINT32_MAX;
  }
  uint32_t d[LONGEST_NAME + 1][LONGEST_NAME + 1];
  for (uint32_t i = 0; i <= n; i++) {
    for (uint32_t k = 0; k <= m; k++) {
      if (!i || !k) {
        d[i][k] = i + k;
        continue;
      }
      uint32_t best = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
      best = d[i - 1][k] + 1 < best ? d[i - 1][k] + 1 : best;
      best = d[i][k - 1] + 1 < best ? d[i][k - 1] + 1 : best;
      bool swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      d[i][k] = swapped && d[i - 2][k - 2] + 1 < best ? d[i - 2][k - 2] + 1 : best;
    }
  }
  return d[n][m];
}

/* At most a third of the name may differ; one letter always may, but not the only one. */
static void consider(const char *name, const char *candidate, const char **best, uint32_t *best_distance) {
  uint32_t longest = (uint32_t)strlen(name), n = distance(name, candidate);
  uint32_t allowed = longest < 4 ? longest > 1 : longest / 3;
  if (n <= allowed && n < *best_distance) {
    *best = candidate;
    *best_distance = n;
  }
}

static bool in_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

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
    if (!in_word(p[n]) && (p == text || !in_word(p[-1]))) {
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

void front_suggest_parameter(front *f, const tl_request *r, uint32_t first_item) {
  uint32_t item = f->diag.items.count - 1;
  if (f->diag.items.count <= first_item || f->diag.items.data[item].code != TL_NO_SUCH_PARAMETER || !r->primal) {
    return;
  }
  for (uint32_t i = 0; i < r->steps.data[0].wrt.count; i++) {
    const char *wrong = r->steps.data[0].wrt.data[i], *best = NULL;
    uint32_t best_distance = UINT32_MAX;
    for (uint32_t k = 0; k < r->primal->params.count; k++) {
      consider(wrong, r->primal->params.data[k]->name, &best, &best_distance);
    }
    if (best && best_distance) {
      for (uint32_t k = 0; k < r->primal->params.count; k++) {
        if (r->primal->params.data[k]->name == best) {
          suggest(f, item, wrong, best, r->primal->params.data[k]->loc);
        }
      }
      return;
    }
    if (best_distance) {
      return; /* this is the one that is missing, and nothing is near */
    }
  }
}

void front_suggest_function(front *f, const tl_request *r) {
  const tl_function *best = NULL;
  const char *name = NULL;
  uint32_t best_distance = UINT32_MAX;
  for (uint32_t i = 0; i < f->parse.unit->functions.count; i++) {
    const tl_function *function = f->parse.unit->functions.data[i];
    uint32_t before = best_distance;
    if (function->body) {
      consider(r->primal_name, function->name, &name, &best_distance);
      best = best_distance < before ? function : best;
    }
  }
  if (best) {
    suggest(f, f->diag.items.count - 1, r->primal_name, best->name, best->loc);
  }
}

/* ---- rules ---- */

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
  if (!func) {
    return NULL;
  }
  const char *name = func->name;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  func->name = rule;
  tl_emit_c_prototype(func, &(tl_emit_opts){0}, out);
  func->name = name;
  fclose(out);
  char *kept = tl_arena_strndup(f->arena, text, size);
  free(text);
  for (char *p = kept; *p; p++) {
    *p = *p == '\n' ? ' ' : *p;
  }
  return kept;
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

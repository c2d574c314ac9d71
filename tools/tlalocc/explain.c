#include "explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/near.h"
#include "base/warning.h"

/* explain_pages.c, made of docs/diagnostics at build time: a page that is missing there is missing to the linker. */
#define TL_STATUS_PAGE(id, number, text) extern const unsigned char tl_page_##id[];
#define TL_WARNING_PAGE(id, name, is_on, text) extern const unsigned char tl_page_##id[];
TL_STATUS_MAP(TL_STATUS_PAGE)
TL_WARNING_MAP(TL_WARNING_PAGE)
#undef TL_STATUS_PAGE
#undef TL_WARNING_PAGE

const unsigned char tl_page_TL_OK[] = ""; /* no diagnostic has it */

typedef struct page {
  const char *name;
  const unsigned char *text;
  const char *meaning;
  tl_status code; /* TL_OK for a warning */
} page;

static const page pages[] = {
#define TL_PAGE(id, number, text) {&#id[3], tl_page_##id, text, id},
    TL_STATUS_MAP(TL_PAGE)
#undef TL_PAGE
#define TL_PAGE(id, name, is_on, text) {name, tl_page_##id, text, TL_OK},
        TL_WARNING_MAP(TL_PAGE)
#undef TL_PAGE
};
enum { PAGE_COUNT = sizeof pages / sizeof *pages };

static bool is_empty(const page *p) { return !*p->text; }

/* The name that a refusal warns under, or NULL. */
static const char *warning_of(tl_arena *a, const page *p) {
  return tl_status_may_warn(p->code) ? tl_status_warning(a, p->code) : NULL;
}

static void list(tl_arena *a) {
  puts("Errors:");
  for (int i = 0; i < PAGE_COUNT; i++) {
    if (!is_empty(&pages[i]) && pages[i].code) {
      printf("  %-31s %s\n", pages[i].name, pages[i].meaning);
    }
  }
  puts("Warnings:");
  for (int i = 0; i < PAGE_COUNT; i++) {
    if (!is_empty(&pages[i]) && !pages[i].code) {
      printf("  %-31s %s\n", pages[i].name, pages[i].meaning);
    }
  }
  puts("Errors that --no-strict-lowering turns into warnings:");
  for (int i = 0; i < PAGE_COUNT; i++) {
    const char *warning = warning_of(a, &pages[i]);
    if (warning) {
      printf("  %-31s %s\n", warning, pages[i].name);
    }
  }
  puts("tlalocc --explain=NAME prints the page of one of them.");
}

static void print_as_warning(const char *warning, const page *p) {
  printf("# %s\n\n"
         "What --no-strict-lowering makes of %s: a warning, and the call prints it and aborts when it runs.\n"
         "-Wno-%s hides it, -Werror=%s makes it an error again. Of the error itself:\n\n",
         warning, p->name, warning, warning);
}

int tl_explain(tl_arena *a, const char *name) {
  if (!name) {
    list(a);
    return 0;
  }
  const char *wanted = strncmp(name, "-W", 2) == 0 ? name + 2 : name;
  tl_near near = {.wrong = wanted, .any_case = true};
  for (int i = 0; i < PAGE_COUNT; i++) {
    const page *p = &pages[i];
    const char *warning = warning_of(a, p);
    bool as_warning = warning && strcasecmp(warning, wanted) == 0;
    if (is_empty(p) || !(as_warning || strcasecmp(p->name, wanted) == 0)) {
      tl_near_consider(&near, is_empty(p) ? "" : p->name);
      tl_near_consider(&near, warning ? warning : "");
      continue;
    }
    if (as_warning) {
      print_as_warning(warning, p);
    }
    fputs((const char *)p->text, stdout);
    return 0;
  }
  fprintf(stderr, "tlalocc: error: there is no diagnostic '%s'", name);
  if (near.best && *near.best) {
    fprintf(stderr, "; did you mean '%s'?", near.best);
  }
  fputs("\ntlalocc: note: tlalocc --explain lists them all\n", stderr);
  return 1;
}

bool tl_explain_knows_warnings(tl_arena *a, const tl_args *options) {
  for (uint32_t i = 0; i < options->count; i++) {
    const char *option = options->data[i], *name = strstr(option, "tl-");
    if (strncmp(option, "-Wno-tl-", 8) == 0 || tl_warning_is_known(name)) {
      continue;
    }
    tl_near near = {.wrong = name};
    for (int k = 0; k < PAGE_COUNT; k++) {
      const char *warning = pages[k].code ? warning_of(a, &pages[k]) : pages[k].name;
      tl_near_consider(&near, warning && !is_empty(&pages[k]) ? warning : "");
    }
    fprintf(stderr, "tlalocc: error: there is no warning '%s' for '%s'", name, option);
    if (near.best && *near.best) {
      fprintf(stderr, "; did you mean '%.*s%s'?", (int)(name - option), option, near.best);
    }
    fputc('\n', stderr);
    return false;
  }
  return true;
}

void tl_explain_options(void) {
  fputs("Usage: tlalocc [options] file...\n"
        "cc, with the intrinsics of <tlaloc/grad.h>. Options of its own:\n"
        "  --dump-grad-source          Print the derivatives as C that stands alone.\n"
        "  --dump-grad-source-dir=DIR  The same into DIR/OBJECT.grad/, one folder per object.\n"
        "  --dump-ir[=PASS]            Print DXIR, after the last pass or after PASS.\n"
        "  --[no-]strict-lowering      A refusal is an error (default), or warns and the call aborts when it runs.\n"
        "  --diagnostics-format=FORMAT text (default) or json.\n"
        "  --unsafe-allow-unsupported-clang\n"
        "                              Accept a libclang that this release was not tested with.\n"
        "  --explain[=NAME]            Print what an error's code or a warning means, with an example, or list them.\n"
        "  --tlaloc-version            Print the version of Tlaloc.\n",
        stdout);
#define TL_OPTION(id, name, is_on, text)                                                                               \
  printf("  -W[no-]%-20s Warn where %s; %s by default.\n", name, text, (is_on) ? "on" : "off");
  TL_WARNING_MAP(TL_OPTION)
#undef TL_OPTION
  fputs("  -Werror=tl-..., -Wno-error=tl-...\n"
        "                              Make a warning an error, or not, as with the compiler's own.\n"
        "Environment: TLALOCC_CC (the compiler, default cc), TLALOCC_TIMEOUT (seconds per file, default 120).\n"
        "\nOptions of the compiler:\n",
        stdout);
}

bool tl_explain_flush(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) {
    return true;
  }
  fprintf(stderr, "tlalocc: error: cannot write standard output: %s\n", strerror(errno));
  return false;
}

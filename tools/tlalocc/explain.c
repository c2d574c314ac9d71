#include "explain.h"

#include <stdio.h>
#include <strings.h>

int tl_explain(const char *code) {
  for (const tl_explain_page *p = tl_explain_pages; p->code; p++) {
    if (strcasecmp(p->code, code) == 0) {
      fputs(p->text, stdout);
      return 0;
    }
  }
  fprintf(stderr, "tlalocc: error: there is no diagnostic '%s'; these are explained:\n", code);
  for (const tl_explain_page *p = tl_explain_pages; p->code; p++) {
    fprintf(stderr, "  %s\n", p->code);
  }
  return 1;
}

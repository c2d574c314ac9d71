/* The pages of docs/diagnostics, built in. */
#ifndef TLALOCC_EXPLAIN_H
#define TLALOCC_EXPLAIN_H

typedef struct tl_explain_page {
  const char *code; /* "NOT_SCALAR", "tl-array-copy" */
  const char *text;
} tl_explain_page;

extern const tl_explain_page tl_explain_pages[]; /* explain_pages.c, made at build time; ends with a NULL code */

/* Prints the page; 1 and the list of codes on stderr where there is none. */
int tl_explain(const char *code);

#endif

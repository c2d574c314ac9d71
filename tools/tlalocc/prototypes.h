/* What the generated functions of a file look like, for the user whose call of one the compiler refuses: the child
 * writes it beside the copy, the driver reads it. */
#ifndef TLALOCC_PROTOTYPES_H
#define TLALOCC_PROTOTYPES_H

#include <stdio.h>

#include "base/diag.h"

/* One line of that file. */
typedef struct tl_prototype {
  const char *name, *text; /* "f__grad", "double f__grad(double x)" */
  tl_loc primal;           /* where the function is declared that it is of */
  const char *use_lines;   /* ",3,17,": where the file names it */
} tl_prototype;

void tl_prototype_write(const tl_prototype *, FILE *);

/* A note with the prototype of each generated function that an error among cc's messages names, or whose missing value
 * it is about. */
void tl_prototypes_explain(tl_diag *, const char *prototypes, const char *messages);

#endif

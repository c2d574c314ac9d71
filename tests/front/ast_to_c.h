/* A parsed unit printed back as C with every conversion explicit: what the tree means, for a compiler to judge. */
#ifndef TL_TESTS_FRONT_AST_TO_C_H
#define TL_TESTS_FRONT_AST_TO_C_H

#include <stdio.h>

#include "front/ast.h"

/* False if something in the file's own functions or objects is of a kind that is refused. */
bool ast_to_c(FILE *, const tl_unit *);

#endif

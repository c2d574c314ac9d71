/* The syntax tree as text, for tests and for looking at: one S-expression per object or function. */
#ifndef TL_FRONT_AST_PRINT_H
#define TL_FRONT_AST_PRINT_H

#include <stdio.h>

#include "front/ast.h"

void tl_ast_print_decl(FILE *, const tl_decl *);
void tl_ast_print_function(FILE *, const tl_function *);

#endif

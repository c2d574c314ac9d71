/* The syntax tree as text, for tests and for looking at: one S-expression per object or function. */
#ifndef TL_FRONT_AST_PRINT_H
#define TL_FRONT_AST_PRINT_H

#include <stdio.h>

#include "front/ast.h"

void tl_ast_print_type(FILE *, const tl_ctype *);
void tl_ast_print_expr(FILE *, const tl_expr *);
void tl_ast_print_stmt(FILE *, const tl_stmt *, int indent);
void tl_ast_print_decl(FILE *, const tl_decl *);
void tl_ast_print_function(FILE *, const tl_function *);

#endif

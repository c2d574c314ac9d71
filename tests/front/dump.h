/* A parsed file as text, for goldens. */
#ifndef TL_TESTS_FRONT_DUMP_H
#define TL_TESTS_FRONT_DUMP_H

#include <stdio.h>

#include "front/parse.h"

/* Reads a whole file into the arena; NULL if it cannot be opened. */
char *read_text(tl_arena *, const char *path);
/* Diagnostics, requests, objects, and the functions that the file names or defines. */
void dump_parse(FILE *, const tl_diag *, const tl_parse_result *, bool sources);

#endif

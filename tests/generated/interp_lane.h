/* A program through the libraries in process: parsed, lowered, derived, run by the interpreter. */
#ifndef GEN_INTERP_LANE_H
#define GEN_INTERP_LANE_H

#include "check.h"
#include "front/parse.h"
#include "ir/ir.h"

typedef struct gen_unit {
  tl_arena arena;
  tl_diag diag;
  tl_parse_result parsed;
} gen_unit;

/* Parses the front's text of a file of programs. False with a message on standard error. */
bool gen_unit_read(gen_unit *, const char *path, const char *include_dir);
void gen_unit_deinit(gen_unit *);

typedef struct gen_derived {
  const gen_program *p;
  tl_arena arena;
  tl_diag diag;
  tl_module *module;
  tl_func *primal, *vjp, *jvp, *extra;
  gen_outcome *outcome;
} gen_derived;

/* Lowers and verifies. False with the outcome set. To be given back in both cases. */
bool gen_derived_init(gen_derived *, const gen_unit *, const gen_program *, gen_outcome *);
/* Derives and verifies. */
bool gen_derived_derive(gen_derived *);
void gen_derived_deinit(gen_derived *);
/* The calls that gen_check makes. */
gen_target gen_derived_target(gen_derived *, gen_reference_fn *, gen_primal_fn *plain);

#endif

/* A generated function that runs derivatives many times (Jacobians, Hessians, checks): f's parameters in front, copies
 * of what f writes, and passes in storage of their own. */
#ifndef TL_TRANSFORM_FRAME_H
#define TL_TRANSFORM_FRAME_H

#include "transform/derive_priv.h"

typedef struct tl_frame {
  tl_func *f, *h;
  tl_builder b;      /* at the end of h's body */
  tl_value *map;     /* f's values: parameters, and what their extents need */
  tl_value *initial; /* by leaf of f: its content at entry, a copy where f writes it; TL_NO_VALUE for an output */
} tl_frame;

/* Begins h, named by the derivation: f's cparams, leaves and extents. */
void tl__frame_begin(tl_frame *, tl_derive_ctx *);
/* The arguments for g's first parameters, which are f's leaves: what f writes gets storage of its own. */
void tl__frame_pass_leaves(tl_frame *, const tl_func *g, tl_value *map);
/* A local array like `array` (flags beside LOCAL), named after it. */
tl_value tl__frame_scratch(tl_frame *, tl_value array, unsigned flags, const char *suffix);
/* A zero array like `like` with a one at `at`. */
tl_value tl__frame_unit(tl_frame *, tl_value like, const tl_value *at, const char *suffix);
/* A derivative that was inlined is nobody's to find. */
void tl__frame_forget(tl_frame *, const tl_func *g);

#endif

/* Copies of whole functions, from which the transforms start. */
#ifndef TL_TRANSFORM_COPY_H
#define TL_TRANSFORM_COPY_H

#include "ir/ir.h"

/* f under another name: signature, body and results. */
tl_func *tl__func_copy(const tl_func *f, const char *name);
/* A function of f's module that begins like f: its declarators, its leaves (TL_ORIGIN_PRIMAL) and the parameters of its
 * body, to which the map (by f's values) leads. Their symbolic extents are still f's: tl__func_map_param_extents sets
 * them once the map holds the values that they refer to. */
tl_func *tl__func_begin_like(const tl_func *f, const char *name, tl_value **out_map);
/* How many ops at the head of f's body it takes to have all parameters' extents. */
uint32_t tl__func_extent_ops(const tl_func *f);
void tl__func_map_param_extents(tl_func *to, const tl_func *f, const tl_value *map);
/* Both at once: those ops are copied to `b`, and the parameters get their extents. */
void tl__func_copy_extents(tl_builder *b, const tl_func *f, tl_value *map);

#endif

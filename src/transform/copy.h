/* Copies of whole functions, from which the transforms start. */
#ifndef TL_TRANSFORM_COPY_H
#define TL_TRANSFORM_COPY_H

#include "ir/ir.h"

/* f under another name: signature, body and results. */
tl_func *tl__func_copy(const tl_func *f, const char *name);
/* Gives `to` the parameters of f's body; the map (by f's values) leads to them. Their symbolic extents are still f's:
 * tl__func_map_param_extents sets them once the map holds the values that they refer to. */
tl_value *tl__func_copy_params(tl_func *to, const tl_func *f);
/* How many ops at the head of f's body it takes to have all parameters' extents. */
uint32_t tl__func_extent_ops(const tl_func *f);
void tl__func_map_param_extents(tl_func *to, const tl_func *f, const tl_value *map);

#endif

/* The elements of arrays: loops over them, how many there are, and arrays with one more axis for lanes. */
#ifndef TL_TRANSFORM_ELEMENTS_H
#define TL_TRANSFORM_ELEMENTS_H

#include "ir/ir.h"

typedef void tl_element_visitor(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count,
                                tl_value *carries);
/* Calls `visit` once to build the body of a loop nest over the elements of `type`, with `carries` carried through.
 * `linear` is the element's number in row-major order. A scalar is one element. */
void tl__each_element(tl_builder *, tl_type, uint32_t carry_count, tl_value *carries, tl_element_visitor *, void *ctx);
tl_value tl__extent_value(tl_builder *, tl_extent);
/* How many elements lie along the axes from `axis` on, as a value of the dtype. */
tl_value tl__element_count(tl_builder *, tl_type, int axis, tl_dtype);
/* How many elements a tensor of this type has; its extents are stated. */
tl_extent tl__tensor_count(tl_builder *, tl_type);
/* 0, 1, ... n - 1 as an I64 tensor. */
tl_value tl__build_numbers(tl_builder *, tl_extent n);
/* The type with one more axis, the last, of that many lanes; the type itself for 0. */
tl_type tl__lane_type(tl_func *, tl_type, uint32_t lanes);

#endif

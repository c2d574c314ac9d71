/* The types of tensors, checked in every function of a unit: what tl_typed states against what is known of the values
 * that get there, and each op by its rule of types (ir/shape.h).
 *
 * What is known of a value follows it: through objects and members, over branches (what both sides agree in) and
 * loops, into calls and out of them by what their parameters and results state. Of what is not known nothing is
 * refused, except that a stated type is needed where one is stated: UNTYPED_TENSOR, which tl_as mends. */
#ifndef TL_FRONT_CHECK_H
#define TL_FRONT_CHECK_H

#include "front/parse.h"

/* Errors go to the unit's sink. A unit without tensors costs a look-up. */
void tl_check_tensors(const tl_parse_result *);

#endif

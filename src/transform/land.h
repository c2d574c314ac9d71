/* Local arrays that end as a result of the function. */
#ifndef TL_TRANSFORM_LAND_H
#define TL_TRANSFORM_LAND_H

#include "ir/ir.h"

/* Makes the parameter, a matrix that nothing uses yet, the storage of an array of the function's body that has as many
 * elements, and returns the array's content there: the last axis runs along the rows, the axes ahead of it together
 * number them. TL_NO_VALUE, with nothing changed, where the array is not made in the body, or where anything but loads
 * and stores uses a version of it. */
tl_value tl__land(tl_func *, tl_value array, tl_value param, tl_arena *scratch);

#endif

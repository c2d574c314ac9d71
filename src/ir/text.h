/* What the printer and the parser of the text form share. */
#ifndef TL_IR_TEXT_H
#define TL_IR_TEXT_H

#include "ir/ir.h"

/* The value of the dtype nearest to the number as C spells it. */
long double tl__text_to_float(tl_dtype, const char *);

#define TL__ALLOC_FLAGS                                                                                                \
  {TL_ALLOC_ZEROED, "zeroed"}, {TL_ALLOC_TAPE, "tape"}, {TL_ALLOC_GROW, "grow"}, {TL_ALLOC_LOCAL, "local"},            \
      {TL_ALLOC_TABLE, "table"}

#endif

/* C through the whole translation in this process: libclang, lowering, derivation, emission, dump. */
#ifndef TRANSLATE_H
#define TRANSLATE_H

#include "front.h"

/* -I of the folder that holds tlaloc/grad.h: TL_FUZZ_INCLUDE or include. */
const char *translate_include_arg(void);

/* The file at `path`; `preprocessed` is the path of what cc -E made of it, or NULL. Aborts where it is refused without
 * a diagnostic or for a fault of ours. Whether cc was found to read another program comes out by its message, or NULL,
 * which is valid until the next call. */
tl_front_status translate(const char *path, const char *preprocessed, const char **out_mismatch);

#endif

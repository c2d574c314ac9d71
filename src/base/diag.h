/* Diagnostics: what a compile says, collected in order and printed once. Thread-compatible. */
#ifndef TL_BASE_DIAG_H
#define TL_BASE_DIAG_H

#include <stdio.h>

#include "base/arena.h"
#include "base/vec.h"
#include "tlaloc/tlaloc.h"

/* A half-open range of source on one line; line and column count from 1, columns in bytes. line 0: no place. */
typedef struct tl_loc {
  const char *file; /* as the user would spell it; interned or in an arena that outlives the sink */
  uint32_t line, column, end_column;
} tl_loc;

typedef enum tl_severity { TL_ERROR, TL_WARNING, TL_NOTE } tl_severity;

typedef struct tl_diag_item {
  tl_severity severity;
  tl_status code;      /* TL_OK for warnings and notes without a code */
  const char *warning; /* "tl-array-copy" and its kin, or NULL */
  tl_loc loc;
  const char *message;
  const char *fix; /* replacement text for the range, or NULL */
} tl_diag_item;

typedef struct tl_diag {
  tl_arena *arena;
  TL_VEC(tl_diag_item) items; /* a note belongs to the item before it */
  uint32_t errors;
} tl_diag;

void tl_diag_init(tl_diag *, tl_arena *);
void tl_diag_error(tl_diag *, tl_status, tl_loc, const char *format, ...) __attribute__((format(printf, 4, 5)));
void tl_diag_warn(tl_diag *, const char *warning, tl_loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void tl_diag_note(tl_diag *, tl_loc, const char *format, ...) __attribute__((format(printf, 3, 4)));

TL_API const char *tl_status_name(tl_status);
const char *tl_status_text(tl_status);

#endif

#include "base/diag.h"

void tl_diag_init(tl_diag *d, tl_arena *arena) { *d = (tl_diag){.arena = arena}; }

static void add(tl_diag *d, tl_severity severity, tl_status code, const char *warning, tl_loc loc, const char *format,
                va_list args) {
  tl_diag_item item = {severity, code, warning, loc, tl_arena_vprintf(d->arena, format, args), NULL};
  TL_PUSH(d->arena, d->items, item);
  if (severity == TL_ERROR) {
    d->errors++;
  }
}

void tl_diag_error(tl_diag *d, tl_status code, tl_loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add(d, TL_ERROR, code, NULL, loc, format, args);
  va_end(args);
}

void tl_diag_warn(tl_diag *d, const char *warning, tl_loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add(d, TL_WARNING, TL_OK, warning, loc, format, args);
  va_end(args);
}

void tl_diag_note(tl_diag *d, tl_loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add(d, TL_NOTE, TL_OK, NULL, loc, format, args);
  va_end(args);
}

const char *tl_status_name(tl_status s) {
  switch (s) {
#define TL_NAME(id, number, text)                                                                                      \
  case id:                                                                                                             \
    return &#id[3];
    TL_STATUS_MAP(TL_NAME)
#undef TL_NAME
  }
  return "?";
}

const char *tl_status_text(tl_status s) {
  switch (s) {
#define TL_TEXT(id, number, text)                                                                                      \
  case id:                                                                                                             \
    return text;
    TL_STATUS_MAP(TL_TEXT)
#undef TL_TEXT
  }
  return "?";
}

/* What tl_last_message says. */
#include <stdarg.h>
#include <string.h>

#include "capture/graph.h"

static _Thread_local char message[512];

const char *tl_last_message(void) { return message; }

tl_status tl__graph_fail(tl_status status, const char *format, ...) {
  char text[sizeof message]; /* an argument may be the last message */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  memcpy(message, text, sizeof message);
  return status;
}

tl_status tl__graph_fail_by(const tl_diag *diag) {
  for (uint32_t i = 0; i < diag->items.count; i++) {
    const tl_diag_item *item = &diag->items.data[i];
    if (item->severity == TL_ERROR && item->loc.line && item->loc.file) {
      return tl__graph_fail(item->code, "%s:%u:%u: %s", item->loc.file, item->loc.line, item->loc.column,
                            item->message);
    }
    if (item->severity == TL_ERROR) {
      return tl__graph_fail(item->code, "%s", item->message);
    }
  }
  return tl__graph_fail(TL_INTERNAL_ERROR, "a refusal without a message");
}

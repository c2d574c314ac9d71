#include "base/warning.h"

#include <ctype.h>
#include <string.h>

#include "base/diag.h"

/* NO_DEFINITION and its like leave no function to call; the others are about more than one derivative. */
bool tl_status_may_warn(tl_status s) {
  switch (s) {
  case TL_NOT_DIFFERENTIABLE:
  case TL_NOT_SCALAR:
  case TL_UNKNOWN_EXTERNAL:
  case TL_EXTENT_UNKNOWN:
  case TL_ACTIVE_INTEGER:
  case TL_ACTIVE_UNION:
  case TL_ACTIVE_CAST:
  case TL_ACTIVE_GLOBAL:
  case TL_POINTER_UNKNOWN:
  case TL_FUNCTION_POINTER_UNKNOWN:
  case TL_ALIASING_ARGUMENTS:
  case TL_UNSUPPORTED_CONSTRUCT:
  case TL_CUSTOM_RULE_SIGNATURE:
  case TL_EXTENT_BATCHED:
  case TL_VMAP_NO_BATCHING_RULE:
    return true;
  case TL_OK:
  case TL_OUT_OF_MEMORY:
  case TL_INTERNAL_ERROR:
  case TL_IR_INVALID:
  case TL_NO_SUCH_PARAMETER:
  case TL_NO_DEFINITION:
  case TL_NAME_CLASH:
  case TL_FRONT_MISMATCH:
  case TL_VERSION_UNSUPPORTED:
  case TL_ARGUMENT_COUNT:
  case TL_NAMED_INDEX_MISMATCH:
  case TL_TENSOR_SHAPE_MISMATCH:
  case TL_DTYPE_MISMATCH:
  case TL_DTYPE_UNSUPPORTED:
  case TL_INDEX_OUT_OF_RANGE:
  case TL_TRACED_TENSOR:
  case TL_DONATED:
  case TL_PADDING_DIFFERS:
  case TL_ENGINE_UNKNOWN:
  case TL_ENGINE_CLOSED:
  case TL_BOUNDED_DIM_EXCEEDED:
  case TL_BOUNDED_AXIS_MISMATCH:
  case TL_BOUNDED_DIM_INVALID:
  case TL_UNTYPED_TENSOR:
  case TL_FILE_UNREADABLE:
  case TL_FILE_UNWRITABLE:
  case TL_FILE_TRUNCATED:
  case TL_FORMAT_UNKNOWN:
  case TL_HEADER_INVALID:
  case TL_VMAP_AXIS_NAME_CLASH:
    return false;
  }
  return false;
}

static char warning_character(char c) { return c == '_' ? '-' : (char)tolower((unsigned char)c); }

const char *tl_status_warning(tl_arena *a, tl_status s) {
  char *name = tl_arena_printf(a, "tl-%s", tl_status_name(s));
  for (char *p = name + 3; *p; p++) {
    *p = warning_character(*p);
  }
  return name;
}

static bool warns_under(tl_status s, const char *name) {
  const char *code = tl_status_name(s);
  if (!tl_status_may_warn(s) || strncmp(name, "tl-", 3) != 0) {
    return false;
  }
  for (name += 3; *name && *code && *name == warning_character(*code); name++) {
    code++;
  }
  return !*name && !*code;
}

tl_status tl_warning_status(const char *name) {
#define TL_WARNS_UNDER(id, number, text)                                                                               \
  if (warns_under(id, name)) {                                                                                         \
    return id;                                                                                                         \
  }
  TL_STATUS_MAP(TL_WARNS_UNDER)
#undef TL_WARNS_UNDER
  return TL_OK;
}

static const struct {
  const char *name;
  bool is_on;
} own[] = {
#define TL_OWN(id, name, is_on, text) {name, is_on},
    TL_WARNING_MAP(TL_OWN)
#undef TL_OWN
};

bool tl_warning_is_known(const char *name) {
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (strcmp(own[i].name, name) == 0) {
      return true;
    }
  }
  return tl_warning_status(name) != TL_OK;
}

bool tl_warning_is_on(const char *name) {
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (strcmp(own[i].name, name) == 0) {
      return own[i].is_on;
    }
  }
  return true;
}

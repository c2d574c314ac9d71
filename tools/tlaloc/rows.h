/* `tlaloc rows`: single ops with inputs and the outputs that are right, one JSON object a line.
 *
 * A line has name, op, attrs, inputs, outputs, expected (arrays of {dtype, shape, hex}), check with max_ulp or atol,
 * and perhaps note or upstream_disabled, which make it one that is listed and not required. */
#ifndef TL_TOOLS_ROWS_H
#define TL_TOOLS_ROWS_H

#include <json-c/json.h>

#include "tlaloc/engine.h"

enum { ROW_MOST = 16 }; /* inputs or outputs */

typedef enum row_check { ROW_EQ, ROW_CLOSE, ROW_ALMOST_EQ } row_check;

typedef struct row_value {
  tl_dtype dtype;
  tl_shape shape;
  size_t bytes;
  unsigned char *data; /* row-major; NULL of an output, whose type is all that is known */
} row_value;

typedef struct row_values {
  int count;
  row_value at[ROW_MOST];
} row_values;

typedef struct row {
  const char *name, *op;
  struct json_object *attrs;
  row_values inputs, outputs, expected;
  row_check check;
  int64_t max_ulp;
  double atol;
  const char *note; /* why it is in doubt; NULL */
  struct json_object *json;
} row;

/* What is wrong in a file: the key, by its path, and what its value is. */
typedef struct row_error {
  char key[64], text[256];
} row_error;

/* One line. row_deinit whatever it returned; false with the error set. */
bool row_init(row *, const char *line, size_t length, row_error *);
void row_deinit(row *);
const char *row_dtype_name(tl_dtype); /* as the format has it */

/* row_ops.c: the row's op by the library's functions, on tensors of the inputs' types. False where the op, or an
 * attribute of it, is not one that is known, with the error set; an op that refuses is a failed tensor. */
bool row_apply(const row *, const tl_tensor in[], tl_tensor out[], row_error *);

/* row_check.c: whether the output is what is expected; else what differs. */
bool row_matches(const row *, int output, tl_tensor, char *out_text, size_t length);

/* rows.c: the command; the process's exit status. `engine` is NULL for eager calls. */
int rows_run(const char *path, const char *engine);

#endif

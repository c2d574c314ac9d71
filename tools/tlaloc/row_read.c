#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "rows.h"

static const struct {
  const char *name;
  tl_dtype dtype;
} dtypes[] = {{"i1", TL_BOOL},   {"i8", TL_I8},    {"i16", TL_I16},  {"i32", TL_I32},          {"i64", TL_I64},
              {"ui8", TL_U8},    {"ui16", TL_U16}, {"ui32", TL_U32}, {"ui64", TL_U64},         {"f16", TL_F16},
              {"bf16", TL_BF16}, {"f32", TL_F32},  {"f64", TL_F64},  {"f8E4M3FN", TL_F8E4M3FN}};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

const char *row_dtype_name(tl_dtype d) {
  for (int i = 0; i < DTYPES; i++) {
    if (dtypes[i].dtype == d) {
      return dtypes[i].name;
    }
  }
  return tl_dtype_name(d);
}

/* The value as it stands in the file, cut short. */
static const char *value_text(struct json_object *v) {
  static _Thread_local char text[64];
  snprintf(text, sizeof text, "%s", v ? json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN) : "null");
  return text;
}

static bool wrong(row_error *e, const char *key, struct json_object *v, const char *what) {
  snprintf(e->key, sizeof e->key, "%s", key);
  snprintf(e->text, sizeof e->text, "%s is not %s", value_text(v), what);
  return false;
}

static bool missing(row_error *e, const char *key) {
  snprintf(e->key, sizeof e->key, "%s", key);
  snprintf(e->text, sizeof e->text, "there is none");
  return false;
}

static bool read_string(struct json_object *o, const char *key, const char **out, row_error *e) {
  struct json_object *v;
  if (!json_object_object_get_ex(o, key, &v)) {
    return missing(e, key);
  }
  *out = json_object_get_string(v);
  return json_object_is_type(v, json_type_string) || wrong(e, key, v, "a string");
}

static int nibble(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

static bool read_shape(struct json_object *v, row_value *out, const char *key, row_error *e) {
  if (!json_object_is_type(v, json_type_array) || json_object_array_length(v) > TL_MAX_RANK) {
    return wrong(e, key, v, "a list of at most 12 extents");
  }
  out->shape.rank = (int)json_object_array_length(v);
  out->bytes = tl_dtype_size(out->dtype);
  for (int i = 0; i < out->shape.rank; i++) {
    struct json_object *n = json_object_array_get_idx(v, (size_t)i);
    int64_t extent = json_object_get_int64(n);
    if (!json_object_is_type(n, json_type_int) || extent < 0 || extent > INT32_MAX ||
        __builtin_mul_overflow(out->bytes, (size_t)extent, &out->bytes) || out->bytes > SIZE_MAX / 4) {
      return wrong(e, key, v, "a shape");
    }
    out->shape.dim[i] = extent;
  }
  return true;
}

static bool read_hex(struct json_object *v, row_value *out, const char *key, row_error *e) {
  const char *text = json_object_get_string(v);
  if (!json_object_is_type(v, json_type_string) || strlen(text) != 2 * out->bytes) {
    char what[80];
    snprintf(what, sizeof what, "%zu bytes as two digits each", out->bytes);
    return wrong(e, key, v, what);
  }
  out->data = malloc(out->bytes + 1);
  if (!out->data) {
    snprintf(e->text, sizeof e->text, "there is no memory for %zu bytes", out->bytes);
    snprintf(e->key, sizeof e->key, "%s", key);
    return false;
  }
  for (size_t i = 0; i < out->bytes; i++) {
    int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);
    bool is_truth = out->dtype != TL_BOOL || (high == 0 && low <= 1);
    if (high < 0 || low < 0 || !is_truth) {
      return wrong(e, key, v, is_truth ? "hexadecimal" : "of bytes that are 0 or 1");
    }
    out->data[i] = (unsigned char)(high << 4 | low);
  }
  return true;
}

static bool read_value(struct json_object *v, row_value *out, bool has_data, const char *key, row_error *e) {
  struct json_object *dtype, *shape, *hex;
  char path[64];
  if (!json_object_is_type(v, json_type_object)) {
    return wrong(e, key, v, "an object");
  }
  snprintf(path, sizeof path, "%.48s.dtype", key);
  if (!json_object_object_get_ex(v, "dtype", &dtype)) {
    return missing(e, path);
  }
  int known = -1;
  for (int i = 0; json_object_is_type(dtype, json_type_string) && i < DTYPES; i++) {
    known = strcmp(json_object_get_string(dtype), dtypes[i].name) == 0 ? i : known;
  }
  if (known < 0) {
    return wrong(e, path, dtype, "a dtype that is known");
  }
  out->dtype = dtypes[known].dtype;
  snprintf(path, sizeof path, "%.48s.shape", key);
  if (!json_object_object_get_ex(v, "shape", &shape)) {
    return missing(e, path);
  }
  if (!read_shape(shape, out, path, e) || !has_data) {
    return !has_data && !*e->key;
  }
  snprintf(path, sizeof path, "%.48s.hex", key);
  return json_object_object_get_ex(v, "hex", &hex) ? read_hex(hex, out, path, e) : missing(e, path);
}

static bool read_values(struct json_object *o, const char *key, row_values *out, bool has_data, row_error *e) {
  struct json_object *v;
  if (!json_object_object_get_ex(o, key, &v)) {
    return missing(e, key);
  }
  if (!json_object_is_type(v, json_type_array) || json_object_array_length(v) > ROW_MOST) {
    return wrong(e, key, v, "a list of at most 16 values");
  }
  size_t count = json_object_array_length(v);
  for (size_t i = 0; i < count; i++) {
    char path[64];
    snprintf(path, sizeof path, "%s[%zu]", key, i);
    out->count = (int)i + 1;
    if (!read_value(json_object_array_get_idx(v, i), &out->at[i], has_data, path, e)) {
      return false;
    }
  }
  return true;
}

static bool read_check(struct json_object *o, row *r, row_error *e) {
  const char *check;
  struct json_object *v;
  if (!read_string(o, "check", &check, e)) {
    return false;
  }
  if (strcmp(check, "eq") == 0) {
    r->check = ROW_EQ;
    return true;
  }
  if (strcmp(check, "close") == 0) {
    r->check = ROW_CLOSE;
    if (!json_object_object_get_ex(o, "max_ulp", &v)) {
      return missing(e, "max_ulp");
    }
    r->max_ulp = json_object_get_int64(v);
    return (json_object_is_type(v, json_type_int) && r->max_ulp >= 0) || wrong(e, "max_ulp", v, "a number of steps");
  }
  if (strcmp(check, "almost_eq") == 0) {
    r->check = ROW_ALMOST_EQ;
    if (!json_object_object_get_ex(o, "atol", &v)) {
      return missing(e, "atol");
    }
    r->atol = json_object_get_double(v);
    bool is_number = json_object_is_type(v, json_type_double) || json_object_is_type(v, json_type_int);
    return (is_number && r->atol >= 0) || wrong(e, "atol", v, "a tolerance");
  }
  json_object_object_get_ex(o, "check", &v);
  return wrong(e, "check", v, "eq, close or almost_eq");
}

static bool read_note(struct json_object *o, row *r, row_error *e) {
  static const char *const keys[] = {"upstream_disabled", "note"};
  for (int i = 0; i < 2; i++) {
    struct json_object *v;
    if (json_object_object_get_ex(o, keys[i], &v)) {
      if (!json_object_is_type(v, json_type_string)) {
        return wrong(e, keys[i], v, "a string");
      }
      r->note = json_object_get_string(v);
    }
  }
  return true;
}

static bool read_row(row *r, row_error *e) {
  struct json_object *o = r->json;
  if (!read_string(o, "name", &r->name, e) || !read_string(o, "op", &r->op, e)) {
    return false;
  }
  if (!json_object_object_get_ex(o, "attrs", &r->attrs)) {
    return missing(e, "attrs");
  }
  if (!json_object_is_type(r->attrs, json_type_object)) {
    return wrong(e, "attrs", r->attrs, "an object");
  }
  if (!read_values(o, "inputs", &r->inputs, true, e) || !read_values(o, "outputs", &r->outputs, false, e) ||
      !read_values(o, "expected", &r->expected, true, e) || !read_check(o, r, e) || !read_note(o, r, e)) {
    return false;
  }
  if (r->outputs.count != r->expected.count) {
    snprintf(e->key, sizeof e->key, "expected");
    snprintf(e->text, sizeof e->text, "%d values for %d outputs", r->expected.count, r->outputs.count);
    return false;
  }
  for (int i = 0; i < r->outputs.count; i++) {
    const row_value *a = &r->outputs.at[i], *b = &r->expected.at[i];
    if (a->dtype != b->dtype || a->shape.rank != b->shape.rank ||
        memcmp(a->shape.dim, b->shape.dim, sizeof *a->shape.dim * (size_t)a->shape.rank) != 0) {
      snprintf(e->key, sizeof e->key, "expected[%d]", i);
      snprintf(e->text, sizeof e->text, "it has another type than outputs[%d]", i);
      return false;
    }
  }
  return true;
}

bool row_init(row *r, const char *line, size_t length, row_error *e) {
  *r = (row){.name = ""};
  *e = (row_error){.key = ""};
  struct json_tokener *t = json_tokener_new_ex(32);
  if (!t || length > INT32_MAX) {
    json_tokener_free(t);
    snprintf(e->text, sizeof e->text, t ? "it is too long" : "there is no memory");
    return false;
  }
  json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
  r->json = json_tokener_parse_ex(t, line, (int)length);
  enum json_tokener_error error = json_tokener_get_error(t);
  size_t end = json_tokener_get_parse_end(t);
  json_tokener_free(t);
  if (error != json_tokener_success || end != length) {
    snprintf(e->text, sizeof e->text, "column %zu: %s", end + 1,
             error == json_tokener_success    ? "something follows the object"
             : error == json_tokener_continue ? "the line ends within the object"
                                              : json_tokener_error_desc(error));
    return false;
  }
  if (!json_object_is_type(r->json, json_type_object)) {
    snprintf(e->text, sizeof e->text, "%s is not an object", value_text(r->json));
    return false;
  }
  return read_row(r, e);
}

void row_deinit(row *r) {
  row_values *all[] = {&r->inputs, &r->outputs, &r->expected};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < all[k]->count; i++) {
      free(all[k]->at[i].data);
    }
  }
  json_object_put(r->json);
  *r = (row){.name = ""};
}

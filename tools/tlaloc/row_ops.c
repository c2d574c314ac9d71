/* The ops of rows by the library's functions. Nothing is computed here: names, attributes and their order are mapped.
 */
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "rows.h"

typedef struct call {
  const row *row;
  const tl_tensor *in;
  tl_tensor *out;
  row_error *error;
} call;

/* ---- attributes ---- */

static bool wrong(call *c, const char *key, struct json_object *v, const char *what) {
  snprintf(c->error->key, sizeof c->error->key, "attrs.%s", key);
  snprintf(c->error->text, sizeof c->error->text, "%.100s is not %s",
           v ? json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN) : "nothing", what);
  return false;
}

static struct json_object *in_object(struct json_object *o, const char *key) {
  struct json_object *v = NULL;
  return json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, key, &v) ? v : NULL;
}

static struct json_object *attr(const call *c, const char *key) { return in_object(c->row->attrs, key); }

static bool read_int(call *c, const char *key, struct json_object *v, int64_t *out) {
  *out = json_object_get_int64(v);
  return json_object_is_type(v, json_type_int) || wrong(c, key, v, "an integer");
}

static bool read_ints(call *c, const char *key, struct json_object *v, tl_ints *out) {
  if (!json_object_is_type(v, json_type_array) || json_object_array_length(v) > TL_MAX_RANK) {
    return wrong(c, key, v, "a list of at most 12 integers");
  }
  *out = (tl_ints){.rank = (int)json_object_array_length(v)};
  for (int i = 0; i < out->rank; i++) {
    if (!read_int(c, key, json_object_array_get_idx(v, (size_t)i), &out->dim[i])) {
      return false;
    }
  }
  return true;
}

static bool read_axes(call *c, const char *key, struct json_object *v, tl_axes *out) {
  tl_ints list;
  if (!read_ints(c, key, v, &list)) {
    return false;
  }
  *out = (tl_axes){.count = list.rank};
  for (int i = 0; i < list.rank; i++) {
    if (list.dim[i] < 0 || list.dim[i] >= TL_MAX_RANK) {
      return wrong(c, key, v, "a list of axes");
    }
    out->axis[i] = (int8_t)list.dim[i];
  }
  return true;
}

/* Pairs of numbers in front and behind. */
static bool read_padding(call *c, const char *key, struct json_object *v, tl_ints *low, tl_ints *high) {
  if (!json_object_is_type(v, json_type_array) || json_object_array_length(v) > TL_MAX_RANK) {
    return wrong(c, key, v, "a list of pairs");
  }
  *low = *high = (tl_ints){.rank = (int)json_object_array_length(v)};
  for (int i = 0; i < low->rank; i++) {
    tl_ints pair;
    if (!read_ints(c, key, json_object_array_get_idx(v, (size_t)i), &pair) || pair.rank != 2) {
      return wrong(c, key, v, "a list of pairs");
    }
    low->dim[i] = pair.dim[0];
    high->dim[i] = pair.dim[1];
  }
  return true;
}

static bool ints(call *c, const char *key, tl_ints *out) { return read_ints(c, key, attr(c, key), out); }
static bool axes(call *c, const char *key, tl_axes *out) { return read_axes(c, key, attr(c, key), out); }

static bool integer(call *c, const char *key, int *out) {
  int64_t v = 0;
  bool ok = read_int(c, key, attr(c, key), &v) && (v >= INT32_MIN && v <= INT32_MAX);
  *out = (int)v;
  return ok || wrong(c, key, attr(c, key), "an int");
}

static const char *word(call *c, const char *key) {
  struct json_object *v = attr(c, key);
  return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";
}

static bool has_inputs(call *c, int count) {
  if (c->row->inputs.count == count && c->row->outputs.count >= 1) {
    return true;
  }
  snprintf(c->error->key, sizeof c->error->key, "inputs");
  snprintf(c->error->text, sizeof c->error->text, "%d of them, and the op takes %d", c->row->inputs.count, count);
  return false;
}

/* A reducer by its name; on i1 or is a sum and and a product. `k` where each operand has one. */
static bool read_reducer(call *c, const char *key, int k, tl_dtype d, tl_reducer *out) {
  static const struct {
    const char *name;
    tl_reducer reducer;
    bool of_truths;
  } names[] = {{"add", TL_REDUCE_ADD, false},        {"mul", TL_REDUCE_MUL, false}, {"min", TL_REDUCE_MIN, false},
               {"max", TL_REDUCE_MAX, false},        {"or", TL_REDUCE_ADD, true},   {"and", TL_REDUCE_MUL, true},
               {"replace", TL_REDUCE_REPLACE, false}};
  struct json_object *v = attr(c, key);
  v = json_object_is_type(v, json_type_array) ? json_object_array_get_idx(v, (size_t)k) : v;
  for (size_t i = 0; json_object_is_type(v, json_type_string) && i < sizeof names / sizeof *names; i++) {
    if (strcmp(json_object_get_string(v), names[i].name) == 0 && (!names[i].of_truths || d == TL_BOOL)) {
      *out = names[i].reducer;
      return true;
    }
  }
  return wrong(c, key, v, "a reducer of this dtype that is served");
}

/* What a reduction starts from, taken in. */
static tl_tensor with_init(tl_reducer reducer, tl_tensor init, tl_tensor x) {
  switch (reducer) {
  case TL_REDUCE_ADD:
    return tl_add(init, x);
  case TL_REDUCE_MUL:
    return tl_mul(init, x);
  case TL_REDUCE_MIN:
    return tl_minimum(init, x);
  case TL_REDUCE_MAX:
    return tl_maximum(init, x);
  case TL_REDUCE_REPLACE:
    break;
  }
  return x;
}

/* ---- ops ---- */

static bool map_broadcast_in_dim(call *c) {
  tl_axes dims;
  if (!axes(c, "broadcast_dimensions", &dims)) {
    return false;
  }
  c->out[0] = tl_broadcast_in_dim(c->in[0], c->row->outputs.at[0].shape, dims);
  return true;
}

static bool map_reshape(call *c) {
  c->out[0] = tl_reshape(c->in[0], c->row->outputs.at[0].shape);
  return true;
}

static bool map_transpose(call *c) {
  tl_axes order;
  if (!axes(c, "permutation", &order)) {
    return false;
  }
  c->out[0] = tl_transpose(c->in[0], order);
  return true;
}

static bool map_reverse(call *c) {
  tl_axes dims;
  if (!axes(c, "dimensions", &dims)) {
    return false;
  }
  c->out[0] = tl_reverse(c->in[0], dims);
  return true;
}

static bool map_iota(call *c) {
  int axis;
  if (!integer(c, "iota_dimension", &axis)) {
    return false;
  }
  c->out[0] = tl_iota(c->row->outputs.at[0].dtype, c->row->outputs.at[0].shape, axis);
  return true;
}

static bool map_convert(call *c) {
  c->out[0] = tl_cast(c->in[0], c->row->outputs.at[0].dtype);
  return true;
}

static bool map_bitcast(call *c) {
  c->out[0] = tl_bitcast(c->in[0], c->row->outputs.at[0].dtype);
  return true;
}

static bool map_compare(call *c) {
  static const struct {
    const char *name;
    tl_tensor (*run)(tl_tensor, tl_tensor);
  } directions[] = {{"EQ", tl_eq}, {"NE", tl_ne}, {"LT", tl_lt}, {"LE", tl_le}, {"GT", tl_gt}, {"GE", tl_ge}};
  if (strcmp(word(c, "compare_type"), "TOTALORDER") == 0) {
    return wrong(c, "compare_type", attr(c, "compare_type"), "a comparison that is served");
  }
  for (int i = 0; i < 6; i++) {
    if (strcmp(word(c, "comparison_direction"), directions[i].name) == 0) {
      c->out[0] = directions[i].run(c->in[0], c->in[1]);
      return true;
    }
  }
  return wrong(c, "comparison_direction", attr(c, "comparison_direction"), "a direction");
}

static bool map_select(call *c) {
  c->out[0] = tl_where(c->in[0], c->in[1], c->in[2]);
  return true;
}

static bool map_select_n(call *c) {
  if (c->row->inputs.count < 2) {
    return has_inputs(c, 2);
  }
  c->out[0] = tl_select_n(c->in[0], c->row->inputs.count - 1, c->in + 1);
  return true;
}

static bool map_clamp(call *c) {
  c->out[0] = tl_clip(c->in[1], c->in[0], c->in[2]);
  return true;
}

static bool map_concatenate(call *c) {
  int axis;
  if (!integer(c, "dimension", &axis)) {
    return false;
  }
  c->out[0] = tl_concatenate(c->row->inputs.count, c->in, axis);
  return true;
}

static bool map_pad(call *c) {
  tl_ints low, high, interior;
  if (!ints(c, "edge_padding_low", &low) || !ints(c, "edge_padding_high", &high) ||
      !ints(c, "interior_padding", &interior)) {
    return false;
  }
  c->out[0] = tl_pad(c->in[0], c->in[1], low, high, interior);
  return true;
}

static bool map_slice(call *c) {
  tl_ints start, limit, stride;
  if (!ints(c, "start_indices", &start) || !ints(c, "limit_indices", &limit) || !ints(c, "strides", &stride)) {
    return false;
  }
  c->out[0] = tl_slice(c->in[0], start, limit, stride);
  return true;
}

/* The scalars that say where a window starts, as one tensor. */
static tl_tensor starts_of(call *c, int from) {
  tl_tensor starts[ROW_MOST];
  int count = c->row->inputs.count - from;
  for (int i = 0; i < count; i++) {
    starts[i] = tl_reshape(tl_cast(c->in[from + i], TL_I64), TL_SHAPE(1));
  }
  return count ? tl_concatenate(count, starts, 0) : tl_fill(TL_I64, TL_SHAPE(0), 0);
}

static bool map_dynamic_slice(call *c) {
  tl_ints sizes;
  if (c->row->inputs.count < 1 || !ints(c, "slice_sizes", &sizes)) {
    return c->row->inputs.count < 1 ? has_inputs(c, 1) : false;
  }
  c->out[0] = tl_dynamic_slice(c->in[0], starts_of(c, 1), sizes);
  return true;
}

static bool map_dynamic_update_slice(call *c) {
  if (c->row->inputs.count < 2) {
    return has_inputs(c, 2);
  }
  c->out[0] = tl_dynamic_update_slice(c->in[0], c->in[1], starts_of(c, 2));
  return true;
}

static tl_tensor as_indices(tl_tensor i) {
  tl_dtype d = tl_dtype_of(i);
  return d == TL_I32 || d == TL_I64 ? i : tl_cast(i, TL_I64);
}

static bool map_gather(call *c) {
  struct json_object *d = attr(c, "dimension_numbers");
  tl_index_dims dims;
  tl_ints sizes;
  int64_t vector;
  if (!read_axes(c, "dimension_numbers.offset_dims", in_object(d, "offset_dims"), &dims.window) ||
      !read_axes(c, "dimension_numbers.collapsed_slice_dims", in_object(d, "collapsed_slice_dims"), &dims.squeezed) ||
      !read_axes(c, "dimension_numbers.operand_batching_dims", in_object(d, "operand_batching_dims"), &dims.x_batch) ||
      !read_axes(c, "dimension_numbers.start_indices_batching_dims", in_object(d, "start_indices_batching_dims"),
                 &dims.indices_batch) ||
      !read_axes(c, "dimension_numbers.start_index_map", in_object(d, "start_index_map"), &dims.axes) ||
      !read_int(c, "dimension_numbers.index_vector_dim", in_object(d, "index_vector_dim"), &vector) ||
      !ints(c, "slice_sizes", &sizes)) {
    return false;
  }
  dims.vector = vector < 0 || vector > TL_MAX_RANK ? -1 : (int)vector;
  c->out[0] = tl_gather_general(c->in[0], as_indices(c->in[1]), dims, sizes, TL_INDEX_CLIP);
  return true;
}

static bool map_scatter(call *c) {
  struct json_object *d = attr(c, "scatter_dimension_numbers");
  tl_index_dims dims;
  int64_t vector;
  int count = c->row->outputs.count;
  if (!has_inputs(c, 2 * count + 1) ||
      !read_axes(c, "scatter_dimension_numbers.update_window_dims", in_object(d, "update_window_dims"), &dims.window) ||
      !read_axes(c, "scatter_dimension_numbers.inserted_window_dims", in_object(d, "inserted_window_dims"),
                 &dims.squeezed) ||
      !read_axes(c, "scatter_dimension_numbers.input_batching_dims", in_object(d, "input_batching_dims"),
                 &dims.x_batch) ||
      !read_axes(c, "scatter_dimension_numbers.scatter_indices_batching_dims",
                 in_object(d, "scatter_indices_batching_dims"), &dims.indices_batch) ||
      !read_axes(c, "scatter_dimension_numbers.scatter_dims_to_operand_dims",
                 in_object(d, "scatter_dims_to_operand_dims"), &dims.axes) ||
      !read_int(c, "scatter_dimension_numbers.index_vector_dim", in_object(d, "index_vector_dim"), &vector)) {
    return false;
  }
  dims.vector = vector < 0 || vector > TL_MAX_RANK ? -1 : (int)vector;
  for (int k = 0; k < count; k++) {
    tl_reducer reducer;
    if (!read_reducer(c, "reducer", k, c->row->inputs.at[k].dtype, &reducer)) {
      return false;
    }
    c->out[k] =
        tl_scatter_general(c->in[k], as_indices(c->in[count]), c->in[count + 1 + k], dims, reducer, TL_INDEX_DROP);
  }
  return true;
}

static bool map_reduce(call *c) {
  tl_axes dims;
  int count = c->row->outputs.count;
  if (!has_inputs(c, 2 * count) || !axes(c, "dimensions", &dims)) {
    return false;
  }
  for (int k = 0; k < count; k++) {
    tl_reducer reducer;
    if (!read_reducer(c, "reducer", k, c->row->inputs.at[k].dtype, &reducer)) {
      return false;
    }
    c->out[k] = with_init(reducer, c->in[count + k], tl_reduce(c->in[k], reducer, dims, false));
  }
  return true;
}

static bool map_reduce_window(call *c) {
  tl_window_opts o;
  tl_ints window;
  int count = c->row->outputs.count;
  if (!has_inputs(c, 2 * count) || !ints(c, "window_dimensions", &window) || !ints(c, "window_strides", &o.stride) ||
      !read_padding(c, "padding", attr(c, "padding"), &o.low, &o.high) ||
      !ints(c, "base_dilations", &o.base_dilation) || !ints(c, "window_dilations", &o.dilation)) {
    return false;
  }
  for (int k = 0; k < count; k++) {
    tl_reducer reducer;
    if (!read_reducer(c, "reducer", k, c->row->inputs.at[k].dtype, &reducer)) {
      return false;
    }
    c->out[k] = with_init(reducer, c->in[count + k], tl_reduce_window(c->in[k], reducer, window, o));
  }
  return true;
}

static bool map_select_and_scatter(call *c) {
  tl_window_opts o = {.stride = TL_SCALAR};
  tl_ints window;
  bool largest = strcmp(word(c, "select"), "GE") == 0;
  if (!ints(c, "window_dimensions", &window) || !ints(c, "window_strides", &o.stride) ||
      !read_padding(c, "padding", attr(c, "padding"), &o.low, &o.high)) {
    return false;
  }
  if (!largest && strcmp(word(c, "select"), "LE") != 0) {
    return wrong(c, "select", attr(c, "select"), "GE or LE");
  }
  if (strcmp(word(c, "scatter"), "add") != 0) {
    return wrong(c, "scatter", attr(c, "scatter"), "add");
  }
  tl_tensor sums = tl_select_and_scatter(c->in[0], c->in[1], largest ? TL_REDUCE_MAX : TL_REDUCE_MIN, window, o);
  c->out[0] = tl_add(sums, c->in[2]);
  return true;
}

/* The order of axes from a list such as ["b", 0, 1, "f"] to `first`, `second`, places. */
static bool read_layout(call *c, const char *key, const char *first, const char *second, tl_axes *out) {
  struct json_object *v = in_object(attr(c, "dimension_numbers"), key);
  int rank = json_object_is_type(v, json_type_array) ? (int)json_object_array_length(v) : 0;
  if (rank < 2 || rank > TL_MAX_RANK) {
    return wrong(c, "dimension_numbers", v, "an order of axes");
  }
  *out = (tl_axes){.count = rank};
  bool seen[TL_MAX_RANK] = {false};
  for (int i = 0; i < rank; i++) {
    struct json_object *item = json_object_array_get_idx(v, (size_t)i);
    const char *text = json_object_is_type(item, json_type_string) ? json_object_get_string(item) : "";
    int64_t at = strcmp(text, first) == 0                   ? 0
                 : strcmp(text, second) == 0                ? 1
                 : json_object_is_type(item, json_type_int) ? 2 + json_object_get_int64(item)
                                                            : -1;
    if (at < 0 || at >= rank || seen[at]) {
      return wrong(c, "dimension_numbers", v, "an order of axes");
    }
    seen[at] = true;
    out->axis[at] = (int8_t)i;
  }
  return true;
}

static tl_axes inverse(tl_axes order) {
  tl_axes out = {.count = order.count};
  for (int i = 0; i < order.count; i++) {
    out.axis[order.axis[i]] = (int8_t)i;
  }
  return out;
}

static bool map_convolution(call *c) {
  tl_axes x, w, result, turned = {.count = 0};
  tl_convolution_opts o = {.groups = 1};
  if (!read_layout(c, "lhs", "b", "f", &x) || !read_layout(c, "rhs", "o", "i", &w) ||
      !read_layout(c, "output", "b", "f", &result) || !ints(c, "window_strides", &o.window.stride) ||
      !read_padding(c, "padding", attr(c, "padding"), &o.window.low, &o.window.high) ||
      !ints(c, "lhs_dilation", &o.window.base_dilation) || !ints(c, "rhs_dilation", &o.window.dilation) ||
      !read_int(c, "feature_group_count", attr(c, "feature_group_count"), &o.groups) ||
      !read_int(c, "batch_group_count", attr(c, "batch_group_count"), &o.batch_groups)) {
    return false;
  }
  struct json_object *reversal = attr(c, "window_reversal");
  for (int i = 0; json_object_is_type(reversal, json_type_array) && i < w.count - 2; i++) {
    if (json_object_get_boolean(json_object_array_get_idx(reversal, (size_t)i))) {
      turned.axis[turned.count++] = (int8_t)(2 + i);
    }
  }
  tl_tensor filters = tl_reverse(tl_transpose(c->in[1], w), turned);
  c->out[0] = tl_transpose(tl_convolution(tl_transpose(c->in[0], x), filters, o), inverse(result));
  return true;
}

static bool map_dot_general(call *c) {
  tl_axes x_batch, y_batch, x_axes, y_axes;
  if (!axes(c, "lhs_batching_dimensions", &x_batch) || !axes(c, "rhs_batching_dimensions", &y_batch) ||
      !axes(c, "lhs_contracting_dimensions", &x_axes) || !axes(c, "rhs_contracting_dimensions", &y_axes)) {
    return false;
  }
  tl_dtype d = c->row->outputs.at[0].dtype; /* the type of the sums */
  tl_tensor x = tl_dtype_of(c->in[0]) == d ? c->in[0] : tl_cast(c->in[0], d);
  tl_tensor y = tl_dtype_of(c->in[1]) == d ? c->in[1] : tl_cast(c->in[1], d);
  c->out[0] = tl_dot_general(x, y, x_batch, y_batch, x_axes, y_axes);
  return true;
}

static bool map_sort(call *c) {
  struct json_object *comparator = attr(c, "comparator");
  struct json_object *direction = in_object(comparator, "direction"), *canonical = in_object(comparator, "canonical");
  int axis, keys, count = c->row->outputs.count;
  if (!has_inputs(c, count) || !integer(c, "dimension", &axis) || !integer(c, "num_keys", &keys)) {
    return false;
  }
  const char *way = json_object_is_type(direction, json_type_string) ? json_object_get_string(direction) : "";
  bool floats = false;
  for (int i = 0; i < keys && i < count; i++) {
    floats = floats || tl_dtype_is_float(c->row->inputs.at[i].dtype);
  }
  if ((strcmp(way, "LT") != 0 && strcmp(way, "GT") != 0) || (floats && !json_object_get_boolean(canonical))) {
    return wrong(c, "comparator", comparator, "an order that is served");
  }
  tl_sort_by(keys, count, c->in, axis, way[0] == 'G', c->out);
  return true;
}

static bool map_top_k(call *c) {
  int64_t k;
  if (c->row->outputs.count != 2 || !read_int(c, "k", attr(c, "k"), &k)) {
    return c->row->outputs.count != 2 ? has_inputs(c, 0) : false;
  }
  tl_top_k_result top = tl_top_k(c->in[0], k, -1);
  c->out[0] = top.values;
  c->out[1] = tl_cast(top.indices, c->row->outputs.at[1].dtype);
  return true;
}

static bool map_place(call *c, tl_tensor (*run)(tl_tensor, int, bool)) {
  int axis;
  if (!integer(c, "dimension", &axis)) {
    return false;
  }
  c->out[0] = tl_cast(run(c->in[0], axis, false), c->row->outputs.at[0].dtype);
  return true;
}

static bool map_argmax(call *c) { return map_place(c, tl_argmax); }
static bool map_argmin(call *c) { return map_place(c, tl_argmin); }

static bool map_integer_pow(call *c) {
  int y;
  if (!integer(c, "y", &y)) {
    return false;
  }
  c->out[0] = tl_integer_pow(c->in[0], y);
  return true;
}

static bool map_reduce_precision(call *c) {
  tl_reduce_precision_opts o;
  if (!integer(c, "exponent_bits", &o.exponent) || !integer(c, "mantissa_bits", &o.mantissa)) {
    return false;
  }
  c->out[0] = tl_reduce_precision(c->in[0], o);
  return true;
}

static bool map_not(call *c) {
  c->out[0] = c->row->inputs.at[0].dtype == TL_BOOL ? tl_not(c->in[0]) : tl_bitnot(c->in[0]);
  return true;
}

static bool map_remainder(call *c) {
  bool floats = tl_dtype_is_float(c->row->inputs.at[0].dtype);
  c->out[0] = floats ? tl_fmod(c->in[0], c->in[1]) : tl_rem(c->in[0], c->in[1]);
  return true;
}

static bool map_betainc(call *c) {
  c->out[0] = tl_betainc(c->in[0], c->in[1], c->in[2]);
  return true;
}

static bool map_tridiagonal_solve(call *c) {
  c->out[0] = tl_tridiagonal_solve(c->in[0], c->in[1], c->in[2], c->in[3]);
  return true;
}

/* The key of the row's seed, in JAX's original layout. */
static bool read_key(call *c, tl_tensor *out) {
  int64_t seed;
  bool ok = read_int(c, "seed", attr(c, "seed"), &seed);
  if (ok && strstr(word(c, "impl"), "threefry2x32") != word(c, "impl")) {
    return wrong(c, "impl", attr(c, "impl"), "a generator that is served");
  }
  *out = ok ? tl_random_key((uint64_t)seed) : NULL;
  return ok;
}

static bool map_random_split(call *c) {
  tl_tensor key;
  if (c->row->outputs.at[0].shape.rank != 2 || !read_key(c, &key)) {
    return c->row->outputs.at[0].shape.rank != 2 ? has_inputs(c, -1) : false;
  }
  c->out[0] = tl_random_split(key, c->row->outputs.at[0].shape.dim[0]);
  return true;
}

static bool map_random_bits(call *c) {
  tl_tensor key;
  if (!read_key(c, &key)) {
    return false;
  }
  c->out[0] = tl_random_bits(key, c->row->outputs.at[0].dtype, c->row->outputs.at[0].shape);
  return true;
}

static bool map_random_uniform(call *c) {
  tl_tensor key;
  if (!read_key(c, &key)) {
    return false;
  }
  c->out[0] = tl_random_uniform(key, c->row->outputs.at[0].dtype, c->row->outputs.at[0].shape, 0, 1);
  return true;
}

static bool map_random_normal(call *c) {
  tl_tensor key;
  if (!read_key(c, &key)) {
    return false;
  }
  c->out[0] = tl_random_normal(key, c->row->outputs.at[0].dtype, c->row->outputs.at[0].shape);
  return true;
}

static bool map_random_categorical(call *c) {
  tl_tensor key;
  int axis;
  if (!read_key(c, &key) || !integer(c, "axis", &axis)) {
    return false;
  }
  c->out[0] = tl_cast(tl_random_categorical(key, c->in[0], axis), c->row->outputs.at[0].dtype);
  return true;
}

static bool map_random_gamma(call *c) {
  tl_tensor key;
  if (!read_key(c, &key)) {
    return false;
  }
  c->out[0] = tl_random_gamma(key, c->in[0]);
  return true;
}

/* -1: any number of inputs. */
static const struct {
  const char *name;
  int inputs;
  tl_tensor (*unary)(tl_tensor);
  tl_tensor (*binary)(tl_tensor, tl_tensor);
  bool (*map)(call *);
} ops[] = {
#define UNARY(name, function) {name, 1, function, NULL, NULL}
#define BINARY(name, function) {name, 2, NULL, function, NULL}
#define MAP(name, inputs, function) {name, inputs, NULL, NULL, function}
    UNARY("abs", tl_abs),
    UNARY("acos", tl_acos),
    UNARY("acosh", tl_acosh),
    UNARY("asin", tl_asin),
    UNARY("asinh", tl_asinh),
    UNARY("atan", tl_atan),
    UNARY("atanh", tl_atanh),
    UNARY("bessel_i0e", tl_bessel_i0e),
    UNARY("bessel_i1e", tl_bessel_i1e),
    UNARY("cbrt", tl_cbrt),
    UNARY("ceil", tl_ceil),
    UNARY("cosh", tl_cosh),
    UNARY("cosine", tl_cos),
    UNARY("count_leading_zeros", tl_clz),
    UNARY("digamma", tl_digamma),
    UNARY("erf", tl_erf),
    UNARY("erf_inv", tl_erf_inv),
    UNARY("erfc", tl_erfc),
    UNARY("exponential", tl_exp),
    UNARY("exponential_minus_one", tl_expm1),
    UNARY("floor", tl_floor),
    UNARY("is_finite", tl_is_finite),
    UNARY("lgamma", tl_lgamma),
    UNARY("log", tl_log),
    UNARY("log_plus_one", tl_log1p),
    UNARY("logistic", tl_logistic),
    UNARY("negate", tl_neg),
    UNARY("popcnt", tl_popcnt),
    UNARY("round_nearest_afz", tl_round),
    UNARY("round_nearest_even", tl_rint),
    UNARY("rsqrt", tl_rsqrt),
    UNARY("sign", tl_sign),
    UNARY("sine", tl_sin),
    UNARY("sinh", tl_sinh),
    UNARY("sqrt", tl_sqrt),
    UNARY("square", tl_square),
    UNARY("tan", tl_tan),
    UNARY("tanh", tl_tanh),
    BINARY("add", tl_add),
    BINARY("and", tl_and),
    BINARY("atan2", tl_atan2),
    BINARY("divide", tl_div),
    BINARY("igamma", tl_igamma),
    BINARY("igammac", tl_igammac),
    BINARY("maximum", tl_maximum),
    BINARY("minimum", tl_minimum),
    BINARY("multiply", tl_mul),
    BINARY("next_after", tl_nextafter),
    BINARY("or", tl_or),
    BINARY("power", tl_pow),
    BINARY("shift_left", tl_shl),
    BINARY("shift_right_arithmetic", tl_shr),
    BINARY("shift_right_logical", tl_shr_logical),
    BINARY("subtract", tl_sub),
    BINARY("xor", tl_xor),
    MAP("argmax", 1, map_argmax),
    MAP("argmin", 1, map_argmin),
    MAP("bitcast_convert", 1, map_bitcast),
    MAP("broadcast_in_dim", 1, map_broadcast_in_dim),
    MAP("clamp", 3, map_clamp),
    MAP("compare", 2, map_compare),
    MAP("concatenate", -1, map_concatenate),
    MAP("convert", 1, map_convert),
    MAP("convolution", 2, map_convolution),
    MAP("dot_general", 2, map_dot_general),
    MAP("dynamic_slice", -1, map_dynamic_slice),
    MAP("dynamic_update_slice", -1, map_dynamic_update_slice),
    MAP("gather", 2, map_gather),
    MAP("integer_pow", 1, map_integer_pow),
    MAP("iota", 0, map_iota),
    MAP("not", 1, map_not),
    MAP("pad", 2, map_pad),
    MAP("random_bits", 0, map_random_bits),
    MAP("random_categorical", 1, map_random_categorical),
    MAP("random_gamma", 1, map_random_gamma),
    MAP("random_normal", 0, map_random_normal),
    MAP("random_split", 0, map_random_split),
    MAP("random_uniform", 0, map_random_uniform),
    MAP("reduce", -1, map_reduce),
    MAP("reduce_precision", 1, map_reduce_precision),
    MAP("reduce_window", -1, map_reduce_window),
    MAP("regularized_incomplete_beta", 3, map_betainc),
    MAP("remainder", 2, map_remainder),
    MAP("reshape", 1, map_reshape),
    MAP("reverse", 1, map_reverse),
    MAP("scatter", -1, map_scatter),
    MAP("select", 3, map_select),
    MAP("select_and_scatter", 3, map_select_and_scatter),
    MAP("select_n", -1, map_select_n),
    MAP("slice", 1, map_slice),
    MAP("sort", -1, map_sort),
    MAP("top_k", 1, map_top_k),
    MAP("transpose", 1, map_transpose),
    MAP("tridiagonal_solve", 4, map_tridiagonal_solve),
};

bool row_apply(const row *r, const tl_tensor in[], tl_tensor out[], row_error *e) {
  call c = {r, in, out, e};
  const char *dot = strchr(r->op, '.');
  size_t prefix = dot ? (size_t)(dot - r->op) : 0;
  bool known = (prefix == 9 && strncmp(r->op, "stablehlo", 9) == 0) ||
               (prefix == 4 && strncmp(r->op, "chlo", 4) == 0) || (prefix == 3 && strncmp(r->op, "jax", 3) == 0);
  for (size_t i = 0; known && i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(dot + 1, ops[i].name) == 0) {
      if (ops[i].inputs >= 0 && !has_inputs(&c, ops[i].inputs)) {
        return false;
      }
      if (ops[i].map) {
        return ops[i].map(&c);
      }
      out[0] = ops[i].unary ? ops[i].unary(in[0]) : ops[i].binary(in[0], in[1]);
      return true;
    }
  }
  snprintf(e->key, sizeof e->key, "op");
  snprintf(e->text, sizeof e->text, "%.100s is not served", r->op);
  return false;
}

/* The messages of ONNX that node cases consist of, read from bytes that may be anything: protobuf's wire format,
 * bounded and checked. What is read lives in the arena, whose exhaustion jumps as base/alloc.h says. */
#ifndef TESTS_ONNX_MODEL_H
#define TESTS_ONNX_MODEL_H

#include "base/vec.h"
#include "tlaloc/tlaloc.h"

typedef struct onnx_bytes {
  const unsigned char *at;
  size_t count;
} onnx_bytes;

typedef struct onnx_list {
  int count;
  const char **name;
} onnx_list;

/* A tensor of a dtype that ours has; one of another has is_plain false and no data. */
typedef struct onnx_tensor {
  const char *name;
  bool is_plain;
  tl_dtype dtype;
  tl_shape shape;
  const void *data; /* row-major */
} onnx_tensor;

typedef struct onnx_attribute {
  const char *name;
  float number;
  int64_t integer;
  const char *text; /* NULL: none */
  int number_count, integer_count;
  const float *numbers;
  const int64_t *integers;
  const onnx_tensor *tensor;
  bool has_graph;
} onnx_attribute;

typedef struct onnx_node {
  const char *op, *domain;
  onnx_list inputs, outputs; /* "" where one is left out */
  int attribute_count;
  const onnx_attribute *attributes;
} onnx_node;

typedef struct onnx_value {
  const char *name;
  bool is_plain; /* a tensor of a dtype that ours has */
  tl_dtype dtype;
} onnx_value;

typedef struct onnx_model {
  int64_t opset; /* of ONNX's own domain; 0 where none is stated */
  int node_count, initializer_count, input_count, output_count;
  const onnx_node *nodes;
  const onnx_tensor *initializers;
  const onnx_value *inputs, *outputs;
} onnx_model;

/* False, with the reason, where the bytes are no such message. */
bool onnx_read_model(tl_arena *, onnx_bytes, onnx_model *out, const char **out_why);
bool onnx_read_tensor(tl_arena *, onnx_bytes, onnx_tensor *out, const char **out_why);

/* The dtype of ONNX's number for it; false where ours has none. */
bool onnx_dtype_of(int64_t number, tl_dtype *out);

#endif

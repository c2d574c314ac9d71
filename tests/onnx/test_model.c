/* The reader of ONNX's messages: what is read of a model is what was written; one that is cut off anywhere, or has
 * other bytes, is refused with a reason or read, within its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model.h"

/* ---- a writer ---- */

typedef struct text {
  size_t count;
  unsigned char at[1024];
} text;

static void put(text *t, uint64_t number) {
  for (; number > 127; number >>= 7) {
    t->at[t->count++] = (unsigned char)(number | 128);
  }
  t->at[t->count++] = (unsigned char)number;
}
static void put_integer(text *t, int field, uint64_t number) {
  put(t, (uint64_t)field << 3);
  put(t, number);
}
static void put_bytes(text *t, int field, const void *bytes, size_t count) {
  put(t, (uint64_t)field << 3 | 2);
  put(t, count);
  assert_true(t->count + count <= sizeof t->at);
  memcpy(t->at + t->count, bytes, count);
  t->count += count;
}
static void put_text(text *t, int field, const char *s) { put_bytes(t, field, s, strlen(s)); }
static void put_message(text *t, int field, const text *inner) { put_bytes(t, field, inner->at, inner->count); }

static text tensor(void) {
  static const float elements[] = {1, 2.5f, -3, 4, 5, 6};
  text t = {.count = 0};
  put_integer(&t, 1, 2);
  put_bytes(&t, 1, "\003", 1); /* packed */
  put_integer(&t, 2, 1);
  put_text(&t, 8, "w");
  put_bytes(&t, 9, elements, sizeof elements);
  return t;
}

static text value(const char *name, int dtype) {
  text element = {.count = 0}, type = {.count = 0}, t = {.count = 0};
  put_integer(&element, 1, (uint64_t)dtype);
  put_message(&type, 1, &element);
  put_text(&t, 1, name);
  put_message(&t, 2, &type);
  return t;
}

static text model(void) {
  text attribute = {.count = 0}, node = {.count = 0}, graph = {.count = 0}, opset = {.count = 0}, t = {.count = 0};
  put_text(&attribute, 1, "axes");
  put_integer(&attribute, 8, 1);
  put_integer(&attribute, 8, (uint64_t)-1);
  text w = tensor();
  put_message(&attribute, 5, &w);
  put_text(&node, 1, "x");
  put_text(&node, 1, "");
  put_text(&node, 2, "y");
  put_text(&node, 4, "ReduceSum");
  put_message(&node, 5, &attribute);
  put_message(&graph, 1, &node);
  put_message(&graph, 5, &w);
  text x = value("x", 1), y = value("y", 8);
  put_message(&graph, 11, &x);
  put_message(&graph, 12, &y);
  put_integer(&opset, 2, 13);
  put_integer(&t, 1, 8);
  put_message(&t, 7, &graph);
  put_message(&t, 8, &opset);
  return t;
}

/* ---- */

static void reads_what_was_written(void **state) {
  (void)state;
  tl_arena arena;
  tl_arena_init(&arena);
  text t = model();
  onnx_model m;
  const char *why = NULL;
  assert_true(onnx_read_model(&arena, (onnx_bytes){t.at, t.count}, &m, &why));
  assert_null(why);
  assert_int_equal(m.opset, 13);
  assert_int_equal(m.node_count, 1);
  assert_string_equal(m.nodes[0].op, "ReduceSum");
  assert_int_equal(m.nodes[0].inputs.count, 2);
  assert_string_equal(m.nodes[0].inputs.name[0], "x");
  assert_string_equal(m.nodes[0].inputs.name[1], "");
  const onnx_attribute *a = &m.nodes[0].attributes[0];
  assert_string_equal(a->name, "axes");
  assert_int_equal(a->integer_count, 2);
  assert_int_equal(a->integers[1], -1);
  const onnx_tensor *tensors[] = {a->tensor, &m.initializers[0]};
  for (int i = 0; i < 2; i++) {
    assert_true(tensors[i]->is_plain);
    assert_string_equal(tensors[i]->name, "w");
    assert_int_equal(tensors[i]->dtype, TL_F32);
    assert_int_equal(tensors[i]->shape.rank, 2);
    assert_int_equal(tensors[i]->shape.dim[1], 3);
    assert_true(((const float *)tensors[i]->data)[1] == 2.5f);
  }
  assert_true(m.inputs[0].is_plain);
  assert_false(m.outputs[0].is_plain); /* of strings */
  tl_arena_deinit(&arena);
}

/* In a block of its own, so that a sanitizer sees what is read beyond it. Whether it was read. */
static bool read_copy(const unsigned char *bytes, size_t count) {
  tl_arena arena;
  tl_arena_init(&arena);
  unsigned char *copy = malloc(count ? count : 1);
  assert_non_null(copy);
  memcpy(copy, bytes, count);
  onnx_model m;
  const char *why = NULL;
  bool is_read = onnx_read_model(&arena, (onnx_bytes){copy, count}, &m, &why);
  assert_true(is_read == !why);
  for (int i = 0; is_read && i < m.initializer_count; i++) {
    const onnx_tensor *t = &m.initializers[i];
    assert_true(!t->is_plain || t->data);
  }
  free(copy);
  tl_arena_deinit(&arena);
  return is_read;
}

static void what_is_cut_off_is_refused(void **state) {
  (void)state;
  text t = model();
  int whole = 0;
  for (size_t n = 0; n <= t.count; n++) {
    whole += read_copy(t.at, n);
  }
  assert_int_equal(whole, 2); /* without the opset, which is not needed, and all of it */
}

static void other_bytes_are_read_within_theirs(void **state) {
  (void)state;
  text t = model();
  int refused = 0;
  for (size_t at = 0; at < t.count; at++) {
    for (int bit = 0; bit < 8; bit++) {
      text other = t;
      other.at[at] ^= (unsigned char)(1 << bit);
      refused += !read_copy(other.at, other.count);
    }
  }
  assert_true(refused > (int)t.count);
  uint64_t draw = 1;
  for (int i = 0; i < 20000; i++) {
    text other = t;
    for (int k = 0; k < 4; k++) {
      draw = draw * 6364136223846793005u + 1442695040888963407u;
      other.at[(draw >> 33) % other.count] = (unsigned char)(draw >> 56);
    }
    read_copy(other.at, (draw >> 20) % 8 ? other.count : (draw >> 33) % other.count);
  }
}

static const char *refusal(const text *t) {
  static tl_arena arena;
  tl_arena_init(&arena);
  onnx_tensor out;
  const char *why = NULL;
  onnx_read_tensor(&arena, (onnx_bytes){t->at, t->count}, &out, &why);
  tl_arena_deinit(&arena);
  return why ? why : "";
}

static void says_what_is_wrong(void **state) {
  (void)state;
  text t = {.count = 0};
  put_integer(&t, 1, 1ull << 62);
  put_integer(&t, 1, 1ull << 62);
  put_integer(&t, 2, 1);
  assert_string_equal(refusal(&t), "no tensor has such extents");
  t.count = 0;
  put_integer(&t, 1, (uint64_t)-1);
  put_integer(&t, 2, 1);
  assert_string_equal(refusal(&t), "no tensor has such extents");
  t.count = 0;
  put_integer(&t, 1, 1ull << 40); /* no memory is taken for it */
  put_integer(&t, 2, 1);
  assert_string_equal(refusal(&t), "a tensor has another number of elements than its extents say");
  put_bytes(&t, 9, "1234", 4);
  assert_string_equal(refusal(&t), "a tensor has another number of elements than its extents say");
  t = (text){.count = 0};
  for (int i = 0; i < 13; i++) {
    put_integer(&t, 1, 1);
  }
  put_integer(&t, 2, 1);
  assert_string_equal(refusal(&t), "a tensor has more axes than ours");
  t = (text){.count = 0};
  put_integer(&t, 14, 1);
  assert_string_equal(refusal(&t), "a tensor whose data lies elsewhere");
  t = (text){.count = 11, .at = {8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}};
  assert_string_equal(refusal(&t), "a number has more than 64 bits");
  t = (text){.count = 2, .at = {3, 0}};
  assert_string_equal(refusal(&t), "no field has such a number");
  t = (text){.count = 2, .at = {11, 0}};
  assert_string_equal(refusal(&t), "a field of a type that is not in use");
  t = (text){.count = 0};
  put_integer(&t, 9, 1);
  assert_string_equal(refusal(&t), "a field is of another type than it has");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_what_was_written),
      cmocka_unit_test(what_is_cut_off_is_refused),
      cmocka_unit_test(other_bytes_are_read_within_theirs),
      cmocka_unit_test(says_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

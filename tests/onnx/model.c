#include "model.h"

#include <string.h>

#include "base/dtype.h"

/* ---- the wire ---- */

typedef struct wire {
  tl_arena *arena;
  const unsigned char *at, *end;
  const char *why; /* what is wrong; NULL so far */
} wire;

typedef struct field {
  uint32_t number;
  int type;
  uint64_t integer; /* of a varint or a fixed number, as it stands there */
  onnx_bytes bytes;
} field;
enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

static bool fail(wire *w, const char *why) {
  w->why = w->why ? w->why : why;
  return false;
}

static bool read_varint(wire *w, uint64_t *out) {
  *out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (w->at == w->end) {
      return fail(w, "the bytes end within a number");
    }
    unsigned char b = *w->at++;
    if (shift == 63 && b > 1) {
      break;
    }
    *out |= (uint64_t)(b & 127) << shift;
    if (b < 128) {
      return true;
    }
  }
  return fail(w, "a number has more than 64 bits");
}

static bool read_fixed(wire *w, int bytes, uint64_t *out) {
  if (w->end - w->at < bytes) {
    return fail(w, "the bytes end within a number");
  }
  *out = 0;
  for (int i = 0; i < bytes; i++) {
    *out |= (uint64_t)w->at[i] << 8 * i;
  }
  w->at += bytes;
  return true;
}

/* The next field; false at the end or where something is wrong. */
static bool next(wire *w, field *f) {
  uint64_t tag;
  if (w->why || w->at == w->end || !read_varint(w, &tag)) {
    return false;
  }
  if (tag > UINT32_MAX || tag >> 3 == 0) {
    return fail(w, "no field has such a number");
  }
  *f = (field){.number = (uint32_t)(tag >> 3), .type = tag & 7};
  switch (f->type) {
  case VARINT:
    return read_varint(w, &f->integer);
  case FIXED64:
    return read_fixed(w, 8, &f->integer);
  case FIXED32:
    return read_fixed(w, 4, &f->integer);
  case BYTES:
    if (!read_varint(w, &f->integer)) {
      return false;
    }
    if (f->integer > (uint64_t)(w->end - w->at)) {
      return fail(w, "the bytes end within a field");
    }
    f->bytes = (onnx_bytes){w->at, (size_t)f->integer};
    w->at += f->integer;
    return true;
  default:
    return fail(w, "a field of a type that is not in use");
  }
}

static wire inside(const wire *w, onnx_bytes b) {
  return (wire){.arena = w->arena, .at = b.at, .end = b.count ? b.at + b.count : b.at, .why = w->why};
}

/* What went wrong inside is wrong. */
static bool leave(wire *w, const wire *inner) {
  w->why = inner->why;
  return !w->why;
}

static bool is_of(wire *w, const field *f, int type) {
  return f->type == type || fail(w, "a field is of another type than it has");
}

static const char *text_of(wire *w, const field *f) {
  if (!is_of(w, f, BYTES)) {
    return "";
  }
  if (f->bytes.count && memchr(f->bytes.at, 0, f->bytes.count)) {
    fail(w, "a name has a 0 in it");
    return "";
  }
  return tl_arena_strndup(w->arena, (const char *)f->bytes.at, f->bytes.count);
}

static float float_of(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float out;
  memcpy(&out, &low, sizeof out);
  return out;
}

/* ---- repeated numbers, packed or each in a field of its own ---- */

typedef struct numbers {
  TL_VEC(uint64_t) list;
} numbers;

static void read_numbers(wire *w, const field *f, int type, numbers *out) {
  if (f->type == type) {
    TL_PUSH(w->arena, out->list, f->integer);
    return;
  }
  if (!is_of(w, f, BYTES)) {
    return;
  }
  wire packed = inside(w, f->bytes);
  while (packed.at != packed.end) {
    uint64_t number;
    if (type == VARINT ? !read_varint(&packed, &number) : !read_fixed(&packed, type == FIXED64 ? 8 : 4, &number)) {
      break;
    }
    TL_PUSH(w->arena, out->list, number);
  }
  leave(w, &packed);
}

/* ---- tensors ---- */

enum { ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_DOUBLE = 11, ONNX_UINT32 = 12, ONNX_UINT64 = 13 };

bool onnx_dtype_of(int64_t number, tl_dtype *out) {
  static const struct {
    int number;
    tl_dtype dtype;
  } table[] = {{1, TL_F32},  {2, TL_U8},   {3, TL_I8},   {4, TL_U16},  {5, TL_I16},  {6, TL_I32},  {7, TL_I64},
               {9, TL_BOOL}, {10, TL_F16}, {11, TL_F64}, {12, TL_U32}, {13, TL_U64}, {16, TL_BF16}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (table[i].number == number) {
      *out = table[i].dtype;
      return true;
    }
  }
  return false;
}

typedef struct tensor_parts {
  int64_t dtype;
  numbers dims, floats, ints, longs, doubles, unsigned_longs;
  onnx_bytes raw;
  bool has_raw;
} tensor_parts;

static void read_tensor_parts(wire *w, tensor_parts *p, onnx_tensor *out) {
  field f;
  while (next(w, &f)) {
    switch (f.number) {
    case 1:
      read_numbers(w, &f, VARINT, &p->dims);
      break;
    case 2:
      p->dtype = is_of(w, &f, VARINT) ? (int64_t)f.integer : 0;
      break;
    case 3:
      fail(w, "a tensor in segments");
      break;
    case 4:
      read_numbers(w, &f, FIXED32, &p->floats);
      break;
    case 5:
      read_numbers(w, &f, VARINT, &p->ints);
      break;
    case 7:
      read_numbers(w, &f, VARINT, &p->longs);
      break;
    case 8:
      out->name = text_of(w, &f);
      break;
    case 9:
      p->has_raw = is_of(w, &f, BYTES);
      p->raw = f.bytes;
      break;
    case 10:
      read_numbers(w, &f, FIXED64, &p->doubles);
      break;
    case 11:
      read_numbers(w, &f, VARINT, &p->unsigned_longs);
      break;
    case 13:
    case 14:
      fail(w, "a tensor whose data lies elsewhere");
      break;
    default: /* strings, which are not plain, and a description */
      break;
    }
  }
}

/* The list that holds elements of the dtype: those of less than 32 bits are integers too. */
static const numbers *numbers_of(const tensor_parts *p) {
  switch (p->dtype) {
  case ONNX_FLOAT:
    return &p->floats;
  case ONNX_DOUBLE:
    return &p->doubles;
  case ONNX_INT64:
    return &p->longs;
  case ONNX_UINT32:
  case ONNX_UINT64:
    return &p->unsigned_longs;
  default:
    return &p->ints;
  }
}

static void copy_numbers(const numbers *from, const onnx_tensor *t, unsigned char *to) {
  size_t size = tl_dtype_size(t->dtype);
  for (uint32_t i = 0; i < from->list.count; i++) {
    uint64_t bits = t->dtype == TL_BOOL ? from->list.data[i] != 0 : from->list.data[i];
    memcpy(to + size * i, &bits, size); /* the lowest bytes come first */
  }
}

static void copy_raw(onnx_bytes raw, const onnx_tensor *t, unsigned char *to) {
  if (raw.count) {
    memcpy(to, raw.at, raw.count);
  }
  for (size_t i = 0; t->dtype == TL_BOOL && i < raw.count; i++) {
    to[i] = to[i] != 0;
  }
}

static void read_tensor(wire *w, onnx_tensor *out) {
  tensor_parts p = {.dtype = 0};
  *out = (onnx_tensor){.name = ""};
  read_tensor_parts(w, &p, out);
  out->is_plain = onnx_dtype_of(p.dtype, &out->dtype);
  if (w->why || !out->is_plain) {
    return;
  }
  if (p.dims.list.count > TL_MAX_RANK) {
    fail(w, "a tensor has more axes than ours");
    return;
  }
  out->shape.rank = (int)p.dims.list.count;
  int64_t count = 1, bytes;
  for (int i = 0; i < out->shape.rank; i++) {
    out->shape.dim[i] = (int64_t)p.dims.list.data[i];
    if (out->shape.dim[i] < 0 || __builtin_mul_overflow(count, out->shape.dim[i], &count)) {
      fail(w, "no tensor has such extents");
      return;
    }
  }
  /* No more than there is in the message, whatever the extents say. */
  const numbers *listed = numbers_of(&p);
  if (p.has_raw
          ? __builtin_mul_overflow(count, (int64_t)tl_dtype_size(out->dtype), &bytes) || (uint64_t)bytes != p.raw.count
          : (uint64_t)count != listed->list.count) {
    fail(w, "a tensor has another number of elements than its extents say");
    return;
  }
  unsigned char *data =
      tl_arena_alloc(w->arena, 8 * (size_t)(p.has_raw ? p.raw.count / 8 + 1 : listed->list.count + 1));
  if (p.has_raw) {
    copy_raw(p.raw, out, data);
  } else {
    copy_numbers(listed, out, data);
  }
  out->data = data;
}

/* ---- graphs ---- */

static void read_attribute(wire *w, onnx_attribute *out) {
  *out = (onnx_attribute){.name = ""};
  numbers floats = {.list = {0}}, integers = {.list = {0}};
  field f;
  while (next(w, &f)) {
    switch (f.number) {
    case 1:
      out->name = text_of(w, &f);
      break;
    case 2:
      out->number = is_of(w, &f, FIXED32) ? float_of(f.integer) : 0;
      break;
    case 3:
      out->integer = is_of(w, &f, VARINT) ? (int64_t)f.integer : 0;
      break;
    case 4:
      out->text = text_of(w, &f);
      break;
    case 5:
      if (is_of(w, &f, BYTES)) {
        onnx_tensor *t = TL_NEW(w->arena, onnx_tensor);
        wire inner = inside(w, f.bytes);
        read_tensor(&inner, t);
        leave(w, &inner);
        out->tensor = t;
      }
      break;
    case 6:
    case 11:
      out->has_graph = true;
      break;
    case 7:
      read_numbers(w, &f, FIXED32, &floats);
      break;
    case 8:
      read_numbers(w, &f, VARINT, &integers);
      break;
    default:
      break;
    }
  }
  float *copy = TL_NEW_ARRAY(w->arena, float, floats.list.count + 1);
  for (uint32_t i = 0; i < floats.list.count; i++) {
    copy[i] = float_of(floats.list.data[i]);
  }
  out->numbers = copy;
  out->number_count = (int)floats.list.count;
  out->integers = (const int64_t *)integers.list.data;
  out->integer_count = (int)integers.list.count;
}

typedef TL_VEC(const char *) names;

static onnx_list list_of(const names *n) { return (onnx_list){(int)n->count, n->data}; }

static void read_node(wire *w, onnx_node *out) {
  *out = (onnx_node){.op = "", .domain = ""};
  names inputs = {0}, outputs = {0};
  TL_VEC(onnx_attribute) attributes = {0};
  field f;
  while (next(w, &f)) {
    switch (f.number) {
    case 1:
      TL_PUSH(w->arena, inputs, text_of(w, &f));
      break;
    case 2:
      TL_PUSH(w->arena, outputs, text_of(w, &f));
      break;
    case 4:
      out->op = text_of(w, &f);
      break;
    case 5:
      if (is_of(w, &f, BYTES)) {
        onnx_attribute a;
        wire inner = inside(w, f.bytes);
        read_attribute(&inner, &a);
        if (leave(w, &inner)) {
          TL_PUSH(w->arena, attributes, a);
        }
      }
      break;
    case 7:
      out->domain = text_of(w, &f);
      break;
    default:
      break;
    }
  }
  out->inputs = list_of(&inputs);
  out->outputs = list_of(&outputs);
  out->attributes = attributes.data;
  out->attribute_count = (int)attributes.count;
}

/* A TypeProto, of a tensor or of something else. */
static void read_type(wire *w, onnx_value *out) {
  field f;
  while (next(w, &f)) {
    if (f.number != 1 || !is_of(w, &f, BYTES)) {
      continue;
    }
    wire inner = inside(w, f.bytes);
    field g;
    while (next(&inner, &g)) {
      if (g.number == 1 && is_of(&inner, &g, VARINT)) {
        out->is_plain = onnx_dtype_of((int64_t)g.integer, &out->dtype);
      }
    }
    leave(w, &inner);
  }
}

static void read_value(wire *w, onnx_value *out) {
  *out = (onnx_value){.name = ""};
  field f;
  while (next(w, &f)) {
    if (f.number == 1) {
      out->name = text_of(w, &f);
    } else if (f.number == 2 && is_of(w, &f, BYTES)) {
      wire inner = inside(w, f.bytes);
      read_type(&inner, out);
      leave(w, &inner);
    }
  }
}

static void read_graph(wire *w, onnx_model *out) {
  TL_VEC(onnx_node) nodes = {0};
  TL_VEC(onnx_tensor) initializers = {0};
  TL_VEC(onnx_value) inputs = {0}, outputs = {0};
  field f;
  while (next(w, &f)) {
    bool is_part = f.number == 1 || f.number == 5 || f.number == 11 || f.number == 12;
    if (!is_part || !is_of(w, &f, BYTES)) {
      continue;
    }
    wire inner = inside(w, f.bytes);
    if (f.number == 1) {
      onnx_node node;
      read_node(&inner, &node);
      TL_PUSH(w->arena, nodes, node);
    } else if (f.number == 5) {
      onnx_tensor t;
      read_tensor(&inner, &t);
      TL_PUSH(w->arena, initializers, t);
    } else {
      onnx_value value;
      read_value(&inner, &value);
      if (f.number == 11) {
        TL_PUSH(w->arena, inputs, value);
      } else {
        TL_PUSH(w->arena, outputs, value);
      }
    }
    leave(w, &inner);
  }
  out->nodes = nodes.data;
  out->node_count = (int)nodes.count;
  out->initializers = initializers.data;
  out->initializer_count = (int)initializers.count;
  out->inputs = inputs.data;
  out->input_count = (int)inputs.count;
  out->outputs = outputs.data;
  out->output_count = (int)outputs.count;
}

/* Of ONNX's own domain, which has no name. */
static void read_opset(wire *w, int64_t *out) {
  const char *domain = "";
  int64_t version = 0;
  field f;
  while (next(w, &f)) {
    if (f.number == 1) {
      domain = text_of(w, &f);
    } else if (f.number == 2) {
      version = is_of(w, &f, VARINT) ? (int64_t)f.integer : 0;
    }
  }
  *out = *domain ? *out : version;
}

bool onnx_read_model(tl_arena *arena, onnx_bytes bytes, onnx_model *out, const char **out_why) {
  wire whole = {.arena = arena}, w = inside(&whole, bytes);
  *out = (onnx_model){.opset = 0};
  bool has_graph = false;
  field f;
  while (next(&w, &f)) {
    if ((f.number != 7 && f.number != 8) || !is_of(&w, &f, BYTES)) {
      continue;
    }
    wire inner = inside(&w, f.bytes);
    if (f.number == 8) {
      read_opset(&inner, &out->opset);
    } else if (has_graph) {
      fail(&inner, "a model has two graphs");
    } else {
      has_graph = true;
      read_graph(&inner, out);
    }
    leave(&w, &inner);
  }
  *out_why = w.why ? w.why : has_graph ? NULL : "a model has no graph";
  return !*out_why;
}

bool onnx_read_tensor(tl_arena *arena, onnx_bytes bytes, onnx_tensor *out, const char **out_why) {
  wire whole = {.arena = arena}, w = inside(&whole, bytes);
  read_tensor(&w, out);
  *out_why = w.why;
  return !w.why;
}

/* tl_as: what is stated of a tensor is checked, and its axes have names from then on. */
#include <ctype.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/tensor_priv.h"

/* Names that were ever stated stay, since tensors refer to them: a program has as many as its source. */
typedef struct known_name {
  struct known_name *next;
  tl_axis_bound bound; /* most is 0 for an axis */
  char text[];
} known_name;

static _Atomic(known_name *) known;

/* Two threads may each add the same: names are compared as text. NULL where there is no memory. */
static const tl_axis_bound *intern(const char *text, size_t length, int64_t most) {
  known_name *first = atomic_load(&known);
  for (const known_name *n = first; n; n = n->next) {
    if (n->bound.most == most && strncmp(n->text, text, length) == 0 && !n->text[length]) {
      return &n->bound;
    }
  }
  known_name *n = tl__alloc_try(sizeof *n + length + 1);
  if (!n) {
    return NULL;
  }
  memcpy(n->text, text, length);
  n->text[length] = '\0';
  n->bound = (tl_axis_bound){n->text, most};
  do {
    n->next = first;
  } while (!atomic_compare_exchange_weak(&known, &first, n));
  return &n->bound;
}

/* "F32, Batch, Seq(MaxSeq)": the text behind the comma of a part. */
static const char *behind_part(const char *s) {
  for (int depth = 0; *s && (depth > 0 || *s != ','); s++) {
    depth += (*s == '(') - (*s == ')');
  }
  return *s ? s + 1 : s;
}

static const char *behind_spaces(const char *s) {
  while (isspace((unsigned char)*s)) {
    s++;
  }
  return s;
}

/* The name that `s` begins with, as a bound where `most` is positive. */
static const tl_axis_bound *name_at(const char *s, int64_t most) {
  size_t length = 0;
  s = behind_spaces(s);
  while (isalnum((unsigned char)s[length]) || s[length] == '_' || s[length] == '$') {
    length++;
  }
  return intern(s, length, most);
}

/* See TL__NAMED in tensor.h. */
static bool read_axis(const char *text, int64_t stated, tl_tensor_type *t, int i) {
  bool is_named = stated >= TL__NAMED - TL__BOUNDED / 2;
  stated -= is_named ? TL__NAMED : 0;
  bool is_bounded = stated >= TL__BOUNDED / 2;
  stated -= is_bounded ? TL__BOUNDED : 0;
  if (is_named) {
    const tl_axis_bound *axis = name_at(text, 0);
    if (!axis) {
      return false;
    }
    t->axis[i] = axis->name;
  }
  if (is_bounded) {
    t->bound[i] = name_at(is_named ? strchr(text, '(') + 1 : text, stated);
    return t->bound[i] != NULL;
  }
  if (stated != tl_any) {
    t->dim[i] = (tl_extent){.fixed = stated};
  }
  return true;
}

/* One value for what has one extent: a bound, or a name without one. */
static tl_value value_of(const tl_tensor_type *t, int i) {
  int k = 0;
  while (k < i &&
         !(t->bound[i] ? t->bound[k] == t->bound[i] : t->axis[i] && !t->bound[k] && t->axis[k] == t->axis[i])) {
    k++;
  }
  return (tl_value)(k + 1);
}

tl_tensor tl__as(tl_tensor x, tl_dtype dtype, const char *text, tl_shape shape) {
  tl_tensor failed;
  if (tl__tensor_any_failed(1, &x, &failed)) {
    return failed;
  }
  tl_tensor_type stated = {.dtype = dtype, .rank = shape.rank};
  tl_shape_rules rules = {.product = NULL};
  for (int i = 0; i < shape.rank; i++) {
    text = behind_part(text);
    stated.dim[i].value = TL_MAX_RANK + 1;
    if (!read_axis(text, shape.dim[i], &stated, i)) {
      return NULL;
    }
    tl_status status = stated.bound[i] ? tl__shape_bound(&rules, stated.bound[i]) : TL_OK;
    if (status != TL_OK) {
      return tl__tensor_failed(status, rules.message);
    }
    stated.dim[i].value = stated.dim[i].value ? value_of(&stated, i) : TL_NO_VALUE;
  }
  tl_status status = tl__shape_create(&rules, "a type", dtype, stated.rank, stated.dim);
  tl_tensor_type is = tl__tensor_type(x), out;
  for (int i = 0; i < is.rank; i++) { /* a tracer's extents that are no numbers: known when the program runs */
    is.dim[i] = is.dim[i].fixed < -1 ? (tl_extent){.value = TL_MAX_RANK + 2 + (tl_value)i} : is.dim[i];
  }
  if (status == TL_OK) {
    status = tl__shape_as(&rules, "as", &is, &stated, &out);
  }
  if (status != TL_OK) {
    return tl__tensor_failed(status, rules.message);
  }
  return tl__tensor_name(tl__tensor_view(x, x->rank, x->dim, x->stride), &out);
}

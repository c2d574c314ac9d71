/* Ops that are made of others: means, what is along an axis, contractions. */
#include <math.h>
#include <string.h>

#include "tensor/compose.h"

/* ---- means and logarithms of sums ---- */

/* Of a program that is being captured extents may not be numbers yet: a sum of ones. */
tl_tensor tl__summands(tl_tensor x, tl_tensor sum, tl_axes axes, bool keep) {
  if (x->trace) {
    return tl_sum(tl_broadcast(tl_scalar_like(sum, 1), tl_shape_of(x)), axes, keep);
  }
  double count = 1;
  bool named[TL_MAX_RANK] = {false};
  tl_shape_rules rules;
  if (tl_status_of(sum) == TL_OK && tl__shape_axes(&rules, "mean", x->rank, axes, named) == TL_OK) {
    for (int i = 0; i < x->rank; i++) {
      count *= named[i] ? (double)x->dim[i] : 1;
    }
  }
  return tl_scalar_like(sum, count);
}

tl_tensor tl_mean(tl_tensor x, tl_axes axes, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (tl_dtype_is_float(x->dtype)) {
    tl_tensor sum = tl_sum(tl__widened(x), axes, keep);
    out = tl__like(tl_div(sum, tl__summands(x, sum, axes, keep)), x);
  } else {
    out = tl__compose_refuse("mean", TL_DTYPE_UNSUPPORTED, "of integers it would not be one: cast them");
  }
  return tl__compose_leave("mean", scope, out);
}

/* max x where it is finite, else 0, so that infinities are not subtracted from themselves. */
static tl_tensor finite_max(tl_tensor x, tl_axes axes) {
  tl_tensor most = tl_max(x, axes, true);
  return tl_where(tl_lt(tl_fabs(most), tl_scalar_like(most, INFINITY)), most, tl_scalar_like(most, 0));
}

tl_tensor tl_logsumexp(tl_tensor x, tl_axes axes, bool keep) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(x), most = finite_max(wide, axes);
  out = tl_add(tl_log(tl_sum(tl_exp(tl_sub(wide, most)), axes, true)), most);
  return tl__compose_leave("logsumexp", scope, tl__like(keep ? out : tl_sum(out, axes, false), x));
}

/* With the largest element, the first of equal ones, taken out of the sum: what is left is log1p of the others, which
 * keeps all their digits, and the derivative at the largest is minus the sum of the others'. Of an infinity, NaN. */
static tl_tensor log_softmax(tl_tensor x, int axis) {
  tl_tensor zero = tl_scalar_like(x, 0);
  tl_tensor is_top = tl_eq(tl_positions(x, axis), tl_argmax(x, axis, true));
  tl_tensor top = tl_sum(tl_where(is_top, x, zero), tl__one_axis(axis), true);
  tl_tensor at_top = tl_where(tl_is_finite(top), zero, tl_scalar_like(x, NAN));
  tl_tensor apart = tl_where(is_top, at_top, tl_sub(x, top));
  tl_tensor others = tl_sum(tl_where(is_top, zero, tl_exp(apart)), tl__one_axis(axis), true);
  return tl_sub(apart, tl_log1p(others));
}

tl_tensor tl_log_softmax(tl_tensor x, int axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (x->rank && x->dim[(axis % x->rank + x->rank) % x->rank] == 0) {
    tl_shape_rules rules;
    tl_status status = tl__shape_axis(&rules, "log_softmax", 1, x->rank, axis, &axis);
    return tl__compose_leave("log_softmax", scope,
                             status == TL_OK ? tl_reshape(x, tl_shape_of(x))
                                             : tl__tensor_failed(status, rules.message));
  }
  return tl__compose_leave("log_softmax", scope, tl__like(log_softmax(tl__widened(x), axis), x));
}

tl_tensor tl_distillation_loss(tl_tensor student, tl_tensor teacher, tl_tensor temperature, int axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){student, teacher, temperature}, &scope, &out)) {
    return out;
  }
  tl_shape_rules rules;
  tl_shape lines = tl_shape_of(student);
  tl_status status = tl__shape_axis(&rules, "distillation_loss", 3, student->rank, axis, &axis);
  if (status != TL_OK) {
    return tl__compose_leave("distillation_loss", scope, tl__tensor_failed(status, rules.message));
  }
  lines.dim[axis] = 1;
  tl_tensor h = tl_broadcast(tl__widened(temperature), lines);
  tl_tensor loss = tl_soft_cross_entropy(tl__widened(student), tl__widened(teacher), h, axis);
  out = tl_sum(tl_mul(loss, tl_mul(h, h)), tl__one_axis(axis), false);
  return tl__compose_leave("distillation_loss", scope, tl__like(out, student));
}

tl_tensor tl_clip(tl_tensor x, tl_tensor least, tl_tensor most) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){x, least, most}, &scope, &out)) {
    return out;
  }
  tl_tensor above = tl_where(tl_lt(x, least), least, x);
  return tl__compose_leave("clip", scope, tl_where(tl_gt(above, most), most, above));
}

/* ---- along an axis ---- */

/* The axes with one of them last. */
static tl_axes last(int rank, int axis) {
  tl_axes order = {.count = 0};
  for (int i = 0; i < rank; i++) {
    if (i != axis) {
      order.axis[order.count++] = (int8_t)i;
    }
  }
  order.axis[order.count++] = (int8_t)axis;
  return order;
}

static tl_axes inverse(tl_axes order) {
  tl_axes out = {.count = order.count};
  for (int i = 0; i < order.count; i++) {
    out.axis[order.axis[i]] = (int8_t)i;
  }
  return out;
}

tl_tensor tl_take_along(tl_tensor x, tl_tensor indices, int axis, tl_index_mode mode) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(2, (tl_tensor[]){x, indices}, &scope, &out)) {
    return out;
  }
  tl_shape_rules rules;
  int at = 0;
  tl_status status = tl__shape_axis(&rules, "take_along", 2, x->rank, axis, &at);
  if (status != TL_OK) {
    out = tl__tensor_failed(status, rules.message);
  } else if (indices->rank != x->rank) {
    out = tl__compose_refuse("take_along", TL_TENSOR_SHAPE_MISMATCH, "the indices have another rank");
  } else {
    tl_axes order = last(x->rank, at);
    tl_gather_opts o = {.mode = mode, .batch = x->rank - 1};
    out = tl_gather(tl_transpose(x, order), tl_transpose(indices, order), x->rank - 1, o);
    out = tl_transpose(out, inverse(order));
  }
  return tl__compose_leave("take_along", scope, out);
}

tl_tensor tl_sort(tl_tensor x, int axis, bool descending) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("sort", scope, tl_take_along(x, tl_argsort(x, axis, descending), axis, TL_INDEX_CHECK));
}

/* The first k elements in their order, and their places. */
static tl_top_k_result first_k(const char *op, tl_tensor x, int64_t k, int axis, bool descending) {
  tl_tensor failed;
  tl_scope scope;
  if (!tl__compose_enter(1, &x, &scope, &failed)) {
    return (tl_top_k_result){failed, failed};
  }
  tl_top_k_result out;
  tl_tensor first = tl_iota(TL_I64, TL_SHAPE(k), 0);
  out.indices = tl_gather(tl_argsort(x, axis, descending), first, axis, (tl_gather_opts){.mode = TL_INDEX_CHECK});
  out.values = tl_scope_keep(scope, tl__compose_named(op, tl_take_along(x, out.indices, axis, TL_INDEX_CHECK)));
  out.indices = tl__compose_leave(op, scope, out.indices);
  return out;
}

tl_top_k_result tl_top_k(tl_tensor x, int64_t k, int axis) { return first_k("top_k", x, k, axis, true); }
tl_top_k_result tl_least_k(tl_tensor x, int64_t k, int axis) { return first_k("least_k", x, k, axis, false); }

tl_tensor tl_one_hot(tl_tensor indices, int64_t count, tl_dtype dtype) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &indices, &scope, &out)) {
    return out;
  }
  tl_shape column = tl_shape_of(indices);
  if (column.rank < TL_MAX_RANK) {
    column.dim[column.rank] = 1;
  }
  column.rank++;
  tl_tensor here = tl_eq(tl_reshape(indices, column), tl_iota(indices->dtype, TL_SHAPE(count), 0));
  return tl__compose_leave("one_hot", scope, tl_cast(here, dtype));
}

/* ---- contractions ---- */

/* Letters name axes; a product sums over those that are not asked for any more. */
enum { LETTERS = 128 };
typedef struct term {
  tl_tensor x;
  int rank;
  char letter[TL_MAX_RANK + 1];
} term;

static int find(const term *t, char letter) {
  for (int i = 0; i < t->rank; i++) {
    if (t->letter[i] == letter) {
      return i;
    }
  }
  return -1;
}

/* The axes with equal letters as one, the diagonal: a view whose step goes along all of them. */
static tl_tensor diagonal(term *t) {
  tl_tensor x = t->x;
  bool has_letter[LETTERS] = {false};
  for (int i = 0; x->trace && i < t->rank; i++) {
    if (has_letter[(int)t->letter[i]]) {
      return t->x = tl__compose_refuse("einsum", TL_TRACED_TENSOR, "the diagonal of an operand is not recorded");
    }
    has_letter[(int)t->letter[i]] = true;
  }
  int64_t dim[TL_MAX_RANK], stride[TL_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < t->rank; i++) {
    term before = {.rank = rank};
    for (int k = 0; k < rank; k++) {
      before.letter[k] = t->letter[k];
    }
    int same = find(&before, t->letter[i]);
    if (same >= 0 && dim[same] != x->dim[i]) {
      return t->x =
                 tl__compose_refuse("einsum", TL_TENSOR_SHAPE_MISMATCH, "axes with one letter have different extents");
    }
    if (same >= 0) {
      stride[same] += x->stride[i];
    } else {
      dim[rank] = x->dim[i];
      stride[rank] = x->stride[i];
      t->letter[rank++] = t->letter[i];
    }
  }
  t->x = rank == t->rank ? x : tl__tensor_view(x, rank, dim, stride);
  t->rank = rank;
  return t->x;
}

/* Sums over the axes that nothing asks for. */
static void drop(term *t, const bool wanted[LETTERS]) {
  tl_axes axes = {.count = 0};
  int rank = 0;
  for (int i = 0; i < t->rank; i++) {
    if (wanted[(int)t->letter[i]]) {
      t->letter[rank++] = t->letter[i];
    } else {
      axes.axis[axes.count++] = (int8_t)i;
    }
  }
  t->rank = rank;
  t->x = axes.count ? tl_sum(t->x, axes, false) : t->x;
}

/* One operand of a product as matmul wants it: in another order, and some axes as one. */
typedef struct arrangement {
  tl_axes order;
  tl_shape shape;
  int open; /* groups of several axes whose extent is no number yet, in a program that is being recorded */
} arrangement;

static void add_axes(arrangement *a, const term *t, const char *letters, int count) {
  for (int i = 0; i < count; i++) {
    int axis = find(t, letters[i]);
    a->order.axis[a->order.count++] = (int8_t)axis;
    a->shape.dim[a->shape.rank++] = t->x->dim[axis];
  }
}

/* The letters as one axis, also where there is none. */
static void add_group(arrangement *a, const term *t, const char *letters, int count) {
  int first = a->shape.rank;
  add_axes(a, t, letters, count);
  a->shape.rank = first + 1;
  if (count == 1) {
    return;
  }
  int64_t extent = 1;
  for (int i = 0; i < count; i++) {
    int64_t n = t->x->dim[find(t, letters[i])];
    extent = n < 0 || extent < 0 ? -1 : extent * n;
  }
  a->shape.dim[first] = extent; /* one -1 follows from the others */
  a->open += extent < 0;
}

static tl_tensor arranged(const term *t, const arrangement *a) {
  return a->open > 1 ? tl__compose_refuse("einsum", TL_TRACED_TENSOR,
                                          "several axes would be one, twice, and their extents are no numbers yet")
                     : tl_reshape(tl_transpose(t->x, a->order), a->shape);
}

static term multiply(term a, term b, const bool wanted[LETTERS]) {
  char common[TL_MAX_RANK], summed[TL_MAX_RANK], left[TL_MAX_RANK], right[TL_MAX_RANK];
  int commons = 0, sums = 0, lefts = 0, rights = 0;
  for (int i = 0; i < a.rank; i++) {
    char c = a.letter[i];
    if (find(&b, c) < 0) {
      left[lefts++] = c;
    } else if (wanted[(int)c]) {
      common[commons++] = c;
    } else {
      summed[sums++] = c;
    }
  }
  for (int i = 0; i < b.rank; i++) {
    if (find(&a, b.letter[i]) < 0) {
      right[rights++] = b.letter[i];
    }
  }
  term out = {.rank = 0};
  if (commons + lefts + rights > TL_MAX_RANK || commons + 2 > TL_MAX_RANK) {
    out.x = tl__compose_refuse("einsum", TL_TENSOR_SHAPE_MISMATCH, "a product would have more axes than a tensor");
    return out;
  }
  if (tl_status_of(a.x) != TL_OK || tl_status_of(b.x) != TL_OK) {
    out.x = tl_status_of(a.x) != TL_OK ? a.x : b.x;
    return out;
  }
  for (int i = 0; i < a.rank; i++) {
    int k = find(&b, a.letter[i]); /* extents that are no numbers yet are matmul's to compare */
    if (k >= 0 && a.x->dim[i] >= 0 && b.x->dim[k] >= 0 && a.x->dim[i] != b.x->dim[k]) {
      out.x = tl__compose_refuse("einsum", TL_TENSOR_SHAPE_MISMATCH, "axes with one letter have different extents");
      return out;
    }
  }
  arrangement x = {.open = 0}, y = {.open = 0};
  add_axes(&x, &a, common, commons);
  add_group(&x, &a, left, lefts);
  add_group(&x, &a, summed, sums);
  add_axes(&y, &b, common, commons);
  add_group(&y, &b, summed, sums);
  add_group(&y, &b, right, rights);
  tl_shape shape = {.rank = 0};
  const struct {
    const term *of;
    const char *letters;
    int count;
  } groups[] = {{&a, common, commons}, {&a, left, lefts}, {&b, right, rights}};
  for (int g = 0; g < 3; g++) {
    for (int i = 0; i < groups[g].count; i++) {
      int axis = find(groups[g].of, groups[g].letters[i]);
      out.letter[out.rank++] = groups[g].letters[i];
      shape.dim[shape.rank++] = groups[g].of->x->dim[axis];
    }
  }
  out.x = tl_reshape(tl_matmul(arranged(&a, &x), arranged(&b, &y)), shape);
  return out;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The letters of one operand, or of the result, up to a comma, an arrow or the end. */
static const char *read_letters(const char *at, term *out) {
  out->rank = 0;
  for (; *at && *at != ',' && *at != '-'; at++) {
    if (*at == ' ') {
      continue;
    }
    if (!is_letter(*at) || out->rank == TL_MAX_RANK) {
      return NULL;
    }
    out->letter[out->rank++] = *at;
  }
  return at;
}

enum { MOST_TERMS = 16 };

static const char *parse(const char *text, int count, term *terms, term *result) {
  const char *at = text;
  for (int i = 0; i < count; i++) {
    at = read_letters(at, &terms[i]);
    if (!at || (i + 1 < count && *at++ != ',')) {
      return "one group of letters for each operand, then -> and those of the result";
    }
  }
  if (at[0] != '-' || at[1] != '>' || !(at = read_letters(at + 2, result)) || *at) {
    return "one group of letters for each operand, then -> and those of the result";
  }
  for (int i = 0; i < result->rank; i++) {
    bool found = false;
    for (int k = 0; k < count; k++) {
      found = found || find(&terms[k], result->letter[i]) >= 0;
    }
    if (!found || find(result, result->letter[i]) != i) {
      return "a letter of the result is in no operand, or twice in the result";
    }
  }
  return NULL;
}

static tl_tensor contract_all(int count, term *terms, const term *result) {
  for (int i = 0; i < count; i++) {
    if (tl_status_of(diagonal(&terms[i])) != TL_OK) {
      return terms[i].x;
    }
  }
  term all = terms[0];
  for (int next = 1; next <= count; next++) {
    /* What the result or an operand still to come asks for. */
    bool wanted[LETTERS] = {false}, or_next[LETTERS] = {false};
    for (int i = 0; i < result->rank; i++) {
      wanted[(int)result->letter[i]] = true;
    }
    for (int k = next; k < count; k++) {
      for (int i = 0; i < terms[k].rank; i++) {
        or_next[(int)terms[k].letter[i]] = true;
        wanted[(int)terms[k].letter[i]] = wanted[(int)terms[k].letter[i]] || k > next;
      }
    }
    for (int i = 0; i < LETTERS; i++) {
      or_next[i] = or_next[i] || wanted[i];
    }
    drop(&all, or_next);
    if (next < count) {
      bool by_other[LETTERS];
      for (int i = 0; i < LETTERS; i++) {
        by_other[i] = wanted[i] || find(&all, (char)i) >= 0;
      }
      drop(&terms[next], by_other);
      all = multiply(all, terms[next], wanted);
    }
    if (tl_status_of(all.x) != TL_OK) {
      return all.x;
    }
  }
  tl_axes order = {.count = result->rank};
  for (int i = 0; i < result->rank; i++) {
    order.axis[i] = (int8_t)find(&all, result->letter[i]);
  }
  return tl_transpose(all.x, order);
}

tl_tensor tl_einsum(const char *letters, int count, const tl_tensor *operands) {
  term terms[MOST_TERMS], result;
  tl_tensor failed;
  if (count < 1 || count > MOST_TERMS) {
    return tl__compose_refuse("einsum", TL_TENSOR_SHAPE_MISMATCH, "it takes 1 to 16 operands");
  }
  if (tl__tensor_any_failed(count, operands, &failed)) {
    return failed;
  }
  const char *fault = parse(letters, count, terms, &result);
  for (int i = 0; i < count && !fault; i++) {
    terms[i].x = operands[i];
    fault = terms[i].rank == operands[i]->rank ? NULL : "an operand has another rank than it has letters";
  }
  if (fault) {
    return tl__compose_refuse("einsum", TL_TENSOR_SHAPE_MISMATCH, fault);
  }
  tl_scope scope = tl_scope_open();
  return scope ? tl__compose_leave("einsum", scope, contract_all(count, terms, &result)) : NULL;
}

tl_tensor tl_contract(tl_tensor x, tl_tensor y, tl_axes x_axes, tl_axes y_axes) {
  tl_tensor failed;
  if (tl__tensor_any_failed(2, (tl_tensor[]){x, y}, &failed)) {
    return failed;
  }
  if (x_axes.count < 0 || x_axes.count != y_axes.count || x->rank + y->rank - x_axes.count > 2 * TL_MAX_RANK) {
    return tl__compose_refuse("contract", TL_TENSOR_SHAPE_MISMATCH, "as many axes of one operand as of the other");
  }
  tl_shape_rules rules;
  bool named[TL_MAX_RANK];
  tl_status status = tl__shape_axes(&rules, "contract", x->rank, x_axes, named);
  status = status == TL_OK ? tl__shape_axes(&rules, "contract", y->rank, y_axes, named) : status;
  if (status != TL_OK) {
    return tl__tensor_failed(status, rules.message);
  }
  term terms[2] = {{.x = x, .rank = x->rank}, {.x = y, .rank = y->rank}}, result = {.rank = 0};
  for (int i = 0; i < x->rank; i++) {
    terms[0].letter[i] = (char)('a' + i);
  }
  for (int i = 0; i < y->rank; i++) {
    terms[1].letter[i] = (char)('A' + i);
  }
  for (int i = 0; i < x_axes.count; i++) {
    int a = (x_axes.axis[i] + x->rank) % x->rank, b = (y_axes.axis[i] + y->rank) % y->rank;
    terms[1].letter[b] = terms[0].letter[a];
  }
  for (int t = 0; t < 2; t++) {
    for (int i = 0; i < terms[t].rank; i++) {
      if (find(&terms[1 - t], terms[t].letter[i]) < 0) {
        if (result.rank == TL_MAX_RANK) {
          return tl__compose_refuse("contract", TL_TENSOR_SHAPE_MISMATCH,
                                    "the result would have more axes than a tensor");
        }
        result.letter[result.rank++] = terms[t].letter[i];
      }
    }
  }
  tl_scope scope = tl_scope_open();
  return scope ? tl__compose_leave("contract", scope, contract_all(2, terms, &result)) : NULL;
}

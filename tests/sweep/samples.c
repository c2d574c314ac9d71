/* The samples of the rows that are about tensors: rank 0, extents 0 and 1, several axes, names on some of them. */
#include "sample.h"

#define OF(in, out, op) "func @f(%x: f64<" in ">) -> (return) { %y: f64<" out "> = " op " yield %y }"
#define OF2(x, y, out, op)                                                                                             \
  "func @f(%x: f64<" x ">, %y: f64<" y ">) -> (return) { %z: f64<" out "> = " op " %x, %y yield %z }"

#define ANY {{.low = -2, .high = 2}, {.low = -2, .high = 2}, {.low = -2, .high = 2}}
#define WIDE {{.low = -8, .high = 8}}
#define ENDS {.text = NULL}

const sweep_sample sweep_samples_broadcast[] = {
    {.name = "rank 0 to 0", .text = OF("", "", "broadcast %x"), .domains = ANY},
    {.name = "rank 0 to 2", .text = OF("", "2, 3", "broadcast %x"), .domains = ANY},
    {.name = "an axis in front", .text = OF("a=3", "2, a=3", "broadcast %x"), .domains = ANY},
    {.name = "along an axis of extent 1", .text = OF("a=2, 1, 3", "a=2, 4, 3", "broadcast %x"), .domains = ANY},
    {.name = "both", .text = OF("1, 3, 1", "5, 2, 3, 4", "broadcast %x"), .domains = ANY},
    {.name = "to extent 0", .text = OF("1, 3", "0, 3", "broadcast %x"), .domains = ANY},
    {.name = "of extent 0", .text = OF("0", "2, 0", "broadcast %x"), .domains = ANY},
    {.name = "the same", .text = OF("2, 3", "2, 3", "broadcast %x"), .domains = ANY},
    {.name = "more extents than operands",
     .text = OF("2, 3, 1, 4, 5", "2, 3, 1, 4, 5", "broadcast %x"),
     .domains = ANY},
    {.name = "a number",
     .text = "func @f(%x: f64) -> (return) { %y: f64<2, 3> = broadcast %x yield %y }",
     .domains = ANY},
    {.name = "a number to rank 0",
     .text = "func @f(%x: f64) -> (return) { %y: f64<> = broadcast %x yield %y }",
     .domains = ANY},
    ENDS};

const sweep_sample sweep_samples_sum_to[] = {
    {.name = "rank 0", .text = OF("", "", "sum_to %x"), .domains = ANY},
    {.name = "to rank 0", .text = OF("2, 3", "", "sum_to %x"), .domains = ANY},
    {.name = "leading axes", .text = OF("4, 2, a=3", "a=3", "sum_to %x"), .domains = ANY},
    {.name = "to extent 1", .text = OF("a=2, 3, 4", "a=2, 1, 4", "sum_to %x"), .domains = ANY},
    {.name = "both", .text = OF("5, 2, 3, 4", "1, 3, 1", "sum_to %x"), .domains = ANY},
    {.name = "of extent 0", .text = OF("0, 3", "3", "sum_to %x"), .domains = ANY},
    {.name = "the same", .text = OF("2, 3", "2, 3", "sum_to %x"), .domains = ANY},
    ENDS};

const sweep_sample sweep_samples_reshape[] = {
    {.name = "rank 0", .text = OF("", "", "reshape %x"), .domains = ANY},
    {.name = "rank 0 to 2", .text = OF("", "1, 1", "reshape %x"), .domains = ANY},
    {.name = "to rank 0", .text = OF("1, 1, 1", "", "reshape %x"), .domains = ANY},
    {.name = "flat", .text = OF("2, 3, 4", "24", "reshape %x"), .domains = ANY},
    {.name = "other extents", .text = OF("a=5, 2, 6", "a=5, 4, 3", "reshape %x"), .domains = ANY},
    {.name = "ones between", .text = OF("a=2, b=3", "a=2, 1, b=3", "reshape %x"), .domains = ANY},
    {.name = "of extent 0", .text = OF("0, 3", "2, 0", "reshape %x"), .domains = ANY},
    {.name = "of a transpose",
     .text = "func @f(%x: f64<2, 3>) -> (return) { %t: f64<3, 2> = transpose %x with order all "
             "%y: f64<6> = reshape %t yield %y }",
     .domains = ANY},
    ENDS};

const sweep_sample sweep_samples_transpose[] = {
    {.name = "rank 0", .text = OF("", "", "transpose %x with order all"), .domains = ANY},
    {.name = "rank 1", .text = OF("a=3", "a=3", "transpose %x with order (0)"), .domains = ANY},
    {.name = "reversed", .text = OF("a=2, 3, c=4", "c=4, 3, a=2", "transpose %x with order all"), .domains = ANY},
    {.name = "a cycle", .text = OF("a=2, b=3, 4", "b=3, 4, a=2", "transpose %x with order (1, 2, 0)"), .domains = ANY},
    {.name = "counted from behind",
     .text = OF("2, 3, 4, 5", "5, 2, 4, 3", "transpose %x with order (-1, 0, -2, 1)"),
     .domains = ANY},
    {.name = "of extent 0", .text = OF("0, 3", "3, 0", "transpose %x with order (1, 0)"), .domains = ANY},
    ENDS};

#define REDUCED(op, domain)                                                                                            \
  {.name = "rank 0", .text = OF("", "", op " %x with axes all, keep 0"), .domains = domain},                           \
      {.name = "rank 0, kept", .text = OF("", "", op " %x with axes (), keep 1"), .domains = domain},                  \
      {.name = "all", .text = OF("a=2, 3", "", op " %x with axes all, keep 0"), .domains = domain},                    \
      {.name = "all, kept", .text = OF("a=2, 3", "1, 1", op " %x with axes all, keep 1"), .domains = domain},          \
      {.name = "no axis", .text = OF("a=2, 3", "a=2, 3", op " %x with axes (), keep 0"), .domains = domain},           \
      {.name = "the first", .text = OF("2, b=3", "b=3", op " %x with axes (0), keep 0"), .domains = domain},           \
      {.name = "the last", .text = OF("a=2, 3", "a=2", op " %x with axes (-1), keep 0"), .domains = domain},           \
      {.name = "two of three, kept",                                                                                   \
       .text = OF("2, b=3, 4", "1, b=3, 1", op " %x with axes (2, 0), keep 1"),                                        \
       .domains = domain},                                                                                             \
      {.name = "two of four",                                                                                          \
       .text = OF("2, b=3, 4, d=5", "b=3, d=5", op " %x with axes (-2, 0), keep 0"),                                   \
       .domains = domain},                                                                                             \
      {.name = "of extent 1", .text = OF("1, b=3", "b=3", op " %x with axes (0), keep 0"), .domains = domain}, {       \
    .name = "beside extent 0", .text = OF("0, 3", "0", op " %x with axes (1), keep 0"), .domains = domain              \
  }

const sweep_sample sweep_samples_sum[] = {
    REDUCED("sum", ANY),
    {.name = "over extent 0", .text = OF("0, 3", "3", "sum %x with axes (0), keep 0"), .domains = ANY},
    ENDS};

const sweep_sample sweep_samples_max[] = {
    REDUCED("max", WIDE),
    {.name = "of ties",
     .text = OF("3, 4", "3", "max %x with axes (1), keep 0"),
     .domains = {{.low = 0, .high = 2, .grid = 1}},
     .excluded = 1U << SURFACE_REVERSE | 1U << SURFACE_SYMBOLIC | 1U << SURFACE_BATCH_DERIVED,
     .reason = "at a tie, which is shared in equal parts, max has no derivative for differences to find"},
    ENDS};

#define OF_KIND(in_kind, in, out_kind, out, op)                                                                        \
  "func @f(%x: " in_kind "<" in ">) -> (return) { %y: " out_kind "<" out "> = " op " yield %y }"
#define TRUTH {{.low = 0, .high = 2, .grid = 1}}
#define REDUCED_TRUTH(op)                                                                                              \
  {.name = "rank 0", .text = OF_KIND("i1", "", "i1", "", op " %x with axes all, keep 0"), .domains = TRUTH},           \
      {.name = "all", .text = OF_KIND("i1", "a=2, 3", "i1", "", op " %x with axes all, keep 0"), .domains = TRUTH},    \
      {.name = "the first",                                                                                            \
       .text = OF_KIND("i1", "2, b=3", "i1", "b=3", op " %x with axes (0), keep 0"),                                   \
       .domains = TRUTH},                                                                                              \
      {.name = "two of three, kept",                                                                                   \
       .text = OF_KIND("i1", "2, b=3, 4", "i1", "1, b=3, 1", op " %x with axes (2, 0), keep 1"),                       \
       .domains = TRUTH},                                                                                              \
      {.name = "over extent 0",                                                                                        \
       .text = OF_KIND("i1", "0, 3", "i1", "3", op " %x with axes (0), keep 0"),                                       \
       .domains = TRUTH},                                                                                              \
  {                                                                                                                    \
    .name = "beside extent 0", .text = OF_KIND("i1", "0, 3", "i1", "0", op " %x with axes (1), keep 0"),               \
    .domains = TRUTH                                                                                                   \
  }

const sweep_sample sweep_samples_reduce_or[] = {REDUCED_TRUTH("reduce_or"), ENDS};
const sweep_sample sweep_samples_reduce_and[] = {REDUCED_TRUTH("reduce_and"), ENDS};

#define PLACE(op)                                                                                                      \
  {.name = "rank 1", .text = OF_KIND("f64", "4", "i64", "", op " %x with axis 0, keep 0"), .domains = WIDE},           \
      {.name = "the first",                                                                                            \
       .text = OF_KIND("f64", "a=4, b=3", "i64", "b=3", op " %x with axis 0, keep 0"),                                 \
       .domains = WIDE},                                                                                               \
      {.name = "the last, kept",                                                                                       \
       .text = OF_KIND("f64", "a=2, 5", "i64", "a=2, 1", op " %x with axis -1, keep 1"),                               \
       .domains = WIDE},                                                                                               \
      {.name = "one between, of integers with ties",                                                                   \
       .text = OF_KIND("i32", "2, 4, c=3", "i64", "2, c=3", op " %x with axis 1, keep 0"),                             \
       .domains = {{.low = 0, .high = 3, .grid = 1}}},                                                                 \
  {                                                                                                                    \
    .name = "beside extent 0", .text = OF_KIND("f64", "0, 3", "i64", "0", op " %x with axis 1, keep 0"),               \
    .domains = WIDE                                                                                                    \
  }

const sweep_sample sweep_samples_argmax[] = {PLACE("argmax"), ENDS};
const sweep_sample sweep_samples_argmin[] = {PLACE("argmin"), ENDS};

const sweep_sample sweep_samples_argsort[] = {
    {.name = "rank 1",
     .text = OF_KIND("f64", "5", "i64", "5", "argsort %x with axis 0, descending 0"),
     .domains = WIDE},
    {.name = "the first",
     .text = OF_KIND("f64", "a=4, b=3", "i64", "a=4, b=3", "argsort %x with axis 0, descending 0"),
     .domains = WIDE},
    {.name = "the last, descending",
     .text = OF_KIND("f64", "a=2, 5", "i64", "a=2, 5", "argsort %x with axis -1, descending 1"),
     .domains = WIDE},
    {.name = "of integers with ties",
     .text = OF_KIND("i32", "2, 6, 3", "i64", "2, 6, 3", "argsort %x with axis 1, descending 1"),
     .domains = {{.low = 0, .high = 3, .grid = 1}}},
    {.name = "of extent 0",
     .text = OF_KIND("f64", "0, 3", "i64", "0, 3", "argsort %x with axis 0, descending 0"),
     .domains = WIDE},
    ENDS};

const sweep_sample sweep_samples_softmax[] = {
    {.name = "rank 1", .text = OF("a=4", "a=4", "softmax %x with axis 0"), .domains = ANY},
    {.name = "the first", .text = OF("a=2, b=3", "a=2, b=3", "softmax %x with axis 0"), .domains = ANY},
    {.name = "the last", .text = OF("a=2, 3", "a=2, 3", "softmax %x with axis -1"), .domains = ANY},
    {.name = "one between", .text = OF("2, b=3, 4", "2, b=3, 4", "softmax %x with axis 1"), .domains = ANY},
    {.name = "of extent 1", .text = OF("3, 1", "3, 1", "softmax %x with axis 1"), .domains = ANY},
    {.name = "of extent 0", .text = OF("3, 0", "3, 0", "softmax %x with axis 1"), .domains = ANY},
    {.name = "beside extent 0", .text = OF("0, 3", "0, 3", "softmax %x with axis 1"), .domains = ANY},
    {.name = "apart", .text = OF("3, 4", "3, 4", "softmax %x with axis 1"), .domains = {{.low = -6, .high = 6}}},
    ENDS};

#define OF_PAIR(x, h, out, op, axis)                                                                                   \
  "func @f(%s: f64<" x ">, %t: f64<" x ">, %h: f64<" h ">) -> (return) { %y: f64<" out "> = " op                       \
  " %s, %t, %h with axis " axis " yield %y }"
#define PAIRS {{.low = -2, .high = 2}, {.low = -2, .high = 2}, {.low = 0.75, .high = 1.5}}
const sweep_sample sweep_samples_softmax_difference[] = {
    {.name = "rank 1", .text = OF_PAIR("a=4", "1", "a=4", "softmax_difference", "0"), .domains = PAIRS},
    {.name = "the first",
     .text = OF_PAIR("a=2, b=3", "1, b=3", "a=2, b=3", "softmax_difference", "0"),
     .domains = PAIRS},
    {.name = "the last", .text = OF_PAIR("a=2, 3", "a=2, 1", "a=2, 3", "softmax_difference", "-1"), .domains = PAIRS},
    {.name = "one between",
     .text = OF_PAIR("2, b=3, 2", "2, 1, 2", "2, b=3, 2", "softmax_difference", "1"),
     .domains = PAIRS},
    {.name = "of extent 1", .text = OF_PAIR("3, 1", "3, 1", "3, 1", "softmax_difference", "1"), .domains = PAIRS},
    {.name = "of extent 0", .text = OF_PAIR("3, 0", "3, 1", "3, 0", "softmax_difference", "1"), .domains = PAIRS},
    {.name = "apart",
     .text = OF_PAIR("3, 4", "3, 1", "3, 4", "softmax_difference", "1"),
     .domains = {{.low = -6, .high = 6}, {.low = -6, .high = 6}, {.low = 0.75, .high = 1.5}}},
    ENDS};

const sweep_sample sweep_samples_soft_cross_entropy[] = {
    {.name = "rank 1", .text = OF_PAIR("a=4", "1", "1", "soft_cross_entropy", "0"), .domains = PAIRS},
    {.name = "the first", .text = OF_PAIR("a=2, b=3", "1, b=3", "1, b=3", "soft_cross_entropy", "0"), .domains = PAIRS},
    {.name = "the last", .text = OF_PAIR("a=2, 3", "a=2, 1", "a=2, 1", "soft_cross_entropy", "-1"), .domains = PAIRS},
    {.name = "one between",
     .text = OF_PAIR("2, b=3, 2", "2, 1, 2", "2, 1, 2", "soft_cross_entropy", "1"),
     .domains = PAIRS},
    {.name = "of extent 1", .text = OF_PAIR("3, 1", "3, 1", "3, 1", "soft_cross_entropy", "1"), .domains = PAIRS},
    {.name = "of extent 0", .text = OF_PAIR("3, 0", "3, 1", "3, 1", "soft_cross_entropy", "1"), .domains = PAIRS},
    {.name = "apart",
     .text = OF_PAIR("3, 4", "3, 1", "3, 1", "soft_cross_entropy", "1"),
     .domains = {{.low = -6, .high = 6}, {.low = -6, .high = 6}, {.low = 0.75, .high = 1.5}}},
    ENDS};

const sweep_sample sweep_samples_matmul[] = {
    {.name = "matrices", .text = OF2("a=2, k=3", "k=3, c=4", "a=2, c=4", "matmul"), .domains = ANY},
    {.name = "vectors", .text = OF2("k=3", "3", "", "matmul"), .domains = ANY},
    {.name = "a row", .text = OF2("k=3", "3, c=4", "c=4", "matmul"), .domains = ANY},
    {.name = "a column", .text = OF2("a=2, 3", "k=3", "a=2", "matmul"), .domains = ANY},
    {.name = "many and many", .text = OF2("b=5, 2, 3", "b=5, 3, c=4", "b=5, 2, c=4", "matmul"), .domains = ANY},
    {.name = "many and one", .text = OF2("b=5, a=2, 3", "3, c=4", "b=5, a=2, c=4", "matmul"), .domains = ANY},
    {.name = "one and many", .text = OF2("a=2, 3", "b=5, 3, c=4", "b=5, a=2, c=4", "matmul"), .domains = ANY},
    {.name = "broadcast", .text = OF2("5, 1, 2, 3", "4, 3, c=6", "5, 4, 2, c=6", "matmul"), .domains = ANY},
    {.name = "a row and many", .text = OF2("3", "b=5, 3, c=4", "b=5, c=4", "matmul"), .domains = ANY},
    {.name = "many and a column", .text = OF2("b=5, a=2, 3", "3", "b=5, a=2", "matmul"), .domains = ANY},
    {.name = "two axes of many", .text = OF2("2, 3, 4, 5", "5", "2, 3, 4", "matmul"), .domains = ANY},
    {.name = "over extent 0", .text = OF2("2, 0", "0, 3", "2, 3", "matmul"), .domains = ANY},
    {.name = "of extent 0", .text = OF2("0, 3", "3, 2", "0, 2", "matmul"), .domains = ANY},
    {.name = "of extent 1", .text = OF2("1, 1", "1, 1", "1, 1", "matmul"), .domains = ANY},
    {.name = "with itself",
     .text = "func @f(%x: f64<a=3, 3>) -> (return) { %y: f64<a=3, 3> = matmul %x, %x yield %y }",
     .domains = ANY},
    ENDS};

#define GATHER(x, i, out, attributes)                                                                                  \
  "func @f(%x: f64<" x ">, %i: i64<" i ">) -> (return) { %y: f64<" out "> = gather %x, %i with " attributes            \
  " yield %y }"
#define INDICES(low_, high_) {{.low = -2, .high = 2}, {.low = low_, .high = high_, .grid = 1}, {.low = -2, .high = 2}}

const sweep_sample sweep_samples_gather[] = {
    {.name = "rows",
     .text = GATHER("4, b=3", "n=2", "n=2, b=3", "axis 0, mode check, batch 0"),
     .domains = INDICES(0, 4)},
    {.name = "the last axis",
     .text = GATHER("a=2, 5", "n=3", "a=2, n=3", "axis -1, mode check, batch 0"),
     .domains = INDICES(0, 5)},
    {.name = "between",
     .text = GATHER("a=2, 4, c=3", "5", "a=2, 5, c=3", "axis 1, mode check, batch 0"),
     .domains = INDICES(0, 4)},
    {.name = "indices of rank 0",
     .text = GATHER("4, b=3", "", "b=3", "axis 0, mode check, batch 0"),
     .domains = INDICES(0, 4)},
    {.name = "indices of rank 2",
     .text = GATHER("a=2, 4", "m=3, 2", "a=2, m=3, 2", "axis 1, mode check, batch 0"),
     .domains = INDICES(0, 4)},
    {.name = "of rank 1", .text = GATHER("4", "6", "6", "axis 0, mode check, batch 0"), .domains = INDICES(0, 4)},
    {.name = "i32",
     .text =
         "func @f(%x: f64<4>, %i: i32<6>) -> (return) { %y: f64<6> = gather %x, %i with axis 0, mode check, batch 0 "
         "yield %y }",
     .domains = INDICES(0, 4)},
    {.name = "no index", .text = GATHER("4, 3", "0", "0, 3", "axis 0, mode check, batch 0"), .domains = INDICES(0, 4)},
    {.name = "of extent 1",
     .text = GATHER("1, 3", "2", "2, 3", "axis 0, mode check, batch 0"),
     .domains = INDICES(0, 1)},
    {.name = "clip",
     .text = GATHER("4, b=3", "n=7", "n=7, b=3", "axis 0, mode clip, batch 0"),
     .domains = INDICES(-3, 7)},
    {.name = "drop",
     .text = GATHER("a=3, 4", "n=7", "a=3, n=7", "axis 1, mode drop, batch 0"),
     .domains = INDICES(-3, 7)},
    {.name = "fill",
     .text = "func @f(%x: f64<4, 3>, %i: i64<7>) -> (return) { %r: f64<7, 3> = gather %x, %i with axis 0, mode fill, "
             "batch 0 "
             "%c: i1<7, 3> = eq %r, %r %zero: f64<7, 3> = mul %r, %r %n: f64<> = sum %x with axes all, keep 0 "
             "%b: f64<7, 3> = broadcast %n %y: f64<7, 3> = select %c, %zero, %b yield %y }",
     .domains = INDICES(-3, 7)},
    {.name = "each its own",
     .text = GATHER("a=3, 4", "a=3, 5", "a=3, 5", "axis 1, mode check, batch 1"),
     .domains = INDICES(0, 4)},
    {.name = "two common axes, clip",
     .text = GATHER("a=2, b=3, 5, d=2", "a=2, 3, 4", "a=2, b=3, 4, d=2", "axis 2, mode clip, batch 2"),
     .domains = INDICES(-2, 8)},
    {.name = "one common axis, one between",
     .text = GATHER("2, b=3, 4", "2, 5", "2, b=3, 5", "axis -1, mode drop, batch 1"),
     .domains = INDICES(-2, 6)},
    {.name = "one common axis, indices of rank 0",
     .text = GATHER("a=3, 4", "a=3", "a=3", "axis 1, mode clip, batch 1"),
     .domains = INDICES(-2, 6)},
    ENDS};

#define SCATTER(x, i, u, attributes)                                                                                   \
  "func @f(%x: f64<" x ">, %i: i64<" i ">, %u: f64<" u ">) -> (return) { %y: f64<" x                                   \
  "> = scatter_add %x, %i, %u with " attributes " yield %y }"

const sweep_sample sweep_samples_scatter_add[] = {
    {.name = "rows",
     .text = SCATTER("4, b=3", "n=2", "n=2, b=3", "axis 0, mode check, batch 0"),
     .domains = INDICES(0, 4)},
    {.name = "the same places",
     .text = SCATTER("2, b=3", "6", "6, 3", "axis 0, mode check, batch 0"),
     .domains = INDICES(0, 2)},
    {.name = "the last axis",
     .text = SCATTER("a=2, 5", "n=3", "a=2, n=3", "axis -1, mode check, batch 0"),
     .domains = INDICES(0, 5)},
    {.name = "indices of rank 0",
     .text = SCATTER("4, b=3", "", "b=3", "axis 0, mode check, batch 0"),
     .domains = INDICES(0, 4)},
    {.name = "indices of rank 2",
     .text = SCATTER("a=2, 4", "m=3, 2", "a=2, m=3, 2", "axis 1, mode check, batch 0"),
     .domains = INDICES(0, 4)},
    {.name = "i32",
     .text = "func @f(%x: f64<4>, %i: i32<6>, %u: f64<6>) -> (return) { "
             "%y: f64<4> = scatter_add %x, %i, %u with axis 0, mode check, batch 0 yield %y }",
     .domains = INDICES(0, 4)},
    {.name = "no index", .text = SCATTER("4, 3", "0", "0, 3", "axis 0, mode check, batch 0"), .domains = INDICES(0, 4)},
    {.name = "clip",
     .text = SCATTER("4, b=3", "n=7", "n=7, b=3", "axis 0, mode clip, batch 0"),
     .domains = INDICES(-3, 7)},
    {.name = "drop",
     .text = SCATTER("a=3, 4", "n=7", "a=3, n=7", "axis 1, mode drop, batch 0"),
     .domains = INDICES(-3, 7)},
    {.name = "fill", .text = SCATTER("4", "7", "7", "axis 0, mode fill, batch 0"), .domains = INDICES(-3, 7)},
    {.name = "each its own",
     .text = SCATTER("a=3, 4", "a=3, 5", "a=3, 5", "axis 1, mode drop, batch 1"),
     .domains = INDICES(-1, 5)},
    {.name = "two common axes, clip",
     .text = SCATTER("a=2, b=3, 5, d=2", "a=2, 3, 4", "a=2, b=3, 4, d=2", "axis 2, mode clip, batch 2"),
     .domains = INDICES(-2, 8)},
    {.name = "one common axis, one between",
     .text = SCATTER("2, b=3, 4", "2, 5", "2, b=3, 5", "axis -1, mode drop, batch 1"),
     .domains = INDICES(-2, 6)},
    ENDS};

#define STRIDED(in, out, op, start, step) OF(in, out, op " %x with start (" start "), step (" step ")")

const sweep_sample sweep_samples_pick[] = {
    {.name = "rank 0", .text = STRIDED("", "", "pick", "", ""), .domains = ANY},
    {.name = "every second", .text = STRIDED("7", "3", "pick", "1", "2"), .domains = ANY},
    {.name = "the first ones", .text = STRIDED("a=2, 5", "a=2, 3", "pick", "0, 0", "1, 1"), .domains = ANY},
    {.name = "of three axes", .text = STRIDED("4, b=3, 6", "2, b=3, 2", "pick", "1, 0, 2", "2, 1, 3"), .domains = ANY},
    {.name = "with more around", .text = STRIDED("a=3, 4", "a=3, 9", "pick", "0, -3", "1, 1"), .domains = ANY},
    {.name = "steps past both ends", .text = STRIDED("5, 3", "4, 3", "pick", "-1, 1", "3, 2"), .domains = ANY},
    {.name = "all outside", .text = STRIDED("3", "2", "pick", "5", "1"), .domains = ANY},
    {.name = "all ahead", .text = STRIDED("3", "2", "pick", "-5", "2"), .domains = ANY},
    {.name = "of extent 0", .text = STRIDED("0, 3", "2, 3", "pick", "0, 0", "1, 1"), .domains = ANY},
    {.name = "to extent 0", .text = STRIDED("2, 3", "0, 3", "pick", "1, 0", "1, 1"), .domains = ANY},
    ENDS};

const sweep_sample sweep_samples_place[] = {
    {.name = "rank 0", .text = STRIDED("", "", "place", "", ""), .domains = ANY},
    {.name = "apart", .text = STRIDED("3", "8", "place", "1", "2"), .domains = ANY},
    {.name = "in front", .text = STRIDED("a=2, 3", "a=2, 5", "place", "0, 0", "1, 1"), .domains = ANY},
    {.name = "of three axes", .text = STRIDED("2, b=3, 2", "4, b=3, 6", "place", "1, 0, 2", "2, 1, 3"), .domains = ANY},
    {.name = "cut at both ends", .text = STRIDED("a=3, 9", "a=3, 4", "place", "0, -3", "1, 1"), .domains = ANY},
    {.name = "steps past both ends", .text = STRIDED("4, 3", "5, 3", "place", "-1, 1", "3, 2"), .domains = ANY},
    {.name = "all outside", .text = STRIDED("2", "3", "place", "5", "1"), .domains = ANY},
    {.name = "of extent 0", .text = STRIDED("0, 3", "2, 3", "place", "0, 0", "1, 1"), .domains = ANY},
    {.name = "to extent 0", .text = STRIDED("2, 3", "0, 3", "place", "1, 0", "1, 1"), .domains = ANY},
    ENDS};

const sweep_sample sweep_samples_concat[] = {
    {.name = "rank 1",
     .text = "func @f(%x: f64<2>, %y: f64<3>) -> (return) { %z: f64<5> = concat %x, %y with axis 0 yield %z }",
     .domains = ANY},
    {.name = "the first",
     .text = "func @f(%x: f64<2, b=3>, %y: f64<4, b=3>) -> (return) { %z: f64<6, b=3> = concat %x, %y with axis 0 "
             "yield %z }",
     .domains = ANY},
    {.name = "the last",
     .text = "func @f(%x: f64<a=2, 3>, %y: f64<a=2, 1>) -> (return) { %z: f64<a=2, 4> = concat %x, %y with axis -1 "
             "yield %z }",
     .domains = ANY},
    {.name = "one between",
     .text = "func @f(%x: f64<2, 1, c=3>, %y: f64<2, 2, c=3>) -> (return) { %z: f64<2, 3, c=3> = concat %x, %y with "
             "axis 1 yield %z }",
     .domains = ANY},
    {.name = "nothing",
     .text = "func @f(%x: f64<0, 3>, %y: f64<2, 3>) -> (return) { %z: f64<2, 3> = concat %x, %y with axis 0 yield %z }",
     .domains = ANY},
    {.name = "with itself",
     .text = "func @f(%x: f64<2, 3>) -> (return) { %z: f64<2, 6> = concat %x, %x with axis 1 yield %z }",
     .domains = ANY},
    ENDS};

const sweep_sample sweep_samples_reverse[] = {
    {.name = "rank 0", .text = OF("", "", "reverse %x with axes all"), .domains = ANY},
    {.name = "rank 1", .text = OF("a=4", "a=4", "reverse %x with axes (0)"), .domains = ANY},
    {.name = "all", .text = OF("a=2, 3", "a=2, 3", "reverse %x with axes all"), .domains = ANY},
    {.name = "none", .text = OF("a=2, 3", "a=2, 3", "reverse %x with axes ()"), .domains = ANY},
    {.name = "two of three", .text = OF("2, b=3, 4", "2, b=3, 4", "reverse %x with axes (-1, 0)"), .domains = ANY},
    {.name = "of extent 0", .text = OF("0, 3", "0, 3", "reverse %x with axes (1)"), .domains = ANY},
    ENDS};

#define WINDOWS(in, out, op, axes, stride, dilation)                                                                   \
  OF(in, out, op " %x with axes (" axes "), stride (" stride "), dilation (" dilation ")")

const sweep_sample sweep_samples_windows[] = {
    {.name = "no axis", .text = WINDOWS("2, b=3", "2, b=3", "windows", "", "", ""), .domains = ANY},
    {.name = "rank 1", .text = WINDOWS("7", "5, 3", "windows", "0", "1", "1"), .domains = ANY},
    {.name = "strides", .text = WINDOWS("a=2, 8", "a=2, 3, 3", "windows", "1", "2", "1"), .domains = ANY},
    {.name = "dilated", .text = WINDOWS("a=2, 8", "a=2, 2, 3", "windows", "-1", "2", "2"), .domains = ANY},
    {.name = "two axes",
     .text = WINDOWS("n=2, 5, 6", "n=2, 2, 3, 3, 2", "windows", "1, 2", "2, 1", "1, 3"),
     .domains = ANY},
    {.name = "two axes in another order",
     .text = WINDOWS("5, b=2, 6", "2, b=2, 3, 2, 3", "windows", "2, 0", "1, 2", "3, 1"),
     .domains = ANY},
    {.name = "apart", .text = WINDOWS("9", "2, 2", "windows", "0", "4", "1"), .domains = ANY},
    {.name = "of extent 0", .text = WINDOWS("0, 4", "0, 3, 2", "windows", "1", "1", "1"), .domains = ANY},
    {.name = "no window", .text = WINDOWS("2, 4", "2, 0, 2", "windows", "1", "1", "1"), .domains = ANY},
    ENDS};

const sweep_sample sweep_samples_overlap_add[] = {
    {.name = "no axis", .text = WINDOWS("2, b=3", "2, b=3", "overlap_add", "", "", ""), .domains = ANY},
    {.name = "rank 1", .text = WINDOWS("5, 3", "7", "overlap_add", "0", "1", "1"), .domains = ANY},
    {.name = "strides", .text = WINDOWS("a=2, 3, 3", "a=2, 8", "overlap_add", "1", "2", "1"), .domains = ANY},
    {.name = "two axes",
     .text = WINDOWS("n=2, 2, 3, 3, 2", "n=2, 5, 6", "overlap_add", "1, 2", "2, 1", "1, 3"),
     .domains = ANY},
    {.name = "two axes in another order",
     .text = WINDOWS("2, b=2, 3, 2, 3", "5, b=2, 6", "overlap_add", "2, 0", "1, 2", "3, 1"),
     .domains = ANY},
    {.name = "apart", .text = WINDOWS("2, 2", "9", "overlap_add", "0", "4", "1"), .domains = ANY},
    {.name = "no window", .text = WINDOWS("2, 0, 2", "2, 4", "overlap_add", "1", "1", "1"), .domains = ANY},
    ENDS};

#define WINDOW_GATHER(x, i, out, attributes)                                                                           \
  "func @f(%x: f64<" x ">, %i: i64<" i ">) -> (return) { %y: f64<" out "> = window_gather %x, %i with " attributes     \
  " yield %y }"

const sweep_sample sweep_samples_window_gather[] = {
    {.name = "rows",
     .text = WINDOW_GATHER("5, b=3", "n=2, 1", "n=2, 2, b=3", "axes (0), mode check, batch 0"),
     .domains = INDICES(0, 4)},
    {.name = "one vector",
     .text = WINDOW_GATHER("4, 5", "2", "2, 3", "axes (0, 1), mode check, batch 0"),
     .domains = INDICES(0, 3)},
    {.name = "axes in another order",
     .text = WINDOW_GATHER("4, b=3, 5", "2, n=2, 2", "2, n=2, 2, b=3, 3", "axes (-1, 0), mode check, batch 0"),
     .domains = INDICES(0, 3)},
    {.name = "no axis",
     .text = WINDOW_GATHER("a=2, 3", "n=2, 0", "n=2, a=2, 3", "axes (), mode check, batch 0"),
     .domains = INDICES(0, 1)},
    {.name = "clip",
     .text = WINDOW_GATHER("a=2, 5", "n=6, 1", "n=6, a=2, 3", "axes (1), mode clip, batch 0"),
     .domains = INDICES(-3, 7)},
    {.name = "drop",
     .text = WINDOW_GATHER("a=2, 5", "n=6, 1", "n=6, a=2, 3", "axes (1), mode drop, batch 0"),
     .domains = INDICES(-4, 8)},
    {.name = "each its own",
     .text = WINDOW_GATHER("a=3, 4", "a=3, n=2, 1", "a=3, n=2, 2", "axes (1), mode check, batch 1"),
     .domains = INDICES(0, 3)},
    {.name = "each its own, drop",
     .text = WINDOW_GATHER("a=2, 3, 4", "a=2, n=3, 2", "a=2, n=3, 2, 2", "axes (2, 1), mode drop, batch 1"),
     .domains = INDICES(-2, 5)},
    {.name = "no index",
     .text = WINDOW_GATHER("4, 3", "0, 1", "0, 2, 3", "axes (0), mode check, batch 0"),
     .domains = INDICES(0, 3)},
    {.name = "i32",
     .text = "func @f(%x: f64<4>, %i: i32<6, 1>) -> (return) { %y: f64<6, 2> = window_gather %x, %i with axes (0), "
             "mode check, batch 0 yield %y }",
     .domains = INDICES(0, 3)},
    {.name = "fill",
     .text = "func @f(%x: f64<4, 3>, %i: i64<6, 1>) -> (return) { %r: f64<6, 2, 3> = window_gather %x, %i with axes "
             "(0), mode fill, batch 0 "
             "%c: i1<6, 2, 3> = eq %r, %r %zero: f64<6, 2, 3> = mul %r, %r %n: f64<> = sum %x with axes all, keep 0 "
             "%b: f64<6, 2, 3> = broadcast %n %y: f64<6, 2, 3> = select %c, %zero, %b yield %y }",
     .domains = INDICES(-3, 6)},
    ENDS};

#define WINDOW_SCATTER(x, i, u, attributes)                                                                            \
  "func @f(%x: f64<" x ">, %i: i64<" i ">, %u: f64<" u ">) -> (return) { %y: f64<" x                                   \
  "> = window_scatter %x, %i, %u with " attributes " yield %y }"
/* Operands and updates are apart, whatever meets. */
#define APART(low_, high_) {{.low = -2, .high = 2}, {.low = low_, .high = high_, .grid = 1}, {.low = -4, .high = 4}}

#define SCATTERED(reducer, domain)                                                                                     \
  {.name = reducer ", rows",                                                                                           \
   .text = WINDOW_SCATTER("5, b=3", "n=2, 1", "n=2, 2, b=3", "axes (0), reducer " reducer ", mode check, batch 0"),    \
   .domains = domain(0, 4)},                                                                                           \
      {.name = reducer ", the same places",                                                                            \
       .text =                                                                                                         \
           WINDOW_SCATTER("3, b=2", "n=5, 1", "n=5, 2, b=2", "axes (0), reducer " reducer ", mode check, batch 0"),    \
       .domains = domain(0, 2)},                                                                                       \
      {.name = reducer ", one vector",                                                                                 \
       .text = WINDOW_SCATTER("4, 5", "2", "2, 3", "axes (0, 1), reducer " reducer ", mode check, batch 0"),           \
       .domains = domain(0, 3)},                                                                                       \
      {.name = reducer ", axes in another order",                                                                      \
       .text = WINDOW_SCATTER("4, b=2, 5", "n=3, 2", "n=3, 2, b=2, 3",                                                 \
                              "axes (-1, 0), reducer " reducer ", mode check, batch 0"),                               \
       .domains = domain(0, 3)},                                                                                       \
      {.name = reducer ", clip",                                                                                       \
       .text = WINDOW_SCATTER("a=2, 5", "n=4, 1", "n=4, a=2, 3", "axes (1), reducer " reducer ", mode clip, batch 0"), \
       .domains = domain(-3, 7)},                                                                                      \
      {.name = reducer ", drop",                                                                                       \
       .text = WINDOW_SCATTER("a=2, 5", "n=4, 1", "n=4, a=2, 3", "axes (1), reducer " reducer ", mode drop, batch 0"), \
       .domains = domain(-4, 8)},                                                                                      \
      {.name = reducer ", fill",                                                                                       \
       .text = WINDOW_SCATTER("5", "n=4, 1", "n=4, 2", "axes (0), reducer " reducer ", mode fill, batch 0"),           \
       .domains = domain(-3, 8)},                                                                                      \
      {.name = reducer ", each its own",                                                                               \
       .text = WINDOW_SCATTER("a=2, 3, 4", "a=2, n=3, 2", "a=2, n=3, 2, 2",                                            \
                              "axes (2, 1), reducer " reducer ", mode drop, batch 1"),                                 \
       .domains = domain(-1, 4)},                                                                                      \
  {                                                                                                                    \
    .name = reducer ", no index",                                                                                      \
    .text = WINDOW_SCATTER("4, 3", "0, 1", "0, 2, 3", "axes (0), reducer " reducer ", mode check, batch 0"),           \
    .domains = domain(0, 3)                                                                                            \
  }

const sweep_sample sweep_samples_window_scatter[] = {SCATTERED("add", INDICES),     SCATTERED("mul", INDICES),
                                                     SCATTERED("min", APART),       SCATTERED("max", APART),
                                                     SCATTERED("replace", INDICES), ENDS};

const sweep_sample sweep_samples_positions[] = {
    {.name = "rank 1", .text = OF_KIND("f64", "4", "i64", "4", "positions %x with axis 0"), .domains = WIDE},
    {.name = "the first",
     .text = OF_KIND("f64", "a=4, b=3", "i64", "a=4, b=3", "positions %x with axis 0"),
     .domains = WIDE},
    {.name = "the last",
     .text = OF_KIND("i1", "a=2, 5", "i64", "a=2, 5", "positions %x with axis -1"),
     .domains = TRUTH},
    {.name = "one between",
     .text = OF_KIND("i32", "2, 4, c=3", "i64", "2, 4, c=3", "positions %x with axis 1"),
     .domains = WIDE},
    {.name = "of extent 0", .text = OF_KIND("f64", "0, 3", "i64", "0, 3", "positions %x with axis 1"), .domains = WIDE},
    ENDS};

#define NUMBERS {{.low = -100, .high = 100, .grid = 1}}
const sweep_sample sweep_samples_bitcast[] = {
    {.name = "rank 0", .text = OF_KIND("i32", "", "u32", "", "bitcast %x with dtype u32"), .domains = NUMBERS},
    {.name = "of one size",
     .text = OF_KIND("i64", "a=2, 3", "u64", "a=2, 3", "bitcast %x with dtype u64"),
     .domains = {{.low = 0, .high = 100, .grid = 1}}},
    {.name = "to floats and back",
     .text = "func @f(%x: i32<a=2, 3>) -> (return) { %u: f32<a=2, 3> = bitcast %x with dtype f32 %y: i32<a=2, 3> = "
             "bitcast %u with dtype i32 yield %y }",
     .domains = {{.low = 0, .high = 1e6, .grid = 1}}},
    {.name = "split",
     .text = OF_KIND("i32", "a=2, 3", "u8", "a=2, 3, 4", "bitcast %x with dtype u8"),
     .domains = NUMBERS},
    {.name = "joined",
     .text = OF_KIND("u8", "a=3, 2", "u16", "a=3", "bitcast %x with dtype u16"),
     .domains = {{.low = 0, .high = 255, .grid = 1}}},
    {.name = "of extent 0",
     .text = OF_KIND("i32", "0, 3", "i16", "0, 3, 2", "bitcast %x with dtype i16"),
     .domains = NUMBERS},
    ENDS};

const sweep_sample sweep_samples_sign[] = {
    {.name = "rank 0", .text = OF("", "", "sign %x"), .domains = {{.low = 0.5, .high = 3, .both_signs = true}}},
    {.name = "of numbers",
     .text = OF("a=2, 5", "a=2, 5", "sign %x"),
     .domains = {{.low = 0.5, .high = 3, .both_signs = true}}},
    {.name = "of integers",
     .text = OF_KIND("i32", "a=9", "i32", "a=9", "sign %x"),
     .domains = {{.low = -2, .high = 3, .grid = 1}}},
    {.name = "of integers without a sign",
     .text = OF_KIND("u8", "9", "u8", "9", "sign %x"),
     .domains = {{.low = 0, .high = 3, .grid = 1}}},
    {.name = "of extent 0", .text = OF("0, 3", "0, 3", "sign %x"), .domains = WIDE},
    ENDS};

#define OF_BITS(op)                                                                                                    \
  {.name = "rank 0", .text = OF_KIND("i32", "", "i32", "", op " %x"), .domains = NUMBERS},                             \
      {.name = "i32", .text = OF_KIND("i32", "a=2, 5", "i32", "a=2, 5", op " %x"), .domains = NUMBERS},                \
      {.name = "i64", .text = OF_KIND("i64", "7", "i64", "7", op " %x"), .domains = NUMBERS},                          \
      {.name = "u8",                                                                                                   \
       .text = OF_KIND("u8", "a=3, 2", "u8", "a=3, 2", op " %x"),                                                      \
       .domains = {{.low = 0, .high = 255, .grid = 1}}},                                                               \
  {                                                                                                                    \
    .name = "of extent 0", .text = OF_KIND("i32", "0, 3", "i32", "0, 3", op " %x"), .domains = NUMBERS                 \
  }
const sweep_sample sweep_samples_popcnt[] = {OF_BITS("popcnt"), ENDS};
const sweep_sample sweep_samples_clz[] = {OF_BITS("clz"), ENDS};

/* All the bits of a double, for which it is the identity and has differences; and fewer bits of integers. */
#define ALL_BITS "reduce_precision %x with exponent 11, mantissa 52"
const sweep_sample sweep_samples_reduce_precision[] = {
    {.name = "rank 0", .text = OF("", "", ALL_BITS), .domains = ANY},
    {.name = "all bits", .text = OF("a=2, 3", "a=2, 3", ALL_BITS), .domains = ANY},
    {.name = "of extent 0", .text = OF("0, 3", "0, 3", ALL_BITS), .domains = ANY},
    {.name = "few bits of numbers that do not move",
     .text = "func @f(%x: i32<a=2, 5>) -> (return) { %n: f64<a=2, 5> = cvt %x %y: f64<a=2, 5> = reduce_precision %n "
             "with exponent 5, mantissa 3 yield %y }",
     .domains = NUMBERS},
    ENDS};

/* ---- matrices ---- */

#define PART(op)                                                                                                       \
  {.name = "square", .text = OF("a=3, b=3", "a=3, b=3", op " %x with diagonal 0"), .domains = ANY},                    \
      {.name = "below", .text = OF("3, b=4", "3, b=4", op " %x with diagonal -1"), .domains = ANY},                    \
      {.name = "above", .text = OF("4, 3", "4, 3", op " %x with diagonal 1"), .domains = ANY},                         \
      {.name = "far below", .text = OF("2, 3", "2, 3", op " %x with diagonal -7"), .domains = ANY},                    \
      {.name = "far above", .text = OF("3, 2", "3, 2", op " %x with diagonal 7"), .domains = ANY},                     \
      {.name = "many", .text = OF("2, c=3, 4, 3", "2, c=3, 4, 3", op " %x with diagonal 1"), .domains = ANY},          \
      {.name = "of a transpose",                                                                                       \
       .text = "func @f(%x: f64<2, 3>) -> (return) { %t: f64<3, 2> = transpose %x with order all "                     \
               "%y: f64<3, 2> = " op " %t with diagonal 0 yield %y }",                                                 \
       .domains = ANY},                                                                                                \
      {.name = "of extent 1", .text = OF("1, 1", "1, 1", op " %x with diagonal 0"), .domains = ANY}, {                 \
    .name = "of extent 0", .text = OF("2, 0, 3", "2, 0, 3", op " %x with diagonal 0"), .domains = ANY                  \
  }

const sweep_sample sweep_samples_tril[] = {PART("tril"), ENDS};
const sweep_sample sweep_samples_triu[] = {PART("triu"), ENDS};

#define UNIT {{.low = -1, .high = 1}, {.low = -2, .high = 2}}
/* x + 4, which is positive definite for up to 3 rows, and not symmetric. */
#define PLUS_4(shape)                                                                                                  \
  "%i: f64<" shape "> = identity_like %x %j: f64<" shape "> = add %i, %i %k: f64<" shape                               \
  "> = add %j, %j %a: f64<" shape "> = add %x, %k "
#define OF_PLUS_4(in, out, op)                                                                                         \
  "func @f(%x: f64<" in ">) -> (return) { " PLUS_4(in) "%y: f64<" out "> = " op " %a yield %y }"
/* x x' + 1 */
#define OF_SQUARE(batch, out, op)                                                                                      \
  "func @f(%x: f64<" batch "n=3, k=2>) -> (return) { %r: f64<" batch "k=2, n=3> = transpose %x with order (0, 2, 1) "  \
  "%s: f64<" batch "n=3, n=3> = matmul %x, %r %i: f64<" batch "n=3, n=3> = identity_like %s "                          \
  "%a: f64<" batch "n=3, n=3> = add %s, %i %y: f64<" out "> = " op " %a yield %y }"
const sweep_sample sweep_samples_identity_like[] = {
    {.name = "one", .text = OF("n=3, m=3", "n=3, m=3", "identity_like %x"), .domains = UNIT},
    {.name = "many", .text = OF("2, b=1, n=2, 2", "2, b=1, n=2, 2", "identity_like %x"), .domains = UNIT},
    {.name = "of extent 1", .text = OF("1, 1", "1, 1", "identity_like %x"), .domains = UNIT},
    {.name = "of extent 0", .text = OF("2, 0, 0", "2, 0, 0", "identity_like %x"), .domains = UNIT},
    {.name = "of integers", .text = OF_KIND("i32", "3, 3", "i32", "3, 3", "identity_like %x"), .domains = WIDE},
    ENDS};

#define MATRICES(op, in, out)                                                                                          \
  {.name = "one", .text = OF_PLUS_4("n=3, n=3", in "3, " out "3", op), .domains = UNIT},                               \
      {.name = "symmetric", .text = OF_SQUARE("2, ", "2, " in "3, " out "3", op), .domains = UNIT},                    \
      {.name = "many", .text = OF_PLUS_4("b=2, 2, n=2, n=2", "b=2, 2, " in "2, " out "2", op), .domains = UNIT},       \
      {.name = "of extent 1", .text = OF_PLUS_4("1, 1", "1, 1", op), .domains = UNIT},                                 \
      {.name = "of extent 0", .text = OF_PLUS_4("0, 0", "0, 0", op), .domains = UNIT}, {                               \
    .name = "none", .text = OF_PLUS_4("0, 3, 3", "0, 3, 3", op), .domains = UNIT                                       \
  }
const sweep_sample sweep_samples_cholesky[] = {MATRICES("cholesky", "n=", ""), ENDS};
const sweep_sample sweep_samples_inv_spd[] = {MATRICES("inv_spd", "n=", "n="), ENDS};
const sweep_sample sweep_samples_inverse[] = {
    MATRICES("inverse", "n=", "n="),
    {.name = "between two axes", .text = OF_PLUS_4("a=3, b=3", "b=3, a=3", "inverse"), .domains = UNIT},
    ENDS};

#define DETERMINANTS(op)                                                                                               \
  {.name = "one", .text = OF_PLUS_4("n=3, n=3", "", op), .domains = UNIT},                                             \
      {.name = "symmetric", .text = OF_SQUARE("2, ", "2", op), .domains = UNIT},                                       \
      {.name = "many", .text = OF_PLUS_4("b=2, 2, n=2, n=2", "b=2, 2", op), .domains = UNIT},                          \
      {.name = "of extent 1", .text = OF_PLUS_4("1, 1", "", op), .domains = UNIT},                                     \
      {.name = "of extent 0", .text = OF_PLUS_4("2, 0, 0", "2", op), .domains = UNIT}, {                               \
    .name = "none", .text = OF_PLUS_4("0, 3, 3", "0", op), .domains = UNIT                                             \
  }
#define INDEFINITE(op)                                                                                                 \
  {.name = "of either sign", .text = OF("b=4, 3, 3", "b=4", op " %x"), .domains = ANY}, {                              \
    .name = "between two axes", .text = OF("n=2, m=2", "", op " %x"), .domains = ANY                                   \
  }
const sweep_sample sweep_samples_log_det_spd[] = {DETERMINANTS("log_det_spd"), ENDS};
const sweep_sample sweep_samples_det[] = {{.name = "one", .text = OF("n=3, n=3", "", "det %x"), .domains = ANY},
                                          {.name = "of extent 1", .text = OF("1, 1", "", "det %x"), .domains = ANY},
                                          {.name = "of extent 0", .text = OF("2, 0, 0", "2", "det %x"), .domains = ANY},
                                          {.name = "none", .text = OF("0, 3, 3", "0", "det %x"), .domains = ANY},
                                          INDEFINITE("det"),
                                          ENDS};
const sweep_sample sweep_samples_slogdet_sign[] = {DETERMINANTS("slogdet_sign"), INDEFINITE("slogdet_sign"), ENDS};
const sweep_sample sweep_samples_slogdet_log[] = {DETERMINANTS("slogdet_log"), INDEFINITE("slogdet_log"), ENDS};

/* Eigenvalues that are apart: x + diag(2, 4, ...). */
#define OF_SPREAD(in, line, out, op)                                                                                   \
  "func @f(%x: f64<" in ">) -> (return) { %i: f64<" in "> = identity_like %x "                                         \
  "%v: f64<" line ", 1> = sum %i with axes (-1), keep 1 %o: f64<" in "> = broadcast %v "                               \
  "%t: f64<" in "> = tril %o with diagonal 0 %c: f64<" in "> = matmul %t, %o %d: f64<" in "> = mul %c, %i "            \
  "%e: f64<" in "> = add %d, %d %a: f64<" in "> = add %x, %e %y: f64<" out "> = " op " %a yield %y }"
#define SMALL {{.low = -0.5, .high = 0.5}}
#define SPREAD(op, out_3, out_2, out_1, out_0)                                                                         \
  {.name = "one", .text = OF_SPREAD("n=3, n=3", "n=3", out_3, op), .domains = SMALL},                                  \
      {.name = "many", .text = OF_SPREAD("b=2, 2, n=2, n=2", "b=2, 2, n=2", "b=2, 2, " out_2, op), .domains = SMALL},  \
      {.name = "of extent 1", .text = OF_SPREAD("1, 1", "1", out_1, op), .domains = SMALL},                            \
      {.name = "of extent 0", .text = OF_SPREAD("0, 0", "0", out_0, op), .domains = SMALL}, {                          \
    .name = "none", .text = OF_SPREAD("0, 3, 3", "0, 3", "0, " out_3, op), .domains = SMALL                            \
  }
const sweep_sample sweep_samples_eigh_values[] = {SPREAD("eigh_values", "3", "2", "1", "0"), ENDS};
const sweep_sample sweep_samples_eigh_vectors[] = {SPREAD("eigh_vectors", "n=3, 3", "n=2, 2", "1, 1", "0, 0"), ENDS};

#define SOLVED(a, b, out, op)                                                                                          \
  "func @f(%x: f64<" a ">, %b: f64<" b ">) -> (return) { " PLUS_4(a) "%y: f64<" out "> = " op " yield %y }"
#define SOLUTIONS(op, with)                                                                                            \
  {.name = "columns", .text = SOLVED("n=3, n=3", "n=3, c=2", "n=3, c=2", op " %a, %b" with), .domains = UNIT},         \
      {.name = "a column", .text = SOLVED("n=3, n=3", "n=3", "n=3", op " %a, %b" with), .domains = UNIT},              \
      {.name = "many and many",                                                                                        \
       .text = SOLVED("b=2, 2, 2", "b=2, 2, c=3", "b=2, 2, c=3", op " %a, %b" with),                                   \
       .domains = UNIT},                                                                                               \
      {.name = "many and one",                                                                                         \
       .text = SOLVED("2, b=2, 2, 2", "2, 1", "2, b=2, 2, 1", op " %a, %b" with),                                      \
       .domains = UNIT},                                                                                               \
      {.name = "one and many", .text = SOLVED("3, 3", "b=2, 3, 2", "b=2, 3, 2", op " %a, %b" with), .domains = UNIT},  \
      {.name = "many and a column", .text = SOLVED("b=2, 3, 3", "3", "b=2, 3", op " %a, %b" with), .domains = UNIT},   \
      {.name = "broadcast",                                                                                            \
       .text = SOLVED("2, 1, 2, 2", "3, 2, 1", "2, 3, 2, 1", op " %a, %b" with),                                       \
       .domains = UNIT},                                                                                               \
      {.name = "of extent 1", .text = SOLVED("1, 1", "1, 2", "1, 2", op " %a, %b" with), .domains = UNIT},             \
      {.name = "of extent 0", .text = SOLVED("0, 0", "0, 2", "0, 2", op " %a, %b" with), .domains = UNIT}, {           \
    .name = "no column", .text = SOLVED("3, 3", "3, 0", "3, 0", op " %a, %b" with), .domains = UNIT                    \
  }
#define BETWEEN(op, with, a, b)                                                                                        \
  {.name = "between two axes, " with,                                                                                  \
   .text = SOLVED("a=3, b=3", a "=3, c=2", b "=3, c=2", op " %a, %b with " with),                                      \
   .domains = UNIT}
const sweep_sample sweep_samples_solve_spd[] = {SOLUTIONS("solve_spd", ""), ENDS};
const sweep_sample sweep_samples_solve[] = {SOLUTIONS("solve", " with transposed 0"),
                                            BETWEEN("solve", "transposed 0", "a", "b"),
                                            BETWEEN("solve", "transposed 1", "b", "a"),
                                            {.name = "a column, transposed",
                                             .text = SOLVED("n=3, n=3", "n=3", "n=3", "solve %a, %b with transposed 1"),
                                             .domains = UNIT},
                                            ENDS};
#define TRIANGLE(attributes) BETWEEN("triangular_solve", attributes ", unit_diagonal 0", "a", "b")
#define TURNED(attributes) BETWEEN("triangular_solve", attributes ", unit_diagonal 0", "b", "a")
const sweep_sample sweep_samples_triangular_solve[] = {
    SOLUTIONS("triangular_solve", " with upper 0, transposed 0, unit_diagonal 0"),
    TRIANGLE("upper 1, transposed 0"),
    TURNED("upper 0, transposed 1"),
    TURNED("upper 1, transposed 1"),
    BETWEEN("triangular_solve", "upper 0, transposed 0, unit_diagonal 1", "a", "b"),
    BETWEEN("triangular_solve", "upper 1, transposed 0, unit_diagonal 1", "a", "b"),
    BETWEEN("triangular_solve", "upper 0, transposed 1, unit_diagonal 1", "b", "a"),
    BETWEEN("triangular_solve", "upper 1, transposed 1, unit_diagonal 1", "b", "a"),
    {.name = "many and a column, transposed",
     .text = SOLVED("b=2, 3, 3", "3", "b=2, 3", "triangular_solve %a, %b with upper 1, transposed 1, unit_diagonal 1"),
     .domains = UNIT},
    ENDS};

const sweep_sample sweep_samples_lu[] = {
    {.name = "one", .text = OF_PLUS_4("a=3, b=3", "3, 3", "lu"), .domains = UNIT},
    {.name = "with exchanges", /* 4 off the diagonal */
     .text = "func @f(%x: f64<b=2, 3, 3>) -> (return) { %i: f64<b=2, 3, 3> = identity_like %x "
             "%v: f64<b=2, 3, 1> = sum %i with axes (-1), keep 1 %o: f64<b=2, 3, 3> = broadcast %v "
             "%s: f64<b=2, 3, 3> = sub %o, %i %t: f64<b=2, 3, 3> = add %s, %s %u: f64<b=2, 3, 3> = add %t, %t "
             "%a: f64<b=2, 3, 3> = add %x, %u %y: f64<b=2, 3, 3> = lu %a yield %y }",
     .domains = UNIT},
    {.name = "many", .text = OF_PLUS_4("b=2, 2, n=2, n=2", "b=2, 2, 2, 2", "lu"), .domains = UNIT},
    /* Of 4, so that JAX's quotients are exact: its second derivative of x is what they round. */
    {.name = "of extent 1", .text = OF_PLUS_4("1, 1", "1, 1", "lu"), .domains = {{.low = 0, .high = 1, .grid = 1}}},
    {.name = "of extent 0", .text = OF_PLUS_4("0, 0", "0, 0", "lu"), .domains = UNIT},
    {.name = "none", .text = OF_PLUS_4("0, 3, 3", "0, 3, 3", "lu"), .domains = UNIT},
    ENDS};
const sweep_sample sweep_samples_lu_permutation[] = {
    {.name = "one", .text = OF_KIND("f64", "a=4, b=4", "i64", "4", "lu_permutation %x"), .domains = ANY},
    {.name = "many", .text = OF_KIND("f64", "2, b=3, 3, 3", "i64", "2, b=3, 3", "lu_permutation %x"), .domains = ANY},
    {.name = "of extent 0", .text = OF_KIND("f64", "0, 0", "i64", "0", "lu_permutation %x"), .domains = ANY},
    ENDS};

#define THREE(line, columns)                                                                                           \
  "func @f(%l: f64<" line ">, %d: f64<" line ">, %u: f64<" line ">, %b: f64<" line columns ">) -> (return) { "         \
  "%y: f64<" line columns "> = tridiagonal_solve %l, %d, %u, %b yield %y }"
/* Of sines of the elements too. */
#define DOMINANT                                                                                                       \
  {{.low = -0.4, .high = 0.4}, {.low = 1.2, .high = 1.9}, {.low = -0.4, .high = 0.4}, {.low = -2, .high = 2}}
const sweep_sample sweep_samples_tridiagonal_solve[] = {
    {.name = "one", .text = THREE("n=4", ", c=2"), .domains = DOMINANT},
    {.name = "many", .text = THREE("b=2, n=3", ", 1"), .domains = DOMINANT},
    {.name = "two rows", .text = THREE("2", ", 2"), .domains = DOMINANT},
    {.name = "with exchanges",
     .text = THREE("4", ", 2"),
     .domains =
         {{.low = 1.2, .high = 1.9}, {.low = -0.3, .high = 0.3}, {.low = 1.2, .high = 1.9}, {.low = -2, .high = 2}}},
    {.name = "of extent 1", .text = THREE("1", ", 2"), .domains = DOMINANT},
    {.name = "of extent 0", .text = THREE("0", ", 2"), .domains = DOMINANT},
    {.name = "no column", .text = THREE("3", ", 0"), .domains = DOMINANT},
    ENDS};

const sweep_sample sweep_samples_qr_q[] = {
    {.name = "square", .text = OF_PLUS_4("a=3, b=3", "a=3, 3", "qr_q"), .domains = UNIT},
    {.name = "tall", .text = OF("a=4, b=2", "a=4, 2", "qr_q %x"), .domains = ANY},
    {.name = "many", .text = OF("c=2, a=3, b=2", "c=2, a=3, 2", "qr_q %x"), .domains = ANY},
    {.name = "of extent 1", .text = OF("3, 1", "3, 1", "qr_q %x"), .domains = ANY},
    {.name = "of extent 0", .text = OF("3, 0", "3, 0", "qr_q %x"), .domains = ANY},
    ENDS};
const sweep_sample sweep_samples_qr_r[] = {
    {.name = "square", .text = OF_PLUS_4("a=3, b=3", "3, b=3", "qr_r"), .domains = UNIT},
    {.name = "tall", .text = OF("a=4, b=2", "2, b=2", "qr_r %x"), .domains = ANY},
    {.name = "many", .text = OF("c=2, a=3, b=2", "c=2, 2, b=2", "qr_r %x"), .domains = ANY},
    {.name = "of extent 1", .text = OF("3, 1", "1, 1", "qr_r %x"), .domains = ANY},
    {.name = "of extent 0", .text = OF("3, 0", "0, 0", "qr_r %x"), .domains = ANY},
    ENDS};

#define TL_TEN(name, class, arity, attributes, doc) [TL_OP_##name] = sweep_samples_##name,
const sweep_sample *const sweep_samples_of[TL_OP_COUNT] = {
#include "ir/ops.def"
};

/* Types that every part of Tlaloc shares.
 *
 * C99 and C++. Nothing here allocates or has state. */
#ifndef TLALOC_TLALOC_H
#define TLALOC_TLALOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TL_VERSION_MAJOR 0
#define TL_VERSION_MINOR 1
#define TL_VERSION_PATCH 0
#define TL_VERSION TL__VERSION(TL_VERSION_MAJOR, TL_VERSION_MINOR, TL_VERSION_PATCH)
#define TL__VERSION(major, minor, patch) TL__VERSION_TEXT(major, minor, patch)
#define TL__VERSION_TEXT(major, minor, patch) #major "." #minor "." #patch

/* What libtlaloc exports. */
#if defined __GNUC__
#define TL_API __attribute__((visibility("default")))
#else
#define TL_API
#endif

/* The largest rank of an array. */
#define TL_MAX_RANK 12

/* Element types: enumerator, name in the IR's text form, size in bytes, C spelling used by emitted code.
 * TL_F80 is C's `long double`. The C spellings assume an LP64 target. The last three are formats that tensors store
 * and no scalar of C has: IEEE binary16; the upper half of a binary32; and the 8-bit format with 4 bits of exponent and
 * 3 of fraction that has one NaN of each sign and no infinity, its largest number being 448. */
#define TL_DTYPE_MAP(X)                      \
  X(TL_BOOL, "i1", 1, "_Bool")               \
  X(TL_I8, "i8", 1, "signed char")           \
  X(TL_I16, "i16", 2, "short")               \
  X(TL_I32, "i32", 4, "int")                 \
  X(TL_I64, "i64", 8, "long")                \
  X(TL_U8, "u8", 1, "unsigned char")         \
  X(TL_U16, "u16", 2, "unsigned short")      \
  X(TL_U32, "u32", 4, "unsigned int")        \
  X(TL_U64, "u64", 8, "size_t")              \
  X(TL_F32, "f32", 4, "float")               \
  X(TL_F64, "f64", 8, "double")              \
  X(TL_F80, "f80", 16, "long double")        \
  X(TL_F16, "f16", 2, "")                    \
  X(TL_BF16, "bf16", 2, "")                  \
  X(TL_F8E4M3FN, "f8e4m3fn", 1, "")

typedef enum tl_dtype {
#define TL_DTYPE_ENUM(id, name, size, c) id,
  TL_DTYPE_MAP(TL_DTYPE_ENUM)
#undef TL_DTYPE_ENUM
  TL_DTYPE_COUNT
} tl_dtype;

/* Status codes with pinned numbers; each name without TL_ is what tl_status_name returns and what a
 * diagnostic prints between brackets. Numbers are never reused: 26 was EXTENT_BATCHED, which nothing raised. */
#define TL_STATUS_MAP(X)                                                                                       \
  X(TL_OK, 0, "no error")                                                                                      \
  X(TL_OUT_OF_MEMORY, 1, "an allocation failed")                                                               \
  X(TL_INTERNAL_ERROR, 2, "a fault in Tlaloc itself")                                                          \
  X(TL_IR_INVALID, 3, "a DXIR text or graph breaks a rule of the IR")                                          \
  X(TL_NOT_DIFFERENTIABLE, 10, "there is nothing to differentiate with respect to")                            \
  X(TL_NOT_SCALAR, 11, "tl_grad needs a function that returns a floating scalar")                              \
  X(TL_NO_SUCH_PARAMETER, 12, "the function has no parameter of that name")                                    \
  X(TL_NO_DEFINITION, 13, "the function's definition is not visible in this unit")                             \
  X(TL_UNKNOWN_EXTERNAL, 14, "a call with an active argument or result goes to a function without a body")     \
  X(TL_EXTENT_UNKNOWN, 15, "the number of elements behind a pointer is not stated")                            \
  X(TL_ACTIVE_INTEGER, 16, "an active value becomes an integer and returns to active arithmetic")              \
  X(TL_ACTIVE_UNION, 17, "a union that may hold active values is used")                                        \
  X(TL_ACTIVE_CAST, 18, "an object that may be active is read or written as another type")                     \
  X(TL_ACTIVE_GLOBAL, 19, "a global or static object is written to")                                           \
  X(TL_POINTER_UNKNOWN, 20, "the object that a pointer refers to is not known at compile time")                \
  X(TL_FUNCTION_POINTER_UNKNOWN, 21, "the function that a pointer refers to is not known at compile time")     \
  X(TL_ALIASING_ARGUMENTS, 22, "two pointer arguments of one call overlap")                                    \
  X(TL_UNSUPPORTED_CONSTRUCT, 23, "a construct of C that is not differentiated")                               \
  X(TL_NAME_CLASH, 24, "the generated function's name is taken")                                               \
  X(TL_CUSTOM_RULE_SIGNATURE, 25, "a custom rule has another prototype than the intrinsic it stands for, or leaves a result out") \
  X(TL_EXTENT_BATCHED, 26, "a parameter that says how long an array is cannot be batched")                     \
  X(TL_FRONT_MISMATCH, 27, "the C compiler and the front read different programs")                             \
  X(TL_VERSION_UNSUPPORTED, 28, "a version of clang that this release was not tested with")                    \
  X(TL_ARGUMENT_COUNT, 29, "a derivative is called with another number of arguments than it has")              \
  X(TL_NAMED_INDEX_MISMATCH, 40, "two axes that an op aligns or contracts have different names")               \
  X(TL_TENSOR_SHAPE_MISMATCH, 41, "the shapes of tensors do not fit an op or one another")                     \
  X(TL_DTYPE_MISMATCH, 42, "operands of one op have different dtypes")                                         \
  X(TL_DTYPE_UNSUPPORTED, 43, "an op does not take a dtype")                                                   \
  X(TL_INDEX_OUT_OF_RANGE, 44, "an index is outside its axis")                                                 \
  X(TL_BOUNDED_DIM_EXCEEDED, 45, "an extent is not within the bound of its axis")                              \
  X(TL_BOUNDED_AXIS_MISMATCH, 46, "two axes that an op aligns or contracts have different bounds")             \
  X(TL_BOUNDED_DIM_INVALID, 47, "a bound is below 1")                                                          \
  X(TL_UNTYPED_TENSOR, 48, "a type is stated of a tensor, and is not known to hold")                           \
  X(TL_VMAP_AXIS_NAME_CLASH, 49, "the name of a batch is taken")                                               \
  X(TL_VMAP_NO_BATCHING_RULE, 50, "there is no batch of such a parameter")                                     \
  X(TL_TRACED_TENSOR, 51, "a tensor stands for a value of a program and has no elements")                      \
  X(TL_DONATED, 52, "a tensor's storage was given to a program")                                               \
  X(TL_PADDING_DIFFERS, 53, "a program gives another result where its inputs are padded")                      \
  X(TL_ENGINE_UNKNOWN, 54, "there is no engine of that name")                                                  \
  X(TL_ENGINE_CLOSED, 55, "the engine was closed")                                                             \
  X(TL_FILE_UNREADABLE, 60, "a file cannot be read")                                                           \
  X(TL_FILE_UNWRITABLE, 61, "a file cannot be written")                                                        \
  X(TL_FILE_TRUNCATED, 62, "a file ends too early")                                                            \
  X(TL_FORMAT_UNKNOWN, 63, "a file has another format, or a version of it that is not known")                  \
  X(TL_HEADER_INVALID, 64, "the header of a file breaks a rule of its format")

typedef enum tl_status {
#define TL_STATUS_ENUM(id, number, text) id = number,
  TL_STATUS_MAP(TL_STATUS_ENUM)
#undef TL_STATUS_ENUM
} tl_status;

/* ---- shapes and axes ---- */

typedef struct tl_shape {
  int rank;
  int64_t dim[TL_MAX_RANK]; /* outermost first; those behind the rank are not read */
} tl_shape;

/* Axes by number, from behind where negative; count -1 (TL_ALL): all of them. */
typedef struct tl_axes {
  int count;
  int8_t axis[TL_MAX_RANK];
} tl_axes;

/* What an index outside its axis does: the op fails with INDEX_OUT_OF_RANGE; it is moved to the nearest one inside; it
 * reads 0; it
 * reads a fill, NaN or for integers the least number (0 where unsigned, BOOL false), and what it would write is
 * dropped. */
typedef enum tl_index_mode { TL_INDEX_CHECK, TL_INDEX_CLIP, TL_INDEX_DROP, TL_INDEX_FILL } tl_index_mode;

/* What two elements that meet become: their sum, product, the smaller or the larger of them (NaN where one is), the
 * later. */
typedef enum tl_reducer { TL_REDUCE_ADD, TL_REDUCE_MUL, TL_REDUCE_MIN, TL_REDUCE_MAX, TL_REDUCE_REPLACE } tl_reducer;

/* Some integers, as a rule one for each axis: TL_INTS(1, 0); TL_SCALAR: none. */
typedef tl_shape tl_ints;
#define TL_INTS(...) TL_SHAPE(__VA_ARGS__)

/* TL_SHAPE(2, 3), TL_SCALAR (rank 0), TL_AXES(0, -1), TL_NONE (no axis), TL_ALL. At most twelve numbers. */
#define TL_SHAPE(...) TL__LITERAL(tl_shape, TL__COUNT(__VA_ARGS__), __VA_ARGS__)
#define TL_AXES(...) TL__LITERAL(tl_axes, TL__COUNT(__VA_ARGS__), __VA_ARGS__)
#define TL_SCALAR TL__LITERAL(tl_shape, 0, 0)
#define TL_NONE TL__LITERAL(tl_axes, 0, 0)
#define TL_ALL TL__LITERAL(tl_axes, -1, 0)
#ifdef __cplusplus
#define TL__LITERAL(type, count, ...) (type{count, {__VA_ARGS__}})
#else
#define TL__LITERAL(type, count, ...) ((type){count, {__VA_ARGS__}})
#endif
#define TL__COUNT(...) TL__TWELFTH(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TL__TWELFTH(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count

#ifdef __cplusplus
}
#endif

#endif

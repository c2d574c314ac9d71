/* Derivatives of C at compile time: the intrinsics of tlalocc.
 *
 * C99 and later, no library. Compile with `tlalocc` in place of `cc`; plain cc stops at this header with one error.
 *
 * An intrinsic names a generated function, and expands to its plain identifier: tl_grad(f) is f__grad, tl_grad(f, x, y) is
 * f__grad__x__y, tl_grad(tl_grad(f, x), y) is f__grad__x__grad__y. The names after f are those of its parameters with
 * respect to which it differentiates ("wrt"), as f's definition spells them, at most twelve; without them, all that are
 * differentiable, in declaration order. The generated function takes f's parameters, then the seeds, then the results:
 *
 *   intrinsic            seeds                        results                      returns
 *   tl_grad              -                            x_bar of each wrt            the derivative where wrt is one floating
 *                                                                                  scalar by value, else void
 *   tl_value_and_grad    -                            x_bar of each wrt            f's value
 *   tl_jvp               x_dot of each wrt            y_dot of each output         the tangent of f's value, else void
 *   tl_value_and_jvp     x_dot of each wrt            f_dot, y_dot of each output  f's value
 *   tl_vjp               f_bar, y_bar of each output  x_bar of each wrt            f's value
 *   tl_jacobian          -                            J[rows][cols] per pair of    f's value
 *   tl_jacobian_reverse                               output and wrt
 *   tl_hessian           -                            H[rows][cols] per pair of    void
 *                                                     wrt and wrt
 *   tl_check_vjp         a tolerance (0: by type)     -                            how many entries differ from differences
 *   tl_vmap              f for each of b examples, see below                       void
 *
 * tl_vmap(f, b, x) takes `size_t b` first, whose name the caller chooses, then f's parameters, of which x and all that f
 * writes have one more axis in front, x[b][n] for x[n] and x[b] for a number, and at the end f_out[b] for what f
 * returns. The names behind b are those of the parameters that are batched, extents are not; without them all floating
 * ones are. It is no derivative; the intrinsics nest with it both ways.
 *
 * Results are written, never accumulated, and do not overlap arguments. docs/conventions.md has the values at singular
 * points, the README a first example. */
#ifndef TLALOC_GRAD_H
#define TLALOC_GRAD_H

#if (defined(__TLALOC_FRONT__) || defined(__TLALOCC__)) && !defined(__cplusplus)

#define tl_grad(...) TL__NAME(grad, __VA_ARGS__)
#define tl_value_and_grad(...) TL__NAME(value_and_grad, __VA_ARGS__)
#define tl_jvp(...) TL__NAME(jvp, __VA_ARGS__)
#define tl_value_and_jvp(...) TL__NAME(value_and_jvp, __VA_ARGS__)
#define tl_vjp(...) TL__NAME(vjp, __VA_ARGS__)
#define tl_jacobian(...) TL__NAME(jacobian, __VA_ARGS__)
#define tl_jacobian_reverse(...) TL__NAME(jacobian_reverse, __VA_ARGS__)
#define tl_hessian(...) TL__NAME(hessian, __VA_ARGS__)
#define tl_check_vjp(...) TL__NAME(check_vjp, __VA_ARGS__)
#define tl_vmap(...) TL__NAME(vmap, __VA_ARGS__)

/* TL__NAME counts the names after f and joins all of them: `o` stands before an intrinsic, `w` before a wrt. */
#define TL__CHOOSE(i, f, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, chosen, ...) chosen
#define TL__CHOOSE_BY_COUNT(...)                                                                                      \
  TL__CHOOSE(__VA_ARGS__, TL__NAME_12, TL__NAME_11, TL__NAME_10, TL__NAME_9, TL__NAME_8, TL__NAME_7, TL__NAME_6,      \
             TL__NAME_5, TL__NAME_4, TL__NAME_3, TL__NAME_2, TL__NAME_1, TL__NAME_0, 0)
#define TL__NAME_0(o, w, i, f) f##o##i
#define TL__NAME_1(o, w, i, f, x1) f##o##i##w##x1
#define TL__NAME_2(o, w, i, f, x1, x2) f##o##i##w##x1##w##x2
#define TL__NAME_3(o, w, i, f, x1, x2, x3) f##o##i##w##x1##w##x2##w##x3
#define TL__NAME_4(o, w, i, f, x1, x2, x3, x4) f##o##i##w##x1##w##x2##w##x3##w##x4
#define TL__NAME_5(o, w, i, f, x1, x2, x3, x4, x5) f##o##i##w##x1##w##x2##w##x3##w##x4##w##x5
#define TL__NAME_6(o, w, i, f, x1, x2, x3, x4, x5, x6) f##o##i##w##x1##w##x2##w##x3##w##x4##w##x5##w##x6
#define TL__NAME_7(o, w, i, f, x1, x2, x3, x4, x5, x6, x7) f##o##i##w##x1##w##x2##w##x3##w##x4##w##x5##w##x6##w##x7
#define TL__NAME_8(o, w, i, f, x1, x2, x3, x4, x5, x6, x7, x8) \
  f##o##i##w##x1##w##x2##w##x3##w##x4##w##x5##w##x6##w##x7##w##x8
#define TL__NAME_9(o, w, i, f, x1, x2, x3, x4, x5, x6, x7, x8, x9) \
  f##o##i##w##x1##w##x2##w##x3##w##x4##w##x5##w##x6##w##x7##w##x8##w##x9
#define TL__NAME_10(o, w, i, f, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
  f##o##i##w##x1##w##x2##w##x3##w##x4##w##x5##w##x6##w##x7##w##x8##w##x9##w##x10
#define TL__NAME_11(o, w, i, f, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
  f##o##i##w##x1##w##x2##w##x3##w##x4##w##x5##w##x6##w##x7##w##x8##w##x9##w##x10##w##x11
#define TL__NAME_12(o, w, i, f, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
  f##o##i##w##x1##w##x2##w##x3##w##x4##w##x5##w##x6##w##x7##w##x8##w##x9##w##x10##w##x11##w##x12

#endif

#if defined(__TLALOC_FRONT__)

/* As tlalocc's front reads it: '$' cannot clash with a name of the user's. */
#define TL__NAME(...) TL__CHOOSE_BY_COUNT(__VA_ARGS__)($$, $, __VA_ARGS__)
#define TL_LEN(...) TL__LEN(__VA_ARGS__) /* macros in the expression are expanded first */
#define TL__LEN(...) __attribute__((annotate("tl_len:" #__VA_ARGS__)))
#define TL_INOUT __attribute__((annotate("tl_inout")))
#define TL_CUSTOM_VJP(f, rule) extern const char tl__custom_vjp$##f##$##rule
#define TL_CUSTOM_JVP(f, rule) extern const char tl__custom_jvp$##f##$##rule

#elif defined(__TLALOCC__) && !defined(__cplusplus)

/* As the C compiler reads it under tlalocc. */
#define TL__NAME(...) TL__CHOOSE_BY_COUNT(__VA_ARGS__)(__, __, __VA_ARGS__)
#define TL_LEN(...)
#define TL_INOUT
#define TL_CUSTOM_VJP(f, rule) struct tl__custom_rule
#define TL_CUSTOM_JVP(f, rule) struct tl__custom_rule

#else

#if defined(__cplusplus)
/* A header that C and C++ share may carry TL_LEN and the rest; an intrinsic stands in C files only. */
#define TL__NOT_COMPILED tl_intrinsics_need_a_C_file_and_tlalocc
#else
#error "<tlaloc/grad.h> needs the compiler driver tlalocc: compile this file with tlalocc in place of cc"
/* So that nothing but the line above is reported, every intrinsic is a function pointer that fits any call. */
#define TL__NOT_COMPILED ((double (*)())0)
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wincompatible-pointer-types"
#endif
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wincompatible-function-pointer-types"
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
#pragma clang diagnostic ignored "-Wstrict-prototypes"
#endif
#endif
#define tl_grad(...) TL__NOT_COMPILED
#define tl_value_and_grad(...) TL__NOT_COMPILED
#define tl_jvp(...) TL__NOT_COMPILED
#define tl_value_and_jvp(...) TL__NOT_COMPILED
#define tl_vjp(...) TL__NOT_COMPILED
#define tl_jacobian(...) TL__NOT_COMPILED
#define tl_jacobian_reverse(...) TL__NOT_COMPILED
#define tl_hessian(...) TL__NOT_COMPILED
#define tl_check_vjp(...) TL__NOT_COMPILED
#define tl_vmap(...) TL__NOT_COMPILED
#define TL_LEN(...)
#define TL_INOUT
#define TL_CUSTOM_VJP(f, rule) struct tl__custom_rule
#define TL_CUSTOM_JVP(f, rule) struct tl__custom_rule

#endif

#endif

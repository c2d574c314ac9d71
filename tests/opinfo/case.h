/* Cases of ops with what another library makes of them: tests/oracles/opinfo_torch.py says how a file of them looks. */
#ifndef TL_TESTS_OPINFO_CASE_H
#define TL_TESTS_OPINFO_CASE_H

#include <stdio.h>

#include <tlaloc/tensor.h>

#include "sweep/tolerance.h"

enum { MOST_ARGUMENTS = 12, MOST_NUMBERS = 16, MOST_TENSORS = 8 };

typedef struct argument {
  char name[32], text[32];
  int count;
  double number[MOST_NUMBERS];
} argument;

typedef struct opcase {
  char op[64];
  int number, line; /* from 1 on among the op's cases, and in the file */
  int argument_count, in_count, out_count, seed_count, bar_count;
  argument arguments[MOST_ARGUMENTS];
  char in_name[MOST_TENSORS][32];
  int bar_of[MOST_TENSORS]; /* which input the cotangent is of */
  tl_tensor in[MOST_TENSORS], out[MOST_TENSORS], seed[MOST_TENSORS], bar[MOST_TENSORS];
} opcase;

typedef struct case_file {
  FILE *file;
  char *text;
  size_t room;
  char op[64];
  int line, number;
  bool is_at_case;
} case_file;

/* The next case, whose tensors belong to the innermost scope; false at the end of the file, and where a line is none of
 * the format: then `fault` says so. */
bool case_read(case_file *, opcase *out, const char **out_fault);

/* One call of an op by the arguments of a case: the operands are `in`, which are the case's or stand for them. */
typedef struct call {
  const opcase *c;
  const tl_tensor *in;
} call;
typedef void play_fn(const call *, tl_tensor out[]);

/* What shows that the comparison compares: one number of what is wanted, of a result or of a cotangent, is off by 1e-9
 * of itself, or more where the tolerance is. */
typedef enum case_control { CASE_AS_IT_IS, CASE_ALTERED_RESULT, CASE_ALTERED_COTANGENT } case_control;

/* Plays a case: eagerly, captured and run, and the cotangents of its inputs by the captured program's reverse mode.
 * False, with a line on stdout for each thing that differs unless that is on purpose; whether there was a number to
 * alter. */
bool case_play(const opcase *, play_fn *, sweep_tolerance, case_control, bool *out_altered);

#endif

/* What the twelve evals share: reading the input (JSON), running a function under GradBench's rules for repetition,
   and printing the result and the timings. */
#ifndef EVAL_H
#define EVAL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  const char *name;
  void (*compute)(void *state);     /* timed; repeated as the input asks */
  void (*print)(const void *state); /* one JSON value, without a newline */
} eval_function;

/* Runs `argv[0] FILE FUNCTION`: parses FILE, calls `load` on its JSON value, which returns the state (in it, room for
   the results), then computes and prints. Returns the exit status. The function runs on a thread with a large stack,
   since the primals keep their work arrays there. */
int eval_main(int argc, char **argv, void *(*load)(const json_object *input), size_t count,
              const eval_function functions[]);

/* Each ends the program with a message where the input does not have the key or the form. */
const json_object *eval_get(const json_object *object, const char *key);
double eval_number(const json_object *object, const char *key);
size_t eval_count(const json_object *object, const char *key);
size_t eval_length(const json_object *array);
/* The numbers of an array nested to any depth, in order. */
double *eval_numbers(const json_object *array, size_t *out_count);
size_t *eval_indices(const json_object *array, size_t *out_count);
void *eval_alloc(size_t count, size_t size);

void eval_print_number(double value);
void eval_print_vector(size_t n, const double x[]);
void eval_print_matrix(size_t rows, size_t cols, const double x[]);

#endif

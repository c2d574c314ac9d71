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

/* Each of these ends the program with status 1 and a message that names the key, where the input lacks the key or has
   something else there. */
_Noreturn void eval_fail(const char *key, const char *what);
const json_object *eval_get(const json_object *object, const char *key);
double eval_number(const json_object *object, const char *key); /* finite; without a key, the object itself */
size_t eval_count(const json_object *object, const char *key);  /* from 0 to 2^31 - 1 */
size_t eval_count_from(const json_object *object, const char *key, size_t least);
size_t eval_length(const json_object *object, const char *key); /* of an array */
/* The numbers of an array nested to any depth, in order. Arrays within an array have equally many. */
double *eval_numbers(const json_object *object, const char *key, size_t *out_count);
double *eval_vector(const json_object *object, const char *key, size_t *out_count); /* at least one */
double *eval_numbers_of(const json_object *object, const char *key, size_t count);
/* Whole numbers from `least` to below `limit`. */
ptrdiff_t *eval_indices_of(const json_object *object, const char *key, size_t count, ptrdiff_t least, size_t limit);
/* a * b elements; 0 is no element. */
size_t eval_product(size_t a, size_t b);
void *eval_alloc(size_t count, size_t size);

void eval_print_number(double value);
void eval_print_vector(size_t n, const double x[]);
void eval_print_matrix(size_t rows, size_t cols, const double x[]);

#endif

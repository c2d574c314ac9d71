#define _POSIX_C_SOURCE 200809L
#include "eval.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static _Noreturn void fail(const char *text, const char *detail) {
  fprintf(stderr, "error: %s%s%s\n", text, detail ? ": " : "", detail ? detail : "");
  exit(1);
}

void eval_fail(const char *key, const char *what) { fail(key ? key : "the input", what); }

size_t eval_product(size_t a, size_t b) {
  if (b != 0 && a > SIZE_MAX / b) {
    fail("out of memory", NULL);
  }
  return a * b;
}

void *eval_alloc(size_t count, size_t size) {
  size_t bytes = eval_product(count, size);
  void *memory = bytes < PTRDIFF_MAX ? aligned_alloc(64, (bytes / 64 + 1) * 64) : NULL;
  if (memory == NULL) {
    fail("out of memory", NULL);
  }
  memset(memory, 0, bytes);
  return memory;
}

const json_object *eval_get(const json_object *object, const char *key) {
  json_object *value;
  if (!json_object_object_get_ex(object, key, &value)) {
    fail("the input lacks a key", key);
  }
  return value;
}

static double number(const json_object *value, const char *key) {
  if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int)) {
    eval_fail(key, "not a number");
  }
  double x = json_object_get_double(value);
  if (!isfinite(x)) {
    eval_fail(key, "not a finite number");
  }
  return x;
}

double eval_number(const json_object *object, const char *key) {
  return number(key ? eval_get(object, key) : object, key);
}

size_t eval_count(const json_object *object, const char *key) {
  double value = eval_number(object, key);
  if (value < 0 || value != floor(value) || value > INT32_MAX) {
    eval_fail(key, "not a count");
  }
  return (size_t)value;
}

size_t eval_count_from(const json_object *object, const char *key, size_t least) {
  size_t count = eval_count(object, key);
  if (count < least) {
    eval_fail(key, "too small a count");
  }
  return count;
}

static size_t length(const json_object *array, const char *key) {
  if (!json_object_is_type(array, json_type_array)) {
    eval_fail(key, "not an array");
  }
  return json_object_array_length(array);
}

size_t eval_length(const json_object *object, const char *key) { return length(eval_get(object, key), key); }

static size_t count_numbers(const json_object *value, const char *key) {
  if (!json_object_is_type(value, json_type_array)) {
    return 1;
  }
  size_t n = length(value, key), each = 0;
  for (size_t i = 0; i < n; i++) {
    size_t count = count_numbers(json_object_array_get_idx(value, i), key);
    if (i > 0 && count != each) {
      eval_fail(key, "arrays of different lengths in an array");
    }
    each = count;
  }
  return n * each;
}

static double *copy_numbers(const json_object *value, const char *key, double *to) {
  if (!json_object_is_type(value, json_type_array)) {
    *to = number(value, key);
    return to + 1;
  }
  for (size_t i = 0; i < length(value, key); i++) {
    to = copy_numbers(json_object_array_get_idx(value, i), key, to);
  }
  return to;
}

double *eval_numbers(const json_object *object, const char *key, size_t *out_count) {
  const json_object *value = eval_get(object, key);
  *out_count = count_numbers(value, key);
  double *numbers = eval_alloc(*out_count, sizeof *numbers);
  copy_numbers(value, key, numbers);
  return numbers;
}

double *eval_vector(const json_object *object, const char *key, size_t *out_count) {
  double *numbers = eval_numbers(object, key, out_count);
  if (*out_count == 0) {
    eval_fail(key, "empty");
  }
  return numbers;
}

double *eval_numbers_of(const json_object *object, const char *key, size_t count) {
  size_t found;
  double *numbers = eval_numbers(object, key, &found);
  if (found != count) {
    char what[96];
    snprintf(what, sizeof what, "%zu numbers, not %zu", found, count);
    eval_fail(key, what);
  }
  return numbers;
}

ptrdiff_t *eval_indices_of(const json_object *object, const char *key, size_t count, ptrdiff_t least, size_t limit) {
  double *numbers = eval_numbers_of(object, key, count);
  ptrdiff_t *indices = eval_alloc(count, sizeof *indices);
  for (size_t i = 0; i < count; i++) {
    if (numbers[i] != floor(numbers[i]) || numbers[i] < (double)least || numbers[i] >= (double)limit) {
      eval_fail(key, "not an index of what is there");
    }
    indices[i] = (ptrdiff_t)numbers[i];
  }
  free(numbers);
  return indices;
}

void eval_print_number(double value) {
  if (isfinite(value)) {
    printf("%.17g", value);
  } else {
    printf("null");
  }
}

void eval_print_vector(size_t n, const double x[]) {
  putchar('[');
  for (size_t i = 0; i < n; i++) {
    if (i) {
      putchar(',');
    }
    eval_print_number(x[i]);
  }
  putchar(']');
}

void eval_print_matrix(size_t rows, size_t cols, const double x[]) {
  putchar('[');
  for (size_t i = 0; i < rows; i++) {
    if (i) {
      putchar(',');
    }
    eval_print_vector(cols, x + i * cols);
  }
  putchar(']');
}

/* As json_object_from_file, but for a lone number too, whose end json-c sees only at a NUL, and for nothing after the
   value. */
static json_object *read_json(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = NULL;
  size_t length = 0, room = 0;
  if (file == NULL) {
    return NULL;
  }
  do {
    room = room ? 2 * room : 4096;
    text = realloc(text, room);
    if (text == NULL) {
      fail("out of memory", NULL);
    }
    length += fread(text + length, 1, room - length - 1, file);
  } while (length == room - 1);
  fclose(file);
  text[length] = '\0';
  json_tokener *tokener = json_tokener_new();
  if (tokener == NULL) {
    fail("out of memory", NULL);
  }
  json_object *value = json_tokener_parse_ex(tokener, text, -1);
  size_t end = json_tokener_get_parse_end(tokener);
  json_tokener_free(tokener);
  if (end + strspn(text + end, " \t\r\n") != length) {
    json_object_put(value);
    value = NULL;
  }
  free(text);
  return value;
}

typedef struct {
  const eval_function *function;
  void *state;
  size_t min_runs;
  double min_seconds;
  int64_t prepare;
  int64_t *samples;
  size_t count, room;
} run_request;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *run(void *argument) {
  run_request *r = argument;
  double elapsed = 0;
  while (r->count < r->min_runs || elapsed < r->min_seconds) {
    if (r->count == r->room) {
      r->room = r->room ? 2 * r->room : 1024;
      r->samples = realloc(r->samples, r->room * sizeof *r->samples);
      if (r->samples == NULL) {
        fail("out of memory", NULL);
      }
    }
    int64_t start = now();
    r->function->compute(r->state);
    int64_t time = now() - start;
    r->samples[r->count++] = time;
    elapsed += (double)time / 1e9;
  }
  return NULL;
}

int eval_main(int argc, char **argv, void *(*load)(const json_object *input), size_t count,
              const eval_function functions[]) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s FILE FUNCTION\n", argv[0]);
    return 2;
  }
  const eval_function *function = NULL;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(functions[i].name, argv[2]) == 0) {
      function = &functions[i];
    }
  }
  if (function == NULL) {
    fail("there is no such function", argv[2]);
  }
  json_object *input = read_json(argv[1]);
  if (input == NULL) {
    fail("the input is not a readable JSON file", argv[1]);
  }

  run_request request = {.function = function, .min_runs = 1};
  if (json_object_is_type(input, json_type_object)) {
    json_object *value;
    if (json_object_object_get_ex(input, "min_runs", &value)) {
      request.min_runs = eval_count_from(input, "min_runs", 1);
    }
    if (json_object_object_get_ex(input, "min_seconds", &value)) {
      request.min_seconds = eval_number(input, "min_seconds");
    }
  }
  int64_t start = now();
  request.state = load(input);
  request.prepare = now() - start;

  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, (size_t)1 << 30) != 0 ||
      pthread_create(&thread, &attributes, run, &request) != 0 || pthread_join(thread, NULL) != 0) {
    fail("the thread for the evaluation did not start", NULL);
  }
  pthread_attr_destroy(&attributes);

  function->print(request.state);
  printf("\n{\"name\": \"prepare\", \"nanoseconds\": %lld}\n", (long long)request.prepare);
  for (size_t i = 0; i < request.count; i++) {
    printf("{\"name\": \"evaluate\", \"nanoseconds\": %lld}\n", (long long)request.samples[i]);
  }
  free(request.samples);
  json_object_put(input);
  return fflush(stdout) == 0 ? 0 : 1;
}

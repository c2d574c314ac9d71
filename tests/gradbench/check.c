/* Runs the evals over recorded goldens and compares.

     gradbench_check [--perturb] DIR GOLDEN...

   DIR holds the programs, bin/<eval> FILE FUNCTION. Each golden has the input, the outputs by function and the
   tolerance, relative to max(1, the larger magnitude). The first line of what a program prints is the result; the
   others are timing lines, whose form is checked. With --perturb each output is changed by four tolerances before it is
   compared, and the check is that all of these are found. A golden that is damaged, or a program that fails, is a
   failure in either case. */
#define _POSIX_C_SOURCE 200809L

#if defined(__clang__) /* json-c's loops over members are GNU statement expressions */
#pragma clang diagnostic ignored "-Wgnu-statement-expression-from-macro-expansion"
#endif
#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  double tolerance, worst;
  bool perturb;
} comparison;

static bool is_number(const json_object *x) {
  return json_object_is_type(x, json_type_double) || json_object_is_type(x, json_type_int);
}

/* Prints the first difference under `path`. */
static bool same(comparison *c, const json_object *expected, const json_object *actual, const char *path) {
  char inner[256];
  if (is_number(expected) && is_number(actual)) {
    double e = json_object_get_double(expected), a = json_object_get_double(actual);
    double scale = fmax(1, fmax(fabs(e), fabs(a)));
    if (c->perturb) {
      e += 4 * c->tolerance * scale;
      c->perturb = false;
    }
    double error = fabs(e - a) / scale;
    c->worst = fmax(c->worst, error);
    if (!(error <= c->tolerance)) {
      printf("  %s: expected %.17g, got %.17g\n", path, e, a);
      return false;
    }
    return true;
  }
  if (json_object_is_type(expected, json_type_array) && json_object_is_type(actual, json_type_array)) {
    size_t n = json_object_array_length(expected);
    if (n != json_object_array_length(actual)) {
      printf("  %s: expected %zu elements, got %zu\n", path, n, (size_t)json_object_array_length(actual));
      return false;
    }
    for (size_t i = 0; i < n; i++) {
      snprintf(inner, sizeof inner, "%.200s[%zu]", path, i);
      if (!same(c, json_object_array_get_idx(expected, i), json_object_array_get_idx(actual, i), inner)) {
        return false;
      }
    }
    return true;
  }
  if (json_object_is_type(expected, json_type_object) && json_object_is_type(actual, json_type_object)) {
    if (json_object_object_length(expected) != json_object_object_length(actual)) {
      printf("  %s: the keys differ\n", path);
      return false;
    }
    json_object_object_foreach((json_object *)expected, key, value) {
      json_object *other;
      snprintf(inner, sizeof inner, "%.100s.%.100s", path, key);
      if (!json_object_object_get_ex(actual, key, &other)) {
        printf("  %s is missing\n", inner);
        return false;
      }
      if (!same(c, value, other, inner)) {
        return false;
      }
    }
    return true;
  }
  printf("  %s: the types differ\n", path);
  return false;
}

static bool is_timing(const char *line, const char *name) {
  json_object *timing = json_tokener_parse(line), *value, *time;
  bool good = timing && json_object_object_get_ex(timing, "name", &value) &&
              strcmp(json_object_get_string(value), name) == 0 &&
              json_object_object_get_ex(timing, "nanoseconds", &time) && json_object_is_type(time, json_type_int);
  json_object_put(timing);
  return good;
}

/* The result line of `program input function`; NULL where it fails or its timing lines are not as they should be. */
static json_object *run(const char *program, const char *input, const char *function) {
  char command[1024];
  snprintf(command, sizeof command, "'%s' '%s' '%s'", program, input, function);
  FILE *pipe = popen(command, "r");
  if (pipe == NULL) {
    printf("  cannot run %s\n", command);
    return NULL;
  }
  char *line = NULL;
  size_t room = 0, lines = 0;
  json_object *result = NULL;
  bool timed = true;
  while (getline(&line, &room, pipe) > 0) {
    if (lines == 0) {
      result = json_tokener_parse(line);
    } else {
      timed = is_timing(line, lines == 1 ? "prepare" : "evaluate") && timed;
    }
    lines++;
  }
  free(line);
  int status = pclose(pipe);
  if (status != 0 || result == NULL || lines < 3 || !timed) {
    printf("  %s: status %d, %zu lines%s\n", command, status, lines, timed ? "" : ", malformed timing lines");
    json_object_put(result);
    return NULL;
  }
  return result;
}

int main(int argc, char **argv) {
  bool perturb = argc > 1 && strcmp(argv[1], "--perturb") == 0;
  char **arguments = argv + 1 + perturb;
  if (argc < 3 + perturb) {
    fprintf(stderr, "usage: %s [--perturb] DIR GOLDEN...\n", argv[0]);
    return 2;
  }
  char input[] = "/tmp/tl_gradbench_XXXXXX";
  int file = mkstemp(input);
  if (file < 0) {
    perror(input);
    return 1;
  }
  close(file);
  int passed = 0, failed = 0, broken = 0;
  for (char **golden = arguments + 1; *golden; golden++) {
    json_object *whole = json_object_from_file(*golden), *outputs = NULL, *name = NULL, *value = NULL,
                *tolerance = NULL;
    const char *slash = strrchr(*golden, '/'), *base = slash ? slash + 1 : *golden;
    if (!json_object_object_get_ex(whole, "outputs", &outputs) || !json_object_is_type(outputs, json_type_object) ||
        json_object_object_length(outputs) == 0 || !json_object_object_get_ex(whole, "eval", &name) ||
        !json_object_object_get_ex(whole, "input", &value) ||
        !json_object_object_get_ex(whole, "tolerance", &tolerance) || !is_number(tolerance)) {
      printf("FAIL %s is damaged\n", base);
      broken++;
      json_object_put(whole);
      continue;
    }
    FILE *out = fopen(input, "w");
    if (out == NULL || fputs(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), out) < 0 ||
        fclose(out) != 0) {
      perror(input);
      return 1;
    }
    char program[512];
    snprintf(program, sizeof program, "%s/%s", arguments[0], json_object_get_string(name));
    json_object_object_foreach(outputs, function, expected) {
      comparison c = {.tolerance = json_object_get_double(tolerance), .perturb = perturb};
      json_object *actual = run(program, input, function);
      bool good = actual && same(&c, expected, actual, "output");
      printf("%-4s %s %s (worst %.1e)\n", good ? "ok" : "FAIL", base, function, c.worst);
      passed += good;
      failed += actual && !good;
      broken += actual == NULL;
      json_object_put(actual);
    }
    json_object_put(whole);
  }
  unlink(input);
  if (perturb) {
    printf("%d of %d planted differences found, %d broken\n", failed, passed + failed, broken);
    return passed == 0 && failed > 0 && broken == 0 ? 0 : 1;
  }
  printf("%d passed, %d failed\n", passed, failed + broken);
  return failed == 0 && passed > 0 && broken == 0 ? 0 : 1;
}

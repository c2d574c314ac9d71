#define _POSIX_C_SOURCE 200809L
#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Line 0 stands for the file as a whole. */
static int bad(const char *path, size_t line, const char *text) {
  fprintf(stderr, line ? "%s:%zu: " : "%s: ", path, line);
  fprintf(stderr, "%s\n", text);
  return -1;
}

typedef enum { NUMBER_MISSING, NUMBER_NOT_FINITE, NUMBER_READ } number_state;

/* The number at `text`, as strtod reads it, and what follows it. */
static number_state read_number(const char *text, char **end, double *out) {
  *out = strtod(text, end);
  return *end == text ? NUMBER_MISSING : isfinite(*out) ? NUMBER_READ : NUMBER_NOT_FINITE;
}

/* The number behind `key`, which a blank, a comma or the line's end follows. False without the key, and then *out is as
   it was; where no such number is behind it, *status is -1, and why was printed. */
static bool find_number(const char *path, size_t line, const char *text, const char *key, double *out, int *status) {
  const char *at = strstr(text, key);
  char *end;
  double number;
  if (at == NULL) {
    return false;
  }
  number_state state = read_number(at + strlen(key), &end, &number);
  if (state != NUMBER_READ || strchr(" \t,", *end) == NULL) {
    char why[128];
    snprintf(why, sizeof why,
             state == NUMBER_NOT_FINITE ? "the number behind '%s' is not finite" : "there is no number behind '%s'",
             key);
    *status = bad(path, line, why);
    return true;
  }
  *out = number;
  return true;
}

static char *trimmed(char *text) {
  char *end = text + strlen(text);
  while (end > text && strchr(" \t\r\n", end[-1])) {
    *--end = '\0';
  }
  while (*text == ' ' || *text == '\t') {
    text++;
  }
  return text;
}

/* "b1: start1=2 start2=2.5 certified=2.59 sd=0.2", with the colon at `colon`. */
static int read_parameter(const char *path, size_t line, const char *text, const char *colon, model_problem *problem) {
  model_parameter parameter = {.certified = NAN};
  int status = 0;
  find_number(path, line, text, "start1=", &parameter.start[0], &status);
  if (status == 0 && !find_number(path, line, text, "start2=", &parameter.start[1], &status)) {
    return bad(path, line, "this parameter has no 'start2='");
  }
  bool is_certified = status == 0 && find_number(path, line, text, "certified=", &parameter.certified, &status);
  if (status == 0) {
    find_number(path, line, text, "sd=", &parameter.sd, &status);
  }
  if (status != 0) {
    return status;
  }
  if (problem->parameters && is_certified == isnan(problem->parameter[0].certified)) {
    return bad(path, line,
               is_certified ? "this parameter has 'certified=', which all have or none"
                            : "this parameter has no 'certified=', which all have or none");
  }
  if (problem->parameters == MODEL_PARAMETERS) {
    return bad(path, line, "too many parameters");
  }
  memcpy(parameter.name, text, (size_t)(colon - text));
  problem->parameter[problem->parameters++] = parameter;
  return 0;
}

static int read_comment(const char *path, size_t line, char *text, model_problem *problem) {
  char *colon = strchr(text, ':');
  int status = 0;
  if (strncmp(text, "model:", 6) == 0) {
    free(problem->equation);
    problem->equation = strdup(text + 6);
    problem->equation_line = line;
    return problem->equation ? 0 : bad(path, line, "out of memory");
  }
  if (find_number(path, line, text, "residual_sum_of_squares:", &problem->certified_rss, &status)) {
    return status;
  }
  if (colon && colon - text < MODEL_NAME && strstr(colon, "start1=")) {
    return read_parameter(path, line, text, colon, problem);
  }
  if (line == 1) {
    snprintf(problem->title, sizeof problem->title, "%s", text);
  }
  return 0;
}

static int read_header(const char *path, size_t line, char *text, model_problem *problem) {
  problem->header_line = line;
  for (char *save, *name = strtok_r(text, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
    name = trimmed(name);
    if (problem->columns == MODEL_COLUMNS || strlen(name) >= MODEL_NAME || *name == '\0') {
      return bad(path, line, "the header has too many columns, or a name that is empty or too long");
    }
    strcpy(problem->column_name[problem->columns++], name);
  }
  return 0;
}

static int read_row(const char *path, size_t line, char *text, model_problem *problem, size_t *room) {
  if (problem->rows == *room) {
    *room = *room ? 2 * *room : 64;
    for (size_t c = 0; c < problem->columns; c++) {
      double *grown = realloc(problem->column[c], *room * sizeof *grown);
      if (grown == NULL) {
        return bad(path, line, "out of memory");
      }
      problem->column[c] = grown;
    }
  }
  for (size_t c = 0; c < problem->columns; c++) {
    char *end;
    number_state state = read_number(text, &end, &problem->column[c][problem->rows]);
    if (state == NUMBER_MISSING || *end != (c + 1 < problem->columns ? ',' : '\0')) {
      return bad(path, line, "a row does not have one number for each column");
    }
    if (state == NUMBER_NOT_FINITE) {
      return bad(path, line, "a row has a number that is not finite");
    }
    text = end + 1;
  }
  problem->rows++;
  return 0;
}

/* The lines of a file, behind a byte order mark if there is one. */
static int read_lines(const char *path, FILE *file, model_problem *problem, size_t *out_count) {
  char *buffer = NULL;
  size_t size = 0, line = 0, room = 0;
  int status = 0;
  errno = 0;
  while (status == 0 && getline(&buffer, &size, file) >= 0) {
    char *text = trimmed(line == 0 && strncmp(buffer, "\xef\xbb\xbf", 3) == 0 ? buffer + 3 : buffer);
    line++;
    if (strchr(text, '\r')) {
      status = bad(path, line, "a carriage return stands within the line: lines end with a line feed");
    } else if (*text == '#') {
      status = read_comment(path, line, trimmed(text + 1), problem);
    } else if (*text != '\0' && problem->columns == 0) {
      status = read_header(path, line, text, problem);
    } else if (*text != '\0') {
      status = read_row(path, line, text, problem, &room);
    }
    errno = 0;
  }
  if (status == 0 && errno != 0) { /* a folder, for one */
    status = bad(path, 0, strerror(errno));
  } else if (status == 0 && line == 0) {
    status = bad(path, 0, "the file is empty");
  }
  free(buffer);
  *out_count = line;
  return status;
}

int model_problem_read(const char *path, model_problem *out_problem) {
  FILE *file = fopen(path, "r");
  size_t line;
  memset(out_problem, 0, sizeof *out_problem);
  out_problem->path = path;
  out_problem->certified_rss = NAN;
  if (file == NULL) {
    perror(path);
    return -1;
  }
  const char *base = strrchr(path, '/');
  snprintf(out_problem->name, sizeof out_problem->name, "%.*s", (int)strcspn(base ? base + 1 : path, "."),
           base ? base + 1 : path);
  int status = read_lines(path, file, out_problem, &line);
  fclose(file);
  if (status == 0 && out_problem->equation == NULL) {
    status = bad(path, line, "there is no line '# model: ...'");
  }
  if (status == 0 && out_problem->parameters == 0) {
    status = bad(path, line, "there is no line '# NAME: start1=... start2=...' of a parameter");
  }
  if (status == 0 && out_problem->rows == 0) {
    status = bad(path, line, "there are no observations");
  }
  if (status == 0 && out_problem->rows < out_problem->parameters) {
    status = bad(path, line, "there are fewer observations than parameters");
  }
  if (status != 0) {
    model_problem_deinit(out_problem);
  }
  return status;
}

void model_problem_deinit(model_problem *problem) {
  free(problem->equation);
  for (size_t c = 0; c < problem->columns; c++) {
    free(problem->column[c]);
  }
  memset(problem, 0, sizeof *problem);
}

#define _POSIX_C_SOURCE 200809L
#include "model.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int bad(const char *path, size_t line, const char *text) {
  fprintf(stderr, "%s:%zu: %s\n", path, line, text);
  return -1;
}

/* The number after `key` in a line; 0 where there is none. */
static int find_number(const char *line, const char *key, double *out) {
  const char *at = strstr(line, key);
  char *end;
  if (at == NULL) {
    return 0;
  }
  *out = strtod(at + strlen(key), &end);
  return end != at + strlen(key);
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

static int read_comment(const char *path, size_t line, char *text, model_problem *problem) {
  model_parameter parameter;
  char *colon = strchr(text, ':');
  if (strncmp(text, "model:", 6) == 0) {
    free(problem->equation);
    problem->equation = strdup(text + 6);
    return problem->equation ? 0 : bad(path, line, "out of memory");
  }
  if (find_number(text, "residual_sum_of_squares:", &problem->certified_rss)) {
    return 0;
  }
  if (colon && colon - text < MODEL_NAME && strstr(colon, "start1=")) {
    if (!find_number(text, "start1=", &parameter.start[0])) {
      return bad(path, line, "this parameter has no number behind 'start1='");
    }
    if (!find_number(text, "start2=", &parameter.start[1])) {
      return bad(path, line, "this parameter has no number behind 'start2='");
    }
    bool is_certified = find_number(text, "certified=", &parameter.certified);
    if (!is_certified) {
      if (strstr(text, "certified=") || (problem->parameters && !isnan(problem->parameter[0].certified))) {
        return bad(path, line, "this parameter has no number behind 'certified=', which all have or none");
      }
      parameter.certified = NAN;
    } else if (problem->parameters && isnan(problem->parameter[0].certified)) {
      return bad(path, line, "this parameter has 'certified=', which all have or none");
    }
    if (problem->parameters == MODEL_PARAMETERS) {
      return bad(path, line, "too many parameters");
    }
    if (!find_number(text, "sd=", &parameter.sd)) {
      parameter.sd = 0;
    }
    memset(parameter.name, 0, sizeof parameter.name);
    memcpy(parameter.name, text, (size_t)(colon - text));
    problem->parameter[problem->parameters++] = parameter;
    return 0;
  }
  if (line == 1) {
    snprintf(problem->title, sizeof problem->title, "%s", text);
  }
  return 0;
}

static int read_header(const char *path, size_t line, char *text, model_problem *problem) {
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
    problem->column[c][problem->rows] = strtod(text, &end);
    if (end == text || *end != (c + 1 < problem->columns ? ',' : '\0')) {
      return bad(path, line, "a row does not have one number for each column");
    }
    text = end + 1;
  }
  problem->rows++;
  return 0;
}

int model_problem_read(const char *path, model_problem *out_problem) {
  FILE *file = fopen(path, "r");
  char *buffer = NULL;
  size_t size = 0, line = 0, room = 0;
  int status = 0;
  memset(out_problem, 0, sizeof *out_problem);
  out_problem->certified_rss = NAN;
  if (file == NULL) {
    perror(path);
    return -1;
  }
  const char *base = strrchr(path, '/');
  snprintf(out_problem->name, sizeof out_problem->name, "%.*s", (int)strcspn(base ? base + 1 : path, "."),
           base ? base + 1 : path);
  while (status == 0 && getline(&buffer, &size, file) >= 0) {
    char *text = trimmed(buffer);
    line++;
    if (*text == '#') {
      status = read_comment(path, line, trimmed(text + 1), out_problem);
    } else if (*text != '\0' && out_problem->columns == 0) {
      status = read_header(path, line, text, out_problem);
    } else if (*text != '\0') {
      status = read_row(path, line, text, out_problem, &room);
    }
  }
  free(buffer);
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

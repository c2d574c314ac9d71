/* Any bytes as a regression problem of the NIST demo: its columns, its parameters and its model line, and the C written
 * of it. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>

#include "memory_file.h"
#include "model.h"

static void read_and_write(FILE *c) {
  model_problem problem;
  if (model_problem_read(MEMORY_FILE_PATH, &problem) == 0) {
    model_write_c(&problem, c);
    model_problem_deinit(&problem);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FILE *nothing = fopen("/dev/null", "w"), *messages = stderr;
  if (!nothing) {
    exit(1);
  }
  memory_file_put(MEMORY_FILE, data, size);
  stderr = nothing;
  read_and_write(nothing);
  stderr = messages;
  fclose(nothing);
  close(MEMORY_FILE);
  return 0;
}

/* The command line of the run time: `tlaloc VERB ...`. */
#include <stdio.h>
#include <string.h>

#include "rows.h"

static int usage(FILE *out) {
  fputs("usage: tlaloc rows FILE [--engine=NAME]\n"
        "  rows   runs each line of FILE, JSON that may be compressed: an op, its inputs and the outputs that are\n"
        "         right. By the engine of that name, else by eager calls.\n"
        "  --version\n",
        out);
  return out == stdout ? 0 : 2;
}

static int rows(int count, char **arguments) {
  const char *path = NULL, *engine = NULL;
  for (int i = 0; i < count; i++) {
    if (strncmp(arguments[i], "--engine=", 9) == 0) {
      engine = arguments[i] + 9;
    } else if (arguments[i][0] == '-' || path) {
      fprintf(stderr, "tlaloc: rows: '%s' is not expected\n", arguments[i]);
      return usage(stderr);
    } else {
      path = arguments[i];
    }
  }
  return path ? rows_run(path, engine) : usage(stderr);
}

int main(int argc, char **argv) {
  const char *verb = argc > 1 ? argv[1] : "";
  if (strcmp(verb, "rows") == 0) {
    return rows(argc - 2, argv + 2);
  }
  if (strcmp(verb, "--version") == 0) {
    puts("tlaloc " TL_VERSION);
    return fflush(stdout) ? 1 : 0;
  }
  if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
    return usage(stdout);
  }
  if (*verb) {
    fprintf(stderr, "tlaloc: there is no verb '%s'\n", verb);
  }
  return usage(stderr);
}

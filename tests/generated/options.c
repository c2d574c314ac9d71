#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *gen_option_value(int argc, char **argv, int *i) {
  if (*i + 1 >= argc) {
    fprintf(stderr, "%s needs a value\n", argv[*i]);
    exit(2);
  }
  return argv[++*i];
}

const char *gen_work_folder(const char *name) {
  static char made[] = "/tmp/generated-XXXXXX";
  if (name ? mkdir(name, 0777) != 0 && errno != EEXIST : mkdtemp(made) == NULL) {
    perror(name ? name : made);
    exit(2);
  }
  return name ? name : made;
}

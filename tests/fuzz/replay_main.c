/* Runs a fuzz target over files and folders of inputs, without a fuzzer. Fails where there is no input at all. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int inputs;

static void replay_file(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  size_t room = 1 << 12, size = 0;
  uint8_t *data = malloc(room);
  for (size_t n; data && (n = fread(data + size, 1, room - size, in)) > 0;) {
    size += n;
    if (size == room) {
      data = realloc(data, room *= 2);
    }
  }
  fclose(in);
  /* an allocation of the exact size shows reads past the end to a sanitizer */
  uint8_t *exact = malloc(size ? size : 1);
  if (!data || !exact) {
    fputs("out of memory\n", stderr);
    exit(1);
  }
  memcpy(exact, data, size);
  free(data);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  inputs++;
}

static void replay(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) {
    replay_file(path);
    return;
  }
  for (struct dirent *e; (e = readdir(folder));) {
    if (e->d_name[0] != '.') {
      char inner[4096];
      snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
      replay(inner);
    }
  }
  closedir(folder);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    replay(argv[i]);
  }
  printf("%d inputs replayed\n", inputs);
  return inputs ? 0 : 1;
}

#include "files.h"

char *tl_file_read(tl_arena *a, FILE *f, size_t *out_length) {
  size_t room = 16384, length = 0;
  char *text = tl_arena_alloc(a, room + 1);
  for (size_t got; (got = fread(text + length, 1, room - length, f)) > 0;) {
    length += got;
    if (length == room) {
      text = tl_arena_grow(a, text, length, 2 * room + 1);
      room *= 2;
    }
  }
  text[length] = '\0';
  *out_length = length;
  return ferror(f) ? NULL : text;
}

char *tl_path_read(tl_arena *a, const char *path, size_t *out_length) {
  FILE *f = fopen(path, "r");
  if (!f) {
    return NULL;
  }
  char *text = tl_file_read(a, f, out_length);
  fclose(f);
  return text;
}

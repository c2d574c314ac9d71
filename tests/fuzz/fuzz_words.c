/* Any text as a response file, @FILE. Words that are quoted and read again are the same words; a file that names
 * itself, which @ stands for in the file, comes to an end. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"
#include "memory_file.h"

static void split_again(tl_arena *arena, const char *text) {
  tl_args words = {0}, again = {0};
  tl_words_split(arena, text, &words);
  size_t length = 0;
  for (uint32_t i = 0; i < words.count; i++) {
    length += 2 * strlen(words.data[i]) + 3;
  }
  char *quoted = tl_arena_alloc(arena, length + 1), *to = quoted;
  for (uint32_t i = 0; i < words.count; i++) {
    to += sprintf(to, "\"%s\"\n", tl_string_escape(arena, words.data[i]));
  }
  tl_words_split(arena, quoted, &again);
  bool same = words.count == again.count;
  for (uint32_t i = 0; same && i < words.count; i++) {
    same = strcmp(words.data[i], again.data[i]) == 0;
  }
  if (!same) {
    abort();
  }
}

static void expand(tl_arena *arena, const char *text) {
  static const char self[] = "@" MEMORY_FILE_PATH;
  char *file = tl_arena_alloc(arena, strlen(text) * strlen(self) + 1), *to = file;
  for (const char *p = text; *p; p++) {
    if (*p == '@') {
      to = stpcpy(to, self);
    } else {
      *to++ = *p;
    }
  }
  memory_file_put(MEMORY_FILE, file, (size_t)(to - file));
  tl_cmdline cmdline;
  tl_cmdline_parse(arena, 2, (char *[]){"tlalocc", (char *)self, NULL}, &cmdline);
  if (!cmdline.had_response_file || cmdline.args.count != cmdline.kinds.count) {
    abort();
  }
  close(MEMORY_FILE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tl_arena arena;
  tl_arena_init(&arena);
  char *exact = malloc(size + 1); /* of the text's size, for a sanitizer to see reads past its end */
  if (!exact) {
    exit(1);
  }
  memcpy(exact, data, size);
  exact[size] = '\0';
  split_again(&arena, exact);
  if (size <= 64) { /* what names itself is read thousands of times */
    expand(&arena, exact);
  }
  free(exact);
  tl_arena_deinit(&arena);
  return 0;
}

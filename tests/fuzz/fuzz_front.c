/* C, mutated by words, through the whole translation in one process, and compared with what cc reads: its preprocessed
 * text as it is, where a mismatch is reported, and with a word changed. What is refused must have a diagnostic; nothing
 * may crash. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "files.h"
#include "memory_file.h"
#include "translate.h"

/* ---- mutation by words: most of what it makes is still C ---- */

typedef struct word {
  size_t start, length;
} word;

static size_t next_word(const uint8_t *data, size_t size, size_t at) {
  size_t from = at;
  while (at < size && (data[at] == '_' || isalnum(data[at]) || data[at] == '.')) {
    at++;
  }
  return at > from ? at : at + 1;
}

static word random_word(const uint8_t *data, size_t size, unsigned *seed) {
  size_t at = size ? (size_t)rand_r(seed) % size : 0;
  while (at > 0 && next_word(data, size, at - 1) > at) {
    at--;
  }
  return (word){at, size ? next_word(data, size, at) - at : 0};
}

static size_t change_word(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  static const char *const pieces[] = {"0",         "1",          "2",
                                       "n",         "i",          "x",
                                       "- 1",       "+ 1",        "* x",
                                       "/ x",       "* 2.0",      "[i]",
                                       "[0]",       "&",          "*",
                                       "!",         "break;",     "continue;",
                                       "return x;", "if (x > 0)", "while (n-- > 0)",
                                       "else",      "float",      "double",
                                       "int",       "const",      "static",
                                       "(float)",   "(int)",      "x = x * x;",
                                       "x += i;",   "? x :",      "&& x > 1",
                                       "sin(x)",    "sqrt(x)",    "fmax(x, 1.0)",
                                       "goto out;", "out:;",      "switch (n) { case 1: }"};
  word a = random_word(data, size, &seed), b = random_word(data, size, &seed);
  char piece[256];
  size_t n = b.length < sizeof piece ? b.length : 0;
  memcpy(piece, data + b.start, n);
  if (rand_r(&seed) % 3 == 0) {
    const char *p = pieces[(size_t)rand_r(&seed) % (sizeof pieces / sizeof *pieces)];
    n = strlen(p);
    memcpy(piece, p, n);
  }
  unsigned how = (unsigned)rand_r(&seed) % 3; /* replace, insert, delete */
  size_t removed = how == 1 ? 0 : a.length, added = how == 2 ? 0 : n;
  if (size - removed + added > max_size) {
    return size;
  }
  memmove(data + a.start + added, data + a.start + removed, size - a.start - removed);
  memcpy(data + a.start, piece, added);
  return size - removed + added;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  if (size < 16 || seed % 16 == 0) {
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max_size) : size;
  }
  return change_word(data, size, max_size, seed);
}

/* ---- what cc reads ---- */

/* cc -E of the file, into the second one. */
static bool preprocess(void) {
  memory_file_put(MEMORY_FILE_2, NULL, 0);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) || posix_spawn_file_actions_adddup2(&actions, MEMORY_FILE_2, 1) ||
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)) {
    exit(1);
  }
  char *argv[] = {"cc", "-E", "-D__TLALOCC__=1", (char *)translate_include_arg(), "-xc", MEMORY_FILE_PATH, NULL};
  pid_t child, ended;
  int status = 1;
  if (posix_spawnp(&child, argv[0], &actions, NULL, argv, environ)) {
    exit(1);
  }
  do { /* libFuzzer has a timer */
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended != child) {
    exit(1);
  }
  posix_spawn_file_actions_destroy(&actions);
  return status == 0;
}

/* The second file with one word of the user's text changed: a program that is, mostly, another one. `size` is the
 * length of the user's text, which comes last. */
static void change_preprocessed(const char *text, size_t length, size_t size, unsigned seed) {
  enum { MORE = 256 };
  char *changed = malloc(length + MORE);
  if (!changed) {
    exit(1);
  }
  memcpy(changed, text, length);
  size_t tail = size < length ? size : length, before = length - tail;
  tail = change_word((uint8_t *)changed + before, tail, tail + MORE, seed);
  memory_file_put(MEMORY_FILE_2, changed, before + tail);
  free(changed);
}

static void compare(size_t size, unsigned seed) {
  const char *mismatch;
  if (!preprocess()) {
    translate(MEMORY_FILE_PATH, NULL, &mismatch);
    return;
  }
  tl_front_status status = translate(MEMORY_FILE_PATH, MEMORY_FILE_2_PATH, &mismatch);
  if (mismatch) { /* right where a header or an attribute is one compiler's alone */
    fprintf(stderr, "mismatch: %s\n", mismatch);
  }
  if (status != TL_FRONT_TRANSLATED) {
    return;
  }
  tl_arena arena;
  tl_arena_init(&arena);
  size_t length;
  const char *text = tl_path_read(&arena, MEMORY_FILE_2_PATH, &length);
  for (unsigned i = 0; text && i < 2; i++) {
    change_preprocessed(text, length, size, seed + i);
    translate(MEMORY_FILE_PATH, MEMORY_FILE_2_PATH, &mismatch);
  }
  tl_arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 8192 || memchr(data, 0, size)) {
    return 0;
  }
  unsigned seed = 2166136261u;
  for (size_t i = 0; i < size; i++) {
    seed = (seed ^ data[i]) * 16777619u;
  }
  memory_file_put(MEMORY_FILE, data, size);
  compare(size, seed);
  close(MEMORY_FILE);
  close(MEMORY_FILE_2);
  return 0;
}

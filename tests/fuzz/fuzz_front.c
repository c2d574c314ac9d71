/* C, mutated by words, through the whole translation in one process: libclang, lowering, derivation, emission, dump.
 * What is refused must have a diagnostic; nothing may crash. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "front.h"

static const char *include_arg(void) {
  static char arg[4096];
  const char *dir = getenv("TL_FUZZ_INCLUDE"); /* the folder that holds tlaloc/grad.h */
  snprintf(arg, sizeof arg, "-I%s", dir ? dir : "include");
  return arg;
}

static void translate(const char *path) {
  tl_arena arena;
  tl_arena_init(&arena);
  front_opts opts = {.file = path, .read = path, .out = "/dev/null", .generated = "/dev/null"};
  TL_PUSH(&arena, opts.dump_source, "/dev/null");
  TL_PUSH(&arena, opts.cc_args, include_arg());
  FILE *messages = fopen("/dev/null", "w");
  if (!messages) {
    exit(1);
  }
  front f = {.arena = &arena, .opts = &opts, .messages = messages};
  tl_diag_init(&f.diag, &arena);
  tl_front_status status = front_run(&f);
  if (status == TL_FRONT_FAILED && f.diag.errors == 0) {
    abort();
  }
  for (uint32_t i = 0; i < f.diag.items.count; i++) {
    if (f.diag.items.data[i].code == TL_INTERNAL_ERROR || f.diag.items.data[i].code == TL_IR_INVALID) {
      abort();
    }
  }
  fclose(messages);
  tl_arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 8192 || memchr(data, 0, size)) {
    return 0;
  }
  int fd = memfd_create("fuzz", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
    exit(1);
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (!setjmp(recovery.jump)) {
    translate(path);
    tl__recovery_leave(&recovery);
  }
  close(fd);
  return 0;
}

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

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  if (size < 16 || seed % 16 == 0) {
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max_size) : size;
  }
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

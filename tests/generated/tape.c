#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

void gen_set(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text, size, format, args);
  va_end(args);
}

void gen_tape_init(gen_tape *t, uint64_t seed) {
  *t = (gen_tape){.state = seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u};
}

void gen_tape_init_replay(gen_tape *t, const uint32_t *data, size_t count) {
  *t = (gen_tape){.replays = true, .count = count, .capacity = count};
  t->data = malloc((count + 1) * sizeof *data);
  memcpy(t->data, data, count * sizeof *data);
}

void gen_tape_deinit(gen_tape *t) { free(t->data); }

/* splitmix64 */
static uint64_t next(gen_tape *t) {
  uint64_t z = t->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint32_t gen_tape_pick(gen_tape *t, uint32_t n) {
  if (t->replays) {
    uint32_t v = t->at < t->count ? t->data[t->at] : 0;
    t->at++;
    return n ? v % n : 0;
  }
  if (t->count == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 256;
    t->data = realloc(t->data, t->capacity * sizeof *t->data);
  }
  uint32_t v = (uint32_t)((next(t) >> 32) * (n ? n : 1) >> 32);
  t->data[t->count++] = v;
  t->at++;
  return v;
}

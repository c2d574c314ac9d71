#include "base/arena.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

struct tl_arena_block {
  tl_arena_block *older;
  tl_arena_watch *watch;           /* that noted it; NULL: none */
  tl_arena_block *next, *previous; /* of that watch */
  size_t used, size;
  _Alignas(max_align_t) unsigned char bytes[];
};

enum { FIRST_BLOCK_BYTES = 16 * 1024, LARGEST_BLOCK_BYTES = 1024 * 1024, ALIGNMENT = _Alignof(max_align_t) };

static _Thread_local tl_arena_watch *innermost;

void tl_arena_watch_begin(tl_arena_watch *w) {
  w->blocks = NULL;
  w->outer = innermost;
  innermost = w;
}

void tl_arena_watch_end(tl_arena_watch *w, bool free_blocks) {
  for (tl_arena_block *b = w->blocks, *next; b; b = next) {
    next = b->next;
    b->watch = NULL;
    if (free_blocks) {
      tl__free(b);
    }
  }
  innermost = w->outer;
}

static void note(tl_arena_block *b) {
  b->watch = innermost;
  if (innermost) {
    b->previous = NULL;
    b->next = innermost->blocks;
    if (b->next) {
      b->next->previous = b;
    }
    innermost->blocks = b;
  }
}

static void forget(tl_arena_block *b) {
  if (!b->watch) {
    return;
  }
  if (b->next) {
    b->next->previous = b->previous;
  }
  if (b->previous) {
    b->previous->next = b->next;
  } else {
    b->watch->blocks = b->next;
  }
}

void tl_arena_init(tl_arena *a) {
  a->block = a->spare = NULL;
  a->block_bytes = FIRST_BLOCK_BYTES;
}

static void free_block(tl_arena_block *b) {
  forget(b);
  tl__free(b);
}

void tl_arena_deinit(tl_arena *a) {
  tl_arena_rewind(a, (tl_arena_mark){NULL, 0});
  for (tl_arena_block *b = a->spare, *older; b; b = older) {
    older = b->older;
    free_block(b);
  }
  a->spare = NULL;
  a->block_bytes = FIRST_BLOCK_BYTES;
}

/* A spare block of that size, taken from the list; NULL where there is none. */
static tl_arena_block *take_spare(tl_arena *a, size_t bytes) {
  for (tl_arena_block **at = &a->spare; *at; at = &(*at)->older) {
    tl_arena_block *b = *at;
    if (b->size >= bytes) {
      *at = b->older;
      return b;
    }
  }
  return NULL;
}

static tl_arena_block *new_block(tl_arena *a, size_t bytes) {
  size_t size = a->block_bytes;
  if (a->block_bytes < LARGEST_BLOCK_BYTES) {
    a->block_bytes *= 2;
  }
  if (size < bytes) {
    size = bytes;
  }
  tl_arena_block *b = tl__alloc(sizeof *b + size);
  b->size = size;
  note(b);
  return b;
}

void *tl_arena_alloc(tl_arena *a, size_t bytes) {
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  tl_arena_block *b = a->block;
  if (!b || b->size - b->used < bytes) {
    b = take_spare(a, bytes);
    b = b ? b : new_block(a, bytes);
    b->older = a->block;
    b->used = 0;
    a->block = b;
  }
  void *p = b->bytes + b->used;
  b->used += bytes;
  return memset(p, 0, bytes);
}

void *tl_arena_grow(tl_arena *a, void *old, size_t old_bytes, size_t new_bytes) {
  void *p = tl_arena_alloc(a, new_bytes);
  if (old_bytes) {
    memcpy(p, old, old_bytes);
  }
  return p;
}

char *tl_arena_strndup(tl_arena *a, const char *s, size_t length) {
  char *p = tl_arena_alloc(a, length + 1);
  memcpy(p, s, length);
  return p;
}

char *tl_arena_strdup(tl_arena *a, const char *s) { return tl_arena_strndup(a, s, strlen(s)); }

char *tl_arena_vprintf(tl_arena *a, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  char *p = tl_arena_alloc(a, (size_t)length + 1);
  vsnprintf(p, (size_t)length + 1, format, again);
  va_end(again);
  return p;
}

char *tl_arena_printf(tl_arena *a, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *p = tl_arena_vprintf(a, format, args);
  va_end(args);
  return p;
}

tl_arena_mark tl_arena_get_mark(const tl_arena *a) { return (tl_arena_mark){a->block, a->block ? a->block->used : 0}; }

void tl_arena_rewind(tl_arena *a, tl_arena_mark mark) {
  while (a->block != mark.block) {
    tl_arena_block *b = a->block;
    a->block = b->older;
#ifdef __SANITIZE_ADDRESS__ /* which finds uses of what is freed */
    free_block(b);
#else
    b->older = a->spare;
    a->spare = b;
#endif
  }
  if (a->block) {
#ifndef NDEBUG
    memset(a->block->bytes + mark.used, 0xdd, a->block->used - mark.used);
#endif
    a->block->used = mark.used;
  }
}

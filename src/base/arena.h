/* Bump arenas. One thread at a time. Memory comes zeroed and lives until the arena is rewound past it or dropped. */
#ifndef TL_BASE_ARENA_H
#define TL_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct tl_arena_block tl_arena_block;

typedef struct tl_arena {
  tl_arena_block *block; /* newest first */
  tl_arena_block *spare; /* rewound past, to be used again: fresh pages cost more than what passes do with them */
  size_t block_bytes;
} tl_arena;

typedef struct tl_arena_mark {
  tl_arena_block *block;
  size_t used;
} tl_arena_mark;

void tl_arena_init(tl_arena *);
void tl_arena_deinit(tl_arena *);
/* Never NULL; exhaustion jumps to the recovery point of base/alloc.h. Aligned for every type. */
void *tl_arena_alloc(tl_arena *, size_t bytes);
/* Grows the array at `old`, of which `old_bytes` are kept; the rest of the result is zero. */
void *tl_arena_grow(tl_arena *, void *old, size_t old_bytes, size_t new_bytes);
char *tl_arena_strndup(tl_arena *, const char *, size_t length);
char *tl_arena_strdup(tl_arena *, const char *);
char *tl_arena_printf(tl_arena *, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *tl_arena_vprintf(tl_arena *, const char *format, va_list);
tl_arena_mark tl_arena_get_mark(const tl_arena *);
/* Frees everything allocated after the mark; debug builds poison it. Its blocks stay with the arena. */
void tl_arena_rewind(tl_arena *, tl_arena_mark);

/* The blocks that arenas of this thread allocate while the innermost watch stands: so that where a failed allocation
 * jumps over the owners of arenas, what these held can be freed. At the end they stay with their arenas, or all are
 * freed, and an arena that is left is initialised anew. */
typedef struct tl_arena_watch {
  tl_arena_block *blocks;
  struct tl_arena_watch *outer;
} tl_arena_watch;
void tl_arena_watch_begin(tl_arena_watch *);
void tl_arena_watch_end(tl_arena_watch *, bool free_blocks);

#define TL_NEW(arena, type) ((type *)tl_arena_alloc((arena), sizeof(type)))
#define TL_NEW_ARRAY(arena, type, count) ((type *)tl_arena_alloc((arena), sizeof(type) * (size_t)(count)))

#endif

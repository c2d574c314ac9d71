/* The one allocator, and the recovery point of compile-time code for its exhaustion.
 *
 * tl__alloc and tl__realloc never return NULL for a positive size: when memory runs out (or the test hook says
 * so) they jump to the innermost recovery point of this thread, which frees its arenas and returns a status. No
 * file, lock or child process may be held across that boundary. */
#ifndef TL_BASE_ALLOC_H
#define TL_BASE_ALLOC_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tl_recovery {
  jmp_buf jump;
  struct tl_recovery *outer;
} tl_recovery;

/* Usage: tl_recovery r; tl__recovery_enter(&r); if (setjmp(r.jump)) { ...out of memory... } ... tl__recovery_leave(&r);
 * The jump leaves the recovery point itself. */
void tl__recovery_enter(tl_recovery *);
void tl__recovery_leave(tl_recovery *);
/* Jumps to the innermost recovery point: for code that was jumped to, has freed what is its own and hands the failure
 * on. */
_Noreturn void tl__recovery_raise(void);

void *tl__alloc(size_t bytes);
void *tl__realloc(void *, size_t bytes);
void tl__free(void *);

/* The same for code of the run time, which never jumps: NULL where memory runs out. */
void *tl__alloc_try(size_t bytes);
void *tl__realloc_try(void *, size_t bytes);

/* Makes the n-th allocation from now on fail (1 is the next one); 0 turns the hook off. */
void tl__alloc_fail_at(uint64_t n);

#endif

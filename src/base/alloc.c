#define _DEFAULT_SOURCE
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static _Thread_local tl_recovery *innermost;
static _Thread_local uint64_t allocations;
static _Thread_local uint64_t fail_at;

void tl__recovery_enter(tl_recovery *r) {
  r->outer = innermost;
  innermost = r;
}

void tl__recovery_leave(tl_recovery *r) { innermost = r->outer; }

_Noreturn void tl__recovery_raise(void) {
  tl_recovery *r = innermost;
  if (!r) {
    fputs("tlaloc: out of memory\n", stderr);
    abort(); /* a caller without a recovery point is a fault of ours */
  }
  innermost = r->outer;
  longjmp(r->jump, 1);
}

/* Pages of 2 MiB where that many bytes are a few of them: most of the time of an op on large new tensors is that of the
 * faults of its pages. A request, so its failure is no error. */
static void ask_for_large_pages(void *p, size_t bytes) {
  const uintptr_t page = 4096, few = (uintptr_t)1 << 22;
  if (p && bytes >= few) {
    uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1);
    (void)madvise((void *)from, bytes - (from - (uintptr_t)p), MADV_HUGEPAGE);
  }
}

void *tl__alloc_try(size_t bytes) {
  if (++allocations == fail_at) {
    return NULL;
  }
  void *p = malloc(bytes ? bytes : 1);
  ask_for_large_pages(p, bytes);
  return p;
}

void *tl__realloc_try(void *old, size_t bytes) {
  return ++allocations == fail_at ? NULL : realloc(old, bytes ? bytes : 1);
}

void *tl__alloc(size_t bytes) {
  void *p = tl__alloc_try(bytes);
  if (!p) {
    tl__recovery_raise();
  }
  return p;
}

void *tl__realloc(void *old, size_t bytes) {
  void *p = tl__realloc_try(old, bytes);
  if (!p) {
    tl__recovery_raise();
  }
  return p;
}

void tl__free(void *p) { free(p); }

void tl__alloc_fail_at(uint64_t n) {
  allocations = 0;
  fail_at = n;
}

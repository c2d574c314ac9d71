#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

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

void *tl__alloc_try(size_t bytes) { return ++allocations == fail_at ? NULL : malloc(bytes ? bytes : 1); }

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

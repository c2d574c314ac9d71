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

static void count_allocation(void) {
  if (++allocations == fail_at) {
    tl__recovery_raise();
  }
}

void *tl__alloc(size_t bytes) {
  count_allocation();
  void *p = malloc(bytes ? bytes : 1);
  if (!p) {
    tl__recovery_raise();
  }
  return p;
}

void *tl__realloc(void *old, size_t bytes) {
  count_allocation();
  void *p = realloc(old, bytes ? bytes : 1);
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

/* What the IR tests share: a module with a sink, text of a module, messages. Include after the standard headers. */
#ifndef TL_TESTS_IR_TESTING_H
#define TL_TESTS_IR_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "ir/ir.h"

typedef struct bench {
  tl_arena arena;
  tl_diag diag;
  tl_module *module;
} bench;

static inline void bench_open(bench *b) {
  tl_arena_init(&b->arena);
  tl_diag_init(&b->diag, &b->arena);
  b->module = tl_module_create(&b->arena, &b->diag);
}

static inline void bench_close(bench *b) { tl_arena_deinit(&b->arena); }

/* Prints the messages where there are any, so that a failing test says why. */
static inline void bench_show(const bench *b) {
  for (uint32_t i = 0; i < b->diag.items.count; i++) {
    const tl_diag_item *d = &b->diag.items.data[i];
    print_message("%s:%u:%u: %s\n", d->loc.file ? d->loc.file : "-", d->loc.line, d->loc.column, d->message);
  }
}

static inline tl_status bench_parse(bench *b, const char *text) {
  return tl_module_parse(b->module, "test.tlir", text, strlen(text));
}

static inline void bench_read(bench *b, const char *text) {
  tl_status parsed = bench_parse(b, text), valid = parsed == TL_OK ? tl_module_verify(b->module) : parsed;
  if (valid != TL_OK) {
    bench_show(b);
  }
  assert_int_equal(parsed, TL_OK);
  assert_int_equal(valid, TL_OK);
}

/* malloc'd. */
static inline char *module_text(const tl_module *m) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  tl_module_print(m, out);
  fclose(out);
  return text;
}

/* The value called `name` that is defined last; fails the test where there is none. */
static inline tl_value value_called(const tl_func *f, const char *name) {
  for (tl_value v = f->values.count; v-- > 1;) {
    if (tl_info(f, v)->name && !strcmp(tl_info(f, v)->name, name)) {
      return v;
    }
  }
  fail_msg("no value is called %s", name);
  return TL_NO_VALUE;
}

#endif

/* Who gives up a tensor that nobody retained: the innermost scope of the thread that an op returned it on. */
#include <pthread.h>

#include "base/alloc.h"
#include "tensor/tensor_priv.h"

struct tl_scope_object {
  tl_scope outer;
  tl_tensor *items;
  size_t count, room;
};

/* The thread's root scope has no outer one. Its end is the thread's, by the destructor of a key. */
static _Thread_local struct tl_scope_object root;
static _Thread_local tl_scope innermost;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release_items(tl_scope s) {
  /* From the last on: a view goes before what it is a view of. */
  while (s->count) {
    tl_release(s->items[--s->count]);
  }
  tl__free(s->items);
  s->items = NULL;
  s->room = 0;
}

static void end_thread(void *scope) {
  (void)scope;
  while (innermost != &root) {
    tl_scope_close(innermost);
  }
  release_items(&root);
  innermost = NULL;
}

static void make_key(void) { pthread_key_create(&key, end_thread); }

/* The innermost scope; NULL where the thread's end could not be arranged for. */
static tl_scope current(void) {
  if (!innermost) {
    pthread_once(&once, make_key);
    if (pthread_setspecific(key, &root) != 0) {
      return NULL;
    }
    innermost = &root;
  }
  return innermost;
}

static bool add(tl_scope s, tl_tensor t) {
  if (s->count == s->room) {
    size_t room = s->room ? 2 * s->room : 16;
    tl_tensor *items = tl__realloc_try(s->items, room * sizeof *items);
    if (!items) {
      return false;
    }
    s->items = items;
    s->room = room;
  }
  s->items[s->count++] = t;
  return true;
}

tl_tensor tl__scope_add(tl_tensor t) {
  tl_scope s = current();
  if (!s || !add(s, t)) {
    tl_release(t);
    return NULL;
  }
  return t;
}

tl_scope tl_scope_open(void) {
  tl_scope outer = current(), s = outer ? tl__alloc_try(sizeof *s) : NULL;
  if (s) {
    *s = (struct tl_scope_object){.outer = outer};
    innermost = s;
  }
  return s;
}

void tl_scope_close(tl_scope scope) {
  for (bool found = !scope; !found && innermost != &root;) {
    tl_scope s = innermost;
    found = s == scope;
    innermost = s->outer;
    release_items(s);
    tl__free(s);
  }
}

void tl__scope_drop(tl_scope s, tl_tensor t) {
  for (size_t i = s->count; i-- > 0;) {
    if (s->items[i] == t) {
      s->items[i] = s->items[--s->count];
      tl_release(t);
      return;
    }
  }
}

tl_tensor tl_scope_keep(tl_scope scope, tl_tensor t) {
  if (!scope || !t || !scope->outer) {
    return t;
  }
  for (size_t i = scope->count; i-- > 0;) {
    if (scope->items[i] == t) {
      if (!add(scope->outer, t)) {
        return NULL; /* the scope goes on owning it */
      }
      scope->items[i] = scope->items[--scope->count];
      return t;
    }
  }
  if (!add(scope->outer, t)) {
    return NULL;
  }
  return tl_retain(t);
}

tl_tensor tl__scope_leave(tl_scope scope, tl_tensor out) {
  out = tl_scope_keep(scope, out);
  tl_scope_close(scope);
  return out;
}

tl_tensor tl_scope_carry(tl_scope scope, tl_tensor next, tl_tensor last) {
  next = tl_scope_keep(scope, next);
  if (scope && last) {
    tl__scope_drop(scope->outer, last);
  }
  return next;
}

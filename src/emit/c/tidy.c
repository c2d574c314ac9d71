/* Tidying of finished statements. The plan keeps what the IR needs; here goes what turns out to be assigned but never
 * read once copies between variables have vanished. */
#include <ctype.h>
#include <string.h>

#include "emit/c/internal.h"

static const char *find_word(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *s = strstr(text, word); s; s = strstr(s + 1, word)) {
    bool starts = s == text || !(tl__c_in_word(s[-1]) || s[-1] == '.' || s[-1] == '>');
    if (starts && !tl__c_in_word(s[n])) {
      return s;
    }
  }
  return NULL;
}

bool tl__c_has_word(const char *text, const char *word) { return find_word(text, word) != NULL; }

bool tl__c_block_has(const tl__c_block *b, const char *word) {
  for (uint32_t i = 0; i < b->count; i++) {
    const tl__c_stmt *s = b->data[i];
    if ((s->kind != TL__COMMENT && s->text && tl__c_has_word(s->text, word)) || tl__c_block_has(&s->body, word) ||
        tl__c_block_has(&s->otherwise, word)) {
      return true;
    }
  }
  return false;
}

/* ---- how often each identifier is read ---- */

typedef struct word {
  const char *text;
  size_t length;
  uint32_t count, declared;
} word;

typedef struct words {
  tl_arena *arena;
  word *table;
  uint32_t size, used; /* size is a power of two */
} words;

static uint32_t hash(const char *s, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++) {
    h = (h ^ (unsigned char)s[i]) * 16777619u;
  }
  return h;
}

static word *find(words *w, const char *s, size_t n) {
  if (2 * (w->used + 1) > w->size) {
    word *old = w->table;
    uint32_t old_size = w->size;
    w->size = w->size ? 2 * w->size : 256;
    w->table = TL_NEW_ARRAY(w->arena, word, w->size);
    w->used = 0;
    for (uint32_t i = 0; i < old_size; i++) {
      if (old[i].text) {
        *find(w, old[i].text, old[i].length) = old[i];
      }
    }
  }
  uint32_t i = hash(s, n) & (w->size - 1);
  while (w->table[i].text && (w->table[i].length != n || memcmp(w->table[i].text, s, n))) {
    i = (i + 1) & (w->size - 1);
  }
  if (!w->table[i].text) {
    w->table[i] = (word){.text = s, .length = n};
    w->used++;
  }
  return &w->table[i];
}

static void count_words(words *w, const char *text, uint32_t by) {
  while (text && *text) {
    if (isalpha((unsigned char)*text) || *text == '_') {
      size_t n = 1;
      while (tl__c_in_word(text[n])) {
        n++;
      }
      find(w, text, n)->count += by;
      text += n;
    } else {
      text++;
    }
  }
}

static const char *read_text(const tl__c_stmt *s) {
  return s->kind == TL__COMMENT ? NULL : s->defines ? s->reads : s->text;
}

/* It declares what it defines, as against a later assignment. */
static bool declares(const tl__c_stmt *s) {
  size_t n = s->defines ? strlen(s->defines) : 0;
  bool fills = !strncmp(s->text, "memset(", 7) || !strncmp(s->text, "memcpy(", 7);
  return n && !fills && (strncmp(s->text, s->defines, n) || tl__c_in_word(s->text[n]));
}

/* "type name = ...", in a loop's head too, and "type name;". */
static void count_declaration(words *w, const char *text) {
  const char *end = strstr(text, " = ");
  if (!end && !strpbrk(text, "()")) {
    end = strchr(text, ';');
  }
  const char *row = end ? strstr(text, " (*") : NULL; /* "double (*x)[3] = ..." */
  if (row && row < end) {
    end = strchr(row, ')');
  }
  const char *start = end;
  while (start && start > text && tl__c_in_word(start[-1])) {
    start--;
  }
  if (start && start < end && start > text && (start[-1] == ' ' || start[-1] == '*')) {
    find(w, start, (size_t)(end - start))->declared++;
  }
}

static void count_block(words *w, const tl__c_block *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const tl__c_stmt *s = b->data[i];
    count_words(w, read_text(s), 1);
    if (declares(s)) {
      find(w, s->defines, strlen(s->defines))->declared++;
    } else if (s->kind == TL__LINE || (s->kind == TL__BRACED && !strncmp(s->text, "for (", 5))) {
      count_declaration(w, s->text);
    }
    count_block(w, &s->body);
    count_block(w, &s->otherwise);
  }
}

static bool is_read(const tl__c_block *b, uint32_t from, const char *name) {
  for (uint32_t i = from; i < b->count; i++) {
    const char *text = read_text(b->data[i]);
    if ((text && tl__c_has_word(text, name)) || is_read(&b->data[i]->body, 0, name) ||
        is_read(&b->data[i]->otherwise, 0, name)) {
      return true;
    }
  }
  return false;
}

static void blank(tl__c_stmt *s) {
  s->kind = TL__COMMENT;
  s->text = "";
  s->defines = s->place = NULL;
}

/* The statement becomes nothing. */
static void drop(words *w, tl__c_stmt *s) {
  count_words(w, read_text(s), UINT32_MAX); /* one less */
  blank(s);
}

static void drop_assignments(words *w, tl__c_block *b, uint32_t from, const char *name) {
  for (uint32_t i = from; i < b->count; i++) {
    tl__c_stmt *s = b->data[i];
    if (s->defines && !strcmp(s->defines, name)) {
      drop(w, s);
    }
    drop_assignments(w, &s->body, 0, name);
    drop_assignments(w, &s->otherwise, 0, name);
  }
}

static bool only_comments(const tl__c_block *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    if (b->data[i]->kind != TL__COMMENT) {
      return false;
    }
  }
  return true;
}

/* An `if` or a counted loop around nothing. */
static bool does_nothing(const tl__c_stmt *s) {
  return s->kind == TL__BRACED && only_comments(&s->body) && only_comments(&s->otherwise) && (s->is_if || s->counted);
}

static bool sweep(words *w, tl__c_block *b) {
  bool changed = false;
  for (uint32_t i = 0; i < b->count; i++) {
    tl__c_stmt *s = b->data[i];
    changed |= sweep(w, &s->body);
    changed |= sweep(w, &s->otherwise);
    if (does_nothing(s)) {
      drop(w, s);
      changed = true;
    } else if (s->defines) {
      const word *name = find(w, s->defines, strlen(s->defines));
      bool unread = !name->count;
      if (!unread && name->declared > 1 && declares(s) &&
          !is_read(b, i + 1, s->defines)) { /* others have that name elsewhere */
        drop_assignments(w, b, i + 1, s->defines);
        unread = true;
      }
      if (unread) {
        drop(w, s);
        changed = true;
      }
    }
  }
  return changed;
}

/* What was dropped, and comments that nothing follows. */
static void sweep_comments(tl__c_block *b) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    if (b->data[i]->kind != TL__COMMENT || *b->data[i]->text) {
      b->data[n++] = b->data[i];
    }
  }
  b->count = n;
  n = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    tl__c_stmt *s = b->data[i];
    sweep_comments(&s->body);
    sweep_comments(&s->otherwise);
    if (s->kind != TL__COMMENT || (*s->text && i + 1 < b->count && b->data[i + 1]->kind != TL__COMMENT)) {
      b->data[n++] = s;
    }
  }
  b->count = n;
  for (uint32_t i = 0; i < n; i++) { /* nothing but an else */
    tl__c_stmt *s = b->data[i];
    if (s->is_if && !s->body.count && s->otherwise.count && s->opposite) {
      s->text = s->opposite;
      s->body = s->otherwise;
      s->otherwise.count = 0;
    }
  }
}

/* An element whose indices read no memory. */
static bool is_plain_place(const char *place) {
  int depth = 0;
  bool is_plain = isalpha((unsigned char)*place) || *place == '_';
  for (; *place && is_plain; place++) {
    depth += (*place == '[') - (*place == ']');
    bool follows = *place == '.' || !strncmp(place, "->", 2) || !strncmp(place, "(*", 2);
    is_plain = depth < 2 && !(depth && follows);
  }
  return is_plain;
}

/* Where the value is in "double x = y;" or "x = y;" of that variable; NULL where the statement is none. */
static const char *defined_value(const tl__c_stmt *s, const char *variable) {
  if (s->kind != TL__LINE || !s->defines || strcmp(s->defines, variable)) {
    return NULL;
  }
  const char *value = strstr(s->text, " = ");
  size_t n = strlen(variable);
  bool is_set = value && (size_t)(value - s->text) >= n && !strncmp(value - n, variable, n);
  return is_set && (value - n == s->text || value[-(long)n - 1] == ' ') ? value + 3 : NULL;
}

/* "double x = y;" and "p[i] = x;" are "double x = p[i] = y;", or "p[i] = y;" where nothing else reads x, and "p[i] =
 * x;" and "q[i] = x;" are "q[i] = p[i] = x;". Not "p[(int)x] = x;": that x would be read before it is set. */
static bool join_store(words *w, tl__c_stmt *last, const tl__c_stmt *s, bool is_last_read) {
  bool is_store = last->place != NULL;
  const char *value = is_store ? last->text : defined_value(last, s->stored);
  if (!value || (is_store ? strcmp(last->stored, s->stored) != 0 : tl__c_has_word(s->place, s->stored))) {
    return false;
  }
  int kept = is_last_read ? 0 : (int)(value - last->text);
  last->text = tl_arena_printf(w->arena, "%.*s%s = %s", kept, last->text, s->place, value);
  last->reads = last->text + kept;
  last->defines = kept ? last->defines : NULL;
  last->is_chain = true;
  last->held = s->saves ? last->held : s->place;
  find(w, s->stored, strlen(s->stored))->count--; /* what else s reads is read by `last` now */
  return true;
}

/* t or t_3; term or term_3 where t is the user's. */
static bool has_number_alone(const char *name) {
  size_t n = !strncmp(name, "term", 4) ? 4 : *name == 't';
  return n && !name[n + strspn(name + n, "_0123456789")];
}

/* "double t = p[i] = y;", where only the next statement, at `from` or behind a comment, reads t, is "p[i] = y;", and
 * that reads p[i]. */
static void read_place(words *w, tl__c_block *b, uint32_t from, tl__c_stmt *chain) {
  const char *name = chain->defines;
  if (!name || !chain->held || !has_number_alone(name) || !declares(chain)) {
    return;
  }
  while (from < b->count && b->data[from]->kind == TL__COMMENT) {
    from++;
  }
  tl__c_stmt *next = from < b->count ? b->data[from] : NULL;
  const char *at = next && next->kind == TL__LINE && !next->place ? find_word(next->text, name) : NULL;
  if (!at || find_word(at + 1, name) || is_read(b, from + 1, name)) {
    return;
  }
  chain->text = strstr(chain->text, " = ") + strlen(" = ");
  chain->reads = chain->text;
  chain->defines = NULL;
  next->text =
      tl_arena_printf(w->arena, "%.*s%s%s", (int)(at - next->text), next->text, chain->held, at + strlen(name));
  if (next->defines) {
    next->reads = strchr(next->text, '=') + 1;
  }
}

/* A comment between two statements stays where it is unless the later one stores a saved value, or the variable between
 * them vanishes: then both stand below it. */
static void join_stores(words *w, tl__c_block *b) {
  tl__c_stmt *last = NULL;
  bool is_next = false; /* no comment since */
  for (uint32_t i = 0; i < b->count; i++) {
    tl__c_stmt *s = b->data[i];
    join_stores(w, &s->body);
    join_stores(w, &s->otherwise);
    if (s->kind == TL__COMMENT) {
      is_next = is_next && !*s->text;
      continue;
    }
    bool is_joined = false, is_beside = is_next || s->saves;
    if (last && s->place && is_plain_place(s->place)) {
      const word *name = find(w, s->stored, strlen(s->stored));
      bool is_last_read = declares(last) && (name->declared == 1 ? name->count == 1 : !is_read(b, i + 1, s->stored));
      is_joined = (is_beside || is_last_read) && join_store(w, last, s, is_last_read);
    }
    if (is_joined && is_beside) {
      blank(s);
      read_place(w, b, i + 1, last);
      continue;
    }
    if (is_joined) {
      *s = *last;
      blank(last);
    }
    last = s;
    is_next = true;
  }
}

enum { JOINED_WIDTH = 100 };

/* How long the type is in "double x = y;", with the space after it; 0 where it is no plain arithmetic type. */
static size_t type_length(const tl__c_stmt *s) {
  if (s->kind != TL__LINE || !s->defines || !declares(s) || !strncmp(s->text, "static ", 7)) {
    return 0;
  }
  const char *name = strstr(s->text, s->defines);
  while (name && (name == s->text || name[-1] != ' ')) {
    name = strstr(name + 1, s->defines);
  }
  return name ? (size_t)(name - s->text) : 0;
}

/* Where the value is in "x = 0.0;" or "y[1] = z = 0.0;"; NULL where that is no constant. */
static const char *assigned_constant(const tl__c_stmt *s) {
  if (!s || s->kind != TL__LINE || !s->defines || declares(s)) {
    return NULL;
  }
  const char *at = s->text;
  while (!isdigit((unsigned char)*at) && *at != '-') {
    size_t place = 0;
    while (isalnum((unsigned char)at[place]) || (at[place] && strchr("_[]", at[place]))) {
      place++;
    }
    if (!place || strncmp(at + place, " = ", 3)) {
      return NULL;
    }
    at += place + 3;
  }
  return at == s->text || strpbrk(at, " ([") ? NULL : at;
}

/* "x = 0.0;" and "y = 0.0;" are "x = y = 0.0;" where that is not long. */
static bool join_constants(tl__c_stmt *last, const tl__c_stmt *s, size_t indent, tl_arena *arena) {
  const char *value = assigned_constant(last), *other = value ? assigned_constant(s) : NULL;
  if (!other || strcmp(value, other) || indent + strlen(last->text) + strlen(s->text) > JOINED_WIDTH) {
    return false;
  }
  last->text = tl_arena_printf(arena, "%.*s%s", (int)(value - last->text), last->text, s->text);
  return true;
}

/* A call in it sets variables of ours, which the next declaration reads. */
static bool takes_address(const tl__c_stmt *s) { return strstr(s->text, "(&") || strstr(s->text, ", &"); }

/* "double x = a;" and "double y = b;" are "double x = a, y = b;" where that is not long, and so are declarations
 * without a value. */
static void join_declarations(tl__c_block *b, size_t indent, tl_arena *arena) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    tl__c_stmt *s = b->data[i], *last = n ? b->data[n - 1] : NULL;
    join_declarations(&s->body, indent + 2, arena);
    join_declarations(&s->otherwise, indent + 2, arena);
    size_t type = type_length(s), end = last ? strlen(last->text) : 0;
    if (last && type && type_length(last) == type && !strncmp(s->text, last->text, type) &&
        !strstr(s->text, " = ") == !strstr(last->text, " = ") && s->is_chain == last->is_chain &&
        !takes_address(last) && indent + end + strlen(s->text) - type <= JOINED_WIDTH) {
      last->text = tl_arena_printf(arena, "%.*s, %s", (int)end - 1, last->text, s->text + type);
    } else if (!join_constants(last, s, indent, arena)) {
      b->data[n++] = s;
    }
  }
  b->count = n;
}

#define PLACE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[].->"

/* Nothing but "x[i] = 0.0;" and loops around such: these may run in any order. */
static bool only_sets_constants(const tl__c_block *b) {
  for (uint32_t i = 0; i < b->count; i++) {
    const tl__c_stmt *s = b->data[i];
    if (s->kind == TL__BRACED ? s->is_if || !s->counted || !only_sets_constants(&s->body) : s->kind != TL__LINE) {
      return false;
    }
    if (s->kind == TL__LINE) {
      const char *value = strstr(s->text, " = ");
      bool is_nan = value && strstr(value, "NAN;");
      if (!value || strspn(s->text, PLACE) < (size_t)(value - s->text) ||
          !(is_nan || (isdigit((unsigned char)value[3]) && !strpbrk(value + 3, " ([")))) {
        return false;
      }
    }
  }
  return b->count > 0;
}

/* Loops next to each other with one head become one where all that they do is set elements to constants. */
static void join_loops(tl__c_block *b, tl_arena *arena) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    tl__c_stmt *s = b->data[i], *last = n ? b->data[n - 1] : NULL;
    bool joins = last && s->kind == TL__BRACED && last->kind == TL__BRACED && s->counted && last->counted &&
                 !strcmp(s->text, last->text) && only_sets_constants(&s->body) && only_sets_constants(&last->body);
    if (joins) {
      for (uint32_t k = 0; k < s->body.count; k++) {
        TL_PUSH(arena, last->body, s->body.data[k]);
      }
    } else {
      b->data[n++] = s;
    }
  }
  b->count = n;
  for (uint32_t i = 0; i < n; i++) {
    join_loops(&b->data[i]->body, arena);
    join_loops(&b->data[i]->otherwise, arena);
  }
}

void tl__c_block_tidy(tl__c_block *b, tl_arena *arena) {
  words w = {.arena = arena};
  count_block(&w, b);
  while (sweep(&w, b)) {
  }
  join_stores(&w, b);
  sweep_comments(b);
  join_loops(b, arena);
  join_declarations(b, 2, arena);
}

#include "scan.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool first_visit(tl_scan *s, const struct stat *st) {
  if (2 * (s->seen_count + 1) > s->seen_room) {
    struct tl_scan_seen *old = s->seen;
    uint32_t old_room = s->seen_room;
    s->seen_room = old_room ? 2 * old_room : 64;
    s->seen = TL_NEW_ARRAY(s->arena, struct tl_scan_seen, s->seen_room);
    s->seen_count = 0;
    for (uint32_t i = 0; i < old_room; i++) {
      if (old[i].inode) {
        struct stat again = {.st_dev = old[i].device, .st_ino = old[i].inode};
        first_visit(s, &again);
      }
    }
  }
  uint32_t at = (uint32_t)(st->st_ino * 2654435761u) & (s->seen_room - 1);
  for (; s->seen[at].inode; at = (at + 1) & (s->seen_room - 1)) {
    if (s->seen[at].inode == st->st_ino && s->seen[at].device == st->st_dev) {
      return false;
    }
  }
  s->seen[at] = (struct tl_scan_seen){st->st_dev, st->st_ino};
  s->seen_count++;
  return true;
}

/* The headers that mean something to the front, and their guards. */
static const struct {
  const char *name, *guard;
} ours[] = {{"grad.h", "TLALOC_GRAD_H"},
            {"tensor.h", "TLALOC_TENSOR_H"},
            {"nn_ops.h", "TLALOC_NN_OPS_H"},
            {"array_ops.h", "TLALOC_ARRAY_OPS_H"}};

static const char *guard_of(const char *base) {
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
    if (strcmp(base, ours[i].name) == 0) {
      return ours[i].guard;
    }
  }
  return NULL;
}

/* NULL where it cannot be opened or was read before. */
static const char *read_once(tl_scan *s, const char *path, size_t *out_length, bool *out_exists) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  *out_exists = fd >= 0;
  if (fd < 0) {
    return NULL;
  }
  struct stat st;
  char *text = NULL;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && first_visit(s, &st)) {
    size_t size = (size_t)st.st_size, length = 0;
    text = tl_arena_alloc(s->arena, size + 1);
    for (ssize_t got; length < size && (got = read(fd, text + length, size - length)) > 0;) {
      length += (size_t)got;
    }
    *out_length = length;
  }
  close(fd);
  return text;
}

/* A header of ours that was found under another name than tlaloc/..., through -I.../tlaloc, tells itself by its
 * guard. */
static bool scan_path(tl_scan *s, const char *path, bool *out_exists) {
  size_t length;
  const char *text = read_once(s, path, &length, out_exists);
  if (!text) {
    return false;
  }
  const char *guard = guard_of(tl_path_base(path));
  if (guard && strstr(text, guard)) {
    return true;
  }
  return tl_scan_text(s, text, length, tl_path_dir(s->arena, path));
}

/* #include_next may mean any of the later directories: all are read. */
static bool scan_include(tl_scan *s, const char *name, bool quoted, bool next, const char *dir) {
  if (guard_of(tl_path_base(name))) {
    const char *parent = tl_path_dir(s->arena, name);
    size_t n = strlen(parent);
    if (n >= 7 && strcmp(parent + n - 7, "tlaloc/") == 0) {
      return true;
    }
  }
  bool exists;
  if (name[0] == '/') {
    return scan_path(s, name, &exists);
  }
  if (quoted && !next) {
    bool found = scan_path(s, tl_arena_printf(s->arena, "%s%s", dir, name), &exists);
    if (exists) {
      return found;
    }
  }
  for (uint32_t i = 0; i < s->cmdline->include_dirs.count; i++) {
    tl_include_dir d = s->cmdline->include_dirs.data[i];
    if (d.quote_only && !quoted) {
      continue;
    }
    bool found = scan_path(s, tl_arena_printf(s->arena, "%s/%s", d.path, name), &exists);
    if (found || (exists && !next)) {
      return found;
    }
  }
  return false;
}

static const char *skip_blanks(const char *p, const char *end) {
  while (p < end &&
         (*p == ' ' || *p == '\t' || (*p == '\\' && p + 1 < end && p[1] == '\n') || (*p == '\n' && p[-1] == '\\'))) {
    p++;
  }
  return p;
}

bool tl_scan_text(tl_scan *s, const char *text, size_t length, const char *dir) {
  const char *end = text + length;
  for (const char *p = text; (p = memchr(p, '#', (size_t)(end - p))) != NULL;) {
    p = skip_blanks(p + 1, end);
    static const char directive[] = "include";
    if ((size_t)(end - p) < sizeof directive || memcmp(p, directive, sizeof directive - 1) != 0) {
      continue;
    }
    p += sizeof directive - 1;
    bool next = (size_t)(end - p) > 5 && memcmp(p, "_next", 5) == 0;
    if (next) {
      p += 5;
    }
    p = skip_blanks(p, end);
    if (p == end) {
      break;
    }
    if (*p != '"' && *p != '<') {
      /* A name that a macro gives could be any file. Prose ("#include it") costs one run of the front. */
      if ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z') || *p == '_') {
        return true;
      }
      continue;
    }
    bool quoted = *p == '"';
    const char *name = p + 1;
    const char *close = memchr(name, quoted ? '"' : '>', (size_t)(end - name));
    if (!close || memchr(name, '\n', (size_t)(close - name))) {
      continue;
    }
    if (scan_include(s, tl_arena_strndup(s->arena, name, (size_t)(close - name)), quoted, next, dir)) {
      return true;
    }
    p = close;
  }
  return false;
}

bool tl_scan_file(tl_scan *s, const char *path) {
  bool exists;
  return scan_path(s, path, &exists);
}

bool tl_scan_forced_includes(tl_scan *s) {
  for (uint32_t i = 0; i < s->cmdline->forced_includes.count; i++) {
    if (scan_include(s, s->cmdline->forced_includes.data[i], true, false, "")) {
      return true;
    }
  }
  return false;
}

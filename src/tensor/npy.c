/* NumPy's .npy files: the bytes 93 "NUMPY", a version, the length of a header, the header, which is a dictionary of
 * Python with the keys descr, fortran_order and shape, and the elements. */
#define _DEFAULT_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tensor/tensor_priv.h"

enum { MAGIC = 6, LONGEST = 1 << 16, PREFIX = 64 /* the elements start at a multiple of it */ };
static const unsigned char magic[MAGIC] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Kinds as NumPy writes them; the size follows. */
static const struct {
  tl_dtype dtype;
  const char *name;
} kinds[] = {{TL_BOOL, "b1"}, {TL_I8, "i1"},  {TL_I16, "i2"}, {TL_I32, "i4"}, {TL_I64, "i8"}, {TL_U8, "u1"},
             {TL_U16, "u2"},  {TL_U32, "u4"}, {TL_U64, "u8"}, {TL_F16, "f2"}, {TL_F32, "f4"}, {TL_F64, "f8"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct header {
  tl_dtype dtype;
  bool is_turned;  /* the bytes of an element */
  bool is_fortran; /* the first axis is the closest in memory */
  tl_shape shape;
} header;

/* ---- the dictionary ---- */

typedef struct reader {
  const char *at; /* ends with a zero */
  tl_status status;
  const char *fault;
} reader;

static bool refuse(reader *r, tl_status status, const char *fault) {
  r->status = status;
  r->fault = fault;
  return false;
}

static void skip_space(reader *r) {
  while (isspace((unsigned char)*r->at)) {
    r->at++;
  }
}

static bool take(reader *r, char c) {
  skip_space(r);
  bool found = *r->at == c;
  r->at += found;
  return found;
}

static bool take_word(reader *r, const char *word) {
  size_t length = strlen(word);
  bool found = strncmp(r->at, word, length) == 0 && !isalnum((unsigned char)r->at[length]);
  r->at += found ? length : 0;
  return found;
}

/* A string without escapes, which none of the header's has. */
static bool read_string(reader *r, char out[16]) {
  skip_space(r);
  char quote = *r->at;
  const char *end = quote == '\'' || quote == '"' ? strchr(r->at + 1, quote) : NULL;
  size_t length = end ? (size_t)(end - r->at) - 1 : 0;
  if (!end || length >= 16 || memchr(r->at + 1, '\\', length)) {
    return refuse(r, TL_HEADER_INVALID, "a short string is missing");
  }
  memcpy(out, r->at + 1, length);
  out[length] = 0;
  r->at = end + 1;
  return true;
}

static bool read_descr(reader *r, header *h) {
  char text[16];
  skip_space(r);
  if (*r->at == '[') {
    return refuse(r, TL_DTYPE_UNSUPPORTED, "its elements are records");
  }
  if (!read_string(r, text)) {
    return false;
  }
  const uint16_t probe = 1;
  bool is_little = *(const unsigned char *)&probe == 1, has_order = strchr("<>|=", *text) && *text;
  h->is_turned = (*text == '<' && !is_little) || (*text == '>' && is_little);
  for (int i = 0; i < KINDS; i++) {
    if (strcmp(text + has_order, kinds[i].name) == 0 ||
        (kinds[i].dtype == TL_BOOL && strcmp(text + has_order, "?") == 0)) {
      h->dtype = kinds[i].dtype;
      h->is_turned = h->is_turned && tl_dtype_size(h->dtype) > 1;
      return true;
    }
  }
  return refuse(r, TL_DTYPE_UNSUPPORTED, "its elements are of a type that tensors do not have");
}

static bool read_order(reader *r, header *h) {
  skip_space(r);
  h->is_fortran = take_word(r, "True");
  return h->is_fortran || take_word(r, "False") || refuse(r, TL_HEADER_INVALID, "fortran_order is not True or False");
}

static bool read_shape(reader *r, header *h) {
  if (!take(r, '(')) {
    return refuse(r, TL_HEADER_INVALID, "the shape is no tuple");
  }
  h->shape.rank = 0;
  while (!take(r, ')')) {
    skip_space(r);
    if (!isdigit((unsigned char)*r->at)) {
      return refuse(r, TL_HEADER_INVALID, "an extent is no number");
    }
    if (h->shape.rank == TL_MAX_RANK) {
      return refuse(r, TL_TENSOR_SHAPE_MISMATCH, "it has more axes than a tensor");
    }
    char *end;
    errno = 0;
    h->shape.dim[h->shape.rank++] = strtoll(r->at, &end, 10);
    if (errno) {
      return refuse(r, TL_HEADER_INVALID, "an extent is too large");
    }
    r->at = end + (*end == 'L'); /* Python 2 */
    bool goes_on = take(r, ',');
    skip_space(r);
    if (!goes_on && (*r->at != ')' || h->shape.rank == 1)) {
      return refuse(r, TL_HEADER_INVALID, "the shape is no tuple");
    }
  }
  return true;
}

static bool read_header(reader *r, header *h) {
  static const struct {
    const char *key;
    bool (*read)(reader *, header *);
  } keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
  unsigned found = 0;
  if (!take(r, '{')) {
    return refuse(r, TL_HEADER_INVALID, "its header is no dictionary");
  }
  while (!take(r, '}')) {
    char key[16];
    if (!read_string(r, key)) {
      return false;
    }
    unsigned i = 0;
    while (i < 3 && strcmp(key, keys[i].key) != 0) {
      i++;
    }
    if (i == 3 || found & 1u << i || !take(r, ':')) {
      return refuse(r, TL_HEADER_INVALID, "its header has a key that is not one of the three, or has one twice");
    }
    found |= 1u << i;
    if (!keys[i].read(r, h)) {
      return false;
    }
    skip_space(r);
    if (!take(r, ',') && *r->at != '}') {
      return refuse(r, TL_HEADER_INVALID, "its header is no dictionary");
    }
  }
  skip_space(r);
  return (found == 7 && !*r->at) || refuse(r, TL_HEADER_INVALID, "its header is not the three keys alone");
}

/* ---- loading ---- */

static tl_tensor fail(const char *path, tl_status status, const char *fault) {
  char message[192];
  snprintf(message, sizeof message, "npy_load: %.90s: %.80s", path, fault);
  return tl__tensor_failed(status, message);
}

static void turn(unsigned char *data, size_t bytes, size_t size) {
  for (unsigned char *end = data + bytes; data < end; data += size) {
    for (size_t i = 0; i < size / 2; i++) {
      unsigned char b = data[i];
      data[i] = data[size - 1 - i];
      data[size - 1 - i] = b;
    }
  }
}

/* A bool's byte is 0 or 1 in a tensor. */
static void make_truth(unsigned char *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    data[i] = data[i] != 0;
  }
}

static tl_tensor read_elements(FILE *in, const char *path, const header *h) {
  tl_shape stored = h->shape;
  for (int i = 0; h->is_fortran && i < stored.rank; i++) {
    stored.dim[i] = h->shape.dim[stored.rank - 1 - i];
  }
  tl_shape_rules rules;
  tl_status status = tl__tensor_check(&rules, "shape", h->dtype, stored.rank, stored.dim);
  if (status != TL_OK) {
    return fail(path, status, rules.message);
  }
  size_t size = tl_dtype_size(h->dtype), bytes = size;
  for (int i = 0; i < stored.rank; i++) {
    bytes *= (size_t)stored.dim[i];
  }
  /* Before memory is asked for: the file says of itself how long it is, unless it is a pipe. */
  struct stat s;
  bool has_length = fstat(fileno(in), &s) == 0 && S_ISREG(s.st_mode);
  if (has_length && (uint64_t)(s.st_size - ftello(in)) < bytes) {
    return fail(path, TL_FILE_TRUNCATED, "it ends before its last element");
  }
  tl_tensor t = tl__tensor_create(h->dtype, stored.rank, stored.dim);
  if (!t) {
    return NULL;
  }
  if (fread(t->data, 1, bytes, in) != bytes) {
    return ferror(in) ? fail(path, TL_FILE_UNREADABLE, strerror(errno))
                      : fail(path, TL_FILE_TRUNCATED, "it ends before its last element");
  }
  if (getc(in) != EOF) {
    return fail(path, TL_HEADER_INVALID, "there is more behind the last element");
  }
  if (h->is_turned) {
    turn(t->data, bytes, size);
  }
  if (h->dtype == TL_BOOL) {
    make_truth(t->data, bytes);
  }
  return h->is_fortran ? tl_transpose(t, TL_ALL) : t;
}

static tl_tensor load(FILE *in, const char *path) {
  unsigned char start[MAGIC + 2], length[4] = {0};
  if (fread(start, 1, sizeof start, in) != sizeof start || memcmp(start, magic, MAGIC) != 0) {
    return ferror(in) ? fail(path, TL_FILE_UNREADABLE, strerror(errno))
                      : fail(path, TL_FORMAT_UNKNOWN, "it is no .npy file");
  }
  unsigned version = start[MAGIC];
  if (version < 1 || version > 3 || start[MAGIC + 1] != 0) {
    return fail(path, TL_FORMAT_UNKNOWN, "it is of a version of .npy that is not 1.0, 2.0 or 3.0");
  }
  size_t width = version == 1 ? 2 : 4;
  if (fread(length, 1, width, in) != width) {
    return fail(path, TL_FILE_TRUNCATED, "it ends in its header");
  }
  size_t bytes = length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
  if (bytes >= LONGEST) {
    return fail(path, TL_HEADER_INVALID, "its header is longer than that of any array of numbers");
  }
  char *text = tl__alloc_try(bytes + 1);
  if (!text) {
    return NULL;
  }
  tl_tensor t = NULL;
  if (fread(text, 1, bytes, in) != bytes) {
    t = fail(path, TL_FILE_TRUNCATED, "it ends in its header");
  } else if (memchr(text, 0, bytes)) {
    t = fail(path, TL_HEADER_INVALID, "its header has a zero byte");
  } else {
    text[bytes] = 0;
    header h;
    reader r = {.at = text};
    t = read_header(&r, &h) ? read_elements(in, path, &h) : fail(path, r.status, r.fault);
  }
  tl__free(text);
  return t;
}

tl_status tl_npy_load(const char *path, tl_tensor *out_x) {
  FILE *in = fopen(path, "rb");
  if (!in) {
    *out_x = fail(path, TL_FILE_UNREADABLE, strerror(errno));
  } else {
    *out_x = load(in, path);
    fclose(in);
  }
  return tl_status_of(*out_x);
}

/* ---- saving ---- */

/* Version 1.0: its length has two bytes. */
static size_t write_header(tl_tensor x, const char *kind, char out[512]) {
  const uint16_t probe = 1;
  char order = tl_dtype_size(x->dtype) == 1 ? '|' : *(const unsigned char *)&probe == 1 ? '<' : '>';
  memcpy(out, magic, MAGIC);
  out[MAGIC] = 1;
  out[MAGIC + 1] = 0;
  char *text = out + MAGIC + 4, *at = text;
  at += sprintf(at, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, kind);
  for (int i = 0; i < x->rank; i++) {
    at += sprintf(at, i ? ", %lld" : "%lld", (long long)x->dim[i]);
  }
  at += sprintf(at, x->rank == 1 ? ",), }" : "), }");
  while ((at - out + 1) % PREFIX) {
    *at++ = ' ';
  }
  *at++ = '\n';
  out[MAGIC + 2] = (char)((at - text) & 0xff);
  out[MAGIC + 3] = (char)((at - text) >> 8);
  return (size_t)(at - out);
}

static bool write_all(FILE *out, tl_tensor x, const char *kind) {
  char start[512];
  size_t length = write_header(x, kind, start), bytes = (size_t)x->count * tl_dtype_size(x->dtype);
  return fwrite(start, 1, length, out) == length && fwrite(x->data, 1, bytes, out) == bytes && fflush(out) == 0 &&
         fsync(fileno(out)) == 0;
}

/* To a file beside it, which then takes the name: whoever reads has the old one or the new one, whole. */
static tl_status replace(const char *path, tl_tensor x, const char *kind) {
  size_t room = strlen(path) + 32;
  char *beside = tl__alloc_try(room);
  if (!beside) {
    return TL_OUT_OF_MEMORY;
  }
  int fd = -1;
  for (unsigned n = 0; fd < 0 && n < 100; n++) {
    snprintf(beside, room, "%s.%ld.%u", path, (long)getpid(), n);
    fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) {
      break;
    }
  }
  FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
  bool is_done = out && write_all(out, x, kind);
  if (out) {
    is_done = fclose(out) == 0 && is_done;
  } else if (fd >= 0) {
    close(fd);
  }
  is_done = is_done && rename(beside, path) == 0;
  if (!is_done && fd >= 0) {
    unlink(beside);
  }
  tl__free(beside);
  return is_done ? TL_OK : TL_FILE_UNWRITABLE;
}

tl_status tl_npy_save(const char *path, tl_tensor x) {
  if (tl_status_of(x) != TL_OK) {
    return tl_status_of(x);
  }
  if (x->trace) {
    return TL_TRACED_TENSOR;
  }
  for (int i = 0; i < KINDS; i++) {
    if (kinds[i].dtype == x->dtype) {
      tl_scope scope = tl_scope_open();
      tl_tensor packed = scope ? tl__tensor_packed(x) : NULL;
      tl_status status = packed ? replace(path, packed, kinds[i].name) : TL_OUT_OF_MEMORY;
      tl_scope_close(scope);
      return status;
    }
  }
  return TL_DTYPE_UNSUPPORTED;
}

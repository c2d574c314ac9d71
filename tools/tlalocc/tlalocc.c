/* tlalocc: cc, and before it the translation of the intrinsics of <tlaloc/grad.h>.
 *
 * Each C input that names them is translated by a child, tlaloc-front, into a copy in a private folder; cc then reads
 * the copy in the place of the input. Everything else goes to cc as it came. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/ctext.h"
#include "base/diag_print.h"
#include "driver.h"
#include "explain.h"
#include "files.h"
#include "front_protocol.h"
#include "scan.h"

enum { DEFAULT_TIMEOUT_SECONDS = 120 };

void driver_complain(const driver *d, tl_status code, const char *file, const char *message, const char *note) {
  tl_diag diag;
  tl_diag_init(&diag, d->arena);
  tl_diag_error(&diag, code, (tl_loc){.file = file}, "%s", message);
  if (note) {
    tl_diag_note(&diag, (tl_loc){.file = file}, "%s", note);
  }
  tl_diag_print(&diag, &(tl_diag_print_opts){.json = d->cmdline.json}, stderr);
}

static void find_ourselves(driver *d) {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  path[n > 0 ? n : 0] = '\0';
  d->bin_dir = tl_path_dir(d->arena, path);
  d->include_dir = tl_arena_printf(d->arena, "%s../include", d->bin_dir);
  char *real = realpath(d->include_dir, NULL);
  if (real) {
    d->include_dir = tl_arena_strdup(d->arena, real);
    free(real);
  }
}

/* As the launcher of a compiler that is tlalocc already, it is that compiler. */
static bool find_cc(driver *d) {
  const char *cc = getenv("TLALOCC_CC");
  if (d->launched && !tl_program_is_tlalocc(d->arena, d->launched)) {
    TL_PUSH(d->arena, d->cc, d->launched);
    return true;
  }
  char *words = tl_arena_strdup(d->arena, cc && *cc ? cc : "cc");
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
    TL_PUSH(d->arena, d->cc, word);
  }
  if (!d->cc.count) {
    TL_PUSH(d->arena, d->cc, "cc");
  }
  for (uint32_t i = 0; i < d->cc.count; i++) { /* the second of "ccache gcc" */
    const char *word = d->cc.data[i];
    if (word[0] != '-' && tl_program_is_tlalocc(d->arena, word)) {
      fprintf(stderr, "tlalocc: error: '%s' is tlalocc itself: TLALOCC_CC names the compiler behind tlalocc, as gcc\n",
              word);
      return false;
    }
  }
  return true;
}

static int cannot_start(const char *program, int why) {
  fprintf(stderr, "tlalocc: error: cannot start %s: %s\n", program, strerror(why));
  return 1;
}

/* ---- plain cc ---- */

/* Standard input was read for the scan: the next reader gets it again. */
static bool give_stdin_back(const driver *d) {
  if (!d->stdin_text || lseek(0, 0, SEEK_SET) == 0) {
    return true;
  }
  FILE *f = tl_temp_open(d->arena);
  if (!f) {
    fprintf(stderr, "tlalocc: error: %s\n", tl_temp_complaint(d->arena));
    return false;
  }
  bool ok = fwrite(d->stdin_text, 1, d->stdin_length, f) == d->stdin_length && fflush(f) == 0 &&
            lseek(fileno(f), 0, SEEK_SET) == 0 && dup2(fileno(f), 0) == 0;
  if (!ok) {
    fprintf(stderr, "tlalocc: error: cannot keep standard input in a temporary file: %s\n", strerror(errno));
  }
  return ok;
}

static int exec_plain(driver *d, int argc, char **argv) {
  tl_args words = {0};
  for (uint32_t i = 0; i < d->cc.count; i++) {
    TL_PUSH(d->arena, words, d->cc.data[i]);
  }
  if (d->cmdline.had_own_options) {
    for (uint32_t i = 0; i < d->cmdline.args.count; i++) {
      TL_PUSH(d->arena, words, d->cmdline.args.data[i]);
    }
  } else {
    for (int i = 1; i < argc; i++) {
      TL_PUSH(d->arena, words, argv[i]);
    }
  }
  if (!give_stdin_back(d)) {
    return 1;
  }
  tl_temp_remove_all(); /* nobody is left to do it */
  assert(words.count);
  int why = tl_child_exec(d->arena, &words);
  return cannot_start(words.data[0], why);
}

/* ---- command lines for cc ---- */

/* Behind the user's options, so that their -idirafter come first, and before a "--", behind which all words are inputs.
 */
static void push_last_options(driver *d, const cc_plan *plan, tl_args *args) {
  TL_PUSH(d->arena, *args, "-idirafter");
  TL_PUSH(d->arena, *args, d->include_dir);
  for (uint32_t i = 0; i < plan->extra.count; i++) {
    TL_PUSH(d->arena, *args, plan->extra.data[i]);
  }
}

static const char *input_path(const driver *d, const cc_plan *plan, uint32_t input) {
  if (plan->objects && d->objects[input]) {
    return d->objects[input];
  }
  bool copy = !plan->originals && d->states[input] >= INPUT_TRANSLATED;
  return copy ? d->names[input].temp_file : d->cmdline.inputs.data[input].path;
}

static bool is_utf8(const char *s) {
  for (size_t n; *s; s += n) {
    n = tl_utf8_length(s);
    if (!n) {
      return false;
    }
  }
  return true;
}

tl_args driver_cc_words(driver *d, const cc_plan *plan) {
  const tl_cmdline *c = &d->cmdline;
  tl_args words = {0};
  tl_args args = {0};
  TL_PUSH(d->arena, args, "-D__TLALOCC__=1");
  /* The copy lies elsewhere: its quoted includes are searched where the original lies, before all other places. */
  for (uint32_t i = 0; i < c->inputs.count; i++) {
    if (!plan->originals && !plan->objects && d->states[i] >= INPUT_TRANSLATED &&
        (!plan->only || plan->only == &c->inputs.data[i])) {
      const tl_renaming *n = &d->names[i];
      if (!is_utf8(n->user_file)) {
        TL_PUSH(d->arena, args, "-Wno-invalid-source-encoding"); /* clang's, of our #line; gcc has none */
      }
      TL_PUSH(d->arena, args, "-iquote");
      TL_PUSH(d->arena, args, *n->user_folder ? n->user_folder : ".");
      TL_PUSH(d->arena, args, tl_arena_printf(d->arena, "-ffile-prefix-map=%s=%s", n->temp_folder, n->user_folder));
      if (!plan->only) {
        for (uint32_t k = i + 1; k < c->inputs.count; k++) {
          if (d->states[k] >= INPUT_TRANSLATED) {
            TL_PUSH(d->arena, args,
                    tl_arena_printf(d->arena, "-ffile-prefix-map=%s=%s", d->names[k].temp_folder, n->user_folder));
          }
        }
        break; /* one folder for all: see same_folder */
      }
    }
  }
  uint32_t input = 0;
  for (uint32_t i = 0; i < c->args.count; i++) {
    if (i == c->options_end) {
      push_last_options(d, plan, &args);
    }
    if (c->kinds.data[i] == TL_ARG_INPUT) {
      const tl_input *in = &c->inputs.data[input];
      const char *path = input_path(d, plan, input++);
      if (plan->only && plan->only != in) {
        continue;
      }
      TL_PUSH(d->arena, args, path);
    } else if (!(plan->drop & (1u << c->kinds.data[i]))) {
      TL_PUSH(d->arena, args, c->args.data[i]);
    }
  }
  if (c->options_end == c->args.count) {
    push_last_options(d, plan, &args);
  }
  for (uint32_t i = 0; i < d->cc.count; i++) {
    TL_PUSH(d->arena, words, d->cc.data[i]);
  }
  if (c->had_response_file) { /* as long as the user's was */
    const char *path = tl_temp_file(d->arena, 0, "arguments");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) {
      for (uint32_t i = 0; i < args.count; i++) {
        fprintf(f, "\"%s\"\n", tl_string_escape(d->arena, args.data[i]));
      }
      fclose(f);
      TL_PUSH(d->arena, words, tl_arena_printf(d->arena, "@%s", path));
      return words;
    }
  }
  for (uint32_t i = 0; i < args.count; i++) {
    TL_PUSH(d->arena, words, args.data[i]);
  }
  return words;
}

int driver_cc_status(const tl_args *words, tl_child_result r) {
  if (r.start_error) {
    return cannot_start(words->data[0], r.start_error);
  }
  return r.signal ? 1 : r.status;
}

/* Nothing is translated, but a file may still include our header. */
static int run_with_our_header(driver *d) {
  tl_args words = driver_cc_words(d, &(cc_plan){.originals = true});
  if (!give_stdin_back(d)) {
    return 1;
  }
  if (!d->cmdline.had_response_file) {
    tl_temp_remove_all();
    return cannot_start(words.data[0], tl_child_exec(d->arena, &words));
  }
  tl_child_install_signal_handlers(); /* the response file of ours is to be removed behind it */
  return driver_cc_status(&words, tl_child_run(d->arena, &words, NULL, NULL, 0));
}

/* ---- translation ---- */

static unsigned timeout_seconds(void) {
  const char *text = getenv("TLALOCC_TIMEOUT");
  long seconds = text ? strtol(text, NULL, 10) : 0;
  return seconds > 0 && seconds < 1000000 ? (unsigned)seconds : DEFAULT_TIMEOUT_SECONDS;
}

static void copy_out(FILE *from, FILE *to) {
  char block[8192];
  rewind(from);
  for (size_t got; (got = fread(block, 1, sizeof block, from)) > 0;) {
    fwrite(block, 1, got, to);
  }
}

static void make_folders(tl_arena *a, const char *path) {
  char *copy = tl_arena_strdup(a, path);
  for (char *p = copy + 1; *p; p++) {
    if (*p == '/') {
      *p = '\0';
      mkdir(copy, 0777);
      *p = '/';
    }
  }
}

/* The path as one below another folder: no object's name ends in ".grad", so that those here are no others'. */
static const char *path_below(tl_arena *a, const char *path) {
  const char *below = *path == '/' ? "root.grad" : "";
  for (size_t n; *path; path += n + (path[n] == '/')) {
    n = strcspn(path, "/");
    bool stays = n == 0 || (n == 1 && *path == '.'), rises = n == 2 && strncmp(path, "..", 2) == 0;
    if (!stays) {
      below = tl_arena_printf(a, "%s%s%.*s", below, *below ? "/" : "", rises ? 7 : (int)n, rises ? "up.grad" : path);
    }
  }
  return below;
}

/* DIR/OBJECT.grad/STEM.grad.c, where OBJECT is the object's path, or that of the one that a program is linked of:
 * builds that share DIR never write one file from two objects, and DIR may be where the objects are. */
static const char *dump_path(driver *d, const tl_input *input) {
  const tl_cmdline *c = &d->cmdline;
  const char *stem = tl_path_stem(d->arena, input->path);
  bool named = c->output && (c->mode == TL_CC_COMPILE || c->mode == TL_CC_ASSEMBLY);
  const char *folder = c->mode == TL_CC_LINK ? tl_path_dir(d->arena, input->path) : "";
  const char *object = named ? c->output : tl_arena_printf(d->arena, "%s%s.o", folder, stem);
  const char *path =
      tl_arena_printf(d->arena, "%s/%s.grad/%s.grad.c", c->dump_source_dir, path_below(d->arena, object), stem);
  make_folders(d->arena, path);
  return path;
}

/* What cc itself makes of the file, for the front to compare with what it read. NULL where cc fails: it says why later.
 */
static const char *preprocess(driver *d, uint32_t index) {
  const char *path = tl_temp_file(d->arena, index, "preprocessed");
  FILE *out = path ? fopen(path, "w") : NULL;
  FILE *err = fopen("/dev/null", "w");
  if (!out || !err) {
    return NULL;
  }
  cc_plan plan = {.drop = NO_OUTPUT, .only = &d->cmdline.inputs.data[index], .originals = true};
  TL_PUSH(d->arena, plan.extra, "-E");
  input_state state = d->states[index];
  bool from_stdin = strcmp(plan.only->path, "-") == 0;
  if (from_stdin) {
    plan.originals = false;
    d->states[index] = INPUT_TRANSLATED; /* its text lies where the copy will */
  }
  tl_args words = driver_cc_words(d, &plan);
  d->states[index] = state;
  tl_child_result r = tl_child_run(d->arena, &words, out, err, 0);
  fclose(err);
  return fclose(out) == 0 && r.status == 0 && !r.signal ? path : NULL;
}

static void add_own_options(driver *d, tl_args *words) {
  const tl_cmdline *c = &d->cmdline;
  for (uint32_t i = 0; i < c->warnings.count; i++) {
    TL_PUSH(d->arena, *words, c->warnings.data[i]);
  }
  if (c->warnings_off) {
    TL_PUSH(d->arena, *words, "-w");
  }
  if (c->warnings_are_errors) {
    TL_PUSH(d->arena, *words, "-Werror");
  }
  if (c->debug) {
    TL_PUSH(d->arena, *words, "-g");
  }
  if (c->json) {
    TL_PUSH(d->arena, *words, "--diagnostics-format=json");
  }
  if (c->no_strict_lowering) {
    TL_PUSH(d->arena, *words, "--no-strict-lowering");
  }
  if (c->allow_any_clang) {
    TL_PUSH(d->arena, *words, "--unsafe-allow-unsupported-clang");
  }
  if (c->dump_source) {
    TL_PUSH(d->arena, *words, "--dump-source=-");
  }
  if (c->dump_ir) {
    TL_PUSH(d->arena, *words,
            c->dump_ir_pass ? tl_arena_printf(d->arena, "--dump-ir=%s", c->dump_ir_pass) : "--dump-ir");
  }
}

static const char *front_program(driver *d) {
  const char *beside = tl_arena_printf(d->arena, "%stlaloc-front", d->bin_dir);
  return access(beside, X_OK) == 0 ? beside : tl_arena_printf(d->arena, "%s../libexec/tlaloc/tlaloc-front", d->bin_dir);
}

/* The child's last words, on one line, for the note of an INTERNAL_ERROR. */
static const char *last_words(driver *d, FILE *errors) {
  size_t length;
  rewind(errors);
  char *text = tl_file_read(d->arena, errors, &length);
  while (text && length && text[length - 1] == '\n') {
    text[--length] = '\0';
  }
  char *line = text ? strrchr(text, '\n') : NULL;
  line = line ? line + 1 : text;
  return line && *line ? line : NULL;
}

/* What the loader, libclang and the C++ library say before our own code could. */
static bool says_out_of_memory(const char *words) {
  static const char *const signs[] = {"failed to map segment", "annot allocate memory", "bad_alloc", "out of memory",
                                      "Resource temporarily unavailable"};
  for (size_t i = 0; words && i < sizeof signs / sizeof *signs; i++) {
    if (strstr(words, signs[i])) {
      return true;
    }
  }
  return false;
}

/* libclang survives a crash of its own, and the front with it, but of a failed allocation only the C++ library's words
 * are left. */
static bool libclang_ran_out(driver *d, const tl_input *input, FILE *errors) {
  static const char sign[] = "std::bad_alloc";
  size_t length;
  rewind(errors);
  const char *text = tl_file_read(d->arena, errors, &length);
  if (!text || !strstr(text, sign) || !strstr(text, "libclang: crash detected")) {
    return false;
  }
  driver_complain(d, TL_OUT_OF_MEMORY, strcmp(input->path, "-") == 0 ? "<stdin>" : input->path, "an allocation failed",
                  sign);
  return true;
}

static input_state front_crashed(driver *d, const tl_input *input, tl_child_result r, FILE *errors) {
  const char *what = r.timed_out ? tl_arena_printf(d->arena, "took longer than %u seconds", timeout_seconds())
                     : r.signal  ? tl_arena_printf(d->arena, "ended by signal %d (%s)", r.signal, strsignal(r.signal))
                                 : tl_arena_printf(d->arena, "ended with status %d", r.status);
  const char *words = r.timed_out ? NULL : last_words(d, errors);
  const char *file = strcmp(input->path, "-") == 0 ? "<stdin>" : input->path;
  if (says_out_of_memory(words)) {
    driver_complain(d, TL_OUT_OF_MEMORY, file, "an allocation failed", words);
    return INPUT_FAILED;
  }
  const char *note = tl_arena_printf(
      d->arena, "this is a fault in Tlaloc, not in your program: please report it with the file at %s%s%s%s",
      TL_TRACKER, words ? " (its last words: " : "", words ? words : "", words ? ")" : "");
  driver_complain(d, TL_INTERNAL_ERROR, file, tl_arena_printf(d->arena, "the translation %s", what), note);
  return INPUT_FAILED;
}

/* cc on a copy that no derivative stands in: its status. */
static int ask_cc(driver *d, uint32_t index) {
  cc_plan plan = {.drop = NO_OUTPUT, .only = &d->cmdline.inputs.data[index]};
  TL_PUSH(d->arena, plan.extra, "-fsyntax-only");
  input_state state = d->states[index];
  d->states[index] = INPUT_SYNTAX;
  tl_args words = driver_cc_words(d, &plan);
  d->states[index] = state;
  return driver_cc_status(&words, tl_child_run(d->arena, &words, NULL, NULL, 0));
}

/* The name of the bodies' file, which the copy includes: of the stem's characters those that an #include line has as
 * they are in every charset, and no more than leave room for what is put behind. */
static const char *generated_name(driver *d, const char *stem) {
  char *name = tl_arena_printf(d->arena, "%.200s.grad.c", stem);
  for (char *p = name; *p; p++) {
    if ((unsigned char)*p >= 0x80 || (!isalnum((unsigned char)*p) && !strchr(" +,-._=@~", *p))) {
      *p = '_';
    }
  }
  return name;
}

static input_state translate(driver *d, uint32_t index) {
  const tl_input *input = &d->cmdline.inputs.data[index];
  tl_renaming *n = &d->names[index];
  bool from_stdin = strcmp(input->path, "-") == 0;
  const char *base = tl_path_base(input->path);
  if (strpbrk(input->path, "\r\n")) {
    driver_complain(d, TL_UNSUPPORTED_CONSTRUCT, input->path, "a file whose name has a line break cannot be translated",
                    NULL);
    return INPUT_FAILED;
  }
  n->temp_file = tl_temp_file(d->arena, index, from_stdin ? "-.c" : base);
  if (!n->temp_file) {
    fprintf(stderr, "tlalocc: error: %s\n", tl_temp_complaint(d->arena));
    return INPUT_FAILED;
  }
  n->temp_folder = tl_path_dir(d->arena, n->temp_file);
  n->user_file = from_stdin ? "<stdin>" : input->path;
  n->user_folder = tl_path_dir(d->arena, input->path);
  n->generated = tl_arena_printf(d->arena, "%s%s", n->temp_folder,
                                 generated_name(d, from_stdin ? "stdin" : tl_path_stem(d->arena, input->path)));

  tl_args words = {0};
  TL_PUSH(d->arena, words, front_program(d));
  TL_PUSH(d->arena, words, tl_arena_printf(d->arena, "--file=%s", n->user_file));
  if (from_stdin) {
    FILE *f = fopen(n->temp_file, "w");
    if (!f || fwrite(d->stdin_text, 1, d->stdin_length, f) != d->stdin_length || fclose(f) != 0) {
      fprintf(stderr, "tlalocc: error: cannot write %s: %s\n", n->temp_file, strerror(errno));
      return INPUT_FAILED;
    }
    TL_PUSH(d->arena, words, tl_arena_printf(d->arena, "--read=%s", n->temp_file));
  } else if (input->path[0] == '-') { /* not an option of libclang's */
    TL_PUSH(d->arena, words, tl_arena_printf(d->arena, "--read=./%s", input->path));
  }
  const char *preprocessed = preprocess(d, index);
  if (preprocessed) {
    TL_PUSH(d->arena, words, tl_arena_printf(d->arena, "--preprocessed=%s", preprocessed));
  }
  TL_PUSH(d->arena, words, tl_arena_printf(d->arena, "--out=%s", n->temp_file));
  TL_PUSH(d->arena, words, tl_arena_printf(d->arena, "--generated=%s", n->generated));
  add_own_options(d, &words);
  if (d->cmdline.dump_source_dir) {
    TL_PUSH(d->arena, words, tl_arena_printf(d->arena, "--dump-source=%s", dump_path(d, input)));
  }
  TL_PUSH(d->arena, words, "--");
  for (uint32_t i = 0; i < d->cmdline.preprocess.count; i++) {
    TL_PUSH(d->arena, words, d->cmdline.preprocess.data[i]);
  }
  if (from_stdin) {
    TL_PUSH(d->arena, words, "-iquote");
    TL_PUSH(d->arena, words, ".");
  }
  TL_PUSH(d->arena, words, "-idirafter");
  TL_PUSH(d->arena, words, d->include_dir);

  FILE *errors = tl_temp_open(d->arena);
  if (!errors) {
    fprintf(stderr, "tlalocc: error: cannot make a temporary file: %s\n", strerror(errno));
    return INPUT_FAILED;
  }
  tl_child_result r = tl_child_run(d->arena, &words, NULL, errors, timeout_seconds());
  input_state state;
  if (r.start_error) {
    cannot_start(words.data[0], r.start_error);
    state = INPUT_FAILED;
  } else if (r.signal || r.timed_out) {
    state = front_crashed(d, input, r, errors);
  } else {
    switch (r.status) {
    case TL_FRONT_TRANSLATED:
      state = INPUT_TRANSLATED;
      break;
    case TL_FRONT_NOTHING:
      state = INPUT_AS_IS;
      break;
    case TL_FRONT_SYNTAX:
      state = INPUT_SYNTAX;
      break;
    case TL_FRONT_DOUBTFUL:
      state = INPUT_FAILED;
      if (ask_cc(d, index)) {
        fclose(errors);
        return state;
      }
      break;
    case TL_FRONT_FAILED:
      state = INPUT_FAILED;
      if (libclang_ran_out(d, input, errors)) {
        fclose(errors);
        return state;
      }
      break;
    default:
      state = front_crashed(d, input, r, errors);
      fclose(errors);
      return state;
    }
    copy_out(errors, stderr);
  }
  fclose(errors);
  return state;
}

/* A line of the user's file, for the caret. */
const char *driver_source_line(void *ctx, const char *file, uint32_t line) {
  driver *d = ctx;
  size_t length;
  char *text = tl_path_read(d->arena, file, &length);
  for (; text && line > 1; line--) {
    text = strchr(text, '\n');
    text = text ? text + 1 : NULL;
  }
  return text ? tl_arena_strndup(d->arena, text, strcspn(text, "\r\n")) : NULL;
}

/* clang cannot read the file. cc's own message is the one that the user knows; only where cc has none is it ours. */
static int let_cc_speak(driver *d, uint32_t index) {
  int status = ask_cc(d, index);
  if (status) {
    return status;
  }
  size_t length;
  char *text = tl_path_read(d->arena, tl_arena_printf(d->arena, "%s.message", d->names[index].generated), &length);
  unsigned line = 0, column = 0;
  int at = 0;
  if (!text || sscanf(text, "%u:%u:%n", &line, &column, &at) < 2) {
    at = 0;
  }
  tl_diag diag;
  tl_diag_init(&diag, d->arena);
  tl_diag_error(&diag, TL_FRONT_MISMATCH, (tl_loc){d->names[index].user_file, line, column, column + 1},
                "cc accepts this file but libclang does not: %s", text ? text + at : "it gives no message");
  tl_diag_print(&diag, &(tl_diag_print_opts){.json = d->cmdline.json, .source_line = driver_source_line, .ctx = d},
                stderr);
  return 1;
}

/* ---- the whole ---- */

static bool wanted(driver *d, tl_scan *scan, bool forced, const tl_input *input) {
  if (!input->is_c) {
    return false;
  }
  if (strcmp(input->path, "-") == 0) {
    d->stdin_text = tl_file_read(d->arena, stdin, &d->stdin_length);
    return d->stdin_text && (forced || tl_scan_text(scan, d->stdin_text, d->stdin_length, ""));
  }
  return forced || tl_scan_file(scan, input->path);
}

static int drive(driver *d, int argc, char **argv) {
  tl_cmdline *c = &d->cmdline;
  if (argc > 2 && strcmp(argv[1], "--tlaloc-launch") == 0) {
    d->launched = argv[2];
    argc -= 2;
    argv += 2;
  }
  tl_cmdline_parse(d->arena, argc, argv, c);
  if (c->bad_option) {
    fprintf(stderr, "tlalocc: error: bad value in '%s'\n", c->bad_option);
    return 1;
  }
  if (!tl_explain_knows_warnings(d->arena, &c->warnings)) {
    return 1;
  }
  if (c->want_explanation) {
    int status = tl_explain(d->arena, c->explain);
    return tl_explain_flush() ? status : 1;
  }
  if (c->want_version) {
    puts("tlaloc " TL_VERSION);
    return tl_explain_flush() ? 0 : 1;
  }
  if (!find_cc(d)) {
    return 1;
  }
  if (c->want_help) {
    tl_explain_options();
    return !tl_explain_flush() ? 1 : exec_plain(d, argc, argv);
  }
  d->states = TL_NEW_ARRAY(d->arena, input_state, c->inputs.count + 1);
  d->names = TL_NEW_ARRAY(d->arena, tl_renaming, c->inputs.count + 1);
  d->objects = TL_NEW_ARRAY(d->arena, const char *, c->inputs.count + 1);
  tl_scan scan = {.arena = d->arena, .cmdline = c};
  bool forced = tl_scan_forced_includes(&scan);
  bool *wants = TL_NEW_ARRAY(d->arena, bool, c->inputs.count + 1);
  bool any = false, header = false;
  for (uint32_t i = 0; i < c->inputs.count; i++) {
    header = header || (c->inputs.data[i].is_header && tl_scan_file(&scan, c->inputs.data[i].path));
    wants[i] = wanted(d, &scan, forced, &c->inputs.data[i]);
    scan.seen_room = scan.seen_count = 0; /* each file is scanned as if it stood alone */
    any = any || wants[i];
  }
  if (!any && !header) {
    return exec_plain(d, argc, argv);
  }
  find_ourselves(d);
  if (!any || c->mode == TL_CC_DEPENDENCIES || c->shows_commands) {
    return run_with_our_header(d);
  }
  tl_child_install_signal_handlers();
  int status = 0;
  any = false;
  for (uint32_t i = 0; i < c->inputs.count; i++) {
    if (wants[i]) {
      d->states[i] = translate(d, i);
      any = any || d->states[i] == INPUT_TRANSLATED;
      int said = d->states[i] == INPUT_SYNTAX ? let_cc_speak(d, i) : d->states[i] == INPUT_FAILED;
      status = said ? said : status;
    }
  }
  bool only_dump = (c->dump_source || c->dump_ir) && c->mode == TL_CC_LINK && !c->output;
  if (status || only_dump) {
    return status;
  }
  if (!any) {
    tl_temp_remove_all();
    return run_with_our_header(d);
  }
  return driver_compile(d);
}

int main(int argc, char **argv) {
  tl_arena arena;
  tl_arena_init(&arena);
  driver d = {.arena = &arena};
  atexit(tl_temp_remove_all);
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    fputs("tlalocc: error: an allocation failed [OUT_OF_MEMORY]\n", stderr);
    tl_arena_deinit(&arena);
    return 1;
  }
  int status = drive(&d, argc, argv);
  tl__recovery_leave(&recovery);
  tl_arena_deinit(&arena);
  tl_child_end_if_told_to();
  return status;
}

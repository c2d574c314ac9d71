#include "cmdline.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"

static bool starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }
static bool is(const char *s, const char *t) { return strcmp(s, t) == 0; }

const char *tl_path_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *tl_path_dir(tl_arena *a, const char *path) {
  return tl_arena_strndup(a, path, (size_t)(tl_path_base(path) - path));
}

const char *tl_path_stem(tl_arena *a, const char *path) {
  const char *base = tl_path_base(path);
  const char *dot = strrchr(base, '.');
  return tl_arena_strndup(a, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}

/* Options of gcc and clang whose value is the next argument where they stand alone, without the reading_options below.
 */
static const char *const separate_value[] = {
    "-o",
    "-x",
    "-A",
    "-B",
    "-F",
    "-G",
    "-L",
    "-T",
    "-V",
    "-b",
    "-e",
    "-h",
    "-l",
    "-u",
    "-z",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xanalyzer",
    "-Xopenmp-target",
    "-arch",
    "-aux-info",
    "-cxx-isystem",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-framework",
    "-gcc-toolchain",
    "-iframework",
    "-imultilib",
    "-include-pch",
    "-isystem-after",
    "-ivfsoverlay",
    "-mllvm",
    "-rpath",
    "-wrapper",
    "-working-directory",
    "--param",
    "--output",
    "--language",
    "--serialize-diagnostics",
    "--library-directory",
    "--library",
    "--for-linker",
    "--for-assembler",
    "--assert",
    "--prefix",
    "--config",
};

static bool takes_separate_value(const char *arg) {
  for (size_t i = 0; i < sizeof separate_value / sizeof *separate_value; i++) {
    if (is(arg, separate_value[i])) {
      return true;
    }
  }
  return false;
}

/* ---- @file ---- */

enum { MOST_RESPONSE_FILES = 2000 }; /* as in gcc: a file that names itself twice has no end otherwise */

/* The words lie behind one another in one block: each takes at most what it is read from and what ends it. */
void tl_words_split(tl_arena *a, const char *text, tl_args *out) {
  static const char space[] = " \t\n\r\v\f";
  char *to = tl_arena_alloc(a, strlen(text) + 1);
  for (const char *p = text + strspn(text, space); *p; p += strspn(p, space)) {
    TL_PUSH(a, *out, to);
    char quote = 0;
    for (; *p && (quote || !strchr(space, *p)); p++) {
      if (*p == '\\' && p[1]) {
        *to++ = *++p;
      } else if (quote ? *p == quote : *p == '\'' || *p == '"') {
        quote = quote ? 0 : *p;
      } else {
        *to++ = *p;
      }
    }
    *to++ = '\0';
  }
}

/* A file that cannot be read leaves the argument as it stands, as in gcc. */
static void expand(tl_arena *a, tl_args *out, const char *arg, int *files) {
  size_t size;
  char *text = arg[0] == '@' && *files < MOST_RESPONSE_FILES ? tl_path_read(a, arg + 1, &size) : NULL;
  if (!text) {
    TL_PUSH(a, *out, arg);
    return;
  }
  ++*files;
  tl_args words = {0};
  tl_words_split(a, text, &words);
  for (uint32_t i = 0; i < words.count; i++) {
    expand(a, out, words.data[i], files);
  }
}

const char *tl_string_escape(tl_arena *a, const char *s) {
  char *escaped = tl_arena_alloc(a, 2 * strlen(s) + 1);
  size_t n = 0;
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') {
      escaped[n++] = '\\';
    }
    escaped[n++] = *s;
  }
  return escaped;
}

/* ---- tlalocc's own options ---- */

static bool own_warning(const char *arg) {
  return starts(arg, "-Wtl-") || starts(arg, "-Wno-tl-") || starts(arg, "-Werror=tl-") || starts(arg, "-Wno-error=tl-");
}

static bool own_option(tl_arena *a, tl_cmdline *c, const char *arg) {
  if (own_warning(arg)) {
    TL_PUSH(a, c->warnings, arg);
  } else if (is(arg, "--dump-grad-source")) {
    c->dump_source = true;
  } else if (starts(arg, "--dump-grad-source-dir=")) {
    c->dump_source_dir = arg + strlen("--dump-grad-source-dir=");
    if (!*c->dump_source_dir) {
      c->bad_option = arg;
    }
  } else if (is(arg, "--dump-ir")) {
    c->dump_ir = true;
  } else if (starts(arg, "--dump-ir=")) {
    c->dump_ir = true;
    c->dump_ir_pass = arg + strlen("--dump-ir=");
  } else if (is(arg, "--no-strict-lowering")) {
    c->no_strict_lowering = true;
  } else if (is(arg, "--strict-lowering")) {
    c->no_strict_lowering = false;
  } else if (starts(arg, "--diagnostics-format=")) {
    const char *format = arg + strlen("--diagnostics-format=");
    c->json = is(format, "json");
    if (!c->json && !is(format, "text")) {
      c->bad_option = arg;
    }
  } else if (is(arg, "--unsafe-allow-unsupported-clang")) {
    c->allow_any_clang = true;
  } else if (is(arg, "--explain")) {
    c->want_explanation = true; /* of the next argument: see below */
  } else if (starts(arg, "--explain=")) {
    c->want_explanation = true;
    c->explain = arg + strlen("--explain=");
    if (!*c->explain) {
      c->bad_option = arg;
    }
  } else if (is(arg, "--tlaloc-version")) {
    c->want_version = true;
  } else {
    return false;
  }
  return true;
}

/* ---- cc's options ---- */

static bool has_extension(const char *path, const char *const *extensions) {
  const char *dot = strrchr(tl_path_base(path), '.');
  for (; dot && *extensions; extensions++) {
    if (is(dot + 1, *extensions)) {
      return true;
    }
  }
  return false;
}

static void add_input(tl_arena *a, tl_cmdline *c, const char *path, const char *language) {
  static const char *const c_extensions[] = {"c", NULL};
  static const char *const header_extensions[] = {"h", NULL};
  static const char *const source_extensions[] = {"c",   "C", "cc", "cp", "cxx", "cpp", "CPP",
                                                  "c++", "m", "M",  "mm", "S",   "sx",  NULL};
  tl_input input = {.path = path};
  if (language) {
    input.is_c = is(language, "c");
    input.is_header = is(language, "c-header");
    input.is_source = true;
  } else if (is(path, "-")) {
    input.is_source = true; /* C under -E, else cc asks for -x: see below */
  } else {
    input.is_c = has_extension(path, c_extensions);
    input.is_header = has_extension(path, header_extensions);
    input.is_source = has_extension(path, source_extensions);
  }
  TL_PUSH(a, c->inputs, input);
}

/* The -f options that change what C means or which macros are predefined. Others are for code generation, and clang
 * does not know all of gcc's. */
static bool bears_on_reading(const char *arg) {
  static const char *const exact[] = {
      "-ansi",
      "-nostdinc",
      "-undef",
      "-pthread",
      "-funsigned-char",
      "-fsigned-char",
      "-fno-signed-char",
      "-fno-unsigned-char",
      "-fshort-enums",
      "-fno-short-enums",
      "-fshort-wchar",
      "-fno-short-wchar",
      "-fms-extensions",
      "-fno-ms-extensions",
      "-fplan9-extensions",
      "-fgnu89-inline",
      "-fno-gnu89-inline",
      "-ffreestanding",
      "-fhosted",
      "-fno-builtin",
      "-fno-asm",
      "-fasm",
      "-fopenmp",
      "-ffast-math",
      "-fno-fast-math",
      "-ffinite-math-only",
      "-fno-finite-math-only",
      "-fno-math-errno",
      "-fmath-errno",
      "-funsafe-math-optimizations",
      "-fwrapv",
      "-fPIC",
      "-fpic",
      "-fPIE",
      "-fpie",
      "-trigraphs",
      "-fdollars-in-identifiers",
      "-m32",
      "-m64",
      "-mx32",
      "-O",
      "-O0",
      "-O1",
      "-O2",
      "-O3",
      "-Os",
      "-Og",
      "-Ofast",
      "-fcommon",
      "-fno-common",
  };
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    if (is(arg, exact[i])) {
      return true;
    }
  }
  static const char *const prefixes[] = {
      "-std=",    "--std=", "-march=",  "-mtune=", "-mcpu=", "-mavx",    "-mno-avx",      "-msse",
      "-mno-sse", "-mfma",  "-mno-fma", "-mf16c",  "-mbmi",  "-mpopcnt", "-mlong-double-"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    if (starts(arg, prefixes[i])) {
      return true;
    }
  }
  return false;
}

static const struct {
  const char *option;
  char kind; /* q: quote only; I, s, a: in this order of search; i: a file read first; p: bears on reading */
} reading_options[] = {
    {"-iquote", 'q'},
    {"-isystem", 's'},
    {"-idirafter", 'a'},
    {"-include", 'i'},
    {"-imacros", 'i'},
    {"-isysroot", 'p'},
    {"-iprefix", 'p'},
    {"-iwithprefixbefore", 'p'},
    {"-iwithprefix", 'p'},
    {"--sysroot", 'p'},
    {"-target", 'p'},
    {"-I", 'I'},
    {"-D", 'p'},
    {"-U", 'p'},
    {"--include-directory", 'I'},
    {"--define-macro", 'p'},
    {"--undefine-macro", 'p'},
    {"--include", 'i'},
    {"--imacros", 'i'},
};

typedef struct search_order {
  tl_args by_kind[4]; /* q I s a */
} search_order;

/* An option that tells cc what to read, with its value in the same or the next argument. Returns how many arguments it
 * takes; 0: it is none of them. */
static uint32_t reading_option(tl_arena *a, tl_cmdline *c, search_order *order, const char *arg, const char *next) {
  if (is(arg, "-include-pch") || is(arg, "-isystem-after")) {
    return 0; /* clang's: longer than options that take a value in the same argument */
  }
  for (size_t i = 0; i < sizeof reading_options / sizeof *reading_options; i++) {
    const char *option = reading_options[i].option;
    if (!starts(arg, option)) {
      continue;
    }
    const char *value = arg + strlen(option);
    uint32_t taken = 1;
    if (!*value) {
      if (!next) {
        return 0;
      }
      value = next;
      taken = 2;
    } else if (option[1] == '-') {
      if (*value++ != '=') {
        continue;
      }
    }
    TL_PUSH(a, c->preprocess, arg);
    if (taken == 2) {
      TL_PUSH(a, c->preprocess, next);
    }
    static const char kinds[] = "qIsa";
    const char *k = strchr(kinds, reading_options[i].kind);
    if (k) {
      TL_PUSH(a, order->by_kind[k - kinds], value);
    } else if (reading_options[i].kind == 'i') {
      TL_PUSH(a, c->forced_includes, value);
    }
    return taken;
  }
  return 0;
}

static void add_env_dirs(tl_arena *a, tl_args *dirs, const char *variable) {
  const char *list = getenv(variable);
  while (list && *list) {
    size_t length = strcspn(list, ":");
    TL_PUSH(a, *dirs, length ? tl_arena_strndup(a, list, length) : ".");
    list += length + (list[length] == ':');
  }
}

/* -Wp,-MD,FILE and -Wp,-MMD,FILE, as the kernel's build writes them; -Wp,-D... */
static void preprocessor_words(tl_arena *a, tl_cmdline *c, const char *arg) {
  char *words = tl_arena_strdup(a, arg + strlen("-Wp,"));
  for (char *word = strtok(words, ","); word; word = strtok(NULL, ",")) {
    if (is(word, "-MD") || is(word, "-MMD")) {
      c->writes_dependencies = true;
      c->dependencies_by_preprocessor = true;
      char *file = strtok(NULL, ",");
      if (file) {
        TL_PUSH(a, c->dependency_files, file);
      }
    } else if (starts(word, "-D") || starts(word, "-U") || starts(word, "-I")) {
      TL_PUSH(a, c->preprocess, word);
    }
  }
}

static void push(tl_arena *a, tl_cmdline *c, const char *arg, tl_arg_kind kind) {
  TL_PUSH(a, c->args, arg);
  TL_PUSH(a, c->kinds, kind);
}

static void set_mode(tl_cmdline *c, tl_cc_mode mode) {
  /* The earliest stage wins, as in cc: -M before -E before -fsyntax-only before -S before -c. */
  if (mode > c->mode) {
    c->mode = mode;
  }
}

static bool is_report(tl_arena *a, tl_cmdline *c, const char *arg, const char *value) {
  if (is(arg, "-fstack-usage")) {
    TL_PUSH(a, c->side_extensions, "su");
  } else if (starts(arg, "-fcallgraph-info")) {
    TL_PUSH(a, c->side_extensions, "ci");
  } else if ((is(arg, "-aux-info") || is(arg, "-MJ")) && value) {
    TL_PUSH(a, c->side_texts, value);
  } else if (starts(arg, "-ftime-trace")) {
    TL_PUSH(a, c->side_extensions, "json");
  } else {
    return arg[1] == 'd' && arg[2] && strspn(arg + 2, "DIMNU") == strlen(arg + 2);
  }
  return true;
}

static bool asks_for_debugging(const char *arg) {
  static const char *const forms[] = {"-ggdb", "-gdwarf", "-gstabs", "-gsplit-dwarf", "-gline", "-gmlt"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (starts(arg, forms[i])) {
      return true;
    }
  }
  return is(arg, "-g") || (starts(arg, "-g") && arg[2] >= '0' && arg[2] <= '3' && !arg[3]);
}

/* An option that is neither tlalocc's nor one of reading_options; `value` is its next argument where it takes one. */
static tl_arg_kind cc_option(tl_arena *a, tl_cmdline *c, const char *arg, const char *value, const char **language) {
  static const struct {
    const char *option;
    tl_cc_mode mode;
  } modes[] = {{"-c", TL_CC_COMPILE},
               {"--compile", TL_CC_COMPILE},
               {"-S", TL_CC_ASSEMBLY},
               {"--assemble", TL_CC_ASSEMBLY},
               {"-E", TL_CC_PREPROCESS},
               {"--preprocess", TL_CC_PREPROCESS},
               {"-fsyntax-only", TL_CC_SYNTAX_ONLY},
               {"-M", TL_CC_DEPENDENCIES},
               {"-MM", TL_CC_DEPENDENCIES}};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (is(arg, modes[i].option)) {
      set_mode(c, modes[i].mode);
      return modes[i].mode == TL_CC_DEPENDENCIES ? TL_ARG_DEPENDENCY : TL_ARG_MODE;
    }
  }
  if (is(arg, "-MD") || is(arg, "-MMD")) {
    c->writes_dependencies = true;
    return TL_ARG_DEPENDENCY;
  }
  if (starts(arg, "-MF")) {
    TL_PUSH(a, c->dependency_files, value ? value : arg + 3);
    return TL_ARG_DEPENDENCY;
  }
  if (is(arg, "-MP") || is(arg, "-MG") || starts(arg, "-MT") || starts(arg, "-MQ")) {
    c->names_dependency_target |= arg[2] == 'T' || arg[2] == 'Q';
    return TL_ARG_DEPENDENCY;
  }
  if (starts(arg, "-Wp,")) {
    bool before = c->writes_dependencies;
    preprocessor_words(a, c, arg);
    return before == c->writes_dependencies ? TL_ARG_OTHER : TL_ARG_DEPENDENCY;
  }
  if (is(arg, "-o") || is(arg, "--output")) {
    c->output = value;
    return TL_ARG_OUTPUT;
  }
  if (starts(arg, "--output=") || starts(arg, "-o")) {
    c->output = arg + (arg[1] == 'o' ? 2 : strlen("--output="));
    return TL_ARG_OUTPUT;
  }
  if (starts(arg, "-x")) {
    *language = value ? value : arg + 2;
    *language = is(*language, "none") ? NULL : *language;
    return TL_ARG_LANGUAGE;
  }
  if (starts(arg, "-l") || starts(arg, "-L") || starts(arg, "-Wl,") || is(arg, "-Xlinker") || is(arg, "-shared") ||
      is(arg, "-static") || is(arg, "-rdynamic") || is(arg, "-z") || is(arg, "-u") || is(arg, "-T") ||
      is(arg, "-pie")) {
    return TL_ARG_LINK;
  }
  if (is_report(a, c, arg, value)) {
    return TL_ARG_REPORT;
  }
  if (is(arg, "-w")) {
    c->warnings_off = true;
  } else if (is(arg, "-Werror") || is(arg, "-Wno-error")) {
    c->warnings_are_errors = is(arg, "-Werror");
  } else if (asks_for_debugging(arg)) {
    c->debug = !is(arg, "-g0");
  } else if (is(arg, "-###")) {
    c->shows_commands = true;
  } else if (starts(arg, "-save-temps") || starts(arg, "--save-temps")) {
    TL_PUSH(a, c->side_extensions, "i");
  } else if (is(arg, "--help")) {
    c->want_help = true;
  } else if (bears_on_reading(arg)) {
    TL_PUSH(a, c->preprocess, arg);
  }
  return TL_ARG_OTHER;
}

void tl_cmdline_parse(tl_arena *a, int argc, char **argv, tl_cmdline *c) {
  *c = (tl_cmdline){.mode = TL_CC_LINK};
  tl_args words = {0};
  int response_files = 0;
  for (int i = 1; i < argc; i++) {
    expand(a, &words, argv[i], &response_files);
  }
  c->had_response_file = response_files > 0;
  search_order order = {0};
  const char *language = NULL;
  bool only_inputs = false;
  for (uint32_t i = 0; i < words.count; i++) {
    const char *arg = words.data[i], *next = i + 1 < words.count ? words.data[i + 1] : NULL;
    if (only_inputs || arg[0] != '-' || is(arg, "-")) {
      add_input(a, c, arg, language);
      push(a, c, arg, TL_ARG_INPUT);
      continue;
    }
    if (is(arg, "--")) {
      only_inputs = true;
      c->options_end = c->args.count;
      push(a, c, arg, TL_ARG_OTHER);
      continue;
    }
    if (own_option(a, c, arg)) {
      c->had_own_options = true;
      if (is(arg, "--explain") && next) {
        c->explain = next;
        i++;
      }
      continue;
    }
    tl_arg_kind kind = TL_ARG_OTHER;
    uint32_t taken = reading_option(a, c, &order, arg, next);
    if (!taken) {
      taken = next && takes_separate_value(arg) ? 2 : 1;
      kind = cc_option(a, c, arg, taken == 2 ? next : NULL, &language);
    }
    push(a, c, arg, kind);
    if (taken == 2) {
      push(a, c, next, kind);
      i++;
    }
  }
  c->options_end = only_inputs ? c->options_end : c->args.count;
  for (uint32_t i = 0; i < c->inputs.count; i++) {
    tl_input *input = &c->inputs.data[i];
    input->is_c |= input->is_source && c->mode == TL_CC_PREPROCESS && is(input->path, "-");
  }
  add_env_dirs(a, &order.by_kind[1], "CPATH");
  add_env_dirs(a, &order.by_kind[2], "C_INCLUDE_PATH");
  for (int kind = 0; kind < 4; kind++) {
    for (uint32_t i = 0; i < order.by_kind[kind].count; i++) {
      tl_include_dir dir = {order.by_kind[kind].data[i], kind == 0};
      TL_PUSH(a, c->include_dirs, dir);
    }
  }
}

/* cc on the copies of the inputs, and what it leaves: dependencies, saved texts, messages about generated code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_print.h"
#include "driver.h"
#include "files.h"
#include "front_protocol.h"
#include "prototypes.h"

/* Where quoted includes of one input must not be searched in the folder of another, each gets a cc of its own. */
static bool same_folder(const driver *d) {
  const char *folder = NULL;
  for (uint32_t i = 0; i < d->cmdline.inputs.count; i++) {
    const tl_input *input = &d->cmdline.inputs.data[i];
    if (input->is_source) {
      const char *own = tl_path_dir(d->arena, input->path);
      if (folder && strcmp(own, folder) != 0) {
        return false;
      }
      folder = own;
    }
  }
  return true;
}

static tl_renamings renamings(const driver *d) {
  tl_renamings all = {0};
  for (uint32_t i = 0; i < d->cmdline.inputs.count; i++) {
    if (d->states[i] == INPUT_TRANSLATED) {
      TL_PUSH(d->arena, all, d->names[i]);
    }
  }
  return all;
}

static int run_cc(driver *d, const cc_plan *plan) {
  tl_args words = driver_cc_words(d, plan);
  bool preprocessing = d->cmdline.mode == TL_CC_PREPROCESS;
  bool printing = preprocessing && !d->cmdline.output;
  FILE *out = printing ? tl_temp_open(d->arena) : NULL;
  if (printing && !out) {
    fprintf(stderr, "tlalocc: error: cannot make a temporary file: %s\n", strerror(errno));
    return 1;
  }
  int status = driver_cc_status(&words, tl_child_run(d->arena, &words, out, NULL, 0));
  tl_renamings names = renamings(d);
  if (out) {
    rewind(out);
    size_t length;
    char *text = tl_file_read(d->arena, out, &length);
    if (!text || !tl_rewrite_preprocessed(d->arena, text, length, stdout, &names)) {
      tl_child_end_if_told_to(); /* by SIGPIPE, without a word */
      fprintf(stderr, "tlalocc: error: cannot write what the preprocessor printed: %s\n", strerror(errno));
      status = 1;
    }
    fclose(out);
  } else if (preprocessing && d->cmdline.output && status == 0) {
    size_t length;
    char *text = tl_path_read(d->arena, d->cmdline.output, &length);
    FILE *to = text ? fopen(d->cmdline.output, "w") : NULL;
    bool ok = to && tl_rewrite_preprocessed(d->arena, text, length, to, &names);
    if (!to || fclose(to) != 0 || !ok) {
      fprintf(stderr, "tlalocc: error: cannot write %s: %s\n", d->cmdline.output, strerror(errno));
      remove(d->cmdline.output); /* as cc leaves no half of a file */
      status = 1;
    }
  }
  return status;
}

static const char *output_stem(const driver *d) {
  const char *output = d->cmdline.output;
  return output ? tl_arena_printf(d->arena, "%s%s", tl_path_dir(d->arena, output), tl_path_stem(d->arena, output))
                : "a";
}

static bool cc_is_clang(driver *d) {
  tl_args words = {0};
  for (uint32_t i = 0; i < d->cc.count; i++) {
    TL_PUSH(d->arena, words, d->cc.data[i]);
  }
  TL_PUSH(d->arena, words, "--version");
  const char *text = tl_child_words(d->arena, &words);
  return text && strstr(text, "clang");
}

/* One of several sources that are linked is compiled to a temporary: its dependencies go where cc would write them had
 * it all of the sources, with the same target. */
static void name_dependencies(driver *d, cc_plan *plan, const tl_input *input) {
  const tl_cmdline *c = &d->cmdline;
  const char *stem = tl_path_stem(d->arena, input->path);
  if (c->writes_dependencies && c->dependency_files.count == 0) {
    TL_PUSH(d->arena, plan->extra, "-MF");
    TL_PUSH(d->arena, plan->extra,
            c->output        ? tl_arena_printf(d->arena, "%s.d", output_stem(d))
            : cc_is_clang(d) ? tl_arena_printf(d->arena, "%s.d", stem)
                             : tl_arena_printf(d->arena, "a-%s.d", stem));
  }
  if (c->writes_dependencies && !c->names_dependency_target) {
    TL_PUSH(d->arena, plan->extra, "-MQ");
    bool is_object = !c->output || (c->dependencies_by_preprocessor && !cc_is_clang(d));
    TL_PUSH(d->arena, plan->extra, is_object ? tl_arena_printf(d->arena, "%s.o", stem) : c->output);
  }
}

/* What cc may call the files that it writes beside its output, by the output or the input. */
static tl_args side_files(driver *d, const char *extension) {
  const tl_cmdline *c = &d->cmdline;
  tl_args paths = {0};
  TL_PUSH(d->arena, paths, tl_arena_printf(d->arena, "%s.%s", output_stem(d), extension));
  if (c->output) {
    TL_PUSH(d->arena, paths, tl_arena_printf(d->arena, "%s.%s", c->output, extension));
  }
  for (uint32_t i = 0; i < c->inputs.count; i++) {
    const char *stem = strcmp(c->inputs.data[i].path, "-") == 0 ? "-" : tl_path_stem(d->arena, c->inputs.data[i].path);
    const char *output = c->output ? c->output : "a", *base = tl_path_stem(d->arena, output);
    TL_PUSH(d->arena, paths, tl_arena_printf(d->arena, "%s.%s", base, extension));
    TL_PUSH(d->arena, paths, tl_arena_printf(d->arena, "%s-%s.%s", base, stem, extension));
    TL_PUSH(d->arena, paths, tl_arena_printf(d->arena, "%s.%s", stem, extension));
    TL_PUSH(d->arena, paths, tl_arena_printf(d->arena, "%s-%s.%s", output, stem, extension));
    TL_PUSH(d->arena, paths, tl_arena_printf(d->arena, "%s-%s.%s", output_stem(d), stem, extension));
    TL_PUSH(d->arena, paths,
            tl_arena_printf(d->arena, "%s%s.%s", c->output ? tl_path_dir(d->arena, c->output) : "", stem, extension));
  }
  return paths;
}

/* Those that name no temporary are left alone. */
static void mend_dependencies(driver *d) {
  tl_renamings names = renamings(d);
  tl_args files = side_files(d, "d");
  for (uint32_t i = 0; i < d->cmdline.dependency_files.count; i++) {
    TL_PUSH(d->arena, files, d->cmdline.dependency_files.data[i]);
  }
  for (uint32_t i = 0; i < files.count; i++) {
    tl_rewrite_dependencies(d->arena, files.data[i], &names);
  }
}

static void mend_side_texts(driver *d) {
  tl_renamings names = renamings(d);
  tl_args files = d->cmdline.side_texts;
  for (uint32_t i = 0; i < d->cmdline.side_extensions.count; i++) {
    tl_args more = side_files(d, d->cmdline.side_extensions.data[i]);
    for (uint32_t k = 0; k < more.count; k++) {
      TL_PUSH(d->arena, files, more.data[k]);
    }
  }
  for (uint32_t i = 0; i < files.count; i++) {
    size_t length;
    char *text = tl_path_read(d->arena, files.data[i], &length);
    bool ours = false;
    for (uint32_t k = 0; text && k < names.count; k++) {
      ours |= strstr(text, names.data[k].temp_folder) != NULL;
    }
    FILE *to = ours ? fopen(files.data[i], "w") : NULL;
    if (to) {
      tl_rewrite_preprocessed(d->arena, text, length, to, &names);
      fclose(to);
    }
  }
}

/* One cc for each input; where they are to be linked, objects first. */
static int compile_one_by_one(driver *d) {
  const tl_cmdline *c = &d->cmdline;
  int worst = 0;
  bool linking = c->mode == TL_CC_LINK;
  for (uint32_t i = 0; i < c->inputs.count; i++) {
    if (!c->inputs.data[i].is_source) {
      continue;
    }
    cc_plan plan = {.only = &c->inputs.data[i]};
    const char *object = NULL;
    if (linking) {
      const char *stem = tl_path_stem(d->arena, c->inputs.data[i].path);
      object = tl_temp_file(d->arena, i, tl_arena_printf(d->arena, "%s.o", stem));
      plan.drop = 1u << TL_ARG_OUTPUT | 1u << TL_ARG_LINK;
      TL_PUSH(d->arena, plan.extra, "-c");
      TL_PUSH(d->arena, plan.extra, "-o");
      TL_PUSH(d->arena, plan.extra, object);
      name_dependencies(d, &plan, plan.only);
    }
    int status = run_cc(d, &plan);
    worst = status ? status : worst;
    if (linking) {
      d->objects[i] = object;
    }
  }
  if (worst || !linking) {
    return worst;
  }
  cc_plan link = {.drop = 1u << TL_ARG_DEPENDENCY | 1u << TL_ARG_LANGUAGE, .objects = true};
  return run_cc(d, &link);
}

static void note_prototypes(driver *d, uint32_t index, const char *messages) {
  size_t length;
  const char *path = tl_arena_printf(d->arena, "%s.prototypes", d->names[index].generated);
  const char *prototypes = tl_path_read(d->arena, path, &length);
  if (prototypes) {
    tl_diag diag;
    tl_diag_init(&diag, d->arena);
    tl_prototypes_explain(&diag, prototypes, messages);
    tl_diag_print(&diag, &(tl_diag_print_opts){.json = d->cmdline.json, .source_line = driver_source_line, .ctx = d},
                  stderr);
  }
}

/* Those of the bodies, which come last, may follow from the user's. */
static bool first_error_is_in(const char *messages, const char *path) {
  const char *error = strstr(messages, "error: "), *line = error;
  while (line && line > messages && line[-1] != '\n') {
    line--;
  }
  return line && strncmp(line, path, strlen(path)) == 0 && line[strlen(path)] == ':';
}

/* With -g the bodies say that they lie elsewhere. */
static void forget_lines(driver *d, const char *path) {
  size_t length;
  const char *text = tl_path_read(d->arena, path, &length);
  FILE *to = text ? fopen(path, "w") : NULL;
  for (size_t n; to && *text; text += n) {
    n = strcspn(text, "\n");
    n += text[n] == '\n';
    fwrite(text, 1, strncmp(text, "#line ", 6) == 0 ? 0 : n, to);
  }
  if (to) {
    fclose(to);
  }
}

/* cc refuses the copy: is it for what we wrote? Then that is a fault of ours, and said so. Else the user may have to
 * see what the functions are like that the messages name. */
static void own_up(driver *d) {
  cc_plan plan = {.drop = NO_OUTPUT};
  TL_PUSH(d->arena, plan.extra, "-fsyntax-only");
  setenv("LC_ALL", "C", 1); /* its messages are read here, and shown to nobody */
  for (uint32_t i = 0; i < d->cmdline.inputs.count; i++) {
    if (d->states[i] != INPUT_TRANSLATED) {
      continue;
    }
    plan.only = &d->cmdline.inputs.data[i];
    forget_lines(d, d->names[i].generated);
    tl_args words = driver_cc_words(d, &plan);
    const char *text = tl_child_words(d->arena, &words);
    const char *generated = d->names[i].generated;
    if (text) {
      note_prototypes(d, i, text);
    }
    if (text && first_error_is_in(text, generated)) {
      driver_complain(d, TL_INTERNAL_ERROR, d->names[i].user_file,
                      "the compiler refuses the derivative that was written for this file",
                      "this is a fault in Tlaloc, not in your program: please report it with the file at " TL_TRACKER);
    }
  }
}

int driver_compile(driver *d) {
  const tl_cmdline *c = &d->cmdline;
  bool one_output = c->output && c->mode != TL_CC_LINK; /* of several inputs: cc refuses that */
  bool one_by_one = c->inputs.count > 1 && !same_folder(d) && !one_output;
  int status;
  if (one_by_one) {
    status = compile_one_by_one(d);
  } else {
    cc_plan plan = {0};
    status = run_cc(d, &plan);
  }
  if (c->writes_dependencies) {
    mend_dependencies(d);
  }
  mend_side_texts(d);
  if (status) {
    own_up(d);
  }
  return status;
}

#include "base/diag_print.h"

#include <assert.h>
#include <string.h>

#include "base/ctext.h"
#include "base/warning.h"

/* ---- warning options ---- */

static bool names(const char *option, const char *prefix, const char *warning) {
  size_t n = strlen(prefix);
  return strncmp(option, prefix, n) == 0 && strcmp(option + n, warning) == 0;
}

static void judge(const char *warning, const tl_warning_opts *opts, bool *out_shown, bool *out_error) {
  bool shown = tl_warning_is_on(warning), error = opts->all_errors;
  assert(tl_warning_is_known(warning));
  for (uint32_t i = 0; i < opts->count; i++) {
    const char *option = opts->options[i];
    if (names(option, "-Werror=", warning)) {
      shown = error = true;
    } else if (names(option, "-Wno-error=", warning)) {
      error = false;
    } else if (names(option, "-Wno-", warning)) {
      shown = false;
    } else if (names(option, "-W", warning)) {
      shown = true;
    }
  }
  *out_shown = shown && !(opts->all_off && !error);
  *out_error = error;
}

void tl_diag_apply_warning_options(tl_diag *d, const tl_warning_opts *opts) {
  uint32_t kept = 0;
  bool shown = true;
  for (uint32_t i = 0; i < d->items.count; i++) {
    tl_diag_item item = d->items.data[i];
    if (item.severity == TL_WARNING) {
      bool error = opts->all_errors;
      shown = !opts->all_off;
      if (item.warning) {
        judge(item.warning, opts, &shown, &error);
      }
      if (shown && error) {
        item.severity = TL_ERROR;
        d->errors++;
      }
    } else if (item.severity == TL_ERROR) {
      shown = true;
    }
    if (shown) {
      d->items.data[kept++] = item;
    }
  }
  d->items.count = kept;
}

/* ---- text ---- */

static const char *const severity_names[] = {[TL_ERROR] = "error", [TL_WARNING] = "warning", [TL_NOTE] = "note"};

static void print_place(const tl_loc *loc, const tl_diag_print_opts *opts, FILE *out) {
  if (!loc->file) {
    fprintf(out, "%s: ", opts->program ? opts->program : "tlalocc");
  } else if (!loc->line) {
    fprintf(out, "%s: ", loc->file);
  } else if (!loc->column) {
    fprintf(out, "%s:%u: ", loc->file, loc->line);
  } else {
    fprintf(out, "%s:%u:%u: ", loc->file, loc->line, loc->column);
  }
}

static bool continues_utf8(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* The caret line repeats the source line's tabs, so that it stands right at any tab width. */
static void print_caret(const char *text, const tl_loc *loc, const char *fix, FILE *out) {
  uint32_t length = (uint32_t)strlen(text);
  fputs("      | ", out);
  for (uint32_t i = 0; i + 1 < loc->column && i < length; i++) {
    if (!continues_utf8(text[i])) {
      fputc(text[i] == '\t' ? '\t' : ' ', out);
    }
  }
  fputc('^', out);
  for (uint32_t i = loc->column; i + 1 < loc->end_column && i < length; i++) {
    if (!continues_utf8(text[i])) {
      fputc('~', out);
    }
  }
  fputc('\n', out);
  if (fix) {
    fputs("      | ", out);
    for (uint32_t i = 0; i + 1 < loc->column && i < length; i++) {
      if (!continues_utf8(text[i])) {
        fputc(text[i] == '\t' ? '\t' : ' ', out);
      }
    }
    fprintf(out, "%s\n", fix);
  }
}

static void print_text_item(const tl_diag_item *item, const tl_diag_print_opts *opts, FILE *out) {
  print_place(&item->loc, opts, out);
  fprintf(out, "%s: %s", severity_names[item->severity], item->message);
  if (item->warning) {
    fprintf(out, item->severity == TL_ERROR ? " [-Werror=%s]" : " [-W%s]", item->warning);
  } else if (item->code) {
    fprintf(out, " [%s]", tl_status_name(item->code));
  }
  fputc('\n', out);
  const char *text =
      item->loc.line && opts->source_line ? opts->source_line(opts->ctx, item->loc.file, item->loc.line) : NULL;
  if (text) {
    fprintf(out, "%5u | %s\n", item->loc.line, text);
    if (item->loc.column) {
      print_caret(text, &item->loc, item->fix, out);
    }
  }
}

/* ---- JSON ---- */

static void print_json_string(const char *s, FILE *out) {
  if (!s) {
    fputs("null", out);
    return;
  }
  fputc('"', out);
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    size_t length = 1;
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c == '\n') {
      fputs("\\n", out);
    } else if (c == '\t') {
      fputs("\\t", out);
    } else if (c < 0x20) {
      fprintf(out, "\\u%04x", c);
    } else if (c >= 0x80 && !(length = tl_utf8_length(s))) {
      fputs("\\ufffd", out); /* JSON has no other bytes than UTF-8's, and a file's name may */
    } else {
      fwrite(s, 1, length, out);
      s += length - 1;
    }
  }
  fputc('"', out);
}

static void print_json_place(const tl_loc *loc, FILE *out) {
  fputs("\"file\":", out);
  print_json_string(loc->file, out);
  fprintf(out, ",\"line\":%u,\"column\":%u,\"end\":%u", loc->line, loc->column,
          loc->end_column > loc->column ? loc->end_column : loc->column + (loc->column > 0));
}

static void print_json_item(const tl_diag_item *item, const tl_diag_item *notes, uint32_t note_count, FILE *out) {
  fputc('{', out);
  print_json_place(&item->loc, out);
  fprintf(out, ",\"severity\":\"%s\",\"code\":", severity_names[item->severity]);
  print_json_string(item->warning ? item->warning : item->code ? tl_status_name(item->code) : NULL, out);
  fputs(",\"message\":", out);
  print_json_string(item->message, out);
  fputs(",\"notes\":[", out);
  for (uint32_t i = 0; i < note_count; i++) {
    fputs(i ? ",{" : "{", out);
    print_json_place(&notes[i].loc, out);
    fputs(",\"message\":", out);
    print_json_string(notes[i].message, out);
    fputc('}', out);
  }
  fputs("],\"fix\":", out);
  print_json_string(item->fix, out);
  fputs("}\n", out);
}

/* ---- both ---- */

static bool same_string(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool repeats(const tl_diag_item *a, const tl_diag_item *b) {
  return a->severity == b->severity && a->code == b->code && a->loc.line == b->loc.line &&
         a->loc.column == b->loc.column && same_string(a->loc.file, b->loc.file) && same_string(a->message, b->message);
}

static bool printed_before(const tl_diag *d, uint32_t at) {
  for (uint32_t i = 0; i < at; i++) {
    if (d->items.data[i].severity != TL_NOTE && repeats(&d->items.data[i], &d->items.data[at])) {
      return true;
    }
  }
  return false;
}

void tl_diag_print(const tl_diag *d, const tl_diag_print_opts *opts, FILE *out) {
  for (uint32_t i = 0; i < d->items.count;) {
    const tl_diag_item *item = &d->items.data[i];
    uint32_t notes = 0;
    while (i + 1 + notes < d->items.count && d->items.data[i + 1 + notes].severity == TL_NOTE) {
      notes++;
    }
    if (!printed_before(d, i)) {
      if (opts->json) {
        print_json_item(item, item + 1, notes, out);
      } else {
        for (uint32_t k = 0; k <= notes; k++) {
          print_text_item(item + k, opts, out);
        }
      }
    }
    i += 1 + notes;
  }
}

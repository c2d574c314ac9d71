/* Prints docs/ops.md from the op table. `tl-opdoc > docs/ops.md` after a row has changed; a test compares the two. */
#include <stdio.h>
#include <string.h>

#include "ir/ir.h"

typedef struct row {
  tl_opcode code;
  const char *samples, *meaning; /* as the table spells them; NULL for structural and control ops */
} row;

static const row rows[] = {
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) {TL_OP_##name, #samples, #meaning},
#define TL_STR(name, class, arity, doc) {TL_OP_##name, NULL, NULL},
#define TL_CTL(name, class, arity, doc) {TL_OP_##name, NULL, NULL},
#define TL_TEN(name, class, arity, attributes, doc) {TL_OP_##name, NULL, NULL},
#include "ir/ops.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *operands_text(tl_operand_kind kind) {
  switch (kind) {
  case TL_OPERANDS_NUM:
    return "number";
  case TL_OPERANDS_INT:
    return "integer, i1";
  case TL_OPERANDS_FLT:
    return "floating";
  case TL_OPERANDS_BOOL:
    return "i1";
  case TL_OPERANDS_FLT_INT:
    return "floating; i32";
  case TL_OPERANDS_INT_FLT:
    return "i32; floating";
  case TL_OPERANDS_SELECT:
    return "i1; any; any";
  case TL_OPERANDS_ANY:
    return "any";
  case TL_OPERANDS_OTHER:
    break;
  }
  return "";
}

static const char *result_text(tl_result_kind kind) {
  switch (kind) {
  case TL_RESULT_SAME:
    return "same";
  case TL_RESULT_BOOL:
    return "i1";
  case TL_RESULT_I32:
    return "i32";
  case TL_RESULT_I64:
    return "i64";
  case TL_RESULT_GIVEN:
    return "stated";
  case TL_RESULT_OTHER:
    break;
  }
  return "";
}

static const char *derivative_text(tl_op_class c) {
  switch (c) {
  case TL_CLASS_ELEM:
    return "partials";
  case TL_CLASS_ZEROGRAD:
    return "zero";
  case TL_CLASS_LINEAR:
    return "transpose";
  case TL_CLASS_BILINEAR:
    return "two transposes";
  case TL_CLASS_HAND:
    return "tangent and cotangent";
  case TL_CLASS_BUILDER:
    return "none";
  case TL_CLASS_REGION:
    return "by hand";
  }
  return "";
}

static void print_lower(const char *s) {
  for (; *s; s++) {
    putchar(*s == '_' ? '-' : *s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
  }
}

/* A cell of a table: a bar would end it. */
static void print_cell(const char *s) {
  for (; *s; s++) {
    if (*s == '|') {
      putchar('\\');
    }
    putchar(*s);
  }
}

/* M(f)(x) is f(x); helpers lose their prefix; the blanks around an operator are even. */
static void print_meaning(const char *s) {
  putchar('`');
  while (*s) {
    if (!strncmp(s, "M(", 2)) {
      s += 2;
      s += !strncmp(s, "tl__", 4) ? 4 : 0;
      while (*s && *s != ')') {
        putchar(*s++);
      }
      s += *s == ')';
      continue;
    }
    if (*s == '|') {
      putchar('\\');
    }
    putchar(*s);
    if ((*s == '*' || *s == '&') && s[1] && s[1] != ' ') {
      putchar(' ');
    }
    s++;
  }
  putchar('`');
}

static void print_elementwise(void) {
  puts("## Elementwise ops\n"
       "\n"
       "Scalars in, one scalar out. Operands have one dtype unless the column says otherwise. *Derivative*: "
       "`partials`, one\n"
       "per floating operand (`src/ops/elementwise.c`); `transpose`, the op is linear (`src/ops/structural.c`); "
       "`zero`.\n"
       "*Samples*: where test points are drawn.\n"
       "\n"
       "| op | operands | result | meaning | derivative | samples | |\n"
       "|---|---|---|---|---|---|---|");
  for (int i = 0; i < ROWS; i++) {
    const tl_op_info *info = &tl_op_table[rows[i].code];
    if (!info->elementwise) {
      continue;
    }
    printf("| `%s` | %s | %s | ", info->name, operands_text(info->operands), result_text(info->result));
    print_meaning(rows[i].meaning);
    printf(" | %s | ", derivative_text(info->op_class));
    print_lower(rows[i].samples);
    printf(" | ");
    print_cell(info->doc);
    puts(" |");
  }
}

static void print_others(const char *heading, bool control) {
  printf("\n## %s\n\n| op | operands | derivative | |\n|---|---|---|---|\n", heading);
  for (int i = 0; i < ROWS; i++) {
    const tl_op_info *info = &tl_op_table[rows[i].code];
    if (info->elementwise || info->on_tensors || (info->op_class == TL_CLASS_REGION) != control) {
      continue;
    }
    printf("| `%s` | ", info->name);
    if (info->arity < 0) {
      printf("varies");
    } else {
      printf("%d", info->arity);
    }
    printf(" | %s | ", derivative_text(info->op_class));
    print_cell(info->doc);
    puts(" |");
  }
}

static void print_tensor_ops(void) {
  static const char *const kinds[] = {
      [TL_ATTR_AXES] = "axes",       [TL_ATTR_AXIS] = "axis",       [TL_ATTR_FLAG] = "flag",
      [TL_ATTR_OPTION] = "option",   [TL_ATTR_INTEGER] = "integer", [TL_ATTR_COUNT] = "count",
      [TL_ATTR_MODE] = "index mode", [TL_ATTR_REDUCER] = "reducer", [TL_ATTR_DTYPE] = "dtype",
      [TL_ATTR_INTS] = "integers",   [TL_ATTR_SHAPE] = "shape"};
  printf("\n## Tensor ops\n\nThe elementwise ops take tensors too: scalars and tensors of one shape.\n\n"
         "| op | operands | attributes | derivative | |\n|---|---|---|---|---|\n");
  for (int i = 0; i < ROWS; i++) {
    const tl_op_info *info = &tl_op_table[rows[i].code];
    if (!info->on_tensors) {
      continue;
    }
    printf("| `%s` | %d | ", info->name, info->arity);
    for (int k = 0; k < info->attr_count; k++) {
      const char *name = info->attrs[k].name, *kind = kinds[info->attrs[k].kind];
      printf(strcmp(name, kind) ? "%s%s: %s" : "%s%s", k ? ", " : "", name, kind);
    }
    printf(" | %s | ", derivative_text(info->op_class));
    print_cell(info->doc);
    puts(" |");
  }
}

int main(void) {
  puts("# Ops of DXIR\n"
       "\n"
       "Generated from `src/ir/ops.def` by `tl-opdoc`. The text form and the rules of a graph are in `ir.md`.\n");
  print_elementwise();
  print_others("Structural ops", false);
  print_tensor_ops();
  print_others("Control", true);
  return fflush(stdout) ? 1 : 0;
}

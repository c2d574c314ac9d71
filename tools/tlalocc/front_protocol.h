/* What tlalocc and its child tlaloc-front agree on. */
#ifndef TLALOCC_FRONT_PROTOCOL_H
#define TLALOCC_FRONT_PROTOCOL_H

/* tlaloc-front [options] -- cc's arguments that bear on reading
 *   --file=PATH        the user's file, as spelled
 *   --read=PATH        where its text lies, if not there (standard input)
 *   --out=PATH         the copy with prototypes that cc reads
 *   --generated=PATH   the bodies, which the copy includes at its end
 *   --preprocessed=PATH  what cc -E printed
 *   --dump-source=PATH "-" is standard output
 *   --fail-allocation=N  for tests: the N-th allocation fails
 * and tlalocc's own options as tlalocc takes them. */
typedef enum tl_front_status {
  TL_FRONT_TRANSLATED = 0, /* --out and --generated are written */
  TL_FRONT_FAILED = 1,     /* errors were printed */
  TL_FRONT_NOTHING = 10,   /* no intrinsic in the file */
  TL_FRONT_SYNTAX = 11,    /* clang cannot read the file: --out is written for cc to say why, --generated with
                              ".message" behind it holds clang's first message, "line:column:text", should cc accept it */
  TL_FRONT_DOUBTFUL = 12, /* errors were printed, but they may follow from what clang does not know: --out is written as
                             for SYNTAX, and where cc refuses it, its messages are the ones to show */
} tl_front_status;

#define TL_TRACKER "https://github.com/tlaloc/tlaloc/issues"

#endif

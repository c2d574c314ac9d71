/* Whole files into memory. */
#ifndef TLALOCC_FILES_H
#define TLALOCC_FILES_H

#include <stdio.h>

#include "base/arena.h"

/* From where the stream stands to its end, with a null character behind; NULL with errno set where reading fails. */
char *tl_file_read(tl_arena *, FILE *, size_t *out_length);
/* NULL with errno set where the file cannot be read. */
char *tl_path_read(tl_arena *, const char *path, size_t *out_length);

#endif

/* A header that is not the user's to change. */
#pragma GCC system_header
#include <stddef.h>
typedef struct { size_t n; double *w; } foreign;

/* The ops of PyTorch that the cases are of, each by one function of tensor.h. */
#ifndef TL_TESTS_OPINFO_OPS_H
#define TL_TESTS_OPINFO_OPS_H

#include "case.h"

typedef struct op_map {
  const char *name; /* PyTorch's, with OpInfo's variant */
  play_fn *play;
} op_map;
sweep_tolerance op_tolerance(const op_map *);
extern const op_map op_maps[];
extern const int op_map_count;

#endif

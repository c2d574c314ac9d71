/* Growable arrays in an arena: TL_VEC(int) v = {0}; TL_PUSH(arena, v, 3); v.data[0]; v.count. */
#ifndef TL_BASE_VEC_H
#define TL_BASE_VEC_H

#include <stdint.h>

#include "base/arena.h"

#define TL_VEC(type)                                                                                                   \
  struct {                                                                                                             \
    type *data;                                                                                                        \
    uint32_t count, room;                                                                                              \
  }

#define TL_PUSH(arena, v, ...)                                                                                         \
  do {                                                                                                                 \
    if ((v).count == (v).room) {                                                                                       \
      uint32_t room_ = (v).room ? 2 * (v).room : 8;                                                                    \
      (v).data = tl_arena_grow((arena), (v).data, sizeof *(v).data * (v).count, sizeof *(v).data * room_);             \
      (v).room = room_;                                                                                                \
    }                                                                                                                  \
    (v).data[(v).count++] = (__VA_ARGS__);                                                                             \
  } while (0)

#endif

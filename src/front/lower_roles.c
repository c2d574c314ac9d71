#include "front/lower_priv.h"

void tl__roles(tl_func *f, const bool *inout) {
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (f->results.data[i].role == TL_RESULT_FINAL) {
      f->cparams.data[f->params.data[f->results.data[i].param].cparam].role = TL_ROLE_INOUT;
    }
  }
  (void)inout;
}

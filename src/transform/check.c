#include "transform/derive_priv.h"

tl_func *tl__derive_check_vjp(tl_derive_ctx *d) {
  tl_diag_error(d->f->module->diag, TL_UNSUPPORTED_CONSTRUCT, d->spec->loc, "tl_check_vjp is not there yet");
  return NULL;
}

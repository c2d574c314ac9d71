#include <tlaloc/tensor.h>
tl_bound(Fine, 1);
tl_bound(None, 0);
tl_bound(Negative, 2 - 5);
tl_tensor kept(tl_typed(F32, None) x) { return x; }

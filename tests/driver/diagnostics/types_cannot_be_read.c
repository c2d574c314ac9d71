#include <tlaloc/tensor.h>
enum { WIDTH = 3 };
tl_axis(Batch);
tl_bound(Most, 9);
tl_tensor a(tl_typed(F32, Btach) x);
tl_tensor b(tl_typed(float, 3) x);
tl_tensor c(tl_typed(F80, 3) x);
tl_tensor d(tl_typed(F32, Batch, -1) x);
tl_tensor e(tl_typed(F32, Most(Batch)) x);
tl_tensor f(tl_typed(F32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13) x);
tl_tensor g(tl_typed(F32, Batch(WIDTH), 2 * WIDTH, Batch(Most), tl_any) x);

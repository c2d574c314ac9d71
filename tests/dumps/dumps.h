/* A program of this folder is compiled twice. With tlalocc it asks for derivatives; with DUMPED its calls stand behind
 * the text that tlalocc writes of them. Either way run_<variant> sets the same results. */
#ifdef DUMPED
#define RUN run_dumped
#define CALL(intrinsic, f) f##__##intrinsic
#define CALL_BY(intrinsic, f, x) f##__##intrinsic##__##x
#else
#include <tlaloc/grad.h>
#define RUN run_compiled
#define CALL(intrinsic, f) tl_##intrinsic(f)
#define CALL_BY(intrinsic, f, x) tl_##intrinsic(f, x)
#endif
int RUN(double out[]); /* how many it sets */

#include <stdio.h>
#include <string.h>

enum { MOST = 1000 };
int run_compiled(double out[]), run_dumped(double out[]);

int main(void) {
  static double compiled[MOST], dumped[MOST];
  int n = run_compiled(compiled);
  if (n < 1 || n > MOST || run_dumped(dumped) != n) {
    return 1;
  }
  for (int i = 0; i < n; i++) {
    if (memcmp(&compiled[i], &dumped[i], sizeof(double)) != 0) {
      printf("result %d: %a compiled, %a by the dump\n", i, compiled[i], dumped[i]);
      return 1;
    }
  }
  return 0;
}

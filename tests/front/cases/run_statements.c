/* Control flow, with its path printed. */
#include <stdio.h>
static int steps;
static int step(int n) {
  printf("%d ", n);
  return ++steps, n;
}
#define EVER for (;;)
#define EACH(i, n) for (int i = 0; i < (n); i++)

static int loops(int n) {
  int s = 0;
  EACH(i, n) EACH(j, i) {
    if (j == 3) break;
    if ((i + j) % 2) continue;
    s += i * j;
  }
  EVER {
    if (s-- < 3) break;
  }
  for (; n;) n--;
  for (n = 5;; n--)
    if (n < 2) break;
  for (int i = 0, j = 9; i < j; i += 2, --j) s = s * 3 + step(i * j);
  do {
    s += step(s & 7);
  } while (s % 5);
  while (s > 3) s /= 2;
  do s++;
  while (s < 9);
  return s;
}

static int switches(int n) {
  int r = 0;
  switch (n) {
    case 0:
      r = 10;
      break;
    case 1:
    case 2:
      r += 20;
      /* fall through */
    case 3:
      r += 1;
      break;
    case 5 ... 7:
      r = 57;
      switch (n - 5) {
        case 1:
          r++;
        default:
          r += 100;
      }
      break;
    case -4: {
      int r = 3;
      step(r);
    } break;
    default:
      r = -1;
    case 9:
      r--;
  }
  switch (n & 1)
  case 1:
    r += 1000;
  return r;
}

static int duff(int n) {
  int done = 0;
  switch (n % 4) {
    case 0:
      do {
        done++;
        case 3:
          done += 10;
        case 2:
          done += 100;
        case 1:
          done += 1000;
      } while ((n -= 4) > 0);
  }
  return done;
}

static int jumps(int n) {
  int s = 0;
again:
  s += n;
  if (n-- > 0) goto again;
  if (s > 5) goto end;
  s = -s;
end:
  return s;
}

static int order(int a, int b) { return (step(a) && step(b)) || (step(a + 1), step(b - 1)) ? step(7) : step(8); }

static int expressions(int n) {
  int t = ({
    int u = n * 2;
    for (int i = 0; i < 3; i++) u += i;
    u;
  });
  t += n ?: 99;
  t += (n > 2 ? step(3) : step(4)) ?: step(5);
  return t;
}

int main(void) {
  for (int n = -5; n < 12; n++) {
    printf("%d: %d %d %d %d", n, switches(n), n > 0 ? duff(n) : 0, jumps(n), n >= 0 ? loops(n) : 0);
    printf(" %d %d %d\n", order(n, n & 1), order(n & 1, 0), expressions(n));
  }
  printf("%d\n", steps);
  return 0;
}

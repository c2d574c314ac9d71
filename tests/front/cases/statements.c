/* Every statement; loops with parts left out. */
int work(int n, double x[n]) {
  for (int i = 0, j = n; i < j; i++, j--) x[i] += x[j];
  for (;;) break;
  for (n = 3;;) break;
  for (; n;) n--;
  for (;; n--) {
    if (n < 0) break;
    else continue;
  }
  for (n = 1; n < 4;) n++;
  for (n = 1;; n++)
    if (n > 5) break;
  for (; n; n--)
    ;
  for (/* a ; comment */ ; n > "a;b"[0] ; /* ) */ ) n--; // ;
  while (n < 10) n += 2;
  do n--;
  while (n > 4);
  do {
    n--;
  } while (n);
  switch (n + 1) {
    int unreachable;
    case 0:
    case 1:
      n = 1;
      break;
    case 'a' ... 'z':
      n = 2;
      /* fall through */
    case -1: {
      n = 3;
      break;
    }
    case 3 * 2 + (1 ? 1 : 0):
      break;
    default:
      unreachable = 3;
      n = unreachable;
  }
  switch (n)
  case 4:
    n++;
  if (n) goto out;
  {
    int n = 3;
    double x = n;
    (void)x;
  }
again:
  n++;
  if (n < 3) goto again;
  if (n == 4) {
  } else if (n == 5) {
    return 5;
  }
  _Pragma("clang loop unroll(full)") for (int i = 0; i < 3; i++) n++;
  typedef double row[3];
  struct inner {
    int a;
  } s = {3};
  extern int elsewhere;
  static double counter = 1.5;
  register int r = s.a, q;
  row v;
  v[0] = counter;
  q = elsewhere;
  int local(int);
  local(q);
  _Static_assert(sizeof(int) == 4, "");
  ;
out:
  return r + v[0];
}

void nothing(void) { return; }

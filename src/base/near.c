#include "base/near.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = 63 };

static bool same(char a, char b, bool any_case) {
  return a == b || (any_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* Insertions, deletions, replacements and swaps of neighbours that lead from a to b. */
static uint32_t distance(const char *a, const char *b, bool any_case) {
  uint32_t n = (uint32_t)strlen(a), m = (uint32_t)strlen(b);
  if (n > LONGEST_NAME || m > LONGEST_NAME) {
    return UINT32_MAX;
  }
  uint32_t d[LONGEST_NAME + 1][LONGEST_NAME + 1];
  for (uint32_t i = 0; i <= n; i++) {
    for (uint32_t k = 0; k <= m; k++) {
      if (!i || !k) {
        d[i][k] = i + k;
        continue;
      }
      uint32_t best = d[i - 1][k - 1] + !same(a[i - 1], b[k - 1], any_case);
      best = d[i - 1][k] + 1 < best ? d[i - 1][k] + 1 : best;
      best = d[i][k - 1] + 1 < best ? d[i][k - 1] + 1 : best;
      bool swapped = i > 1 && k > 1 && same(a[i - 1], b[k - 2], any_case) && same(a[i - 2], b[k - 1], any_case);
      d[i][k] = swapped && d[i - 2][k - 2] + 1 < best ? d[i - 2][k - 2] + 1 : best;
    }
  }
  return d[n][m];
}

bool tl_near_consider(tl_near *near, const char *candidate) {
  uint32_t length = (uint32_t)strlen(near->wrong), n = distance(near->wrong, candidate, near->any_case);
  uint32_t allowed = length < 4 ? length > 1 : length / 3;
  if (n > allowed || (near->best && n >= near->distance)) {
    return false;
  }
  near->best = candidate;
  near->distance = n;
  return true;
}

const char *tl_names_quoted(tl_arena *a, uint32_t count, const char *const names[]) {
  const char *text = "";
  for (uint32_t i = 0; i < count; i++) {
    const char *before = i == 0 ? "" : i + 1 < count ? ", " : " and ";
    text = tl_arena_printf(a, "%s%s'%s'", text, before, names[i]);
  }
  return text;
}

# Sourced by the scripts that run cases of tlalocc: TLALOCC is their first argument. Each case begins in an empty folder.
tlalocc=$(realpath "$1")
include=$(realpath "$(dirname "$tlalocc")/../include")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TMPDIR="$work/tmp"
mkdir "$work/tmp" "$work/run"
cd "$work/run"
count=0 faults=0

fault() {
  echo "$name: $*"
  faults=$((faults + 1))
}
begin() {
  name=$1
  count=$((count + 1))
  cd "$work"
  rm -rf run
  mkdir run
  cd run
}
# expect_status N COMMAND...: runs it, output to out and err.
expect_status() {
  wanted=$1
  shift
  status=0
  "$@" >out 2>err </dev/null || status=$?
  [ "$status" = "$wanted" ] || { fault "status $status, not $wanted: $*"; sed -n 1,5p err; }
}
expect_text() {
  if ! printf '%s\n' "$2" | diff - "$1" >diff.out; then
    fault "$1 differs"
    cat diff.out
  fi
}
expect_line() { grep -qF -- "$2" "$1" || { fault "no line with '$2' in $1:"; sed -n 1,8p "$1"; }; }
expect_no_temporaries() { [ -z "$(ls -A "$work/tmp")" ] || fault "temporaries are left: $(ls -A "$work/tmp")"; }

grad_c() {
  cat >grad.c <<'C'
#include <math.h>
#include <tlaloc/grad.h>

struct pair { double a, b[2]; };
typedef double real;
enum { COUNT = 2 };
static const double weights[COUNT] = {0.5, 2.0};

static real helper(real x) { return sin(x) * weights[1]; }

double f(double x, const struct pair *p) {
  double s = helper(x);
  for (int i = 0; i < COUNT; i++) {
    s += p->b[i] * weights[i] * p->a;
  }
  return s;
}

double use(const struct pair *p, struct pair *p_bar) { return tl_grad(f, x)(1.0, p) + tl_value_and_grad(f, p)(1.0, p, p_bar); }
C
}

end() {
  echo "$count cases, $faults faults"
  [ "$faults" = 0 ]
}

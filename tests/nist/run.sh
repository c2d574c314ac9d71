#!/bin/sh
# run.sh fits|models|controls SOURCE TLALOCC FOLDER
set -e
part=$1 source=$2 out=$4
export TLALOCC="$3" TLALOC_INCLUDE="$2/include" TL_BUILD="$4"
demo() { "$source/examples/nist/run.sh" "$@"; }
mkdir -p "$out"

# problem FILE MODEL Y-FORMULA: a problem in a and b over x and z, exact for a = 2, b = 0.5.
problem() {
  {
    echo '# made'
    echo "# model: $2"
    echo '# residual_sum_of_squares: 1'
    echo '# a: start1=1 start2=1.8 certified=2 sd=0'
    echo '# b: start1=0.3 start2=0.6 certified=0.5 sd=0'
    echo 'y,x,z'
    awk "BEGIN { for (i = 1; i <= 9; i++) { x = i / 3; z = 1 + i % 4; printf \"%.17g,%.17g,%.17g\\n\", $3, x, z } }"
  } >"$1"
}

case $part in
fits)
  demo | tee "$out/table"
  [ "$(grep -cE '^[A-Z][A-Za-z0-9]+ +[0-9]' "$out/table")" -eq 27 ]
  grep -qE '^([0-9]+) of the \1 fits that count' "$out/table"
  grep -q '<polyline' "$out/nist-thurber.svg"
  ;;
models)
  problem "$out/one.csv" 'y = a*exp[-b*x] + z + e' '2 * exp(-0.5 * x) + z'
  problem "$out/two.csv" '2 Parameters (a and b) k = 3.0E0 y = k*{a + b*x**2}/(1 + z) + e' '3 * (2 + 0.5 * x * x) / (1 + z)'
  problem "$out/three.csv" 'log[y] = a - b*x**(-z/2) + e' 'exp(2 - 0.5 * x ^ (-z / 2))'
  problem "$out/four.csv" 'y = -a**2*x - -b**-1 + cos(pi*z)*sqrt(x) + e' '-4 * x + 2 + (z % 2 ? -1 : 1) * sqrt(x)'
  demo "$out"/one.csv "$out"/two.csv "$out"/three.csv "$out"/four.csv
  ;;
controls)
  # A certified value that is wrong in its eighth digit is told from the right one, and a bad model is refused.
  sed 's/certified=2.3894212918E+02/certified=2.3894214918E+02/' "$source/examples/nist/data/Misra1a.csv" >"$out/off.csv"
  if demo "$out/off.csv"; then
    exit 1
  fi
  demo "$source/examples/nist/data/Misra1a.csv"
  for model in 'y = a*expo[-b*x] + e' 'y = a*(x + b + e' 'y = a*x + c + e' 'a*x + b + e' 'y = a*x + b e' 'y = a*x] + b + e'; do
    problem "$out/bad.csv" "$model" 'x'
    if demo "$out/bad.csv" 2>"$out/message"; then
      exit 1
    fi
    grep -q 'the model line' "$out/message"
  done
  ;;
esac

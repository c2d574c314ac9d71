#!/bin/sh
# run.sh fits|models|controls SOURCE TLALOCC FOLDER
set -e
part=$1 source=$2 out=$4
export LC_ALL=C
export TLALOCC="$3" TLALOC_INCLUDE="$2/include" TL_BUILD="$4"
demo() { "$source/examples/nist/run.sh" "$@"; } # builds nist_demo, then runs it
fit() { "$out/bin/nist_demo" "$@"; }
mkdir -p "$out"

# refused FILE TEXT: the exit status is 1, the message has the text, and there is no table.
refused() {
  status=0
  fit "$1" >"$out/table" 2>"$out/message" || status=$?
  if [ "$status" != 1 ] || ! grep -qF "$2" "$out/message" || [ -s "$out/table" ]; then
    echo "$1: status $status, without '$2' or with a table:" >&2
    cat "$out/message" "$out/table" >&2
    exit 1
  fi
}

# unfitted FILE WHY: from the first start there is no fit, for that reason, and from the second there is.
unfitted() {
  status=0
  fit --parameters "$1" >"$out/table" 2>"$out/message" || status=$?
  if [ "$status" != 1 ] || [ "$(cat "$out/message")" != "$1: start 1: $2" ] || ! grep -q '^ *start 1: no fit$' "$out/table" ||
    ! grep -q '^ *start 2: a = ' "$out/table" || ! grep -q '| *- *- *[0-9]* *[-no]* *NO FIT *|' "$out/table" ||
    ! grep -q '; from 1 start there is no fit$' "$out/table"; then
    echo "$1: status $status, or a table or message that is wrong:" >&2
    cat "$out/message" "$out/table" >&2
    exit 1
  fi
}

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
  grep -qx '53 of the 53 fits that count have at least 10 certified digits' "$out/table"
  grep -q '<polyline' "$out/nist-thurber.svg"
  ;;
models)
  problem "$out/one.csv" 'y = a*exp[-b*x] + z + e' '2 * exp(-0.5 * x) + z'
  problem "$out/two.csv" '2 Parameters (a and b) k = 3.0E0 y = k*{a + b*x**2}/(1 + z) + e' '3 * (2 + 0.5 * x * x) / (1 + z)'
  problem "$out/three.csv" 'log[y] = a - b*x**(-z/2) + e' 'exp(2 - 0.5 * x ^ (-z / 2))'
  problem "$out/four.csv" 'y = -a**2*x - -b**-1 + cos(pi*z)*sqrt(x) + e' '-4 * x + 2 + (z % 2 ? -1 : 1) * sqrt(x)'
  demo "$out"/one.csv "$out"/two.csv "$out"/three.csv "$out"/four.csv >"$out/table"
  cat "$out/table"
  [ "$(grep -cE '^ +start [12]: a = 2 b = 0\.5$' "$out/table")" -eq 8 ]
  # Without certified values there are no digits, and lmder is compared with the fit.
  sed '/^# residual/d; s/ certified=.*//' "$out/one.csv" >"$out/uncertified.csv"
  demo "$out/uncertified.csv" >"$out/table"
  cat "$out/table"
  [ "$(grep -cE '^ +start [12]: a = 2 b = 0\.5$' "$out/table")" -eq 2 ]
  [ "$(grep -oE '\| +- +- +[0-9]+ +yes \(no count\)' "$out/table" | wc -l)" -eq 2 ]
  grep -qx '0 of the 0 fits that count have at least 10 certified digits' "$out/table"
  ;;
controls)
  # A certified value that is wrong in its eighth digit is told from the right one, and a bad model is refused.
  sed 's/certified=2.3894212918E+02/certified=2.3894214918E+02/' "$source/examples/nist/data/Misra1a.csv" >"$out/off.csv"
  if demo "$out/off.csv"; then
    exit 1
  fi
  fit "$source/examples/nist/data/Misra1a.csv"
  for model in 'y = a*expo[-b*x] + e' 'y = a*(x + b + e' 'y = a*x + c + e' 'a*x + b + e' 'y = a*x + b e' 'y = a*x] + b + e'; do
    problem "$out/bad.csv" "$model" 'x'
    refused "$out/bad.csv" "$out/bad.csv:2: the model line: "
  done
  # So is a file that is damaged: each is the first, which is good, with one edit.
  problem "$out/whole.csv" 'y = a*exp[-b*x] + z + e' '2 * exp(-0.5 * x) + z'
  fit "$out/whole.csv"
  damaged() { # TEXT SED-SCRIPT
    sed "$2" "$out/whole.csv" >"$out/bad.csv"
    if cmp -s "$out/whole.csv" "$out/bad.csv"; then
      echo "nothing is damaged by $2" >&2
      exit 1
    fi
    refused "$out/bad.csv" "$1"
  }
  damaged 'bad.csv:9: a row does not have one number for each column' '9s/,[^,]*$//'
  damaged 'bad.csv:9: a row does not have one number for each column' '9s/$/,1/'
  damaged 'bad.csv:9: a row does not have one number for each column' '9s/,/,x/'
  damaged 'bad.csv:9: a row does not have one number for each column' '9s/,/ /'
  damaged 'bad.csv:6: the header has too many columns' '6s/$/,c,d,e,f,g,h,i,j,k,l,m,n,o,p/'
  damaged 'bad.csv:6: the header has too many columns, or a name that is empty' '6s/,/, ,/'
  damaged 'bad.csv:6: the header has too many columns, or a name that is empty or too long' '6s/x/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/'
  many=$(seq 31 | awk '{ printf "# c%d: start1=1 start2=1 certified=1\\n", $1 }')
  damaged 'bad.csv:36: too many parameters' "5s/\$/\\n$many/"
  damaged "there is no line '# model: ...'" '2d'
  damaged "there is no line '# NAME: start1=... start2=...' of a parameter" '4,5d'
  damaged "bad.csv:4: this parameter has no 'start2='" '4,5s/start2/start/'
  damaged "bad.csv:5: this parameter has no 'certified=', which all have or none" '5s/certified=0.5//'
  damaged "bad.csv:4: there is no number behind 'certified='" '4,5s/certified=.*/certified=/'
  damaged "bad.csv:5: this parameter has 'certified='" '4s/certified=2//'
  damaged 'there are no observations' '7,$d'
  damaged 'there are fewer observations than parameters' '8,$d'
  damaged 'bad.csv:6: a column cannot have the name int' '6s/x/int/'
  damaged 'bad.csv:8: a carriage return stands within the line' '8s/,/\r/'
  # Of numbers those alone that are finite, everywhere.
  for number in nan NAN -nan inf -inf infinity 1e999 'nan(1)'; do
    damaged 'bad.csv:9: a row has a number that is not finite' "9s/^[^,]*/$number/"
    damaged 'bad.csv:9: a row has a number that is not finite' "9s/,[^,]*/,$number/"
    damaged 'bad.csv:9: a row has a number that is not finite' "9s/,[^,]*\$/,$number/"
    for key in start1= start2= certified= sd=; do
      damaged "bad.csv:5: the number behind '$key' is not finite" "5s/$key[^ ]*/$key$number/"
    done
    damaged "bad.csv:3: the number behind 'residual_sum_of_squares:' is not finite" "3s/: .*/: $number/"
  done
  for key in start1= start2= certified= sd=; do
    damaged "bad.csv:5: there is no number behind '$key'" "5s/$key/${key}x/"
    damaged "bad.csv:5: there is no number behind '$key'" "5s/$key[^ ]*/&x/"
  done
  damaged "bad.csv:3: there is no number behind 'residual_sum_of_squares:'" '3s/: .*/: one/'
  : >"$out/bad.csv"
  refused "$out/bad.csv" 'bad.csv: the file is empty'
  refused "$out/none.csv" "$out/none.csv: No such file"
  refused "$out" "$out: Is a directory"
  # Nor has what fails a table, with other files' or without.
  status=0
  fit "$out/none.csv" "$out/whole.csv" "$out" >"$out/table" 2>"$out/message" || status=$?
  [ "$status" = 1 ]
  grep -q '^whole ' "$out/table"
  grep -q '; 2 files failed$' "$out/table"
  # A byte order mark is no part of the first line, be it a title or the model.
  for script in '' 1d; do
    { printf '\357\273\277' && sed "$script" "$out/whole.csv"; } >"$out/marked.csv"
    fit "$out/marked.csv"
  done
  # From such starts there is no fit: where residuals or derivatives are not finite, or these are all 0.
  finite='the residuals or their derivatives are not finite numbers'
  starts() { # MODEL START1 Y-FORMULA
    problem "$out/starts.csv" "$1" "$3"
    sed -i "/^# residual/d; s/ certified=.*//; /^# b:/d; s/start1=[^ ]*/start1=$2/" "$out/starts.csv"
  }
  starts 'y = log[a*x] + e' -1 'log(2 * x)'
  unfitted "$out/starts.csv" "$finite"
  starts 'y = exp[a*x] + e' 1000 'exp(2 * x)'
  unfitted "$out/starts.csv" "$finite"
  starts 'y = sqrt[a]*x + e' 0 'sqrt(2) * x'
  unfitted "$out/starts.csv" "$finite"
  starts 'y = x*a**2 + e' 0 '4 * x'
  unfitted "$out/starts.csv" 'no parameter changes the residuals there'
  # It is one to start where the fit ends.
  starts 'y = a*x + e' 2 '2 * x'
  fit "$out/starts.csv"
  # So it is where all residuals are NaN behind a step that was too long.
  starts 'y = log[a]*x + e' 30 'log(2) * x'
  fit --parameters "$out/starts.csv" >"$out/table"
  [ "$(grep -cE '^ +start [12]: a = 2$' "$out/table")" -eq 2 ]
  ;;
esac

#!/bin/sh
# run.sh KIND TLALOCC BUILD: builds the project of that kind with the tlalocc of the build folder BUILD, runs it, and looks at
# what a second build does.
set -eu
kind=$1 tlalocc=$(realpath "$2") build=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/$kind" "$work/project"
cp -r "$here/common" "$work/common"
cd "$work/project"
expected="0.200000 0.200000 -0.600000"

check() {
  got=$("$@")
  [ "$got" = "$expected" ] || { echo "$kind: '$got' is not '$expected'"; exit 1; }
}

install_tree() {
  cmake --install "$build" --prefix "$work/prefix" >/dev/null
  [ -x "$work/prefix/bin/tlalocc" ] && [ -f "$work/prefix/include/tlaloc/grad.h" ] && [ -f "$work/prefix/share/man/man1/tlalocc.1" ]
}

case $kind in
cmake)
  cmake -G Ninja -S . -B out -DCMAKE_C_COMPILER="$tlalocc" -DCOMMON="$work/common" >configure.log || { cat configure.log; exit 1; }
  cmake --build out >build.log || { cat build.log; exit 1; }
  check out/main
  cmake --build out | grep -q 'no work to do' || { echo "a second build works again"; exit 1; }
  sed -i 's/#define STIFFNESS 2.0/#define STIFFNESS 4.0/' "$work/common/spring.h"
  cmake --build out >build.log
  expected="0.400000 0.400000 -1.200000"
  check out/main
  ;;
cmake_package)
  install_tree
  for compiler in cc "$work/prefix/bin/tlalocc" "$tlalocc"; do
    rm -rf out
    cmake -G Ninja -S . -B out -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix" -DCOMMON="$work/common" \
      >configure.log || { cat configure.log; exit 1; }
    cmake --build out >build.log || { cat build.log; exit 1; }
    check out/main
    check out/plain
    check out/keyword
  done
  ;;
make)
  make -s CC="$tlalocc" COMMON="$work/common"
  check ./main
  make -q CC="$tlalocc" COMMON="$work/common" || { echo "a second make works again"; exit 1; }
  grep -q "$work/common/spring.c" spring.d
  sleep 1
  sed -i 's/#define STIFFNESS 2.0/#define STIFFNESS 4.0/' "$work/common/spring.h"
  make -s CC="$tlalocc" COMMON="$work/common"
  expected="0.400000 0.400000 -1.200000"
  check ./main
  ;;
meson)
  cp "$work"/common/* .
  CC="$tlalocc" meson setup out >configure.log 2>&1 || { cat configure.log; exit 1; }
  ninja -C out >build.log || { cat build.log; exit 1; }
  check out/main
  ninja -C out | grep -q 'no work to do' || { echo "a second build works again"; exit 1; }
  ;;
pkgconfig)
  install_tree
  pkg_config_file=$(find "$work/prefix" -name tlalocc.pc)
  PKG_CONFIG_PATH=$(dirname "$pkg_config_file")
  export PKG_CONFIG_PATH
  pkg-config --modversion tlalocc
  make -s COMMON="$work/common"
  check ./main
  ;;
*)
  echo "there is no project of kind '$kind'"
  exit 1
  ;;
esac

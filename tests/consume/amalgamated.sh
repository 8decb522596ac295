#!/bin/sh
# amalgamated.sh BUILD CMAKE COMPILER SEXTANT WORK [LIBRARIES EMULATOR…]: makes the loader's one source file, twice with
# the same bytes, compiles it, and runs a C program over it. For another machine, LIBRARIES has its zstd and what
# includes need (cmake/hosts/libraries.py), and EMULATOR… runs its programs here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1 cmake=$2 compiler=$3 sextant=$4 work=$5
shift 5
include= library=
if [ $# -gt 0 ]; then
  include=-I$1/include library=-L$1/lib
  shift
fi
rm -rf "$work"
mkdir -p "$work"
"$cmake" --build "$build" --target amalgamation
cp -r "$build/amalgamation" "$work/first"
"$cmake" --build "$build" --target amalgamation
diff -r "$build/amalgamation" "$work/first"
cd "$work"
# shellcheck disable=SC2086
"$compiler" -std=c++20 -O1 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Werror -Ifirst $include \
  -c first/sextant_loader.cpp -o sextant_loader.o
# Of its names, only the API's leave a shared library or program.
if readelf -Ws sextant_loader.o |
   awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" {print $8}' | grep -v '^sxt_'; then
  echo "defines more than it may"; exit 1
fi
case "$compiler" in *clang*) c=${compiler%++*}${compiler##*++} ;; *) c=${compiler%g++}gcc ;; esac
# shellcheck disable=SC2086
"$c" -std=c11 -pedantic-errors -Wall -Wextra -Werror -Ifirst "$here/project/plain.c" sextant_loader.o $library \
  -lzstd -lstdc++ -lm -lpthread -ldl -o plain-c
"$sextant" compile "$here/project/kernels.py" -o kernels.sxt --targets=cpu
"$@" ./plain-c kernels.sxt

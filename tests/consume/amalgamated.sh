#!/bin/sh
# amalgamated.sh BUILD CMAKE SEXTANT WORK COMPILER…: makes the loader's one source file, twice with the same bytes,
# compiles it, and runs a C program over it. The environment says what other hosts need: LIBRARIES, a folder with headers
# and libraries (cmake/hosts/libraries.py); LINK, what to link; RUN, what runs programs here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1 cmake=$2 sextant=$3 work=$4
shift 4
include='' library=''
if [ -n "${LIBRARIES:-}" ]; then include=-I$LIBRARIES/include library=-L$LIBRARIES/lib; fi
rm -rf "$work"
mkdir -p "$work"
"$cmake" --build "$build" --target amalgamation
cp -r "$build/amalgamation" "$work/first"
"$cmake" --build "$build" --target amalgamation
diff -r "$build/amalgamation" "$work/first"
cd "$work"
# GCC has warnings that need its optimizer; for Clang it is half of the time.
case "$1" in *clang*) optimize=-O0 ;; *) optimize=-O1 ;; esac
# shellcheck disable=SC2086
"$@" -std=c++20 $optimize -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Werror -Ifirst $include \
  -c first/sextant_loader.cpp -o sextant_loader.o
# Only the API's names leave a shared library or program.
if readelf -Ws sextant_loader.o 2>/dev/null |
   awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" {print $8}' | grep -v '^sxt_'; then
  echo "defines more than it may"; exit 1
fi
case "$1" in *clang*) c=${1%++*}${1##*++} ;; *) c=${1%g++*}gcc${1##*g++} ;; esac
# shellcheck disable=SC2086
"$c" -std=c11 -pedantic-errors -Wall -Wextra -Werror -Ifirst "$here/project/plain.c" sextant_loader.o $library \
  ${LINK:--lzstd -lstdc++ -lm -lpthread -ldl} -o plain-c
"$sextant" compile "$here/project/kernels.py" -o kernels.sxt --targets=cpu
${RUN:-} "$(ls "$PWD/plain-c" "$PWD/plain-c.exe" 2>/dev/null)" kernels.sxt

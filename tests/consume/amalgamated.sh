#!/bin/sh
# amalgamated.sh BUILD CMAKE COMPILER SEXTANT WORK: makes the loader's one source file, twice
# with the same bytes, compiles it, and runs a C program over it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$5"
mkdir -p "$5"
"$2" --build "$1" --target amalgamation
cp -r "$1/amalgamation" "$5/first"
"$2" --build "$1" --target amalgamation
diff -r "$1/amalgamation" "$5/first"
cd "$5"
"$3" -std=c++20 -O1 -fvisibility=hidden -Wall -Wextra -Wno-unused-parameter -Werror -Ifirst \
  -c first/sextant_loader.cpp -o sextant_loader.o
# Of its names, only the API's leave a shared library or program.
if readelf -Ws sextant_loader.o |
   awk '$5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" {print $8}' | grep -v '^sxt_'; then
  echo "defines more than it may"; exit 1
fi
case "$3" in *clang*) c=${3%++*}${3##*++} ;; *) c=gcc ;; esac
"$c" -std=c11 -pedantic-errors -Wall -Wextra -Werror -Ifirst "$here/project/plain.c" sextant_loader.o \
  -lzstd -lstdc++ -lm -lpthread -ldl -o plain-c
"$4" compile "$here/project/kernels.py" -o kernels.sxt --targets=cpu
./plain-c kernels.sxt

#!/bin/sh
# headers.sh COMPILER SOURCE: the C++ wrapper compiles without a warning in C++17, 20 and 23,
# with results, with exceptions, and without exceptions and type information; the C headers in
# C11 and in C++17 by themselves.
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I$2/loader/include"
for standard in 17 20 23; do
  for mode in "" "-DSEXTANT_THROWS" "-fno-exceptions -fno-rtti"; do
    # shellcheck disable=SC2086
    "$1" -std=c++$standard $mode $flags "$here/wrapper.cpp" || { echo "C++$standard $mode"; exit 1; }
  done
done
printf '#include "sextant/%s.h"\n' sextant backends >"$work/header.c"
# shellcheck disable=SC2086
"$1" -x c -std=c11 -pedantic-errors $flags "$work/header.c"
# shellcheck disable=SC2086
"$1" -x c++ -std=c++17 $flags "$work/header.c"
# A header that throws needs exceptions, and says so.
if "$1" -std=c++17 -DSEXTANT_THROWS -fno-exceptions -fsyntax-only -I"$2/loader/include" \
     "$here/wrapper.cpp" 2>"$work/errors"; then
  echo "SEXTANT_THROWS was taken without exceptions"; exit 1
fi
grep -q "SEXTANT_THROWS needs exceptions" "$work/errors" || { cat "$work/errors"; exit 1; }

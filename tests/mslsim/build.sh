#!/bin/sh
# build.sh PROJECT FOLDER: builds mslsim, and the library through which the stand-in for
# Metal runs kernels on it, into FOLDER; 77 where there is no mslsim.
set -eu
mslsim=${SEXTANT_MSLSIM:-$1/../shared/tools/mslsim}
if [ ! -f "$mslsim/Makefile" ]; then
  rm -rf "$2"
  echo "skipped: no mslsim in $mslsim (SEXTANT_MSLSIM names its folder)"
  exit 77
fi
if ! command -v "${MSLSIM_CXX:-clang++-19}" >/dev/null; then
  rm -rf "$2"
  echo "skipped: mslsim needs clang++-19 at run time (MSLSIM_CXX names another)"
  exit 77
fi
mkdir -p "$2"
make -s -C "$mslsim" -j2 BUILD="$2" CXXFLAGS="-O2 -g -fPIC" "$2/libmslsim.a"
here=$(dirname "$0")
${CXX:-c++} -std=c++20 -O2 -fPIC -shared -I"$mslsim/include" "$here/Bridge.cpp" "$2/libmslsim.a" \
  -ldl -lrt -pthread -o "$2/libbridge.so.$$"
mv "$2/libbridge.so.$$" "$2/libbridge.so"

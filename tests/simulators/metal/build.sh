#!/bin/sh
# build.sh FOLDER [check]: builds mslsim, and the library through which the stand-in for Metal runs
# kernels on it, into FOLDER, and runs mslsim's own tests; 77 where SEXTANT_MSLSIM says that there
# shall be no mslsim.
set -eu
if [ "${SEXTANT_MSLSIM:-}" = none ]; then
  rm -rf "$1"
  echo "skipped: SEXTANT_MSLSIM says none"
  exit 77
fi
mkdir -p "$1"
here=$(dirname "$0")
folder=$(cd "$1" && pwd)
mslsim=${SEXTANT_MSLSIM:-$here/../mslsim}
make -s -C "$mslsim" -j2 BUILD="$folder" CXXFLAGS="-O2 -g -fPIC" "${2:-all}"
${CXX:-c++} -std=c++20 -O2 -fPIC -shared -I"$mslsim/include" "$here/Bridge.cpp" "$folder/libmslsim.a" \
  -ldl -lrt -pthread -o "$folder/libbridge.so.$$"
mv "$folder/libbridge.so.$$" "$folder/libbridge.so"

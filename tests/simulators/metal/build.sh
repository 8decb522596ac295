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
# -O1 takes less than -O2 to compile, and tests run as fast: most of their time is the kernels'.
make -s -C "$mslsim" -j2 BUILD="$folder" CXXFLAGS="-O1 -fPIC" "${2:-all}"
bridge=$folder/libbridge.so
stale=
for part in "$here"/Bridge.* "$here/build.sh" "$folder/libmslsim.a"; do
  [ "$bridge" -nt "$part" ] || stale=yes
done
[ "$stale" ] || exit 0
${CXX:-c++} -std=c++20 -O1 -fPIC -shared -I"$mslsim/include" "$here/Bridge.cpp" "$folder/libmslsim.a" \
  -ldl -lrt -pthread -o "$bridge.$$"
mv "$bridge.$$" "$bridge"

#!/bin/sh
# rocprim.sh ARCH OUT.so: compiles algorithms.hip, with rocPRIM as it chooses for that processor, to a library for
# bench-amdgpu-algorithms. It calls HIP's runtime, which that program loads first.
set -eu
here=$(dirname "$0")
case $1 in # rocPRIM 5.3 is told its target, and takes gfx900's numbers for what it does not know
gfx90a) target=910 ;;
gfx1030) target=1030 ;;
*)
  echo "rocprim.sh: no $1: rocPRIM 5.3 has numbers for gfx90a and gfx1030" >&2
  exit 2
  ;;
esac
exec clang++-19 -std=c++17 -O3 -fPIC -shared -fvisibility=hidden -D__HIP_PLATFORM_AMD__ --rocm-path=/usr \
  --rocm-device-lib-path="${SEXTANT_AMD_BITCODE:-/usr/lib/x86_64-linux-gnu/amdgcn/bitcode}" \
  -no-hip-rt --offload-arch="$1" -DROCPRIM_TARGET_ARCH="$target" \
  -x hip "$here/algorithms.hip" -x c++ "$here/registration.cpp" -o "$2"

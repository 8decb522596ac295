#!/bin/sh
# peers.sh ARCH FILE.cl OUT: compiles OpenCL C to a code object, with divisions and roots of f32
# rounded correctly, as ours are. clang knows where ROCm keeps its libraries, but not where Debian does.
set -eu
arch=$1
libraries=${SEXTANT_AMD_BITCODE:-/usr/lib/x86_64-linux-gnu/amdgcn/bitcode}
case $arch in # Debian's libraries know no newer processors; these read the constants alike
gfx9*) wave=on version=90a ;;
*) wave=off version=1030 ;;
esac
set -- "$2" -o "$3"
for name in opencl ocml ockl oclc_daz_opt_off oclc_finite_only_off oclc_unsafe_math_off \
  oclc_correctly_rounded_sqrt_on "oclc_wavefrontsize64_$wave" "oclc_isa_version_$version" oclc_abi_version_500; do
  set -- "$@" -Xclang -mlink-builtin-bitcode -Xclang "$libraries/$name.bc"
done
exec clang-19 -x cl -cl-std=CL2.0 -O3 -ffp-contract=fast -cl-fp32-correctly-rounded-divide-sqrt \
  --target=amdgcn-amd-amdhsa -mcpu="$arch" -mcode-object-version=5 -nogpulib "$@"

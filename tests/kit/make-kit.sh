#!/usr/bin/env bash
# Gathers what a machine with an NVIDIA GPU needs to test and to measure, without
# LLVM there: test programs, the loader, compiled modules, the CUDA benchmark's
# sources (nvcc builds them there).
#
#   tests/kit/make-kit.sh BUILD_FOLDER [KIT_FOLDER]       then, there: KIT_FOLDER/run.sh
#
# SEXTANT_KIT_TARGETS: the architectures of the modules.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "${2:-$root/.kit}"
kit=$(cd "${2:-$root/.kit}" && pwd)
targets=${SEXTANT_KIT_TARGETS:-sm_80,sm_90,compute_80}
jobs=${SEXTANT_JOBS:-$(nproc)}
sextant=$build/driver/sextant

rm -rf "${kit:?}"/*
mkdir -p "$kit"/{bin,lib,modules/conformance,bench/include}

echo "== programs"
cp -L "$build/loader/libsextant_loader.so.0" "$kit/lib/"
ln -s libsextant_loader.so.0 "$kit/lib/libsextant_loader.so"
cp -L "$(ldd "$build/loader/libsextant_loader.so" | awk '/libzstd/ { print $3 }')" "$kit/lib/"
for program in tests/kit/sextant-device-tests tests/conformance/sextant-conformance; do
  if [ -x "$build/$program" ]; then
    cp "$build/$program" "$kit/bin/"
  else
    echo "left out, not built: $program"
  fi
done
strip --strip-unneeded "$kit"/bin/* "$kit"/lib/*.so.*

echo "== modules for $targets"
compile() { # compile MODULE SOURCE OPTION...
  local module=$1
  shift
  "$sextant" compile "$@" -o "$kit/modules/$module.sxt" --targets="$targets" ||
    echo "left out, refused: $module"
}
compile device "$root/tests/kit/device.py"
compile bench "$root/tests/bench/cuda/kernels.py"

# The build's own commands for the conformance modules, for other targets and into the kit.
modules=$build/tests/conformance/modules
{ ninja -C "$build" -t commands sextant-conformance-modules 2>/dev/null || true; } |
  { grep -F -- "$modules/" || true; } |
  sed -e 's| && [^&]*cmake_transform_depfile.*||' -e "s|--targets[ =][^ ]*|--targets $targets|" -e "s|$modules|$kit/modules/conformance|g" |
  tr '\n' '\0' | xargs -0 -r -P "$jobs" -I{} sh -c '{ {} ; } 2>&1 || echo "left out: a refused module"'
rm -f "$kit"/modules/conformance/*.d

echo "== benchmark"
cp "$root"/tests/bench/cuda/{bench.cpp,peers.cu,peers.h} "$kit/bench/"
cp -r "$root/loader/include/sextant" "$kit/bench/include/"
cp "$root/tests/kit/run.sh" "$kit/"
du -sh "$kit" | awk '{ print "kit: " $2 ", " $1 }'

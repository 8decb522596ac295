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
kit=${2:-$root/.kit}
targets=${SEXTANT_KIT_TARGETS:-sm_80,sm_90,compute_75}
jobs=${SEXTANT_JOBS:-$(nproc)}
sextant=$build/driver/sextant

rm -rf "$kit"
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

# The conformance files whose T the build sets are compiled once a type.
typesOf() {
  case "$1" in
  *_int | bit_scans) echo i32 u32 i64 u64 ;;
  *_real) echo f32 f64 ;;
  *) echo i32 u32 i64 u64 f32 f64 ;;
  esac
}
running=0
for source in "$root"/tests/conformance/kernels/*.py "$root"/docs/examples/pages/*.py; do
  name=$(basename "$source" .py)
  if grep -q '^T = ' "$source"; then
    for type in $(typesOf "$name"); do
      compile "conformance/${name}_$type" "$source" --const "T=qd.$type" &
      running=$((running + 1))
      [ $((running % jobs)) -ne 0 ] || wait
    done
  else
    compile "conformance/$name" "$source" &
    running=$((running + 1))
    [ $((running % jobs)) -ne 0 ] || wait
  fi
done
wait

echo "== benchmark"
cp "$root"/tests/bench/cuda/{bench.cpp,peers.cu,peers.h} "$kit/bench/"
cp -r "$root/loader/include/sextant" "$kit/bench/include/"
cp "$root/tests/kit/run.sh" "$kit/"
du -sh "$kit" | awk '{ print "kit: " $2 ", " $1 }'

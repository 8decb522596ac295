#!/usr/bin/env bash
# Gathers what a machine with an NVIDIA GPU needs to test and to measure, without
# LLVM there: test programs, the loader, compiled modules, the CUDA benchmarks'
# sources (nvcc builds them there).
#
#   tests/kit/make-kit.sh BUILD_FOLDER [KIT_FOLDER]       then, there: KIT_FOLDER/run.sh
#
# SEXTANT_KIT_TARGETS: the targets of the modules. SEXTANT_COMPARE: a commit; the kit also compares its rows with
# these, or only does so, by KIT_FOLDER/compare/compare.sh. Where apt-get is at hand, the kit brings
# Vulkan's loader along, for machines that have only a driver.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "${2:-$root/.kit}"
kit=$(cd "${2:-$root/.kit}" && pwd)
targets=${SEXTANT_KIT_TARGETS:-sm_80,sm_90,compute_80,vulkan:1.1/wave32}
jobs=${SEXTANT_JOBS:-$(nproc)}
sextant=$build/driver/sextant

rm -rf "${kit:?}"/*
mkdir -p "$kit"/{bin,lib,modules/conformance,modules/algorithms,modules/gradients,bench/include}

echo "== programs"
cp -L "$build/loader/libsextant_loader.so.0" "$kit/lib/"
ln -s libsextant_loader.so.0 "$kit/lib/libsextant_loader.so"
cp -L "$(ldd "$build/loader/libsextant_loader.so" | awk '/libzstd/ { print $3 }')" "$kit/lib/"
for program in tests/loader/contract/sextant-contract-tests tests/conformance/sextant-conformance \
  tests/algorithms/sextant-algorithms tests/gradients/sextant-gradients \
  tests/bench/bench-tune tests/bench/bench-jit-rows tests/bench/bench-gradients; do
  if [ -x "$build/$program" ]; then
    cp "$build/$program" "$kit/bin/"
  else
    echo "left out, not built: $program"
  fi
done
if [ -x "$kit/bin/bench-tune" ]; then
  cp -L "$(ldd "$kit/bin/bench-tune" | awk '/libsodium/ { print $3 }')" "$kit/lib/"
fi
strip --strip-unneeded "$kit"/bin/* "$kit"/lib/*.so.*

echo "== modules for $targets"
compile() { # compile MODULE SOURCE OPTION...
  local module=$1
  shift
  "$sextant" compile "$@" -o "$kit/modules/$module.sxt" --targets="$targets" ||
    echo "left out, refused: $module"
}
compile contract "$root/tests/loader/contract/kernels.py"
compile sizes "$root/tests/loader/contract/sizes.py" --large-arrays
while read -r _ kernels _; do
  options=()
  if [[ $kernels == *-fast ]]; then options=(--fast-math); fi
  compile "$kernels" "$root/tests/bench/cuda/${kernels%-fast}.py" "${options[@]}"
done <"$root/tests/bench/cuda/programs.txt"
compile rows "$root/tests/bench/jit/rows.py" --fast-math
compile scans "$root/tests/bench/jit/scans.py"
if [ -x "$kit/bin/bench-tune" ]; then
  library=qd.algorithms
  targets=sm_80,sm_90 compile tune "$root/tests/bench/tune/kernels.py" --tune $library.SORT_THREADS=256,384 \
    --tune $library.SORT_ITEMS=8,12,18,20 --tune $library.SORT_BLOCKS=0,2,3,4 \
    --tune $library.SCAN_ITEMS=8,12,16,20,24 --tune TILE=64,128 --tune DEPTH=8,16 --tune PER=4,8 \
    --tune-where "$library.SORT_BLOCKS * $library.SORT_THREADS <= 1152"
fi

for suite in conformance algorithms gradients; do
  SEXTANT_JOBS=$jobs "$root/tests/conformance/compile.sh" "$build" $suite "$kit/modules/$suite" "$targets"
done

echo "== examples of gradients"
mkdir -p "$kit/examples/common"
cp "$root"/docs/examples/common/*.py "$kit/examples/common/"
for name in walker heat field; do
  mkdir "$kit/examples/$name"
  for file in {"$build","$root"}/docs/examples/$name/$name{,.sxt,.py}; do
    if [ -f "$file" ]; then cp "$file" "$kit/examples/$name/"; fi
  done
done
if [ -f "$kit/examples/walker/walker" ]; then
  cp -L "$(ldd "$kit/examples/walker/walker" | awk '/libpng/ { print $3 }')" "$kit/lib/"
fi

# The loader and the libraries by which NVIDIA's driver is found without a display.
echo "== Vulkan loader"
packages=(libvulkan1 libegl1 libglvnd0 libopengl0 libgl1 libglx0 libgles2)
mkdir -p "$kit/vulkan/packages"
if (cd "$kit/vulkan/packages" && apt-get download -qq "${packages[@]}") 2>/dev/null; then
  for package in "$kit"/vulkan/packages/*.deb; do
    dpkg-deb -x "$package" "$kit/vulkan/unpacked"
  done
  mkdir -p "$kit/vulkan/lib"
  find "$kit/vulkan/unpacked" -name '*.so*' -exec cp -P {} "$kit/vulkan/lib/" \;
else
  echo "left out: apt-get download gave no packages"
fi
rm -rf "$kit/vulkan/packages" "$kit/vulkan/unpacked"

echo "== benchmarks"
mkdir "$kit/bench/cuda"
cp "$root"/tests/bench/cuda/{programs.txt,*.h,*.cpp,*.cu} "$kit/bench/cuda/"
cp "$root/tests/bench/comparison.h" "$kit/bench/"
cp -r "$root/loader/include/sextant" "$kit/bench/include/"
mkdir "$kit/bench/jit"
cp "$root"/tests/bench/jit/{tiles,rows,run_rows}.py "$kit/bench/jit/"
cp "$root/tests/bench/cuda/tiles.py" "$kit/bench/"
cp "$root"/tests/kit/{run,environment}.sh "$kit/"
if [ -n "${SEXTANT_COMPARE:-}" ]; then
  echo "== modules and loaders of two commits"
  SEXTANT_COMPARE_KIT=$kit/compare SEXTANT_KIT_TARGETS=$targets "$root/tests/bench/compare/compare.sh" "$SEXTANT_COMPARE"
  cp "$root/tests/kit/compare.sh" "$kit/compare/"
fi
du -sh "$kit" | awk '{ print "kit: " $2 ", " $1 }'

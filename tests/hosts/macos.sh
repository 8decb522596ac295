#!/usr/bin/env bash
# The loader for macOS, linked here by Zig without Apple's SDK, for arm64 and x86-64: macos.sh PROJECT WORK PYTHON
# INCLUDE ZSTD. PYTHON has the package ziglang; INCLUDE has the headers of zstd, xxhash and Vulkan; ZSTD is zstd's source
# as one file. Looks into what came out. **Runs none of it**: that needs Apple's machines. Exits with 77 where there is
# no Zig. The first run takes minutes, later ones seconds.
set -euo pipefail
project=$1 work=$2 python=$3 include=$4 zstd=$5
if ! "$python" -m ziglang version >/dev/null 2>&1; then
  echo "skipped: $python has no package ziglang"
  exit 77
fi
if [ ! -f "$zstd" ] || [ ! -f "$include/zstd.h" ]; then
  echo "skipped: zstd's source is not in $zstd, or its header not in $include"
  exit 77
fi
fail() { echo "$target: $*" && exit 1; }

for machine in aarch64 x86_64; do
  target=$machine-macos
  folder=$work/$target
  mkdir -p "$folder"
  export SEXTANT_ZIG_PYTHON=$python SEXTANT_ZIG_TARGET=$target.11.0
  if [ ! -f "$folder/libzstd.a" ]; then
    "$python" -m ziglang cc -target "$SEXTANT_ZIG_TARGET" -Os -g0 -fPIC -fvisibility=hidden -DZSTDLIB_VISIBLE= \
      -DZDICTLIB_VISIBLE= -DZSTDERRORLIB_VISIBLE= -c "$zstd" -o "$folder/zstd.o"
    llvm-ar-19 --format=darwin rcs "$folder/libzstd.a" "$folder/zstd.o"
  fi
  cmake -S "$project" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$project/cmake/hosts/zig.cmake" -DSEXTANT_BUILD_COMPILER=OFF -DSEXTANT_BUILD_TESTS=OFF \
    -DSEXTANT_BUILD_PYTHON=OFF -DSEXTANT_BUILD_EXAMPLES=OFF -DCMAKE_DISABLE_FIND_PACKAGE_zstd=ON \
    -DSEXTANT_ZSTD_LIBRARY="$folder/libzstd.a" -DSEXTANT_VULKAN_HEADERS="$include" \
    -DSEXTANT_XXHASH_INCLUDE="$include" -DSEXTANT_LLD_LTO=OFF >"$folder/log" 2>&1 || { cat "$folder/log" && exit 1; }
  ninja -C "$folder/build" sextant_loader sextant_loader_static >"$folder/log" 2>&1 || { tail -40 "$folder/log" && exit 1; }
  library=$folder/build/loader/libsextant_loader.0.dylib

  # What leaves it: the C API, GDB's two names, what every dylib has, and operators new and delete of the C++ library,
  # which Zig links statically and whose linker has no way to hide.
  llvm-nm-19 -g --defined-only "$library" | awk '{print $3}' | sort >"$folder/all"
  grep -v '^__Zn[aw]m\|^__Zd[al]Pv\|^__mh_dylib_header$\|^___dso_handle$\|^___jit_debug_' "$folder/all" | sed 's/^_//' |
    diff -u "$project/loader/exports.txt" - || fail "the library and loader/exports.txt differ"
  [ "$(grep -c '^___jit_debug_' "$folder/all")" = 2 ] || fail "GDB's names are missing"
  # What it needs: libSystem alone. Metal and libobjc are found at run time.
  needed=$(llvm-objdump-19 --macho --dylibs-used "$library" | tail -n +2 | awk '{print $1}' | grep -v '^@rpath/')
  [ "$needed" = /usr/lib/libSystem.B.dylib ] || fail "needs $needed"
  llvm-objdump-19 --macho --dylib-id "$library" | grep -qx '@rpath/libsextant_loader.0.dylib' || fail "has another name"
  headers=$(llvm-objdump-19 --macho --private-headers "$library")
  grep -q 'minos 11.0' <<<"$headers" || fail "is not for macOS 11"
  if [ $machine = aarch64 ]; then
    grep -q LC_CODE_SIGNATURE <<<"$headers" || fail "has no signature, without which arm64 runs nothing"
  fi
  # One function runs at load: it registers the one that gives Vulkan back at unload.
  size=$(llvm-objdump-19 --macho --section-headers "$library" | awk '$2 == "__mod_init_func" {print $3}')
  [ "$((16#${size:-0}))" -le 8 ] || fail "runs more than one function at load"

  # A program in C, with either.
  for kind in shared static; do
    link=("$library")
    if [ $kind = static ]; then link=("$folder/build/loader/libsextant_loader.a" "$folder/libzstd.a" -lc++); fi
    "$python" -m ziglang cc -target "$SEXTANT_ZIG_TARGET" -std=c11 -I"$project/loader/include" \
      "$project/tests/loader/consumer.c" "${link[@]}" -o "$folder/consumer-$kind" || fail "no $kind program links"
  done
  echo "$target: $(stat -Lc %s "$library") bytes; linked, not run"
done

#!/usr/bin/env bash
# The loader for macOS, linked here by Zig without Apple's SDK, for arm64 and x86-64: macos.sh PROJECT WORK PYTHON
# SOURCES. PYTHON has the package ziglang; SOURCES keeps those of libraries (cmake/hosts/libraries.py). Looks into what
# came out. **Runs none of it**: that needs Apple's machines. The first run takes minutes, later ones seconds.
set -euo pipefail
project=$1 work=$2 python=$3 sources=$4
fail() { echo "$target: $*" && exit 1; }

for machine in aarch64 x86_64; do
  target=$machine-macos
  folder=$work/$target
  mkdir -p "$folder"
  export SEXTANT_ZIG_PYTHON=$python SEXTANT_ZIG_TARGET=$target.11.0
  "$python" "$project/cmake/hosts/libraries.py" "$sources" "$folder/libraries" \
    "$python" -m ziglang cc -target "$SEXTANT_ZIG_TARGET"
  cmake -S "$project" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$project/cmake/hosts/zig.cmake" -DSEXTANT_BUILD_COMPILER=OFF -DSEXTANT_BUILD_TESTS=OFF \
    -DSEXTANT_BUILD_PYTHON=OFF -DSEXTANT_BUILD_EXAMPLES=OFF -DCMAKE_DISABLE_FIND_PACKAGE_zstd=ON \
    -DCMAKE_FIND_ROOT_PATH="$folder/libraries" -DSEXTANT_LLD_LTO=OFF >"$folder/log" 2>&1 || { cat "$folder/log" && exit 1; }
  ninja -C "$folder/build" sextant_loader sextant_loader_static >"$folder/log" 2>&1 || { tail -40 "$folder/log" && exit 1; }
  library=$folder/build/loader/libsextant_loader.0.dylib

  # Its exports are: the C API, GDB's two names, what every dylib has, and operators new and delete of the C++ library,
  # which Zig links statically and whose linker has no way to hide.
  llvm-nm-19 -g --defined-only "$library" | awk '{print $3}' | sort >"$folder/all"
  grep -v '^__Zn[aw]m\|^__Zd[al]Pv\|^__mh_dylib_header$\|^___dso_handle$\|^___jit_debug_' "$folder/all" | sed 's/^_//' |
    diff -u "$project/loader/exports.txt" - || fail "the library and loader/exports.txt differ"
  [ "$(grep -c '^___jit_debug_' "$folder/all")" = 2 ] || fail "GDB's names are missing"
  # It needs only libSystem. Metal and libobjc are found at run time.
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
    if [ $kind = static ]; then link=("$folder/build/loader/libsextant_loader.a" "$folder/libraries/lib/libzstd.a" -lc++); fi
    "$python" -m ziglang cc -target "$SEXTANT_ZIG_TARGET" -std=c11 -I"$project/loader/include" \
      "$project/tests/loader/consumer.c" "${link[@]}" -o "$folder/consumer-$kind" || fail "no $kind program links"
  done
  echo "$target: $(stat -Lc %s "$library") bytes; linked, not run"
done

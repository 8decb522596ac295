#!/usr/bin/env bash
# run.sh BUILD HOST [--fast]: builds the loader and its tests for another host, and runs what can run here; with --fast a
# part that takes a minute or two (windows-*), without conformance. BUILD is a build folder with the compiler, whose
# modules run unchanged. Prints ctest's output; results for table.py go to BUILD/hosts/HOST. Status 77: something is
# missing here, and the last line says what.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
host=$2
targets=() tests=() settings=()
if [ "${3:-}" = --fast ]; then
  settings=(-DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG") # the tests take half the time to build
  targets=(sextant_loader sextant_loader_static sextant_algorithms)
  for name in loader-{tests,pool-tests,frames-tests,golden,trust,consumer,cuda-tests,hip6-tests,vulkan-tests}; do
    targets+=("sextant-$name")
  done
  tests=(-R "^(consume|loader|loader-(pool|frames|library|golden|trust|c|cuda|hip6|vulkan))$")
fi
work=$build/hosts
. "$source/tests/hosts/tools.sh"

# The C compiler for the libraries, the toolchain file, and how programs run.
run=()
case "$host" in
windows-gnu | windows-clang)
  have x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64-posix
  have wine wine
  # Clang's functions lie in sections that either linker leaves out if nothing calls them.
  compiler=(clang-19 --target=x86_64-w64-mingw32)
  toolchain=$host
  libraries=windows
  if command -v xvfb-run >/dev/null; then run=(xvfb-run -a); fi # without a display, wine has no Vulkan
  ;;
macos) # linked for both processors, and looked into: nothing of it runs here
  folder=$work/macos
  zig
  "$source/tests/hosts/macos.sh" "$source" "$folder" "$python" "$work/sources" | tee "$folder.log"
  cp "$folder.log" "$folder/linked.txt"
  exit
  ;;
linux-*)
  zig
  case "$host" in
  linux-glibc-x86_64) target=x86_64-linux-gnu.2.17 ;;
  linux-musl-x86_64) target=x86_64-linux-musl ;;
  linux-glibc-aarch64) target=aarch64-linux-gnu.2.28 ;;
  *) echo "no such host: $host" && exit 2 ;;
  esac
  compiler=("$python" -m ziglang cc -target "$target")
  toolchain=zig
  settings+=(-DSEXTANT_LD= -DSEXTANT_LLD_LTO=OFF) # Zig's linker joins no objects
  libraries=$target
  if [ $host != linux-glibc-x86_64 ]; then # programs load none of this system's libraries
    settings+=(-DSEXTANT_LINK_SODIUM=ON)
    export SEXTANT_AMDSIM=none SEXTANT_MSLSIM=none SEXTANT_LAVAPIPE=none
  fi
  export SEXTANT_ZIG_PYTHON=$python SEXTANT_ZIG_TARGET=$target
  ;;
*)
  echo "run.sh: no host '$host': windows-gnu, windows-clang, linux-glibc-x86_64, linux-musl-x86_64, linux-glibc-aarch64, macos"
  exit 2
  ;;
esac

mkdir -p "$work"
libraries "$libraries" --tests "${compiler[@]}"

folder=$work/$host
modules=$work/modules # one set for all hosts
if [ ${#targets[@]} -eq 0 ]; then # with conformance
  settings+=(-DSEXTANT_CONFORMANCE_MODULES="$modules")
  if [ ! -d "$modules" ] || [ "$build/driver/sextant" -nt "$modules" ]; then
    rm -rf "$modules" "$modules.unfinished"
    columns=vulkan:1.1/wave8,cpu:x86-64-v2/wave32,cpu:x86-64-v4/wave32,cpu:x86-64-v4/wave64
    for wave in 4 8 16 32 64; do columns+=,cpu:x86-64-v3/wave$wave,cpu:aarch64/wave$wave; done
    "$source/tests/conformance/compile.sh" "$build" conformance "$modules.unfinished" $columns
    mv "$modules.unfinished" "$modules"
  fi
fi
cmake -S "$source" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_TOOLCHAIN_FILE="$source/cmake/hosts/$toolchain.cmake" -DCMAKE_FIND_ROOT_PATH="$work/libraries-$libraries" \
  "${settings[@]}" -DSEXTANT_BUILD_COMPILER=OFF -DSEXTANT_BUILD_PYTHON=OFF -DSEXTANT_COMPILER="$build/driver/sextant" \
  >"$folder.log" 2>&1 || {
  cat "$folder.log"
  exit 1
}
ninja -C "$folder" -j "${SEXTANT_JOBS:-$(nproc)}" "${targets[@]}" >"$folder.log" || {
  cat "$folder.log"
  exit 1
}
if [ "$libraries" = windows ]; then
  cp "$work/libraries-windows/bin/libsodium.dll" "$folder/loader/"
  wine_server
fi
# One hash of all modules: the same files ran on every host.
[ ${#targets[@]} -gt 0 ] || (cd "$modules" && sha256sum ./*.sxt | sha256sum | cut -c 1-16) >"$folder/modules.hash"
"${run[@]}" ctest --test-dir "$folder" --output-on-failure --timeout 900 --output-junit results.xml "${tests[@]}"

#!/usr/bin/env bash
# consume.sh BUILD COMMAND TOOLCHAIN ROOT… -- EMULATOR…: an application's own build for another host, by the package that
# is installed from BUILD: COMMAND compiles its kernels here; header, embedded module and loader are the host's. Then the
# application runs.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 command=$2 toolchain=$3
shift 3
roots=$build/prefix
while [ "$1" != -- ]; do
  roots+=";$1"
  shift
done
shift
rm -rf "$build/prefix" "$build/consume"
cmake --install "$build" --prefix "$build/prefix" >/dev/null
cmake -S "$source/tests/consume/project" -B "$build/consume" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_TOOLCHAIN_FILE="$toolchain" "-DCMAKE_FIND_ROOT_PATH=$roots" -DSEXTANT_COMPILER="$command"
ninja -C "$build/consume"
for program in typed typed-c; do
  "$@" "$(ls "$build/consume/$program" "$build/consume/$program.exe" 2>/dev/null)"
done
"$@" "$(ls "$build/consume/by-name" "$build/consume/by-name.exe" 2>/dev/null)" "$build/consume/consumer_file.sxt"

# An application that is installed brings the loader, on Windows the DLL beside the program.
cmake -S "$source/docs/examples/ship" -B "$build/ship" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_TOOLCHAIN_FILE="$toolchain" "-DCMAKE_FIND_ROOT_PATH=$roots" -DSEXTANT_COMPILER="$command"
ninja -C "$build/ship"
cmake --install "$build/ship" --prefix "$build/shipped"
if [ -e "$build/ship/scaler.exe" ]; then
  ls "$build/shipped/bin/scaler.exe" "$build/shipped/bin/libsextant_loader.dll" "$build/prefix/bin/libsextant_loader.dll"
fi

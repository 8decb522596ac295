#!/usr/bin/env bash
# one-file.sh BUILD [HOST]: the loader as one source file, the same for every host; or for one (windows). Where Debian's compilers bring the C++
# library along, a C program over it runs here: Windows under wine, AArch64 under qemu. For the others it is compiled:
# Zig would compile its C++ library first, two minutes of a processor for each. `./dev hosts` links and runs for them.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$build/hosts
. "$source/tests/hosts/tools.sh"
host=${2:-all}
mkdir -p "$work"

runs() { # HOST PREFIX LINK RUN COMPILER…: as tests/consume/amalgamated.sh says
  echo "== $1"
  LIBRARIES=$work/libraries-$2 LINK=$3 RUN=$4 "$source/tests/consume/amalgamated.sh" \
    "$build" cmake "$build/driver/sextant" "$work/one-file-$1" "${@:5}"
}
have x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64-posix
have wine wine
libraries windows-one-file clang-19 --target=x86_64-w64-mingw32
wine_server
# GCC for Windows checks formats by the rules of Microsoft's printf, which is not the one in use.
runs windows windows-one-file "-static -lzstd -lstdc++ -lsynchronization -lpthread" wine \
  x86_64-w64-mingw32-g++-posix -Wno-format -Wno-format-extra-args
if [ "$host" = windows ]; then exit; fi

have aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
have qemu-aarch64 qemu-user
zig
libraries aarch64 aarch64-linux-gnu-gcc
runs linux-aarch64 aarch64 "" "qemu-aarch64 -L /usr/aarch64-linux-gnu" aarch64-linux-gnu-g++

for target in x86_64-linux-gnu.2.17 x86_64-linux-musl aarch64-macos.11.0 x86_64-macos.11.0; do
  echo "== $target"
  "$python" -m ziglang c++ -target $target -std=c++20 -O0 -g0 -fno-sanitize=undefined -fvisibility=hidden \
    -Wall -Wextra -Wno-unused-parameter -Werror "-I$build/amalgamation" "-I$work/libraries-aarch64/include" \
    -c "$build/amalgamation/sextant_loader.cpp" -o "$work/one-file-$target.o"
done

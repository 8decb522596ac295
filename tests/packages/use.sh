#!/bin/sh
# use.sh PREFIX PROJECT WORK: uses an installed Sextant in every way that builds have: its command, then
# find_package and pkg-config, the shared and the static loader, from C and C++, and from only C. It
# needs no more than sh, cmake, make, compilers and pkg-config, so that it runs in a bare system, too.
set -eu
prefix=$1 project=$2 work=$3
rm -rf "$work"
mkdir -p "$work"

"$prefix/bin/sextant" compile "$project/kernels.py" -o "$work/doubler.sxt" --targets=cpu
"$prefix/bin/sextant" verify "$work/doubler.sxt" >"$work/verify.log"

# configure FOLDER OPTIONS…: and builds and runs the programs
configure() {
  folder=$work/$1
  shift
  { cmake -S "$project" -B "$folder" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release "$@" &&
    cmake --build "$folder" && (cd "$folder" && ctest --output-on-failure); } >"$folder.log" 2>&1 ||
    { cat "$folder.log"; exit 1; }
  sed -n 's/^100% tests passed, .* out of/programs that ran:/p' "$folder.log"
}
configure both
configure c-alone -DCXX=OFF -DMODULE="$work/doubler.sxt"
# The static loader is in the program, the shared one is not.
for program in "$work"/both/use-*; do
  shared=no
  ldd "$program" | grep -q libsextant_loader && shared=yes
  case "$program $shared" in
  *loader_static\ no | *loader\ yes) ;;
  *) echo "$program has the wrong loader"; exit 1 ;;
  esac
done

pc=$(dirname "$(find "$prefix/lib" -name sextant.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs sextant)
# shellcheck disable=SC2086
cc -std=c11 -Wall -Werror "$project/main.c" $flags -o "$work/by-pc"
LD_LIBRARY_PATH=$(PKG_CONFIG_PATH=$pc pkg-config --variable=libdir sextant) "$work/by-pc" "$work/doubler.sxt" >"$work/by-pc.log"
# The static library, with what --static adds.
cflags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags sextant)
private=$(PKG_CONFIG_PATH=$pc pkg-config --static --libs-only-l sextant | sed 's/-lsextant_loader//')
# shellcheck disable=SC2086
cc -std=c11 "$project/main.c" $cflags "$(find "$prefix/lib" -name libsextant_loader.a)" $private -o "$work/by-hand"
"$work/by-hand" "$work/doubler.sxt" >"$work/by-hand.log"
echo "used: the command, find_package (C, C++, only C; shared, static), pkg-config, the static library by hand"

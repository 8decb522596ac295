#!/bin/sh
# abi.sh LIBRARY SOURCE CC: the shared loader's soname, and its symbols with their versions, are those of
# SOURCE/cmake/packages/debian/symbols; structs are laid out as layout.c says. A function that is gone, or
# of another version, is an error: dpkg-gensymbols and this script find it in libraries made for that.
set -eu
library=$1 source=$2 cc=$3
command -v dpkg-gensymbols >/dev/null || { echo "skipped: dpkg-gensymbols (Debian: dpkg-dev) is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
symbols=$source/cmake/packages/debian/symbols

readelf -d "$library" | grep -q 'SONAME.*\[libsextant_loader.so.0\]' || { echo "the soname is another"; exit 1; }
"$cc" -std=c11 -I"$source/loader/include" -fsyntax-only "$source/tests/packages/layout.c"

# compare LIBRARY: level 4 refuses symbols that are gone and symbols that are new. GNU's linker adds a
# symbol for the node itself. -v: dpkg says nothing of symbols that come and go within one version.
mkdir "$work/debian"
sed '1a\ (optional)SEXTANT_0.1@SEXTANT_0.1 0.1.0' "$symbols" >"$work/symbols"
printf 'Source: sextant\nMaintainer: x <x@example.com>\n\nPackage: libsextant-loader0\nArchitecture: any\nDescription: x\n' >"$work/debian/control"
compare() {
  rm -rf "$work/root"
  mkdir -p "$work/root/DEBIAN" "$work/root/usr/lib"
  cp -L "$1" "$work/root/usr/lib/libsextant_loader.so.0"
  (cd "$work" && dpkg-gensymbols -plibsextant-loader0 -v9999 -Proot -Isymbols -c4 -O >"$work/log" 2>&1)
}
compare "$library" || { cat "$work/log"; exit 1; }

# A library that only has names, one of them missing, or all of another version, is refused.
make_library() { # VERSION NAME…
  version=$1
  shift
  printf '.globl %s\n' "$@" >"$work/names.s"
  printf '.type %s, @function\n' "$@" >>"$work/names.s"
  echo .text >>"$work/names.s"
  printf '%s:\n' "$@" >>"$work/names.s"
  echo "$version { global: sxt_*; __jit_debug_*; };" >"$work/map"
  "$cc" -shared -nostdlib -Wl,-soname,libsextant_loader.so.0 -Wl,--version-script="$work/map" "$work/names.s" -o "$work/made.so"
}
names=$(sed -n 's/^ \([a-z_0-9]*\)@.*/\1/p' "$symbols")
# shellcheck disable=SC2086
make_library SEXTANT_0.1 $names
compare "$work/made.so" || { cat "$work/log"; exit 1; }
# shellcheck disable=SC2086
make_library SEXTANT_0.1 $(echo "$names" | grep -v '^sxt_version$')
if compare "$work/made.so"; then echo "a removed function is not found out"; exit 1; fi
# shellcheck disable=SC2086
make_library SEXTANT_0.2 $names
if compare "$work/made.so"; then echo "another version is not found out"; exit 1; fi
echo "$(echo "$names" | wc -l) symbols of SEXTANT_0.1, soname libsextant_loader.so.0"

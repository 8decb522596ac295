#!/usr/bin/env bash
# Installs Debian packages in a Debian that has nothing else, uses and removes them: chroot.sh DEBS WORK.
# As root; debootstrap fetches the system once, apt what the packages depend on.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
debs=$(realpath "$1")
mkdir -p "$2"
root=$(realpath "$2")/debian
say() { printf '== %s\n' "$*"; }

. "$here/bare.sh"
bare_debian "$root"
cp "$debs"/*.deb "$here/../../tests/packages/use.sh" "$root/try"
cp -r "$here/../../tests/packages/project" "$root/try"

inside() {
  in_bare "$root" "$1" PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C
}
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./try -o -path ./var -o -path ./tmp \) -prune -o -print | sort); }

inside 'apt-get purge -qq -y "*sextant*" >/dev/null 2>&1 || true; apt-get update -qq'
say "only the library"
inside 'apt-get install -qq -y --no-install-recommends /try/libsextant-loader0_*.deb >/try/loader.log 2>&1 || { cat /try/loader.log; exit 1; }
  library=$(ldconfig -p | sed -n "s/.*libsextant_loader.so.0 .* => //p")
  echo "$library"
  test -e "$library"
  if ldd "$library" | grep "not found"; then exit 1; fi
  dpkg -s libsextant-loader0 | grep -q "Status: install ok installed"'

say "all three, and what programs are built with"
# g++, cmake and pkgconf stay when the packages go: the comparison below is only about the packages.
inside 'apt-get install -qq -y --no-install-recommends g++ cmake make pkgconf >/try/tools.log 2>&1 || { cat /try/tools.log; exit 1; }
  apt-get install -qq -y --no-install-recommends libmlir-19 >/try/mlir.log 2>&1
  apt-get purge -qq -y libsextant-loader0 >/try/purge0.log 2>&1'
files >"$root/../before"
inside 'apt-get install -qq -y --no-install-recommends /try/*.deb >/try/all.log 2>&1 || { cat /try/all.log; exit 1; }
  test ! -e /usr/lib/llvm-19/lib/libLLVM.so.19.1
  sextant --version
  sh /try/use.sh /usr /try/project /tmp/use
  apt-get purge -qq -y sextant libsextant-loader0 libsextant-loader-dev >/try/purge.log 2>&1
  apt-get autoremove --purge -qq -y >>/try/purge.log 2>&1 || { cat /try/purge.log; exit 1; }
  test -z "$(dpkg-query -W -f="\${Package}\n" | grep sextant || true)"'
files >"$root/../after"
if grep -i sextant "$root/../after"; then
  echo "purged, and these are left" >&2
  exit 1
fi
# apt may also have removed unused dependencies. Check that it left no new files.
if comm -13 "$root/../before" "$root/../after" | grep -v '/__pycache__/\|ld.so.cache'; then
  echo "purged, and these are new" >&2
  exit 1
fi
say "passed: installed, used and purged in a bare Debian 12"

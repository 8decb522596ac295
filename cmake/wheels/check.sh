#!/usr/bin/env bash
# Tries wheels in environments that have nothing else: check.sh WHEELS WORK. Says what was tried, and what could not be.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheels=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
say() { printf '== %s\n' "$*"; }

# The interpreter of a version, of PATH or pyenv (whose commands on PATH may lead nowhere); else nothing.
find_python() {
  local python
  for python in "$(command -v "python$1" || true)" "$HOME"/.pyenv/versions/"$1".*/bin/python; do
    if [ "$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]; then
      echo "$python"
      return
    fi
  done
}

# In an empty environment of each Python that is here: README's commands, by the two wheels.
for version in 3.10 3.11 3.12 3.13; do
  python=$(find_python "$version")
  if [ -z "$python" ]; then
    say "skipped: no Python $version is here"
    continue
  fi
  rm -rf "$work/venv$version"
  "$python" -m venv "$work/venv$version"
  env -i PATH="$work/venv$version/bin" HOME="$work" pip -q --disable-pip-version-check install --no-index \
    --find-links "$wheels" sextant
  env -i PATH="$work/venv$version/bin" HOME="$work" python "$here/readme.py" "$here/../../README.md" "$work/readme$version"
  say "passed: Python $version"
done

# In a Debian that has Python alone: no LLVM, no compiler, no libstdc++ of a build.
if [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null; then
  root=$work/debian
  [ -e "$root/ready" ] || { rm -rf "$root" && debootstrap --variant=minbase --include=python3-venv bookworm "$root" >"$work/debootstrap.log"; }
  touch "$root/ready"
  rm -rf "$root/try"
  mkdir "$root/try"
  cp "$wheels"/*.whl "$here/readme.py" "$here/../../README.md" "$root/try"
  # The loader needs /proc, which is mounted for these processes alone.
  unshare --mount sh -ec 'mount --rbind /proc "$1/proc" && exec chroot "$1" /usr/bin/env -i \
    PATH=/try/venv/bin:/usr/bin:/bin HOME=/try sh -ec "
      ! ls /usr/lib/llvm-* /usr/lib/*/libLLVM* 2>/dev/null
      python3 -m venv /try/venv
      pip -q --disable-pip-version-check install --no-index --find-links /try sextant
      python /try/readme.py /try/README.md /try/readme"' - "$root"
  say "passed: Debian 12 with Python alone"
else
  say "skipped: a Debian with Python alone needs root and debootstrap"
fi

# AArch64, by qemu-user: the loader's wheel for Debian's Python is imported, and runs a kernel.
if ! ls "$wheels"/sextant_loader-*-cp311-*manylinux*_aarch64.whl >/dev/null 2>&1; then
  say "skipped: no wheel for Python 3.11 on AArch64 was built"
elif command -v qemu-aarch64 >/dev/null && command -v debootstrap >/dev/null && [ "$(id -u)" -eq 0 ]; then
  root=$work/arm64
  if [ ! -e "$root/ready" ]; then
    rm -rf "$root"
    debootstrap --foreign --arch=arm64 --variant=minbase --include=python3 bookworm "$root" >"$work/debootstrap-arm64.log"
    for package in "$root"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$root"; done
    touch "$root/ready"
  fi
  rm -rf "$work/arm64-site"
  mkdir "$work/arm64-site"
  python3 -m zipfile -e "$wheels"/sextant_loader-*-cp311-*manylinux*_aarch64.whl "$work/arm64-site"
  compiler=$(ls "$work"/venv*/bin/sextant | head -1)
  "$compiler" compile "$here/../../docs/examples/saxpy.py" -o "$work/arm64.sxt" --targets=cpu:aarch64
  qemu-aarch64 -L "$root" -E PYTHONPATH="$work/arm64-site" "$root/usr/bin/python3.11" -c '
import array, platform, sys, sextant
assert platform.machine() == "aarch64"
x, y = array.array("f", range(8)), array.array("f", [1] * 8)
sextant.open(sys.argv[1]).saxpy(8, 2.0, x, y)
assert list(y) == [2.0 * i + 1 for i in range(8)], y' "$work/arm64.sxt"
  say "passed: Python 3.11 on AArch64, by qemu"
else
  say "skipped: AArch64 needs root, debootstrap and qemu-aarch64"
fi
say "not tried: musllinux (no Python over musl is here), AArch64 with other versions of Python"

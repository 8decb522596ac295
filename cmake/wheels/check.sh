#!/usr/bin/env bash
# Tries wheels in environments that have nothing else: check.sh WHEELS WORK PYTHON. Says what was tried, and what could
# not be. PYTHON is that of the environment of requirements.txt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheels=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
tools=$(cd "$(dirname "$3")" && pwd)/$(basename "$3") # an environment's interpreter is a link, and works as such only
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
    --find-links "$wheels" sextant-kernels
  env -i PATH="$work/venv$version/bin" HOME="$work" python "$here/readme.py" "$here/../../README.md" "$work/readme$version"
  say "passed: Python $version"
done

# In a Debian that has only Python: no LLVM, no compiler, no libstdc++ of a build.
if [ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null; then
  root=$work/debian
  . "$here/../packages/bare.sh"
  bare_debian "$root" --include=python3-venv
  cp "$wheels"/*.whl "$here/readme.py" "$here/../../README.md" "$root/try"
  in_bare "$root" '
    ! ls /usr/lib/llvm-* /usr/lib/*/libLLVM* 2>/dev/null
    python3 -m venv /try/venv
    pip -q --disable-pip-version-check install --no-index --find-links /try sextant-kernels
    python /try/readme.py /try/README.md /try/readme' PATH=/try/venv/bin:/usr/bin:/bin HOME=/try
  say "passed: Debian 12 with only Python"
else
  say "skipped: a Debian with only Python needs root and debootstrap"
fi

# Puts the loader's wheel for Python 3.11 on a platform, manylinux*_aarch64, into the folder $work/site.
unpack() {
  rm -rf "$work/site"
  python3 -m zipfile -e "$wheels"/sextant_kernels_loader-*-cp311-*-$1.whl "$work/site"
}

# Runs a kernel by what is in that folder: try_kernel MACHINE C-LIBRARY PYTHON…
try_kernel() {
  local machine=$1 library=$2
  shift 2
  set -- env PYTHONPATH="$work/site" "$@"
  "$@" -c '
import array, platform, sys, sextant
module, machine, library = sys.argv[1:]
assert platform.machine() == machine, platform.machine()
assert sextant._core.__file__.endswith(f"-311-{machine}-linux-{library}.so"), sextant._core.__file__
x, y = array.array("f", range(8)), array.array("f", [1] * 8)
sextant.open(module).saxpy(8, 2.0, x, y)
assert list(y) == [2.0 * i + 1 for i in range(8)], y' "$work/kernel.sxt" "$machine" "$library"
}

# pip has to refuse a wheel before it installs anything, and to say why: refuses PYTHON WHEEL [OPTION…]
refuses() {
  local python=$1 wheel=$2 said
  shift 2
  if said=$("$python" -m pip --isolated install --no-index --no-deps --target "$work/refused" "$@" $wheel 2>&1) ||
    ! grep -q "is not a supported wheel on this platform" <<<"$said" || [ -e "$work/refused" ]; then
    echo "pip does not refuse $wheel: $said" >&2
    exit 1
  fi
}

has_wheel() { compgen -G "$wheels/$1.whl" >/dev/null; }

"$(printf '%s\n' "$work"/venv*/bin/sextant | head -1)" compile "$here/../../docs/examples/saxpy.py" \
  -o "$work/kernel.sxt" --targets=cpu,cpu:aarch64

# AArch64, by qemu-user: the loader's wheel runs a kernel in Debian's Python.
arm64=""
if ! has_wheel 'sextant_kernels_loader-*-cp311-*-manylinux*_aarch64'; then
  say "skipped: no wheel for Python 3.11 on AArch64 was built"
elif command -v qemu-aarch64 >/dev/null && command -v debootstrap >/dev/null && [ "$(id -u)" -eq 0 ]; then
  arm64=$work/arm64
  if [ ! -e "$arm64/ready" ]; then
    rm -rf "$arm64"
    debootstrap --foreign --arch=arm64 --variant=minbase --include=python3,musl bookworm "$arm64" >"$work/debootstrap-arm64.log"
    for package in "$arm64"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$arm64"; done
    touch "$arm64/ready"
  fi
  unpack 'manylinux*_aarch64'
  try_kernel aarch64 gnu qemu-aarch64 -L "$arm64" "$arm64/usr/bin/python3.11"
  say "passed: Python 3.11 on AArch64, by qemu"
else
  say "skipped: AArch64 needs root, debootstrap and qemu-aarch64"
fi

# musl: the loader's wheel runs a kernel in a Python that is compiled for this, on musl of Debian.
musl_python() { # MACHINE
  local status=0
  python=$("$here/musl-python.sh" "$1" "$work/musl" "$tools" -m ziglang) || status=$?
  if [ $status -eq 3 ]; then say "skipped: no Python over musl: $python"; fi
  [ $status -ne 1 ] || exit 1
  return $status
}
if ! has_wheel 'sextant_kernels_loader-*-cp311-*-musllinux*_x86_64'; then
  say "skipped: no wheel for Python 3.11 over musl on x86-64 was built"
elif [ ! -e /lib/ld-musl-x86_64.so.1 ]; then
  say "skipped: musl needs Debian's package musl"
elif musl_python x86_64; then
  # Lets pip find the one wheel among all that fits.
  rm -rf "$work/site"
  packages=$("$tools" -c 'import pip, pathlib; print(pathlib.Path(pip.__file__).parents[1])')
  export PYTHONPATH=$packages
  "$python" -m pip --isolated -q --disable-pip-version-check install --root-user-action=ignore --no-index \
    --find-links "$wheels" --target "$work/site" sextant-kernels-loader
  refuses "$python" "$wheels/sextant_kernels_loader-*-cp311-*-manylinux*_x86_64.whl"
  unset PYTHONPATH
  try_kernel x86_64 musl "$python"
  say "passed: Python 3.11 over musl on x86-64"
fi
if ! has_wheel 'sextant_kernels_loader-*-cp311-*-musllinux*_aarch64'; then
  say "skipped: no wheel for Python 3.11 over musl on AArch64 was built"
elif [ -z "$arm64" ]; then
  say "skipped: musl on AArch64 needs what AArch64 needs"
elif musl_python aarch64; then
  unpack 'musllinux*_aarch64'
  try_kernel aarch64 musl qemu-aarch64 -L "$arm64" "$python"
  say "passed: Python 3.11 over musl on AArch64, by qemu"
fi

# Wheels of another C library, processor or Python than this one's, and of a newer C library.
refuses "$tools" "$wheels/sextant_kernels-*-manylinux*_x86_64.whl" --platform=manylinux_2_31_x86_64 --only-binary=:all:
for wheel in cp311-cp311-manylinux*_aarch64 cp311-cp311-musllinux*_x86_64 cp310-cp310-manylinux*_x86_64; do
  if has_wheel "sextant_kernels_loader-*-$wheel"; then refuses "$tools" "$wheels/sextant_kernels_loader-*-$wheel.whl"; fi
done
say "passed: pip refuses wheels of other platforms"
say "not tried: Python 3.10, 3.12 and 3.13 on AArch64 and over musl"

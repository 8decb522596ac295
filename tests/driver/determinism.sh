#!/usr/bin/env bash
# The same input gives the same bytes, whatever surrounds the compiler: threads, folders, locale,
# environment, file modes, addresses, and the processor's features as far as the C library may hide them.
# determinism.sh SEXTANT EXAMPLES FOLDER
set -euo pipefail
sextant=$1
rm -rf "$3"
mkdir -p "$3/tree"
cd "$3"
work=$PWD
cp "$2/saxpy.py" "$2/pages/block_radix_rank.py" "$2/pages/atomics_patterns.py" tree/
# Constants whose last bits differ with the C library's code for processors with and without FMA.
python3 - >tree/constants.py <<'PYTHON'
print("import quadrants as qd\n\n@qd.kernel\ndef constants(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):")
print("    for i in range(1):")
for index in range(250):
    value = 0.001 + index * 0.4970
    print(f"        x[{4 * index}] = qd.sin({value})")
    print(f"        x[{4 * index + 1}] = qd.cos({value})")
    print(f"        x[{4 * index + 2}] = qd.exp({value * 0.3})")
    print(f"        x[{4 * index + 3}] = {value} ** 1.3")
PYTHON
options=()
sources=(saxpy.py block_radix_rank.py atomics_patterns.py constants.py)
targets=cpu:x86-64-v3/wave8,compute_80,gfx1100/wave32,vulkan:1.1/wave32,metal:3.0

build() { # build NAME OPTION…: in the folder that this runs in
  local name=$1
  shift
  mkdir -p "$work/$name"
  "$@" "$sextant" compile "${sources[@]}" -t $targets --allow-missing -g "${options[@]}" \
    --emit-header="$work/$name/k.hpp" -o "$work/$name/k.sxt" >"$work/$name/out" 2>&1 || {
    cat "$work/$name/out" >&2
    exit 1
  }
  local file
  for file in k.sxt k.hpp out; do
    cmp "$work/first/$file" "$work/$name/$file" || {
      echo "$name: $file is another one" >&2
      "$sextant" diff "$work/first/k.sxt" "$work/$name/k.sxt" >&2 || true
      exit 1
    }
  done
}
cd tree
options=(-j1)
build first
build again
options=(-j3)
build threads

# Another place of the tree, with a blank in its name; and the command in another folder.
mkdir -p "$work/a far/place"
cp ./*.py "$work/a far/place"
cd "$work/a far/place"
build elsewhere
cd /
sources=("${sources[@]/#/$work/a far/place/}")
options=(--source-root "$work/a far/place")
build root

cd "$work/tree"
options=()
sources=(saxpy.py block_radix_rank.py atomics_patterns.py constants.py)
options=(-j2)
locale=$(locale -a 2>/dev/null | grep -iE '^(de|fr|tr)_' | head -1 || true)
build locale env "LC_ALL=${locale:-C.UTF-8}" LANG=C TZ=Asia/Tokyo SOURCE_DATE_EPOCH=1
mkdir "$work/temporary"
build bare env -i "PATH=$PATH" HOME=/nonexistent USER=nobody "TMPDIR=$work/temporary" COLUMNS=20
[ -z "$(ls -A "$work/temporary")" ] || {
  echo "temporary files are left" >&2
  exit 1
}
(umask 077 && build mask)
if setarch -R true 2>/dev/null; then
  build addresses setarch -R
else
  echo "note: this machine does not let addresses be fixed; that part is not run"
fi
build processor env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL

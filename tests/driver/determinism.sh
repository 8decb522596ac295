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
# Constants for which glibc's code for processors with FMA gives another last bit than that for others.
python3 - >tree/constants.py <<'PYTHON'
sin = [0.176938, 3.444713, 3.825912, 4.325397000000001, 5.434204000000001, 5.854666000000001]
exp = [0.3344331, 0.455055, 0.5225973, 1.0434036, 1.3405599000000001, 1.8507801000000002]
pow = [0.298206, 1.590903, 2.076969, 2.861235, 4.561472000000001, 4.7995350000000006]
cos = [1.065574, 1.44727, 1.9268750000000001, 3.659914, 3.8502650000000003, 3.959108]
print("import quadrants as qd\n\n@qd.kernel\ndef constants(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):")
print("    for i in range(1):")
calls = [f"qd.{name}({value})" for name, values in (("sin", sin), ("exp", exp), ("cos", cos)) for value in values]
calls += [f"{value} ** 1.3" for value in pow]
for index, call in enumerate(calls):
    print(f"        x[{index}] = {call}")
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

#!/usr/bin/env bash
# The cache between processes: variables, many writers at once, a disk that is full.
# cache.sh SEXTANT FOLDER
set -euo pipefail
sextant=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"
fail() {
  echo "$*" >&2
  exit 1
}

# Twelve kernels, as text for the CUDA driver: without temporary files, which a full disk hurts too.
{
  echo "import quadrants as qd"
  for kernel in 1 2 3 4 5 6 7 8 9 10 11 12; do
    echo
    echo "@qd.kernel"
    echo "def k$kernel(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):"
    echo "    for i in range(x.shape[0]):"
    echo "        x[i] = x[i] * $kernel + i // ($kernel + x[0])"
  done
} >k.py
targets=compute_75,compute_80,compute_90
"$sextant" compile k.py -t $targets -o plain.sxt

# Four writers of the same entries, while a fifth keeps throwing them away.
export SEXTANT_CACHE_DIR=$PWD/cache
for writer in 1 2 3 4; do
  (for round in 1 2 3; do
    "$sextant" compile k.py -t $targets -j2 -o $writer.sxt
    cmp plain.sxt $writer.sxt
  done) &
  writers+=($!)
done
for round in $(seq 10); do
  "$sextant" cache --trim --cache-size=40K >/dev/null
  sleep 0.05
done
for writer in "${writers[@]}"; do
  wait "$writer" || fail "a writer failed"
done
"$sextant" compile k.py -t $targets -o a.sxt
"$sextant" compile k.py -t $targets -o a.sxt -v 2>&1 | grep -q "cache: 36 hits, 0 misses in $PWD/cache" ||
  fail "the cache is not whole after many writers"
cmp plain.sxt a.sxt
[ -z "$(find cache -name 'tmp-*')" ] || fail "temporary files are left"
"$sextant" cache --stats | grep -q '^entries  39$' || fail "not 36 images, and a pack for each target"

# A disk that takes no file of more than 1 KiB: one warning, the module as ever.
export SEXTANT_CACHE_DIR=$PWD/full
(
  trap '' XFSZ
  ulimit -f 1
  "$sextant" compile k.py -t $targets -o /dev/stdout 2>err
) | cat >full.sxt
cmp plain.sxt full.sxt || fail "another module on a full disk"
[ "$(grep -c warning: err)" = 1 ] || fail "not one warning: $(cat err)"
grep -q 'the cache stores nothing: cannot write to .*/full/.*: File too large' err || fail "unexpected: $(cat err)"
[ -z "$(find full -name 'tmp-*')" ] || fail "half-written entries are left"
# An entry that could not be written is not there.
"$sextant" compile k.py -t $targets -o a.sxt -v 2>&1 | grep -q 'cache: 0 hits, 36 misses' || fail "entries of a full disk"
cmp plain.sxt a.sxt

# Variables: sizes are read, options come first.
SEXTANT_CACHE_SIZE=lots "$sextant" compile k.py -o b.sxt 2>err && fail "SEXTANT_CACHE_SIZE=lots was taken"
grep -q "SEXTANT_CACHE_SIZE: 'lots' is not a size" err || fail "unexpected: $(cat err)"
"$sextant" compile k.py -t $targets -o a.sxt -v --no-cache 2>&1 | grep -q '^cache: none$' || fail "--no-cache"

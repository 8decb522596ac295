#!/usr/bin/env bash
# Lays the corpus out: the kernels of this folder and the examples of the pages. Prints what
# `sextant compile` takes for it, one argument a line: collect.sh FOLDER
set -euo pipefail
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
pages=$here/../../../docs/examples/pages
mkdir -p "$folder"
cp "$here"/*.py "$folder"
for page in "$pages"/*.py; do
  # Three pages have a kernel `kern`; a module has room for one of that name.
  name=$(basename "$page" .py)
  sed "s/^def kern(/def $name(/" "$page" >"$folder/$name.py"
done
printf '%s\n' "$folder"/*.py \
  --kernel 'block_reduce_add[src=qd.f32, out=qd.f32]' \
  --kernel 'block_inclusive_add[src=qd.i32, out=qd.i32]' \
  --kernel 'block_radix_rank[keys_in=qd.u32, ranks_out=qd.i32]'

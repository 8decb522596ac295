#!/usr/bin/env bash
# compile.sh BUILD SUITE FOLDER TARGETS: the modules of a suite (conformance, algorithms) for other targets, into FOLDER: the
# build's own commands with TARGETS in place of theirs. A kernel that no target can have is left out, which is said.
set -euo pipefail
build=$(cd "$1" && pwd)
suite=$2 folder=$3 targets=$4
modules=$build/tests/$suite/modules
target=sextant-${suite%s}-modules # sextant-algorithm-modules
mkdir -p "$folder"
{ ninja -C "$build" -t commands "$target" 2>/dev/null || true; } |
  { grep -F -- "$modules/" || true; } |
  sed -e 's| && [^&]*cmake_transform_depfile.*||' -e "s|--targets[ =][^ ]*|--targets $targets|" -e "s|$modules|$folder|g" |
  tr '\n' '\0' | xargs -0 -r -P "${SEXTANT_JOBS:-$(nproc)}" -I{} sh -c '{ {} ; } 2>&1 || echo "left out: a refused module"'
rm -f "$folder"/*.d

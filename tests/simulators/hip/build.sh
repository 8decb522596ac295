#!/bin/sh
# build.sh FOLDER [check]: builds amdsim's libamdhip64.so into FOLDER, and runs amdsim's own tests;
# 77 where SEXTANT_AMDSIM says that there shall be no amdsim.
set -eu
if [ "${SEXTANT_AMDSIM:-}" = none ]; then
  rm -rf "$1"
  echo "skipped: SEXTANT_AMDSIM says none"
  exit 77
fi
mkdir -p "$1"
exec make -s -C "${SEXTANT_AMDSIM:-$(dirname "$0")/../amdsim}" -j2 BUILD="$(cd "$1" && pwd)" ${2+"$2"}

#!/bin/sh
# build.sh PROJECT FOLDER: builds amdsim's libamdhip64.so into FOLDER; 77 where there is
# no amdsim.
set -eu
amdsim=${SEXTANT_AMDSIM:-$1/../shared/tools/amdsim}
if [ ! -f "$amdsim/Makefile" ]; then
  rm -rf "$2"
  echo "skipped: no amdsim in $amdsim (SEXTANT_AMDSIM names its folder)"
  exit 77
fi
mkdir -p "$2"
make -s -C "$amdsim" -j2 BUILD="$2"

#!/bin/sh
# run.sh FOLDER DRIVER COMMAND…: the command with the stand-in DRIVER for Metal, whose kernels
# run on the mslsim that build.sh put into FOLDER; 77 where it put none.
set -eu
if [ ! -f "$1/libbridge.so" ]; then
  echo "skipped: no mslsim in $1 (build.sh makes it), and Metal runs only on Apple hardware"
  exit 77
fi
export SEXTANT_MSLSIM_BRIDGE="$1/libbridge.so" SEXTANT_METAL_LIBRARY="$2"
# The loader that ships has no Metal device here; one that has it lies beside the driver.
LD_LIBRARY_PATH="$(dirname "$2")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
shift 2
exec "$@"

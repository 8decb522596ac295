#!/bin/sh
# run.sh FOLDER COMMAND…: the command with FOLDER's libamdhip64.so as its HIP runtime; where
# none was built, with a real GPU's; 77 where there is neither.
set -eu
if [ -f "$1/libamdhip64.so" ]; then
  export LD_LIBRARY_PATH="$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
elif [ ! -e /dev/kfd ]; then
  echo "skipped: no amdsim in $1 (build.sh makes it), and no AMD GPU"
  exit 77
fi
shift
exec "$@"

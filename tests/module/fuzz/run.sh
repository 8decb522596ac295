#!/usr/bin/env bash
# A fuzzer for a fixed number of runs, the first of them the files of a corpus:
# run.sh FUZZER RUNS FOLDER…. With 0 runs only these files. The same inputs each time: what is
# found new goes into a folder that is removed; an input that fails stays here, as crash-….
set -euo pipefail
fuzzer=$1 runs=$2
shift 2
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
most=64 # MiB in one request
case $fuzzer in *command) most=512 ;; esac # text of all that a module says
"$fuzzer" -runs="$runs" -seed=1 -max_len=32768 -timeout=60 -rss_limit_mb=2048 -malloc_limit_mb=$most \
  "$found" "$@"

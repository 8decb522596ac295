#!/usr/bin/env bash
# Checks what the loader writes to stderr by SEXTANT_LOG, in a program that opens a device,
# launches, and makes one call that fails: log.sh [EMULATOR…] PROGRAM
set -u
failed=0
expect() { # expect LEVEL PATTERN...: lines that match, and no others
  level=$1
  shift
  output=$(SEXTANT_LOG=$level "${program[@]}" "[speaks]" 2>&1 >/dev/null)
  for pattern in "$@"; do
    echo "$output" | grep -q -- "$pattern" || { echo "SEXTANT_LOG=$level: no line '$pattern'"; failed=1; }
    output=$(echo "$output" | grep -v -- "$pattern")
  done
  [ -z "$output" ] || { echo "SEXTANT_LOG=$level: not expected: $output"; failed=1; }
}
program=("$@")
error="^sextant: sxt_device_count: 'count' is null$"
opened="^sextant: opened cpu: "
loaded="^sextant: kernel 'empty' on cpu: cpu:"
launched="^sextant: launch empty: cpu:"
expect ""
expect off
expect error "$error"
expect warning "$error"
expect info "$error" "$opened" "$loaded"
expect debug "$error" "$opened" "$loaded" "$launched"
expect 4 "$error" "$opened" "$loaded" "$launched"
expect loud "^sextant: SEXTANT_LOG=loud: expected off, error, warning, info or debug$" "$error"
unset SEXTANT_LOG
[ -z "$("${program[@]}" "[speaks]" 2>&1 >/dev/null)" ] || { echo "not silent by default"; failed=1; }
exit $failed

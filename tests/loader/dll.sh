#!/bin/sh
# dll.sh DLL OBJDUMP SOURCE: checks the loader's DLL as it ships. It exports what
# SOURCE/loader/exports.txt lists and the two names by which GDB finds CPU images
# (loader/devices/cpu/Debuggers.cpp), and needs no DLL but the system's.
set -eu
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$2" -p "$1" >"$work/headers"
awk '/^.Ordinal.Name Pointer. Table/ || /^ *Ordinal +RVA +Name/ {on = 1; next} !NF {on = 0} on {print $NF}' "$work/headers" |
  sort >"$work/exported"
{ cat "$3/loader/exports.txt"; echo __jit_debug_register_code; echo __jit_debug_descriptor; } | sort >"$work/listed"
diff -u "$work/listed" "$work/exported" || { echo "the DLL and loader/exports.txt differ"; exit 1; }

if sed -n 's/.*DLL Name: //p' "$work/headers" |
   grep -Eiv '^(kernel32|msvcrt|ucrtbase|api-ms-win-[a-z0-9-]*|ntdll|advapi32)\.dll$'; then
  echo "needs more than it may"; exit 1
fi

#!/usr/bin/env bash
# windows.sh SEXTANT SOURCE PROGRAM DLL FOLDER: what gdb.sh looks at on Linux, for each of its kernels, on Windows:
# PROGRAM (traced.cpp) runs under wine and gdbserver, and GDB for Windows shows what the same scripts ask for. Exits with
# 77 where one of these is missing.
set -euo pipefail
sextant=$1 source=$2 program=$3 dll=$4 work=$5
. "$source/tests/hosts/tools.sh"
server=/usr/share/win64/gdbserver.exe
have x86_64-w64-mingw32-gdb gdb-mingw-w64
have wine wine
[ -e $server ] || skip "no $server (Debian: gdb-mingw-w64-target)"
mkdir -p "$work"
cp "$program" "$work/traced.exe"
cp $server "$dll" /usr/x86_64-w64-mingw32/lib/libwinpthread-1.dll "$work"
cd "$source/tests/debug"
"$sextant" compile kernels.py -g -O0 --targets=cpu:x86-64-v2/wave8 -o "$work/kernels.sxt"

export WINEDEBUG=-all SEXTANT_DEVICE=cpu SEXTANT_CPU_THREADS=1
failed=0
for name in steps lanes blocks; do
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  (cd "$work" && exec timeout -k 5 150 wine gdbserver.exe --once "localhost:$port" traced.exe kernels.sxt $name) \
    </dev/null >"$work/$name.server" 2>&1 &
  server_pid=$!
  # The program is there already, and goes on.
  sed 's/^run$/continue/' $name.gdb >"$work/$name.gdb"
  timeout -k 5 150 x86_64-w64-mingw32-gdb -nx -q -batch -x start.gdb -ex "file $work/traced.exe" \
    -ex "set tcp connect-timeout 60" -ex "target remote localhost:$port" -x "$work/$name.gdb" \
    </dev/null >"$work/$name.log" 2>&1 || true
  wait $server_pid || true
  ./shown.sh <"$work/$name.log" >"$work/$name.seen" || true
  diff -u $name.expected "$work/$name.seen" || { failed=1; cat "$work/$name.server" "$work/$name.log"; }
done
exit $failed

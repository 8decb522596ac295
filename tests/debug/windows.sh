#!/bin/sh
# windows.sh SEXTANT SOURCE PROGRAM DLL FOLDER: what gdb.sh looks at on Linux, for each of its kernels, on Windows:
# PROGRAM (traced.cpp) runs under wine and gdbserver, and GDB for Windows shows what the same scripts ask for. Exits with
# 77 where one of these is missing.
set -eu
sextant=$1 source=$2 program=$3 dll=$4 folder=$5
server=/usr/share/win64/gdbserver.exe
for file in "$(command -v x86_64-w64-mingw32-gdb || echo x86_64-w64-mingw32-gdb)" "$server" "$(command -v wine || echo wine)"; do
  if [ ! -e "$file" ]; then
    echo "skipped: no $file (Debian: gdb-mingw-w64, gdb-mingw-w64-target, wine)"
    exit 77
  fi
done
mkdir -p "$folder"
cp "$program" "$folder/traced.exe"
cp "$server" "$dll" /usr/x86_64-w64-mingw32/lib/libwinpthread-1.dll "$folder"
cd "$source/tests/debug"
"$sextant" compile kernels.py -g -O0 --targets=cpu:x86-64-v2/wave8 -o "$folder/kernels.sxt"

export WINEDEBUG=-all SEXTANT_DEVICE=cpu SEXTANT_CPU_THREADS=1
failed=0
for name in steps lanes blocks; do
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  (cd "$folder" && exec timeout -k 5 150 wine gdbserver.exe --once "localhost:$port" traced.exe kernels.sxt $name) \
    </dev/null >"$folder/$name.server" 2>&1 &
  server_pid=$!
  cat >"$folder/start.gdb" <<END
set breakpoint pending on
set pagination off
set confirm off
set width 0
set debug-file-directory /nonexistent
set tcp connect-timeout 60
file $folder/traced.exe
target remote localhost:$port
END
  # The program is there already, and goes on.
  sed 's/^run$/continue/' $name.gdb >"$folder/$name.gdb"
  timeout -k 5 150 x86_64-w64-mingw32-gdb -nx -q -batch -x "$folder/start.gdb" -x "$folder/$name.gdb" \
    </dev/null >"$folder/$name.log" 2>&1 || true
  wait $server_pid || true
  ./shown.sh <"$folder/$name.log" >"$folder/$name.seen"
  diff -u $name.expected "$folder/$name.seen" || { failed=1; cat "$folder/$name.server" "$folder/$name.log"; }
done
exit $failed

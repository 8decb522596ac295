# How all scripts of gdb.sh and windows.sh begin.
set breakpoint pending on
set pagination off
set confirm off
set width 0
set debug-file-directory /nonexistent

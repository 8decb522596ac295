set pagination off
set debuginfod enabled off
run
backtrace

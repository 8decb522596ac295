set breakpoint pending on
set pagination off
set debuginfod enabled off
break saxpy_t0
run
backtrace 2
info symbol $pc
delete
continue

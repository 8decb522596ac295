# Threads of a block wait for one another: each has variables of its own.
break kernels.py:54
run
echo [first thread]\n
print t
print mine
print tile
continue
echo [second thread]\n
print t
print mine
print thread_idx

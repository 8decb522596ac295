# One thread after the other: every variable, the way through inlined functions.
break kernels.py:27
run
echo [arguments]\n
info args
print x[1]
print y[1][1]
echo [locals]\n
print i
print before
print pair
print unused
print k
print {block_idx, thread_idx, lane}
# The second thread.
continue 2
echo [second thread]\n
print i
print before
print {block_idx, thread_idx, lane}
# Into a function that is inlined, and one inside of it.
delete
break kernels.py:9 if v > 3
continue
echo [inlined]\n
bt 3
print v
print twice
print thread_idx
up
echo [its caller]\n
info locals
up
echo [the kernel]\n
print i
print pair

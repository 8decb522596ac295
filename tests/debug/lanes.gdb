# A task with operations of a subgroup: eight lanes in step.
break kernels.py:38
run
echo [before the branch]\n
print mine
print same
print total
print thread_idx
print active
break kernels.py:41
continue
echo [in the branch]\n
print mine
print same
print active
break kernels.py:42
continue
echo [behind it]\n
print mine
print same
print active

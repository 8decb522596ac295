# Modules tell the loader which calls on the CPU keep a table of updates: it counts as their stack,
# (4096 + 65536 + 32) * 4 bytes. Updates of one place and of each thread's own need none.
# RUN: %sextant compile %s -o %t.sxt --targets=x86-64-v3/wave32 -j 1
# RUN: %sextant inspect %t.sxt | FileCheck %s
import quadrants as qd

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)


# CHECK: kernel bins(
# CHECK: variant {{.*}} stack
# CHECK-NEXT: cpu:x86-64-v3/wave32 #0 elf {{[0-9]+ [0-9]+}} - - 278656 0 -
@qd.kernel
def bins(x: I32, out: I32):
    for i in x:
        out[x[i]] += 1


# CHECK: kernel own(
# CHECK: variant {{.*}} stack
# CHECK-NEXT: cpu:x86-64-v3/wave32 #1 elf {{[0-9]+ [0-9]+}} - - - 0 -
@qd.kernel
def own(x: I32, out: I32):
    for i in x:
        out[i] += x[i]


# CHECK: kernel total(
# CHECK: variant {{.*}} stack
# CHECK-NEXT: cpu:x86-64-v3/wave32 #2 elf {{[0-9]+ [0-9]+}} - - - 0 -
@qd.kernel
def total(x: I32, out: I32):
    for i in x:
        out[0] += x[i]

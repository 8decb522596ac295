# The code that loops, breaks and early returns become.
# RUN: %sextant compile %s -o %t.sxt --targets=cpu:x86-64-v3/wave32 --dump-ir=irgen | FileCheck %s
import quadrants as qd

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)


# A sum carried by a counted loop.
# CHECK: module @total
# CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (i32) : i32 {
# CHECK-NEXT: simt.load
# CHECK-NEXT: arith.addi %[[S]]
# CHECK-NEXT: scf.yield
@qd.kernel
def total(a: ints, out: ints):
    for i in range(out.shape[0]):
        s = 0
        for k in range(a.shape[0]):
            s = s + a[k]
        out[i] = s


# break: the loop's condition asks whether it has left. continue: a branch.
# CHECK: module @search
# CHECK-NOT: scf.for
# CHECK: scf.while
# CHECK: scf.condition
# CHECK-NOT: scf.for
@qd.kernel
def search(a: ints, out: ints):
    for i in range(out.shape[0]):
        found = -1
        for k in range(a.shape[0]):
            if a[k] < 0:
                continue
            if a[k] == i:
                found = k
                break
        out[i] = found


# A spin on a volatile load stays one load a turn.
# CHECK: module @spin
# CHECK: scf.while
# CHECK-NEXT: simt.load volatile
# CHECK-NEXT: arith.cmpi eq
# CHECK-NEXT: scf.condition
# CHECK-NEXT: } do {
# CHECK-NEXT: simt.pause
# CHECK-NEXT: scf.yield
@qd.kernel
def spin(flags: ints, out: ints):
    for i in range(out.shape[0]):
        while qd.volatile_load(flags[i]) == 0:
            pass
        out[i] = 1


# An inlined function that returns early needs no flag.
@qd.func
def clamped(v, low):
    result = v
    if v < low:
        result = low
    return result


# CHECK: module @clamp
# CHECK-NOT: scf.while
# CHECK: scf.if
# CHECK: arith.select
# CHECK-NOT: scf.if
@qd.kernel
def clamp(out: ints):
    for i in range(out.shape[0]):
        out[i] = clamped(i, 3)

# Where blocks take turns, each of the grid runs neighbouring blocks of iterations, as many as there
# are for one. Other targets have a thread for each iteration.
# RUN: %sextant compile %s -o %t.sxt --targets=cuda:compute_90 --dump-ir=irgen | FileCheck %s
# RUN: %sextant compile %s -o %t.sxt --targets=cpu:x86-64-v3/wave32 --dump-ir=irgen | FileCheck %s --check-prefix=EACH
import quadrants as qd

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)


# CHECK: module @counts
# CHECK: %[[N:.*]] = arith.maxsi
# CHECK: %[[ABOVE:.*]] = arith.addi %[[N]]
# CHECK: %[[BLOCKS:.*]] = arith.{{divui|shrui}} %[[ABOVE]], %{{.*}} : i32
# CHECK-NOT: i64
# CHECK: %[[GRID:.*]] = simt.grid_dim
# CHECK: %[[TURNS:.*]] = arith.divui
# CHECK: %[[BLOCK:.*]] = simt.block_idx
# CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[TURNS]]
# CHECK: %[[BEHIND:.*]] = arith.addi %[[FIRST]], %[[TURNS]]
# CHECK: %[[END:.*]] = arith.minsi %[[BEHIND]], %[[BLOCKS]]
# CHECK: scf.for %[[TURN:.*]] = %[[FIRST]] to %[[END]] step %{{.*}} : i32 {
# CHECK-NOT: simt.block_idx
# CHECK: simt.atomic_rmw addi
# CHECK: } {simt.turns, simt.unroll = 1 : i32}
# EACH: module @counts
# EACH-NOT: {{turns|scf.for}}
# EACH: simt.atomic_rmw addi
@qd.kernel
def counts(x: ints, bins: ints, n: qd.i32):
    for i in range(2, n):
        bins[x[i]] += 1


# Numbers of 64 bits are compared as such.
# CHECK: module @least
# CHECK: %[[ALL:.*]] = arith.{{divui|shrui}} %{{.*}} : i64
# CHECK: arith.trunci %[[ALL]]
# CHECK: simt.turns
@qd.kernel
def least(x: ints, bins: ints, a: qd.i64, b: qd.i64):
    for i in range(qd.min(a, b)):
        bins[x[i]] += 1


# So do those that end by sums.
# CHECK: module @total
# CHECK: scf.for
# CHECK: simt.atomic_rmw addi
# CHECK: simt.turns
# EACH: module @total
# EACH-NOT: {{turns|scf.for}}
@qd.kernel
def total(x: ints, out: ints):
    for i in range(x.shape[0]):
        out[0] += x[i]

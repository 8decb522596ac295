# Subgroup operations that some lanes provably do not reach: the error is at the call, the note at
# the condition. What depends on data passes, and so does what whole subgroups skip.
# RUN: not %sextant compile %s -o %t.sxt --targets=cpu:x86-64-v3/wave32 2>&1 | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import block, subgroup

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def halves(out: ints):
    qd.loop_config(block_dim=64)
    for i in range(128):
        lane = subgroup.invocation_id()
        if lane < 16:
            # CHECK: divergent-subgroup-errors.py:[[@LINE+1]]:{{[0-9]+}}: error: subgroup operation in divergent control flow: lanes of the subgroup do not all reach it; compute it before the branch, in all lanes, and use its result inside
            out[i] = subgroup.shuffle_xor(out[i], 1)


@qd.kernel
def fine(out: ints, n: qd.i32):
    qd.loop_config(block_dim=64)
    for i in range(128):
        if block.thread_idx() < 32:
            out[i] = subgroup.reduce_all_add(out[i])
        if n > 3:
            out[i] += subgroup.broadcast(out[i], 5)
        if out[0] > i:
            out[i] = subgroup.ballot_first_n(1, 32)


@qd.kernel
def library(out: ints):
    qd.loop_config(block_dim=64)
    for i in range(128):
        if block.thread_idx() % 2 == 0:
            # CHECK: divergent-subgroup-errors.py:[[@LINE+1]]:{{[0-9]+}}: error: block barrier in divergent control flow
            out[i] = block.reduce_add(i, 64, qd.i32)
        # CHECK: error: subgroup operation in divergent control flow
        for k in range(subgroup.invocation_id()):
            out[i] += subgroup.inclusive_add(k)
        # CHECK: 3 errors

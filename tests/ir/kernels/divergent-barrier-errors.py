# A barrier that half of the block reaches is an error at the barrier.
# RUN: not %sextant compile %s -o %t.sxt --targets=cpu:x86-64-v3/wave32 2>&1 | FileCheck %s
import quadrants as qd

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def half(out: ints):
    qd.loop_config(block_dim=64)
    for i in range(128):
        if i % 64 < 32:
            # CHECK: divergent-barrier-errors.py:[[@LINE+1]]:{{.*}}: error: block barrier in divergent control flow
            qd.simt.block.sync()
            # CHECK-NOT: current operation
            # CHECK: note: the condition depends on the thread's index
        out[i] = 1

# Kernels that differ by the target that they are built for: its backend, its subgroups, its shared memory.
# See TargetTest.cpp.
import quadrants as qd
from quadrants.lang import impl
from quadrants.lang.simt import block, subgroup

THREADS = 256 if qd.cfg.arch == qd.cuda else 64
ROOM = impl.get_max_shared_memory_bytes() // 8  # numbers that take half of what a block may have
KIND = 1 if qd.cfg.arch == qd.cpu else 2 if qd.cfg.arch in (qd.vulkan, qd.metal) else 3


# Each block of numbers in the opposite order, by way of shared memory's two ends.
@qd.kernel
def turned(x: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.i32, 1), told: qd.types.ndarray(qd.i32, 1)):
    qd.loop_config(block_dim=THREADS)
    for i in range(x.shape[0] // 256 * 256):
        staged = block.SharedArray((ROOM,), qd.i32)
        tid = block.thread_idx()
        at = tid if tid % 2 == 0 else ROOM - 1 - tid
        staged[at] = x[i]
        block.sync()
        other = THREADS - 1 - tid
        out[i] = staged[other if other % 2 == 0 else ROOM - 1 - other]
        if i == 0:
            told[0] = KIND
            told[1] = THREADS
            told[2] = ROOM
            told[3] = subgroup.group_size()
            told[4] = 1 if qd.static(qd.cfg.arch in qd.gpu) else 0

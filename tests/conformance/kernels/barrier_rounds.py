# Reducing barriers, many a task: in a loop's condition, in its body, in a branch that whole
# blocks take, and right after one another.
import quadrants as qd
from quadrants.lang.simt import block


@qd.kernel
def rounds(src: qd.types.ndarray(dtype=qd.u32, ndim=1), out: qd.types.ndarray(dtype=qd.u32, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(src.shape[0]):
        v = src[i]
        result = qd.u32(0)
        while block.sync_any_nonzero(v) != 0:
            ones = qd.cast(block.sync_count_nonzero(v & qd.u32(1)), qd.u32)
            result = result * qd.u32(31) + ones
            if ones % qd.u32(2) == qd.u32(1):
                every = block.sync_all_nonzero(v | (result & qd.u32(1)))
                result = result * qd.u32(3) + qd.cast(every, qd.u32)
                twos = block.sync_count_nonzero(v & qd.u32(6))
                result = result + qd.cast(twos, qd.u32) * qd.u32(1009)
            v = v >> qd.u32(1)
        out[i] = result

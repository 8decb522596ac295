# Blocks that wait for others, and step back between their looks.
import quadrants as qd
from quadrants.lang.simt import grid

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def waits(flags: ints, out: ints):
    # A chain: the first thread of each block waits for the block before it.
    qd.loop_config(block_dim=32)
    for i in range(out.shape[0]):
        if i % 32 == 0:
            block = i // 32
            if block > 0:
                while qd.volatile_load(flags[block - 1]) == 0:
                    grid.pause()
                grid.mem_fence()
            out[block] = block + (out[block - 1] if block > 0 else 0)
            grid.mem_fence()
            qd.atomic_exchange(flags[block], 1)

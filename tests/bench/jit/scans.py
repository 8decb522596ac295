# A scan of each block, beside rows.py.
import quadrants as qd
from quadrants.lang.simt import block

BLOCK = 256


@qd.kernel
def scan(x: qd.types.ndarray(qd.i32, 1), y: qd.types.ndarray(qd.i32, 1)):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        y[i] = block.inclusive_add(x[i], BLOCK, qd.i32)

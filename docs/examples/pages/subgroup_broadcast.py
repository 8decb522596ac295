# From the page "Subgroup primitives": Broadcast lane 0 to all lanes.
import quadrants as qd
from quadrants.lang.simt import subgroup


@qd.kernel
def broadcast(a: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(a.shape[0]):
        a[i] = subgroup.shuffle(a[i], qd.u32(0))

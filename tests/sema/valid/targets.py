# The questions that kernels may ask about the target that they are built for.
# waves: 4 32 64
import quadrants as qd
from quadrants.lang import impl

TILE = 256 if qd.cfg.arch == qd.cuda else 64
ROOM = impl.get_max_shared_memory_bytes()


@qd.kernel
def sized(out: qd.types.ndarray(qd.i32, 1)):
    qd.loop_config(block_dim=TILE)
    for i in range(out.shape[0]):
        staged = qd.simt.block.SharedArray((ROOM // 8,), qd.f32)
        staged[i % TILE] = 1.0
        if qd.static(qd.cfg.arch in (qd.vulkan, qd.metal)):
            out[i] = 1
        elif qd.static(qd.lang.impl.current_cfg().arch in qd.gpu):
            out[i] = 2
        else:
            out[i] = 3

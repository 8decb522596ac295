# Gradients that depend on the number of lanes, of a kernel that does not.
# waves: 4 8 32 64
# build: one_lane.grad[]
# build: one_lane.dual[]
# build: lanes_of_memory.grad[]
import quadrants as qd
from quadrants.lang.simt import subgroup

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def one_lane(x: F32, out: F32):
    for i in x:
        out[i] = subgroup.broadcast_first(x[i] * x[i])


@qd.kernel
def lanes_of_memory(x: F32, at: qd.types.ndarray(dtype=qd.i32, ndim=1), out: F32):
    for i in x:
        out[i] = subgroup.shuffle(x[i] * x[i], qd.u32(at[i] & 3))

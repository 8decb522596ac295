# From the page "Grid primitives", and the end of "Atomics": three ways to wait for another block.
# The pages show the loops; here block 0 publishes and the others wait. Block 0 is the first that
# takes a ticket, so it always runs.
import quadrants as qd

STATE_INVALID = 0
STATE_READY = 1


@qd.func
def first_block(ticket: qd.template(), shared: qd.template()):
    if qd.simt.block.thread_idx() == 0:
        shared[0] = qd.atomic_add(ticket[0], 1)
    qd.simt.block.sync()
    return shared[0] == 0


@qd.kernel
def wait_with_fence(flags: qd.types.ndarray(dtype=qd.i32, ndim=1),
                    data: qd.types.ndarray(dtype=qd.i32, ndim=1),
                    ticket: qd.types.ndarray(dtype=qd.i32, ndim=1),
                    out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(out.shape[0]):
        shared = qd.simt.block.SharedArray((1,), qd.i32)
        prev = 0
        if first_block(ticket, shared):
            if qd.simt.block.thread_idx() == 0:
                data[prev] = 42
                qd.simt.grid.mem_fence()
                flags[prev] = STATE_READY
        else:
            while flags[prev] == STATE_INVALID:
                qd.simt.grid.mem_fence()
            qd.simt.grid.mem_fence()
            out[i] = data[prev]


@qd.kernel
def wait_with_atomic(flags: qd.types.ndarray(dtype=qd.i32, ndim=1),
                     ticket: qd.types.ndarray(dtype=qd.i32, ndim=1),
                     out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(out.shape[0]):
        shared = qd.simt.block.SharedArray((1,), qd.i32)
        prev = 0
        if first_block(ticket, shared):
            if qd.simt.block.thread_idx() == 0:
                qd.atomic_or(flags[prev], STATE_READY)
        else:
            while qd.atomic_or(flags[prev], 0) == STATE_INVALID:
                pass
            out[i] = qd.atomic_or(flags[prev], 0)


@qd.kernel
def wait_with_volatile(flags: qd.types.ndarray(dtype=qd.i32, ndim=1),
                       data: qd.types.ndarray(dtype=qd.i32, ndim=1),
                       ticket: qd.types.ndarray(dtype=qd.i32, ndim=1),
                       out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(out.shape[0]):
        shared = qd.simt.block.SharedArray((1,), qd.i32)
        prev = 0
        if first_block(ticket, shared):
            if qd.simt.block.thread_idx() == 0:
                data[prev] = 43
                qd.simt.grid.mem_fence()
                flags[prev] = STATE_READY
        else:
            while qd.volatile_load(flags[prev]) == STATE_INVALID:
                pass
            qd.simt.grid.mem_fence()
            out[i] = data[prev]

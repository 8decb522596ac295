# The look-back scan of the grid page and the CAS loop of the atomics page, completed.
# waves: 4 8 16 32 64
import quadrants as qd

BLOCK_SIZE = 128
STATE_INVALID = 0
STATE_AGGREGATE = 1
MAX_RETRIES = 64
NO_TASK = -1
x = qd.field(qd.i32, shape=())

@qd.kernel
def lookback_scan(src: qd.types.ndarray(qd.i32, 1), partials: qd.types.ndarray(qd.i32, 1),
                  flags: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.i32, 1)) -> None:
    qd.loop_config(block_dim=BLOCK_SIZE)
    for i in range(src.shape[0]):
        bid = qd.simt.block.global_thread_idx() // BLOCK_SIZE
        tid = qd.simt.block.global_thread_idx() % BLOCK_SIZE
        block_sum = qd.simt.block.reduce_all_add(src[i], BLOCK_SIZE, qd.i32)
        if tid == 0:
            partials[bid] = block_sum
            qd.simt.grid.mem_fence()
            flags[bid] = STATE_AGGREGATE
        if tid == 0:
            prev = bid - 1
            while prev >= 0:
                while flags[prev] == STATE_INVALID:
                    qd.simt.grid.mem_fence()
                qd.simt.grid.mem_fence()
                block_sum += partials[prev]
                prev -= 1
            out[bid] = block_sum

@qd.kernel
def spin(flags: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.i32, 1)):
    for i in range(flags.shape[0]):
        while qd.atomic_or(flags[i], 0) == STATE_INVALID:
            pass
        while qd.volatile_load(flags[i]) == STATE_INVALID:
            pass
        out[i] = flags[i]

@qd.kernel
def cas_loop_max(candidates: qd.types.ndarray(qd.i32, 1)):
    for i in range(candidates.shape[0]):
        candidate = candidates[i]
        for _attempt in range(MAX_RETRIES):
            cur = x[None]
            new = qd.max(cur, candidate)
            old = qd.atomic_cas(x[None], cur, new)
            if old == cur:
                break  # CAS landed; we're done.

@qd.kernel
def take_slots(slot: qd.types.ndarray(qd.i32, 1), done: qd.types.ndarray(qd.types.vector(3, qd.f32), 1)):
    for i in range(slot.shape[0]):
        my_old_task = qd.atomic_exchange(slot[i], NO_TASK)
        if my_old_task != NO_TASK:
            qd.atomic_add(done[my_old_task], qd.Vector([1.0, 2.0, 3.0]))
            qd.atomic_max(done[0][1], 4)

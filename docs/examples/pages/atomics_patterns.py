# From the page "Atomics": slot reservation, task exchange and element-wise addition. The page
# shows the statements; here they are whole kernels.
import quadrants as qd

NO_TASK = -1

field_of_vec3 = qd.Vector.field(3, qd.f32, shape=())


@qd.kernel
def reserve(values: qd.types.ndarray(dtype=qd.i32, ndim=1),
            counter: qd.types.ndarray(dtype=qd.i32, ndim=1),
            out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(values.shape[0]):
        if values[i] > 0:
            slot = qd.atomic_add(counter[0], 1)
            out[slot] = values[i]


@qd.func
def process(done: qd.template(), task):
    done[task] += 1


@qd.kernel
def exchange(slots: qd.types.ndarray(dtype=qd.i32, ndim=1),
             done: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(slots.shape[0] * 4):
        slot = i % slots.shape[0]
        my_old_task = qd.atomic_exchange(slots[slot], NO_TASK)
        if my_old_task != NO_TASK:
            process(done, my_old_task)
        # Whatever was in `slot` is now mine to process; I left NO_TASK behind for the next worker.  No retry needed - exchange
        # always succeeds.


@qd.kernel
def add_vectors(n: qd.i32):
    for i in range(n):
        qd.atomic_add(field_of_vec3[None], qd.Vector([1.0, 2.0, 3.0]))

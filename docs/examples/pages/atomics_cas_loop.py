# From the page "Atomics": a compare-and-swap loop. The page leaves the field, the candidate and
# the number of tries open, and runs one attempt loop; here every thread has a candidate.
import quadrants as qd

MAX_RETRIES = 100000

x = qd.field(qd.i32, shape=())


@qd.kernel
def cas_loop_max(candidates: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(candidates.shape[0]):
        candidate = candidates[i]
        # Atomically: x = max(x, candidate). The framework already has atomic_max for primitives, but the same
        # shape works for any reduction whose backend support is missing.
        for _attempt in range(MAX_RETRIES):
            cur = x[None]
            new = qd.max(cur, candidate)
            old = qd.atomic_cas(x[None], cur, new)
            if old == cur:
                break  # CAS landed; we're done.
            # Otherwise some other thread won the race; loop back and re-read.

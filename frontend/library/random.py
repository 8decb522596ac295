# Random numbers, counter-based: a pure function of the thread and of how many numbers it
# drew before (Philox 2x32 with ten rounds). Threads have streams of their own.
import quadrants as qd


@qd.func
def _philox(counter, thread):
    x0 = qd.cast(counter, qd.u32)
    x1 = qd.cast(thread, qd.u32)
    key = qd.u32(0x53455854)
    for _ in qd.static(range(10)):
        product = qd.cast(x0, qd.u64) * qd.u64(0xD256D193)
        high = qd.cast(product >> qd.u64(32), qd.u32)
        x0 = high ^ key ^ x1
        x1 = qd.cast(product, qd.u32)
        key = key + qd.u32(0x9E3779B9)
    return x0, x1


@qd.func
def bits32(counter, thread):
    x0, x1 = _philox(counter, thread)
    return x0


@qd.func
def bits64(counter, thread):
    x0, x1 = _philox(counter, thread)
    return (qd.cast(x1, qd.u64) << qd.u64(32)) | qd.cast(x0, qd.u64)


@qd.func
def uniform32(counter, thread):
    # [0, 1), 24 bits
    return qd.cast(bits32(counter, thread) >> qd.u32(8), qd.f32) * qd.f32(5.9604644775390625e-08)


@qd.func
def uniform64(counter, thread):
    # [0, 1), 53 bits
    return qd.cast(bits64(counter, thread) >> qd.u64(11), qd.f64) * qd.f64(1.1102230246251565e-16)

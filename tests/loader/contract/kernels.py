"""The kernels of the contract: one for each thing that a launch has to get right."""
import dataclasses

import quadrants as qd

total = qd.field(qd.i32, shape=())
table = qd.field(qd.f32, shape=(3, 4))


@qd.kernel
def saxpy(a: qd.f32, x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]


@qd.kernel
def mixed(
    flag: qd.u1,
    small: qd.i8,
    wide: qd.i64,
    grid: qd.types.ndarray(dtype=qd.i64, ndim=2),
    half: qd.u16,
):
    """Arguments of every size, out of order, so that a wrong layout of the block shows."""
    for i, j in qd.ndrange(grid.shape[0], grid.shape[1]):
        value = wide + qd.cast(small, qd.i64) * 1000 + qd.cast(half, qd.i64)
        grid[i, j] = value + 10 * i + j if flag else -1


@qd.kernel
def halve(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):
    """Not on Metal, nor on Vulkan devices without 64-bit reals."""
    for i in range(x.shape[0]):
        x[i] = x[i] * 0.5


@qd.kernel
def sum_of(x: qd.types.ndarray(dtype=qd.i32, ndim=1)) -> qd.i32:
    """Three tasks that see each other's writes, and a return value."""
    total[None] = 0
    for i in range(x.shape[0]):
        total[None] += x[i]
    return total[None]


@qd.kernel
def scale_table(by: qd.f32):
    for i, j in qd.ndrange(3, 4):
        table[i, j] = table[i, j] * by


@qd.kernel
def bump(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = x[i] + 1


@qd.kernel
def full_blocks(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    """Each block turned round through shared memory: needs a multiple of 64."""
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        tile = qd.simt.block.SharedArray((64,), qd.i32)
        tid = qd.simt.block.thread_idx()
        tile[tid] = x[i]
        qd.simt.block.sync()
        x[i] = tile[63 - tid]


@qd.kernel
def nothing(n: qd.i32, x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    """No task at all."""
    for i in qd.static(range(0)):
        x[i] = n


@qd.func
def turned(x: qd.types.ndarray(dtype=qd.i32, ndim=1), i: qd.i32, step: qd.template()):
    tile = qd.simt.block.SharedArray((6144,), qd.i32)
    tid = qd.simt.block.thread_idx()
    for j in qd.static(range(96)):
        tile[j * 64 + tid] = x[i] + j
    qd.simt.block.sync()
    x[i] = tile[step * 64 + (tid + 1) % 64]


@qd.kernel
def six_tiles(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    """Six tasks of 24 KB of shared memory each: a block has 24, not 144."""
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        turned(x, i, 5)
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        turned(x, i, 17)
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        turned(x, i, 29)
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        turned(x, i, 41)
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        turned(x, i, 73)
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        turned(x, i, 95)


@qd.kernel
def prints(n: qd.i32, scale: qd.f32):
    print("n is", n)
    for i in range(n):
        print("first", i, scale * i)
        if i % 2 == 1:
            print("odd", i, sep=": ", end=" and")
            print(" done")
    print()


@qd.kernel
def prints_types(x: qd.types.ndarray(dtype=qd.f32, ndim=1), big: qd.u64):
    print(qd.i8(-x[0]), qd.u8(x[0]), qd.i16(-x[0]), qd.u16(x[0]), qd.u32(big), qd.i64(big), big, x[0] > 2, None, True)
    print(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], sep=",")
    print(f"{x[6]:.3f} {x[0]}", f"{qd.Vector([x[6], 2.0]):.1f}{{}}" "!", f"{n3}")
    print(qd.f16(x[0]), qd.Vector([x[0], x[1]]), qd.Matrix([[1, 2], [3, 4]]), (n3, "text"), [x[0]])


n3 = 3


@qd.kernel
def prints_formats(x: qd.types.ndarray(dtype=qd.f32, ndim=1), n: qd.i32, big: qd.u64):
    print(f"[{n:5}|{n:<5}|{n:^6}|{n:*>6}|{n:05}|{n:+}|{n: d}|{-n:+05d}|{n:.2f}|{n:e}]")
    print(f"[{n:x}|{-n:X}|{n:o}|{n:b}|{big:x}|{big:08b}|{n > 0:3}|{qd.i64(-n):=+8}]")
    print(f"[{x[0]:8.2f}|{x[0]:<8.1f}|{x[1]:+.3e}|{x[1]:G}|{x[2]:.1%}|{x[3]:06.1f}|{x[4]:8}|{x[0]:>7}]")
    print(f"[{x[5]:5f}|{x[6]:+F}|{x[6]:<6}|{-x[6]:06.1f}|{x[0]:.12f}|{x[1]:.0f}]")
    print(f"[{x[0]:.1}|{x[1]:12.2}|{n:.10d}|{-n:.3}|{n:7.4}|{big:.18x}|{0.5:.3}|{7:.2}|{'text':.2}]")
    print("[{}|{:>4}|{{{}}}]".format(n, "ab", x[3]), "[{1:.1f} {0} {last:+}]".format(n, x[2], last=-n))
    print(f"[{42:5}|{-7:04}|{0.5:.3f}|{255:x}|{'text':>6}|{'a':3}|{True:3}|{2.5:8}|{-2.5:<6}|{1e300:g}]")


@qd.kernel
def prints_much(n: qd.i32):
    for i in range(n):
        for k in range(64):
            v = qd.Vector([i, k, i, k, i, k, i, k])
            print(v, v)


I = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def plenty(
    step: qd.i32,
    a0: I, a1: I, a2: I, a3: I, a4: I, a5: I, a6: I, a7: I, a8: I, a9: I,
    a10: I, a11: I, a12: I, a13: I, a14: I, a15: I, a16: I, a17: I, a18: I, a19: I,
    a20: I, a21: I, a22: I, a23: I, a24: I, a25: I, a26: I, a27: I, a28: I, a29: I,
    a30: I, a31: I, a32: I, a33: I, a34: I, a35: I, a36: I, a37: I, a38: I, a39: I,
):
    """More arrays than some devices bind. They may be of any length, and be parts of one buffer."""
    for i in range(a0.shape[0]):
        for k, a in qd.static(enumerate([
            a0, a1, a2, a3, a4, a5, a6, a7, a8, a9,
            a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
            a20, a21, a22, a23, a24, a25, a26, a27, a28, a29,
            a30, a31, a32, a33, a34, a35, a36, a37, a38, a39,
        ])):
            if i < a.shape[0]:
                a[i] += step * k + i


@qd.kernel
def anywhere(
    a: I,
    b: qd.types.ndarray(dtype=qd.u8, ndim=1),
    c: qd.types.ndarray(dtype=qd.i16, ndim=1),
    d: qd.types.ndarray(dtype=qd.i64, ndim=1),
    e: qd.types.ndarray(dtype=qd.u8, ndim=1),
    f: I,
    g: qd.types.ndarray(dtype=qd.types.vector(2, qd.f32), ndim=1),
):
    """Arrays of each size, which may begin at any of their elements; `e` at every fourth."""
    for i in range(a.shape[0]):
        qd.atomic_add(f[i % 4], a[i])
        a[i] = a[i] + qd.i32(b[i])
        b[i] = b[i] + qd.u8(1)
        c[i] = c[i] - qd.i16(i)
        d[i] = d[i] * 3
        qd.atomic_add(e[i], qd.u8(i))
        g[i] = g[i] * 2.0 + qd.Vector([1.0, i])


@dataclasses.dataclass
class Reversal:
    """One implementation uses `scratch`, the other does not."""

    x: I
    scratch: I
    out: I


@qd.perf_dispatch(get_geometry_hash=lambda at, ran: at.x.shape[0])
def reverse(at: Reversal, ran: I):
    """Writes `x` from its end to its begin, and counts which implementation ran."""
    ...


@reverse.register
@qd.kernel
def reverse_alone(at: Reversal, ran: I) -> None:
    for i in range(at.x.shape[0]):
        at.out[i] = at.x[at.x.shape[0] - 1 - i]
    ran[0] += 1


@reverse.register
@qd.kernel
def reverse_by_copy(at: Reversal, ran: I) -> None:
    for i in range(at.x.shape[0]):
        at.scratch[i] = at.x[i]
    for i in range(at.x.shape[0]):
        at.out[at.x.shape[0] - 1 - i] = at.scratch[i]
    ran[1] += 1

# A product by shared tiles on AVX2: what is the same in a row of the tile is loaded once for sixteen
# threads, which are two vectors. Four such rows run together, since they have more factors in common
# than registers hold. (Vectors of four in memory that each thread has of its own make chunks of
# eight; these loads of four are not.)
# RUN: %count_x86-64-v3_wave32 %s 'v(fmadd|broadcastss|gather)' | FileCheck %s
import quadrants as qd

A = qd.types.ndarray(qd.f32, 2)


# CHECK: {{^}}product: 64 vbroadcastss, 4 vfmadd213ps, 124 vfmadd231ps, stack
@qd.kernel
def product(a: A, b: A, c: A):
    qd.loop_config(block_dim=256)
    for i in range(c.shape[0] * c.shape[1]):
        left = qd.simt.block.SharedArray((16, 16), qd.f32)
        right = qd.simt.block.SharedArray((16, 16), qd.f32)
        t = qd.simt.block.thread_idx()
        row, column = t // 16, t % 16
        across = c.shape[1] // 16
        y, x = i // 256 // across * 16 + row, i // 256 % across * 16 + column
        s = 0.0
        for k in range(a.shape[1] // 16):
            left[row, column] = a[y, k * 16 + column]
            right[row, column] = b[k * 16 + row, x]
            qd.simt.block.sync()
            for m in qd.static(range(16)):
                s += left[row, m] * right[m, column]
            qd.simt.block.sync()
        c[y, x] = s

# Sorts of keys of type T, with values that tell whether they are stable; `--const T=qd.i16` names it.
import quadrants as qd

T = qd.f32
WIDTH = 32
N = qd.i32  # the type of counts
Keys = qd.types.ndarray(dtype=T, ndim=1)
i32s = qd.types.ndarray(dtype=qd.i32, ndim=1)
u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)


@qd.kernel
def up(keys: Keys, tmp: Keys, values: i32s, tmp_values: i32s, scratch: u32s, n: N):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, T, True, WIDTH, 4)

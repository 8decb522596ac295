# Scans and reductions of structs and of narrow types, with operators of the user; counts that only the device knows.
import quadrants as qd

i32s = qd.types.ndarray(dtype=qd.i32, ndim=1)
u8s = qd.types.ndarray(dtype=qd.u8, ndim=1)
u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)
Count = qd.types.ndarray(dtype=qd.i32, ndim=0)


@qd.dataclass
class Map:
    """x -> factor * x + term, in u32."""

    factor: qd.u32
    term: qd.u32


maps = Map.field(shape=70000)
composed = Map.field(shape=70000)
folds = Map.field(shape=1000)


@qd.func
def then(a, b):
    return Map(a.factor * b.factor, a.term * b.factor + b.term)


@qd.kernel
def compose(factors: u32s, terms: u32s, factors_out: u32s, terms_out: u32s, n: qd.i32):
    for i in range(n):
        maps[i] = Map(factors[i], terms[i])
    qd.algorithms.inclusive_scan(maps, composed, folds, n, Map, then, Map(1, 0))
    for i in range(n):
        factors_out[i] = composed[i].factor
        terms_out[i] = composed[i].term


@qd.func
def plus(a, b):
    return a + b


@qd.kernel
def scan_bytes(x: u8s, out: u8s, scratch: u8s, n: qd.i32):
    qd.algorithms.exclusive_scan(x, out, scratch, n, qd.u8, plus, 0)


@qd.func
def squared(x):
    return x * x


@qd.kernel
def squares(x: i32s, out: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.transform_reduce(x, out, scratch, n, qd.i32, squared, plus, 0)


@qd.kernel
def scan_counted(x: i32s, out: i32s, scratch: u32s, n: Count):
    qd.algorithms.exclusive_scan_add(x, out, scratch, n, qd.i32, 4)


@qd.kernel
def sort_counted(keys: u32s, tmp: u32s, values: i32s, tmp_values: i32s, scratch: u32s, n: Count):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, qd.u32, True, 16, 4)


@qd.kernel(graph=True)
def sort_until(keys: u32s, tmp: u32s, scratch: u32s, n: Count, rounds: Count):
    """Sorts by 16 bits, and changes the least key, for some rounds on the device."""
    while qd.graph.do_while(rounds):
        qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, qd.u32, False, 16, 4)
        for i in range(1):
            keys[0] = keys[0] + qd.u32(0x1000)
            rounds[()] -= 1

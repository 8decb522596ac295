"""Writes the conformance kernels of surface.py, and the table by which the driver runs them.

    generate.py FOLDER          FOLDER/<family>_<dtype>.py, one kernel an operation, and
                                FOLDER/SurfaceTable.cpp
    generate.py --list          the names of the modules

A kernel calls its operation in several forms and stores each form's result in a row of its own
of `out`. What the rows mean is said here and, as checks, in Surface*.cpp: a change to one is a
change to the other. Forms that stand for every tile size take the wave's: L is its log2.

`twist` is a number that differs from kernel to kernel: it picks the tile of the forms that have
only one, so that over all operations and types each placement meets each tile.
"""

import pathlib
import sys

import surface

ROUNDS = 3  # rounds of the loops; the driver passes it at run time
SIZES = (64, 128, 256, 512)  # sizes of blocks

HEAD = """# Written by tests/conformance/generate.py.
import quadrants as qd
from quadrants.lang.simt import block, subgroup

L = subgroup.log2_group_size()
W = subgroup.group_size()
"""


def arrays(**params):
    """Parameters: name=(dtype, ndim), or the dtype of a scalar."""
    parts = []
    for name, kind in params.items():
        if isinstance(kind, tuple):
            dtype = kind[0] if "(" in kind[0] else f"qd.{kind[0]}"
            parts.append(f"{name}: qd.types.ndarray(dtype={dtype}, ndim={kind[1]})")
        else:
            parts.append(f"{name}: qd.{kind}")
    return ", ".join(parts)


def kernel(name, params, body):
    lines = [line for line in body.strip("\n").split("\n")]
    return f"\n\n@qd.kernel\ndef {name}({params}):\n" + "\n".join("    " + line if line else "" for line in lines) + "\n"


# ---- Subgroup ---------------------------------------------------------------------------


def tiles(op, dtype, twist):
    """Every tile; then one each: under a uniform condition, after divergent code, in a loop with
    an operand that changes, in blocks of half a wave."""
    segmented = op.family == "segmented"
    flags = dict(flags=("i32", 1)) if segmented else {}
    result = "i32" if op.family == "vote" else dtype
    more = ", flags[i]" if segmented else ""
    call, tiled = op.name, op.name + "_tiled"
    return kernel(op.kernel, arrays(src=(dtype, 1), **flags, rounds="i32", out=(result, 2)), f"""
qd.loop_config(block_dim=128)
for i in range(src.shape[0]):
    v = src[i]
    for k in qd.static(range(L + 1)):
        out[k, i] = {tiled}(v{more}, k)
    out[L + 1, i] = {call}(v{more})
    if rounds > 1:
        out[L + 2, i] = {tiled}(v{more}, {twist} % (L + 1))
    w = v
    if i % 3 == 0:
        w = src[i ^ 1]
    out[L + 3, i] = {tiled}(w{more}, {twist + 1} % (L + 1))
    for r in range(rounds):
        out[L + 4 + r, i] = {tiled}(src[(i + 37 * r) % src.shape[0]]{more}, {twist + 2} % (L + 1))
qd.loop_config(block_dim=W // 2)
for i in range(src.shape[0]):
    out[L + 4 + rounds, i] = {tiled}(src[i]{more}, {twist} % L)
""")


def move(op, dtype, twist):
    """Moves by 1, 2, 4, …; by 0, 3, the last lane; by a run-time number; by each lane's own. Then the
    placements."""
    def call(value, operand):
        return f"{op.name}({value})" if op.kernel == "broadcast_first" else f"{op.name}({value}, {operand})"
    own = f"out[L + 4, i] = {call('v', 'lanes[i]')}" if op.kernel in ("shuffle", "shuffle_xor") else "pass"
    return kernel(op.kernel, arrays(src=(dtype, 1), lanes=("u32", 1), rounds="i32", out=(dtype, 2)), f"""
qd.loop_config(block_dim=128)
for i in range(src.shape[0]):
    v = src[i]
    for k in qd.static(range(L)):
        out[k, i] = {call('v', 'qd.u32(1 << k)')}
    out[L, i] = {call('v', 'qd.u32(0)')}
    out[L + 1, i] = {call('v', 'qd.u32(3)')}
    out[L + 2, i] = {call('v', 'qd.u32(W - 1)')}
    out[L + 3, i] = {call('v', 'qd.u32(rounds)')}
    {own}
    if rounds > 1:
        out[L + 5, i] = {call('v', f'qd.u32({twist} % W)')}
    w = v
    if i % 3 == 0:
        w = src[i ^ 1]
    out[L + 6, i] = {call('w', f'qd.u32({twist + 1} % W)')}
    for r in range(rounds):
        out[L + 7 + r, i] = {call('src[(i + 37 * r) % src.shape[0]]', 'qd.u32(r)')}
""")


def lane(op, dtype, twist):
    """A lane's knowledge of itself; barrier and fence between a store and a neighbour's load."""
    if op.kernel in ("sync", "mem_fence"):
        wait = "subgroup.sync()" if op.kernel == "sync" else "subgroup.mem_fence()\n    subgroup.sync()"
        return kernel(op.kernel, arrays(src=("i32", 1), rounds="i32", out=("i32", 2)), f"""
qd.loop_config(block_dim=128)
for i in range(src.shape[0]):
    slots = block.SharedArray((128,), qd.i32)
    tid = block.thread_idx()
    slots[tid] = src[i]
    {wait}
    v = slots[tid ^ 1]
    out[0, i] = v
    for r in range(rounds):
        {wait.replace(chr(10), chr(10) + "    ")}
        slots[tid] = v + r
        {wait.replace(chr(10), chr(10) + "    ")}
        v = slots[tid ^ 2]
        out[1 + r, i] = v
""")
    return kernel(op.kernel, arrays(src=("i32", 1), rounds="i32", out=("i32", 2)), f"""
qd.loop_config(block_dim=128)
for i in range(src.shape[0]):
    out[0, i] = {op.name}()
    if i % 3 == 0:
        out[1, i] = {op.name}()
    for r in range(rounds):
        out[2 + r, i] = {op.name}() + r
qd.loop_config(block_dim=W // 2)
for i in range(src.shape[0]):
    out[2 + rounds, i] = {op.name}()
""")


def ballot(op, dtype, twist):
    """Ballots of every length, matches, lane masks of every lane."""
    result = "u64" if op.kernel in ("ballot", "match_any") else "u32"
    def call(value):
        return f"{op.name}({value}, min({1 + twist % 32}, subgroup.group_size()))" if op.kernel == "ballot_first_n" else f"{op.name}({value})"
    every = "for n in qd.static(range(32)):\n        out[5 + rounds + n, i] = subgroup.ballot_first_n(v, min(n + 1, subgroup.group_size()))"
    return kernel(op.kernel, arrays(src=(dtype, 1), rounds="i32", out=(result, 2)), f"""
qd.loop_config(block_dim=128)
for i in range(src.shape[0]):
    v = src[i]
    out[0, i] = {call('v')}
    if rounds > 1:
        out[1, i] = {call('v')}
    w = v
    if i % 3 == 0:
        w = src[i ^ 1]
    out[2, i] = {call('w')}
    for r in range(rounds):
        out[3 + r, i] = {call('src[(i + 37 * r) % src.shape[0]]')}
    {every if op.kernel == "ballot_first_n" and dtype == "i32" else "pass"}
""")


def sort(op, dtype, twist):
    """A kernel a type of values, which share the tiles among them; one of them has the base
    form and the placements."""
    text = ""
    for n, value in enumerate(surface.WORDS):
        placed = "" if n != twist % 6 else f"""
    a, b = {op.name}(keys[i], values[i])
    out_keys[1, i] = a
    out_values[1, i] = b
    x = keys[i]
    if i % 3 == 0:
        x = keys[i ^ 1]
    a, b = {op.name}_tiled(x, values[i], {twist + 1} % (L + 1))
    out_keys[2, i] = a
    out_values[2, i] = b
    for r in range(rounds):
        a, b = {op.name}_tiled(keys[(i + 37 * r) % keys.shape[0]], values[i], {twist + 2} % (L + 1))
        out_keys[3 + r, i] = a
        out_values[3 + r, i] = b"""
        text += kernel(f"{op.kernel}_{value}", arrays(keys=(dtype, 1), values=(value, 1), rounds="i32", out_keys=(dtype, 2),
                                                     out_values=(value, 2)), f"""
qd.loop_config(block_dim=64)
for i in range(keys.shape[0]):
    k, v = {op.name}_tiled(keys[i], values[i], {twist + n} % (L + 1))
    out_keys[0, i] = k
    out_values[0, i] = v{placed}
""")
    return text


# ---- Block ------------------------------------------------------------------------------

# Operators that do not commute: affine maps modulo 65536 composed, packed as factor and offset;
# on reals the later operand that is not zero.
OPERATORS = {True: """

@qd.func
def then(f, g):
    factor = (f >> 16 & 0xFFFF) * (g >> 16 & 0xFFFF)
    offset = (f & 0xFFFF) * (g >> 16 & 0xFFFF) + (g & 0xFFFF)
    return ((factor & 0xFFFF) << 16) | (offset & 0xFFFF)
""", False: """

@qd.func
def then(f, g):
    return qd.select(g != 0, g, f)
"""}


def block_fold(op, dtype, twist):
    """Blocks of one wave; the placements in blocks of another size."""
    generic = op.kernel in ("reduce", "reduce_all", "inclusive_scan", "exclusive_scan")
    identity = ", qd.cast(0x10000, T)" if op.kernel == "exclusive_scan" else ""
    more = f"then{identity}, T" if generic else "T"
    size = SIZES[twist % 4]
    return kernel(op.kernel, arrays(src=(dtype, 1), rounds="i32", out=(dtype, 2)), f"""
qd.loop_config(block_dim=W)
for i in range(src.shape[0]):
    out[0, i] = {op.name}(src[i], W, {more})
qd.loop_config(block_dim={size})
for i in range(src.shape[0]):
    v = src[i]
    if rounds > 1:
        out[1, i] = {op.name}(v, {size}, {more})
    w = v
    if i % 3 == 0:
        w = src[i ^ 1]
    out[2, i] = {op.name}(w, {size}, {more})
    for r in range(rounds):
        out[3 + r, i] = {op.name}(src[(i + 37 * r) % src.shape[0]], {size}, {more})
""")


def barrier(op, dtype, twist):
    """Blocks of one wave and of 256; in loops and after divergent code."""
    if op.kernel == "sync":
        body = """
slots = block.SharedArray((SIZE,), qd.i32)
tid = block.thread_idx()
slots[tid] = src[i]
block.sync()
v = slots[SIZE - 1 - tid]
out[ROW, i] = v
for r in range(rounds):
    block.sync()
    if tid % 3 != 0:
        slots[tid] = v + r
    block.sync()
    v = slots[(tid + 1) % SIZE]
    out[ROW + 1 + r, i] = v
"""
    elif op.kernel.startswith("sync"):
        body = f"""
out[ROW, i] = {op.name}(src[i])
for r in range(rounds):
    w = src[(i + 37 * r) % src.shape[0]]
    if i % 3 == 0:
        w = 0
    out[ROW + 1 + r, i] = {op.name}(w)
"""
    else:
        body = f"""
out[ROW, i] = {op.name}()
for r in range(rounds):
    if i % 3 != 0:
        out[ROW + 1 + r, i] = {op.name}() + r
"""
    text = ""
    for size, row in (("W", "0"), ("256", f"{ROUNDS + 1}")):
        lines = body.strip("\n").replace("SIZE", size).replace("ROW", row)
        text += f"qd.loop_config(block_dim={size})\nfor i in range(src.shape[0]):\n"
        text += "\n".join("    " + line for line in lines.split("\n")) + "\n"
    return kernel(op.kernel, arrays(src=("i32", 1), rounds="i32", out=("i32", 2)), text)


def shared(op, dtype, twist):
    """One, two and three dimensions; vectors and matrices."""
    return kernel("shared_array", arrays(src=(dtype, 1), out=(dtype, 2)), """
qd.loop_config(block_dim=64)
for i in range(src.shape[0]):
    line = block.SharedArray(64, T)
    plane = block.SharedArray((8, 8), T)
    box = block.SharedArray((2, 4, 8), T)
    vectors = block.SharedArray((64,), qd.types.vector(3, T))
    matrices = block.SharedArray((8, 8), qd.types.matrix(2, 2, T))
    tid = block.thread_idx()
    a = src[i]
    b = src[i ^ 1]
    c = src[i ^ 2]
    d = src[i ^ 3]
    line[tid] = a
    plane[tid // 8, tid % 8] = a
    box[tid // 32, tid // 8 % 4, tid % 8] = a
    vectors[tid] = qd.Vector([a, b, c])
    matrices[tid // 8, tid % 8] = qd.Matrix([[a, b], [c, d]])
    block.sync()
    t = 63 - tid
    out[0, i] = line[t]
    out[1, i] = plane[t % 8, t // 8]
    out[2, i] = box[t // 32, t // 8 % 4, t % 8]
    v = vectors[t]
    out[3, i] = v[0]
    out[4, i] = v[1]
    out[5, i] = v[2]
    m = matrices[t // 8, t % 8]
    out[6, i] = m[0, 0]
    out[7, i] = m[0, 1]
    out[8, i] = m[1, 0]
    out[9, i] = m[1, 1]
    out[10, i] = vectors[t][tid % 3]
""")


# ---- Atomics ------------------------------------------------------------------------------


def call(op, place, value):
    if op.builtin == "qd.atomic_cas":
        return f"qd.atomic_cas({place}, {value}, {value} + 1)"
    return f"{op.builtin}({place}, {value})"


def augmented(op, place, value):
    """The statement that means the same, or the call."""
    sign = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}.get(op.builtin.split("_")[1])
    return f"{place} {sign}= {value}" if sign else call(op, place, value)


def atomic(op, dtype, twist):
    """An array, by some lanes only, a slot of a vector, a field, whole vectors, an augmented
    assignment and a call by many threads on few elements."""
    vectors = "" if op.builtin == "qd.atomic_cas" else f"""
    if i % 2 == 0:
        o = {op.builtin}(vectors[i // 2], qd.Vector([y[i], y[i + 1]]))
        old[4, i] = o[0]
        old[4, i + 1] = o[1]"""
    return f"\n\n{op.kernel}_field = qd.field(T, shape=(768,))\n" + kernel(
        op.kernel, arrays(x=(dtype, 2), y=(dtype, 1), slots=("qd.types.vector(3, T)", 1),
                          vectors=("qd.types.vector(2, T)", 1), old=(dtype, 2), few=(dtype, 2)), f"""
for i in range(y.shape[0]):
    old[0, i] = {call(op, 'x[0, i]', 'y[i]')}
    if i % 3 == 1:
        old[1, i] = {call(op, 'x[1, i]', 'y[i]')}
    old[2, i] = {call(op, 'slots[i // 3][i % 3]', 'y[i]')}
    old[3, i] = {call(op, f'{op.kernel}_field[i]', 'y[i]')}{vectors}
    {augmented(op, 'few[0, i % 3]', 'y[i]')}
    old[5, i] = {call(op, 'few[1, i % 3]', 'y[i]')}
""")


def atomic_shared(op, dtype, twist):
    """An array, slots of vectors; then many threads on few elements."""
    return kernel(op.kernel, arrays(x=(dtype, 2), y=(dtype, 1), old=(dtype, 2), few=(dtype, 2)), f"""
qd.loop_config(block_dim=128)
for i in range(y.shape[0]):
    cells = block.SharedArray((128,), T)
    vectors = block.SharedArray((64,), qd.types.vector(2, T))
    heap = block.SharedArray((3,), T)
    tid = block.thread_idx()
    cells[tid] = x[0, i]
    vectors[tid // 2][tid % 2] = x[1, i]
    if tid < 3:
        heap[tid] = few[i // 128, tid]
    block.sync()
    old[0, i] = {call(op, 'cells[tid ^ 1]', 'y[i]')}
    if i % 3 == 1:
        old[1, i] = {call(op, 'vectors[tid // 2][tid % 2]', 'y[i]')}
    {augmented(op, 'heap[tid % 3]', 'y[i]')}
    block.sync()
    x[0, i] = cells[tid]
    x[1, i] = vectors[tid // 2][tid % 2]
    if tid < 3:
        few[i // 128, tid] = heap[tid]
""")


def load(op, dtype, twist):
    return "\n\ncells = qd.field(T, shape=(256,))\n" + kernel(
        op.kernel, arrays(src=(dtype, 1), out=(dtype, 2)), """
for i in range(src.shape[0]):
    out[0, i] = qd.volatile_load(src[i])
    if i % 3 == 1:
        out[1, i] = qd.volatile_load(src[i ^ 1])
    cells[i] = src[i]
for i in range(src.shape[0]):
    out[2, i] = qd.volatile_load(cells[i])
""")


FAMILIES = {"move": move, "lane": lane, "ballot": ballot, "vote": tiles, "reduce": tiles, "segmented": tiles, "scan": tiles,
            "sort": sort, "block_reduce": block_fold, "block_scan": block_fold, "barrier": barrier, "shared": shared,
            "atomic": atomic, "atomic_shared": atomic_shared, "load": load}


def write(folder):
    files, table = {}, []
    for number, (op, dtype) in enumerate(surface.rows()):
        twist = number % 42  # waves of 32 have 6 tiles, those of 64 have 7
        module = f"{op.family}_{dtype}"
        if module not in files:
            generic = OPERATORS[dtype in surface.INTS] if op.family.startswith("block_") else ""
            files[module] = HEAD + f"T = qd.{dtype}\n" + generic
        files[module] += FAMILIES[op.family](op, dtype, twist)
        table.append(f'    {{"{module}", "{op.kernel}", "{op.name}", "{dtype}", "{op.family}", {twist}}},')
    folder.mkdir(parents=True, exist_ok=True)
    for module, text in files.items():
        (folder / f"{module}.py").write_text(text)
    (folder / "SurfaceTable.cpp").write_text(
        "// Written by tests/conformance/generate.py.\n#include \"tests/conformance/Surface.h\"\n\n"
        "namespace conformance {\n\nconst std::vector<SurfaceKernel> surfaceKernels = {\n"
        + "\n".join(table) + "\n};\n\n} // namespace conformance\n")


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(";".join(surface.modules()), end="")
    else:
        write(pathlib.Path(sys.argv[1]))

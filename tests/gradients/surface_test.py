"""Compiles a gradient through each SIMT operation of reals, and compares what the compiler says with the column of
docs/support-matrix.md: surface_test.py SEXTANT CONFORMANCE FOLDER."""

import pathlib
import subprocess
import sys

KERNEL = """import quadrants as qd
from quadrants.lang.simt import block, subgroup

A = qd.types.ndarray(qd.f32, 1)


@qd.func
def mixed(a, b):
    return a + b + a * b


@qd.kernel
def k(x: A, y: A):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        s = block.SharedArray((64,), qd.f32)
        s[i % 64] = 0.0
        block.sync()
        STATEMENT
        block.sync()
        y[i] += s[i % 64]
"""


def statement(op):
    """A statement by which `y` or `s` depends on `x`."""
    call, name = op.builtin, op.builtin.split(".")[-1]
    if op.family.startswith("atomic"):
        return f"{call}({'s' if op.family.endswith('shared') else 'y'}[0], x[i])"
    if op.family == "shared":
        return "s[i % 64] = x[63 - i % 64]"
    if op.family == "sort":
        return f"key, value = {call}(x[i], x[i])\n        y[i] = key + value"
    more = {"shuffle": "qd.u32(1)", "shuffle_down": "1", "shuffle_up": "1", "shuffle_xor": "1", "broadcast": "1",
            "reduce": "64, mixed, qd.f32", "reduce_all": "64, mixed, qd.f32", "inclusive_scan": "64, mixed, qd.f32",
            "exclusive_scan": "64, mixed, 0.0, qd.f32"}.get(name)
    if more is None and op.family == "segmented":
        more = "i % 3 == 0"
    if more is None and op.family.startswith("block"):
        more = "64, qd.f32"
    return f"y[i] = {call}(x[i]{', ' + more if more else ''})"


def main():
    sextant, conformance, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    sys.path.insert(0, conformance)
    import surface
    folder.mkdir(parents=True, exist_ok=True)
    faults = count = 0
    for op, dtype in surface.rows():
        if dtype != "f32":
            continue
        source = folder / "k.py"
        source.write_text(KERNEL.replace("STATEMENT", statement(op)))
        done = subprocess.run([sextant, "compile", source, "-o", folder / "k.sxt", "--targets", "cpu", "--kernel", "k.grad", "--no-cache"],
                              capture_output=True, text=True, check=False)
        refused = done.returncode == 1 and "has no gradient" in done.stderr
        says = surface.gradient_of(op, dtype)
        count += 1
        if (says == "refused") != refused or done.returncode and not refused:
            faults += 1
            print(f"{op.name}: the column says {says}; the compiler: {done.stderr[:300] or 'built'}")
    print(f"{count} operations, {faults} faults")
    return faults > 0 or count < 50


if __name__ == "__main__":
    sys.exit(main())

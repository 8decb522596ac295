"""The lines that the fixes of `--diagnostics=json` make. messages_test.py applies those of all pages.

    fixes_test.py SEXTANT
"""

import concurrent.futures
import os
import re
import sys

from messages_test import applied, compiling, file_of, objects_of

# A statement in messages_test's kernel (x, y: F; n: N; m), what it becomes, and whether that is a guess.
LINES = [
    ("x[i] = sqr(y[i])", "x[i] = sqrt(y[i])", None),  # `sqrt` is not a name here: no fix
    ("x[i] = qd.sqr(y[i])", "x[i] = qd.sqrt(y[i])", True),
    ("x[i] = qd.f33(y[i])", "x[i] = qd.f32(y[i])", True),
    ("x[i] = math.sqr(y[i])", "x[i] = math.sqrt(y[i])", True),
    ("x[i] = subgroup.reduce_ad(y[i])", "x[i] = subgroup.reduce_add(y[i])", True),
    ("n[i] = x.shpae[0]", "n[i] = x.shape[0]", True),
    ("x[i] = yy[i] + m", "x[i] = y[i] + m", True),
    ("value = 1.0\nx[i] = vlaue", "value = 1.0\nx[i] = value", True),
    ("if m == 1 && i == 2:\n    x[i] = 0.0", "if m == 1 and i == 2:\n    x[i] = 0.0", False),
    ("if m == 1&&i == 2:\n    x[i] = 0.0", "if m == 1 and i == 2:\n    x[i] = 0.0", False),
    ("if m == 1 || i == 2:\n    x[i] = 0.0", "if m == 1 or i == 2:\n    x[i] = 0.0", False),
    ("if m == 1\n    x[i] = 0.0", "if m == 1:\n    x[i] = 0.0", False),
    ("if m == 1  # one\n    x[i] = 0.0", "if m == 1:  # one\n    x[i] = 0.0", False),
    ("for j in range(3)\n    x[i] = 0.0", "for j in range(3):\n    x[i] = 0.0", False),
    ("if m = 1:\n    x[i] = 0.0", "if m == 1:\n    x[i] = 0.0", True),
    ("if m == 1:\n    x[i] = 0.0\nelse if m == 2:\n    x[i] = 1.0",
     "if m == 1:\n    x[i] = 0.0\nelif m == 2:\n    x[i] = 1.0", False),
    ("whlie m == 1:\n    break", "while m == 1:\n    break", True),
    ("forr j in range(3):\n    x[j] = 0.0", "for j in range(3):\n    x[j] = 0.0", True),
    ("if m == 1:\n    x[i] = 0.0\nesle:\n    x[i] = 1.0", "if m == 1:\n    x[i] = 0.0\nelse:\n    x[i] = 1.0", True),
    ("j := 1", "j = 1", False),
    ("x[i] = y[i])", "x[i] = y[i]", True),
    ("x[i] = (y[i + 1)]", "x[i] = (y[i + 1])]", True),
    ("n[i] = y[i] * 0.5", "n[i] = int(y[i] * 0.5)", False),
    ("j = 1\nj = 0.75  # three quarters", "j = 1\nj = int(0.75)  # three quarters", False),
    ("for j in range(2.5):\n    x[j] = 0.0", "for j in range(int(2.5)):\n    x[j] = 0.0", True),
    ("for j in m:\n    x[j] = 0.0", "for j in range(m):\n    x[j] = 0.0", False),
    ("n[i] += 0.5", "n[i] += int(0.5)", False),
    ("n[i] -= y[i] * 2.0", "n[i] -= int(y[i] * 2.0)", False),
    ("n[i] = qd.max(y[i], 0.5)", "n[i] = int(qd.max(y[i], 0.5))", False),
    ("j = 1\nj += 0.75", "j = 1\nj = int(j + 0.75)", False),
    ("j = 1\nj *= y[i] + 1.0", "j = 1\nj = int(j * (y[i] + 1.0))", False),
    ("qd.atomic_add(n[i], 0.5)", "qd.atomic_add(n[i], int(0.5))", False),
    ("j = qd.i64(1)\nj = y[i]", "j = qd.i64(1)\nj = qd.i64(y[i])", False),
    ("j = qd.u8(1)\nj -= y[i]", "j = qd.u8(1)\nj = qd.u8(j - y[i])", False),
    ("a, b = 1, 2\na, b = 3, y[i]", "a, b = 1, 2\na, b = 3, int(y[i])", False),
    ("j: qd.i32 = 0.5", "j: qd.i32 = int(0.5)", False),
    ("x[y[i]] = 1.0", "x[int(y[i])] = 1.0", True),
    ("x[i] = x[y[i] * 2.0]", "x[i] = x[int(y[i] * 2.0)]", True),
    ("x[i] = mat2(1.0)[0, y[i]]", "x[i] = mat2(1.0)[0, int(y[i])]", True),
    ("for j in range(0, y[i]):\n    x[j] = 0.0", "for j in range(0, int(y[i])):\n    x[j] = 0.0", False),
    ("j = qd.u8(300)", None, None),
    ("j: qd.u8 = 300", "j: qd.u8 = qd.i32(300)", False),
    ("j = qd.Vector([[1.0, 2.0], [3.0, 4.0]])", "j = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])", False),
    ("for j in (1, 2):\n    x[j] = 0.0", "for j in qd.static((1, 2)):\n    x[j] = 0.0", False),
    ("x[i] = subgroup.shuffle(y[i], m)", "x[i] = subgroup.shuffle(y[i], qd.u32(m))", False),
    ("for j of range(3):\n    x[j] = 0.0", "for j in range(3):\n    x[j] = 0.0", True),
    ("if 1 is not 2:\n    x[i] = 0.0", "if 1 != 2:\n    x[i] = 0.0", False),
    ("x[i]: qd.i32 = 1", "x[i] = 1", False),
    ("for j in range(3):\n    qd.loop_config(serialise=True)\n    for l in range(3):\n        x[l] = 0.0",
     "for j in range(3):\n    qd.loop_config(serialize=True)\n    for l in range(3):\n        x[l] = 0.0", True),
]

# Unknown names, and those that are meant: members, methods, parameters, keys and marks of every kind of value.
NAMES = [
    ("x[i] = vec2(1.0).nrom()", "nrom", "norm"),
    ("x[i] = mat2(1.0).tranpose()[0, 0]", "tranpose", "transpose"),
    ("x[i] = vec2(1.0).nomralized(eps=1.0)[0]", "nomralized", "normalized"),
    ("x[i] = vec2(1.0).normalized(epss=1.0)[0]", "epss", "eps"),
    ("x[i] = y[i].cats(qd.f32)", "cats", "cast"),
    ("x.fil(1.0)", "fil", "fill"),
    ("x.fill(vall=1.0)", "vall", "val"),
    ("x.copy_frm(y)", "copy_frm", "copy_from"),
    ("x.copy_from(othr=y)", "othr", "other"),
    ("j = vec2.dtpe", "dtpe", "dtype"),
    ('j = {"a": 1}.itmes()', "itmes", "items"),
    ('n[i] = {"left": 1}["lfet"]', "lfet", "left"),
    ('print("{}".fromat(1))', "fromat", "format"),
    ('print(x[i], ends="")', "ends", "end"),
    ("for j in qd.ndrange(3, axs=(0,)):\n    pass", "axs", "axes"),
    ("j = qd.cast(y[i], dtyp=qd.i32)", "dtyp", "dtype"),
    ("j = qd.Vector.zreo(qd.f32, 3)", "zreo", "zero"),
    ("j = qd.math.vce3(1.0)", "vce3", "vec3"),
    ("x[i] = qd.math.tua", "tua", "tau"),
    ("qd.algorithms.sortt(x, x)", "sortt", "sort"),
    ("j = qd.algorithms.exclusiv_scan(x)", "exclusiv_scan", "exclusive_scan"),
    ("qd.simt.blok.sync()", "blok", "block"),
    ("j = qd.cfg.arhc", "arhc", "arch"),
    ("j = qd.static(qd.cfg.arch == qd.cdua)", "cdua", "cuda"),
    ("j = qd.Layout.AOSS", "AOSS", "AOS"),
    ("for j in rnage(3):\n    pass", "rnage", "range"),
    ("@qd.dataclas\nclass P:\n    a: qd.f32", "dataclas", "dataclass"),
    ("@dataclasses.dataclas\nclass P:\n    a: qd.f32", "dataclas", "dataclass"),
    ("@qd.data_orientd\nclass P:\n    pass", "data_orientd", "data_oriented"),
    ("@qd.data_oriented\nclass P:\n    @qd.fucn\n    def f(self):\n        pass", "fucn", "func"),
    ("@qd.kernel(grpah=True)\ndef other():\n    pass", "grpah", "graph"),
    ("@qd.func(requires_top_lvl=True)\ndef f():\n    pass", "requires_top_lvl", "requires_top_level"),
]
# Names at module level, which the kernel uses.
DECLARED = [
    ("f = qd.field(qd.f32, shpe=(3,))", "shpe", "shape"),
    ("f = vec2.field(shpe=(3,))", "shpe", "shape"),
    ("f = vec2.fild(shape=(3,))", "fild", "field"),
    ("f = qd.field(qd.f32)\nqd.root.dens(qd.i, 3).place(f)", "dens", "dense"),
    ("f = qd.field(qd.f32)\nqd.root.dense(qd.i, 3).place(f, ofset=3)", "ofset", "offset"),
    ("@qd.dataclass\nclass P:\n    first: qd.f32\nf = P(frist=1.0)", "frist", "first"),
    ("@qd.dataclass\nclass P:\n    first: qd.f32\nf = P(first=1.0).frist", "frist", "first"),
    ("class P:\n    COUNT = 3\nf = P.COUTN", "COUTN", "COUNT"),
    ("class P(enum.IntEnum):\n    RED = 3\nf = P.REDD", "REDD", "RED"),
    ("f = qd.types.ndarray(dtpe=qd.f32, ndim=1)", "dtpe", "dtype"),
    ("import helper\nf = helper.vlaue", "vlaue", "value"),
]
USE = "\n@qd.kernel\ndef k(x: F):\n    for i in range(128):\n        j = f\n"


def check_name(sextant, row):
    """Some message says which name is meant, with an edit that writes it in its place."""
    block, wrong, meant = row
    if (block, wrong, meant) in DECLARED:
        block = ("import enum\n" if "enum." in block else "") + block + USE
    elif block.startswith("@") and "def " not in block.replace("def f(self)", "").replace("def other", ""):
        block += "\n" + USE.replace("j = f", "pass")
    content = file_of(block)
    wanted = re.sub(rf"\b{wrong}\b".encode(), meant.encode(), content)
    for one in objects_of(compiling(sextant, block, False, "--diagnostics=json").stderr):
        if "fix" in one and applied(content, one["fix"]) == wanted:
            return [] if one["fix"]["isGuess"] else [f"{block!r}: isGuess is False"]
    return [f"{block!r}: nothing suggests {meant}"]


def check(sextant, row):
    before, after, is_guess = row
    done = compiling(sextant, before, False, "--diagnostics=json")
    fixes = [one["fix"] for one in objects_of(done.stderr) if "fix" in one]
    if is_guess is None:  # nothing is certain enough
        return [f"{before!r}: a fix that is not certain: {fixes}"] if fixes else []
    if not fixes:
        return [f"{before!r}: no fix in {done.stderr}"]
    faults = [] if fixes[0]["isGuess"] == is_guess else [f"{before!r}: isGuess is {not is_guess}"]
    result = applied(file_of(before), fixes[0])
    uncured = {"bracket-closes-nothing", "loop-config-without-effect"}  # a second mistake of the line
    left = [one["code"] for one in objects_of(compiling(sextant, before, False, "--diagnostics=json", content=result).stderr)
            if one.get("code") not in {None, *uncured} and one["severity"] != "note"]
    if left:
        faults.append(f"{before!r}: its cure says {left}")
    if result != file_of(after):
        faults.append(f"{before!r} becomes\n{result.decode()}")
    return faults


def main(sextant):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = sum(pool.map(lambda row: check(sextant, row), LINES), [])
        faults += sum(pool.map(lambda row: check_name(sextant, row), NAMES + DECLARED), [])
    print(f"{len(LINES)} lines, {len(NAMES + DECLARED)} names, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

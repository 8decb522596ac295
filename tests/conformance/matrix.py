"""Makes docs/support-matrix.md of what the conformance runs left behind.

    matrix.py FOLDER... > docs/support-matrix.md

Each FOLDER holds .tsv files: rows `case` with an operation and a type, by sextant-conformance
--results; rows `code`, by instructions.py. Nothing in the page comes from anywhere else but the
list of operations (surface.py).
"""

import pathlib
import re
import sys

import surface
from prose import prose

# The page's columns: a title, the target of `code` rows, and which columns of the results belong.
COLUMNS = (
    ("CPU", "cpu", r"cpu"),
    ("CUDA", "cuda", r"cuda"),
    ("AMD gfx9", "gfx9", r"amdgpu:gfx9"),
    ("AMD RDNA", "rdna", r"amdgpu:gfx1"),
    ("Vulkan", "vulkan", r"vulkan"),
    ("Metal", "metal", r"metal"),
)


class Results:
    """Verdicts and codes by (operation, type), and the hand-written cases by (module, name)."""

    def __init__(self, folders):
        self.cases, self.hand, self.codes, self.runs = {}, {}, {}, {}
        for folder in folders:
            for path in sorted(pathlib.Path(folder).glob("*.tsv")):
                device = "?"
                for line in path.read_text(errors="replace").splitlines():
                    kind, *fields = line.split("\t")
                    if kind == "device":
                        device = f"{fields[3]}" if fields[1] != "cuda" else fields[3]
                    elif kind == "code":
                        target, op, dtype, what, note = (fields + [""])[:5]
                        self.codes[target, op, dtype] = what, note
                    elif kind == "case":
                        self.add(device, (fields + [""] * 9)[:9])

    def add(self, device, fields):
        column, module, case, result, _, reason, op, dtype, forms = fields
        title = next((t for t, _, pattern in COLUMNS if re.match(pattern, column)), None)
        if not title:
            return
        entry = (column, device, result, reason, [f for f in forms.split(", ") if f])
        if op:
            # Sorts have a case a type of values; the page has the keys'.
            self.cases.setdefault((title, op, dtype.split("/")[0]), []).append(entry)
            self.runs.setdefault(title, set()).add((column, device))
        else:
            self.hand.setdefault((title, module), []).append((case, *entry))


class Notes:
    """Footnotes, numbered as they come."""

    def __init__(self):
        self.texts = []

    def mark(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return f"[^{self.texts.index(text) + 1}]"


def tested(entries):
    """✓, ✗ or nothing, and why some columns have none."""
    if any(result == "FAILED" for _, _, result, *_ in entries):
        return "✗", ""
    passed = [e for e in entries if e[2] == "ok"]
    skipped = sorted({(e[0], e[3]) for e in entries if e[2] == "skipped"})
    if not passed:
        return "", "; ".join(sorted({why for _, why in skipped}))
    note = "; ".join(f"{why}: {', '.join(f'`{c}`' for c, w in skipped if w == why)}"
                     for why in dict.fromkeys(why for _, why in skipped))
    return "✓", note


def cell(results, notes, title, target, op, dtype):
    what, note = results.codes.get((target, op, dtype), ("", ""))
    sign, why = tested(results.cases.get((title, op, dtype), []))
    if what == "refused":
        return "refused" + notes.mark(note) + (" ✗" if sign else "")
    text = what or "?"
    if note:
        text += notes.mark(note)
    if sign:
        return f"{text} {sign}" + (notes.mark("not at all of the column's variants: " + why) if why else "")
    return text + " —" + (notes.mark(why) if why else "")


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def merged(rows):
    """Rows [operation, type, cells…] that differ only in the type, as one."""
    groups = {}
    for op, dtype, *cells in rows:
        groups.setdefault((op, tuple(cells)), []).append(dtype)
    return [[f"`{op}`", " ".join(dtypes), *cells] for (op, cells), dtypes in groups.items()]


TITLES = {
    "move": "Subgroup: data movement", "lane": "Subgroup: identification and control",
    "ballot": "Subgroup: ballots and lane masks", "vote": "Subgroup: votes",
    "reduce": "Subgroup: reductions", "segmented": "Subgroup: segmented reductions", "scan": "Subgroup: scans",
    "sort": "Subgroup: sorting (by type of key)", "barrier": "Block: barriers and indices",
    "shared": "Block: shared arrays", "block_reduce": "Block: reductions", "block_scan": "Block: scans",
    "atomic": "Atomics on arrays, fields and slots of vectors", "atomic_shared": "Atomics in shared memory",
    "load": "Volatile loads",
}


def page(folders):
    results, notes = Results(folders), Notes()
    print("# What each target does, and how it is tested\n")
    print("With this page you can look up whether a target does an operation natively, and where that was tested.\n")
    print(prose("Made by `./dev conformance` from test results; do not edit. Rows are operations and element types of the list in "
          "`tests/conformance/surface.py`, columns are targets.\n"))
    print(prose("- **native**: the target has an instruction for it, and the code uses just that one. **emulated**: a sequence or a "
          "loop of others does it; what a sequence costs is in [instruction-promises.md](instruction-promises.md). "
          "Read off machine code by `tests/conformance/instructions.py`, of "
          + ", ".join(f"`{name}`" for name in __import__("instructions").TARGETS.values()) +
          ". On the CPU a block runs on one thread: atomics in shared memory are plain code there.\n"
          "- **refused**: there is no such variant, and the module says why.\n"
          "- **gradient**: ✓: [`k.grad`](autodiff.md) goes through it; **refused**: not where the gradient needs it, with a "
          "message; **none**: its values carry no derivative.\n"
          "- **✓**: every form of the operation gave the reference's results in every run of the column; **✗**: one did not; **—**: not run.\n"))
    print(prose("A form is a tile size or a placement: straight line, under a uniform `if`, after divergent code, in a loop with an operand "
          "that changes, in blocks of half a wave; for atomics a kind of memory, and with and without contention. Inputs are "
          "any bits, edge values (NaN, infinities, zeros of both signs, extremes) and small numbers, different in every lane.\n"))
    rows = []
    for title, _, _ in COLUMNS:
        entries = [e for (t, _, _), es in results.cases.items() if t == title for e in es]
        where = sorted(results.runs.get(title, ()))
        rows.append([title, ", ".join(f"`{c}`" for c in sorted({c for c, _ in where})) or "not run",
                     ", ".join(sorted({d for _, d in where})),
                     *(str(sum(e[2] == r for e in entries)) for r in ("ok", "FAILED", "skipped")),
                     str(sum(len(e[4]) for e in entries))])
    table(["column", "variants run", "devices", "cases passed", "failed", "skipped", "forms right"], rows)

    columns = [title for title, _, _ in COLUMNS]
    for family, title in TITLES.items():
        print(f"## {title}\n")
        ops = [(op, dtype) for op, dtype in surface.rows() if op.family == family]
        print(f"Valid in {', '.join(dict.fromkeys(op.valid for op, _ in ops))}" +
              (f"; each also as `_tiled`, with every tile size.\n" if ops[0][0].tiled else ".\n"))
        table(["operation", "types", "gradient", *columns], merged([[op.name.removesuffix("/shared"), dtype, surface.gradient_of(op, dtype)] +
                            [cell(results, notes, t, target, op.name, dtype) for t, target, _ in COLUMNS]
                            for op, dtype in ops]))

    print("## Tested by kernels written by hand\n")
    rows = []
    for hand in surface.HAND:
        cells = []
        for title, _, _ in COLUMNS:
            found = [tuple(e) for case, *e in results.hand.get((title, hand.module), []) if case.startswith(hand.case)]
            sign, why = tested(found) if found else ("", "")
            cells.append((sign or "—") + (notes.mark(why if not sign else "not at all of the column's variants: " + why) if why else ""))
        rows.append([hand.name, hand.dtype, *cells])
    table(["operation", "types", *columns], merged(rows))
    for number, text in enumerate(notes.texts, 1):
        print(f"[^{number}]: {text}")


if __name__ == "__main__":
    page(sys.argv[1:])

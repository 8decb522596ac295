"""Makes docs/results/conformance.md of what the conformance runs left behind.

    table.py FOLDER... > docs/results/conformance.md

Each FOLDER holds one .tsv a run, written by sextant-conformance --results (rows `device` and
`case`) or by run.sh (`absent`). Folders of other machines, such as a kit's, go along.
"""

import pathlib
import re
import sys

from prose import prose

# Devices that are not hardware, by the start of their description.
STAND_INS = {
    "amdsim": "an interpreter of AMD code objects with HIP's API; it finds races in shared memory and "
              "missing waits, and runs waves in adversarial order",
    "Fake": "a stand-in for Metal whose kernels run on mslsim, a simulator on the CPU",
    "llvmpipe": "Mesa's Vulkan driver on the CPU, here under the validation layers",
}
TYPES = ("u1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64")


class Column:
    """One column: a device, a wave size, a way to run it."""

    def __init__(self, run, device, name):
        self.run, self.device, self.name = run, device, name
        self.cases = []  # (module, case, result, reason)

    def count(self, result, kernel=None):
        return sum(r == result and kernel in (None, kernel_of(m)) for m, _, r, _ in self.cases)


def kernel_of(module):
    """scans_i32 and scans_f64 are rows of one kernel file."""
    stem, _, suffix = module.rpartition("_")
    return stem if suffix in TYPES else module


def read(folders):
    columns, absent = {}, []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.tsv")):
            device = None
            for line in path.read_text(errors="replace").splitlines():
                kind, *fields = line.split("\t")
                if kind == "absent":
                    absent.append((path.stem, fields[0]))
                elif kind == "device":
                    device = fields
                elif kind == "case":
                    name, module, case, result, _, reason = (fields + [""] * 6)[:6]
                    # gfx1100-flags is the rest of gfx1100.
                    run = path.stem.removesuffix("-flags")
                    column = columns.setdefault((folder, run, name), Column(run, device, name))
                    column.cases.append((module, case, result, reason))
    return list(columns.values()), absent


def cell(column, kernel):
    passed, failed, skipped = (column.count(result, kernel) for result in ("ok", "FAILED", "skipped"))
    if failed:
        return f"**{failed} failed**"
    if passed and skipped:
        return f"{passed}, {skipped} s"
    return str(passed) if passed else f"{skipped} s" if skipped else ""


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(item).replace("|", "\\|") for item in row) + " |")
    print()


def column_order(column):
    backend = ["cpu", "cuda", "amdgpu", "vulkan", "metal"]
    where = backend.index(column.device[1]) if column.device and column.device[1] in backend else 9
    parts = [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", column.run + " " + column.name)]
    return where, [(isinstance(p, str), p) for p in parts]


def main():
    columns, absent = read(sys.argv[1:])
    columns.sort(key=column_order)
    dates = sorted({column.device[4] for column in columns if column.device})
    totals = {r: sum(column.count(r) for column in columns) for r in ("ok", "FAILED", "skipped")}
    print("# Conformance: every device, wave size and kernel\n")
    print(f"Made by `./dev conformance` from runs of {', '.join(dates)}. {totals['ok']} cases passed, "
          f"{totals['FAILED']} failed, {totals['skipped']} skipped with a reason.\n")
    print(prose("A column of the second table is: the variants of one backend or architecture, at one wave size, on one device. "
          "A case is a host program that launches kernels of a module and compares all results with a "
          "reference worked out on the host.\n"))
    rows = []
    for number, column in enumerate(columns, 1):
        name, backend, arch, description, date = column.device or [""] * 5
        rows.append([number, f"`{column.name}`", f"{name}: {description} ({arch})", column.run, date,
                     column.count("ok"), column.count("FAILED"), column.count("skipped")])
    table(["#", "variants", "device", "run", "date", "passed", "failed", "skipped"], rows)
    for start, what in STAND_INS.items():
        if any(column.device and column.device[3].startswith(start) for column in columns):
            print(prose(f"- {start}…: {what}."))
    print()
    if absent:
        print("Not run here:\n")
        for run, reason in absent:
            if run.endswith("-flags"):
                continue
            print(prose(f"- {run}: {reason}"))
        print()

    print("## By kernel file\n")
    print("Cases passed; `s`: skipped. Columns are the rows above.\n")
    kernels = sorted({kernel_of(m) for column in columns for m, *_ in column.cases})
    table(["kernel"] + [str(n) for n in range(1, len(columns) + 1)],
          [[f"`{kernel}`"] + [cell(column, kernel) for column in columns] for kernel in kernels])

    for result, title in (("FAILED", "Failures"), ("skipped", "Why cases were skipped")):
        reasons = {}
        for number, column in enumerate(columns, 1):
            for module, case, got, reason in column.cases:
                if got == result:
                    entry = reasons.setdefault((reason, kernel_of(module) if result == "skipped"
                                                else f"{module}, {case}"), set())
                    entry.add(number)
        if not reasons:
            continue
        print(f"## {title}\n")
        merged = {}
        for (reason, what), where in sorted(reasons.items()):
            merged.setdefault((reason, tuple(sorted(where))), []).append(what)
        table(["reason", "kernels", "columns"],
              [[reason, ", ".join(f"`{w}`" for w in whats), ", ".join(map(str, where))]
               for (reason, where), whats in merged.items()])


if __name__ == "__main__":
    main()

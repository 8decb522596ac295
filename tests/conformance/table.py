"""Makes docs/results/conformance.md of what the conformance runs left behind.

    table.py FOLDER... > docs/results/conformance.md

Each FOLDER holds one .tsv a run, written by sextant-conformance --results (rows `device` and
`case`) or by run.sh (`absent`). Folders of other machines, such as a kit's, go along.
"""

import pathlib
import re
import sys

# Devices that are no hardware, by the start of their description.
STAND_INS = {
    "amdsim": "an interpreter of AMD code objects behind HIP's API; it finds races in shared memory and "
              "missing waits, and runs waves in adversarial order",
    "Fake": "a stand-in for Metal whose kernels run on mslsim, a simulator on the CPU",
    "llvmpipe": "Mesa's Vulkan driver on the CPU, here under the validation layers",
}
TYPES = ("i32", "u32", "i64", "u64", "f32", "f64")


class Lane:
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
    lanes, absent = {}, []
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
                    lane = lanes.setdefault((folder, run, name), Lane(run, device, name))
                    lane.cases.append((module, case, result, reason))
    return list(lanes.values()), absent


def cell(lane, kernel):
    passed, failed, skipped = (lane.count(result, kernel) for result in ("ok", "FAILED", "skipped"))
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


def lane_order(lane):
    backend = ["cpu", "cuda", "amdgpu", "vulkan", "metal"]
    where = backend.index(lane.device[1]) if lane.device and lane.device[1] in backend else 9
    parts = [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", lane.run + " " + lane.name)]
    return where, [(isinstance(p, str), p) for p in parts]


def main():
    lanes, absent = read(sys.argv[1:])
    lanes.sort(key=lane_order)
    dates = sorted({lane.device[4] for lane in lanes if lane.device})
    totals = {r: sum(lane.count(r) for lane in lanes) for r in ("ok", "FAILED", "skipped")}
    print("# Conformance: every device, wave size and kernel\n")
    print(f"Made by `./dev conformance` from runs of {', '.join(dates)}. {totals['ok']} cases passed, "
          f"{totals['FAILED']} failed, {totals['skipped']} skipped with a reason.\n")
    print("A column is a lane: the variants of one backend or architecture, at one wave size, on one device. "
          "A case is a host program that launches kernels of a module and compares all results with a "
          "reference worked out on the host.\n")
    rows = []
    for number, lane in enumerate(lanes, 1):
        name, backend, arch, description, date = lane.device or [""] * 5
        rows.append([number, f"`{lane.name}`", f"{name}: {description} ({arch})", lane.run, date,
                     lane.count("ok"), lane.count("FAILED"), lane.count("skipped")])
    table(["#", "lane", "device", "run", "date", "passed", "failed", "skipped"], rows)
    for start, what in STAND_INS.items():
        if any(lane.device and lane.device[3].startswith(start) for lane in lanes):
            print(f"- {start}…: {what}.")
    print()
    if absent:
        print("Not run here:\n")
        for run, reason in absent:
            if run.endswith("-flags"):
                continue
            print(f"- {run}: {reason}")
        print()

    print("## By kernel file\n")
    print("Cases passed; `s`: skipped. Columns are the lanes above.\n")
    kernels = sorted({kernel_of(m) for lane in lanes for m, *_ in lane.cases})
    table(["kernel"] + [str(n) for n in range(1, len(lanes) + 1)],
          [[f"`{kernel}`"] + [cell(lane, kernel) for lane in lanes] for kernel in kernels])

    for result, title in (("FAILED", "Failures"), ("skipped", "Why cases were skipped")):
        reasons = {}
        for number, lane in enumerate(lanes, 1):
            for module, case, got, reason in lane.cases:
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
        table(["reason", "kernels", "lanes"],
              [[reason, ", ".join(f"`{w}`" for w in whats), ", ".join(map(str, where))]
               for (reason, where), whats in merged.items()])


if __name__ == "__main__":
    main()

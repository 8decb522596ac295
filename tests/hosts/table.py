"""A page of what ran on which host: table.py HOSTS, the folder BUILD/hosts that run.sh writes to.

A row for each host and device: which suites ran, how many tests or cases passed, failed and were skipped, and the hash
of the modules that they ran.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

HEAD = """# Hosts

`./dev hosts` makes this page: the loader is built for each host, and runs here as the column says. A module is one file
for all of them: the hash is that of the conformance suite's modules. Reasons for what was skipped stand below.

| host | runs | device | suite | passed | failed | skipped | modules |
|---|---|---|---|---:|---:|---:|---|"""
WAYS = {"windows": "under wine", "linux-glibc-aarch64": "under qemu-user", "macos": "not at all: only linked"}
DEVICES = ("cuda", "hip", "vulkan")


def cases(file):
    """How many cases of a conformance run passed, failed and were skipped, and why."""
    counts, reasons = [0, 0, 0], {}
    for line in file.read_text().splitlines():
        fields = line.split("\t")
        if fields[0] == "absent":
            return counts, {fields[1]: "all"}
        if fields[0] != "case":
            continue
        kind = ("ok", "FAILED", "skipped").index(fields[4])
        counts[kind] += 1
        if kind == 2:
            reasons[fields[6]] = reasons.get(fields[6], 0) + 1
    return counts, reasons


def main():
    print(HEAD)
    why = []
    for folder in sorted(each.parent for each in pathlib.Path(sys.argv[1]).glob("*/results.xml")):
        way = next((text for name, text in WAYS.items() if folder.name.startswith(name)), "on this system")
        digest = (folder / "modules.hash").read_text().strip() if (folder / "modules.hash").exists() else "—"
        tests, reasons = {}, {}
        for case in ElementTree.parse(folder / "results.xml").getroot().iter("testcase"):
            name = case.get("name")
            if name.startswith("conformance") or name.endswith("-build"):  # a simulator's
                continue
            stand_in = next((word for word in DEVICES if word in name), None)
            device = f"{stand_in} (stand-in)" if stand_in else "cpu"
            suite = "module reader" if name == "module" else "loader"
            row = tests.setdefault((device, suite), [0, 0, 0])
            kind = {"run": 0, "fail": 1}.get(case.get("status"), 2)
            row[kind] += 1
            if kind == 2:
                said = (case.findtext("system-out") or "").strip().splitlines() or ["no reason is given"]
                reason = re.sub(r"^skipped: ", "", said[-1])
                reasons[reason] = reasons.get(reason, 0) + 1
        for (device, suite), counts in sorted(tests.items()):
            print(f"| {folder.name} | {way} | {device} | {suite}: tests | {counts[0]} | {counts[1]} | {counts[2]} | — |")
        why += [f"- {folder.name}, tests: {count} × {reason}" for reason, count in reasons.items()]
        for file in sorted((folder / "tests/conformance/results").glob("*.tsv")):
            counts, reasons = cases(file)
            print(f"| {folder.name} | {way} | {file.stem} | conformance: cases | {counts[0]} | {counts[1]} | {counts[2]} "
                  f"| `{digest}` |")
            why += [f"- {folder.name}, {file.stem}: {count} × {reason}" for reason, count in reasons.items()]
    linked = pathlib.Path(sys.argv[1]) / "macos/linked.txt"
    if linked.exists():
        for line in linked.read_text().splitlines():
            print(f"| {line.split(':')[0]} | {WAYS['macos']} | — | linked, names, what it needs | 1 | 0 | 0 | — |")
    if why:
        print("\n" + "\n".join(why))


if __name__ == "__main__":
    main()

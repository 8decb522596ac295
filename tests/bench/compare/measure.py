"""Measures the rows of two commits, and names those that the newer one lost.

    measure.py OLD NEW --runner BENCH_COMPARE --machine TEXT [--counts FILE] [--page FILE] PROGRAM_AND_ARGUMENTS...

OLD and NEW are folders that compare.sh fills: libraries of rows, modules, and a file `commit`. Each program is one
argument, as "bench-cpu-rows @/rows.sxt 1"; "@" is the commit's folder. Where arrays lie differs between processes, and
who comes first has other memory. So a row is measured in pairs of processes, of which one loads the old commit first
and the other one the new; a pair's ratio is their geometric mean. A row whose first pair took more than 3 % longer is
lost if each of eight pairs was slower by more than 1.5 %, and their median by more than 3 %: times that differ by chance
pass all eight once in 250 rows or less. FILE of --counts has rows of numbers that are exact: name, old, new, by tabs.

Status 0: no row is lost. 1: some are, one line each. 2: a program failed with the newer commit, or there are no rows.
"""

import argparse
import dataclasses
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

LIMIT, EACH, PAIRS = 1.03, 1.015, 8
OLD_FAILED = 3  # the runner's status where only the old commit's program failed


@dataclasses.dataclass
class Row:
    program: str
    name: str
    unit: str = "µs"
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)
    ratios: list = dataclasses.field(default_factory=list)  # one a process

    def add(self, old, new, ratio):
        self.old.append(old)
        self.new.append(new)
        self.ratios.append(ratio)

    @property
    def pairs(self):
        return [math.sqrt(a * b) for a, b in zip(self.ratios[::2], self.ratios[1::2])]

    @property
    def ratio(self):
        return statistics.median(self.pairs)

    @property
    def spread(self):
        """How far the pairs, or a single pair's processes, are from the ratio."""
        return max(abs(each / self.ratio - 1) for each in (self.pairs if len(self.pairs) > 1 else self.ratios))

    def is_suspect(self):
        """Slower each time so far, and by more than the limit in the median."""
        return self.ratio > LIMIT and min(self.pairs) > EACH

    def verdict(self):
        if self.is_suspect():
            return "lost"
        if max(self.ratios) < 1 / LIMIT:  # in each process
            return "gained"
        return "noise" if max(self.spread, self.ratio - 1) > LIMIT - 1 else "as before"

    def numbers(self):
        return f"{statistics.median(self.old):.6g} | {statistics.median(self.new):.6g} | {self.ratio:.3f} | ± {100 * self.spread:.1f} %"

    def line(self):
        old, new = statistics.median(self.old), statistics.median(self.new)
        return (
            f"lost: {self.program}: {self.name}: {old:.6g} -> {new:.6g} {self.unit}, {self.ratio:.3f} times"
            f" (± {100 * self.spread:.1f} %)"
        )


def run(arguments, program, first, names=None):
    """The lines that the runner writes for a program, what it says where it fails, and its status."""
    with tempfile.NamedTemporaryFile("r", suffix=".tsv") as results:
        environment = dict(os.environ, KMP_BLOCKTIME="1", SEXTANT_COMPARE_LIMIT=str(LIMIT))
        if names:
            environment["SEXTANT_COMPARE_ROWS"] = "\n".join(names)
        command = [arguments.runner, results.name, arguments.old, arguments.new, f"first={first}", *program.split()]
        done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, errors="replace")
        lines = [line.rstrip("\n").split("\t") for line in results]
    return [(name, *map(float, numbers)) for name, *numbers in lines], done.stderr, done.returncode


def measured(arguments, program):
    """The rows of a program. Those that look lost are measured again until one pair says no."""
    rows, names, failure, status = {}, [], "", 0
    for pair in range(PAIRS):
        print(f"-- {program}: {f'{len(names)} that look slower' if pair else 'all rows'}", file=sys.stderr, flush=True)
        for first in ("old", "new"):
            lines, said, ended = run(arguments, program, first, names)
            if ended:
                failure, status = said, ended
            for name, *numbers in lines:
                rows.setdefault(name, Row(program.replace("@/", ""), name)).add(*numbers)
        names = [row.name for row in rows.values() if row.is_suspect()]
        if status or not names:
            break
    return list(rows.values()), failure, status


def counted(path):
    """Rows of exact numbers."""
    for line in pathlib.Path(path).read_text().splitlines():
        name, old, new = line.split("\t")
        row = Row("instructions", name, unit="of waves")
        row.add(float(old), float(new), float(new) / float(old))
        row.ratios *= 2
        yield row


def page(arguments, rows, failures):
    def commit(side):
        return (pathlib.Path(side) / "commit").read_text().strip()

    text = [
        "# Rows of two commits\n",
        f"Made by `./dev bench --compare`, on {arguments.machine}.\n",
        f"- old: {commit(arguments.old)}\n- new: {commit(arguments.new)}\n",
        "Times are microseconds of a launch, medians of rounds that alternate in one process, each commit with its own"
        " compiler and loader; ratio: new over old, so above 1 is slower. Each row ran in two processes, of which each"
        " set up another commit first, and one that looked lost in sixteen. The spread is how far these were from the"
        " ratio: beyond 3 % it is noise, unless each process was faster by more. A row of one thread has the process's time"
        " on the CPU.\n",
        "| program | row | old | new | ratio | spread | |\n|---|---|---|---|---|---|---|",
        *(f"| {row.program} | {row.name} | {row.numbers()} | {row.verdict()} |" for row in rows),
    ]
    if failures:
        text += ["\nNot compared:\n", *(f"- `{program}`: {reason}" for program, reason in failures)]
    pathlib.Path(arguments.page).write_text("\n".join(text) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--runner", required=True)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--counts")
    parser.add_argument("--page")
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_intermixed_args()
    rows, failures, worst = [], [], 0
    for program in arguments.programs:
        more, failure, status = measured(arguments, program)
        rows += more
        if status:
            failures.append((program, " ".join(failure.split()) or f"status {status}"))
            worst = max(worst, status != OLD_FAILED)
    if arguments.counts:
        rows += counted(arguments.counts)
    if arguments.page:
        page(arguments, rows, failures)
    lost = [row for row in rows if row.verdict() == "lost"]
    for row in lost:
        print(row.line())
    for program, reason in failures:
        print(f"not compared: {program}: {reason}")
    noisy = sum(row.verdict() == "noise" for row in rows)
    print(f"{len(rows)} rows, {len(lost)} lost more than 3 %; {noisy} differ by chance by more than 3 %")
    return 1 if lost else 2 if worst or not rows else 0


if __name__ == "__main__":
    sys.exit(main())

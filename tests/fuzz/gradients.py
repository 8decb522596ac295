"""Random kernels of reals with their derivatives.

    gradients.py SEXTANT COMPARE [--seconds N | --count N] [--seed S] [--targets LIST] [--folder FOLDER] [--run PREFIX] …

Each kernel `k` (differentiable.py) is built with `k.grad` and `k.dual`. COMPARE (GradientsMain.cpp) launches the three and
compares gradients, tangents and differences. A kernel depends only on the seed and its number. Findings go to the folder,
as files of one kernel, and are made smaller. A kernel that the compiler refuses is counted by its message.
"""

import argparse
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from differentiable import HEAD, Writer

TIMEOUT = 600  # seconds for a process
BACKENDS = {"amdgpu": "hip"}


class Runner:
    def __init__(self, options):
        self.options = options
        self.type = options.type or ("f32" if "metal" in options.targets else "f64")
        self.targets = options.targets.split(",")
        self.folder = options.folder
        self.folder.mkdir(parents=True, exist_ok=True)

    def command(self, arguments, environment=None):
        """The status and what was said; 124: it took too long."""
        try:
            done = subprocess.run(arguments, capture_output=True, timeout=TIMEOUT, check=False,
                                  env=dict(os.environ, **(environment or {})))
        except subprocess.TimeoutExpired:
            return 124, ""
        return done.returncode, (done.stdout + done.stderr).decode(errors="replace")

    def compile(self, text, names, stem, targets):
        """The refused kernels with their messages, and what else the compiler said if it failed."""
        source = self.folder / f"{stem}.py"
        source.write_text(text)
        kernels = [argument for name in names for argument in ("--kernel", name + ".grad", "--kernel", name + ".dual")]
        status, said = self.command([self.options.sextant, "compile", str(source), "-o", str(source.with_suffix(".sxt")),
                                     "--keep-going", "--allow-missing", "--compress", "fast", "--no-cache", "-j", "1",
                                     "--const", f"T=qd.{self.type}", "--default-fp", self.type, "-t", ",".join(targets),
                                     *self.options.compile.split(), *kernels])
        lines = text.split("\n")
        refused = {}
        for line, message in re.findall(r"(?m)^[^ \n]*\.py:(\d+):\d+: error: (.*)$", said):
            for number in range(min(int(line), len(lines)) - 1, -1, -1):
                if name := re.match(r"def ((?:block|wide|half|plain)_\d+)\(", lines[number]):
                    break
            refused.setdefault(name[1] if name else "", message)
        if left := re.search(r"kernels? are left out: (.*)", said):
            for name in re.findall(r"((?:block|wide|half|plain)_\d+)", left[1]):
                refused.setdefault(name, refused.get("", "left out"))
        good = status == 0 or refused and status == 1
        return refused, "" if good else f"compile: status {status}: {said[-600:]}"

    def launch(self, stem, target):
        """The status, and a verdict on each kernel."""
        backend = target.split(":")[0]
        environment = {}
        if backend == "amdgpu":
            environment = {"AMDSIM_ARCH": target.split(":")[1].split("/")[0], "AMDSIM_TIMEOUT": "60"}
        status, said = self.command([*self.options.run.split(), self.options.compare, str(self.folder / f"{stem}.sxt"),
                                     f"--device={BACKENDS.get(backend, backend)}", f"--variant={target.split('/')[0]}",
                                     f"--wave={target.split('wave')[1]}"], environment)
        verdicts = {}
        for verdict, name, what in re.findall(r"(?m)^(launching|clean|skipped|differs|failed) (\S+) ?(.*)$", said):
            verdicts[name] = f"died: status {status}: {said[-300:]}" if verdict == "launching" else f"{verdict}: {what}"
        return status, verdicts

    def one(self, text, name, target, stem="one"):
        """The fault of one kernel; "" if it has none, or is refused."""
        refused, problem = self.compile(HEAD + "\n\n" + text, [name], stem, [target])
        if problem:
            return problem
        if refused:
            return ""
        verdict = self.launch(stem, target)[1].get(name, "died: never launched")
        return "" if verdict.startswith(("clean", "skipped")) else verdict


def blocks_of(lines):
    """Statements of a kernel with what is inside of them, the largest first: (begin, end)."""
    found = []
    for begin, line in enumerate(lines):
        if not line.strip() or line.startswith("@") or re.match("def (block|wide|half|plain)", line):
            continue
        depth = len(line) - len(line.lstrip())
        end = begin + 1
        while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > depth:
            end += 1
        found.append((begin - (line.startswith("def ")), end))
    return sorted(found, key=lambda each: each[0] - each[1])


def reduce(text, holds, seconds=240):
    """Takes statements away, and the heads of branches and loops, while it holds."""
    lines, end = text.split("\n"), time.monotonic() + seconds
    again = True
    while again and time.monotonic() < end:
        again = False
        for begin, stop in blocks_of(lines):
            if stop > len(lines) or time.monotonic() > end:
                break
            inside = [line[4:] for line in lines[begin + 1:stop]]
            for instead in [[]] + ([inside] if inside and not lines[begin].startswith("@") else []):
                smaller = lines[:begin] + instead + lines[stop:]
                if holds("\n".join(smaller)):
                    lines, again = smaller, True
                    break
            if again:
                break
        for number, line in enumerate(lines):
            if again or time.monotonic() > end:
                break
            for call in re.finditer(r"\(([^()]*)\)", line):  # an innermost pair, by one of its parts
                for part in ["T(0.5)", *re.split(", | [-+*/@] ", call[1])]:
                    smaller = lines[:number] + [line[:call.start()].rstrip("abcdefghijklmnopqrstuvwxyz_0123456789.") + part +
                                                line[call.end():]] + lines[number + 1:]
                    if len("".join(smaller)) < len("".join(lines)) and holds("\n".join(smaller)):
                        lines, again = smaller, True
                        break
                if again:
                    break
    return "\n".join(lines)


class Tally(collections.Counter):
    def __init__(self):
        super().__init__()
        self.messages = collections.Counter()
        self.worst = 0.0


def fuzz(runner, seed, numbers, tallies):
    """Tries a file of kernels. Returns the number of findings."""
    kernels = {}
    for number in numbers:
        writer = Writer(seed, number)
        text = writer.kernel()
        kernels[writer.name] = text
    refused, problem = runner.compile(HEAD + "\n\n" + "\n\n".join(kernels.values()), kernels, "batch", runner.targets)
    if problem:
        if len(kernels) == 1:
            return report(runner, seed, *next(iter(kernels.items())), runner.targets[0], problem)
        return sum(fuzz(runner, seed, [number], tallies) for number in numbers)
    found = 0
    for target in runner.targets:
        tally = tallies[target]
        status, verdicts = runner.launch("batch", target)
        if status == 77:
            tally["no device"] += len(kernels)
            continue
        for name, text in kernels.items():
            if name in refused:
                tally["refused"] += 1
                tally.messages[re.sub("`[^`]*`|line [0-9]+", "…", refused[name])] += 1
                continue
            verdict = verdicts.get(name) or runner.one(text, name, target) or "clean: 0 same"
            if verdict.startswith("clean"):
                words = verdict.split()
                tally.update(["clean", *words[2:]])
                if "ill-conditioned" not in words and not name.startswith("half"):
                    tally.worst = max(tally.worst, float(words[1]))
                if runner.options.verbose and not {"rounded", "steps", "ill-conditioned"}.isdisjoint(words):
                    print(f"{name}: {verdict}")
            elif verdict.startswith("skipped"):
                tally["skipped"] += 1
            else:
                tally["wrong"] += 1
                found += report(runner, seed, name, text, target, verdict)
    return found


def report(runner, seed, name, text, target, what):
    stem = f"gradients-{seed}-{name}-{re.sub('[:/]', '_', target)}"
    (runner.folder / f"{stem}.py").write_text(f"# {target}: {what}\n" + HEAD + "\n\n" + text)
    print(f"FOUND {runner.folder / stem}.py on {target}: {what}", flush=True)
    if not runner.options.no_reduce:
        kind = what[:35] if what.startswith("differs") else what.split(":")[0]
        small = reduce(text, lambda smaller: runner.one(smaller, name, target).startswith(kind))
        (runner.folder / f"{stem}.min.py").write_text(f"# {target}: {what}\n" + HEAD + "\n\n" + small)
        print(small, flush=True)
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sextant")
    parser.add_argument("compare")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the number of the first kernel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=20, help="kernels in a file")
    parser.add_argument("--targets", default="cpu:x86-64-v3/wave8")
    parser.add_argument("--type", choices=["f32", "f64"], help="of reals; default: f64 where devices have it")
    parser.add_argument("--run", default="", help="what COMPARE is called by, as a simulator is")
    parser.add_argument("--compile", default="", help="more options of `sextant compile`")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("found-gradients"))
    parser.add_argument("--no-reduce", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    runner = Runner(options)
    tallies = {target: Tally() for target in runner.targets}
    begin, number, found = time.monotonic(), options.first, 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        while time.monotonic() < begin + options.seconds if options.seconds else number < options.first + options.count:
            last = number + options.batch
            if not options.seconds:
                last = min(last, options.first + options.count)
            found += fuzz(runner, options.seed, range(number, last), tallies)
            number = last
    finally:
        tell(options, number - options.first, time.monotonic() - begin, tallies)
    if all(tally["no device"] for tally in tallies.values()):
        return 77
    return found > 0


def tell(options, count, seconds, tallies):
    print(f"{count} kernels of seed {options.seed}, {seconds:.0f} s")
    for target, tally in tallies.items():
        seen = ", ".join(f"{count} {word}" for word, count in tally.items())
        print(f"{target}: {seen}; the largest error {tally.worst:.2g}")
        for message, count in tally.messages.most_common():
            print(f"  {count:5} refused: {message}")


if __name__ == "__main__":
    sys.exit(main())

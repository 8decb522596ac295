#!/usr/bin/env python3
"""Measures scenes of Genesis cold, warm and frozen, side by side, and compares their results.

    measure.py [--repeat N] [--frozen COMMAND] scenes/box.py [options of the scene]

`cold` starts with empty caches, `warm` after a run that filled them. `frozen` runs COMMAND, such as
`python -m sextant.frozen app.sxt`, followed by the scene and its options, with empty caches again. The table has the
medians of the scene's times in seconds; `wall` is the whole process. Then the files of results are compared, integers
for equality and reals by the greatest absolute difference. The exit status is 1 if integers or shapes differ.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import numpy


def run(command, scene, options, home, out):
    """Runs a scene with its caches below `home`; its times with `wall`."""
    environment = os.environ | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "QD_OFFLINE_CACHE_FILE_PATH": str(home / "quadrants"),
    }
    start = time.perf_counter()
    done = subprocess.run(
        [*command, scene, *options, "--out", str(out)], env=environment, text=True, capture_output=True
    )
    wall = time.perf_counter() - start
    if done.returncode:
        sys.exit(
            f"error: {shlex.join(command)} {scene} ends with status {done.returncode}:\n"
            f"{done.stdout[-2000:]}{done.stderr[-4000:]}"
        )
    return json.loads(done.stdout.splitlines()[-1]) | {"wall": wall}


def repeat(command, scene, options, folder, count, fresh):
    """The times of `count` runs: each with caches of its own if `fresh`, else after a run that fills them."""
    results = []
    for number in range(count if fresh else count + 1):
        home = folder / (str(number) if fresh else "filled")
        home.mkdir(parents=True, exist_ok=True)
        results.append(run(command, scene, options, home, folder / "result.npz"))
    return results if fresh else results[1:]


def compare(name, left, right):
    """Prints what differs between two files of results. True if none but reals do."""
    left, right = numpy.load(left), numpy.load(right)
    wrong = sorted(set(left) ^ set(right))
    reals = {}
    for key in sorted(set(left) & set(right)):
        a, b = left[key], right[key]
        if a.shape != b.shape or a.dtype != b.dtype:
            wrong.append(f"{key} ({a.dtype}{a.shape} and {b.dtype}{b.shape})")
        elif numpy.issubdtype(a.dtype, numpy.inexact):
            if not numpy.array_equal(numpy.isnan(a), numpy.isnan(b)):
                wrong.append(f"{key} (other NaNs)")
            same = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
            if not same.all():
                reals[key] = float(numpy.nanmax(numpy.abs(numpy.where(same, 0, a - b))))
        elif not numpy.array_equal(a, b):
            wrong.append(f"{key} ({numpy.count_nonzero(a != b)} of {a.size} differ)")
    worst = max(reals, key=reals.get, default=None)
    text = "all reals equal"
    if worst:
        text = f"reals differ by {reals[worst]:.3g} at most, in {worst} ({len(reals)} arrays)"
    end = f"DIFFERENT: {', '.join(wrong)}" if wrong else "integers equal"
    print(f"{name}: {len(left.files)} arrays, {text}; {end}")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each kind (%(default)s)")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has Genesis (this one)")
    parser.add_argument("--frozen", metavar="COMMAND", help="what runs the frozen scene, in one word")
    parser.add_argument("--skip-cold", action="store_true", help="leave out the cold runs")
    parser.add_argument("scene")
    arguments, options = parser.parse_known_args()
    python = [arguments.python, "-B"]
    kinds = {} if arguments.skip_cold else {"cold": (python, True)}
    kinds["warm"] = python, False
    if arguments.frozen:
        kinds["frozen"] = shlex.split(arguments.frozen), True
    with tempfile.TemporaryDirectory() as folder:
        folder, medians = pathlib.Path(folder), {}
        print(f"{arguments.scene}: {arguments.repeat} runs, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for kind, (command, fresh) in kinds.items():
            times = repeat(command, arguments.scene, options, folder / kind, arguments.repeat, fresh)
            medians[kind] = {name: statistics.median(each[name] for each in times) for name in times[0]}
        print(f"{'':10}" + "".join(f"{kind:>12}" for kind in medians))
        for name in medians["warm"]:
            print(f"{name:10}" + "".join(f"{medians[kind].get(name, float('nan')):12.6f}" for kind in medians))
        print(f"load {os.getloadavg()[0]:.1f} at the end")
        same = [
            compare(f"{kind} and warm", folder / kind / "result.npz", folder / "warm" / "result.npz")
            for kind in medians
            if kind != "warm"
        ]
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())

"""A check of what a change touches, in minutes: check.py BUILD JOBS [changed | FOLDER | FILE …].

Each test has the label of its folder in tests/ (or docs/examples), and the rows below say which labels a folder of the
product touches. The nearest and cheapest tests run first, as many as the budget has time for, by what they took the
last times; the others are named at the end, and `./dev test` runs them all, but for those of each night.
"""

import argparse
import json
import os
import subprocess
import sys
import time

# The folders of a change, and the labels of their tests, the nearest first. All rows that fit count.
TOUCHES = [
    ("frontend/syntax", "syntax sema tools"),
    ("frontend/problems", "syntax sema tools"),
    ("frontend/sema", "sema hir tools checks"),
    ("frontend/hir", "hir sema ir"),
    ("frontend/ir", "ir cpu cuda vulkan metal amdgpu"),
    ("frontend/library", "sema algorithms math"),
    ("frontend", "fuzz conformance"),
    ("backends/cpu", "cpu debug ir"),
    ("backends/cuda", "cuda"),
    ("backends/amdgpu", "amdgpu"),
    ("backends/vulkan", "vulkan"),
    ("backends/metal", "metal"),
    ("backends/spirv", "spirv vulkan metal"),
    ("backends/common", "backends cpu cuda vulkan metal amdgpu"),
    ("backends", "backends promises fuzz conformance"),
    ("packager", "module driver packages"),
    ("driver/cache", "driver farm"),
    ("driver", "driver tools checks"),
    ("loader/python", "python"),
    ("loader/devices/cpu", "cpu debug"),
    ("loader", "loader module python consume"),
    ("cmake", "consume packages"),
    ("docs/examples", "examples"),
    ("docs", "tools snippets"),
    ("README.md", "tools"),
]


def changed_files():
    """The files that differ from main, or in a clone without one from HEAD; and those that git does not know yet."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], capture_output=True, text=True)
    base = git("merge-base", "HEAD", "origin/main")
    base = base.stdout.strip() if base.returncode == 0 else "HEAD"
    return git("diff", "--name-only", base).stdout.split() + \
        git("ls-files", "--others", "--exclude-standard").stdout.split()


def labels_of(places, known):
    """The labels that the places touch, the nearest first."""
    found = []
    for place in places:
        names = [part for prefix, labels in TOUCHES if (place + "/").startswith(prefix + "/")
                 for part in labels.split()]
        if place.startswith("tests/"):
            names.insert(0, place.split("/")[1])
        found += [name for name in names if name in known and name not in found]
    return found


def properties(test):
    return {entry["name"]: entry["value"] for entry in test.get("properties", [])}


def read_tests(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                             capture_output=True, text=True, check=True)
    return [test for test in json.loads(listing.stdout)["tests"] if "command" in test]


def read_costs(build):
    """Seconds that each test took, on average, as CTest keeps them."""
    costs = {}
    try:
        with open(os.path.join(build, "Testing/Temporary/CTestCostData.txt"), encoding="utf-8") as file:
            for line in file:
                name, runs, seconds, *_ = line.split() + ["0", "0"]
                if int(runs) > 0:
                    costs[name] = float(seconds)
    except (OSError, ValueError):
        pass  # nothing ran here yet, or the list of failures begins
    return costs


def choose(tests, labels, costs, seconds, jobs):
    """The tests to run in so many seconds, and those there is no time for. A test brings the tests that set its
    fixtures up."""
    setup = {}
    for test in tests:
        for fixture in properties(test).get("FIXTURES_SETUP", []):
            setup.setdefault(fixture, []).append(test["name"])
    by_name = {test["name"]: test for test in tests}

    def needs(name):
        required = properties(by_name[name]).get("FIXTURES_REQUIRED", [])
        return {name}.union(*(needs(first) for fixture in required for first in setup.get(fixture, [])))

    touched = [test for test in tests if set(properties(test).get("LABELS", [])) & set(labels)]
    rank = {label: number for number, label in enumerate(labels)}
    def order(test):
        nearest = min(rank[label] for label in properties(test)["LABELS"] if label in rank)
        return nearest // 3, costs.get(test["name"], 5)
    chosen, left, room = set(), [], seconds * jobs
    for test in sorted(touched, key=order):
        more = needs(test["name"]) - chosen
        cost = sum(costs.get(name, 5) for name in more)
        if cost <= room and costs.get(test["name"], 5) <= seconds:
            chosen |= more
            room -= cost
        else:
            left.append(test["name"])
    return [by_name[name] for name in sorted(chosen)], left


def main():
    parser = argparse.ArgumentParser(usage="./dev check [--seconds N] [changed | FOLDER | FILE …]")
    parser.add_argument("build")
    parser.add_argument("jobs", type=int)
    parser.add_argument("--seconds", type=float, default=170, help="for building and running together")
    parser.add_argument("places", nargs="*")
    arguments = parser.parse_args()
    places = [os.path.relpath(place) for place in arguments.places if place != "changed"]
    for place in places:
        if not os.path.exists(place):
            sys.exit(f"check: there is no {place}")
    places = places or changed_files()
    if not places:
        sys.exit("check: nothing differs from main; name a folder")

    start = time.monotonic()
    build = arguments.build
    tests = read_tests(build)
    known = {label for test in tests for label in properties(test).get("LABELS", [])}
    labels = labels_of(places, known)
    if not labels:
        print("nothing that a test covers: " + " ".join(places))
        return
    print("== touched: " + " ".join(labels), flush=True)
    # Built targets that the tests run: their programs, and the command.
    programs = {"sextant"}
    for test in tests:
        if set(properties(test).get("LABELS", [])) & set(labels):
            programs |= {os.path.relpath(word, build) for word in test["command"]
                         if word.startswith(os.path.abspath(build) + "/") and os.path.splitext(word)[1] in ("", ".so")}
    targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True)
    made = {line.rsplit(":", 1)[0] for line in targets.stdout.splitlines()}
    subprocess.run(["ninja", "-C", build, "-j", str(arguments.jobs), *sorted(programs & made)], check=True)
    built = time.monotonic() - start
    chosen, left = choose(tests, labels, read_costs(build), arguments.seconds - built, arguments.jobs)
    status = 0
    if chosen:
        pattern = "^(" + "|".join(test["name"].replace(".", "[.]").replace("+", "[+]") for test in chosen) + ")$"
        status = subprocess.run(["ctest", "--test-dir", build, "-j", str(arguments.jobs), "--output-on-failure",
                                 "-R", pattern]).returncode
    print(f"== {len(chosen)} tests in {time.monotonic() - start:.0f} s, {built:.0f} of them to build")
    if left:
        print(f"left out, for want of time ({len(left)}): " + " ".join(left))
    print("not asked: sanitizers, other hosts, clang-tidy. `./dev nightly` has all.")
    sys.exit(status)


main()

"""Prints what tests and build steps cost, as their last runs had it: times.py BUILD [ROWS]. `./dev test` leaves
the tests' times in BUILD/tests.xml; ninja keeps those of the build's steps."""

import collections
import os
import sys
import xml.etree.ElementTree as ElementTree


def table(title, seconds, rows):
    """The largest rows, with their share of all."""
    total = sum(seconds.values()) or 1
    print(f"{title}: {total:.0f} s in {len(seconds)}")
    for name, time in sorted(seconds.items(), key=lambda item: -item[1])[:rows]:
        print(f"  {time:8.1f} s {100 * time / total:4.0f} %  {name}")
    print()


def tests_of(build):
    try:
        cases = ElementTree.parse(os.path.join(build, "tests.xml")).getroot().iter("testcase")
    except OSError:
        sys.exit("no tests have run yet: ./dev test")
    return {case.get("name"): float(case.get("time", 0)) for case in cases}


def steps_of(build):
    """Seconds of each step, by its first output; a later run counts instead of an earlier one."""
    steps = {}
    with open(os.path.join(build, ".ninja_log"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                begin, end, _, output, command = line.rstrip("\n").split("\t")
                steps.setdefault(command, (output, 0))
                steps[command] = (steps[command][0], (int(end) - int(begin)) / 1000)
    return {output: time for output, time in steps.values()}


def main():
    build, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    tests, steps = tests_of(build), steps_of(build)
    table("tests", tests, rows)
    table("build steps", steps, rows)
    folders = collections.Counter()
    for output, time in steps.items():
        folders["/".join(os.path.relpath(output, build).split("/")[:2]) if os.path.isabs(output)
                else "/".join(output.split("/")[:2])] += time
    table("build, by folder", folders, rows)


main()

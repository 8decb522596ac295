"""python -m sextant.frozen [--strict] [--check] [--report] app.sxt program.py [arguments…]

Runs the program as `python program.py arguments…` does, with its kernels out of the module.
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m sextant.frozen", allow_abbrev=False)
    parser.add_argument("--strict", action="store_true", help="a launch that the module has no kernel for is an error")
    parser.add_argument("--check", action="store_true", help="run each launch by the JIT, too, and compare")
    parser.add_argument("--report", action="store_true", help="say at the end how many launches came from where")
    parser.add_argument("module", help="what `sextant freeze` made")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    from . import use

    frozen = use(options.module, strict=options.strict, check=options.check)
    sys.argv = [options.program, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.program))
    try:
        runpy.run_path(options.program, run_name="__main__")
    finally:
        if options.report:
            counts = frozen.counts
            drew = f"; {counts.drew} drew random numbers and were not compared" if counts.drew else ""
            print(f"launches: {counts.module} from {options.module}, {counts.jit} by the JIT{drew}", file=sys.stderr)


if __name__ == "__main__":
    main()

"""python -m sextant.frozen.record --folder DIR --name NAME --output FILE [--target T]… program.py [arguments…]

Runs the program as `python program.py arguments…` does, watches its kernels, and writes them when it ends.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import runpy
import sys
import traceback

from ..values import NoText
from .place import Placement, instance_of
from .recording import Recording, Refused
from .watch import Session, Watch
from .write import write


def options_of() -> dict:
    from quadrants.lang import impl

    runtime = impl.get_runtime()
    return {"default-fp": runtime.default_fp.to_string(), "default-ip": runtime.default_ip.to_string()}


class Recorder:
    def __init__(self, recording: Recording, root: str):
        self.recording, self.root = recording, root

    def done(self, session: Session) -> None:
        name = session.kernel.func.__qualname__
        if session.failure:
            return self.recording.refuse(name, session.site, session.failure)
        try:
            self.recording.set_options(options_of())
            self.recording.add_instance(instance_of(Placement(self.recording, session, self.root)))
        except NoText as error:
            self.recording.refuse(name, session.site, str(error))
        except OSError as error:
            self.recording.refuse(name, session.site, f"its source is not to be had: {error}")
        except Exception as error:  # a fault of ours must not end the program
            if os.environ.get("SEXTANT_DEBUG"):
                raise
            self.recording.refuse(name, session.site, f"recording fails: {type(error).__name__}: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="sextant freeze", allow_abbrev=False)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    recording = Recording.read(options.folder / "recording.json")
    recording.refused.clear()
    root = os.path.dirname(os.path.abspath(options.program))
    recorder = Recorder(recording, root)
    watch = Watch(recorder.done)
    watch.start()
    sys.argv = [options.program, *options.arguments]
    sys.path.insert(0, root)
    status = 0
    try:
        runpy.run_path(options.program, run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    watch.stop()
    write(recording, options.folder, options.name, options.target, options.output)
    print(f"{len(recording.instances)} instances, {len(recording.refused)} refused", file=sys.stderr)
    for entry in recording.refused:
        print(f"  {entry['site']}: {entry['kernel']}: {entry['reason']}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())

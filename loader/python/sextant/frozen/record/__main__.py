"""`sextant freeze` runs this: python -m sextant.frozen.record --folder DIR --name NAME --output FILE -- program.py …

Runs the program as `python program.py arguments…` does, watches its kernels, and writes them when it ends well. Its
exit status: 0, all launches are recorded; 3, all but some, which the messages name; 1, nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import runpy
import sys
import traceback

from .recording import Recording, Refused

RECORDED, IN_PART, FAILED = 0, 3, 1
in_json = False


def say(severity: str, message: str, help: str = "", trace: str = "") -> None:
    """Writes a message as the command does: as text, or with --json as `--diagnostics=json` has it."""
    if in_json:
        notes = [{"severity": "note", "message": trace}]
        line = {"schema": 1, "severity": severity, "message": message} | ({"help": help} if help else {})
        print(json.dumps(line | ({"notes": notes} if trace else {})), file=sys.stderr)
    else:
        print(f"sextant: {severity}: {message}" + (f"\n  help: {help}" if help else ""), file=sys.stderr)


def run(program: str, arguments: list[str]) -> tuple[str, str] | None:
    """Runs the program. Returns why it did not end well, and the traceback if it is not printed; or None."""
    sys.argv = [program, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            return f"it ends with status {end.code}", ""
    except KeyboardInterrupt:
        return "it was interrupted", ""
    except BaseException as error:
        raised = f"it raises {type(error).__name__}"
        if in_json:
            return raised, traceback.format_exc()
        traceback.print_exc()
        return raised + ", as above", ""
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="sextant freeze", allow_abbrev=False)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--json", action="store_true")
    end = sys.argv.index("--")  # argparse would take words of the program for its own
    options = parser.parse_args(sys.argv[1:end])
    options.program, *options.arguments = sys.argv[end + 1:]
    global in_json
    in_json = options.json
    try:
        return record(options)
    except Refused as error:
        say("error", f"{error}")
        return FAILED


def record(options: argparse.Namespace) -> int:
    from .recorder import Recorder, require_supported
    from .write import check_unedited, write

    require_supported()
    recording = Recording() if options.fresh else Recording.read(options.folder / "recording.json")
    check_unedited(recording, options.folder)
    before = len(recording.instances)
    recorder = Recorder(recording, os.path.dirname(os.path.abspath(options.program)))
    recorder.start()
    process = os.getpid()
    problem = run(options.program, options.arguments)
    if os.getpid() != process:  # a child that the program forked, and that ends here
        return RECORDED if problem is None else FAILED
    recorder.stop()
    if problem:
        why, trace = problem
        say("error", f"'{options.program}' did not end well, so nothing is written: {why}", trace=trace)
        return FAILED
    if recorder.conflict:
        raise recorder.conflict
    if not recording.instances:
        say("error", f"'{options.program}' launched no kernel that can be recorded", "does it call a `@qd.kernel`?")
        report(recording, before, options)
        return FAILED
    write(recording, options.folder, options.name, options.target, options.output)
    report(recording, before, options)
    return IN_PART if recording.refused else RECORDED


def report(recording: Recording, before: int, options: argparse.Namespace) -> None:
    for entry in recording.refused:
        kernel = f"kernel `{entry['kernel']}` is not recorded: " if entry["kernel"] else ""
        say("warning", f"{entry['site']}: {kernel}{entry['reason']}")
    count, new = len(recording.instances), len(recording.instances) - before
    say("note", f"{count} instances of kernels in '{options.folder}'" + (f", {new} of them new" if before else "") +
        (f"; {len(recording.refused)} launches are not recorded" if recording.refused else ""))


if __name__ == "__main__":
    sys.exit(main())

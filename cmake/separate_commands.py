"""Writes BUILD/separate/compile_commands.json: a command for each source of BUILD/compile_commands.json, also for those
that the build compiles some at a time. clangd and clang-tidy find a source's command there.

usage: separate_commands.py BUILD
"""
import json
import pathlib
import re
import sys

build = pathlib.Path(sys.argv[1])
commands = []
for entry in json.loads((build / "compile_commands.json").read_text()):
    together = entry["file"]
    sources = [together]
    if "/Unity/" in together:
        sources = re.findall(r'^#include "(.*)"$', pathlib.Path(together).read_text(), re.M)
    for source in sources:
        commands.append({**entry, "file": source, "command": entry["command"].replace(f"-c {together}", f"-c {source}")})
folder = build / "separate"
folder.mkdir(exist_ok=True)
(folder / "compile_commands.json").write_text(json.dumps(commands, indent=1))

"""Writes a recording as a tree of kernel files with `sextant.toml`, and `recording.json`, from which it is merged."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import textwrap

from .. import ATTACHMENT, SCHEMA
from .recording import PLAIN, File, Recording, Refused


def file_text(key: str, file: File, kernels: dict[tuple[str, str], str]) -> str:
    """The text of a kernel file: imports, enumerations, values, then classes and functions in their module's order.
    `kernels`: the names of its kernels."""
    names = file.names
    own = f"from {key} import "
    imports = {made["text"] for made in names.values() if made["kind"] == "import" and not made["text"].startswith(own)}
    imports |= {f"import {head.split('.')[0].lstrip('@')}" for made in names.values() if made["kind"] == "class"
                for head in made["head"] if not head.startswith("@qd.")}
    values = [f"{n} = {made['original']}" for n, made in names.items()
              if made["kind"] == "import" and made["text"].startswith(own)]
    values += [f"{n} = {made['text']}" for n, made in names.items() if made["kind"] == "value"]
    body = sorted((n for n, made in names.items() if made["kind"] in ("class", "function")),
                  key=lambda n: (names[n]["line"], n))
    first = [n for n in body if is_enum(names[n])]
    parts = [definition_text(n, names, file.origin) for n in first]
    parts += ["\n".join(values) + "\n"] if values else []
    parts += [renamed(definition_text(n, names, file.origin), n, kernels.get((key, n), n)) for n in body
              if n not in first]
    text = "".join("\n\n" + part for part in parts)
    used = set(re.findall(r"\w+", text))
    kept = [line for line in sorted(imports) if line.split()[-1] in used or line.split()[1].split(".")[0] not in PLAIN]
    kept = ["import quadrants as qd", *(line for line in kept if line != "import quadrants as qd")]
    return "\n".join([f"# Recorded from {file.origin or key}.", *kept]) + "\n" + text


def is_enum(made: dict) -> bool:
    return made["kind"] == "class" and made["head"][:1] in (["enum.Enum"], ["enum.IntEnum"])


def renamed(text: str, function: str, name: str) -> str:
    return text.replace(f"\ndef {function}(", f"\ndef {name}(", 1)


def definition_text(name: str, names: dict[str, dict], origin: str) -> str:
    made = names[name]
    text = made["text"] if made["kind"] == "function" else class_text(name, made, names)
    return f"# {origin}:{made['line']}\n" + text


def class_text(name: str, made: dict, names: dict[str, dict]) -> str:
    head = made["head"]
    if head and not head[0].startswith("@"):
        lines = [f"class {name}({head[0]}):"]
    else:
        bases = [base for base, _ in sorted(made["bases"].items(), key=lambda item: item[1])]
        inherited = {b for base in bases for b in names.get(base, {}).get("bases", {})}
        bases = [base for base in bases if base not in inherited]
        lines = [*head, f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"]
    lines += [f"    {member}: {text}" for member, text in made["members"].items()]
    lines += [f"    {constant} = {text}" for constant, text in made["constants"].items()]
    for _, method in sorted(made["methods"].items(), key=lambda item: item[1]["line"]):
        lines += ["", textwrap.indent(method["text"].rstrip("\n"), "    ", lambda line: bool(line.strip()))]
    if len(lines) == len(head if head and head[0].startswith("@") else []) + 1:
        lines.append("    pass")
    return "\n".join(lines) + "\n"


def manifest_text(recording: Recording, name: str, targets: list[str], output: str) -> str:
    """`sextant.toml`: one module of all files, with an instance a line."""
    lines = ["# The module that `sextant freeze` recorded. The next recording writes this file again.",
             f"[module.{name}]", "sources = ["]
    kernels = {i.file for i in recording.instances}
    lines += [f"  {json.dumps(f.path)}," for key, f in sorted(recording.files.items()) if key in kernels]
    lines += ["]", f"output = {json.dumps(output)}", f'attach = {{ "{ATTACHMENT}" = "{ATTACHMENT}" }}']
    if targets:
        lines.append(f"targets = {json.dumps(targets)}")
    lines += [f"{key} = {json.dumps(value)}" for key, value in sorted(recording.options.items())]
    lines.append("kernels = [")
    names = recording.kernel_names()
    for instance in recording.instances:
        lines.append(f"  # {', '.join(instance.sites)}")
        kernel = names[instance.file, instance.kernel]
        request = f"{recording.files[instance.file].path}:{instance.request(kernel)}"
        lines.append(f"  {json.dumps(request)},")
    return "\n".join(lines + ["]"]) + "\n"


def write(recording: Recording, folder: pathlib.Path, name: str, targets: list[str], output: str) -> None:
    """Writes what differs from what the folder has, so that a build after it sees only that."""
    names = recording.kernel_names()
    for key, file in recording.files.items():
        put(folder / file.path, file_text(key, file, names))
    for package in {parent for file in recording.files.values() for parent in pathlib.Path(file.path).parents}:
        if package.name and not (folder / package / "__init__.py").exists():
            put(folder / package / "__init__.py", "")
    put(folder / "sextant.toml", manifest_text(recording, name, targets, output))
    put(folder / ".gitignore", "/.cache/\n")  # the compiler's; all else is source
    put(folder / "recording.json", recording.to_json())
    put(folder / ATTACHMENT, table_text(recording))


def table_text(recording: Recording) -> str:
    """Returns what the module carries for the runtime: the instances, without the text of files."""
    instances = [{k: v for k, v in dataclasses.asdict(i).items() if k not in ("file", "sites")}
                 for i in recording.instances]
    return json.dumps({"schema": SCHEMA, "instances": instances}, separators=(",", ":"))


def check_unedited(recording: Recording, folder: pathlib.Path) -> None:
    """Raises Refused where a file is not as the last recording left it, so that no one's work is lost."""
    for key, file in recording.files.items():
        path = folder / file.path
        if path.is_file() and path.read_text() != file_text(key, file, recording.kernel_names()):
            raise Refused(f"'{path}' was edited since it was recorded, and would be written over; keep it elsewhere, "
                          "or add --fresh to record from nothing")


def put(path: pathlib.Path, text: str) -> None:
    if path.is_file() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(path.name + ".new")
    made.write_text(text)
    made.replace(path)

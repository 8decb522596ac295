"""Writes a recording as a tree of kernel files with `sextant.toml`, and `recording.json`, from which it is merged."""

from __future__ import annotations

import json
import pathlib
import textwrap

from .recording import File, Recording


def file_text(name: str, file: File) -> str:
    """The text of a kernel file: imports, values, then classes and functions in the order of their module."""
    names = file.names
    imports = {made["text"] for made in names.values() if made["kind"] == "import"}
    imports -= {text for text in imports if text.startswith(f"from {name} import ")}
    classes = [n for n, made in names.items() if made["kind"] == "class"]
    if any(made["kind"] == "class" and made["head"][:1] and made["head"][0].startswith("enum.") for made in names.values()):
        imports.add("import enum")
    if any(made["kind"] == "class" and "@dataclasses.dataclass" in made["head"] for made in names.values()):
        imports.add("import dataclasses")
    values = [f"{n} = {made['text']}" for n, made in names.items() if made["kind"] == "value"]
    body = sorted((n for n, made in names.items() if made["kind"] in ("class", "function")),
                  key=lambda n: (names[n]["line"], n))
    parts = [f"# Recorded from {file.origin or name}." , "import quadrants as qd"]
    parts += sorted(imports - {"import quadrants as qd"})
    text = "\n".join(parts) + "\n"
    if values:
        text += "\n" + "\n".join(values) + "\n"
    for n in body:
        made = names[n]
        text += "\n\n" + f"# {file.origin}:{made['line']}\n"
        text += made["text"] if made["kind"] == "function" else class_text(n, made, classes, names)
    return text


def class_text(name: str, made: dict, classes: list[str], names: dict[str, dict]) -> str:
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
    lines = ["# The module that `sextant freeze` recorded. Edit it as you like; the next recording writes it again.",
             f"[module.{name}]", "sources = ["]
    kernels = {i.file for i in recording.instances}
    lines += [f"  {json.dumps(f.path)}," for key, f in sorted(recording.files.items()) if key in kernels]
    lines += ["]", f"output = {json.dumps(output)}"]
    if targets:
        lines.append(f"targets = {json.dumps(targets)}")
    lines += [f"{key} = {json.dumps(value)}" for key, value in sorted(recording.options.items())]
    lines.append("kernels = [")
    for instance in recording.instances:
        lines.append(f"  # {', '.join(instance.sites)}")
        request = f"{recording.files[instance.file].path}:{instance.request}"
        lines.append(f"  {json.dumps(request)},")
    return "\n".join(lines + ["]"]) + "\n"


def write(recording: Recording, folder: pathlib.Path, name: str, targets: list[str], output: str) -> None:
    """Writes what differs from what the folder has, so that a build after it sees only that."""
    for key, file in recording.files.items():
        put(folder / file.path, file_text(key, file))
    for package in {parent for file in recording.files.values() for parent in pathlib.Path(file.path).parents}:
        if package.name and not (folder / package / "__init__.py").exists():
            put(folder / package / "__init__.py", "")
    put(folder / "sextant.toml", manifest_text(recording, name, targets, output))
    put(folder / "recording.json", recording.to_json())


def put(path: pathlib.Path, text: str) -> None:
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(path.name + ".new")
    made.write_text(text)
    made.replace(path)

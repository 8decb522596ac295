"""A recording: files of the kernel language, and instances of their kernels. It is plain data, kept as JSON.

A file mirrors a module of the program: it has the functions, classes and values that kernels used, under the names that
they have there. A name may mean different things to two kernels (a closure's variable, a value that the program sets
again). Then the second one's function goes into another file, `NAME_2`.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

from .. import SCHEMA


PLAIN = ("math", "numpy", "enum", "dataclasses", "typing")  # modules that kernel files import as they are


class Refused(Exception):
    """The program has something that cannot be recorded, or two recordings do not fit together."""


@dataclasses.dataclass
class File:
    """A kernel file. `names`: the text that defines each name, and the line that it has in the program."""

    path: str
    origin: str
    names: dict[str, dict] = dataclasses.field(default_factory=dict)

    def has_room(self, names: dict[str, dict]) -> bool:
        """True if these names mean the same here, or nothing yet."""
        return all(fits(self.names.get(name), made) for name, made in names.items())

    def add(self, names: dict[str, dict]) -> None:
        for name, made in names.items():
            self.names[name] = merged(self.names.get(name), made)


PARTS = ("bases", "members", "constants", "methods")


def fits(old: dict | None, new: dict) -> bool:
    if old is None:
        return True
    if old["kind"] != new["kind"]:
        return False
    if new["kind"] == "class":
        return old["head"] == new["head"] and all(
            old[part].get(k, v) == v for part in PARTS for k, v in new[part].items())
    return old["text"] == new["text"]


def merged(old: dict | None, new: dict) -> dict:
    """Both definitions in one: a class has the methods and constants of both."""
    if old is None or new["kind"] != "class":
        return new
    return {**old, "line": min(old["line"], new["line"]), **{part: {**old[part], **new[part]} for part in PARTS}}


@dataclasses.dataclass
class Instance:
    """A kernel for the values that one or more launches had.

    `values`: text by path, which a launch must have, and which the compiler is given.
    `functions`: what the kernel calls, for the test that a program still has these sources and values.
    """

    name: str
    file: str
    kernel: str
    module: str
    qualname: str
    values: dict[str, str]
    functions: list[dict]
    sites: list[str]
    spelled: dict[str, str] = dataclasses.field(default_factory=dict)  # texts that the request has instead of a value
    checked: dict[str, str] = dataclasses.field(default_factory=dict)  # values that are in the kernel's text
    aliases: dict[str, str] = dataclasses.field(default_factory=dict)  # members that are the objects of other paths
    derivative: str = ""  # "grad", "dual": the kernel's reverse or forward mode

    def request(self, kernel: str) -> str:
        """The instance as the compiler is asked for it. `kernel`: its kernel's name in the file."""
        texts = self.values | self.spelled | self.aliases
        given = ", ".join(f"{path}={text}" for path, text in texts.items()
                          if not self.is_derivative(path))  # the compiler knows it from the array's type
        if self.derivative:
            kernel += f".{self.derivative}"
        return f"{kernel}[{given}] as {self.name}"

    def is_derivative(self, path: str) -> bool:
        """True if a path is the gradient or tangent of an array, and not a member that has this name."""
        array, _, name = path.rpartition(".")
        return name in ("grad", "dual") and self.values.get(array, "").startswith("ndarray(")

    def same(self, other: "Instance") -> bool:
        return (self.file, self.kernel, self.values, self.checked, self.aliases, self.derivative) == (
            other.file, other.kernel, other.values, other.checked, other.aliases, other.derivative)


@dataclasses.dataclass
class Recording:
    files: dict[str, File] = dataclasses.field(default_factory=dict)  # keys: names of modules
    instances: list[Instance] = dataclasses.field(default_factory=list)
    refused: list[dict] = dataclasses.field(default_factory=list)  # kernel, site, reason
    options: dict[str, Any] = dataclasses.field(default_factory=dict)  # the compiler's: default-fp, default-ip
    quadrants: list[str] = dataclasses.field(default_factory=list)  # the versions that were watched

    def add_instance(self, made: Instance) -> None:
        for known in self.instances:
            if known.same(made):
                known.sites = sorted(set(known.sites) | set(made.sites))
                known.functions, known.spelled = made.functions, made.spelled
                return
        taken = {known.name for known in self.instances}
        name, count = made.name, 1
        while made.name in taken:
            count += 1
            made.name = f"{name}_{count}"
        self.instances.append(made)

    def refuse(self, kernel: str, site: str, reason: str) -> None:
        entry = {"kernel": kernel, "site": site, "reason": reason}
        if entry not in self.refused:
            self.refused.append(entry)

    def kernel_names(self) -> dict[tuple[str, str], str]:
        """The names of kernels, by file and function: a module has each but once, and two functions of a program may
        make kernels of one name."""
        names: dict[tuple[str, str], str] = {}
        instances = {instance.name for instance in self.instances}
        for instance in self.instances:
            name, count = instance.kernel, 1
            known = "." in name or (instance.file, instance.kernel) in names
            while not known and (name in names.values() or (count > 1 and name in instances)):
                count += 1
                name = f"{instance.kernel}_{count}"
            names.setdefault((instance.file, instance.kernel), name)
        return names

    def set_options(self, options: dict[str, Any]) -> None:
        for key, value in options.items():
            if self.options.setdefault(key, value) != value:
                raise Refused(f"{key} is {value} in this run and {self.options[key]} in what was recorded before; "
                              "record the two into folders of their own")

    def to_json(self) -> str:
        return json.dumps({"schema": SCHEMA, **dataclasses.asdict(self)}, indent=1) + "\n"

    @staticmethod
    def from_json(text: str, where: str) -> "Recording":
        try:
            data = json.loads(text)
            if data.pop("schema") != SCHEMA:
                raise Refused(f"{where}: it was recorded by another version; remove it and record again")
            return Recording({k: File(**f) for k, f in data.pop("files").items()},
                             [Instance(**i) for i in data.pop("instances")], **data)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refused(f"{where}: it is not a recording ({error}); remove it and record again") from None

    @staticmethod
    def read(path: pathlib.Path) -> "Recording":
        return Recording.from_json(path.read_text(), str(path)) if path.is_file() else Recording()

"""The list of what a kernel can call, read from frontend/sema/builtins/Operations.def.

surface.py takes from it what the suite has to cover, functions.py the tables of
docs/functions.md. The head of the list says what its rows mean.
"""

import pathlib
import re
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "frontend/sema/builtins/Operations.def"

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ROW = re.compile(r"^(GROUP|OP|DEVICE|LAZY|METHOD|LIBRARY|OLD|OWN)\((.*)\)$", re.M)


class Parameter(NamedTuple):
    name: str
    takes: str
    optional: bool


class Operation(NamedTuple):
    kind: str  # the row's macro
    name: str  # "subgroup.reduce_add"
    parameters: tuple
    doc: str
    group: str  # the title that it stands under
    who: str  # who holds a valid result
    current: str = ""  # for an old name, what to call instead

    @property
    def space(self):
        return self.name.split(".")[0]

    @property
    def signature(self):
        """As a call is written: "shuffle(value, index)"."""
        names = [p.name + ("=…" if p.optional else "") for p in self.parameters]
        return f"{self.name.split('.', 1)[1]}({', '.join(names)})"

    def takes(self, name):
        """Returns what the parameter of that name takes, or nothing."""
        return next((p.takes for p in self.parameters if p.name == name), "")


def _parameters(text):
    if text in ("", "*"):
        return (Parameter("…", "", False),) if text else ()
    pairs = [one.split(": ") for one in text.split(", ")]
    return tuple(Parameter(name.removesuffix("?"), takes, name.endswith("?")) for name, takes in pairs)


def operations():
    """All rows but the headings, in order."""
    group = who = ""
    found = []
    text = TABLE.read_text()
    for kind, row in ROW.findall(text[text.index("\nGROUP(") :]):
        strings = STRING.findall(row)
        if kind == "GROUP":
            group, who = strings
        elif kind == "OLD":
            found.append(Operation(kind, strings[0], (), "", group, who, strings[1]))
        else:
            name = f"qd.{strings[0]}" if kind == "METHOD" else strings[0]
            doc = "" if kind == "OWN" else strings[-1]
            found.append(Operation(kind, name, _parameters(strings[1]), doc, group, who))
    return found

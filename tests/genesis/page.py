"""The page of what count.py found: totals, a table by solver, reasons with an example each, and what is refused."""

import collections
import datetime
import re

GRADIENTS = "gradient-of-"  # how the codes of what has no gradient begin

INTRO = """# Genesis' kernels

What Sextant makes of the kernels of [Genesis](https://pypi.org/project/{name}/) {version}, for
`{targets}`. Made by `./dev genesis`, {date}. The wheel's source is read, and
none of its Python runs. Each kernel is compiled by itself: first as it is, then as an instance with the values that the
source gives.

- **compiles**: for all five targets.
- **needs a run**: the compiler lacks types or values, and `tests/genesis` does not find all of them in the source. A
  run of Genesis has them.
- **refused**: for another reason, at least one.

{derived} of {all} kernels compile with the values of the source, {plain} of them as they are; {needs} need a run, and
{refused} are refused ({gradients} of these only for gradients).

Genesis calls the [gradients](../autodiff.md) of {called} kernels: {called_compile} of them compile, {called_need} need a
run, and {called_refused} are refused.
"""

RULES = """
## What the source gives

`tests/genesis/answers.py` answers what the compiler asks for:

- Types of members: from the calls that make them (`V(dtype=…, shape=…)`, `qd.field`, `qd.types.struct(…).field`), also
  in the functions that fill a container. Numbers have 32 bits, as by default. Fields get {extent} elements an axis.
- Numbers: from assignments and from the defaults of options. Numbers of things are arguments of each launch.
- Configurations: the defaults of a class and of the options; a switch without a default is off, another number is 0.
  So each kernel is built in one of its configurations, for the most part that of a plain scene on a CPU.
- Arrays without a type: integers where the kernel indexes by them or their name says so, else reals; as many dimensions
  as the kernel indexes.
- A scene has the default coupler, active solvers, and no force fields and materials in lists.
"""


def place(kernel):
    return f"`{kernel.path.split('/', 1)[1]}:{kernel.node.lineno}`"


def where(error):
    file = error.get("file") or ""
    return f"`{file.split('/', 1)[-1]}:{error.get('line')}`" if file else ""


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def by_solver(kernels):
    yield "| solver | kernels | as they are | with the source's values | need a run | refused | only for gradients |"
    yield "|---|---|---|---|---|---|---|"
    for solver in [*sorted({k.solver for k in kernels}), "all"]:
        mine = [k for k in kernels if solver in (k.solver, "all")]
        kinds = collections.Counter(k.derived.kind for k in mine)
        plain = sum(k.plain.kind == "compiles" for k in mine)
        yield (f"| {solver} | {len(mine)} | {plain} | {kinds['compiles']} | {kinds['needs']} | {kinds['refused']} | "
               f"{sum(map(only_gradients, mine))} |")


def only_gradients(kernel):
    return kernel.derived.kind == "refused" and all(
        e.get("code", "").startswith(GRADIENTS) for e in kernel.derived.errors)


def reasons(verdicts):
    """Rows of a table: each reason, the number of kernels, and one place of it."""
    count, example = collections.Counter(), {}
    for verdict in verdicts:
        found = {(e.get("code", "other"), re.sub(r"`[^`]*`|\d+", "…", e["message"])[:160]): e for e in verdict.errors}
        count.update(found.keys())
        for key, error in found.items():
            example.setdefault(key, error)
    yield "| kernels | code | what the compiler says | for example |"
    yield "|---|---|---|---|"
    for (code, _), number in sorted(count.items(), key=lambda item: (-item[1], item[0])):
        error = example[code, _]
        yield f"| {number} | `{code}` | {cell(error['message'][:240])} | {where(error)} |"


def refused(kernels):
    for kernel in kernels:
        for name, found in (kernel.name, kernel.derived), (f"{kernel.name}.grad", kernel.gradient):
            if not found or found.kind != "refused":
                continue
            said = dict.fromkeys(cell(e["message"]) for e in found.errors)
            places = {cell(e["message"]): where(e) for e in reversed(found.errors)}
            yield f"- {place(kernel)} `{name}`"
            yield from (f"  - {message} {places[message]}".rstrip() for message in said)


def write(path, kernels, **facts):
    kinds = collections.Counter(k.derived.kind for k in kernels)
    called = collections.Counter(k.gradient.kind for k in kernels if k.gradient)
    lines = [INTRO.format(
        date=datetime.date.today().isoformat(), all=len(kernels),
        plain=sum(k.plain.kind == "compiles" for k in kernels), derived=kinds["compiles"],
        needs=kinds["needs"], refused=kinds["refused"],
        gradients=sum(map(only_gradients, kernels)), called=called.total(), called_compile=called["compiles"],
        called_need=called["needs"], called_refused=called["refused"], **facts)]
    lines += by_solver(kernels)
    lines += ["", "## As they are", "", "What the compiler says of kernels that do not compile as they are.", ""]
    lines += reasons(k.plain for k in kernels if k.plain.kind != "compiles")
    lines += ["", "## What still needs a run", ""]
    lines += reasons(k.derived for k in kernels if k.derived.kind == "needs")
    lines += ["", "## Why kernels are refused", ""]
    lines += reasons(k.derived for k in kernels if k.derived.kind == "refused")
    lines += [RULES.format(**facts).rstrip(), "", "## Refused kernels", ""]
    lines += refused(kernels)
    path.write_text("\n".join(lines) + "\n")

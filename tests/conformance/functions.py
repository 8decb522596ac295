"""Makes docs/functions.md, the page of all functions that a kernel can call, of the frontend's list.

    functions.py > docs/functions.md

scripts_test.py fails where the page is not what this prints.
"""

from operations import operations

HEAD = """# Every function that a kernel can call

With this page you can look up every function that a kernel can call: what it takes, and what it does.

Made by `tests/conformance/functions.py` of the list that the compiler is built from,
`frontend/sema/builtins/Operations.def`; do not edit. What a call means is in [language.md](language.md), what it
costs in [instruction-promises.md](instruction-promises.md), and how each target does it in
[support-matrix.md](support-matrix.md).

`dtype=…` may be left out, or be None. Where a call takes a `number`, it also takes a vector or a matrix, and works
component by component; `numbers` may be a list, too, and a `scalar` is one number. An `integer` may be a vector of them,
and an `index` is one. What is `static` is an integer that is known when kernels are built, a `flag` a truth value, a
`text` a string; `1..8` says from where to where. A `dtype` is a type of numbers, a `type` also one of vectors, an
`element` also one of structs. A `word` is a scalar of `i32 u32 i64 u64 f32 f64`; `bits` are a word that is an integer; a
`lane` is a lane's number, an offset or a mask, as `u32`; a `predicate` is an integer or a truth value, a `truth` any
scalar; a `tile` is the logarithm of a tile's lanes.
"""


def called(op):
    """The call as a kernel writes it."""
    name = op.name.removeprefix("py.")
    names = [p.name + ("=…" if p.optional else "") for p in op.parameters]
    return f"`{name}({', '.join(names)})`"


def takes(op):
    return ", ".join(f"{p.name}: {p.takes}" for p in op.parameters if p.takes)


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def page():
    rows = operations()
    tiled = {op.name.removesuffix("_tiled") for op in rows if op.name.endswith("_tiled")}
    lines = [HEAD]
    for group in dict.fromkeys(op.group for op in rows):
        ops = [op for op in rows if op.group == group and op.doc]
        lines.append(f"## {group}\n")
        notes = [f"Valid in {ops[0].who}."] if ops[0].who else []
        if any(op.name in tiled for op in ops):
            notes.append("Each is also there as `_tiled`, with `log2_size` as its last parameter: a tile at a time.")
        if notes:
            lines.append(" ".join(notes) + "\n")
        lines += table(["call", "takes", "what it does"], [(called(op), takes(op), op.doc) for op in ops])
        lines.append("")
    lines.append("## Old names\n\nThey work, and each is warned of once.\n")
    lines += table(["old", "now"], [(f"`{op.name}`", f"`{op.current}`") for op in rows if op.kind == "OLD"])
    return "\n".join(lines)


if __name__ == "__main__":
    print(page())

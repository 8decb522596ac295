"""The page of what freezing Genesis gave: text(…) from what the stages of frozen.py kept."""

import collections


def text(kernels, recordings, recorded, builds, measured, *, package, targets, date):
    """kernels: (file, name, line, solver) of all in the package. recordings: recording.json by module. The others: what
    the stages kept."""
    by_name = collections.defaultdict(list)  # results of each instance: built, or the reason why not
    counts = collections.Counter()
    for module, recording in recordings.items():
        build = builds.get(module, {})
        for instance in recording["instances"]:
            counts[instance["module"].partition(".")[0]] += 1
            reason = build["reasons"].get(instance["name"], "") if instance["name"] in build["lost"] else None
            by_name[instance["module"].replace(".", "/"), instance["qualname"].split(".")[-1]].append(reason)
    rows, missing, refused = collections.defaultdict(lambda: [0, 0, 0]), [], []
    for file, name, line, solver in sorted(kernels):
        row = rows[solver]
        row[0] += 1
        found = by_name.get((file.removesuffix(".py").removesuffix("/__init__"), name))
        if not found:
            missing.append(f"- {file}:{line} `{name}`")
            continue
        row[1] += 1
        if None in found:
            row[2] += 1
        else:
            refused.append(f"- {file}:{line} `{name}`: {found[0][:200]}")
    total = [sum(column) for column in zip(*rows.values())]
    lines = [f"# {package}, frozen", "", f"""`./dev genesis frozen` wrote this on {date}: its scenes
([tests/genesis](../../tests/genesis)) ran once under Quadrants' JIT and `sextant freeze`; then all was built for
`{targets}` ([freeze.md](../freeze.md)).

**{total[2]} of {total[0]} kernels compile** for all targets; the scenes launch {total[1]}. With {counts["genesis"]}
instances of them and {counts["quadrants"]} of Quadrants' own kernels:

| module | MB | built, s | after the edit of a line, s | load |
|---|---|---|---|---|"""]
    lines += [f"| {name} | {b['bytes'] / 1e6:.1f} | {b['cold']:.0f} | {b['edit']:.1f} | {b['load']:.1f} |"
              for name, b in builds.items()]
    lines += ["", "| solver | kernels | launched by the scenes | compile |", "|---|---|---|---|"]
    lines += [f"| {solver} | {a} | {b} | {c} |" for solver, (a, b, c) in sorted(rows.items())]
    lines += ["", "## Refused", "", *refused]
    for scene, found in recorded.items():
        lines += [f"- {scene}: {line.removeprefix('sextant: warning: ')}" for line in found["refused"]]
    lines += ["", "## Launched by no scene", "", *missing]
    for scene, output in measured.items():
        lines += ["", f"## {scene}, seconds (step: median of a step)", "", "```", output.rstrip(), "```"]
    return "\n".join(lines) + "\n"

"""The page of what freezing Genesis gave: text(…) from what the stages of frozen.py kept."""

import collections


def text(kernels, recording, recorded, build, measured, *, package, targets, date):
    """kernels: (file, name, line, solver) of all in the package. recording: recording.json. The others: the stages'."""
    lost = set(build.get("lost", []))
    instances = [i for i in recording["instances"] if i["module"].startswith("genesis")]
    by_name = collections.defaultdict(list)
    for instance in instances:
        file = instance["module"].replace(".", "/")
        by_name[file, instance["qualname"].split(".")[-1]].append(instance["name"])
    rows, missing, refused = collections.defaultdict(lambda: [0, 0, 0]), [], []
    for file, name, line, solver in sorted(kernels):
        row = rows[solver]
        row[0] += 1
        found = by_name.get((file[:-3], name)) or by_name.get((file[:-len("/__init__.py")], name))
        if not found:
            missing.append(f"{file}:{line} `{name}`")
            continue
        row[1] += 1
        if all(instance in lost for instance in found):
            refused.append((f"{file}:{line} `{name}`", build["reasons"].get(found[0], "")))
        else:
            row[2] += 1
    total = [sum(column) for column in zip(*rows.values())]
    lines = [f"# {package}, frozen", "", f"`./dev genesis frozen` wrote this on {date}: its scenes "
             "([tests/genesis](../../tests/genesis)) run once under Quadrants' JIT", f"and `sextant freeze`; then all is "
             f"built for `{targets}` ([freeze.md](../freeze.md)).", "",
             f"**{total[2]} of {total[0]} kernels compile** for all targets; the scenes launch {total[1]}. "
             f"{len(instances)} instances of them, and", f"{len(recording['instances']) - len(instances)} of Quadrants' own "
             f"kernels, are {build.get('bytes', 0) / 1e6:.1f} MB in one module. The build took {build.get('cold', 0):.0f} s "
             "on two cores,", f"and {build.get('edit', 0):.1f} s after a line of the largest file was edited "
             f"(load {build.get('load', 0):.1f}).", "",
             "| solver | kernels | launched by the scenes | compile |", "|---|---|---|---|"]
    lines += [f"| {solver} | {a} | {b} | {c} |" for solver, (a, b, c) in sorted(rows.items())]
    lines += ["", "## Refused", ""] + [f"- {place}: {reason}" for place, reason in refused]
    for scene, found in recorded.items():
        lines += [f"- {scene}: {line.removeprefix('sextant: warning: ')}" for line in found["refused"]]
    lines += ["", "## Launched by no scene", ""] + [f"- {place}" for place in missing]
    for scene, output in measured.items():
        lines += ["", f"## {scene}, seconds (step: median of a step)", "", "```", output.rstrip(), "```"]
    return "\n".join(lines) + "\n"

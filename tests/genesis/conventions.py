"""The conventions of Genesis where its code says nothing: types by the names of things, and by how kernels use them."""

import ast
import re

from source import Text, last, walk

# `init()` of the package makes these with its defaults: numbers of 32 bits.
FLOAT, INT, BOOL = "qd.f32", "qd.i32", "qd.u1"
TYPES = {"qd_float": FLOAT, "qd_int": INT, "qd_bool": BOOL, "EPS": "1.1920929e-07"}
TYPES |= {f"qd_vec{n}": f"qd.types.vector({n}, {FLOAT})" for n in (2, 3, 4, 6, 7, 18)}
TYPES |= {f"qd_ivec{n}": f"qd.types.vector({n}, {INT})" for n in (2, 3, 4)}
TYPES |= {f"qd_mat{n}": f"qd.types.matrix({n}, {n}, {FLOAT})" for n in (3, 4)}
INTEGERS = ("idx", "_id", "start", "end", "indices", "faces", "count", "errno", "2v", "2el")


def untyped(kernel, name, annotation):
    """An array that the host passes: its name or the kernel's code say the type, its code the dimensions."""
    dims, annotated = 1, ast.unparse(annotation)
    for node in walk(kernel):
        if not isinstance(node, ast.Subscript):
            continue
        if last(node.value) == name:
            dims = max(dims, len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1)
        elif ast.unparse(node.value) == f"{name}.shape" and isinstance(node.slice, ast.Constant):
            dims = max(dims, node.slice.value + 1)
    element = FLOAT
    if is_index(kernel, name):
        element = INT
    elif name.endswith(("mask", "active", "free")) or name.startswith(("is_", "has_")):
        element = BOOL
    if "element_dim=1" in annotated:
        element = f"qd.types.vector({2 if name == 'uvs' else 3}, {element})"
    elif "element_dim=2" in annotated:
        element = f"qd.types.matrix(4, 4, {element})"
    for given in walk(annotation):
        if isinstance(given, ast.keyword) and given.arg == "ndim":
            dims = ast.literal_eval(given.value)
    return Text(f"ndarray({element}, {dims})")


def is_index(kernel, name):
    """True if the array holds integers: it is called so, or the code picks elements or bounds loops by it."""
    if name.startswith("n_") or name.endswith(INTEGERS):
        return True
    known = {name}
    for node in walk(kernel):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript) and last(node.value.value) == name:
            known.add(last(node.targets[0]))
    places = [n.slice for n in walk(kernel) if isinstance(n, ast.Subscript)]
    places += [n for n in walk(kernel) if isinstance(n, ast.Call) and last(n.func) in ("range", "ndrange")]
    return any(isinstance(n, ast.Name) and n.id in known and isinstance(n.ctx, ast.Load)
               for place in places for n in walk(place)
               if not (isinstance(place, ast.Call) and ".shape" in ast.unparse(place)))


def is_switch(kernel, name):
    """True if a template parameter turns code on or off."""
    tests = " ".join(ast.unparse(n.test) for n in walk(kernel) if isinstance(n, (ast.If, ast.IfExp)))
    is_tested = re.search(rf"static\((not )?{name}( |\))", tests) is not None
    return is_tested or name.startswith(("is_", "has_", "update_", "force_"))


def count(path):
    """A number of things that only a run knows is an argument of each launch; so are lengths."""
    name = path.split(".")[-1].lstrip("_")
    if name.startswith("n_") or name == "B" or name.endswith(("_start", "_end", "idx")):
        return INT
    if name in ("grid_res", "grid_offset"):
        return f"qd.types.vector(3, {INT})"
    return FLOAT if name.endswith(("dt", "_scale", "_size", "radius")) else None

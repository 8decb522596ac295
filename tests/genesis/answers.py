"""The source of a package as a witness of its kernels' values, without running it.

The compiler asks for a value by its path, `self.particles` or `dyn_state.links.pos`. `Package.answer` reads the
assignment, the annotation or the call that makes the value, and gives the text for an instance: a constant, a type,
`ndarray(f32, 2)`, `field(f32, (8,))`, the name of a class; or None where the source does not say.
"""

import ast
import math
import re

from conventions import FLOAT, INT, TYPES, count, is_switch, untyped
from source import Scope, Text, Thing, is_marked, last, named, operate, walk

RUNNING = ("is_active", "is_built")  # true of an object that runs kernels
EXTENT = 8  # extent of fields, whose extents only a run knows
ARRAYS = ("V", "V_VEC", "V_MAT", "V_SCALAR_FROM", "field", "ndarray", "tensor")
SOLVERS = ("mpm", "sph", "pbd", "fem", "tool", "rigid")

class Package:
    def __init__(self, trees):
        self.classes, self.functions, self.calls, self.module, self.structs = {}, {}, {}, {}, {}
        self.scopes, self.known, self.depth = {}, {}, 0  # scopes of calls, values of members, depth of what is being looked for
        for path, tree in trees.items():
            self.read(tree, path[:-3].replace("/", "."), Scope())

    def read(self, node, module, scope):
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.ClassDef):
                self.classes.setdefault(child.name, child)
                self.module.setdefault(child.name, module)
                inner = Scope(None, Thing(child))
            elif isinstance(child, ast.FunctionDef):
                self.functions.setdefault(child.name, child)
                if is_marked(child, "qd.func") and scope.thing is None:
                    self.module.setdefault(child.name, module)
                inner = Scope(child, scope.thing)
            elif isinstance(child, ast.Call):
                self.calls.setdefault(last(child.func), []).append(child)
                self.scopes[child] = scope
            self.read(child, module, inner)

    def answer(self, path, kernel, owner):
        """The text for `path` in an instance of a kernel, which is a method of `owner` or of no class."""
        first, *rest = path.split(".")
        value = Thing(owner) if first == "self" else self.parameter(kernel, first)
        for name in rest:
            value = self.member(value, name) if isinstance(value, Thing) else None
        return count(path) if value is None and rest else self.text(value)

    def objects(self, kernel, owner, values):
        """The paths of the objects among the values of an instance, and their classes."""
        start = [("self", owner.name)] if owner else []
        return start + [(p, v) for p, v in values.items() if v in self.classes]

    def definitions(self, values):
        """Lines that name the structs of an instance, for the end of the kernel's file."""
        needed, lines = " ".join(values.values()), {}
        for made, name in reversed(self.structs.items()):
            if re.search(rf"\b{name}\b", needed):
                needed += made
                lines = {name: f"\n{name} = {made}"} | lines
        return lines

    def running(self, path, owner):
        """The facts of an object that runs kernels, although its host code counts something for it."""
        return {f"{path}.{name}": "True" for name in RUNNING if name in self.properties(owner)}

    def properties(self, owner):
        """The properties of a class, which host code computes."""
        return {n.name for known in self.lines(self.classes[owner]) for n in known.body
                if isinstance(n, ast.FunctionDef) and is_marked(n, "property")}

    def text(self, value):
        if isinstance(value, Thing):
            return value.owner.name
        return value if value is None or isinstance(value, Text) else repr(value)

    # Parameters

    def parameter(self, kernel, name):
        args = kernel.args.args
        place = [a.arg for a in args].index(name)
        annotation = args[place].annotation
        if (known := last(annotation)) in self.classes:
            return Thing(self.classes[known])
        if annotation is not None and "template" not in ast.unparse(annotation):
            return untyped(kernel, name, annotation)
        for call in self.calls.get(kernel.name, []):  # the values that callers pass, if they are constant
            passed = self.value(named(call, name, place), self.scopes[call])
            if isinstance(passed, (bool, int, tuple)) or isinstance(passed, Thing) or "field(" in str(passed):
                return passed
        if (defaulted := place - len(args) + len(kernel.args.defaults)) >= 0:
            return self.value(kernel.args.defaults[defaulted], Scope())
        return self.template(kernel, name)

    def template(self, kernel, name):
        """A template parameter is called after what is passed: `collider_static_config`, of ColliderStaticConfig."""
        words = name.lower().replace("_", "")
        fits = [c for c in self.classes if c.lower() == words or words == "rigidconfig" and c == "RigidSimStaticConfig"]
        if fits:
            return Thing(self.classes[fits[0]])
        return False if is_switch(kernel, name) else None

    # Members

    def lines(self, owner, seen=()):
        """A class and its bases, nearest first."""
        found = [owner]
        for base in owner.bases:
            if (known := self.classes.get(last(base))) and known.name not in seen and known is not owner:
                found += self.lines(known, (*seen, owner.name))
        return found

    def member(self, thing, name):
        if thing.owner is None or self.depth > 20:
            return None
        if (known := (thing.owner, thing.call, name)) in self.known:
            return self.known[known]
        if thing.owner.name == "Simulator" and name.strip("_") == "coupler":  # a scene's, unless it asks for another
            return self.called("legacy_coupler")
        self.depth += 1
        try:
            found = [v for v in self.candidates(thing, name) if v is not None]
            arrays = [v for v in found if isinstance(v, Text) and v.startswith(("ndarray", "field"))]
            # Dummies of inactive parts have no dimensions; the real array has the most.
            best = max(arrays, key=lambda a: (a.count("8"), a[-2])) if arrays else found[0] if found else None
            best = self.called(name, thing) if best is None else best
            if self.depth == 1 or best is not None:  # further down, what is being looked for cannot be found
                self.known[known] = best
            return best
        finally:
            self.depth -= 1

    def called(self, name, thing=None):
        """A name that is called after its class: `_sim` is the Simulator, `solver` of an MPMEntity the MPMSolver."""
        if name.isupper():
            return None
        words = name.strip("_").replace("_", "").lower()
        words = {"sim": "simulator"}.get(words, words)
        if words == "solver" and thing is not None:
            words = next((s for s in SOLVERS if thing.owner.name.lower().startswith(s)), "") + words
        fits = [c for c in self.classes.values() if c.name.lower() == words]
        return Thing(fits[0]) if fits else None

    def candidates(self, thing, name):
        heirs = [c for c in self.classes.values() if any(last(base) == thing.owner.name for base in c.bases)]
        for owner in self.lines(thing.owner) + heirs:
            for node in walk(owner):
                if isinstance(node, ast.AnnAssign) and last(node.target) == name and isinstance(node.target, ast.Name):
                    yield from self.annotated(thing, owner, node)
                elif isinstance(node, ast.FunctionDef):
                    yield from self.assigned(thing, node, name)

    def annotated(self, thing, owner, node):
        if (known := last(node.annotation)) in self.classes:
            yield Thing(self.classes[known])
        elif known == "Tensor":
            for call in self.calls.get(owner.name, []):
                if (made := named(call, node.target.id)) is not None:
                    yield self.value(made, self.scopes[call])
        elif node.value is not None and isinstance(constant := self.value(node.value, Scope()), (int, float, str)):
            yield constant
        elif known.endswith("Float") or known == "float":
            yield Text(FLOAT)
        elif known in ("bool", "int"):  # a member of a configuration: what the solver's options have by default, or none of it
            option = self.options("Rigid", node.target.id)
            yield option if isinstance(option, (int, float)) else False if known == "bool" else 0

    def assigned(self, thing, function, name):
        if function.name == name and is_marked(function, "property"):
            for node in walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield self.value(node.value, Scope(function, thing))
            if (known := last(function.returns)) in ("int", "float", "bool"):
                yield {"int": Text(INT), "float": Text(FLOAT), "bool": False}[known]
        for node in walk(function):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                if any(isinstance(t, ast.Attribute) and ast.unparse(t) == f"self.{name}" for t in targets):
                    yield self.value(node.value, Scope(function, thing))

    def options(self, solver, name):
        """The default of a solver's option, which is declared in a class of its name."""
        for owner in self.lines(self.classes[f"{solver}Options"]) if f"{solver}Options" in self.classes else []:
            for node in owner.body:
                if isinstance(node, ast.AnnAssign) and last(node.target) == name and node.value is not None:
                    return self.value(node.value, Scope())
        return None

    # Expressions

    def value(self, node, scope):
        self.depth += 1
        try:
            return None if self.depth > 40 else self.expression(node, scope)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            return None
        finally:
            self.depth -= 1

    def expression(self, node, scope):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Tuple, ast.List)):
            values = [self.value(item, scope) for item in node.elts]
            return tuple(values) if all(isinstance(v, (int, float)) for v in values) else None
        if isinstance(node, ast.IfExp):
            body = self.value(node.body, scope)
            return self.value(node.orelse, scope) if body is None else body
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.value(node.operand, scope)
        if isinstance(node, ast.BoolOp):
            values = [self.value(item, scope) for item in node.values]
            return None if None in values else all(values) if isinstance(node.op, ast.And) else any(values)
        if isinstance(node, ast.BinOp):
            return self.arithmetic(node, scope)
        if isinstance(node, ast.Name):
            return self.local(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self.attribute(node, scope)
        return self.call(node, scope) if isinstance(node, ast.Call) else None

    def arithmetic(self, node, scope):
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            return operate(node.op, left, right)
        known = {v for v in (left, right) if isinstance(v, Text)}
        if isinstance(node.op, ast.Div) or FLOAT in known or float in (type(left), type(right)):
            return Text(FLOAT) if known <= {FLOAT, INT} else None
        return Text(INT) if known == {INT} else None

    def local(self, name, scope):
        if name == "self":
            return scope.thing
        if name in self.functions and name in self.module:
            return Text(name)
        if scope.function is None:
            return None
        for node in walk(scope.function):
            if isinstance(node, ast.Assign) and any(last(t) == name and isinstance(t, ast.Name) for t in node.targets):
                if (value := self.value(node.value, scope)) is not None:
                    return value
        args = scope.function.args.args
        places = [a.arg for a in args]
        if name in places:
            if scope.function.name == "__init__" and scope.thing and scope.thing.call:
                if (passed := named(scope.thing.call, name, places.index(name) - 1)) is not None:
                    return self.value(passed, scope.thing.scope)
            if (defaulted := places.index(name) - len(args) + len(scope.function.args.defaults)) >= 0:
                return self.value(scope.function.args.defaults[defaulted], Scope())
        for arg in args:
            if arg.arg == name and arg.annotation is not None and last(arg.annotation) in self.classes:
                return Thing(self.classes[last(arg.annotation)])
        return None

    def attribute(self, node, scope):
        if node.attr in RUNNING:
            return True
        if node.attr in TYPES:
            return float(TYPES["EPS"]) if node.attr == "EPS" else Text(TYPES[node.attr])
        if ast.unparse(node) == "math.pi":
            return math.pi
        if last(node.value) in ("options", "_options") and scope.thing and scope.thing.owner:
            return self.options(re.sub("(Solver|ulator)$", "", scope.thing.owner.name), node.attr)
        if ast.unparse(node.value).endswith(("options.vis", "options.sim")):
            return self.options(last(node.value).capitalize(), node.attr)
        if last(node.value) in self.classes:  # a member of an enumeration
            for item in self.classes[last(node.value)].body:
                if isinstance(item, ast.Assign) and last(item.targets[0]) == node.attr:
                    return self.value(item.value, Scope())
        if node.attr in self.functions and node.attr in self.module and ast.unparse(node.value) != "self":
            return Text(node.attr)
        owner = scope.thing if ast.unparse(node.value) == "self" else self.value(node.value, scope)
        return self.member(owner, node.attr) if isinstance(owner, Thing) else None

    def call(self, node, scope):
        name = last(node.func)
        if name in ("list", "List") and not node.args:  # a list of what a scene registers: as in one without any
            return ()
        if name in ARRAYS:
            return self.array(node, name, scope)
        if name in self.classes:
            return Thing(self.classes[name], node, scope)
        if name in ("array", "Vector") and isinstance(node.func, ast.Attribute) and node.args:
            items = self.value(node.args[0], scope)
            if isinstance(items, tuple):
                return items if name == "array" else Text(f"qd.types.vector({len(items)}, {FLOAT})")
        if name == "Vector" and "dt" in ast.unparse(node):  # a vector of unknown length: a place in space
            return Text(f"qd.types.vector(3, {FLOAT})")
        if name in ("max", "min"):
            values = [self.value(argument, scope) for argument in node.args]
            return Text(FLOAT if any(v == FLOAT or isinstance(v, float) for v in values) else INT)
        if name in ("int", "float") and node.args:
            value = self.value(node.args[0], scope)
            return Text({"int": INT, "float": FLOAT}[name]) if value is None else value
        if name in ("len", "round", "count_nonzero"):
            return Text(INT)
        if name in self.functions and name.startswith("get_"):
            for inner in walk(self.functions[name]):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    return self.value(inner.value, Scope(self.functions[name]))
        return None

    # Arrays

    def array(self, call, name, scope):
        maker = call.func.value if isinstance(call.func, ast.Attribute) else None
        owner = last(maker) if maker is not None else ""
        shape = named(call, "shape", {"Vector": 2, "Matrix": 3}.get(owner, 1))
        dims = 0 if name == "V_SCALAR_FROM" else self.dimensions(shape, scope)
        dtype = named(call, "dtype", {"Vector": 1, "V_VEC": 1, "Matrix": 2, "V_MAT": 2}.get(owner or name, 0))
        if owner == "Vector" or name == "V_VEC":
            element = self.shaped("vector", [named(call, "n", 0)], dtype, scope)
        elif owner == "Matrix" or name == "V_MAT":
            element = self.shaped("matrix", [named(call, "n", 0), named(call, "m", 1)], dtype, scope)
        elif owner in ("qd", "") or name == "V":
            element = self.type(dtype, scope)
        else:
            element = self.type(maker, scope)
        if dims is None and shape is None and scope.function is not None:  # `qd.root.dense(qd.ij, …).place(…)`
            placed = re.search(r"dense\(qd\.([ijkl]+).*\.place\(", ast.unparse(scope.function))
            dims = len(placed[1]) if placed else None
        if element is None or dims is None:
            return None
        if name == "field":
            gradient = ", needs_grad=True" if self.value(named(call, "needs_grad"), scope) is True else ""
            return Text(f"field({element}, ({', '.join([str(EXTENT)] * dims)}{',' * (dims == 1)}){gradient})")
        return Text(f"ndarray({element}, {dims})")

    def shaped(self, kind, extents, dtype, scope):
        extents, element = [self.value(e, scope) for e in extents if e is not None], self.type(dtype, scope)
        if element is None or not all(isinstance(e, int) for e in extents):
            return None
        return f"qd.types.{kind}({', '.join(map(str, extents))}, {element})"

    def type(self, node, scope):
        """A type as text: of a number, a vector, or a struct."""
        if isinstance(node, ast.Call) and last(node.func) in ("vector", "matrix"):
            return self.shaped(last(node.func), node.args[:-1], node.args[-1], scope)
        if isinstance(node, ast.Call) and last(node.func) == "struct":
            members = {k.arg: self.type(k.value, scope) for k in node.keywords}
            if None in members.values():
                return None
            made = f"qd.types.struct({', '.join(f'{k}={v}' for k, v in members.items())})"
            return self.structs.setdefault(made, f"Struct{len(self.structs)}")
        if isinstance(node, ast.Name) and scope.function is not None:
            for made in walk(scope.function):
                if isinstance(made, ast.Assign) and last(made.targets[0]) == node.id:
                    return self.type(made.value, scope)
            return self.classes[node.id].name if node.id in self.classes else None
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "qd":
            return {"int32": INT, "float32": FLOAT}.get(node.attr, f"qd.{node.attr}")
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self" and scope.thing:
            return self.member_type(scope.thing, node.attr)
        return TYPES.get(last(node)) if node is not None else None

    def member_type(self, thing, name):
        for owner in self.lines(thing.owner):
            for node in walk(owner):
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == f"self.{name}":
                    return self.type(node.value, Scope(None, thing))
        return None

    def dimensions(self, node, scope):
        """How many dimensions a shape has."""
        if node is None:
            return None
        if isinstance(node, ast.Tuple):
            return sum(3 if isinstance(e, ast.Starred) else 1 for e in node.elts)  # `*grid_res` are three axes
        if isinstance(node, ast.IfExp):
            sides = self.dimensions(node.body, scope), self.dimensions(node.orelse, scope)
            return max(filter(None, sides), default=None)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = self.dimensions(node.left, scope), self.dimensions(node.right, scope)
            return None if None in parts else sum(parts)
        if isinstance(node, ast.Call) and last(node.func) == "maybe_shape":
            return self.dimensions(node.args[0], scope)
        if isinstance(node, ast.Name) and scope.function is not None:
            made = [n.value for n in walk(scope.function)
                    if isinstance(n, ast.Assign) and last(n.targets[0]) == node.id]
            found = [d for d in (self.dimensions(m, scope) for m in made) if d is not None]
            return max(found, default=None)
        if last(node).endswith("grid_res"):
            return 3
        return 1 if isinstance(node, (ast.Attribute, ast.Constant, ast.Call)) else None

"""Writes random kernels of reals that have derivatives, for gradients.py.

Values stay of the size of one, so that their derivatives do. Conditions on them may be of any kind: gradients and tangents
take the same way through a kernel, and differences whose points do not are thrown away.
"""

import random

HEAD = '''import quadrants as qd
from quadrants.lang.simt import block, subgroup

A = qd.types.ndarray(T, 1)
M = qd.types.ndarray(T, 2)
D = qd.types.ndarray(T, 3)
V = qd.types.ndarray(qd.types.vector(3, T), 1)
W = qd.types.ndarray(qd.types.matrix(2, 2, T), 1)
I = qd.types.ndarray(qd.i32, 1)
E = qd.types.ndarray(T, 0)
vec3 = qd.types.vector(3, T)
mat2 = qd.types.matrix(2, 2, T)


@qd.dataclass
class Pair:
    pos: vec3
    mass: T

    @qd.func
    def grow(self, by):
        self.mass += 0.2 * qd.sin(by * self.mass)
        self.pos[1] = qd.sin(self.pos.x * by)

    @qd.func
    def energy(self, by):
        if self.mass < by:
            return self.pos.dot(self.pos) * 0.2
        return 0.5 * self.mass * by


P = qd.types.ndarray(Pair, 1)
f = qd.field(T, shape=37, needs_grad=True, needs_dual=True)
fv = qd.Vector.field(3, T, shape=37, needs_grad=True, needs_dual=True)


@qd.func
def own(a, b):
    return qd.sin(a) * b


@qd.ad.grad_for(own)
@qd.func
def own_grad(a, b, g):
    return qd.cos(a) * b * g, qd.sin(a) * g


@qd.ad.dual_for(own)
@qd.func
def own_dual(a, b, da, db):
    return qd.cos(a) * b * da + own(a, db)


@qd.func
def along(a, b, n):
    if n % 2 == 0:
        return own(a, b)
    return a * 0.5


@qd.ad.dual_for(along)
@qd.func
def along_dual(a, b, n, da, db):
    if n % 2 == 0:
        return qd.cos(a) * b * da + qd.sin(a) * db
    return da * 0.5


@qd.func
def mixed(a, b):
    return a + b + 0.1 * a * b
'''
# Inputs and places for results of each kind: name, type, dimensions; with the kind of their elements.
INPUTS = [("x", "A", 1, "r"), ("y", "A", 1, "r"), ("m", "M", 2, "r"), ("d", "D", 3, "r"), ("v", "V", 1, "v"),
          ("w", "W", 1, "m"), ("p", "P", 1, "s"), ("e", "E", 0, "r"), ("f", None, 1, "r"), ("fv", None, 1, "v")]
OUTPUTS = [("out", "A", 1, "r"), ("out2", "A", 1, "r"), ("om", "M", 2, "r"), ("ov", "V", 1, "v"), ("ow", "W", 1, "m"),
           ("op", "P", 1, "s"), ("oe", "E", 0, "r"), ("od", "D", 3, "r")]
EXTENTS = [None, 5, 3]
EXTENT_OF = {"block": 192, "wide": 301}  # first extents of arrays; 37 otherwise


class Array:
    def __init__(self, name, ndim, kind):
        self.name, self.ndim, self.kind = name, ndim, kind


class Writer:
    """Writes one kernel."""

    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.kind = self.one(["block"] * 5 + ["wide"] * 2 + ["half"] + ["plain"] * 12)
        self.blocks, self.half = self.kind == "block", self.kind == "half"
        self.name = f"{self.kind}_{number}"
        # Numbers and a thread's arrays of them only, in more loops and branches.
        self.deep = self.kind == "plain" and self.chance(0.4)
        # Short code of iterations that have elements around them.
        self.light = self.kind == "plain" and not self.deep and self.chance(0.6)
        self.number = number
        self.extent = EXTENT_OF.get(self.kind, 37)
        self.counter = 0
        self.budget = 0
        self.functions = []  # their text
        self.helpers = []  # (name, form), callable from now on
        self.lines = []
        # In scope, by kind: reals, vectors, matrices, records ("s"), whole numbers ("i"), truths ("b"), shared arrays
        # ("h"), and with their sizes a thread's arrays of reals ("p") and of whole numbers ("n").
        self.names = {}
        self.state = {}  # the use of arrays in this task: "in", "own", "ready", "sink", "place"
        self.arrays = []
        self.index = None  # the names of the loop
        self.own = {}  # the index of a thread's own element, by array
        self.near = []  # the distances at which there are elements, for each axis of the loop
        self.small = []  # whole numbers below 3 that nothing changes
        self.inside = None  # the kind of result of the function that is written

    # --- Choices

    def one(self, choices):
        return self.random.choice(choices)

    def chance(self, p):
        return self.random.random() < p

    def fresh(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def say(self, depth, text):
        self.lines.append("    " * depth + text)

    def scope(self):
        """Names that a block declares are gone after it."""
        kept = {kind: list(names) for kind, names in self.names.items()}
        return kept

    # --- Expressions

    def positive(self):
        """A whole number that is not negative."""
        if self.names["n"] and self.chance(0.35 if self.deep else 0.2):
            name, size = self.one(self.names["n"])
            return f"{name}[{self.one(self.names['i'] or ['1'])} % {size}]"
        return self.one(self.names["i"] or ["2"])

    def place(self, array):
        """The index of any element."""
        if array.ndim == 0:
            return "None"
        if self.index and array.ndim == len(self.index) and self.chance(0.4):
            return ", ".join(self.index)
        if self.index and array.ndim and self.near and self.chance(0.75):
            return self.beside(array)
        if self.small and array.ndim <= len(self.index or []) + 1 and self.chance(0.4):
            return ", ".join([*(self.index or [])[:array.ndim - 1], self.one(self.small)])
        name = self.positive()
        first = f"({name} + {self.random.randrange(self.extent)}) % {self.extent}"
        if self.chance(0.05) and self.names["r"]:
            first = f"qd.cast(qd.abs({self.one(self.names['r'])}) * 9, qd.i32) % {self.extent}"
        if self.chance(0.2) and self.taken:
            first = f"{self.one(sorted(self.taken))}[{first}]"
        return ", ".join([first] + [f"{self.positive()} % {extent}" for extent in EXTENTS[1:array.ndim]])

    def beside(self, array):
        """The index of an element at a constant distance from the iteration's."""
        places = []
        for axis, extent in zip(range(array.ndim), [self.extent, *EXTENTS[1:]]):
            if axis >= len(self.index) or self.chance(0.06):
                places.append(self.one(self.small + ["0", str(self.random.randrange(extent))]))
                continue
            name, distance = self.index[axis], self.random.randint(*self.near[axis])
            places.append(f"{name} {'-' if distance < 0 else '+'} {abs(distance)}" if distance else name)
        if array.ndim == 1 and len(self.index) == 1 and self.chance(0.06):
            return self.one([f"2 * ({self.index[0]} % {self.extent // 2})", f"{self.extent - 1} - {self.index[0]}"])
        return ", ".join(places)

    def readable(self, kind):
        return [a for a in self.arrays if a.kind == kind and self.state.get(a.name) in ("in", "own", "ready")]

    def element(self, kind):
        """An element of an array, or None."""
        arrays = [a for a in self.readable(kind) if self.state[a.name] == "in" or self.state[a.name] == "ready"]
        if not arrays:
            return None
        array = self.one(arrays)
        if self.state[array.name] == "ready":
            return f"{array.name}[{self.own[array.name]}]"
        if self.index and array.ndim and kind == "r" and self.chance(0.1):  # one that may not be there
            axis, by = self.random.randrange(min(array.ndim, len(self.index))), self.random.randint(1, 2)
            name, extent = self.index[axis], [self.extent, *EXTENTS[1:]][axis]
            places = (self.index + ["1", "1"])[:array.ndim]
            places[axis], test = self.one([(f"{name} - {by}", f"{name} >= {by}"), (f"{name} + {by}", f"{name} < {extent - by}")])
            return f"({array.name}[{', '.join(places)}] if {test} else T(0))"
        return f"{array.name}[{self.place(array)}]"

    def constant(self):
        return f"T({self.random.uniform(-1, 1):.3f})"

    def atom(self):
        choices = []
        if self.names["r"]:
            choices += [self.one(self.names["r"])] * 4
        element = self.element("r")
        if element:
            choices += [element] * 3
        for kind, forms in (("v", ["{0}[0]", "{0}.y", "{0}[{1} % 3]", "{0}.z"]), ("m", ["{0}[0, 1]", "{0}[{1} % 2, 1]"]),
                            ("s", ["{0}.mass", "{0}.pos.x", "{0}.pos[2]"])):
            value = self.one(self.names[kind]) if self.names[kind] and self.chance(0.7) else self.element(kind)
            if value:
                choices.append(self.one(forms).format(value, self.positive()))
        if self.names["p"]:
            name, size = self.one(self.names["p"])
            choices += [f"{name}[{self.positive()} % {size}]"] * (4 if self.deep else 1)
        if self.values and self.inside is None:
            choices.append(self.one(self.values))
        choices.append(self.constant())
        return self.one(choices)

    def real(self, depth=1):
        choose = self.random.random()
        if depth <= 0 or choose < (0.4 if self.light else 0.2):
            return self.atom()
        one = self.real(depth - 1)
        if choose < 0.42:
            form = self.one(["qd.sin({0})", "qd.cos({0})", "qd.tanh({0})", "qd.abs({0})", "(-{0})", "qd.atan({0})",
                             "qd.sqrt(1.1 + {0} * {0})", "qd.rsqrt(1.1 + qd.abs({0}))", "qd.exp(-({0}) * ({0}))",
                             "qd.log(1.5 + qd.abs({0}))", "(qd.floor({0} * 3) * 0.2)", "qd.asin(0.6 * qd.sin({0}))",
                             "qd.acos(0.6 * qd.cos({0}))", "qd.tan(0.7 * qd.sin({0}))", "qd.exp2(qd.sin({0}))",
                             "qd.log2(1.5 + {0} * {0})", "qd.log10(1.5 + qd.abs({0}))", "qd.sinh(qd.sin({0}))",
                             "qd.cosh(qd.sin({0}))", "qd.math.clamp({0}, -0.8, 0.9)", "qd.math.fract({0})",
                             "({0} % 1.3)", "({0} // 0.4) * 0.2", "{0} ** 2", "(1.2 + qd.abs({0})) ** -1", "qd.math.sign({0})",
                             "qd.round({0} * 4) * 0.1 * {0}", "T(qd.cast({0} * 3, qd.i32))"])
            if self.half and self.chance(0.4):
                form = self.one(["T(qd.f16({0}))", "T(qd.cast({0}, qd.f32))", "T(qd.f16({0}) * qd.f16(0.5))"])
            return "(" + form.format(one) + ")"
        if choose < 0.55:
            other = self.structured(depth - 1)
            if other:
                return other
        two = self.real(depth - 1)
        form = self.one(["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} * {1}", "{0} / (1.5 + {1} * {1})", "qd.max({0}, {1})",
                         "qd.min({0}, {1})", "qd.max({0}, {1}, 0.1)", "qd.atan2({0}, 1.2 + {1} * {1})",
                         "{0} if {2} else {1}", "qd.select({2}, {0}, {1})", "(1.2 + qd.abs({0})) ** qd.min({1}, 1.5)",
                         "{0} * {w}", "{0} ** ({w} % 3)", "own({0}, {1})", "along({0}, {1}, {w})",
                         "qd.math.mix({0}, {1}, 0.3)", "mixed({0}, {1})", "call"])
        if form == "call":
            called = self.call("r", depth - 1)
            if called:
                return called
            form = "{0} - {1}"
        return "(" + form.format(one, two, self.condition() if "{2}" in form else "", w=f"({self.positive()} % 4)") + ")"

    def structured(self, depth):
        """A real of a vector, a matrix or a record; None if there is none."""
        kind = self.one("vvs" if self.light else "vvms")
        if not self.names[kind] and not self.readable(kind):
            return None
        value = self.value(kind, depth)
        if kind == "v":
            form = self.one(["{0}.norm_sqr() * 0.3", "qd.sqrt(0.5 + {0}.norm_sqr())", "({0}).dot({1})", "({0}).sum()",
                             "({0} * 0.3).max()", "({0}).cross({1})[1]"])
            return "(" + form.format(value, self.value("v", 0) if "{1}" in form else "") + ")"
        if kind == "m":
            form = self.one(["({0}).determinant()", "({0}).trace()", "(({0}) @ ({0}).transpose()).trace() * 0.3",
                             "(0.1 * qd.tanh({0}) + qd.Matrix([[2.0, 0.0], [0.0, 1.0]])).inverse().sum()",
                             "qd.solve(0.1 * qd.tanh({0}) + qd.Matrix([[2.0, 0.0], [0.0, 1.0]]), qd.Vector([0.5, 1.0])).sum()",
                             "qd.polar_decompose(0.1 * qd.tanh({0}) + qd.Matrix([[2.0, 0.0], [0.0, 1.0]]))[0][0, 1]",
                             "qd.svd(0.1 * qd.tanh({0}) + qd.Matrix([[2.0, 0.0], [0.0, 1.0]]))[1][0, 0] * 0.3"])
            return "(" + form.format(value) + ")"
        if self.names["s"]:
            return f"{self.one(self.names['s'])}.energy({self.real(0)})"
        return None

    def value(self, kind, depth=1):
        if kind == "r":
            return self.real(depth)
        simple = list(self.names[kind])
        element = self.element(kind)
        if element:
            simple += [element] * 2
        r = lambda: self.real(depth - 1)
        if depth <= 0 and simple:
            return self.one(simple)
        made = {"v": lambda: f"qd.Vector([{r()}, {r()}, {r()}])", "m": lambda: f"qd.Matrix([[{r()}, {r()}], [{r()}, {r()}]])",
                "s": lambda: f"Pair({self.value('v', 0)}, {r()})"}[kind]
        if not simple or self.chance(0.25):
            return made()
        one, two = self.one(simple), self.one(simple)
        if kind == "s":
            called = self.call("s", depth - 1)
            return called or one
        forms = {"v": ["({0} + {1})", "({0} - {1})", "({0} * {r})", "({r} * {0})", "{0}.cross({1})", "({0} / (1.2 + {1}.norm_sqr()))",
                       "qd.max({0}, {1})", "qd.sin({0})", "({0} * {1})", "(-{0})", "qd.select({c}, {0}, {1})",
                       "({0} if {c} else {1})", "{0}.zxy", "({0} + vec3(0.0, 0.0, 3.0)).normalized()"],
                 "m": ["({0} + {1})", "({0} @ {1})", "({0} * {r})", "{0}.transpose()", "({0} - {1})", "({0} * {1})",
                       "({0} if {c} else {1})"]}[kind]
        form = self.one(forms + ["call"])
        if form == "call":
            return self.call(kind, depth - 1) or made()
        return form.format(one, two, r=self.real(0) if "{r}" in form else "", c=self.condition() if "{c}" in form else "")

    def result(self, kind):
        return f"{self.bounded('r')}, {self.bounded('v')}" if kind == "2" else self.bounded(kind)

    def call(self, kind, depth):
        """A call of a function of this kernel's; None if there is none."""
        fitting = [h for h in self.helpers if h[1] == kind]
        if not fitting:
            return None
        name, _, parameters = self.one(fitting)
        given = []
        for parameter in parameters:
            if parameter == "a":
                arrays = [a for a in self.arrays if a.ndim == 1 and a.kind == "r" and self.state.get(a.name) == "in"]
                if not arrays:
                    return None
                given.append(self.one(arrays).name)
            else:
                given.append(self.positive() if parameter == "i" else self.value(parameter, max(depth, 0)))
        return f"{name}({', '.join(given)})"

    def condition(self, depth=1):
        choose = self.random.random()
        if depth and choose < 0.2:
            return "(" + self.one(["{0} and {1}", "{0} or {1}", "not {0}"]).format(self.condition(0), self.condition(0)) + ")"
        if self.names["b"] and choose < 0.35:
            return self.one(self.names["b"])
        if choose < 0.55:
            return f"{self.positive()} % {self.random.randrange(2, 5)} == {self.random.randrange(3)}"
        return f"{self.real(0)} {self.one('<>')} {self.random.uniform(-0.5, 0.8):.3f}"

    def bounded(self, kind, depth=1):
        """A value of the size of one."""
        if kind == "v":
            value = self.value("v")
            return self.one([f"qd.sin({value})", f"qd.tanh({value})", f"0.3 * ({value})"])
        if kind == "m":
            return f"qd.tanh({self.value('m')})"
        if kind == "s":
            return f"Pair({self.bounded('v')}, {self.bounded('r', 1)})"
        text = self.real(depth)
        return self.one([f"qd.tanh({text})", f"0.6 * qd.sin({text})", f"qd.min(qd.max({text}, -1.2), 1.4)", f"0.2 * ({text})"])

    # --- Statements of a thread

    def block(self, depth, loops, jumps, most=2):
        kept = self.scope()
        for _ in range(self.random.randint(1, most)):
            self.statement(depth, loops, jumps)
        self.names = kept

    def statement(self, depth, loops, jumps):
        self.budget -= 1
        choices = [self.declare, self.assign, self.assign, self.augment, self.component, self.count, self.output, self.output]
        if self.inside is not None:
            choices = [self.declare, self.assign, self.assign, self.augment, self.component, self.count]
        if self.deep:
            choices = [self.assign, self.assign, self.augment, self.count, self.count, self.output]
        if self.names["p"]:
            choices += [self.private] * 2
        if self.names["s"] or self.helpers:
            choices += [self.by_reference]
        if self.budget > 0:
            choices += [lambda d: self.branch(d, loops, jumps)] * 3 + [lambda d: self.unrolled(d, loops)]
            if loops < 2 + (self.budget > 8):
                choices += [lambda d: self.loop(d, loops)] * 3 + [lambda d: self.while_loop(d, loops)]
        if jumps and self.chance(0.15):
            self.say(depth, f"if {self.condition()}:")
            self.say(depth + 1, self.one(jumps))
            return
        if self.inside and self.chance(0.15):
            self.say(depth, f"if {self.condition()}:")
            self.say(depth + 1, f"return {self.result(self.inside)}")
            return
        self.one(choices)(depth)

    def declare(self, depth, kind=None):
        kind = kind or self.one("rrrpibn" if self.deep else "rrrrvvmsspibn")
        if kind == "i":
            name = self.fresh("c")
            self.say(depth, f"{name} = {self.positive()} % {self.random.randrange(2, 7)}")
            self.names["i"].append(name)
        elif kind == "n":
            name, size = self.fresh("marks"), self.one([3, 12, 40])
            self.say(depth, f"{name} = qd.Vector([{self.random.randrange(3)}] * {size}, dt=qd.i32)")
            self.names["n"].append((name, size))
        elif kind == "b":
            name = self.fresh("b")
            self.say(depth, f"{name} = {self.condition()}")
            self.names["b"].append(name)
        elif kind == "p":
            size = self.one([12, 40] if self.deep else [3, 5, 12, 40])
            name = self.fresh("u")
            if self.names["p"] and self.chance(0.2):
                other, size = self.one(self.names["p"])
                self.say(depth, f"{name} = {other} * 0.9")
            else:
                self.say(depth, f"{name} = qd.Vector.zero(T, {size})")
            if self.chance(0.6):
                self.say(depth, f"for k in qd.static(range({size})):")
                self.say(depth + 1, f"{name}[k] = {self.real(1)} * (k + 1) * 0.2")
            self.names["p"].append((name, size))
            self.private(depth)
        else:
            name = self.fresh({"r": "t", "v": "q", "m": "z", "s": "s"}[kind])
            self.say(depth, f"{name} = {self.bounded(kind)}")
            self.names[kind].append(name)

    def count(self, depth):
        """Changes a whole number or a truth, by which later branches go."""
        counters = [name for name in self.names["i"] if name[0] in "ck" and len(name) > 1 and name not in self.fixed]
        if self.names["b"] and self.chance(0.4):
            name = self.one(self.names["b"])
            return self.say(depth, f"{name} = {self.one(['not ' + name, self.condition()])}")
        if self.names["n"] and self.chance(0.5):
            name, size = self.one(self.names["n"])
            place = f"{name}[{self.positive()} % {size}]"
            return self.say(depth, self.one([f"{place} += 1", f"{place} = ({self.positive()} + {self.positive()}) % 5"]))
        if not counters:
            return self.declare(depth, self.one("ibn"))
        name = self.one(counters)
        self.say(depth, self.one([f"{name} += 1", f"{name} = ({name} * 3 + {self.positive()}) % 7", f"{name} = {self.positive()} % 4",
                                  f"{name} = qd.cast(qd.abs({self.real(0)}) * 4, qd.i32) % 5"]))

    def assignable(self, kind):
        return [name for name in self.names[kind] if name not in self.fixed]

    def assign(self, depth):
        kind = "r" if self.deep else self.one("rrrrrvvms")
        names = self.assignable(kind)
        if not names:
            return self.declare(depth)
        if len(self.names[kind]) > 1 and self.chance(0.1):
            return self.say(depth, f"{self.one(names)} = {self.one(self.names[kind])}")
        if kind == "r" and len(names) > 1 and self.chance(0.15):
            first, second = self.random.sample(names, 2)
            return self.say(depth, f"{first}, {second} = {self.one([second, self.bounded('r', 1)])}, {self.one([first, self.bounded('r', 1)])}")
        self.say(depth, f"{self.one(names)} = {self.bounded(kind)}")

    def augment(self, depth):
        kind = "r" if self.deep else self.one("rrrvvm")
        names = self.assignable(kind)
        if not names:
            return self.declare(depth)
        name = self.one(names)
        if kind == "r" and self.chance(0.3):
            element = self.element("r") or self.constant()
            return self.say(depth, f"{name} = {self.random.uniform(0.2, 0.9):.2f} * {name} + {element} * 0.2")
        if self.chance(0.15):
            return self.say(depth, f"{name} *= {self.one(['0.7', '(1.0 + 0.1 * qd.sin(' + self.real(0) + '))'])}")
        self.say(depth, f"{name} {self.one(['+=', '-='])} {self.one(['0.1', '0.2'])} * {self.bounded(kind)}")

    def component(self, depth):
        kind = self.one("vms")
        names = self.assignable(kind)
        if not names:
            return self.declare(depth)
        place = self.one({"v": ["{0}[1]", "{0}.x", "{0}[{1} % 3]"], "m": ["{0}[1, 0]", "{0}[{1} % 2, {1} % 2]"],
                          "s": ["{0}.mass", "{0}.pos.y", "{0}.pos[{1} % 3]"]}[kind]).format(self.one(names), self.positive())
        if kind == "v" and self.chance(0.15):
            return self.say(depth, f"{self.one(names)}.xy = {self.bounded('v')}.yz")
        self.say(depth, self.one([f"{place} = {self.bounded('r', 1)}", f"{place} += 0.2 * {self.bounded('r', 1)}", f"{place} *= 0.8"]))

    def private(self, depth):
        name, size = self.one(self.names["p"])
        place = f"{name}[{self.positive()} % {size}]"
        self.say(depth, self.one([f"{place} = {self.bounded('r', 1)}", f"{place} += 0.2 * {self.bounded('r', 1)}",
                                  f"{place} = 0.5 * {place} + 0.4 * {name}[{self.positive()} % {size}] * qd.sin({self.real(0)})"]))

    def by_reference(self, depth):
        if self.chance(0.4) and (called := self.call("2", 1)):
            real, vector = self.fresh("t"), self.fresh("q")
            self.say(depth, f"{real}, {vector} = {called}")
            self.names["r"].append(real)
            return self.names["v"].append(vector)
        if self.assignable("s") and self.chance(0.5):
            return self.say(depth, f"{self.one(self.assignable('s'))}.grow({self.real(1)})")
        movers = [h for h in self.helpers if h[1] == "&"]
        if not movers or not self.assignable("r"):
            return self.assign(depth)
        self.say(depth, f"{self.one(movers)[0]}({self.one(self.assignable('r'))}, {self.real(1)})")

    def output(self, depth):
        """Stores to an element of its own, or adds to any."""
        arrays = [a for a in self.arrays if self.state.get(a.name) in ("own", "ready", "sink", "place")]
        if not arrays:
            return self.assign(depth)
        array = self.one(arrays)
        if self.state[array.name] == "sink":
            place = f"{array.name}[{'0' if array.ndim == 1 and self.chance(0.4) else self.place(array)}]"
            member = place + self.one([".mass", ".pos"]) if array.kind == "s" else place
            kind = "r" if member.endswith(".mass") else "v" if array.kind == "s" else array.kind
            if kind == "v" and self.chance(0.4):
                member, kind = f"{member}[{self.one(['0', self.positive() + ' % 3'])}]", "r"
            added = f"0.1 * {self.value(kind, 1)}"
            return self.say(depth, self.one([f"{member} += {added}", f"{member} -= {added}",
                                             f"qd.atomic_add({member}, {added})"]))
        place = f"{array.name}[{self.own[array.name]}]"
        if self.state[array.name] == "place":  # its derivative does not depend on what is overwritten
            if array.kind == "s":
                place, array = f"{place}.pos", Array("", 1, "v")
            added = self.bounded(array.kind)
            self.say(depth, self.one([f"{place} = 0.7 * {place} + {added}", f"{place} -= {added}", f"{place} *= 0.8"]))
        elif self.state[array.name] == "own" or self.chance(0.1):
            self.say(depth, f"{place} = {self.bounded(array.kind)}")
        elif array.kind == "s":
            self.say(depth, f"{place}.mass = {self.bounded('r', 1)}")
        else:
            self.say(depth, f"{place} {self.one(['+=', '-='])} 0.2 * {self.bounded(array.kind)}")

    def branch(self, depth, loops, jumps):
        if self.chance(0.1):
            self.say(depth, f"if qd.static({self.one(['T == qd.f64', '1 < 2', 'T == qd.f16'])}):")
        else:
            self.say(depth, f"if {self.condition()}:")
        self.block(depth + 1, loops, jumps)
        if self.chance(0.2):
            self.say(depth, f"elif {self.condition()}:")
            self.block(depth + 1, loops, jumps, 2)
        if self.chance(0.45):
            self.say(depth, "else:")
            self.block(depth + 1, loops, jumps)

    def unrolled(self, depth, loops):
        name = self.fresh("k")
        self.say(depth, f"for {name} in qd.static(range({self.one([2, 3])})):")
        self.fixed.add(name)
        kept = self.scope()
        self.names["i"].append(name)
        self.small.append(name)
        self.block(depth + 1, loops, [], 2)
        self.small.remove(name)
        self.names = kept

    def loop(self, depth, loops):
        name = self.fresh("k")
        outer = ["3", f"{self.positive()} % 4", "2", f"{self.positive()} % 5"]
        stop = self.one(["n", "n", "n // 2", "n % 7"] + outer) if loops == 0 and "n" in self.names["i"] else self.one(outer)
        if self.chance(0.12):
            other = self.fresh("j")
            head = f"for {name}, {other} in qd.ndrange({self.one(outer)}, (1, 3)):"
            more = [name, other]
        else:
            head = f"for {name} in " + self.one([f"range({stop})", f"range({stop})", f"range(1, {stop} + 1, 2)",
                                                 f"range({stop}, -1, -1)"]) + ":"
            more = [name]
        self.say(depth, head)
        kept = self.scope()
        self.names["i"] += more
        small = [name] * (head.endswith(("range(2):", "range(3):")))
        self.fixed.update(small)
        self.small += small
        self.block(depth + 1, loops + 1, ["break", "continue"])
        self.small = self.small[:len(self.small) - len(small)]
        self.names = kept

    def while_loop(self, depth, loops):
        name = self.fresh("w")
        limit = self.one(["4", f"{self.positive()} % 5"] + (["n % 9"] if "n" in self.names["i"] else []))
        self.say(depth, f"{name} = 0")
        if self.chance(0.3):
            self.say(depth, "while True:")
            self.say(depth + 1, f"{name} += 1")
            self.say(depth + 1, f"if {name} > {limit} or {self.condition(0)}:")
            self.say(depth + 2, "break")
        else:
            self.say(depth, f"while {name} < {limit} and {self.condition()}:")
            self.say(depth + 1, f"{name} += 1")
        kept = self.scope()
        self.names["i"].append(name)
        self.fixed.add(name)
        self.block(depth + 1, loops + 1, ["break", "continue"])
        self.names = kept

    # --- Statements of threads together: all of them come there

    def together(self, depth, loops, inside=0):
        self.budget -= 1
        choose = self.random.random()
        if choose < 0.3:
            self.collective(depth)
        elif choose < 0.42:
            self.shared(depth)
        elif choose < 0.55 and self.names["h"]:
            self.exchange(depth)
        elif choose < 0.7 and self.budget > 0 and inside < 2:
            name = self.fresh("k")
            condition = self.one(["n % 2 == 0", "n > 2", "block.sync_any_nonzero(x[i] > 1.2)"])
            kept = self.scope()
            if self.chance(0.05):  # the subgroups of a block may differ, so no code of blocks
                self.say(depth, "if subgroup.any_true(x[i] > 1.25):")
                self.say(depth + 1, f"last[i] += subgroup.reduce_all_add({self.real(1)}) * 0.1")
            if self.chance(0.6) and loops < 2:
                self.say(depth, f"for {name} in range({self.one(['2', 'n % 4', '3', 'n % 3 + 1', 'n % 37'])}):")
                self.names["i"].append(name)
                loops += 1
            else:
                self.say(depth, f"if {condition}:")
            for _ in range(self.random.randint(1, 3)):
                self.together(depth + 1, loops, inside + 1)
            self.names = kept
        else:
            self.statement(depth, min(loops + 1, 2), [])

    def collective(self, depth):
        value = self.real(1)
        simple = self.fresh("t")
        form = self.one([
            "subgroup.reduce_all_add({0}) * 0.1", "subgroup.reduce_all_max({0})", "subgroup.reduce_all_min({0})",
            "subgroup.reduce_all_add_tiled({0}, 2) * 0.3", "subgroup.shuffle_xor({0}, 1)", "subgroup.shuffle_xor({0}, 3)",
            "subgroup.broadcast({0}, 2)", "subgroup.broadcast_first({0})", "subgroup.inclusive_add({0}) * 0.1",
            "subgroup.exclusive_add({0}) * 0.1", "subgroup.inclusive_max({0})", "subgroup.inclusive_min({0})",
            "subgroup.inclusive_mul(1.0 + 0.05 * qd.sin({0}))", "subgroup.exclusive_mul(1.0 + 0.05 * qd.sin({0}))",
            "subgroup.shuffle({0}, qd.cast({i} % subgroup.group_size(), qd.u32))",
            "subgroup.shuffle({0}, qd.cast((i + 1) % subgroup.group_size(), qd.u32))",
            "block.reduce_all_add({0}, 64, T) * 0.05", "block.reduce_all_max({0}, 64, T)", "block.reduce_all_min({0}, 64, T)",
            "block.inclusive_add({0}, 64, T) * 0.05", "block.exclusive_add({0}, 64, T) * 0.05",
            "block.inclusive_max({0}, 64, T)", "block.inclusive_scan(0.05 * ({0}), 64, mixed, T)",
            "block.reduce_all(0.05 * ({0}), 64, mixed, T)", "up", "down", "first", "blockfirst"])
        if form in ("up", "down"):
            text = f"subgroup.shuffle_{form}({value}, 1)"
            test = "subgroup.invocation_id() > 0" if form == "up" else "subgroup.invocation_id() < subgroup.group_size() - 1"
            text = f"qd.select({test}, {text}, {self.one(['T(0)', self.real(0)])})"
        elif form in ("first", "blockfirst"):
            text = f"subgroup.reduce_add({value}) * 0.1" if form == "first" else f"block.reduce_add({value}, 64, T) * 0.05"
            test = "subgroup.invocation_id() == 0" if form == "first" else "block.thread_idx() == 0"
            self.say(depth, f"{simple} = {text}")
            self.say(depth, f"{simple} = {simple} if {test} else {self.real(0)}")
            self.names["r"].append(simple)
            return
        else:
            text = form.format(value, i=self.positive())
        self.say(depth, f"{simple} = {text}")
        self.names["r"].append(simple)

    def shared(self, depth):
        name, t = self.fresh("sh"), "block.thread_idx()"
        got = self.fresh("t")
        shape = self.one(["line", "line", "bins", "square", "vectors"])
        size = "(8, 8)" if shape == "square" else "(64,)"
        own = f"{t} // 8, {t} % 8" if shape == "square" else t
        self.say(depth, f"{name} = block.SharedArray({size}, {'vec3' if shape == 'vectors' else 'T'})")
        self.say(depth, f"{name}[{own}] = {self.bounded('v' if shape == 'vectors' else 'r', 1)}")
        self.say(depth, "block.sync()")
        if shape == "bins":
            self.say(depth, f"{name}[(i * {self.random.randrange(1, 9)} + {self.positive()}) % 64] += 0.1 * {self.real(1)}")
            self.say(depth, "block.sync()")
        if shape == "square":
            read = f"{name}[{t} % 8, ({t} // 8 + {self.random.randrange(8)}) % 8]"
        else:
            read = f"{name}[({t} + {self.one([1, 5, 63, self.positive()])}) % 64]" + (".y" if shape == "vectors" else "")
        self.say(depth, f"{got} = {read} * {self.real(0)}")
        if shape == "line" and self.chance(0.5):
            step = self.fresh("k")
            self.say(depth, f"for {step} in range({self.one(['4', 'n % 6', '64'])}):")
            self.say(depth + 1, f"{got} += 0.05 * {name}[({t} + {step}) % 64]{self.one(['', ' * ' + got])}")
        self.say(depth, "block.sync()")
        if shape == "line" and self.chance(0.5):
            self.say(depth, f"{name}[63 - {t}] = {got} * {self.one([got, self.real(0)])}")
            self.say(depth, "block.sync()")
            self.say(depth, f"{got} = {name}[{t}] + {name}[3]")
            self.say(depth, "block.sync()")
        self.names["r"].append(got)
        if shape == "line":
            self.names["h"].append(name)

    def exchange(self, depth):
        """Values go through a shared array that lasts."""
        name, t, got = self.one(self.names["h"]), "block.thread_idx()", self.fresh("t")
        self.say(depth, f"{got} = {name}[({t} + {self.one(['1', '9', self.positive()])}) % 64] - 0.3 * {name}[{t}]")
        self.say(depth, "block.sync()")
        self.names["r"].append(got)
        self.say(depth, f"{name}[{t}] {self.one(['=', '+='])} {self.bounded('r')}")
        self.say(depth, "block.sync()")

    # --- Functions, tasks and the kernel

    def function(self):
        """A function of the kernel's, which may call the ones before."""
        kept = self.names, self.lines, self.arrays, self.state, self.index, self.fixed, self.taken
        self.names = {kind: [] for kind in "rvmsiphbn"}
        self.lines, self.arrays, self.state, self.index, self.fixed, self.taken = [], [], {}, None, set(), set()
        kind = self.one("rrrrvms&2")
        parameters = ["r"] + [self.one("rrvmsi") for _ in range(self.random.randint(0, 2))] if kind != "&" else []
        if kind == "r" and self.chance(0.3):
            parameters.append("a")
        name = self.fresh(f"g{self.number}_")
        names = []
        for parameter in parameters:
            names.append(self.fresh(parameter))
            if parameter == "a":
                names[-1] = self.fresh("arr")
                self.arrays.append(Array(names[-1], 1, "r"))
                self.state[names[-1]] = "in"
            else:
                self.names[parameter].append(names[-1])
                self.fixed.add(names[-1])
        heads = [f"{n}: qd.template()" if p == "a" else n for n, p in zip(names, parameters)]
        self.say(0, "@qd.func")
        if kind == "&":
            self.say(0, f"def {name}(a: qd.template(), b):")
            self.names["r"] = ["a", "b"]
            self.fixed.add("b")
            self.budget = 3
            self.inside = ""
            self.block(1, 1, [])
            self.say(1, "a = qd.sin(a) + 0.1 * b")
        else:
            self.say(0, f"def {name}({', '.join(heads)}):")
            self.inside = kind
            self.budget = 4
            for _ in range(self.random.randint(1, 3)):
                self.statement(1, 1, [])
            self.say(1, f"return {self.result(kind)}")
        self.inside = None
        text = "\n".join(self.lines)
        self.functions.append(text)
        self.names, self.lines, self.arrays, self.state, self.index, self.fixed, self.taken = kept
        self.helpers.append((name, kind, parameters))

    def heads(self, ndim):
        """Says the head of a loop whose iterations have elements around them."""
        names, tests, ranges = "ijk"[:ndim], [], []
        extents = [self.extent, *EXTENTS[1:]][:ndim]
        for name, extent in zip(names, extents):
            low, high = (self.random.randint(0, 1 if extent < 5 else 2) for _ in "lh")
            self.near.append((-low, high))
            tests.append(f"{name} >= {low} and {name} < {extent - high}")
            ends = [f"{extent - high}", f"qd.min(n, {extent - high})", f"qd.min(n % 9, {extent - high})"]
            if ndim < 3:
                ends.append(f"{'xm'[ndim - 1]}.shape[{len(ranges)}] - {high}" if any(a.name == "m" for a in self.arrays)
                            or ndim == 1 else ends[0])
            ranges.append((low, self.one(ends)))
        self.index = list(names)
        arrays = [a.name for a in self.arrays if a.ndim == ndim]
        choose = self.random.random()
        if choose < 0.25 and ndim == 1 and extents[0] == 37:  # blocks without a rest
            self.say(1, f"qd.loop_config(block_dim={self.one([8, 32])})")
            self.say(1, "for i in range(32):")
        elif choose < 0.6 or not arrays:
            if ndim == 1:
                self.say(1, f"for i in range({ranges[0][0]}, {ranges[0][1]}):")
            else:
                self.say(1, f"for {', '.join(names)} in qd.ndrange({', '.join(f'({low}, {end})' for low, end in ranges)}):")
            return
        elif choose < 0.75 and ndim > 1:
            self.say(1, f"for I in qd.grouped({self.one(arrays)}):")
            self.index = [f"I[{axis}]" for axis in range(ndim)]
            tests = [test.replace(name, place) for name, test, place in zip(names, tests, self.index)]
        else:
            self.say(1, f"for {', '.join(names)} in {self.one(arrays)}:")
        self.say(2, f"if not ({' and '.join(tests)}):")
        self.say(3, "continue")

    def alternate(self):
        """Loops that change every other element by the ones between, or a frame by the one before."""
        arrays = [a for a in self.arrays if a.name not in self.read | {"x"} and a.kind == "r" and
                  a.name not in self.state_before and a.ndim in (1, 3)]
        if not arrays:
            return
        array = self.one(arrays)
        self.state, self.index = {a.name: "in" for a in self.arrays if a.name not in self.writable and a != array}, ["i"]
        self.near, name = [(-1, 1)], array.name
        self.say(1, "")
        if array.ndim == 1:
            for begin in self.one([[0], [1], [0, 1]]):
                self.say(1, f"for i in range(1, {self.one(['18', 'qd.min(n, 18)'])}):")
                place = f"{name}[2 * i + {begin}]"
                self.say(2, f"{place} {self.one(['=', '+='])} 0.3 * {name}[2 * i + {begin - 1}] - 0.2 * {name}[2 * i + {begin + 1}] + "
                            f"{self.one(['0.5', '0.3'])} * {place} + {self.bounded('r')}")
        else:
            frame = self.random.randrange(36)
            self.index, self.near = ["i", "j"], [(-1, 1), (0, 0)]
            self.say(1, f"for i, j in qd.ndrange((1, {self.one(['4', 'qd.min(n, 4)'])}), 3):")
            before = f"0.4 * {name}[{frame}, i - 1, j] - 0.7 * {name}[{frame}, i + 1, j] + {name}[{frame}, i, {self.one(['j', '2 - j'])}]"
            self.say(2, f"{name}[{frame + 1}, i, j] = {self.one([before, f'0.3 * qd.sin({before})'])}")
        self.state_before[name], self.index, self.near = True, None, []
        self.writable.discard(name)

    def task(self):
        """A loop of the kernel's."""
        self.fixed = {name for names in self.names.values() for name in names if isinstance(name, str)}
        kept = self.scope()
        ndim = 1 if self.blocks else self.one([1, 1, 1, 1, 2])
        if ndim == 2 and not any(a.ndim == 2 for a in self.arrays):
            ndim = 1
        isAround = not self.blocks and (self.light or self.chance(0.2))
        if isAround:
            ndim = self.one([1, 1, 2, 2, 3])
        written = [a for a in self.arrays if a.name in self.writable]
        self.state = {}
        for array in self.arrays:
            if array.name == "x" or array not in written or (self.state_before.get(array.name) and self.chance(0.5)):
                self.state[array.name] = "in"
            if array not in written and array.name not in ("x", *self.read) and array.ndim == ndim and self.chance(0.15):
                self.state[array.name] = "place"
            elif self.state.get(array.name) == "in":
                self.read.add(array.name)
        for array in written:
            if array.name not in self.state:
                fits = array.ndim == ndim
                self.state[array.name] = self.one(["own", "sink", "sink"]) if fits else "sink"
        # A gradient may need what was read: mostly, places that are read are not written again.
        self.say(1, "")
        if self.blocks:
            self.say(1, "qd.loop_config(block_dim=64)")
        self.near = []
        if isAround:
            self.heads(ndim)
        elif ndim == 2:
            matrix = self.one([a for a in self.arrays if a.ndim == 2])
            if self.chance(0.3):
                self.say(1, f"for I in qd.grouped({matrix.name}):")
                self.index = ["I[0]", "I[1]"]
            else:
                self.say(1, f"for i, j in {self.one([matrix.name, f'qd.ndrange({self.extent}, 5)'])}:")
                self.index = ["i", "j"]
        else:
            source = "x" if self.blocks else self.one(["x", "x", "x", f"range(qd.min(n, {self.extent}))", "range(at[0])", f"range({self.extent})"])
            self.say(1, f"for i in {source}:")
            self.index = ["i"]
        self.names["i"] += self.index
        self.own = {a.name: ", ".join(self.index) for a in self.arrays}
        for array in self.arrays:
            if ndim == 1 and self.chance(0.2):  # 5 and the extents have no common divisor
                self.own[array.name] = f"(i * 5 + {self.random.randrange(9)}) % {self.extent}"
        self.say(2, f"a = {self.element('r') or self.constant()}")
        self.names["r"].append("a")
        if ndim == 1 and self.numbers == "to store":
            self.say(2, f"to[i] = (i * 7 + n + {self.random.randrange(9)}) % {self.extent} if {self.condition()} else i")
            self.numbers = "stored"
        elif self.numbers == "stored":
            self.taken.add("to")
        self.budget = self.one([1, 2, 3] if self.light else [2, 3, 4, 6, 10])
        if self.deep:
            self.budget = self.one([8, 12, 16])
            for kind in "npib":
                self.declare(2, kind)
        least = 3 if self.deep else 1
        for _ in range(self.random.randint(least, least + (3 if self.budget > 3 else 1))):
            if self.blocks:
                self.together(2, 0)
            else:
                self.statement(2, 0, ["continue"] if self.chance(0.2) else [])
            self.promote()
        own = [a for a in self.arrays if self.state.get(a.name) == "own"]
        for array in own:
            if self.chance(0.8):
                depth = 2 + (self.light and self.chance(0.4))
                if depth > 2:
                    self.say(2, f"if {self.condition()}:")
                value = self.one(["T(0)", "T(0.5)"]) if array.kind == "r" and self.chance(0.05) else self.bounded(array.kind)
                self.say(depth, f"{array.name}[{self.own[array.name]}] = {value}")
        if self.total and self.chance(0.7):
            self.say(2, f"{self.total} += {self.real(1)}")
            if self.chance(0.3):
                self.say(2, f"sums += 0.1 * {self.value('v')}")
        if not self.light or self.chance(0.5):
            self.say(2, self.add_all())
        self.names = kept
        self.index, self.near = None, []
        for array in written:
            if self.state[array.name] != "in":
                self.state_before[array.name] = True
            elif not self.chance(0.02):
                self.writable.discard(array.name)

    def promote(self):
        """Own elements that were stored for sure may be read."""
        last = self.lines[-1]
        for array in self.arrays:
            if self.state.get(array.name) == "own" and last.startswith("        " + array.name + "[") and " = " in last:
                self.state[array.name] = "ready"

    def add_all(self):
        """Adds values to a place, so that nothing is left over."""
        sinks = [a for a in self.arrays if self.state.get(a.name) == "sink" and a.kind == "r" and a.ndim == 1]
        reals = " + ".join(f"{self.random.uniform(0.2, 1):.2f} * {name}" for name in self.names["r"][-4:])
        if sinks:
            return f"{self.one(sinks).name}[{self.one([self.place(Array('', 1, 'r')), '0'])}] += {reals}"
        return f"last[{self.one([self.place(Array('', 1, 'r')), self.place(Array('', 1, 'r'))])}] += {reals}"

    def serial(self):
        """Statements between the loops, which one thread runs."""
        self.fixed = set()
        self.index = None
        self.state = {a.name: "in" for a in self.arrays if a.name not in self.writable}
        for _ in range(self.random.randint(1, 2)):
            name = self.fresh("g")
            kind = self.one("rrrvm")
            self.say(1, f"{name} = {self.bounded(kind)}")
            self.names[kind].append(name)
        if self.chance(0.3):
            step = self.fresh("k")
            reals = self.names["r"]
            if reals:
                self.say(1, "qd.loop_config(serialize=True)")
                self.say(1, f"for {step} in range({self.one(['n', '3', 'n % 6'])}):")
                self.names["i"].append(step)
                self.say(2, f"{self.one(reals)} = {self.bounded('r')}")
                self.names["i"].remove(step)
        if self.chance(0.12):
            arrays = [a for a in self.arrays if a.name in self.writable and a.kind == "r" and a.ndim == 1]
            if arrays and not self.state_before.get(arrays[0].name):
                step, name = self.fresh("k"), arrays[0].name
                self.state.pop(name, None)
                self.say(1, "qd.loop_config(serialize=True)")
                self.say(1, f"for {step} in range(1, {self.one(['9', 'n % 30'])}):")
                self.names["i"].append(step)
                self.say(2, f"{name}[{step}] {self.one(['=', '+='])} 0.5 * {name}[{step} - 1] + {self.bounded('r')}")
                self.names["i"].remove(step)
        if self.chance(0.2) and self.names["r"]:
            self.say(1, f"if {self.condition()}:")
            self.say(2, f"{self.one(self.names['r'])} *= {self.one(['0.5', 'x[3]'])}")

    def kernel(self):
        self.names = {kind: [] for kind in "rvmsiphbn"}
        self.fixed, self.taken, self.values, self.total = set(), set(), [], None
        self.state_before, self.writable, self.read = {}, set(), set()
        inputs = [INPUTS[0]] + [i for i in INPUTS[1:] if self.chance(0.4) and (i[1] or self.extent == 37)]
        outputs = [OUTPUTS[0]] + [o for o in OUTPUTS[1:] if self.chance(0.3)]
        if self.deep:
            inputs, outputs = INPUTS[:2], OUTPUTS[:1]
        self.random.shuffle(outputs)
        parameters = [f"{name}: {kind}" for name, kind, _, _ in inputs if kind]
        parameters += ["n: qd.i32", "at: I"]
        self.numbers = None  # an array of whole numbers that a loop stored
        if self.chance(0.3):
            parameters.append("to: I")
            self.numbers = "to store"
        if self.chance(0.4):
            parameters.append("c: T")
            self.values.append("c")
        if self.chance(0.2):
            parameters.append("cv: vec3")
            self.values.append("cv[1]")
        parameters += [f"{name}: {kind}" for name, kind, _, _ in outputs] + ["last: A"]
        for _ in range(0 if self.deep or self.light else self.one([0, 0, 1, 1, 2])):
            self.function()
        self.arrays = [Array(name, ndim, kind) for name, _, ndim, kind in inputs + outputs]
        self.writable = {name for name, *_ in outputs}
        self.taken = {"at"}
        if "f" in [i[0] for i in inputs] and self.chance(0.5):
            self.writable.add("f")
            self.arrays = [a for a in self.arrays if a.name != "f"] + [Array("f", 1, "r")]
        results = self.one([[], [], [], ["r"], ["r"], ["r", "v"], ["r", "i"]])
        types = {"r": "T", "v": "vec3", "i": "qd.i32"}
        returns = "" if not results else f" -> {types[results[0]]}" if len(results) == 1 else \
            f" -> tuple[{', '.join(types[r] for r in results)}]"
        self.lines = []
        self.say(0, "@qd.kernel")
        self.say(0, f"def {self.name}({', '.join(parameters)}){returns}:")
        self.names["i"].append("n")
        if results and self.chance(0.15):
            early = {"r": lambda: self.one(["x[3] * x[n % 5]", "0.5"]), "v": lambda: "qd.Vector([x[1], 1.0, x[2] * x[2]])", "i": lambda: "n"}
            self.say(1, f"if n {self.one(['>', '<'])} 30:")
            self.say(2, "return " + ", ".join(early[r]() for r in results))
        if results and self.chance(0.6):
            self.total = "total"
            self.say(1, "total = T(0)")
            self.say(1, "sums = vec3(0)")
        if self.chance(0.35):
            self.serial()
        for _ in range(1 if self.deep else self.one([1, 1, 1, 1, 2, 2, 3])):
            self.task()
            if not self.blocks and not self.deep and self.chance(0.15):
                self.alternate()
            if self.total and self.chance(0.3):
                self.say(1, f"{self.fresh('g')} = 0.1 * {self.total} - sums.x * sums[1]")
                self.names["r"].append(f"g{self.counter}")
                self.total = None
            if self.chance(0.25):
                self.serial()
        if results:
            self.state = {a.name: "in" for a in self.arrays if a.name not in self.writable}
            self.index = None
            first = f"{self.total} * {self.real(1)}" if self.total else self.bounded("r")
            rest = {"r": lambda: first, "v": lambda: self.bounded("v"), "i": lambda: "n"}
            self.say(1, "return " + ", ".join(rest[r]() for r in results))
        return "\n\n\n".join(self.functions + ["\n".join(line for line in self.lines if line.strip())]) + "\n"

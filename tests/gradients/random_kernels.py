"""Writes a file of random kernels for the comparison of gradients and tangents: random_kernels.py SEED COUNT.

Values stay of the size of one, so that their derivatives do. Conditions on them may be of any kind: gradients and tangents
take the same way through a kernel. Each kernel takes arrays of reals `x`, `y` and `out`, and a number `n`.
"""

import random
import sys

HEAD = '''"""Random kernels."""

import quadrants as qd

A = qd.types.ndarray(T, 1)


@qd.func
def early(a, b):
    if a > b:
        return a * b
    c = a - b * b
    if c > 0.1:
        return qd.sin(c) * a
    return c + b


@qd.func
def summed(a, b, n):
    s = a
    for i in range(n):
        if s * b > 1.5:
            break
        s += 0.3 * b * s
    return qd.tanh(s)


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
'''


class Kernel:
    def __init__(self, random, number):
        self.random = random
        self.lines = []
        self.reals = ["a", "b", "c"]
        self.whole = ["i"]
        self.loops = 0
        self.statements = 0
        self.number = number

    def say(self, depth, text):
        self.lines.append("    " * depth + text)

    def element(self):
        array = self.random.choice("xxy")
        whole = self.random.choice(self.whole)
        return f"{array}[({whole} + {self.random.randrange(37)}) % 37]" if self.random.random() < 0.7 else f"{array}[i]"

    def real(self, depth=2):
        choose = self.random.random()
        if depth == 0 or choose < 0.2:
            return self.random.choice(self.reals + [self.element(), f"T({self.random.uniform(-1, 1):.3f})"])
        one = self.real(depth - 1)
        if choose < 0.45:
            name = self.random.choice(["qd.sin", "qd.cos", "qd.tanh", "qd.abs", "-", "root", "bell", "log", "floor"])
            return {"root": f"qd.sqrt(1.1 + {one} * {one})", "bell": f"qd.exp(-({one}) * ({one}))",
                    "log": f"qd.log(1.5 + qd.abs({one}))", "-": f"(-{one})",
                    "floor": f"(qd.floor({one} * 3) * 0.2)"}.get(name, f"{name}({one})")
        two = self.real(depth - 1)
        form = self.random.choice(["{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} * {1}", "{0} / (1.5 + {1} * {1})",
                                   "qd.max({0}, {1})", "qd.min({0}, {1})", "qd.atan2({0}, 1.2 + {1} * {1})",
                                   "early({0}, {1})", "summed({0}, {1}, {w} % 5)", "{0} if {2} else {1}",
                                   "qd.select({2}, {0}, {1})", "(1.2 + qd.abs({0})) ** {1}",
                                   "own({0}, {1})", "along({0}, {1}, {w})", "qd.ad.stop_gradient({0}) * {1}"])
        return "(" + form.format(one, two, self.condition() if "{2}" in form else "",
                                 w=self.random.choice(self.whole)) + ")"

    def condition(self):
        if self.random.random() < 0.5:
            return f"{self.random.choice(self.whole)} % {self.random.randrange(2, 5)} == {self.random.randrange(3)}"
        return f"{self.random.choice(self.reals)} {self.random.choice('<>')} {self.random.uniform(-0.5, 0.8):.3f}"

    def bounded(self, text):
        return f"qd.tanh({text})" if self.random.random() < 0.5 else f"0.6 * qd.sin({text})"

    def statement(self, depth, loops, jumps):
        self.statements += 1
        target = self.random.choice(self.reals)
        choose = self.random.random()
        if self.statements > 14:
            choose *= 0.45
        if choose < 0.22:
            self.say(depth, f"{target} = {self.bounded(self.real())}")
        elif choose < 0.36:
            factor = self.random.choice(["0.1 * ", "0.2 * "])
            self.say(depth, f"{target} {self.random.choice(['+=', '-='])} {factor}{self.real()}")
        elif choose < 0.42:
            self.say(depth, f"{target} = {self.random.uniform(0.2, 0.9):.2f} * {target} + {self.element()} * 0.2")
        elif choose < 0.46:
            self.say(depth, self.random.choice([f"out[i] += 0.1 * {self.real()}", f"out[0] += 0.1 * {self.real()}",
                                                f"out[(i + 5) % 37] -= {self.real(1)}"]))
        elif choose < 0.5 and jumps:
            self.say(depth, f"if {self.condition()}:")
            self.say(depth + 1, self.random.choice(["break", "continue"]))
        elif choose < 0.72:
            self.say(depth, f"if {self.condition()}:")
            self.block(depth + 1, loops, jumps)
            if self.random.random() < 0.5:
                self.say(depth, "else:")
                self.block(depth + 1, loops, jumps)
        elif loops < 2 + (self.statements < 6) and choose < 0.9:
            self.loops += 1
            name = f"k{self.loops}"
            stop = self.random.choice(["n", "n", "n // 2", "3", "i % 4", "n % 7"]) if loops == 0 else \
                self.random.choice(["3", "i % 4", "n % 5", "2"])
            ranges = self.random.choice([f"range({stop})", f"range({stop})", f"range(1, {stop} + 1, 2)",
                                         f"range({stop}, -1, -1)"])
            self.say(depth, f"for {name} in {ranges}:")
            self.whole.append(name)
            self.block(depth + 1, loops + 1, True)
            self.whole.remove(name)
        elif loops < 2:
            self.loops += 1
            name = f"w{self.loops}"
            self.say(depth, f"{name} = 0")
            self.say(depth, f"while {name} < {self.random.choice(['n % 9', '4', 'i % 5'])} and {self.condition()}:")
            self.say(depth + 1, f"{name} += 1")
            self.whole.append(name)
            self.block(depth + 1, loops + 1, True)
            self.whole.remove(name)
        else:
            self.say(depth, f"{target} = {self.bounded(self.real())}")

    def block(self, depth, loops, jumps):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, loops, jumps)

    def text(self):
        self.say(0, "@qd.kernel")
        self.say(0, f"def random_{self.number}(x: A, y: A, n: qd.i32, out: A):")
        self.say(1, "for i in x:")
        self.say(2, "a = x[i]")
        self.say(2, "b = y[i] * 0.5")
        self.say(2, "c = T(0.25)")
        for _ in range(self.random.randrange(2, 5)):
            self.statement(2, 0, False)
        self.say(2, f"out[i] += a + 0.5 * b - c * {self.real(1)}")
        return "\n".join(self.lines) + "\n"


def main(seed, count):
    print(HEAD)
    for number in range(count):
        print("\n" + Kernel(random.Random(f"{seed}/{number}"), number).text())


main(int(sys.argv[1]), int(sys.argv[2]))

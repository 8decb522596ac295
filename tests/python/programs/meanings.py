"""Names and members that mean other functions, classes, types and values when the program has an argument, with the
same lines and often the same names. Each has a kernel of its own. Prints what these made, as JSON."""

import enum
import json
import sys

import meanings_fast
import meanings_slow
import quadrants as qd

qd.init(arch=qd.cpu, fast_math=False)
CHANGED = len(sys.argv) > 1


def either(usual, unusual):
    return unusual if CHANGED else usual


class Mode(enum.IntFlag):
    OFF = 0
    ON = either(1, 5)
    ALSO_ON = ON


law = either(meanings_fast.law, meanings_slow.law)
laws = {"law": either(meanings_fast.law, meanings_slow.law)}
library = either(meanings_fast, meanings_slow)
extreme = either(max, min)
rounded = either(qd.floor, qd.ceil)
real = either(qd.f32, qd.i32)
whole = either(int, float)
Pair = either(qd.types.vector(2, qd.f32), qd.types.vector(2, qd.i32))
Both = either(qd.types.struct(a=qd.f32), qd.types.struct(a=qd.i32))
nothing = either(None, 3)
constant = either(5, 6)
count = qd.field(either(qd.i32, qd.f32), shape=2)
x = qd.field(qd.f32, shape=21)


def make(factor):
    @qd.func
    def scaled(a):
        return factor * a

    return scaled


made = [make(2), make(3)]
if CHANGED:
    made.reverse()


def inner():
    return constant


def outer():
    return inner() + 1


@qd.kernel
def of_function(a: qd.f32):
    x[0] = law(a)


@qd.kernel
def of_item(a: qd.f32):
    x[1] = laws["law"](a)


@qd.kernel
def of_module(a: qd.f32):
    x[2] = library.law(a)


@qd.kernel
def of_builtin(a: qd.f32):
    x[3] = extreme(a, 2.0)


@qd.kernel
def of_library(a: qd.f32):
    x[4] = rounded(a)


@qd.kernel
def of_scalar_type(a: qd.f32):
    x[5] = qd.cast(a, real)


@qd.kernel
def of_vector_type(a: qd.f32):
    x[6] = Pair(a, a)[0]


@qd.kernel
def of_struct_type(a: qd.f32):
    x[7] = Both(a=a).a


@qd.kernel
def of_none(a: qd.f32):
    x[8] = 1 if qd.static(nothing) else 2


@qd.kernel
def of_python(a: qd.f32):
    x[9] = outer()


@qd.kernel
def of_member(a: qd.f32):
    x[10] = Mode.ON + 10 * Mode.OFF + 100 * Mode.ALSO_ON


@qd.kernel
def of_python_type(a: qd.f32):
    x[11] = whole(a)


@qd.kernel
def of_made(a: qd.f32):
    x[20] = made[0](a) + 10 * made[1](a)


@qd.kernel
def of_field(a: qd.f32):
    count[1] = 3


@qd.kernel
def function_as_argument(f: qd.template(), place: qd.template()):
    x[place] = f(1.0)


@qd.kernel
def object_as_argument(thing: qd.template(), place: qd.template()):
    x[place] = thing.law(1.0)


@qd.data_oriented
class Base:
    def __init__(self):
        self.one = either(meanings_fast.law, meanings_slow.law)
        self.mode = Mode.ON
        self.laws = [meanings_fast.law, meanings_slow.law]
        if CHANGED:
            self.laws.reverse()

    @qd.func
    def rule(self, a):
        return a + 1

    @qd.kernel
    def of_rule(self, place: qd.template()):
        x[place] = self.rule(1.0)

    @qd.kernel
    def of_function(self):
        x[17] = self.one(1.0)

    @qd.kernel
    def of_mode(self):
        x[18] = self.mode

    @qd.kernel
    def of_list(self):
        for i in qd.static(range(2)):
            x[19] += (1 + 9 * i) * self.laws[i](1.0)


@qd.data_oriented
class Derived(Base):
    @qd.func
    def rule(self, a):
        return a + 2


def main():
    for kernel in (of_function, of_item, of_module, of_builtin, of_library, of_scalar_type, of_vector_type,
                   of_struct_type, of_none, of_python, of_member, of_python_type, of_made, of_field):
        kernel(1.5)
    function_as_argument(meanings_fast.law, 12)
    function_as_argument(meanings_slow.law, 13)
    object_as_argument(either(meanings_fast, meanings_slow).Thing(), 14)
    Base().of_rule(15)
    Derived().of_rule(16)
    base = Base()
    base.of_function()
    base.of_mode()
    base.of_list()
    print(json.dumps(x.to_numpy().tolist() + count.to_numpy().tolist()))


main()

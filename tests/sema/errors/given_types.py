# Annotations: each mistake at its place, also in a name that no kernel reads otherwise.
# waves: 32
# build: ofVectors[x=qd.types.ndarray(qd.f32, 1)]
# build: Simulation.k
# build: Simulation.named[self.inner=Inner, self.inner.n=qd.i32, self.inner.y=field(f32, (8,)), self.host=Host]
# build: ofRecord[p=Pair]
# build: ofAnother[x=grid]
import quadrants as qd

A = qd.types.ndarray(dtype=qd.f32, ndim=1)
Broken = qd.types.vector(4, unknown())
grid = qd.field(qd.f32, shape=(2, 2))
NOTHING = None
apart = qd.tensor(qd.f32, shape=4)


@qd.kernel
def lost(v: Broken, a: A):  # error: `Broken` has no value when kernels are built
    a[0] = v[0]


@qd.kernel
def quoted(a: "qd.f32 +"):  # error: this text is not a type
    pass


@qd.kernel
def dimensions(a: qd.types.ndarray(dtype=qd.f32, ndim=1, element_dim=2)):  # error: `element_dim` is 0 for numbers
    pass


@qd.kernel
def ofVectors(x: qd.types.ndarray(element_dim=1)):  # error: `x` is instantiated with another dtype than it declares
    pass


@qd.kernel
def ofAnother(x: qd.types.ndarray(ndim=1)):  # error: `x` has 1 dimensions, and the field `grid` has 2
    pass


@qd.func
def three(v: qd.types.vector(3)):
    return v[0]


other = qd.field(qd.f32, shape=(2, 3))
line = qd.field(qd.f32, shape=4)


@qd.kernel
def copies(a: A):
    grid.copy_from(other)  # error: the field `grid` and the field `other` have not the same extents
    grid.copy_from(line)  # error: the field `grid` and the field `line` have not the same extents
    line.copy_from(1.0)  # error: `copy_from` needs an array or a field, not a real constant
    line.copy_from()  # error: `copy_from` takes one array
    line.copy_from(a)


@qd.func
def broken(v: qd.types.vektor(3)):  # error: has no `vektor`
    return v


@qd.kernel
def shapes(a: A):
    a[0] = broken(1.0)
    a[0] = three(qd.Vector([1.0, 2.0]))  # error: a vector(2, f32) does not fit a vector(3, f32)
    a[1] = three(1.0)  # error: `v`
    a[3] = apart[0]  # error: `apart` has no value when kernels are built
    a[2] = NOTHING[0]  # error: None, which this build has for `NOTHING`, cannot be indexed


@qd.dataclass
class Pair:
    first: qd.f32


@qd.kernel
def ofRecord(p: qd.template(), a: A):
    a[0] = p.first  # error: this is the class `Pair` itself, which has no `first`


@qd.data_oriented
class Inner:
    pass


class Host:
    pass


@qd.data_oriented
class Simulation:
    gravity = None

    @property
    def derived(self):
        return self.lost  # error: this build gives `self.lost` no value

    @property
    def wide(self, by):
        return by

    @qd.kernel
    def k(self, a: A):
        a[0] = self.gravity[0]  # error: None, which this build has for `Simulation.gravity`, cannot be indexed
        a[1] = self.derived
        a[2] = self.wide  # error: the property `wide` takes more than `self`

    @qd.kernel
    def named(self):
        inner = self.inner  # a name, no copy
        for i in range(inner.n):
            inner.y[i] = 1
            inner.y[i] = inner.z  # error: this build gives `self.inner.z` no value
            inner.y[i] = self.host.w  # error: this build gives `self.host.w` no value

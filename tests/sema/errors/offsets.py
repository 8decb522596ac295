# Offsets of fields, views of arrays, nodes, sizes of scratch, methods in lists.
# build: offsets
# build: counted_from_0
# build: views
# build: nodes
# build: sizes
# build: Owner.run[self.steps=[Other.step]]
import quadrants as qd

few = qd.field(qd.f32, shape=(4, 5), offset=3)  # error: the field has 2 dimensions, but its `offset` has 1
many = qd.Vector.field(2, qd.f32, shape=4, offset=(1, 2))  # error: the field has 1 dimension, but its `offset` has 2
later = qd.field(qd.f32, offset=(1,))  # error: a field with an `offset` needs its `shape` beside it
half = qd.field(qd.f32, shape=4, offset=0.5)  # error: the offset of a field has to be a compile-time integer
far = qd.field(qd.f32, shape=4, offset=2147483645)  # error: indices from 2147483645 on are not those of an i32
moved = qd.field(qd.f32, shape=(4, 5), offset=(-2, 3))
shifted = qd.field(qd.f32, shape=4, offset=1)
bits = qd.field(qd.f32)
qd.root.dense(qd.i, 4).place(bits, shared_exponent=True)  # error: `place` has no parameter `shared_exponent`
short = qd.field(qd.f32)
qd.root.dense(qd.ij, 4).place(short, offset=1)  # error: the field has 2 dimensions, but its `offset` has 1
scratch = qd.field(qd.u32, shape=qd.algorithms.reduce_scratch_slots(1000, 5))  # error: `log256_max_n` of `algorithms.reduce_scratch_slots` has to be between 1 and 4, not 5


unnamed = [qd.field(qd.f32), qd.field(qd.f32)]


@qd.kernel
def offsets():
    for i in range(4):
        unnamed[0][i] = 1.0  # error: this field has no `shape`, and no name by which a statement could place it
        few[i, 0] = 1.0
        many[i] = 1.0
        later[i] = 1.0
        half[i] = 1.0
        far[i] = 1.0
        bits[i] = 1.0
        short[i, 0] = 1.0
        moved[-3, 3] = 1.0  # error: the index -3 is outside of `moved`, whose indices are -2 to 1
        moved[2, 3] = 1.0  # error: the index 2 is outside of `moved`, whose indices are -2 to 1
        moved[-2, 8] = 1.0  # error: the index 8 is outside of `moved`, whose indices are 3 to 7


@qd.kernel
def counted_from_0():
    qd.algorithms.reduce_add(shifted, shifted, shifted, 4, qd.f32, 1)  # error: `qd.algorithms` counts elements from 0, but `shifted` begins at 1
    qd.loop_config(block_dim=32)
    for i in range(32):
        t = qd.simt.Tile16x16.zeros(qd.f32)
        t[:] = moved[0:2, 3:5]  # error: tiles count elements from 0, but `moved` begins at -2


@qd.kernel
def views(v: qd.BufferView[qd.f32], a: qd.types.ndarray(qd.f32, 1), b: qd.types.ndarray(qd.f32, 2), n: qd.i32):
    for i in range(4):
        w = v[2:6]
        w[4] = 1.0  # error: the index 4 is outside of `v`, whose extent is 4
        c = w[1:7]  # error: a view of 6 elements from 1 on is outside of `v`, whose extent is 4
        d = v.subview(-1, 2)  # error: a view of 2 elements from -1 on is outside of `v`
        e = v[5:3]  # error: a view of -2 elements from 5 on is outside of `v`
        f = v[::2]  # error: a slice of a view has no step
        g = v[-3:]  # error: a slice of a view begins and ends at 0 or later, not at -3
        h = v[0:2, 0:2]  # error: a view has one dimension, and so has its slice
        j = v.subview(1)  # error: `subview` takes an offset and a size
        k = a[0:2]  # error: `a` is an array: only tiles take slices of arrays
        m = qd.BufferView(b, 0, 1)  # error: a view is of an ndarray of one dimension, not of the array `b`
        o = qd.BufferView(v, 0, 1)  # error: the array `v` is a view already
        p = qd.BufferView(moved, 0, 1)  # error: a view is of an ndarray of one dimension, not of the field `moved`
        q = a.subview(0, 1)  # error: the array `a` has no `subview`
        v[0:2] = 1.0  # error: a whole array cannot be assigned


sparse = qd.root.pointer(qd.i, 4)


@qd.kernel
def nodes():
    for i in qd.root:  # error: a loop cannot run over the node `qd.root`
        moved[i, 3] = 1.0
    for i in sparse:  # error: `sparse` has no value when kernels are built
        moved[i, 3] = 1.0
    for i in moved.parent(3):  # error: has no parent 3 levels up
        moved[i, 3] = 1.0
    for i in qd.root.dense(qd.i, 4):  # error: fields cannot be placed inside kernels
        moved[i, 3] = 1.0


@qd.kernel
def sizes(n: qd.i32):
    for i in range(1):
        scratch[i] = 1
        x = qd.algorithms.sort_scratch_slots(n, 0)  # error: `log256_max_n` of `algorithms.sort_scratch_slots` has to be between 1 and 4, not 0
        y = qd.algorithms.select_scratch_slots(0.5)  # error: `n` of `algorithms.select_scratch_slots` has to be an integer, not a real constant


@qd.data_oriented
class Other:
    @qd.func
    def step(self):
        return 1


@qd.data_oriented
class Owner:
    @qd.kernel
    def run(self, out: qd.types.ndarray(qd.i32, 1)):
        for i in out:
            out[i] = self.steps[0]()  # error: `step` needs `self`

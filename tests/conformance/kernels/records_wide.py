# Structs in one piece with members of 8 bytes, which not all targets have.
import quadrants as qd

Big = qd.types.struct(on=qd.u1, mass=qd.f64, spin=qd.types.vector(2, qd.f64), half=qd.f16, id=qd.u64)
bigs = Big.field(shape=3, layout=qd.Layout.AOS)


@qd.kernel
def big(x: qd.types.ndarray()):
    for i in x:
        x[i].mass = x[i].mass / 3.0
        x[i].spin = x[i].spin.yx * 2.0
        x[i].on = x[i].mass > 1.0
        x[i].id = x[i].id + 1
        x[i].half = x[i].half + x[i].spin.x
        bigs[i] = x[i]


@qd.kernel
def sums(x: qd.types.ndarray()):
    for i in range(64):
        qd.atomic_add(x[1].mass, 0.25)
        qd.atomic_max(x[1].spin[0], i)
        qd.atomic_add(x[1].id, qd.u64(1) << 33)

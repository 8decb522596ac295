# A field that another file has as well.
import quadrants as qd

state = qd.field(qd.f32, shape=(2, 3))

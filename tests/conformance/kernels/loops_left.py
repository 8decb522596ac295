# A field that another file has as well.
import quadrants as qd

state = qd.field(qd.i32, shape=6)

"""A module whose field kernels read by its name."""
import quadrants as qd
qd.init(arch=qd.cpu, log_level=qd.ERROR)
base = qd.field(qd.f32, shape=3)

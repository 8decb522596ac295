# A kernel over records in one piece.
import quadrants as qd


@qd.dataclass
class Grain:
    pos: qd.types.vector(3, qd.f32)
    radius: qd.f32


@qd.kernel
def advance(x: qd.types.ndarray(Grain, 1)):
    for i in range(x.shape[0]):
        x[i].pos = x[i].pos * 2.0

# Classes whose bases are the host's: what kernels do not use means nothing to them.
# waves: 32
# build: OfHost.fine
import quadrants as qd

try:
    from nowhere import Mixin
except ImportError:
    Mixin = object


@qd.data_oriented
class OfHost(Mixin, nowhere.Other, make_base(3)):
    @qd.kernel
    def fine(self, x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
        for i in x:
            x[i] = 1.0

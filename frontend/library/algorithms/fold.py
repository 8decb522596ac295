# The object that reductions and scans pass through their layers: an operator, its elements, and what a scan
# does with its results. It exists while kernels are built. It has no values of the run, because an object
# would copy them: those are arguments, or items of the tuples `source` and `sink`.
import quadrants as qd
from quadrants import algorithms


# An operator is a function of (earlier, later). It must be associative, but need not commute. Its
# identity is what leaves every value unchanged.
#
# Values are `read(source, i)`. A scan calls `write(sink, i, value, scanned)`, where `scanned` is the fold of
# all earlier values, and with `inclusive` of this one too. What `keep(sink, i)` yields is loaded early, and
# `write` gets it last. With `keep`, one thread calls `finish(sink, total)` with the fold of all values; if
# there are none, nobody does.
@qd.data_oriented
class _Fold:
    def __init__(
        self,
        dtype: qd.template(),
        op: qd.template(),
        identity: qd.template(),
        read: qd.template() = algorithms._read_element,
        write: qd.template() = algorithms._write_element,
        inclusive: qd.template() = False,
        keep: qd.template() = None,
        finish: qd.template() = None,
    ):
        self.dtype = dtype
        self.op = op
        self.start = identity
        self.read = read
        self.write = write
        self.inclusive = inclusive
        self.keep = keep
        self.finish = finish

    @qd.func
    def join(self, earlier, later):
        return self.op(earlier, later)

    @qd.func
    def identity(self):
        return _typed(self.start, self.dtype)


@qd.func
def _read_element(source: qd.template(), i):
    return source[i]


@qd.func
def _write_element(sink: qd.template(), i, value, scanned):
    sink[i] = scanned


# ---- Identities -------------------------------------------------------------------------


@qd.func
def _typed(value: qd.template(), dtype: qd.template()):
    if qd.static(dtype in algorithms._SCALARS):
        return qd.cast(value, dtype)
    else:
        return value


# The value that `min` and `max` begin with.
@qd.func
def _greatest(dtype: qd.template()):
    if qd.static(dtype in algorithms._REALS):
        return qd.cast(qd.math.inf, dtype)
    elif qd.static(dtype == qd.i32):
        return qd.i32(0x7FFFFFFF)
    elif qd.static(dtype == qd.u32):
        return qd.u32(0xFFFFFFFF)
    elif qd.static(dtype == qd.i64):
        return qd.i64(0x7FFFFFFFFFFFFFFF)
    elif qd.static(dtype == qd.u64):
        return qd.u64(0xFFFFFFFFFFFFFFFF)
    else:
        return _greatest_narrow(dtype)


@qd.func
def _greatest_narrow(dtype: qd.template()):
    qd.static_assert(dtype in algorithms._SCALARS, "`dtype` has to be a scalar type: minima and maxima order numbers")
    if qd.static(dtype == qd.i8):
        return qd.i8(127)
    elif qd.static(dtype == qd.u8):
        return qd.u8(255)
    elif qd.static(dtype == qd.i16):
        return qd.i16(32767)
    elif qd.static(dtype == qd.u16):
        return qd.u16(65535)
    else:
        return qd.u1(1)


@qd.func
def _least(dtype: qd.template()):
    if qd.static(dtype in algorithms._REALS):
        return qd.cast(-qd.math.inf, dtype)
    else:
        return ~_greatest(dtype) if qd.static(dtype != qd.u1) else qd.u1(0)

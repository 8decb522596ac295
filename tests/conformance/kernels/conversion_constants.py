# Conversions of constants of T, the build's, to integers.
import math

import quadrants as qd

T = qd.f32

# As in ConversionTest.cpp.
NUMBERS = (math.nan, math.inf, -math.inf, -0.0, -0.75, -1.0, 127.5, 128.0, -129.0, 65536.0, 2147483648.0, -2147483904.0,
           4294967296.0, 9223372036854775808.0, -9223373136366403584.0, 18446744073709551616.0)


@qd.kernel
def constants(to: qd.template(), out: qd.types.ndarray()):
    for k in qd.static(range(len(NUMBERS))):
        out[0, k] = qd.cast(NUMBERS[k], to)  # the compiler's front end knows the constant,
        typed = qd.cast(NUMBERS[k], T)
        out[1, k] = qd.cast(typed, to)  # then what makes SSA of the kernel,
        for _ in range(3):
            typed = typed + 0.0
        out[2, k] = qd.cast(typed, to)  # then what unrolls the loop

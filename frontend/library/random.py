# Random numbers of other distributions than `qd.random` has.
import quadrants as qd

# The state that numbers depend on beside the thread: the seed, and how many launches drew before. Host code
# sets both (`sxt_program_seed`).
qd_random = qd.field(qd.u32, shape=2)


# The end of each kernel that draws.
@qd.func
def _count_launch():
    qd_random[1] += 1


# A normally distributed number: Box and Muller, "A note on the generation of random normal
# deviates", 1958. The logarithm is of a number in (0, 1].
@qd.func
def _normal(dt: qd.template()):
    radius = qd.sqrt(-2.0 * qd.log(1.0 - qd.random(dt)))
    return radius * qd.cos(qd.cast(6.283185307179586, dt) * qd.random(dt))


@qd.func
def randn(dt: qd.template() = float):
    if qd.static(dt in (qd.f8e4m3, qd.f8e5m2)):  # their steps are too coarse for a logarithm
        return qd.cast(_normal(qd.f32), dt)
    else:
        return _normal(dt)

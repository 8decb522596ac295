# Random numbers of other distributions than `qd.random` has.
import quadrants as qd


# A normally distributed number: Box and Muller, "A note on the generation of random normal
# deviates", 1958. The logarithm is of a number in (0, 1].
@qd.func
def randn(dt: qd.template() = float):
    radius = qd.sqrt(-2.0 * qd.log(1.0 - qd.random(dt)))
    return radius * qd.cos(qd.cast(6.283185307179586, dt) * qd.random(dt))

"""Heat in plates, and how far their temperatures are from those that thermometers saw.

A plate is heated several times, each time by another heater; all these run at once. `flow` and `warm` are two kernels,
because the gradient of `flow` needs the temperatures that `warm` overwrites: a tape keeps them in between.
"""

import quadrants as qd

Map = qd.types.ndarray(dtype=qd.f64, ndim=2)  # row, column
Maps = qd.types.ndarray(dtype=qd.f64, ndim=3)  # heating, row, column
Seen = qd.types.ndarray(dtype=qd.f64, ndim=4, needs_grad=False)  # look, heating, row and column of thermometers
Heaters = qd.types.ndarray(dtype=qd.f64, ndim=3, needs_grad=False)
Loss = qd.types.ndarray(dtype=qd.f64, ndim=1)


@qd.kernel
def conduct(unknown: Map, conductivity: Map):
    """From 0.05 to 1.2, whatever the unknown is: steps of time are stable up to 1.25."""
    for i, j in unknown:
        conductivity[i, j] = 0.05 + 1.15 / (1.0 + qd.exp(-unknown[i, j]))


@qd.func
def between(a, b):
    """The conductivity of two half cells, one after the other."""
    return 2.0 * a * b / (a + b)


@qd.kernel
def flow(conductivity: Map, temperature: Maps, change: Maps):
    """Sums what flows into each cell from its neighbours. Nothing leaves the plate."""
    for heating, i, j in temperature:
        here, own = temperature[heating, i, j], conductivity[i, j]
        total = qd.f64(0.0)  # 0.0 would be an f32
        if i > 0:
            total += between(own, conductivity[i - 1, j]) * (temperature[heating, i - 1, j] - here)
        if j > 0:
            total += between(own, conductivity[i, j - 1]) * (temperature[heating, i, j - 1] - here)
        if i + 1 < temperature.shape[1]:
            total += between(own, conductivity[i + 1, j]) * (temperature[heating, i + 1, j] - here)
        if j + 1 < temperature.shape[2]:
            total += between(own, conductivity[i, j + 1]) * (temperature[heating, i, j + 1] - here)
        change[heating, i, j] = total


@qd.kernel
def warm(temperature: Maps, change: Maps, heaters: Heaters, dt: qd.f64):
    for heating, i, j in temperature:
        temperature[heating, i, j] += dt * (change[heating, i, j] + heaters[heating, i, j])


@qd.kernel
def compare(temperature: Maps, seen: Seen, look: qd.i32, apart: qd.i32, loss: Loss, weight: qd.f64):
    """Thermometers stand `apart` cells from each other."""
    for heating, i, j in qd.ndrange(seen.shape[1], seen.shape[2], seen.shape[3]):
        off = temperature[heating, i * apart + apart // 2, j * apart + apart // 2] - seen[look, heating, i, j]
        loss[0] += weight * off * off


@qd.kernel
def smooth(unknown: Map, loss: Loss, weight: qd.f64):
    """Adds the total variation, rounded at 0: the plate with the shortest borders is wanted."""
    for i, j in qd.ndrange(unknown.shape[0] - 1, unknown.shape[1] - 1):
        down, right = unknown[i + 1, j] - unknown[i, j], unknown[i, j + 1] - unknown[i, j]
        loss[0] += weight * qd.sqrt(down * down + right * right + 0.0001)

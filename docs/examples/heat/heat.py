"""Finds what is inside a plate, by heating it at its edge and reading thermometers: an inverse problem.

    heat.py heat.sxt [--out heat.svg] [--device NAME] [--side 40] [--steps 600] [--iterations 120]

The unknown is the conductivity of each cell. A tape gives the slope of the misfit by all of them; Adam goes down. The
slope is compared with central differences. Needs numpy.
"""

import argparse
import pathlib
import sys
import time

import numpy as np

import sextant

sys.path.append(str(pathlib.Path(__file__).parent.parent / "common"))
from drawing import Drawing, colours

DT, APART, EVERY = 0.2, 4, 20  # a step of time; cells between thermometers; steps between looks at them
NOISE = 0.01  # standard deviation of thermometers, as a part of that of temperatures
SMOOTH = 5e-4  # the cost of borders, beside the misfit


def plate(side):
    """The conductivity that is to be found: a ring and a bar that conduct badly, in a plate of 1."""
    y, x = (np.mgrid[:side, :side] + 0.5) / side
    ring = abs(np.hypot(y - 0.38, x - 0.38) - 0.17) < 0.05
    bar = (abs(y - 0.75) < 0.055) & (abs(x - 0.6) < 0.27)
    return np.where(ring | bar, 0.2, 1.0)


def heaters(side):
    """Eight heaters at the edge, one for each heating."""
    result, small = np.zeros((8, side, side)), max(1, side // 16)
    for heating, (y, x) in enumerate(((0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2))):
        top, left = y * (side - small) // 2, x * (side - small) // 2
        result[heating, top : top + small, left : left + small] = 2.0
    return result


def unknown_of(conductivity):
    """The inverse of the kernel `conduct`."""
    return -np.log(1.15 / (conductivity - 0.05) - 1.0)


class Plate:
    """A plate on a device, which is heated and looked at."""

    def __init__(self, kernels, side, steps):
        self.kernels, self.side, self.steps = kernels, side, steps
        self.unknown, self.conductivity = self.array(side, side), self.array(side, side)
        self.temperature, self.change = self.array(8, side, side), self.array(8, side, side)
        self.heaters = self.array(8, side, side)
        self.heaters.write(heaters(side))
        self.seen = self.array(steps // EVERY, 8, side // APART, side // APART)
        self.weight = 1.0
        self.loss = self.array(1)

    def array(self, *shape):
        return sextant.Array(self.kernels.device, shape, "f64")

    def begin(self, unknown):
        self.unknown.write(unknown)
        self.temperature.fill(0.0)
        self.loss.fill(0.0)

    def step(self, i):
        self.kernels.flow(self.conductivity, self.temperature, self.change)
        self.kernels.warm(self.temperature, self.change, self.heaters, DT)
        if (i + 1) % EVERY == 0:
            self.kernels.compare(self.temperature, self.seen, i // EVERY, APART, self.loss, self.weight)

    def look(self, unknown, noise):
        """Reads the thermometers on a plate, with some noise. The misfit is to be 1 if only that is left."""
        self.begin(unknown)
        self.kernels.conduct(self.unknown, self.conductivity)
        looks = []
        for i in range(self.steps):
            self.step(i)
            if (i + 1) % EVERY == 0:
                looks.append(self.temperature.numpy()[:, APART // 2 :: APART, APART // 2 :: APART])
        sigma = NOISE * np.std(looks)
        self.seen.write(looks + sigma * noise.standard_normal(self.seen.shape))
        self.weight = 1 / (sigma**2 * np.size(looks))

    def misfit(self, unknown):
        self.begin(unknown)
        self.kernels.conduct(self.unknown, self.conductivity)
        for i in range(self.steps):
            self.step(i)
        self.kernels.smooth(self.unknown, self.loss, SMOOTH)
        return self.loss.numpy()[0]

    def slope(self, unknown):
        """The misfit, and its slope by the unknowns."""
        self.begin(unknown)
        with sextant.Tape(self.loss) as tape:
            self.kernels.conduct(self.unknown, self.conductivity)
            tape.checkpoint(self.step, self.steps, snapshots=32, every=32)
            self.kernels.smooth(self.unknown, self.loss, SMOOTH)
        return self.loss.numpy()[0], tape.gradient(self.unknown).numpy()


def difference(plate, unknown):
    """How far slopes are from central differences of some unknowns, as a part of the largest slope."""
    slope, errors, nudge = plate.slope(unknown)[1], [], 1e-5
    for place in ((1, 1), (plate.side // 3, plate.side // 2), (plate.side // 2, plate.side - 2)):
        tried = unknown.copy()
        tried[place] += nudge
        above = plate.misfit(tried)
        tried[place] -= 2 * nudge
        errors.append(abs((above - plate.misfit(tried)) / (2 * nudge) - slope[place]))
    return np.max(errors) / abs(slope).max()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module", help="the kernels, as built")
    parser.add_argument("--out", help="the picture")
    parser.add_argument("--device")
    parser.add_argument("--side", type=int, default=40, help="cells of an edge, a multiple of 4")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--iterations", type=int, default=120)
    options = parser.parse_args()

    kernels = sextant.open(options.module, options.device)
    heated = Plate(kernels, options.side, options.steps)
    known = plate(options.side)
    heated.look(unknown_of(known), np.random.default_rng(1))
    unknown = unknown_of(np.ones_like(known))
    errors = [difference(heated, unknown)]

    # Adam (Kingma and Ba, 2015), in smaller and smaller steps.
    mean, square, losses, begin = np.zeros_like(unknown), np.zeros_like(unknown), [], time.perf_counter()
    for i in range(options.iterations):
        loss, slope = heated.slope(unknown)
        losses.append(loss)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        rate = 0.2 * (1 - i / options.iterations)
        unknown -= rate * mean / (1 - 0.9 ** (i + 1)) / (np.sqrt(square / (1 - 0.99 ** (i + 1))) + 1e-12)
        print(f"{i:3}: the misfit is {loss:.5g}", flush=True)
    seconds = time.perf_counter() - begin
    losses.append(heated.misfit(unknown))
    errors.append(difference(heated, unknown))

    found = heated.conductivity.numpy()
    print(f"{options.side} x {options.side} cells, {options.iterations} iterations of {options.steps} steps on "
          f"{kernels.device.name}: {seconds:.2f} s")
    print(f"misfit: {losses[0]:.5g} before, {losses[-1]:.5g} after; error of conductivities: "
          f"{np.std(1 - known):.3f} before, {np.sqrt(np.mean((found - known) ** 2)):.3f} after")
    print(f"slopes: off by {np.max(errors):.2g} of the largest")
    if options.out:
        drawing = Drawing(720, 430)
        warm = np.log(heated.temperature.numpy()[1] + 0.01)  # the heater in the middle of the upper edge
        for x, title, picture in ((20, "the plate, and its thermometers", colours(known, 0, 1.3)),
                                  (250, "found", colours(found, 0, 1.3)),
                                  (480, "what one heater warmed", colours(warm, warm.min(), warm.max()))):
            drawing.text(x, 20, title)
            drawing.picture(x, 30, 220, picture)
        places = (np.arange(options.side // APART) * APART + APART // 2 + 0.5) * 220 / options.side
        drawing.dots([(20 + x, 30 + y) for x in places for y in places])
        drawing.logarithmic_curve(60, 290, 640, 110, losses, "misfit, by iterations")
        drawing.write(options.out)
    if not (np.max(errors) < 1e-6 and losses[-1] < losses[0]):
        sys.exit("heat.py: the slope or the result is wrong")


if __name__ == "__main__":
    main()

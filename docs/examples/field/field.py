"""Fits a small neural field to a picture, on the device: forward, backward and Adam are kernels.

    field.py field.sxt [--out field.svg] [--device NAME] [--side 96] [--width 96] [--iterations 300]

A net of three layers maps a place to a colour. The gradient is compared with central differences. Needs numpy.
"""

import argparse
import collections
import pathlib
import sys
import time

import numpy as np

import sextant

sys.path.append(str(pathlib.Path(__file__).parent.parent / "common"))
from drawing import Drawing, colours

TILE = 32  # as in kernels.py
EARLY = 20  # iterations, until a picture and a comparison with differences in between


def julia(side):
    """The picture: a Julia set, by how long its points stay near 0. Rows of RGB."""
    y, x = (np.mgrid[:side, :side] + 0.5) / side - 0.5
    z, steps = 1.9 * x + 2.7j * y, np.zeros((side, side))
    for i in range(60):
        z = np.where(abs(z) < 10, z * z - 0.8 + 0.156j, z)
        steps += np.exp(-abs(z))
    return colours(steps, 0, np.percentile(steps, 99)).astype("f4")


def array(device, values):
    result = sextant.Array(device, values.shape, "f32")
    result.write(np.ascontiguousarray(values, "f4"))
    return result


class Variable:
    """Values on a device, and their slope. Gradients of kernels add to it."""

    def __init__(self, device, values):
        self.values, self.slope = array(device, values), array(device, np.zeros_like(values))


Layer = collections.namedtuple("Layer", "w b y")  # variables: weights, a row of constants, results


class Net:
    """Three layers, which get sines and cosines of each place of the picture."""

    def __init__(self, kernels, picture, width, random):
        self.kernels, self.device = kernels, kernels.device
        side = picture.shape[0]
        self.picture = array(self.device, picture.reshape(-1, 3))
        self.loss, self.one = (sextant.Array(self.device, (1,), "f64") for k in range(2))
        self.one.fill(1.0)

        place = np.mgrid[:side, :side].reshape(2, -1).T / side
        waves = random.standard_normal((width // 2, 2)) * 6  # some six to the picture
        self.features = array(self.device, np.zeros((side * side, width)))
        kernels.encode(array(self.device, place), array(self.device, waves), self.features)

        self.layers = []
        for outputs in (width, width, TILE):
            weights = random.standard_normal((width, outputs)) * np.sqrt(2 / width)
            rows = weights, np.zeros((1, outputs)), np.zeros((side * side, outputs))
            self.layers.append(Layer(*(Variable(self.device, values) for values in rows)))
        self.learnt = [variable for layer in self.layers for variable in (layer.w, layer.b)]
        self.moments = [[array(self.device, np.zeros(each.values.shape)) for k in range(2)] for each in self.learnt]

    def forward(self):
        w, b, y = self.layers[0]
        self.kernels.first(self.features, w.values, b.values, y.values)
        for x, (w, b, y) in self.pairs():
            self.kernels.later(x.values, w.values, b.values, y.values)
        self.loss.fill(0.0)
        self.kernels.compare(y.values, self.picture, self.loss)

    def backward(self):
        """From the loss to the slopes of weights. Slopes of results are 0 after it, as before."""
        w, b, y = self.layers[-1]
        self.kernels.compare.grad(y.values, self.picture, self.loss, y.slope, self.one)
        for x, (w, b, y) in reversed(self.pairs()):
            self.kernels.later.grad(x.values, w.values, b.values, y.values, x.slope, w.slope, b.slope, y.slope)
        w, b, y = self.layers[0]
        self.kernels.first.grad(self.features, w.values, b.values, y.values, w.slope, b.slope, y.slope)

    def pairs(self):
        """Each layer but the first, after the results of that before it."""
        return [(before.y, layer) for before, layer in zip(self.layers, self.layers[1:])]

    def learn(self, step, rate):
        for each, (mean, square) in zip(self.learnt, self.moments):
            self.kernels.learn(each.values, each.slope, mean, square, step, rate)

    def painted(self):
        colours = array(self.device, np.zeros(self.picture.shape))
        self.kernels.paint(self.layers[-1].y.values, colours)
        return colours.numpy()


def difference(net):
    """How far slopes are from central differences, as a part: of each variable, along its own gradient.

    The net has corners where sums are 0, so steps are as small as `f32` allows; the loss is a sum in `f64`.
    """
    net.forward()
    net.backward()
    errors, nudge = [], 3e-4
    for variable in net.learnt:
        values, slope = variable.values.numpy(), variable.slope.numpy()
        variable.slope.fill(0.0)
        length, losses = np.linalg.norm(slope), []
        for step in (nudge, -nudge):
            variable.values.write(values + np.float32(step / length) * slope)
            net.forward()
            losses.append(net.loss.numpy()[0])
        variable.values.write(values)
        errors.append(abs((losses[0] - losses[1]) / (2 * nudge) / length - 1))
    return np.max(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module", help="the kernels, as built")
    parser.add_argument("--out", help="the picture")
    parser.add_argument("--device")
    parser.add_argument("--side", type=int, default=96, help="of the picture, a multiple of 32")
    parser.add_argument("--width", type=int, default=96, help="of the layers, a multiple of 32")
    parser.add_argument("--iterations", type=int, default=300)
    options = parser.parse_args()

    picture = julia(options.side)
    net = Net(sextant.open(options.module, options.device), picture, options.width, np.random.default_rng(3))
    errors, losses, early, begin = [], [], None, time.perf_counter()
    for i in range(options.iterations):
        if i in (0, EARLY):
            errors.append(difference(net))
        net.forward()
        net.backward()
        net.learn(i + 1, 0.01 * (1 - i / options.iterations))
        losses.append(net.loss.numpy()[0])
        if i == EARLY:
            early = net.painted()
        if i % 20 == 0:
            print(f"{i:4}: the loss is {losses[-1]:.5g}", flush=True)
    seconds = time.perf_counter() - begin
    net.forward()
    losses.append(net.loss.numpy()[0])
    print(f"{options.side} x {options.side} pixels, {options.iterations} iterations on {net.device.name}: "
          f"{seconds:.2f} s")
    print(f"loss: {losses[0]:.5g} before, {losses[-1]:.5g} after: {-10 * np.log10(losses[-1]):.1f} dB")
    print(f"slopes: off by a part of {np.max(errors):.2g}")
    if options.out:
        drawing = Drawing(720, 400)
        painted = ((20, "the picture", picture), (250, f"the net after {EARLY} iterations", early),
                   (480, "the net in the end", net.painted()))
        for x, title, pixels in painted:
            if pixels is not None:
                drawing.text(x, 20, title)
                drawing.picture(x, 30, 220, pixels.reshape(picture.shape))
        drawing.logarithmic_curve(60, 290, 640, 80, losses, "loss, by iterations")
        drawing.write(options.out)
    if not (np.max(errors) < 0.01 and losses[-1] < losses[0]):
        sys.exit("field.py: the slope or the result is wrong")


if __name__ == "__main__":
    main()

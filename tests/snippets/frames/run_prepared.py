# snippet: python.md python 2
import numpy, sextant

app = sextant.open("app.sxt")
x, y = numpy.ones(8, "f4"), numpy.zeros(8, "f4")
a = sextant.Array(app.device, 8, "f32")
SNIPPET
# 3 of the first launch, 0.5 of the second, 3 of the graph.
assert (y == 6.5).all(), y

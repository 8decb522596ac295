"""Wheels of `sextant wheel`: installed by pip into a folder, and called there in a process of their own."""
import os
import subprocess
import sys
import unittest

import support

KERNELS = '''
import dataclasses
import quadrants as qd

A = qd.types.ndarray(dtype=qd.f32, ndim=1)

@dataclasses.dataclass
class Body:
    pos: A
    v: qd.types.vector(2, qd.i32)

@dataclasses.dataclass
class World:
    body: Body
    dt: float

@qd.kernel
def advance(stream: World, n: qd.i32):
    for i in range(n):
        stream.body.pos[i] += stream.dt * stream.body.v.y

@qd.kernel
def total(x: A) -> qd.f64:
    s = qd.f64(0)
    for i in range(x.shape[0]):
        s += x[i]
    return s
'''

CALLS = '''
import dataclasses
import numpy
import sextant
import wheel_test

@dataclasses.dataclass
class Body:
    pos: numpy.ndarray
    v: tuple

@dataclasses.dataclass
class World:
    body: Body
    dt: float

pos = numpy.array([1, 2, 4, 8], "f4")
wheel_test.advance(World(Body(pos, (7, 3)), 0.5), 3)              # 1.5 to the first three
wheel_test.advance(stream={"body": {"pos": pos, "v": (7, 2)}, "dt": 1.0}, n=4)    # 2 to all
print(wheel_test.total(pos))                                      # 15 + 4.5 + 8
stream = sextant.Device("cpu").stream()
print(wheel_test.total(x=pos, stream=stream))
print(wheel_test.program() is wheel_test.program("cpu"))
'''


class Wheel(unittest.TestCase):
    def test_installed(self):
        source = os.path.join(support.folder.name, "wheel_test.py")
        with open(source, "w") as file:
            file.write(KERNELS)
        support.command("compile", source, "-o", "wheel-test.sxt", f"--targets={support.CPU}")
        wheel = support.command("wheel", "wheel-test.sxt", "--version=1.0").strip()
        site = os.path.join(support.folder.name, "site")
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps",
                        "--target", site, os.path.join(support.folder.name, wheel)], check=True)
        self.assertTrue(os.path.exists(os.path.join(site, "wheel_test-1.0.dist-info", "RECORD")))
        path = os.pathsep.join([site, os.environ["PYTHONPATH"]])
        done = subprocess.run([sys.executable, "-B", "-c", CALLS], env={**os.environ, "PYTHONPATH": path}, check=True,
                              stdout=subprocess.PIPE, text=True, cwd=site)
        self.assertEqual(done.stdout, "27.5\n27.5\nTrue\n")


if __name__ == "__main__":
    unittest.main()

"""Writes kernels that take many arrays and touch two of them: arrays.py COUNT… > kernels.py"""
import sys

print("import quadrants as qd\n\nA = qd.types.ndarray(dtype=qd.i32, ndim=1)")
for count in map(int, sys.argv[1:]):
    parameters = "".join(f"    a{i}: A,\n" for i in range(count))
    print(f"\n\n@qd.kernel\ndef arrays_{count}(\n{parameters}):\n    a0[0] += a{count - 1}[0]")

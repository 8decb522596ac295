"""The cost of the Python package beside the C call: bench.py MODULE CALL, with CALL the program bench-python-call.

Medians of the thread's processor time, so that a busy machine does not count. A launch has four arrays and two scalars
and runs no iterations, on the CPU. With a stream it does not wait.
"""
import statistics
import subprocess
import sys
import time

SAMPLES, LAUNCHES = 31, 5000


def nanoseconds(call) -> float:
    """The median time of one call."""
    samples = []
    for _ in range(SAMPLES):
        begin = time.thread_time_ns()
        for _ in range(LAUNCHES):
            call()
        samples.append((time.thread_time_ns() - begin) / LAUNCHES)
    return statistics.median(samples)


def import_milliseconds() -> float:
    """The median time of `import sextant` in a new interpreter."""
    code = "import time; t = time.process_time(); import sextant; print((time.process_time() - t) * 1e3)"
    return statistics.median(float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
                             for _ in range(21))


def main():
    module, c_call = sys.argv[1:]
    print(f"import                                   {import_milliseconds():8.1f} ms")
    import sextant
    program = sextant.open(module, "cpu")
    blend, stream = program.blend, program.device.default_stream
    empty = nanoseconds(lambda: None)
    native = float(subprocess.run([c_call, module], check=True, capture_output=True).stdout)
    print(f"launch by the C API                      {native:8.0f} ns")

    def row(name, call):
        spent = nanoseconds(call) - empty
        print(f"{name:40s} {spent:8.0f} ns, {spent - native:6.0f} over the C API")

    def rows(name, arrays):
        w, x, y, z = arrays
        row(f"{name}, by position", lambda: blend(0, 2.0, w, x, y, z))
        row(f"{name}, by keyword", lambda: blend(n=0, a=2.0, w=w, x=x, y=y, z=z))
        row(f"{name}, with a stream", lambda: blend(0, 2.0, w, x, y, z, stream=stream))
        stream.synchronize()

    for name, make in (("torch tensors", from_torch), ("numpy arrays", from_numpy)):
        try:
            rows(name, make())
        except ImportError as error:
            print(f"{name}: not measured: {error}")
    own = [sextant.Array(program.device, 64, "f32") for _ in range(4)]
    rows("sextant arrays", own)
    rows("sextant pointers", [sextant.Pointer(each.address, "f32", 64, owner=each) for each in own])
    launch = blend.prepare(0, 2.0, *own)
    launch.vary("n", "a")
    row("prepared launch", launch.enqueue)
    row("prepared launch, run of two scalars", lambda: launch.run((0, 2.0)))


def from_torch():
    import torch
    return [torch.ones(64) for _ in range(4)]


def from_numpy():
    import numpy
    return [numpy.ones(64, numpy.float32) for _ in range(4)]


if __name__ == "__main__":
    main()

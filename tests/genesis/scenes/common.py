"""Shared by all scenes: the command line, the times, the file of results.

A scene makes one Run, times its parts with `run.timed`, steps with `run.step` and ends with `run.save`. Its last line
of output is a JSON object of times in seconds: `import`, `init`, `scene`, `build`, `first` (the first step), `step`
(the median of the others; on a GPU a call may return before its work is done), `mean` (the mean of the others, with the
wait for the GPU at the end) and `total` (since the scene's process started).
"""

import argparse
import contextlib
import json
import os
import statistics
import time

import psutil


def forbid_fast_math():
    """Genesis asks for fast math itself, so no variable of the environment can turn it off."""
    import quadrants

    init = quadrants.init
    quadrants.init = lambda *arguments, **options: init(*arguments, **options | {"fast_math": False})


class Run:
    def __init__(self, description, *, steps, envs, copies=False, fields=False, precision="32", flags=()):
        """With `copies`, Genesis reads and writes state by kernels, else by views of the memory where it can. With
        `fields`, the scene needs quadrants' fields: it does not run on its ndarrays. `flags` are options of its own."""
        if copies:
            os.environ["GS_ENABLE_ZEROCOPY"] = "0"
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--steps", type=int, default=steps, help="steps of simulation (%(default)s)")
        parser.add_argument("--envs", type=int, default=envs, help="environments, 0 for none (%(default)s)")
        parser.add_argument("--backend", choices=["cpu", "gpu"], default="cpu")
        parser.add_argument("--fields", action="store_true", help="quadrants' fields instead of its ndarrays")
        parser.add_argument("--exact", action="store_true", help="without fast math, which Genesis has on")
        parser.add_argument("--out", metavar="FILE.npz", help="where to write the final state")
        for flag in flags:
            parser.add_argument(f"--{flag}", action="store_true")
        self.options = options = parser.parse_args()
        self.steps, self.envs, self.out = options.steps, options.envs, options.out
        self.times = {"import": 0.0, "init": 0.0, "scene": 0.0, "build": 0.0}
        with self.timed("import"):
            import genesis
        if options.exact:
            forbid_fast_math()
        with self.timed("init"):
            genesis.init(
                backend=getattr(genesis, options.backend),
                seed=1,
                logging_level="error",
                precision=precision,
                performance_mode=options.fields or fields,
            )
        self.genesis = genesis

    @contextlib.contextmanager
    def timed(self, name):
        start = time.perf_counter()
        yield
        self.times[name] = self.times.get(name, 0.0) + time.perf_counter() - start

    def step(self, scene, before=None):
        """Steps the scene; `before(number)` acts on it before each step."""
        each = []
        for number in range(self.steps):
            if before:
                before(number)
            start = time.perf_counter()
            scene.step()
            each.append(time.perf_counter() - start)
            if number == 0:
                self.wait()
                others = time.perf_counter()
        self.wait()
        self.times["mean"] = (time.perf_counter() - others) / max(self.steps - 1, 1)
        self.times["first"] = self.times.get("first", 0.0) + each[0]
        self.times["step"] = statistics.median(each[1:] or each)

    def wait(self):
        """Waits until the GPU is done."""
        if self.options.backend == "gpu":
            import torch

            torch.cuda.synchronize()

    def save(self, **results):
        """Writes the final state: tensors, arrays, numbers, and dictionaries of these."""
        if self.out:
            import numpy

            numpy.savez(self.out, **{name: array(value) for name, value in flat(results)})
        self.times["total"] = time.time() - psutil.Process().create_time()
        print(json.dumps({name: round(seconds, 6) for name, seconds in self.times.items()}))


def flat(results, prefix=""):
    for name, value in results.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        elif isinstance(value, (list, tuple)):
            yield from flat({str(place): item for place, item in enumerate(value)}, f"{prefix}{name}.")
        elif value is not None:
            yield prefix + name, value


def array(value):
    import numpy

    return value.detach().cpu().numpy() if hasattr(value, "detach") else numpy.asarray(value)

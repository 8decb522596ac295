"""Shared by the package's tests: the module, which the `sextant` command compiles once, and the opened program."""
import functools
import os
import subprocess
import tempfile

import sextant

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.environ["SEXTANT_COMMAND"]  # the built `sextant`
folder = tempfile.TemporaryDirectory(prefix="sextant-python-")
CPU = "cpu:aarch64" if os.uname().machine in ("aarch64", "arm64") else "cpu:x86-64-v2"
INSTANCES = [f"--kernel=twice[x=ndarray({dtype}, 1)] as twice_{dtype}" for dtype in ("f16", "bf16", "f8e4m3", "f8e5m2", "i64", "u8", "f64")]
INSTANCES += ["--kernel=saxpy.grad", "--kernel=saxpy.dual"]
INSTANCES.append("--kernel=Bundle.add[self.arrays=[ndarray(f32, 1), ndarray(i32, 1)], self.steps=[0, State]] as add_all")


def command(*arguments) -> str:
    """Runs `sextant` in the tests' folder and returns what it prints."""
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True, cwd=folder.name).stdout


@functools.cache
def module(*options, file="kernels.py", targets=CPU) -> str:
    """The path of a file's compiled kernels. A process that a test starts may be given that of the tests' own kernels."""
    if file == "kernels.py" and not options and targets == CPU and "SEXTANT_TEST_MODULE" in os.environ:
        return os.environ["SEXTANT_TEST_MODULE"]
    path = os.path.join(folder.name, f"{os.path.basename(file)}{abs(hash((options, targets)))}.sxt")
    instances = INSTANCES if file == "kernels.py" else []
    command("compile", os.path.join(HERE, file), "-o", path, f"--targets={targets}", *instances, *options)
    return path


@functools.cache
def app() -> sextant.Program:
    """The kernels on the CPU."""
    return sextant.open(module(), "cpu")

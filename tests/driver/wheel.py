"""Reads the wheels of `sextant wheel` with Python's own zipfile and hashlib, and calls their packages over a stand-in
for the package `sextant` that notes each call: wheel.py SEXTANT FOLDER"""
import base64
import dataclasses
import email
import hashlib
import importlib
import inspect
import pathlib
import shutil
import subprocess
import sys
import typing
import zipfile

KERNELS = '''
import dataclasses
import quadrants as qd

A = qd.types.ndarray(dtype=qd.f32, ndim=1)

@dataclasses.dataclass
class Inner:
    new: A
    v: qd.types.vector(2, qd.i32)

@dataclasses.dataclass
class Outer:
    inner: Inner
    dt: float

@qd.kernel
def advance(stream: Outer, n: qd.i32, other: Inner):
    """Adds "quoted" things: \\\\ and \\"\\"\\".

    Second paragraph.
    """
    for i in range(n):
        stream.inner.new[i] = stream.dt * stream.inner.v.y + other.new[i]

@qd.kernel
def total(x: A) -> qd.f64:
    s = qd.f64(0)
    for i in range(x.shape[0]):
        s += x[i]
    return s

@qd.kernel
def fill(x: A, value: qd.template()):
    for i in range(x.shape[0]):
        x[i] = value
'''

STAND_IN = '''
class Device:
    def __init__(self, name):
        self.name = name

class Stream:
    def __init__(self, device):
        self.device = device

class Module:
    def __init__(self, source):
        self.source = source

class Program:
    made = []

    def __init__(self, module, device=None):
        self.module = module
        self.device = device if isinstance(device, Device) else Device(device or "cpu")
        self.made.append(self)

    def __getitem__(self, name):
        return lambda *arguments, **keywords: (self, name, arguments, keywords)
'''


def check_archive(path, name, version):
    """Checks what pip relies on, and returns the files."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert all(each.date_time == (1980, 1, 1, 0, 0, 0) for each in archive.infolist())
        assert all(each.external_attr >> 16 == 0o100644 for each in archive.infolist())
        files = {each: archive.read(each) for each in archive.namelist()}
    info = f"{name}-{version}.dist-info/"
    assert list(files)[-3:] == [info + "METADATA", info + "WHEEL", info + "RECORD"], list(files)
    rows = [line.split(",") for line in files[info + "RECORD"].decode().splitlines()]
    assert [row[0] for row in rows] == list(files)
    for file, digest, size in rows[:-1]:
        expected = base64.urlsafe_b64encode(hashlib.sha256(files[file]).digest()).decode().rstrip("=")
        assert (digest, size) == ("sha256=" + expected, str(len(files[file]))), file
    assert rows[-1][1:] == ["", ""]
    wheel = email.message_from_bytes(files[info + "WHEEL"])
    assert wheel["Wheel-Version"] == "1.0" and wheel["Tag"] == "py3-none-any" and wheel["Root-Is-Purelib"] == "true"
    return files, email.message_from_bytes(files[info + "METADATA"])


def main(sextant, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def run(*arguments):
        return subprocess.run([sextant, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout

    (folder / "kernels.py").write_text(KERNELS)
    run("compile", "kernels.py", "-o", "app.sxt", "-k", "fill[value=2]", "-k", "fill[value=3]",
        "--targets=cpu,compute_75,vulkan")
    made = run("wheel", "app.sxt", "-o", "dist", "--name=My-App", "--version=1.2rc1")
    assert made == "dist/my_app-1.2rc1-py3-none-any.whl\n", made
    files, metadata = check_archive(folder / made.strip(), "my_app", "1.2rc1")
    assert files["my_app/my_app.sxt"] == (folder / "app.sxt").read_bytes()
    assert files["my_app/py.typed"] == b""
    version = run("--version").split()[1]
    assert (metadata["Name"], metadata["Version"]) == ("My-App", "1.2rc1")
    assert metadata["Requires-Dist"] == f"sextant-kernels-loader~={version}"

    # The same input makes the same bytes.
    run("wheel", "app.sxt", "-o", "again", "--name=My-App", "--version=1.2rc1")
    assert (folder / "again" / pathlib.Path(made.strip()).name).read_bytes() == (folder / made.strip()).read_bytes()

    # The package, over the stand-in.
    site = folder / "site"
    zipfile.ZipFile(folder / made.strip()).extractall(site)
    (site / "sextant.py").write_text(STAND_IN)
    sys.path.insert(0, str(site))
    app, stand_in = importlib.import_module("my_app"), importlib.import_module("sextant")
    assert app.__all__ == ["program", "advance", "fill_2", "fill_3", "total"], app.__all__
    assert app.__version__ == "1.2rc1"
    assert not stand_in.Program.made, "importing opens nothing"
    assert inspect.getdoc(app.advance) == ('Adds "quoted" things: \\ and """.\n\nSecond paragraph.\n\n'
                                           "`advance`: queues a launch."), inspect.getdoc(app.advance)
    hints = typing.get_type_hints(app.advance, include_extras=True)
    assert list(inspect.signature(app.advance).parameters) == ["stream", "n", "other", "stream_"]
    assert hints["n"] == typing.Annotated[int, "i32"] and hints["return"] is type(None)
    inner = typing.get_type_hints(app.advance_stream_inner.v.fget, include_extras=True)["return"]
    assert inner == typing.Annotated[typing.Any, "i32 2"], inner
    assert typing.get_type_hints(app.total)["return"] is float

    state = object()
    program, name, arguments, keywords = app.program("cpu")["advance"](state, 3, other=4)
    assert app.advance(state, 3, other=4) is None
    result = app.total("x")
    assert result == (app.program(), "total", ("x",), {"stream": None}), result
    assert app.program() is app.program("cpu") is app.program(stand_in.Device("cpu"))
    assert pathlib.Path(app.program().module.source).read_bytes() == files["my_app/my_app.sxt"]
    stream = stand_in.Stream(stand_in.Device("cuda:0"))
    program, name, arguments, keywords = app.total("x", stream=stream)
    assert program is app.program("cuda:0") is not app.program() and keywords == {"stream": stream}

    # One wheel a backend: each has all functions, and the code of its backend and of CPUs.
    made = run("wheel", "app.sxt", "-o", "thin", "--version=3", "--thin").split()
    assert made == [f"thin/app_{each}-3-py3-none-any.whl" for each in ("cpu", "cuda", "vulkan")], made
    texts = set()
    for path, backend in zip(made, ("cpu", "cuda", "vulkan")):
        files, metadata = check_archive(folder / path, f"app_{backend}", "3")
        assert metadata["Name"] == f"app-{backend}"
        texts.add(files["app/__init__.py"])
        (folder / "thin.sxt").write_bytes(files["app/app.sxt"])
        targets = {line.split(":")[0].strip() for line in run("inspect", "thin.sxt").splitlines()
                   if "/wave" in line and not line.startswith("  refused")}
        assert targets == {backend, "cpu"}, (path, targets)
    assert len(texts) == 1


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))

"""Checks the package with torch on a GPU of NVIDIA: gpu_check.py MODULE, of kernels.py beside this file, compiled with
--targets for the GPU (cuda:sm_90, cuda:compute_80) and --kernel saxpy.grad. PYTHONPATH must lead to `sextant`. Needs torch with CUDA.

Prints a line for each check, and ends with status 1 if one failed.
"""
import gc
import statistics
import sys
import time
import traceback

import torch

import sextant
import sextant.torch

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def ones(count=1 << 20, value=1.0):
    return torch.full((count,), value, device="cuda")


@check
def results_are_right(app):
    x, y = torch.arange(1000, dtype=torch.float32, device="cuda"), ones(1000)
    app.saxpy(1000, 2.0, x, y)
    assert torch.equal(y.cpu(), 2 * torch.arange(1000, dtype=torch.float32) + 1)
    assert app.sum_of(torch.arange(1000, dtype=torch.int32, device="cuda")) == 499500


@check
def the_current_stream_is_used(app):
    stream = torch.cuda.Stream()
    x, y = ones(), ones()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        x.fill_(3.0)  # late: a launch in another stream would read ones
        app.saxpy(x.numel(), 1.0, x, y)
        z = y + 1
    stream.synchronize()
    assert bool((y == 4).all()) and bool((z == 5).all())


@check
def a_given_stream_waits_for_the_current_one(app):
    x, y = ones(), ones()
    mine = app.device.stream()
    torch.cuda._sleep(200_000_000)
    x.fill_(3.0)
    app.saxpy(x.numel(), 1.0, x, y, stream=mine)
    del x  # its memory must not be given to others before the launch is done
    for _ in range(20):
        ones(value=100.0)
    mine.synchronize()
    assert bool((y == 4).all())


@check
def a_launch_does_not_wait(app):
    x, y = ones(), ones()
    app.saxpy(x.numel(), 0.0, x, y)
    torch.cuda.synchronize()
    torch.cuda._sleep(1_000_000_000)
    begin = time.perf_counter()
    app.saxpy(x.numel(), 1.0, x, y)
    spent = time.perf_counter() - begin
    torch.cuda.synchronize()
    assert spent < 0.05, f"{spent} s"
    assert bool((y == 2).all())


@check
def torch_captures_launches(app):
    stream = torch.cuda.Stream()
    x, y = ones(), ones(value=0.0)
    total = torch.arange(100, dtype=torch.int32, device="cuda")
    with torch.cuda.stream(stream):
        app.saxpy(x.numel(), 0.0, x, y)
        app.sum_of.launch(total)  # temporary memory, for the result
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        x.add_(1.0)
        app.saxpy(x.numel(), 1.0, x, y)
        app.sum_of.launch(total)
        z = y * 2
    assert bool((y == 0).all()), "capturing runs nothing"
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert bool((y == 2 + 3 + 4).all()) and bool((z == 18).all())
    assert int(torch.from_dlpack(app.field("total"))) == 4950


@check
def vectors_matrices_structs(app):
    x, y = torch.zeros(4, 3, device="cuda"), torch.ones(2, 5, 2, 3, device="cuda")
    app.transform([[1, 2, 3], [4, 5, 6]], (0.5, 1, -2), x, y)
    assert x.cpu().tolist() == [[0.5, 1, -2]] * 4
    assert y[1, 2].cpu().tolist() == [[1 + 21 * v for v in row] for row in [[1, 2, 3], [4, 5, 6]]]
    _, size = sextant.structure_layout(app.shake.parameters[0].structure)
    raw = torch.zeros(3, size, dtype=torch.uint8, device="cuda")
    app.shake(raw)
    assert raw[:, 0].cpu().tolist() == [1, 1, 1]
    assert raw[:, 8:12].contiguous().view(torch.float32).flatten().cpu().tolist() == [0.5] * 3


@check
def fields_are_shared(app):
    app.fill_table(3.0)
    table = torch.from_dlpack(app.field("table"))
    assert table.shape == (3, 4, 2) and table[2, 3].cpu().tolist() == [6.0, 3.0]
    table.fill_(7.0)
    torch.cuda.synchronize()
    view = bytearray(app.field("table").nbytes)
    app.field("table").read(view)
    assert set(memoryview(view).cast("f")) == {7.0}


@check
def prepared_launches_and_graphs(app):
    x, y = ones(1000), ones(1000)
    launch = app.saxpy.prepare(1000, 1.0, x, y)
    launch.vary("a")
    for a in (1.0, 2.0, 3.0):
        launch.run((a,))
    assert bool((y == 7).all())
    graph = sextant.Graph(app.device)
    step = graph.add(app.saxpy, 1000, 1.0, x, y)
    graph.enqueue()
    graph.set(step, "a", -8)
    graph.enqueue()
    assert bool((y == 0).all())


@check
def adopted_context(app):
    stream = torch.cuda.Stream()
    device = sextant.adopt("cuda", context=0, stream=stream.cuda_stream)
    program = sextant.open(MODULE, device)
    x, y = ones(1000), ones(1000)
    stream.wait_stream(torch.cuda.current_stream())
    program.saxpy(1000, 1.0, sextant.Pointer(x.data_ptr(), "f32", 1000, owner=x),
                  sextant.Pointer(y.data_ptr(), "f32", 1000, owner=y))
    stream.synchronize()
    assert bool((y == 2).all())


@check
def wrong_arguments_are_named(app):
    x = ones(8)
    for y, words in ((torch.ones(8), "'y': it is in host memory"), (x.double(), "of float64"), (x[::2], "strides"),
                     (None, "expected an array")):
        try:
            app.saxpy(4, 1.0, x, y)
        except sextant.Error as error:
            assert words in str(error), error
        else:
            raise AssertionError(f"accepted: {words}")


@check
def memory_is_given_back(app):
    torch.cuda.synchronize()
    x, y = ones(), ones()
    mine = app.device.stream()
    before = torch.cuda.memory_allocated()
    for _ in range(500):
        app.saxpy(x.numel(), 1.0, ones(), y)
        app.saxpy(x.numel(), 1.0, ones(), y, stream=mine)
    mine.synchronize()
    gc.collect()
    assert torch.cuda.memory_allocated() == before


@check
def a_tape_goes_back_after_torch(app):
    stream = torch.cuda.Stream()
    x, y, z = ones(), ones(), ones(value=0.0)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        x.fill_(3.0)
        with sextant.Tape() as tape:
            app.saxpy(x.numel(), 2.0, x, y)
            app.saxpy(x.numel(), 5.0, y, z)
        slope = ones()
        tape.set_gradient(z, slope)
        tape.backward()
        found = torch.from_dlpack(tape.gradient(x)).clone()
    stream.synchronize()
    assert bool((z == 35).all()) and bool((found == 10).all()) and bool((slope == 1).all())


@check
def torch_functions_have_gradients(app):
    saxpy = sextant.torch.function(app.saxpy)
    x, y = ones(1000).requires_grad_(), ones(1000).requires_grad_()
    with torch.cuda.stream(torch.cuda.Stream()):
        saxpy(1000, 2.0, x, saxpy(500, 3.0, x, y)).sum().backward()
    torch.cuda.synchronize()
    assert bool((x.grad[:500] == 5).all()) and bool((x.grad[500:] == 2).all()) and bool((y.grad == 1).all())


@check
def launch_overhead(app):
    """Prints numbers; it holds them to nothing."""
    x, y = ones(64), ones(64)
    for name, call in (("sextant launch", lambda: app.saxpy(64, 1.0, x, y)), ("torch x.add_(1)", lambda: x.add_(1.0))):
        samples = []
        for _ in range(21):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(500):
                call()
            samples.append((time.perf_counter() - begin) / 500 * 1e6)
        print(f"     {name}: {statistics.median(samples):.2f} us")


MODULE = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}, sextant {sextant.__version__}")
failed = 0
opened = sextant.open(MODULE, "cuda:0")
for function in CHECKS:
    try:
        function(opened)
        print("pass", function.__name__, flush=True)
    except Exception:  # noqa: BLE001 (each check reports)
        failed += 1
        print("FAIL", function.__name__, flush=True)
        traceback.print_exc()
print(f"{len(CHECKS) - failed} of {len(CHECKS)} passed")
sys.exit(failed > 0)

"""Products of matrices by a module of matmul.py beside PyTorch's (cuBLAS), on one NVIDIA GPU.

    rows.py LOADER MODULE [SIZE…] [--variant=PATTERN] [--kernel=WORD] [--offset=ELEMENTS]

LOADER is libsextant_loader.so. Both work on the same memory and stream, in turn: medians of 15 rounds. `error` is the
greatest difference between the two results, over the greatest of PyTorch's. With an offset, arrays begin so many elements
after an aligned address.
"""

import ctypes
import statistics
import sys

import torch

ROUNDS = 15
NUMBERS = {torch.int8: 2, torch.int32: 4, torch.int64: 9, torch.float16: 10, torch.float32: 11, torch.float64: 12,
           torch.bfloat16: 13, torch.float8_e4m3fn: 14}  # sxt_dtype; the workspace's u64 is int64 here
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32, "f32": torch.float32,
         "f64": torch.float64, "i8": torch.int8, "f8e4m3": torch.float8_e4m3fn}
RESULTS = {"i8": torch.int32, "f8e4m3": torch.bfloat16}
ARRAY = 1  # sxt_argument_kind


class Argument(ctypes.Structure):  # sxt_argument
    _fields_ = [("struct_size", ctypes.c_size_t), ("kind", ctypes.c_uint32), ("dtype", ctypes.c_uint32),
                ("ndim", ctypes.c_uint32), ("rows", ctypes.c_uint32), ("cols", ctypes.c_uint32),
                ("value", ctypes.c_uint64), ("offset_bytes", ctypes.c_uint64), ("shape", ctypes.c_int64 * 8)]


class Program:
    """A module on the first device of a kind. On CUDA it shares PyTorch's stream and memory."""

    def __init__(self, loader, module, variant, device="cuda"):
        self.library = ctypes.CDLL(loader)
        self.library.sxt_last_error_message.restype = ctypes.c_char_p
        self.module, self.device, self.program, self.stream = (ctypes.c_void_p() for _ in range(4))
        self.call("sxt_module_open_file", module.encode(), ctypes.byref(self.module))
        self.call("sxt_device_open", device.encode(), ctypes.byref(self.device))
        options = (ctypes.c_void_p * 5)(40, ctypes.cast(ctypes.c_char_p(variant.encode() if variant else None), ctypes.c_void_p))
        self.call("sxt_program_create", self.module, self.device, ctypes.byref(options), ctypes.byref(self.program))
        if device == "cuda":
            self.call("sxt_stream_wrap", self.device, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), ctypes.byref(self.stream))

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments):
            raise RuntimeError(f"{name}: {self.library.sxt_last_error_message().decode()}")

    def kernel(self, name):
        kernel = ctypes.c_void_p()
        self.call("sxt_program_kernel", self.program, name.encode(), ctypes.byref(kernel))

        def launch(*tensors):
            arguments = (Argument * len(tensors))()
            for argument, tensor in zip(arguments, tensors):
                argument.struct_size, argument.kind = ctypes.sizeof(Argument), ARRAY
                argument.dtype, argument.ndim, argument.rows, argument.cols = NUMBERS[tensor.dtype], tensor.dim(), 1, 1
                argument.offset_bytes = tensor.data_ptr()
                argument.shape[:tensor.dim()] = tensor.shape
            self.call("sxt_kernel_launch", kernel, self.stream, arguments, ctypes.c_size_t(len(tensors)))

        return launch


def numbers(shape, dtype, offset):
    count = shape[0] * shape[1] + offset
    if dtype == torch.int8:
        whole = torch.randint(-128, 128, (count,), device="cuda", dtype=dtype)
    else:
        whole = torch.randn(count, device="cuda").to(dtype)
    return whole[offset:].view(shape)


def peer_of(kind, a, b, c):
    """PyTorch's product of the same operands. It takes some types in one layout only, as cuBLAS does."""
    if kind == "i8":
        return lambda: torch._int_mm(a, b, out=c)
    if kind == "f8e4m3":
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b, one, one, out_dtype=c.dtype, out=c)
    return lambda: torch.matmul(a, b, out=c)


def time_one(launch):
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def medians(ways, launches=1, rounds=ROUNDS):
    """The median of each way's milliseconds a launch, in turn; NaN for None."""
    times = [[time_one(lambda: [way() for _ in range(launches)]) if way else float("nan") for way in ways] for _ in range(rounds)]
    return [statistics.median(each) / launches for each in zip(*times)]


def warm(ways):
    for way in ways:
        for _ in range(3):
            way and way()
    torch.cuda.synchronize()


def error_of(found, expected):
    return float((found.double() - expected.double()).abs().max() / expected.double().abs().max())


def begin():
    """The program, the words after it, and the options of the command line; prints which device and variant it is."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if word.startswith("--"))
    program = Program(words[0], words[1], options.get("variant"))
    torch.manual_seed(1)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, variant {options.get('variant') or 'as the loader picks'}\n")
    return program, words[2:], options


def row(program, name, size, offset):
    kind, layout = name.split("_")
    rows, cols, inner = size
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    a = numbers((inner, rows) if layout[0] == "t" else (rows, inner), TYPES[kind], offset)
    b = numbers((cols, inner) if layout[1] == "t" else (inner, cols), TYPES[kind], offset)
    c = torch.empty((rows, cols), device="cuda", dtype=RESULTS.get(kind, TYPES[kind]))
    workspace, expected = torch.zeros(64, device="cuda", dtype=torch.int64), torch.empty_like(c)
    kernel = program.kernel(name)
    ours = lambda: kernel(a, b, c, workspace)
    peer = peer_of(kind, a.t() if layout[0] == "t" else a, b.t() if layout[1] == "t" else b, expected)
    warm((ours, peer))
    error = error_of(c, expected)
    mine, other = medians((ours, peer))
    work = 2 * rows * cols * inner / 1e9
    shape = "x".join(map(str, size))
    print(f"| {name:9} | {shape:16} | {work / mine:7.1f} | {work / other:7.1f} | {other / mine:5.2f} | {error:.1e} |", flush=True)


def main():
    program, words, options = begin()
    sizes = words or ["8192x8192x8192", "4096x4096x4096", "8200x8184x8208", "1024x1024x1024"]
    print("| kernel    | rows x cols x k  |    ours |   torch | ratio |   error |")
    print("|-----------|------------------|---------|---------|-------|---------|")
    for name in ("f16_nn", "f16_nt", "f16_tn", "f16_tt", "bf16_nn", "tf32_nt", "tf32_nn", "i8_nt", "f8e4m3_nt", "f32_nn", "f32_nt", "f64_nn"):
        if options.get("kernel", "") in name:
            for size in sizes:
                try:
                    row(program, name, tuple(map(int, size.split("x"))), int(options.get("offset", 0)))
                except RuntimeError as problem:
                    print(f"| {name:9} | {size:16} | {str(problem).splitlines()[0]} |", flush=True)


if __name__ == "__main__":
    main()

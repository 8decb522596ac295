"""Products of matrices by Vulkan, by CUDA and by PyTorch (cuBLAS), of one module of matmul.py, on one NVIDIA GPU.

    vulkan_rows.py LOADER MODULE [SIZE…] [--variant=PATTERN] [--kernel=WORD]

The pattern is for Vulkan. All work in turn, on the same numbers: medians of 15 rounds. `error` is the greatest difference of
Vulkan's result from PyTorch's, over the greatest of PyTorch's. TFLOP/s.
"""

import ctypes
import statistics
import sys

import torch

from rows import ARRAY, NUMBERS, RESULTS, ROUNDS, TYPES, Argument, Program, error_of, medians, numbers, peer_of, warm


class Vulkan(Program):
    """Arrays in buffers of the device, and time by its events."""

    def __init__(self, loader, module, variant):
        super().__init__(loader, module, variant, "vulkan")
        self.call("sxt_stream_create", self.device, ctypes.byref(self.stream))
        self.events = [ctypes.c_void_p() for _ in range(2)]
        for event in self.events:
            self.call("sxt_event_create", self.device, ctypes.byref(event))
        self.library.sxt_buffer_release.restype = None

    def array(self, tensor):
        """A copy of a tensor, as an argument."""
        host = tensor.cpu().contiguous()
        size = host.numel() * host.element_size()
        buffer = ctypes.c_void_p()
        self.call("sxt_buffer_create", self.device, ctypes.c_uint64(size), ctypes.byref(buffer))
        self.call("sxt_buffer_write", buffer, ctypes.c_uint64(0), ctypes.c_void_p(host.data_ptr()), ctypes.c_size_t(size), self.stream)
        argument = Argument(ctypes.sizeof(Argument), ARRAY, NUMBERS[tensor.dtype], tensor.dim(), 1, 1, buffer.value)
        argument.shape[: tensor.dim()] = tensor.shape
        return argument

    def read(self, argument, like):
        host = torch.empty_like(like, device="cpu")
        size = host.numel() * host.element_size()
        self.call("sxt_buffer_read", ctypes.c_void_p(argument.value), ctypes.c_uint64(0), ctypes.c_void_p(host.data_ptr()),
                  ctypes.c_size_t(size), self.stream)
        return host.to(like.device)

    def release(self, arguments):
        for argument in arguments:
            self.library.sxt_buffer_release(ctypes.c_void_p(argument.value))

    def milliseconds(self, kernel, arguments):
        begin, end = self.events
        self.call("sxt_event_record", begin, self.stream)
        self.call("sxt_kernel_launch", kernel, self.stream, arguments, ctypes.c_size_t(len(arguments)))
        self.call("sxt_event_record", end, self.stream)
        self.call("sxt_event_synchronize", end)
        time = ctypes.c_double()
        self.call("sxt_event_elapsed", begin, end, ctypes.byref(time))
        return time.value


def row(vulkan, cuda, name, size):
    kind, layout = name.split("_")
    rows, cols, inner = size
    a = numbers((inner, rows) if layout[0] == "t" else (rows, inner), TYPES[kind], 0)
    b = numbers((cols, inner) if layout[1] == "t" else (inner, cols), TYPES[kind], 0)
    c = torch.empty((rows, cols), device="cuda", dtype=RESULTS.get(kind, TYPES[kind]))
    workspace, expected = torch.zeros(64, device="cuda", dtype=torch.int64), torch.empty_like(c)
    peer = peer_of(kind, a.t() if layout[0] == "t" else a, b.t() if layout[1] == "t" else b, expected)
    launch = cuda.kernel(name)
    ways = (lambda: launch(a, b, c, workspace), peer)
    warm(ways)
    arguments = (Argument * 4)(*map(vulkan.array, (a, b, torch.zeros_like(c), workspace)))
    kernel = ctypes.c_void_p()
    vulkan.call("sxt_program_kernel", vulkan.program, name.encode(), ctypes.byref(kernel))
    for _ in range(3):
        vulkan.milliseconds(kernel, arguments)
    by_vulkan, others = [], []
    for _ in range(ROUNDS):
        by_vulkan.append(vulkan.milliseconds(kernel, arguments))
        others.append(medians(ways, rounds=1))
    error = error_of(vulkan.read(arguments[2], c), expected)
    vulkan.release(arguments)
    work = 2 * rows * cols * inner / 1e9
    mine = statistics.median(by_vulkan)
    by_cuda, by_torch = (statistics.median(each) for each in zip(*others))
    shape = "x".join(map(str, size))
    print(f"| {name:9} | {shape:16} | {work / mine:7.1f} | {work / by_cuda:7.1f} | {work / by_torch:7.1f} | {by_cuda / mine:5.2f} "
          f"| {by_torch / mine:5.2f} | {error:.1e} |", flush=True)


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if word.startswith("--"))
    vulkan, cuda = Vulkan(words[0], words[1], options.get("variant")), Program(words[0], words[1], None)
    torch.manual_seed(1)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, variant {options.get('variant') or 'as the loader picks'}\n")
    print("| kernel    | rows x cols x k  |  Vulkan |    CUDA |   torch | of CUDA | of torch | error |")
    print("|-----------|------------------|---------|---------|---------|---------|----------|-------|")
    for name in ("f16_nn", "f16_nt", "f16_tn", "bf16_nn", "i8_nt", "f32_nn"):
        if options.get("kernel", "") in name:
            for size in words[2:] or ["8192x8192x8192", "4096x4096x4096", "1024x1024x1024"]:
                row(vulkan, cuda, name, tuple(map(int, size.split("x"))))


if __name__ == "__main__":
    main()

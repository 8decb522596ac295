"""How other array libraries tell their streams, where their objects do not.

Nothing here imports a library: if a program has no torch, no array is one of torch's.
"""
import sys


def current_stream(array, device: int):
    """The driver's handle of the stream in which the array's library works now; None if it has no such thing."""
    library = type(array).__module__.partition(".")[0]
    if library == "torch":  # before 2.10; newer tensors have DLPack's table of functions
        return sys.modules["torch"].cuda.current_stream(device).cuda_stream
    if library == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    return None


def is_capturing() -> bool:
    """True if torch or CuPy captures this thread's current stream into a graph."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
        return True
    return cupy is not None and cupy.cuda.get_current_stream().is_capturing()

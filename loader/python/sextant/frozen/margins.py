"""Readable memory before and after the trees of fields on the CPU.

A program may read outside of a field, as in a stencil at the border. Under the JIT, what lies there is readable by the
chance of what the process has mapped, and a module in its place changes that. So pages that nothing else has are mapped
there, which can be read and have no memory of their own.
"""

from __future__ import annotations

import ctypes
import mmap
import sys

MARGIN = 1 << 20  # bytes before and after a tree
FIXED_NOREPLACE = 0x100000  # MAP_FIXED_NOREPLACE of Linux
TAKEN = 2**(8 * ctypes.sizeof(ctypes.c_void_p)) - 1  # MAP_FAILED


def keep_readable(begin: int, size: int) -> None:
    """Maps the pages around a tree that are not mapped; elsewhere than on Linux it does nothing."""
    if not sys.platform.startswith("linux"):
        return
    function = ctypes.CDLL(None, use_errno=True).mmap
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int64]
    first, last = begin // mmap.PAGESIZE, -(-(begin + size) // mmap.PAGESIZE)
    pages = MARGIN // mmap.PAGESIZE
    for page in (*range(first - pages, first), *range(last, last + pages)):
        address = page * mmap.PAGESIZE
        found = function(address, mmap.PAGESIZE, mmap.PROT_READ,
                         mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | FIXED_NOREPLACE, -1, 0)
        if found not in (TAKEN, address):  # a kernel before 4.17 takes the address for a hint
            return

"""Readable memory before and after the trees of fields on the CPU.

A program may read outside of a field, as in a stencil at the border. Under the JIT, what lies there is readable by the
chance of what the process has mapped, and a module in its place changes that. So pages that nothing else has are mapped
there, which can be read and have no memory of their own. Pages that others have reserved, or keep as guards, can be
read too; a write to them still ends the process.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from typing import Iterable, Iterator

MARGIN = 1 << 20  # bytes before and after a tree
FIXED_NOREPLACE = 0x100000  # MAP_FIXED_NOREPLACE of Linux


def keep_readable(trees: Iterable[tuple[int, int]]) -> None:
    """Makes the pages around trees readable that are not; elsewhere than on Linux it does nothing.

    trees: the address and the size of each
    """
    if not sys.platform.startswith("linux"):
        return
    library = ctypes.CDLL(None)
    place = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.mmap.argtypes, library.mprotect.argtypes = [*place, ctypes.c_int, ctypes.c_int, ctypes.c_int64], place
    library.mmap.restype = ctypes.c_void_p
    for begin, size in trees:
        for start, end, is_mapped in unreadable(begin - MARGIN, begin + size + MARGIN):
            if is_mapped:
                library.mprotect(start, end - start, mmap.PROT_READ)
            else:
                library.mmap(start, end - start, mmap.PROT_READ,
                             mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | FIXED_NOREPLACE, -1, 0)


def unreadable(begin: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """The pages between two addresses that cannot be read, and whether they are mapped."""
    first, last = max(begin // mmap.PAGESIZE, 0) * mmap.PAGESIZE, -(-end // mmap.PAGESIZE) * mmap.PAGESIZE
    with open("/proc/self/maps") as maps:
        lines = [line.split(maxsplit=2)[:2] for line in maps]
    for addresses, mode in lines:
        low, high = (int(address, 16) for address in addresses.split("-"))
        if high <= first or low >= last:
            continue
        if low > first:
            yield first, low, False
        if mode.startswith("---"):
            yield max(low, first), min(high, last), True
        first = high
    if first < last:
        yield first, last, False

# Grid operations that are written in the kernel language: the fence's earlier name.
import quadrants as qd
from quadrants.lang.simt import grid


@qd.func
def memfence():
    grid.mem_fence()

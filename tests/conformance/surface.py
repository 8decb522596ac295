"""The SIMT surface: every operation that the language's pages list, with its types and who holds
a result. generate.py writes the conformance kernels from this list, instructions.py the kernels
whose machine code it looks at, matrix.py the rows of docs/support-matrix.md; check_surface.py
compares it with the frontend's own tables.

An operation that is missing here is not tested: adding an op means adding a row.
"""

from typing import NamedTuple

INTS = ("i32", "u32", "i64", "u64")
WORDS = INTS + ("f32", "f64")  # what moves between lanes
ATOMS = INTS + ("f16", "f32", "f64")  # what atomics know
ALL = ("u1", "i8", "u8", "i16", "u16") + INTS + ("f16", "f32", "f64")

# Who holds a valid result.
LANES, TILE0, THREADS, THREAD0 = "all lanes", "lane 0 of the tile", "all threads", "thread 0"


class Op(NamedTuple):
    name: str  # "subgroup.reduce_add", as the frontend calls it
    dtypes: tuple
    family: str  # the generator's template and the module: <family>_<dtype>
    valid: str = LANES
    tiled: bool = False  # has a form <name>_tiled
    page: str = ""  # page and row

    @property
    def kernel(self):
        """The name of the generated kernel."""
        return self.name.split(".", 1)[1].replace("/", "_")

    @property
    def builtin(self):
        """The function that kernels call."""
        return self.name.split("/")[0]


def _ops(space, pattern, names, *rest, **more):
    return [Op(f"{space}.{pattern.format(name)}", *rest, **more) for name in names]


MOVES = ("shuffle", "shuffle_down", "shuffle_up", "shuffle_xor", "broadcast", "broadcast_first")
FOLDS = ("add", "min", "max")
SCANS = ("add", "mul", "min", "max")
BITS = ("and", "or", "xor")

OPS = [
    # ---- Subgroup: data movement, identification and control
    *_ops("subgroup", "{}", MOVES, WORDS, "move", page="subgroup, data movement"),
    *_ops("subgroup", "{}", ("invocation_id", "group_size", "log2_group_size", "elect"), ("i32",), "lane",
          page="subgroup, identification and control"),
    *_ops("subgroup", "{}", ("sync", "mem_fence"), ("i32",), "lane", page="subgroup, identification and control"),
    # ---- Votes
    *_ops("subgroup", "{}", ("ballot", "ballot_first_n"), INTS, "ballot", page="subgroup, voting"),
    *_ops("subgroup", "{}", ("all_true", "any_true", "all_equal"), WORDS, "vote", tiled=True, page="subgroup, voting"),
    *_ops("subgroup", "lanemask_{}", ("lt", "le", "eq", "gt", "ge"), INTS, "ballot", page="subgroup, voting"),
    # ---- Reductions and scans
    *_ops("subgroup", "reduce_{}", FOLDS, WORDS, "reduce", TILE0, tiled=True, page="subgroup, reductions"),
    *_ops("subgroup", "reduce_all_{}", FOLDS, WORDS, "reduce", tiled=True, page="subgroup, reductions"),
    *_ops("subgroup", "segmented_reduce_{}", FOLDS, WORDS, "segmented", tiled=True, page="subgroup, reductions"),
    *_ops("subgroup", "inclusive_{}", SCANS, WORDS, "scan", tiled=True, page="subgroup, scans"),
    *_ops("subgroup", "exclusive_{}", SCANS, WORDS, "scan", tiled=True, page="subgroup, scans"),
    *_ops("subgroup", "inclusive_{}", BITS, INTS, "scan", tiled=True, page="subgroup, scans"),
    *_ops("subgroup", "exclusive_{}", BITS, INTS, "scan", tiled=True, page="subgroup, scans"),
    # ---- Sorting: dtypes are the keys'; values are of every type of WORDS
    Op("subgroup.bitonic_sort_kv", WORDS, "sort", tiled=True, page="subgroup, sorting"),
    # ---- Block
    *_ops("block", "{}", ("sync", "sync_all_nonzero", "sync_any_nonzero", "sync_count_nonzero", "thread_idx",
                          "global_thread_idx"), ("i32",), "barrier", THREADS, page="block"),
    Op("block.SharedArray", ALL, "shared", THREADS, page="block"),
    *_ops("block", "reduce_{}", FOLDS, WORDS, "block_reduce", THREAD0, page="block"),
    *_ops("block", "reduce_all_{}", FOLDS, WORDS, "block_reduce", THREADS, page="block"),
    *_ops("block", "inclusive_{}", FOLDS, WORDS, "block_scan", THREADS, page="block"),
    *_ops("block", "exclusive_{}", FOLDS, WORDS, "block_scan", THREADS, page="block"),
    Op("block.reduce", WORDS, "block_reduce", THREAD0, page="block, generic"),
    Op("block.reduce_all", WORDS, "block_reduce", THREADS, page="block, generic"),
    Op("block.inclusive_scan", WORDS, "block_scan", THREADS, page="block, generic"),
    Op("block.exclusive_scan", WORDS, "block_scan", THREADS, page="block, generic"),
    # ---- Atomics: on arrays, fields and slots of vectors; "/shared": on shared memory
    *_ops("qd", "atomic_{}", ("add", "sub", "mul", "min", "max", "exchange"), ATOMS, "atomic", page="atomics"),
    *_ops("qd", "atomic_{}", BITS + ("cas",), INTS, "atomic", page="atomics"),
    *_ops("qd", "atomic_{}/shared", ("add", "sub", "mul", "min", "max", "exchange"), ATOMS, "atomic_shared",
          page="atomics"),
    *_ops("qd", "atomic_{}/shared", BITS + ("cas",), INTS, "atomic_shared", page="atomics"),
    Op("qd.volatile_load", ALL, "load", page="atomics"),
]


class Hand(NamedTuple):
    """An operation whose cases are written by hand: those of `module` whose name begins with `case`."""

    name: str
    dtype: str
    module: str
    case: str
    page: str


HAND = [
    Hand("block.radix_rank_match_atomic_or", "u32", "radix", "radix rank", "block"),
    Hand("block.mem_fence", "—", "block_mem_fence", "", "block"),
    Hand("grid.mem_fence", "—", "grid_lookback_scan", "", "grid"),
    Hand("subgroup.barrier", "—", "more", "deprecated names", "subgroup, renames"),
    Hand("subgroup.memory_barrier", "—", "more", "deprecated names", "subgroup, renames"),
    Hand("subgroup.ballot_full_subgroup", "i32", "more", "deprecated names", "subgroup, renames"),
    Hand("block.mem_sync", "—", "more", "deprecated names", "block"),
    Hand("grid.memfence", "—", "more", "deprecated names", "grid"),
    *[Hand(f"qd.{name}", dtype, "bit_counts", dtype, "math, bits")
      for name in ("popcnt", "clz", "ffs") for dtype in ("i8", "u8", "i16", "u16")],
    *[Hand(f"qd.{name}", dtype, f"arith_int_{dtype}", "bits", "math, bits")
      for name in ("popcnt", "clz", "ffs") for dtype in INTS],
    Hand("qd.fns", "u32", "bit_counts", "fns", "math, bits"),
]


def rows():
    """(operation, dtype) of everything that the generator writes a kernel for."""
    return [(op, dtype) for op in OPS for dtype in op.dtypes]


def modules():
    """family_dtype of the generated files, in order."""
    return list(dict.fromkeys(f"{op.family}_{dtype}" for op, dtype in rows()))

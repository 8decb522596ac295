"""The SIMT surface: every operation that the language's pages list, with its types and who holds
a result. generate.py writes the conformance kernels from this list, instructions.py the kernels
whose machine code it looks at, matrix.py the rows of docs/support-matrix.md.

The operations, and what they take, are those of the frontend's own list (operations.py). Here
stands how they are tested: the family of a group's operations, which is a template of
generate.py, and what fits no family and is tested by hand.
"""

from typing import NamedTuple

from operations import operations

INTS = ("i32", "u32", "i64", "u64")
WORDS = INTS + ("f32", "f64")  # types that move between lanes
ATOMS = INTS + ("f16", "bf16", "f32", "f64")  # types whose sums atomics find in any order; f8: kernels/small_reals.py
ALL = ("u1", "i8", "u8", "i16", "u16") + INTS + ("f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64")

# The generator's template for the operations of each group.
FAMILIES = {
    "Subgroup: data movement": "move",
    "Subgroup: identification and control": "lane",
    "Subgroup: ballots and lane masks": "ballot",
    "Subgroup: votes": "vote",
    "Subgroup: reductions": "reduce",
    "Subgroup: reductions to all lanes": "reduce",
    "Subgroup: segmented reductions": "segmented",
    "Subgroup: scans": "scan",
    "Subgroup: sorting": "sort",  # dtypes are the keys'; values are of every type of WORDS
    "Block: barriers and indices": "barrier",
    "Block: shared arrays": "shared",
    "Block: reductions": "block_reduce",
    "Block: reductions to all threads": "block_reduce",
    "Block: scans": "block_scan",
    "Atomics": "atomic",  # on arrays, fields and slots of vectors; "/shared": on shared memory
    "Volatile loads": "load",
}

# Types by what an operation's value takes, or where a family has no value, by the family.
TYPES = {"word": WORDS, "bits": INTS, "truth": WORDS, "predicate": INTS, "integer": INTS, "numbers": ATOMS, "scalar": INTS}
BITWISE = ("qd.atomic_and", "qd.atomic_or", "qd.atomic_xor")  # for places that are integers
FAMILY_TYPES = {"lane": ("i32",), "barrier": ("i32",), "shared": ALL, "load": ALL}


class Op(NamedTuple):
    name: str  # "subgroup.reduce_add", as kernels call it
    dtypes: tuple
    family: str  # the generator's template and the module: <family>_<dtype>
    valid: str  # who holds a valid result
    tiled: bool = False  # has a form <name>_tiled

    @property
    def kernel(self):
        """The name of the generated kernel."""
        return self.name.split(".", 1)[1].replace("/", "_")

    @property
    def builtin(self):
        """The function that kernels call."""
        return self.name.split("/")[0]


def _ops():
    rows = [op for op in operations() if op.group in FAMILIES and op.doc]
    tiled = {op.name.removesuffix("_tiled") for op in operations() if op.name.endswith("_tiled")}
    for family in dict.fromkeys(FAMILIES.values()):
        for suffix in ("", "/shared") if family == "atomic" else ("",):
            for op in rows:
                if FAMILIES[op.group] == family:
                    value = op.parameters[-1 if family == "atomic" else 0].takes if op.parameters else ""
                    dtypes = FAMILY_TYPES.get(family) or (INTS if op.name in BITWISE else TYPES[value])
                    yield Op(op.name + suffix, dtypes, family + suffix.replace("/", "_"), op.who, op.name in tiled)


OPS = list(_ops())


def gradient_of(op, dtype):
    """If `k.grad` goes through the operation (tests/gradients/surface_test.py): "✓"; "refused", where a gradient would
    have to; "none", where values carry none."""
    if dtype not in ("f16", "bf16", "f32", "f64") or op.family in ("vote", "ballot", "lane", "barrier"):
        return "none"
    adds = op.builtin in ("qd.atomic_add", "qd.atomic_sub")
    return "refused" if op.family == "load" or op.family.startswith("atomic") and not adds else "✓"


class Hand(NamedTuple):
    """An operation whose cases are written by hand: those of `module` whose name begins with `case`."""

    name: str
    dtype: str
    module: str
    case: str
    page: str


HAND = [
    Hand("block.radix_rank_match_atomic_or", "u32", "radix", "radix rank", "block"),
    *[Hand(f"block.{name}", dtype, "copies", case, "block")
      for name in ("memcpy_async", "memcpy_wait")
      for dtype, case in (("i32", "words"), ("i64", "doubles"), ("u8", "bytes"), ("f32", "vectors"))],
    Hand("block.mem_fence", "—", "block_mem_fence", "", "block"),
    Hand("grid.mem_fence", "—", "grid_lookback_scan", "", "grid"),
    Hand("subgroup.barrier", "—", "more", "deprecated names", "subgroup, renames"),
    Hand("subgroup.memory_barrier", "—", "more", "deprecated names", "subgroup, renames"),
    Hand("subgroup.ballot_full_subgroup", "i32", "more", "deprecated names", "subgroup, renames"),
    Hand("block.mem_sync", "—", "more", "deprecated names", "block"),
    Hand("grid.pause", "—", "launches_wait", "", "grid"),
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

# CUDA's operations on warps, by CUDA's names. A warp is 32 lanes; a wider subgroup holds several.
# All lanes take part: `warp._check` reports other masks and narrower subgroups, at the user's line.
import quadrants as qd
from quadrants.lang.simt import subgroup, warp


# ---- Shuffles: CUDA takes the low five bits of an offset -------------------------------


@qd.func
def _own(offset):
    return qd.u32(subgroup.invocation_id()), qd.u32(offset) & qd.u32(31)


@qd.func
def _from(value, offset):
    lane, low = _own(offset)
    return subgroup.shuffle(value, lane - (lane & qd.u32(31)) + low)


@qd.func
def _below(value, offset):
    lane, low = _own(offset)
    return subgroup.shuffle(value, qd.select((lane & qd.u32(31)) >= low, lane - low, lane))


@qd.func
def _above(value, offset):
    lane, low = _own(offset)
    return subgroup.shuffle(value, qd.select((lane & qd.u32(31)) + low < qd.u32(32), lane + low, lane))


@qd.func
def shfl_sync_i32(mask: qd.template(), val, offset):
    warp._check(mask)
    return _from(qd.i32(val), offset)


@qd.func
def shfl_sync_f32(mask: qd.template(), val, offset):
    warp._check(mask)
    return _from(qd.f32(val), offset)


@qd.func
def shfl_up_i32(mask: qd.template(), val, offset):
    warp._check(mask)
    return _below(qd.i32(val), offset)


@qd.func
def shfl_up_f32(mask: qd.template(), val, offset):
    warp._check(mask)
    return _below(qd.f32(val), offset)


@qd.func
def shfl_down_i32(mask: qd.template(), val, offset):
    warp._check(mask)
    return _above(qd.i32(val), offset)


@qd.func
def shfl_down_f32(mask: qd.template(), val, offset):
    warp._check(mask)
    return _above(qd.f32(val), offset)


@qd.func
def shfl_xor_i32(mask: qd.template(), val, offset):
    warp._check(mask)
    lane, low = _own(offset)
    return subgroup.shuffle(qd.i32(val), lane ^ low)


# ---- Votes ----------------------------------------------------------------------------


@qd.func
def all_nonzero(mask: qd.template(), predicate):
    warp._check(mask)
    return subgroup.all_true_tiled(predicate, 5)


@qd.func
def any_nonzero(mask: qd.template(), predicate):
    warp._check(mask)
    return subgroup.any_true_tiled(predicate, 5)


@qd.func
def unique(mask: qd.template(), predicate):
    warp._check(mask)
    return subgroup.all_equal_tiled(qd.i32(predicate != 0), 5)


# ---- Masks of lanes: the bits of the own warp, as i32 ---------------------------------


@qd.func
def _of_warp(lanes):
    lane = qd.u64(subgroup.invocation_id())
    return qd.i32(qd.u32(lanes >> (lane & ~qd.u64(31))))


@qd.func
def ballot(predicate):
    warp._check(-1)
    return _of_warp(subgroup.ballot(predicate))


@qd.func
def match_any(mask: qd.template(), value):
    warp._check(mask)
    return _of_warp(subgroup.match_any(qd.i32(value)))


@qd.func
def match_all(mask: qd.template(), val):
    warp._check(mask)
    return -subgroup.all_equal_tiled(qd.i32(val), 5)

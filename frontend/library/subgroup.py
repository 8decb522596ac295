# Subgroup operations that are written in the kernel language. Shuffles, ballots, votes,
# reductions and scans with a known operator are native: the compiler knows them, and
# `subgroup.<name>` below stands for these.
#
# Everything here expects uniform control flow with all lanes active. `subgroup._check_tile` and
# similar functions report calls that cannot be right, at the user's line. `subgroup._ballot` is the
# ballot of the lanes that exist.
import quadrants as qd
from quadrants.lang.simt import subgroup


# ---- Control ------------------------------------------------------


@qd.func
def elect():
    return qd.cast(subgroup.invocation_id() == 0, qd.i32)


# ---- Votes --------------------------------------------------------------------------


@qd.func
def all_equal_tiled(value, log2_size: qd.template()):
    subgroup._check_tile(log2_size)
    v = subgroup._widen(value)
    if qd.static(log2_size == subgroup.log2_group_size()):
        return subgroup.all_true(subgroup.broadcast(v, qd.u32(0)) == v)
    else:
        first = subgroup.invocation_id() & ~((1 << log2_size) - 1)
        same = subgroup.shuffle(v, qd.cast(first, qd.u32)) == v
        return subgroup.all_true_tiled(same, log2_size)


@qd.func
def all_equal(value):
    return all_equal_tiled(value, subgroup.log2_group_size())


# ---- Lane masks: bit i is set where i <relation> lane_id; lanes 0 to 31 --------------


@qd.func
def lanemask_eq(lane_id):
    subgroup._check_lane_id(lane_id)
    return qd.u32(1) << qd.cast(lane_id, qd.u32)


@qd.func
def lanemask_lt(lane_id):
    subgroup._check_lane_id(lane_id)
    return lanemask_eq(lane_id) - qd.u32(1)


@qd.func
def lanemask_le(lane_id):
    subgroup._check_lane_id(lane_id)
    return ~lanemask_gt(lane_id)


@qd.func
def lanemask_gt(lane_id):
    subgroup._check_lane_id(lane_id)
    return qd.u32(0xFFFFFFFE) << qd.cast(lane_id, qd.u32)


@qd.func
def lanemask_ge(lane_id):
    subgroup._check_lane_id(lane_id)
    return ~lanemask_lt(lane_id)


# ---- Segmented reductions -------------------------------------------------------------


@qd.func
def _add(a, b):
    return a + b


@qd.func
def _min(a, b):
    return qd.min(a, b)


@qd.func
def _max(a, b):
    return qd.max(a, b)


@qd.func
def _segment_distance(head_flag, log2_size: qd.template()):
    # The number of lanes from the head of this lane's segment up to it. The tile's first lane is
    # always a head, even if its flag is 0.
    lane = subgroup.invocation_id()
    heads = subgroup._ballot(head_flag != 0)
    if qd.static(log2_size == 6):
        bit = qd.u64(1) << qd.cast(lane, qd.u64)
        lower = (heads & (bit | (bit - qd.u64(1)))) | qd.u64(1)
        return lane - (63 - qd.math.clz(lower))
    elif qd.static(subgroup.group_size() == 64):
        # The 32 lanes of this lane's half are enough, and 32-bit arithmetic is cheaper.
        half = qd.cast(heads >> qd.cast(lane & 32, qd.u64), qd.u32)
        return _distance_in_half(half, lane & 31, log2_size)
    else:
        return _distance_in_half(qd.cast(heads, qd.u32), lane, log2_size)


@qd.func
def _distance_in_half(heads, lane, log2_size: qd.template()):
    first = lane & ~((1 << log2_size) - 1)
    lower = (heads & lanemask_le(lane)) | lanemask_eq(first)
    return lane - (31 - qd.math.clz(lower))


# A scan's steps: within rows of 16 lanes, a lane takes the value 2**k lanes before it. After that
# it takes the value of the last lane of the row or half before. Moves within rows are the cheapest
# on some targets, and moving one lane's value is cheap on all.


@qd.func
def _scan_partner(value, k: qd.template()):
    if qd.static(k < 4):
        return subgroup.shuffle_up(value, qd.u32(1 << k))
    elif qd.static(k == subgroup.log2_group_size() - 1):
        return subgroup.broadcast(value, qd.u32((1 << k) - 1))
    elif qd.static(k == subgroup.log2_group_size() - 2):
        lower = subgroup.broadcast(value, qd.u32((1 << k) - 1))
        upper = subgroup.broadcast(value, qd.u32((3 << k) - 1))
        return qd.select(subgroup.invocation_id() < (2 << k), lower, upper)
    else:
        first = subgroup.invocation_id() & ~((2 << k) - 1)
        return subgroup.shuffle(value, qd.cast(first + (1 << k) - 1, qd.u32))


@qd.func
def _has_scan_partner(k: qd.template()):
    lane = subgroup.invocation_id()
    if qd.static(k < 4):
        return (lane & 15) >= (1 << k)
    else:
        return (lane & (1 << k)) != 0


@qd.func
def _segment_has_partner(distance, k: qd.template(), log2_size: qd.template()):
    # True if the partner is in the lane's segment, whose head is `distance` lanes before.
    lane = subgroup.invocation_id()
    if qd.static(k < 4):
        return qd.min(distance, lane & 15) >= (1 << k)
    elif qd.static(k == log2_size - 1):
        return ((lane ^ (lane - distance)) & (1 << k)) != 0
    else:
        # Within 2**(k + 1) lanes, as if they began with a head.
        head = lane - qd.min(distance, lane & ((2 << k) - 1))
        return ((lane ^ head) & (1 << k)) != 0


@qd.func
def _segmented_scan(value, head_flag, op: qd.template(), log2_size: qd.template()):
    subgroup._check_tile(log2_size)
    subgroup._check_integer(head_flag, "head_flag")
    distance = _segment_distance(head_flag, log2_size)
    result = value
    for k in qd.static(range(log2_size)):
        partner = _scan_partner(result, k)
        takes = _segment_has_partner(distance, k, log2_size)
        result = qd.select(takes, op(partner, result), result)
    return result


@qd.func
def segmented_reduce_add_tiled(value, head_flag, log2_size: qd.template()):
    return _segmented_scan(value, head_flag, _add, log2_size)


@qd.func
def segmented_reduce_min_tiled(value, head_flag, log2_size: qd.template()):
    return _segmented_scan(value, head_flag, _min, log2_size)


@qd.func
def segmented_reduce_max_tiled(value, head_flag, log2_size: qd.template()):
    return _segmented_scan(value, head_flag, _max, log2_size)


@qd.func
def segmented_reduce_add(value, head_flag):
    return _segmented_scan(value, head_flag, _add, subgroup.log2_group_size())


@qd.func
def segmented_reduce_min(value, head_flag):
    return _segmented_scan(value, head_flag, _min, subgroup.log2_group_size())


@qd.func
def segmented_reduce_max(value, head_flag):
    return _segmented_scan(value, head_flag, _max, subgroup.log2_group_size())


# ---- Sorting ----------------------------------------------------------------------------


@qd.func
def bitonic_sort_kv_tiled(key, value, log2_size: qd.template()):
    # Sorts ascending by (key, value). Both lanes of a pair decide with the same two
    # comparisons, so that no pair is ever lost, NaN keys included.
    subgroup._check_tile(log2_size)
    lane = subgroup.invocation_id()
    k = key
    v = value
    for stage in qd.static(range(1, log2_size + 1)):
        for step in qd.static(range(stage)):
            distance = qd.static(1 << (stage - 1 - step))
            other_k = subgroup.shuffle_xor(k, qd.u32(distance))
            other_v = subgroup.shuffle_xor(v, qd.u32(distance))
            # Blocks of `stage` bits alternate in direction; the last one, the tile, ascends.
            keep_less = (lane & distance) == 0
            if qd.static(stage < log2_size):
                keep_less = ((lane & distance) == 0) == ((lane & (1 << stage)) == 0)
            same = k == other_k
            less = (other_k < k) | (same & (other_v < v))
            more = (k < other_k) | (same & (v < other_v))
            take = qd.select(keep_less, less, more)
            k = qd.select(take, other_k, k)
            v = qd.select(take, other_v, v)
    return k, v


@qd.func
def bitonic_sort_kv(key, value):
    return bitonic_sort_kv_tiled(key, value, subgroup.log2_group_size())

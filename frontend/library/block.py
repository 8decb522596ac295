# Block operations that are written in the kernel language: reductions, scans and the
# radix rank. Barriers, the fence, shared arrays and indices are native.
#
# `value` is one value for each thread, `block_dim` the block's size, `dtype` the value's type. All
# threads of the block must make the call. Operators are @qd.func of (earlier, later); they must be
# associative, but need not commute.
#
# `block._check` and `block._check_radix` report calls that cannot be right, at the user's line;
# `block._in_loop()` says whether the call site may run again in the same block.
import quadrants as qd
from quadrants.lang.simt import block, subgroup

# Aggregates of subgroups that are folded without a loop: as many as subgroups of 32 lanes have in
# a block of 1024 threads. With narrow subgroups straight-line code would take long to compile.
_UNROLLED = 32


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
def _and(a, b):
    return a & b


@qd.func
def _or(a, b):
    return a | b


@qd.func
def _xor(a, b):
    return a ^ b


@qd.func
def _before_reuse():
    # In a loop, the threads of the next round write the staging array that those of this round
    # may still read. Straight-line calls need nothing: each has its own array.
    if qd.static(block._in_loop()):
        block.sync()


# ---- Reductions -----------------------------------------------------------------------


@qd.func
def _subgroup_reduce(value, op: qd.template()):
    # Offsets grow, so that lane 0 folds the lanes in their order. The other lanes' values do not
    # matter. Within 32 lanes `xor` is the cheapest move; beyond, it is one lane's value.
    result = value
    for k in qd.static(range(subgroup.log2_group_size())):
        if qd.static(k >= 5 and k == subgroup.log2_group_size() - 1):
            result = op(result, subgroup.broadcast(result, qd.u32(1 << k)))
        else:
            result = op(result, subgroup.shuffle_xor(result, qd.u32(1 << k)))
    return result


@qd.func
def _combine(partial, block_dim: qd.template(), op: qd.template(), dtype: qd.template()):
    # The subgroups' aggregates, folded by thread 0.
    result = qd.cast(partial, dtype)
    if qd.static(block_dim > subgroup.group_size()):
        count = qd.static(block_dim // subgroup.group_size())
        staging = block.SharedArray((count,), dtype)
        tid = block.thread_idx()
        if subgroup.invocation_id() == 0:
            staging[tid // subgroup.group_size()] = result
        block.sync()
        if tid == 0:
            if qd.static(count <= _UNROLLED):
                for s in qd.static(range(1, count)):
                    result = op(result, staging[s])
            else:
                for s in range(1, count):
                    result = op(result, staging[s])
        _before_reuse()
    return result


@qd.func
def _combine_all(partial, block_dim: qd.template(), op: qd.template(), dtype: qd.template()):
    # The same fold, for every thread. `partial` holds in lane 0.
    if qd.static(block_dim == subgroup.group_size()):
        return subgroup.broadcast(qd.cast(partial, dtype), qd.u32(0))
    elif qd.static(block_dim // subgroup.group_size() <= 8):
        # Few aggregates: each thread folds them itself, which costs less than a second barrier.
        count = qd.static(block_dim // subgroup.group_size())
        staging = block.SharedArray((count,), dtype)
        if subgroup.invocation_id() == 0:
            staging[block.thread_idx() // subgroup.group_size()] = partial
        block.sync()
        result = staging[0]
        for s in qd.static(range(1, count)):
            result = op(result, staging[s])
        _before_reuse()
        return result
    else:
        total = block.SharedArray((1,), dtype)
        first = _combine(partial, block_dim, op, dtype)
        if block.thread_idx() == 0:
            total[0] = first
        block.sync()
        result = total[0]
        _before_reuse()
        return result


@qd.func
def reduce(value, block_dim: qd.template(), op: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype, op)
    return _combine(_subgroup_reduce(qd.cast(value, dtype), op), block_dim, op, dtype)


@qd.func
def reduce_all(value, block_dim: qd.template(), op: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype, op)
    return _combine_all(_subgroup_reduce(qd.cast(value, dtype), op), block_dim, op, dtype)


@qd.func
def reduce_add(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    return _combine(subgroup.reduce_add(qd.cast(value, dtype)), block_dim, _add, dtype)


@qd.func
def reduce_min(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    return _combine(subgroup.reduce_min(qd.cast(value, dtype)), block_dim, _min, dtype)


@qd.func
def reduce_max(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    return _combine(subgroup.reduce_max(qd.cast(value, dtype)), block_dim, _max, dtype)


@qd.func
def reduce_and(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    return _combine(subgroup.reduce_and(qd.cast(value, dtype)), block_dim, _and, dtype)


@qd.func
def reduce_or(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    return _combine(subgroup.reduce_or(qd.cast(value, dtype)), block_dim, _or, dtype)


@qd.func
def reduce_xor(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    return _combine(subgroup.reduce_xor(qd.cast(value, dtype)), block_dim, _xor, dtype)


@qd.func
def reduce_all_add(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    if qd.static(block_dim == subgroup.group_size()):
        return subgroup.reduce_all_add(v)
    else:
        return _combine_all(subgroup.reduce_add(v), block_dim, _add, dtype)


@qd.func
def reduce_all_min(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    if qd.static(block_dim == subgroup.group_size()):
        return subgroup.reduce_all_min(v)
    else:
        return _combine_all(subgroup.reduce_min(v), block_dim, _min, dtype)


@qd.func
def reduce_all_max(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    if qd.static(block_dim == subgroup.group_size()):
        return subgroup.reduce_all_max(v)
    else:
        return _combine_all(subgroup.reduce_max(v), block_dim, _max, dtype)


@qd.func
def reduce_all_and(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    if qd.static(block_dim == subgroup.group_size()):
        return subgroup.reduce_all_and(v)
    else:
        return _combine_all(subgroup.reduce_and(v), block_dim, _and, dtype)


@qd.func
def reduce_all_or(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    if qd.static(block_dim == subgroup.group_size()):
        return subgroup.reduce_all_or(v)
    else:
        return _combine_all(subgroup.reduce_or(v), block_dim, _or, dtype)


@qd.func
def reduce_all_xor(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    if qd.static(block_dim == subgroup.group_size()):
        return subgroup.reduce_all_xor(v)
    else:
        return _combine_all(subgroup.reduce_xor(v), block_dim, _xor, dtype)


# ---- Scans ------------------------------------------------------------------------------


@qd.func
def _subgroup_scan(value, op: qd.template()):
    result = value
    for k in qd.static(range(subgroup.log2_group_size())):
        partner = subgroup._scan_partner(result, k)
        result = qd.select(subgroup._has_scan_partner(k), op(partner, result), result)
    return result


@qd.func
def _add_prefix(
    scanned,
    aggregate,
    block_dim: qd.template(),
    op: qd.template(),
    dtype: qd.template(),
    prefix_is_result: qd.template(),
):
    # Puts the fold of all earlier subgroups before `scanned`. `aggregate` is the subgroup's own
    # fold, valid in its last lane. With `prefix_is_result`, lane 0 has nothing scanned yet.
    result = scanned
    if qd.static(block_dim > subgroup.group_size()):
        wave = qd.static(subgroup.group_size())
        count = qd.static(block_dim // subgroup.group_size())
        staging = block.SharedArray((count,), dtype)
        mine = block.thread_idx() // wave
        lane = subgroup.invocation_id()
        if lane == wave - 1:
            staging[mine] = aggregate
        block.sync()
        if mine > 0:
            prefix = staging[0]
            if qd.static(count <= _UNROLLED):
                for s in qd.static(range(1, count - 1)):
                    if s < mine:
                        prefix = op(prefix, staging[s])
            else:
                for s in range(1, mine):
                    prefix = op(prefix, staging[s])
            if qd.static(prefix_is_result):
                result = qd.select(lane == 0, prefix, op(prefix, result))
            else:
                result = op(prefix, result)
        _before_reuse()
    return result


@qd.func
def inclusive_scan(value, block_dim: qd.template(), op: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype, op)
    scanned = _subgroup_scan(qd.cast(value, dtype), op)
    return _add_prefix(scanned, scanned, block_dim, op, dtype, False)


@qd.func
def exclusive_scan(
    value, block_dim: qd.template(), op: qd.template(), identity, dtype: qd.template()
):
    block._check(value, block_dim, dtype, op)
    scanned = _subgroup_scan(qd.cast(value, dtype), op)
    shifted = subgroup.shuffle_up(scanned, qd.u32(1))
    shifted = qd.select(subgroup.invocation_id() == 0, qd.cast(identity, dtype), shifted)
    return _add_prefix(shifted, scanned, block_dim, op, dtype, True)


@qd.func
def inclusive_add(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    scanned = subgroup.inclusive_add(qd.cast(value, dtype))
    return _add_prefix(scanned, scanned, block_dim, _add, dtype, False)


@qd.func
def inclusive_min(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    scanned = subgroup.inclusive_min(qd.cast(value, dtype))
    return _add_prefix(scanned, scanned, block_dim, _min, dtype, False)


@qd.func
def inclusive_max(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    scanned = subgroup.inclusive_max(qd.cast(value, dtype))
    return _add_prefix(scanned, scanned, block_dim, _max, dtype, False)


# The subgroup's exclusive scans put the operator's identity into lane 0.


@qd.func
def exclusive_add(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    shifted = subgroup.exclusive_add(v)
    return _add_prefix(shifted, shifted + v, block_dim, _add, dtype, True)


@qd.func
def exclusive_min(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    shifted = subgroup.exclusive_min(v)
    return _add_prefix(shifted, qd.min(shifted, v), block_dim, _min, dtype, True)


@qd.func
def exclusive_max(value, block_dim: qd.template(), dtype: qd.template()):
    block._check(value, block_dim, dtype)
    v = qd.cast(value, dtype)
    shifted = subgroup.exclusive_max(v)
    return _add_prefix(shifted, qd.max(shifted, v), block_dim, _max, dtype, True)


# ---- Radix rank ---------------------------------------------------------------------------


@qd.func
def radix_rank_match_atomic_or(
    key,
    block_dim: qd.template(),
    radix_bits: qd.template(),
    bit_start: qd.template(),
    num_bits: qd.template(),
    bins: qd.template(),
    excl_prefix: qd.template(),
):
    block._check_radix(key, block_dim, radix_bits, bit_start, num_bits, bins, excl_prefix)
    # A count of keys before a subgroup's is less than the block.
    bits = qd.static(8 if block_dim <= 256 else 16)
    if qd.static(qd.cfg.arch == qd.cpu):
        return _radix_rank_in_order(key, radix_bits, bit_start, num_bits, bins, excl_prefix)
    elif qd.static(subgroup.group_size() == 64):
        return _radix_rank(key, radix_bits, bit_start, num_bits, bins, excl_prefix, qd.u64, bits)
    else:
        return _radix_rank(key, radix_bits, bit_start, num_bits, bins, excl_prefix, qd.u32, bits)


# A CPU runs a block's threads in their order between barriers: a key finds the count of its equals before it.
@qd.func
def _radix_rank_in_order(
    key,
    radix_bits: qd.template(),
    bit_start: qd.template(),
    num_bits: qd.template(),
    bins: qd.template(),
    excl_prefix: qd.template(),
):
    digits = qd.static(1 << radix_bits)
    # Other threads may still read the bins of an earlier call.
    counts = block.SharedArray((digits,), qd.i32)
    tid = block.thread_idx()
    digit = qd.cast(
        (qd.cast(key, qd.u32) >> qd.u32(bit_start)) & qd.u32((1 << num_bits) - 1), qd.i32
    )
    counts[tid] = 0
    block.sync()
    before = qd.atomic_add(counts[digit], 1)
    block.sync()
    count = counts[tid]
    bins[tid] = count
    excl_prefix[tid] = block.exclusive_add(count, digits, qd.i32)
    block.sync()
    return excl_prefix[digit] + before


@qd.func
def _radix_rank(
    key,
    radix_bits: qd.template(),
    bit_start: qd.template(),
    num_bits: qd.template(),
    bins: qd.template(),
    excl_prefix: qd.template(),
    mask_type: qd.template(),
    count_bits: qd.template(),
):
    wave = qd.static(subgroup.group_size())
    digits = qd.static(1 << radix_bits)
    subgroups = qd.static(digits // subgroup.group_size())
    packed = qd.static(32 // count_bits)
    words = qd.static(digits // packed)
    low = qd.static((1 << count_bits) - 1)
    # A row of counts for each subgroup: first how many keys of a digit it has, then how many the
    # subgroups before it have. Word w holds the digits w, w + words, w + 2 * words, ...
    counts = block.SharedArray((subgroups * words,), qd.u32)
    tid = block.thread_idx()
    lane = subgroup.invocation_id()
    mine = tid // wave
    row = mine * words
    digit = qd.cast(
        (qd.cast(key, qd.u32) >> qd.u32(bit_start)) & qd.u32((1 << num_bits) - 1), qd.i32
    )
    if qd.static(words >= wave):
        for k in qd.static(range(words // wave)):
            counts[row + k * wave + lane] = 0
    elif lane < words:
        counts[row + lane] = 0
    peers = qd.cast(subgroup._match(digit, num_bits), mask_type)
    before = qd.math.popcnt(peers & ((qd.cast(1, mask_type) << qd.cast(lane, mask_type)) - 1))
    at = row + digit % words
    shift = qd.cast(digit // words * count_bits, qd.u32)
    subgroup.sync()
    if before == 0:
        qd.atomic_add(counts[at], qd.cast(qd.math.popcnt(peers), qd.u32) << shift)
    block.sync()
    if tid < words:
        # The last row's counts are added separately: those of the whole block may not fit.
        earlier = qd.u32(0)
        here = qd.u32(0)
        for s in qd.static(range(subgroups)):
            earlier = earlier + here
            here = counts[s * words + tid]
            counts[s * words + tid] = earlier
        for k in qd.static(range(packed)):
            first = qd.u32(k * count_bits)
            bins[k * words + tid] = qd.cast(
                ((earlier >> first) & qd.u32(low)) + ((here >> first) & qd.u32(low)), qd.i32
            )
    block.sync()
    # An exclusive scan of the bins. All bins can be read already, so it needs no barrier.
    total = 0
    for s in qd.static(range(subgroups - 1)):
        if s < mine:
            total = total + bins[s * wave + lane]
    excl_prefix[tid] = subgroup.reduce_all_add(total) + subgroup.exclusive_add(bins[tid])
    block.sync()
    rank = excl_prefix[digit] + qd.cast((counts[at] >> shift) & qd.u32(low), qd.i32) + before
    _before_reuse()
    return rank


# ---- Copies to shared memory ------------------------------------------------------------


@qd.func
def memcpy_async(dst: qd.template(), at, src: qd.template(), begin, count, block_dim: qd.template()):
    for k in range(block.thread_idx(), count, block_dim):
        block._copy(dst, at + k, src, begin + k)
    block._end_copies()


@qd.func
def memcpy_wait(pending: qd.template() = 0):
    block._await_copies(pending)
    block.sync()

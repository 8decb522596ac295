# The k greatest or least keys: digit by digit from the top, the keys that may still be the k-th are
# counted by their digit, until its bits are known. A scan then collects the keys that are better,
# and of those that are equal to it the first ones.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block

# Places in scratch, after a row of counts: how many keys are still to be found among those whose
# upper bits are known; and these bits, of both halves of a word.
_LEFT = 256
_LOW = 257
_HIGH = 258
_FOLDS = 259


@qd.func
def _known(scratch: qd.template(), key_dtype: qd.template()):
    if qd.static(key_dtype in algorithms._WORDS8):
        return (qd.cast(scratch[_HIGH], qd.u64) << qd.u64(32)) | qd.cast(scratch[_LOW], qd.u64)
    else:
        return scratch[_LOW]


# Better keys have lesser bits.
@qd.func(requires_top_level=True)
def top_k(
    keys: qd.template(),
    keys_out: qd.template(),
    places_out: qd.template(),
    k: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    key_dtype: qd.template(),
    largest: qd.template() = True,
):
    algorithms._check_scratch(scratch, qd.i32)
    qd.static_assert(scratch.dtype == qd.u32, "`scratch` of `top_k` is an array of u32")
    width = qd.static(algorithms._key_width(key_dtype))
    count = algorithms._count(n)
    wanted = algorithms._count(k)
    for i in range(_FOLDS):
        scratch[i] = qd.u32(0)
        if i == _LEFT:
            scratch[i] = qd.cast(qd.min(wanted, count), qd.u32)
    blocks = qd.min(algorithms._tiles(count, 2048), 1024)
    for digit in qd.static(range(width // 8)):
        start = qd.static(width - 8 - 8 * digit)
        qd.loop_config(block_dim=256, name="count_digits")
        for i in range(blocks * 256):
            own = block.SharedArray((256,), qd.u32)
            tid = block.thread_idx()
            own[tid] = 0
            block.sync()
            known = _known(scratch, key_dtype)
            for at in range(i, count, blocks * 256):
                bits = algorithms._ordered(keys[at], key_dtype, largest)
                candidate = True
                if qd.static(digit > 0):
                    candidate = _above(bits, start + 8) == _above(known, start + 8)
                if candidate:
                    qd.atomic_add(own[qd.cast(_above(bits, start) & _typed_like(bits, 255), qd.i32)], qd.u32(1))
            block.sync()
            if own[tid] != 0:
                qd.atomic_add(scratch[tid], own[tid])
        qd.loop_config(block_dim=256, name="choose_digit")
        for i in range(256):
            left = scratch[_LEFT]
            here = scratch[i]
            before = block.exclusive_add(here, 256, qd.u32)
            block.sync()
            scratch[i] = qd.u32(0)
            if before < left and left <= before + here:
                scratch[_LEFT] = left - before
                if qd.static(start >= 32):
                    scratch[_HIGH] = scratch[_HIGH] | (qd.cast(i, qd.u32) << qd.u32(start % 32))
                else:
                    scratch[_LOW] = scratch[_LOW] | (qd.cast(i, qd.u32) << qd.u32(start))
    better = algorithms._Fold(qd.u64, block._add, 0, _read_better, _write_better)
    algorithms._scan(
        better,
        (keys, scratch, key_dtype, largest),
        (keys, keys_out, places_out, scratch, wanted, count),
        scratch,
        _FOLDS,
        count,
        4,
    )


@qd.func
def _typed_like(bits, value: qd.template()):
    return qd.cast(value, algorithms._dtype(bits))


@qd.func
def _above(bits, start: qd.template()):
    return bits >> qd.cast(start, algorithms._dtype(bits))


# Better keys count in the lower half, equal ones in the upper half.
@qd.func
def _read_better(source: qd.template(), i):
    bits = algorithms._ordered(source[0][i], source[2], source[3])
    known = _known(source[1], source[2])
    kind = qd.u64(0)
    if bits < known:
        kind = qd.u64(1)
    elif bits == known:
        kind = qd.u64(1) << qd.u64(32)
    return kind


# sink: (keys, keys_out, places_out, scratch, k, n)
@qd.func
def _write_better(sink: qd.template(), i, kind, before):
    better = algorithms._widened(algorithms._lower(before), i)
    equal = algorithms._widened(algorithms._upper(before), i)
    found = qd.min(sink[4], sink[5])
    wanted = algorithms._widened(sink[3][_LEFT], i)
    if kind == qd.u64(1):
        sink[1][better] = sink[0][i]
        sink[2][better] = i
    elif kind != qd.u64(0) and equal < wanted:
        sink[1][found - wanted + equal] = sink[0][i]
        sink[2][found - wanted + equal] = i


# ---- Gradients --------------------------------------------------------------------------
# derivatives.py says how this function is used.


@qd.ad.grad_for(top_k)
@qd.func(requires_top_level=True)
def _top_k_grad(
    keys: qd.template(),
    keys_out: qd.template(),
    places_out: qd.template(),
    k: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    key_dtype: qd.template(),
    largest: qd.template(),
):
    for j in range(qd.min(algorithms._count(k), algorithms._count(n))):
        algorithms._move_back(keys_out, j, keys, places_out[j])

# Attention by the matrix unit of NVIDIA's Hopper, as in FlashAttention-3 (Shah et al., arXiv 2407.08608): one
# warpgroup starts the copies, two others have 64 rows of q each. While one of these computes a softmax, the
# other one multiplies; and a warpgroup multiplies its last weights with their values while it takes the softmax
# of the next scores.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup

FLASH_COLS = 128  # rows of k and v that a block takes at a time, where heads have up to 128 elements

_ROWS = 128
_COPIERS = 256  # the first thread that copies
_THREADS = 384
_STAGES = 2
_TURN = 3  # the number of the first warpgroup's hardware barrier; it says whose turn it is to multiply
_CLEARED = 5


# Rows of k and v that a block takes at a time.
@qd.func
def _flash_cols(panels: qd.template()):
    return FLASH_COLS if qd.static(panels <= 2) else 64


# True if heads of that many elements go by wgmma.
@qd.func
def _goes_by_flash(dim: qd.template()):
    return subgroup._UNIT == "sm_90a" and dim <= 256


# ---- Copies -----------------------------------------------------------------------------


# Copies `rows` rows of a head: panels of 128 bytes of each.
@qd.func
def _copy_head(to, map_address, row, head, batch, barrier, rows: qd.template(), panels: qd.template()):
    tensors._expect(barrier, rows * panels * 128)
    for p in qd.static(range(panels)):
        tensors._load(to + qd.u32(p * rows * 128), map_address, row, p * 64, barrier, (head, batch))


# The copying thread's work: q, and then k and v from their last parts to the first.
@qd.func
def _copy_heads(
    workspace: qd.template(),
    at: qd.template(),
    barriers,
    row,
    head,
    k_head,
    batch,
    count,
    cols: qd.template(),
    panels: qd.template(),
):
    q_map = tensors._map(workspace, 0)
    k_map = tensors._map(workspace, 1)
    v_map = tensors._map(workspace, 2)
    # Nobody waits for q where there is nothing to look at, and its place is that of the result.
    if count > 0:
        _copy_head(at[0], q_map, row, head, batch, barriers, _ROWS, panels)
    stage = qd.u32(0)
    parity = qd.u32(1)
    for n in range(count):
        first = (count - 1 - n) * cols
        offset = stage * qd.u32(cols * panels * 128)
        for operand in qd.static(range(2)):
            full = barriers + (1 + 4 * operand + stage) * 8
            tensors._await(full + 16, parity)
            map_address = k_map if qd.static(operand == 0) else v_map
            _copy_head(at[1 + operand] + offset, map_address, first, k_head, batch, full, cols, panels)
        stage = stage ^ 1
        parity = parity ^ qd.u32(1 if stage == 0 else 0)


# ---- Products ---------------------------------------------------------------------------


# Starts the product of a warpgroup's rows of q and of a part of k.
@qd.func
def _start_scores(q_at, k_at, kind: qd.template(), cols: qd.template(), panels: qd.template()):
    result = qd.Vector([0.0 for _ in qd.static(range(cols // 2))])
    tensors._show_registers()
    for step in qd.static(range(panels * 4)):
        x = tensors._describe(q_at + qd.u32(step // 4 * _ROWS * 128 + step % 4 * 32), 16)
        y = tensors._describe(k_at + qd.u32(step // 4 * cols * 128 + step % 4 * 32), 16)
        result = tensors._start(result, x, y, cols, kind, kind, (False, False), step == 0)
    tensors._commit()
    return result


# Starts the product of weights, which lie in registers, and a part of v.
@qd.func
def _start_values(
    sums, weights: qd.template(), v_at, kind: qd.template(), cols: qd.template(), panels: qd.template()
):
    result = sums
    tensors._show_registers()
    for step in qd.static(range(cols // 16)):
        x = qd.Vector([weights.words[4 * step + i] for i in qd.static(range(4))])
        y = tensors._describe(v_at + qd.u32(step * 2048), cols * 128)
        result = tensors._start(result, x, y, panels * 64, kind, kind, (True,), False)
    tensors._commit()
    return result


@qd.func
def _as_matrix(words, cols: qd.template()):
    result = subgroup.Matrix.zeros((16, cols))
    for i in qd.static(range(cols // 2)):
        result.words[i] = words[i]
    return result


@qd.func
def _arrive_of_group(barrier):
    if block.thread_idx() % 128 == 0:
        tensors._arrive(barrier)


# Turn n, after the first: starts the product with a part of k and that of the last weights with their part of v, and
# takes the softmax of the new scores.
@qd.func
def _turn(
    n,
    count,
    sums,
    weights: qd.template(),
    top,
    total,
    at: qd.template(),
    barriers,
    rule: qd.template(),
    cols: qd.template(),
    panels: qd.template(),
    factor,
    tests: qd.template(),
):
    kind = qd.static(weights.dtype)
    group = block.thread_idx() // 128
    size = qd.static(cols * panels * 128)
    stage = qd.cast(n & 1, qd.u32)
    last = stage ^ 1
    tensors._await(barriers + (1 + stage) * 8, qd.cast(n >> 1 & 1, qd.u32))
    subgroup._instruction("bar.sync #, 256;", None, (group + _TURN,), True)
    started = _start_scores(at[0] + qd.cast(group, qd.u32) * (64 * 128), at[1] + stage * size, kind, cols, panels)
    tensors._await(barriers + (5 + last) * 8, qd.cast((n - 1) >> 1 & 1, qd.u32))
    products = _start_values(sums, weights, at[2] + last * size, kind, cols, panels)
    subgroup._instruction("bar.arrive #, 256;", None, (_TURN + 1 - group,), True)
    scores = _as_matrix(tensors._await_sums(started, 1), cols)
    _arrive_of_group(barriers + (3 + stage) * 8)
    shaped = rule.shaped(scores, (count - 1 - n) * cols, tests)
    new_weights, new_top, new_total, correction = tensors._soften(shaped, top, total, factor)
    finished = tensors._await_sums(products, 0)
    _arrive_of_group(barriers + (7 + last) * 8)
    scaled = tensors._scale_rows(_as_matrix(finished, panels * 64), correction)
    return scaled.words, new_weights.as_a(kind), new_top, new_total


# Clears the rows of a part of v from `first` on, in its stage: weights of 0 times what lies there would be NaN, if
# it is not finite.
@qd.func
def _clear(values: qd.template(), first, cols: qd.template(), panels: qd.template()):
    for p in qd.static(range(panels)):
        for i in range(first * 32 + block.thread_idx(), cols * 32, _COPIERS):
            values[p * cols * 32 + i] = qd.u32(0)
    tensors._show_writes()
    subgroup._instruction("bar.sync #, 256;", None, (_CLEARED,), True)


# A multiplying warp's work: its 16 rows of the result, and the logarithms of the sums of their weights.
@qd.func
def _attend(
    at: qd.template(),
    values: qd.template(),
    barriers,
    rule: qd.template(),
    count,
    v_rows,
    kind: qd.template(),
    cols: qd.template(),
    panels: qd.template(),
    factor,
):
    group = block.thread_idx() // 128
    if group == 1:
        subgroup._instruction("bar.arrive #, 256;", None, (_TURN,), True)
    sums = qd.Vector([0.0 for _ in qd.static(range(panels * 32))])
    top, total = tensors._begin_softmax(16)
    if count > 0:
        tensors._await(barriers, 0)
        tensors._await(barriers + 8, 0)
        started = _start_scores(at[0] + qd.cast(group, qd.u32) * (64 * 128), at[1], kind, cols, panels)
        scores = _as_matrix(tensors._await_sums(started, 0), cols)
        _arrive_of_group(barriers + 24)
        shaped = rule.shaped(scores, (count - 1) * cols, True)
        first_weights, top, total, _ = tensors._soften(shaped, top, total, factor)
        weights = first_weights.as_a(kind)
        last_rows = rule.k_rows - (count - 1) * cols
        if last_rows < qd.min(cols, v_rows - (count - 1) * cols):
            tensors._await(barriers + 40, 0)
            _clear(values, last_rows, cols, panels)
        tested = count - rule.clear_cols(64 * group - block.thread_idx() // 32 * 16) // cols
        for n in range(1, tested):
            sums, weights, top, total = _turn(
                n, count, sums, weights, top, total, at, barriers, rule, cols, panels, factor, True
            )
        for n in range(qd.max(tested, 1), count):
            sums, weights, top, total = _turn(
                n, count, sums, weights, top, total, at, barriers, rule, cols, panels, factor, False
            )
        last = qd.cast(count - 1, qd.u32)
        tensors._await(barriers + (5 + (last & 1)) * 8, last >> 1 & 1)
        products = _start_values(sums, weights, at[2] + (last & 1) * (cols * panels * 128), kind, cols, panels)
        sums = tensors._await_sums(products, 0)
    inverse, logarithm = tensors._end_softmax(top, total, factor)
    return tensors._scale_rows(_as_matrix(sums, panels * 64), inverse), logarithm


# Writes a warpgroup's rows by bulk copies, from where its rows of q were.
@qd.func
def _write_head(
    sums: qd.template(), kind: qd.template(), queries: qd.template(), out_map, row, head, batch, panels: qd.template()
):
    thread = block.thread_idx()
    group = thread // 128
    lane = subgroup.invocation_id()
    subgroup._instruction("bar.sync #, 128;", None, (group + 1,), True)
    for n in qd.static(range(panels * 8)):
        for half in qd.static(range(2)):
            at = qd.static(4 * n + 2 * half)
            own = thread // 32 * 16 + (lane >> 2) + half * 8
            place = n // 8 * (_ROWS * 32) + own * 32 + ((own & 7) ^ (n % 8)) * 4 + (lane & 3)
            queries[place] = subgroup._pair(sums.words[at], sums.words[at + 1], kind)
    tensors._show_writes()
    subgroup._instruction("bar.sync #, 128;", None, (group + 1,), True)
    if thread % 128 == 0:
        for p in qd.static(range(panels)):
            source = subgroup._address(queries, p * (_ROWS * 32) + group * (64 * 32))
            tensors._store(out_map, row + group * 64, p * 64, source, (head, batch))
        tensors._end_stores()
        tensors._await_stores()


# The same without a matrix unit: a subgroup has a row at a time, and its lanes the columns.
@qd.func
def _attend_each(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    out: qd.template(),
    rule: qd.template(),
    row,
    dim: qd.template(),
    factor,
    lse: qd.template(),
):
    lane = subgroup.invocation_id()
    count = qd.static((dim + 31) // 32)
    for r in range(row + block.thread_idx() // 32, qd.min(row + _ROWS, q.rows), _THREADS // 32):
        top = -qd.math.inf
        total = 0.0
        sums = qd.Vector([0.0 for _ in qd.static(range(count))])
        for j in range(rule.visible(r, 1)):
            product = 0.0
            for i in qd.static(range(count)):
                if lane + 32 * i < q.cols:
                    x = qd.cast(q.array[q.place(r, lane + 32 * i)], qd.f32)
                    product += x * qd.cast(k.array[k.place(j, lane + 32 * i)], qd.f32)
            score = rule.shaped_one(subgroup.reduce_all_add(product), r, j) * factor
            new_top = qd.max(top, score)
            correction = qd.exp2(top - new_top) if top > -qd.math.inf else 0.0
            weight = qd.exp2(score - new_top) if score > -qd.math.inf else 0.0
            top = new_top
            total = total * correction + weight
            for i in qd.static(range(count)):
                if lane + 32 * i < v.cols:
                    y = qd.cast(v.array[v.place(j, lane + 32 * i)], qd.f32)
                    sums[i] = sums[i] * correction + weight * y
        for i in qd.static(range(count)):
            if lane + 32 * i < out.cols:
                value = sums[i] / total if total > 0 else 0.0
                out.array[out.place(r, lane + 32 * i)] = qd.cast(value, out.array.dtype)
        if qd.static(lse is not None):
            if lane == 0:
                lse[rule.batch, rule.head, r] = (top * tensors._LN_2) + qd.log(total)


@qd.func(requires_top_level=True)
def _attention_by_flash(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    out: qd.template(),
    workspace: qd.template(),
    dim: qd.template(),
    scale,
    causal: qd.template(),
    axis: qd.template(),
    lengths: qd.template(),
    score: qd.template(),
    lse: qd.template(),
    fits,
):
    kind = qd.static(q.dtype)
    panels = qd.static((dim + 63) // 64)
    cols = qd.static(_flash_cols(panels))
    copied = qd.static(out.dtype == kind)
    axes = qd.static((3, axis, 3 - axis, 0))
    qd.loop_config(serialize=True)
    for i in range(1):
        tensors._make_map(workspace, 0, q, _ROWS, axes)
        tensors._make_map(workspace, 1, k, cols, axes)
        tensors._make_map(workspace, 2, v, cols, axes)
        if qd.static(copied):
            tensors._make_map(workspace, 3, out, 64, axes)
    heads = q.shape[3 - axis]
    parts = (q.shape[axis] + (_ROWS - 1)) // _ROWS
    qd.loop_config(block_dim=_THREADS, name="attention")
    for t in range(q.shape[0] * heads * parts * fits * _THREADS):
        batch = t // _THREADS // parts // heads
        head = t // _THREADS // parts % heads
        k_head = head // (heads // k.shape[3 - axis])
        # Rows that look at all before them have the longest parts first.
        number = t // _THREADS % parts
        row = (parts - 1 - number if qd.static(causal) else number) * _ROWS
        thread = block.thread_idx()
        k_rows = tensors._rows_in(k, axis, lengths, batch)
        own_row = row + thread // 32 * 16
        rule = tensors._Rule(own_row, batch, head, scale, q.shape[axis], k_rows, causal, score)
        factor = tensors._exponent_of(scale, score)
        q_whole = tensors._is_aligned(q) and tensors._is_aligned(out)
        # Bulk copies take no array that begins elsewhere than at a multiple of 16 bytes.
        if q_whole and tensors._is_aligned(k) and tensors._is_aligned(v):
            queries = block.SharedArray((panels * _ROWS * 32,), qd.u32)
            keys = block.SharedArray((_STAGES * panels * cols * 32,), qd.u32)
            values = block.SharedArray((_STAGES * panels * cols * 32,), qd.u32)
            flags = block.SharedArray((1 + 4 * _STAGES,), qd.u64)
            barriers = subgroup._address(flags, 0)
            at = (subgroup._address(queries, 0), subgroup._address(keys, 0), subgroup._address(values, 0))
            if thread == 0:
                for i in qd.static(range(1 + 4 * _STAGES)):
                    tensors._make_barrier(barriers + qd.u32(8 * i), 2 if i in (3, 4, 7, 8) else 1)
                tensors._show_barriers()
            block.sync()
            count = (rule.visible(row, _ROWS) + (cols - 1)) // cols
            if thread // 32 >= _COPIERS // 32:
                subgroup._instruction("setmaxnreg.dec.sync.aligned.u32 40;", None, (), True)
                if thread == _COPIERS:
                    _copy_heads(workspace, at, barriers, row, head, k_head, batch, count, cols, panels)
            else:
                subgroup._instruction("setmaxnreg.inc.sync.aligned.u32 232;", None, (), True)
                sums, logarithm = _attend(
                    at, values, barriers, rule, count, k.shape[axis], kind, cols, panels, factor
                )
                if qd.static(lse is not None):
                    logarithm.store(lse, (batch, head, own_row))
                if qd.static(copied):
                    _write_head(sums, kind, queries, tensors._map(workspace, 3), row, head, batch, panels)
                else:
                    tensors._store_view(sums, tensors._View(out, (batch, head), axis), own_row, 0)
        else:
            _attend_each(
                tensors._View(q, (batch, head), axis),
                tensors._View(k, (batch, k_head), axis),
                tensors._View(v, (batch, k_head), axis),
                tensors._View(out, (batch, head), axis),
                rule,
                row,
                dim,
                factor,
                lse,
            )

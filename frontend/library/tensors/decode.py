# Attention of few rows of q, as generating text needs it: memory gives the pace. Several blocks share the rows of k and v of
# a head, each of their subgroups has some of these rows, and a second task joins the results. Heads of q that share a
# head of k are rows of one matrix, so that k and v come once.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup

DECODE_BLOCKS = 264  # blocks that there shall be: two on each multiprocessor of an H100 or H200
DECODE_ROWS = 256  # rows of k that are worth a block
DECODE_STAGES = 2 if tensors._ASYNC else 1  # steps of k and v in shared memory
DECODE_SUBGROUPS = 4 if tensors._WIDE else 2  # subgroups of a block

_JOINING = 128  # threads that join the results of a row


# The subgroups of a block. Each takes 16 rows of k at a time. Long heads need more memory.
@qd.func
def _subgroups_for(dim: qd.template()):
    return DECODE_SUBGROUPS if qd.static(tensors._ASYNC or dim <= 128) else max(DECODE_SUBGROUPS // 2, 1)


# The rows of q of the heads that share a head of k, as a view: row r is row r % q's rows of head r // q's rows of these.
@qd.data_oriented
class _FewRows:
    def __init__(self, q: qd.template(), batch, head, shared, axis: qd.template()):
        self.array = q
        self.batch = batch
        self.head = head
        self.axis = axis
        self.each = q.shape[axis]
        self.rows = q.shape[axis] * shared
        self.cols = q.shape[3]

    @qd.func
    def place(self, row, col):
        of_head = tensors._View(self.array, (self.batch, self.head + row // self.each), self.axis)
        return of_head.place(row % self.each, col)

    @qd.func
    def address(self, row, col):
        return subgroup._address(self.array, self.place(row, col))


# Two softmaxes of the same rows as one: the factors of the first one's and the second one's sums, and the largest.
@qd.func
def _joined(top, other):
    largest = qd.max(top, other)
    return (
        tensors._exp2(top - largest) if top > -qd.math.inf else 0.0,
        tensors._exp2(other - largest) if other > -qd.math.inf else 0.0,
        largest,
    )


# Joins the results of the block's subgroups, one after the other: the last one has all of it.
@qd.func
def _join_subgroups(sums, top, total, subgroups: qd.template()):
    lane = subgroup.invocation_id()
    wave = qd.static(subgroup._WAVE)
    own = block.thread_idx() // wave
    count = qd.static(len(sums.words))
    rows = qd.static(len(top.words))
    kept = block.SharedArray(((count + 2 * rows) * wave,), qd.f32)
    joined = sums
    joined_top = top
    joined_total = total
    for s in qd.static(range(subgroups)):
        if own == s:
            if qd.static(s > 0):
                for r in qd.static(range(rows)):
                    mine, others, largest = _joined(top.words[r], kept[(count + r) * wave + lane])
                    joined_top.words[r] = largest
                    joined_total.words[r] = total.words[r] * mine + kept[(count + rows + r) * wave + lane] * others
                    for i in qd.static(range(count)):
                        if qd.static(subgroup._row_number(sums, i) == r):
                            joined.words[i] = sums.words[i] * mine + kept[i * wave + lane] * others
            if qd.static(s < subgroups - 1):
                for i in qd.static(range(count)):
                    kept[i * wave + lane] = joined.words[i]
                for r in qd.static(range(rows)):
                    kept[(count + r) * wave + lane] = joined_top.words[r]
                    kept[(count + rows + r) * wave + lane] = joined_total.words[r]
        if qd.static(s < subgroups - 1):
            block.sync()
    return joined, joined_top, joined_total


# The heads of k times the tiles of 16 rows of q that share one.
@qd.func
def _groups(q: qd.template(), k: qd.template(), axis: qd.template()):
    shared = q.shape[3 - axis] // qd.max(k.shape[3 - axis], 1)
    return q.shape[0] * k.shape[3 - axis] * ((q.shape[axis] * shared + 15) // 16)


# The blocks that share a group: as many as give every multiprocessor some, as are worth it, and as `scratch` has room for.
@qd.func
def _splits(q: qd.template(), k: qd.template(), scratch: qd.template(), axis: qd.template(), dim: qd.template()):
    wanted = qd.min(
        DECODE_BLOCKS // qd.max(_groups(q, k, axis), 1), (k.shape[axis] + (DECODE_ROWS - 1)) // DECODE_ROWS
    )
    results = q.shape[0] * q.shape[1] * q.shape[2]
    return qd.max(qd.min(wanted, scratch.shape[0] // qd.max(results * (dim + 2), 1)), 1)


# Joins the results of the blocks that share a row of q, which lie in `scratch` from `first` on.
@qd.func
def _join_blocks(scratch: qd.template(), first, splits, out: qd.template(), row, dim: qd.template()):
    weights = block.SharedArray((DECODE_BLOCKS + 1,), qd.f32)
    wave = qd.static(subgroup._WAVE)
    if block.thread_idx() < wave:
        lane = subgroup.invocation_id()
        top = -qd.math.inf
        for s in range(lane, splits, wave):
            top = qd.max(top, scratch[first + s * (dim + 2) + dim])
        largest = subgroup.reduce_all_max(top)
        total = 0.0
        for s in range(lane, splits, wave):
            own = scratch[first + s * (dim + 2) + dim]
            weight = tensors._exp2(own - largest) if own > -qd.math.inf else 0.0
            weights[s] = weight
            total += weight * scratch[first + s * (dim + 2) + (dim + 1)]
        whole = subgroup.reduce_all_add(total)
        if lane == 0:
            weights[DECODE_BLOCKS] = 1.0 / whole if whole > 0 else 0.0
    block.sync()
    for col in range(block.thread_idx(), qd.min(dim, out.cols), _JOINING):
        sum = 0.0
        for s in range(splits):
            sum += weights[s] * scratch[first + s * (dim + 2) + col]
        out.array[out.place(row, col)] = qd.cast(sum * weights[DECODE_BLOCKS], out.array.dtype)


# A block's part of the rows of k and v of a group.
@qd.func
def _decode_part(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    dim: qd.template(),
    of_scores,
    axis: qd.template(),
    lengths: qd.template(),
    score: qd.template(),
    group,
    part,
    splits,
):
    kind = qd.static(q.dtype)
    subgroups = qd.static(_subgroups_for(dim))
    step = qd.static(16 * subgroups)
    threads = qd.static(subgroups * subgroup._WAVE)
    panels = qd.static((dim + 63) // 64)
    rows = q.shape[axis]
    heads = q.shape[3 - axis]
    k_heads = k.shape[3 - axis]
    shared = heads // k_heads
    tiles = (rows * shared + 15) // 16
    tile = group % tiles
    k_head = group // tiles % k_heads
    batch = group // tiles // k_heads
    k_rows = tensors._rows_in(k, axis, lengths, batch)
    k_view = tensors._View(k, (batch, k_head), axis, k_rows)
    v_view = tensors._View(v, (batch, k_head), axis, k_rows)
    keys = tensors._Tile("b", step, kind, kind, False, panels * DECODE_STAGES)
    values = tensors._Tile("b", dim, kind, kind, True, DECODE_STAGES, step)
    own = block.thread_idx() // subgroup._WAVE
    fast = tensors._is_aligned(k) and tensors._is_aligned(v)
    left = tensors._Tile("a", 16, kind, kind, False, panels)
    for p in qd.static(range(panels)):
        few = _FewRows(q, batch, k_head * shared, shared, axis)
        if qd.static(tensors._ASYNC):
            if tensors._is_aligned(q):
                left.start_each(p, few, tile * 16, p * 64, threads)
            else:
                left.copy_each(p, few, tile * 16, p * 64, threads)
        else:
            left.copy_each(p, few, tile * 16, p * 64, threads)
    sums = subgroup.Matrix.zeros((16, dim))
    top, total = tensors._begin_softmax(16)
    factor = tensors._exponent_of(of_scores, score)
    # This block's steps of the rows of k.
    steps = (k_rows + (step - 1)) // step
    begin = steps * part // splits
    end = steps * (part + 1) // splits
    for i in qd.static(range(DECODE_STAGES - 1)):
        if begin + i < end:
            tensors._copy_step(keys, values, i, k_view, v_view, (begin + i) * step, threads, fast, panels)
        block._end_copies()
    stage = 0
    for j in range(begin, end):
        if qd.static(DECODE_STAGES == 1):
            block.sync()
            tensors._copy_step(keys, values, 0, k_view, v_view, j * step, threads, fast, panels)
            block.sync()
        else:
            block._await_copies(DECODE_STAGES - 2)
            block.sync()
            ahead = j + (DECODE_STAGES - 1)
            if ahead < end:
                free = stage - 1 if stage > 0 else DECODE_STAGES - 1
                tensors._copy_step(keys, values, free, k_view, v_view, ahead * step, threads, fast, panels)
            block._end_copies()
        scores = tensors._products_of_rows(left, keys, 0, stage * panels, own * 16, 16, dim)
        col = j * step + own * 16
        for i in qd.static(range(len(scores.words))):
            own_row, own_col = subgroup._place_of(scores, i)
            r = tile * 16 + own_row
            if qd.static(score is not None):
                scores.words[i] = qd.cast(
                    score(
                        scores.words[i] * of_scores,
                        batch,
                        k_head * shared + r // rows,
                        r % rows,
                        col + own_col,
                    ),
                    qd.f32,
                )
            if col + own_col >= k_rows - (rows - 1) + r % rows:
                scores.words[i] = -qd.math.inf
        weights, top, total, correction = tensors._soften(scores, top, total, factor)
        sums = tensors._scale_rows(sums, correction)
        sums = tensors._plus_weighted(sums, weights, values, stage, own, dim, subgroups)
        if qd.static(DECODE_STAGES > 1):
            stage = stage + 1 if stage < DECODE_STAGES - 1 else 0
    # From here on the largest is in the exponent of 2.
    for i in qd.static(range(len(top.words))):
        top.words[i] = top.words[i] * factor if top.words[i] > -qd.math.inf else top.words[i]
    whole = subgroup._rows_across(total, qd.add)
    sums, top, whole = _join_subgroups(sums, top, whole, subgroups)
    if own == qd.static(subgroups - 1):
        for i in qd.static(range(len(sums.words))):
            own_row, own_col = subgroup._place_of(sums, i)
            r = tile * 16 + own_row
            number = qd.static(subgroup._row_number(sums, i))
            if r < rows * shared:
                head = k_head * shared + r // rows
                if splits == 1:
                    view = tensors._View(out, (batch, head), axis)
                    value = sums.words[i] / whole.words[number] if whole.words[number] > 0 else 0.0
                    if own_col < view.cols:
                        out[view.place(r % rows, own_col)] = qd.cast(value, out.dtype)
                else:
                    at = (((batch * heads + head) * rows + r % rows) * splits + part) * (dim + 2)
                    scratch[at + own_col] = sums.words[i]
                    if own_col == 0:
                        scratch[at + dim] = top.words[number]
                        scratch[at + (dim + 1)] = whole.words[number]


@qd.func(requires_top_level=True)
def decode(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    dim: qd.template(),
    scale: qd.template() = None,
    axes: qd.template() = "bhsd",
    lengths: qd.template() = None,
    score: qd.template() = None,
):
    tensors._check_heads(q, k, v, out, dim, axes, lengths)
    qd.static_assert(
        scratch.dtype == qd.f32 and len(scratch.shape) == 1, "the scratch of `decode` is an array of f32"
    )
    axis = qd.static(tensors._axis_of(axes))
    of_scores = tensors._scale_of(q, scale)
    threads = qd.static(_subgroups_for(dim) * subgroup._WAVE)
    rows = q.shape[axis]
    heads = q.shape[3 - axis]
    # At least as many blocks as there are groups: what divides by a number of heads is not known at a launch.
    blocks = qd.max(q.shape[0] * (rows * heads // 16 + k.shape[3 - axis]), DECODE_BLOCKS)
    qd.loop_config(block_dim=threads, name="decode")
    for t in range(blocks * threads):
        groups = _groups(q, k, axis)
        splits = _splits(q, k, scratch, axis, dim)
        if t // threads < groups * splits:
            part = t // threads % splits
            group = t // threads // splits
            _decode_part(q, k, v, out, scratch, dim, of_scores, axis, lengths, score, group, part, splits)
    qd.loop_config(block_dim=_JOINING, name="decode_join")
    for t in range(q.shape[0] * heads * rows * _JOINING):
        splits = _splits(q, k, scratch, axis, dim)
        if splits > 1:
            row = t // _JOINING % rows
            head = t // _JOINING // rows % heads
            batch = t // _JOINING // rows // heads
            out_view = tensors._View(out, (batch, head), axis)
            _join_blocks(scratch, t // _JOINING * splits * (dim + 2), splits, out_view, row, dim)

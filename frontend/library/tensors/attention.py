# `qd.tensors.attention`: softmax(q @ transposed(k) * scale) @ v of each head, without the scores in memory (Dao,
# "FlashAttention-2", arXiv 2307.08691). A block has some rows of q, and goes through the rows of k and v.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup

_WIDE = subgroup._MMA or subgroup._CDNA or subgroup._RDNA  # 48 KiB of shared memory or more
_STAGES = 2 if tensors._ASYNC else 1
_AXES = ("bhsd", "bshd")
ATTENTION_WORKSPACE = 80  # elements of the array of u64 that `attention` works with


# Rows of k and v that a block has in shared memory at a time.
@qd.func
def _step_of(kind: qd.template(), dim: qd.template()):
    if qd.static(subgroup.matrix_unit(kind) == "none"):
        return 16
    elif qd.static(_WIDE):
        return 64 if qd.static(dim <= 128) else 32
    else:
        return 32 if qd.static(dim <= 128) else 16


# The subgroups of a block. Each has 16 rows of q.
@qd.func
def _subgroups_of(dim: qd.template()):
    return 2 if qd.static(dim > 128 and not tensors._ASYNC) else 4


# The rows of k and v in a batch.
@qd.func
def _rows_in(array: qd.template(), axis: qd.template(), lengths: qd.template(), batch):
    if qd.static(lengths is None):
        return array.shape[axis]
    else:
        return qd.max(qd.min(array.shape[axis], lengths[batch]), 0)


# The rows of k that rows of q look at, and what becomes of their scores, for the rows from `row` on that a subgroup
# has. `scale` multiplies what the caller's function gets.
@qd.data_oriented
class _Rule:
    def __init__(self, row, batch, head, scale, q_rows, k_rows, causal: qd.template(), score: qd.template()):
        self.row = row
        self.batch = batch
        self.head = head
        self.scale = scale
        self.after = k_rows - q_rows
        self.k_rows = k_rows
        self.causal = causal
        self.score = score

    # The last of `rows` rows of q that begin at `row` looks at so many rows of k.
    @qd.func
    def visible(self, row, rows):
        if qd.static(self.causal):
            return qd.max(qd.min(self.k_rows, row + rows + self.after), 0)
        else:
            return self.k_rows

    # All rows of q look at these first rows of k, those from `back` rows before the subgroup's on.
    @qd.func
    def clear_cols(self, back):
        if qd.static(self.causal):
            return qd.max(qd.min(self.k_rows, self.row + back + 1 + self.after), 0)
        else:
            return self.k_rows

    # The scores of rows of k from `col` on. `tests`: some of them may be out of sight.
    @qd.func
    def shaped(self, scores, col, tests: qd.template()):
        result = scores
        for i in qd.static(range(len(scores.words))):
            own_row, own_col = subgroup._place_of(scores, i)
            if qd.static(self.score is not None or tests):
                result.words[i] = self.shaped_one(scores.words[i], self.row + own_row, col + own_col, tests)
        return result

    @qd.func
    def shaped_one(self, value, row, col, tests: qd.template() = False):
        result = value
        if qd.static(self.score is not None):
            result = qd.cast(self.score(value * self.scale, self.batch, self.head, row, col), qd.f32)
        if qd.static(tests):
            if col >= self.visible(row, 1):
                result = -qd.math.inf
        return result


@qd.func(requires_top_level=True)
def _attention_by_blocks(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    out: qd.template(),
    dim: qd.template(),
    scale,
    causal: qd.template(),
    axis: qd.template(),
    lengths: qd.template(),
    score: qd.template(),
    lse: qd.template(),
    factor,
):
    kind = qd.static(q.dtype)
    step = qd.static(_step_of(kind, dim))
    subgroups = qd.static(_subgroups_of(dim))
    rows = qd.static(16 * subgroups)
    threads = qd.static(subgroups * subgroup._WAVE)
    panels = qd.static((dim + 63) // 64)
    heads = q.shape[3 - axis]
    parts = (q.shape[axis] + (rows - 1)) // rows
    qd.loop_config(block_dim=threads, name="attention_by_blocks")
    for t in range(q.shape[0] * heads * parts * factor * threads):
        batch = t // threads // parts // heads
        head = t // threads // parts % heads
        # Where rows look at all before them, the longest parts begin first.
        number = t // threads % parts
        row = (parts - 1 - number if qd.static(causal) else number) * rows
        q_view = tensors._View(q, (batch, head), axis)
        k_rows = _rows_in(k, axis, lengths, batch)
        k_head = head // (heads // k.shape[3 - axis])
        k_view = tensors._View(k, (batch, k_head), axis, k_rows)
        v_view = tensors._View(v, (batch, k_head), axis, k_rows)
        out_view = tensors._View(out, (batch, head), axis)
        left = tensors._Tile("a", rows, kind, kind, False, panels)
        keys = tensors._Tile("b", step, kind, kind, False, panels * _STAGES)
        values = tensors._Tile("b", dim, kind, kind, True, _STAGES, step)
        own_row = block.thread_idx() // subgroup._WAVE * 16
        fast = tensors._is_aligned(q) and tensors._is_aligned(k) and tensors._is_aligned(v)
        for p in qd.static(range(panels)):
            left.copy(p, q_view, row, p * 64, threads, fast)
        rule = _Rule(row + own_row, batch, head, scale, q_view.rows, k_rows, causal, score)
        visible = rule.visible(row, rows)
        sums = subgroup.Matrix.zeros((16, dim))
        top, total = tensors._begin_softmax(16)
        weight = tensors._exponent_of(scale, score)
        count = (visible + (step - 1)) // step
        if qd.static(_STAGES == 2):
            tensors._copy_step(keys, values, 0, k_view, v_view, 0, threads, fast, panels)
            block._end_copies()
        for j in range(count):
            stage = 0 if qd.static(_STAGES == 1) else j & 1
            col = j * step
            if qd.static(_STAGES == 1):
                block.sync()
                tensors._copy_step(keys, values, 0, k_view, v_view, col, threads, fast, panels)
                block.sync()
            else:
                block._await_copies(0)
                block.sync()
                if j + 1 < count:
                    tensors._copy_step(keys, values, 1 - stage, k_view, v_view, col + step, threads, fast, panels)
                block._end_copies()
            scores = tensors._products_of_rows(left, keys, own_row, stage * panels, 0, step, dim)
            if col + step <= rule.clear_cols(0):
                scores = rule.shaped(scores, col, False)
            else:
                scores = rule.shaped(scores, col, True)
            weights, top, total, correction = tensors._soften(scores, top, total, weight)
            sums = tensors._scale_rows(sums, correction)
            sums = tensors._plus_weighted(sums, weights, values, stage, 0, dim, subgroups)
        inverse, logarithm = tensors._end_softmax(top, total, weight)
        tensors._store_view(tensors._scale_rows(sums, inverse), out_view, row + own_row, 0)
        if qd.static(lse is not None):
            logarithm.store(lse, (batch, head, row + own_row))


# The axis of the rows.
@qd.func
def _axis_of(axes: qd.template()):
    return 2 if qd.static(axes == "bhsd") else 1


# The factor of the scores.
@qd.func
def _scale_of(q: qd.template(), scale: qd.template()):
    usual = 1.0 / qd.sqrt(qd.cast(q.shape[3], qd.f32))
    return usual if qd.static(scale is None) else scale


# Checks what `attention`, its derivatives and `decode` ask of their arguments.
@qd.func
def _check_heads(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    out: qd.template(),
    dim: qd.template(),
    axes: qd.template(),
    lengths: qd.template(),
):
    qd.static_assert(
        len(q.shape) == 4 and len(k.shape) == 4 and len(v.shape) == 4 and len(out.shape) == 4,
        "attention takes arrays of four dimensions: batches, heads, rows, and the elements of a head",
    )
    qd.static_assert(
        q.dtype in subgroup._HALVES and k.dtype == q.dtype and v.dtype == q.dtype,
        "attention takes q, k and v of f16, or all of bf16",
    )
    qd.static_assert(axes in _AXES, "the axes of attention's arrays are \"bhsd\" (heads before rows) or \"bshd\"")
    qd.static_assert(
        dim > 0 and dim <= 256 and dim % 16 == 0,
        "`dim` is a multiple of 16, at most 256: heads have no more elements",
    )
    if qd.static(lengths is not None):
        qd.static_assert(
            lengths.dtype == qd.i32 and len(lengths.shape) == 1,
            "the lengths of attention are an array of i32: the rows of k and v in each batch",
        )


@qd.func(requires_top_level=True)
def attention(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    out: qd.template(),
    workspace: qd.template(),
    dim: qd.template(),
    scale: qd.template() = None,
    causal: qd.template() = False,
    axes: qd.template() = "bhsd",
    lengths: qd.template() = None,
    score: qd.template() = None,
    lse: qd.template() = None,
):
    _check_heads(q, k, v, out, dim, axes, lengths)
    qd.static_assert(
        workspace.dtype == qd.u64 and len(workspace.shape) == 1,
        "the workspace of `attention` is an array of u64, of tensors.ATTENTION_WORKSPACE elements",
    )
    axis = qd.static(_axis_of(axes))
    if qd.static(lse is not None):
        qd.static_assert(len(lse.shape) == 3, "`lse` has three dimensions: batches, heads and rows")
    of_scores = _scale_of(q, scale)
    if qd.static(tensors._goes_by_flash(dim)):
        fits = 1 - qd.min(tensors._odd(q) + tensors._odd(k) + tensors._odd(v) + tensors._odd(out), 1)
        tensors._attention_by_flash(q, k, v, out, workspace, dim, of_scores, causal, axis, lengths, score, lse, fits)
        tensors._attention_by_blocks(q, k, v, out, dim, of_scores, causal, axis, lengths, score, lse, 1 - fits)
    else:
        tensors._attention_by_blocks(q, k, v, out, dim, of_scores, causal, axis, lengths, score, lse, 1)

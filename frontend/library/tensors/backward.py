# The derivatives of attention (Dao, "FlashAttention-2", arXiv 2307.08691, section 3.1.2): blocks compute the weights again, of
# `lse`, instead of reading them. One task has a block for some rows of k and v, another one for some rows of q, so that no
# sum needs an atomic addition.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup

_SUBGROUPS = 4 if tensors._WIDE else 2  # the subgroups of a block; each has 16 rows


# Rows that a block goes through at a time.
@qd.func
def _backward_step(dim: qd.template()):
    return 32 if qd.static(tensors._WIDE and dim <= 128) else 16


# Rows of a head in shared memory: as rows of a left operand, or as columns of a right one (`along`), whose inner axis are
# the elements of the head; and `turned`, as a right operand whose inner axis are the rows.
@qd.data_oriented
class _Rows:
    def __init__(self, use: qd.template(), rows: qd.template(), kind: qd.template(), dim: qd.template()):
        self.panels = (dim + 63) // 64
        self.dim = dim
        self.along = tensors._Tile(use, rows, kind, kind, False, (dim + 63) // 64)
        self.turned = tensors._Tile("b", (dim + 63) // 64 * 64, kind, kind, True, 1, rows, self.along.words)

    @qd.func
    def copy(self, view: qd.template(), row, threads: qd.template(), fast):
        for p in qd.static(range(self.panels)):
            self.along.copy(p, view, row, p * 64, threads, fast)

    # The product of 16 rows with other rows, over the elements of the head.
    @qd.func
    def times(self, other: qd.template(), row, cols: qd.template()):
        return tensors._products_of_rows(self.along, other.along, row, 0, 0, cols, self.dim)

    # Adds the product of 16 rows of weights with these rows.
    @qd.func
    def plus_weighted(self, sums, weights: qd.template()):
        return tensors._plus_weighted(sums, weights, self.turned, 0, 0, self.dim, _SUBGROUPS)


# The weight of a score, and its derivative's factor, are 0 where a row may not look or has no weights.
@qd.func
def _weight(value, scale, logarithm, sees):
    exponent = (value * scale - logarithm) * tensors._LOG2_E
    return tensors._exp2(exponent) if sees and logarithm > -qd.math.inf else 0.0


# Sums of the products of the result and its derivative, of each row: `sums` has the shape of `lse`.
@qd.func(requires_top_level=True)
def _row_products(out: qd.template(), d_out: qd.template(), sums: qd.template(), axis: qd.template()):
    wave = qd.static(subgroup._WAVE)
    qd.loop_config(block_dim=128, name="attention_row_products")
    for t in range(out.shape[0] * out.shape[1] * out.shape[2] * wave):
        row = t // wave % out.shape[axis]
        head = t // wave // out.shape[axis] % out.shape[3 - axis]
        batch = t // wave // out.shape[axis] // out.shape[3 - axis]
        view = tensors._View(out, (batch, head), axis)
        total = 0.0
        for col in range(subgroup.invocation_id(), view.cols, wave):
            total += qd.cast(out[view.place(row, col)], qd.f32) * qd.cast(d_out[view.place(row, col)], qd.f32)
        whole = subgroup.reduce_all_add(total)
        if subgroup.invocation_id() == 0:
            sums[batch, head, row] = whole


# The derivatives by k and v. A block has some rows of a head of k, and goes through q's rows of all heads that share it.
@qd.func(requires_top_level=True)
def _backward_of_keys(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    d_out: qd.template(),
    lse: qd.template(),
    sums: qd.template(),
    d_k: qd.template(),
    d_v: qd.template(),
    dim: qd.template(),
    scale,
    causal: qd.template(),
    axis: qd.template(),
    lengths: qd.template(),
):
    kind = qd.static(q.dtype)
    rows = qd.static(16 * _SUBGROUPS)
    step = qd.static(_backward_step(dim))
    threads = qd.static(_SUBGROUPS * subgroup._WAVE)
    k_heads = k.shape[3 - axis]
    parts = (k.shape[axis] + (rows - 1)) // rows
    qd.loop_config(block_dim=threads, name="attention_backward_of_keys")
    for t in range(k.shape[0] * k_heads * parts * threads):
        row = t // threads % parts * rows
        k_head = t // threads // parts % k_heads
        batch = t // threads // parts // k_heads
        shared = q.shape[3 - axis] // k_heads
        k_rows = tensors._rows_in(k, axis, lengths, batch)
        after = k_rows - q.shape[axis]
        keys = _Rows("a", rows, kind, dim)
        values = _Rows("a", rows, kind, dim)
        queries = _Rows("b", step, kind, dim)
        d_outs = _Rows("b", step, kind, dim)
        aligned = tensors._is_aligned(q) and tensors._is_aligned(d_out)
        fast = aligned and tensors._is_aligned(k) and tensors._is_aligned(v)
        keys.copy(tensors._View(k, (batch, k_head), axis, k_rows), row, threads, fast)
        values.copy(tensors._View(v, (batch, k_head), axis, k_rows), row, threads, fast)
        own_row = block.thread_idx() // subgroup._WAVE * 16
        d_key = subgroup.Matrix.zeros((16, dim))
        d_value = subgroup.Matrix.zeros((16, dim))
        # The first row of q that sees this part.
        first = qd.max(row - after, 0) // step * step if qd.static(causal) else 0
        for h in range(shared):
            head = k_head * shared + h
            for begin in range(first, q.shape[axis], step):
                block.sync()
                queries.copy(tensors._View(q, (batch, head), axis), begin, threads, fast)
                d_outs.copy(tensors._View(d_out, (batch, head), axis), begin, threads, fast)
                block._end_copies()
                block._await_copies(0)
                block.sync()
                weights = keys.times(queries, own_row, step)
                products = values.times(d_outs, own_row, step)
                for i in qd.static(range(len(weights.words))):
                    key, query = subgroup._place_of(weights, i)
                    key = key + row + own_row
                    query = query + begin
                    sees = query < q.shape[axis] and key < k_rows
                    if qd.static(causal):
                        sees = sees and key <= query + after
                    at = qd.min(query, q.shape[axis] - 1)
                    weight = _weight(weights.words[i], scale, lse[batch, head, at], sees)
                    products.words[i] = weight * (products.words[i] - sums[batch, head, at]) * scale
                    weights.words[i] = weight
                d_value = d_outs.plus_weighted(d_value, weights)
                d_key = queries.plus_weighted(d_key, products)
        tensors._store_view(d_key, tensors._View(d_k, (batch, k_head), axis), row + own_row, 0)
        tensors._store_view(d_value, tensors._View(d_v, (batch, k_head), axis), row + own_row, 0)


# The derivatives by q.
@qd.func(requires_top_level=True)
def _backward_of_queries(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    d_out: qd.template(),
    lse: qd.template(),
    sums: qd.template(),
    d_q: qd.template(),
    dim: qd.template(),
    scale,
    causal: qd.template(),
    axis: qd.template(),
    lengths: qd.template(),
):
    kind = qd.static(q.dtype)
    rows = qd.static(16 * _SUBGROUPS)
    step = qd.static(_backward_step(dim))
    threads = qd.static(_SUBGROUPS * subgroup._WAVE)
    heads = q.shape[3 - axis]
    parts = (q.shape[axis] + (rows - 1)) // rows
    qd.loop_config(block_dim=threads, name="attention_backward_of_queries")
    for t in range(q.shape[0] * heads * parts * threads):
        number = t // threads % parts
        row = (parts - 1 - number if qd.static(causal) else number) * rows
        head = t // threads // parts % heads
        batch = t // threads // parts // heads
        k_head = head // (heads // k.shape[3 - axis])
        k_rows = tensors._rows_in(k, axis, lengths, batch)
        queries = _Rows("a", rows, kind, dim)
        d_outs = _Rows("a", rows, kind, dim)
        keys = _Rows("b", step, kind, dim)
        values = _Rows("b", step, kind, dim)
        aligned = tensors._is_aligned(q) and tensors._is_aligned(d_out)
        fast = aligned and tensors._is_aligned(k) and tensors._is_aligned(v)
        queries.copy(tensors._View(q, (batch, head), axis), row, threads, fast)
        d_outs.copy(tensors._View(d_out, (batch, head), axis), row, threads, fast)
        own_row = block.thread_idx() // subgroup._WAVE * 16
        rule = tensors._Rule(row + own_row, batch, head, scale, q.shape[axis], k_rows, causal, None)
        d_query = subgroup.Matrix.zeros((16, dim))
        for begin in range(0, rule.visible(row, rows), step):
            block.sync()
            keys.copy(tensors._View(k, (batch, k_head), axis, k_rows), begin, threads, fast)
            values.copy(tensors._View(v, (batch, k_head), axis, k_rows), begin, threads, fast)
            block._end_copies()
            block._await_copies(0)
            block.sync()
            scores = queries.times(keys, own_row, step)
            products = d_outs.times(values, own_row, step)
            for i in qd.static(range(len(scores.words))):
                query, key = subgroup._place_of(scores, i)
                query = query + row + own_row
                sees = query < q.shape[axis] and key + begin < rule.visible(query, 1)
                at = qd.min(query, q.shape[axis] - 1)
                weight = _weight(scores.words[i], scale, lse[batch, head, at], sees)
                products.words[i] = weight * (products.words[i] - sums[batch, head, at]) * scale
            d_query = keys.plus_weighted(d_query, products)
        tensors._store_view(d_query, tensors._View(d_q, (batch, head), axis), row + own_row, 0)


@qd.func(requires_top_level=True)
def attention_backward(
    q: qd.template(),
    k: qd.template(),
    v: qd.template(),
    out: qd.template(),
    d_out: qd.template(),
    lse: qd.template(),
    d_q: qd.template(),
    d_k: qd.template(),
    d_v: qd.template(),
    sums: qd.template(),
    dim: qd.template(),
    scale: qd.template() = None,
    causal: qd.template() = False,
    axes: qd.template() = "bhsd",
    lengths: qd.template() = None,
):
    tensors._check_heads(q, k, v, out, dim, axes, lengths)
    tensors._check_heads(q, q, d_out, d_q, dim, axes, lengths)
    tensors._check_heads(q, k, v, d_k, dim, axes, lengths)
    tensors._check_heads(q, k, v, d_v, dim, axes, lengths)
    qd.static_assert(
        len(lse.shape) == 3 and len(sums.shape) == 3,
        "`lse` and `sums` have three dimensions: batches, heads and rows",
    )
    axis = qd.static(tensors._axis_of(axes))
    of_scores = tensors._scale_of(q, scale)
    _row_products(out, d_out, sums, axis)
    _backward_of_keys(q, k, v, d_out, lse, sums, d_k, d_v, dim, of_scores, causal, axis, lengths)
    _backward_of_queries(q, k, v, d_out, lse, sums, d_q, dim, of_scores, causal, axis, lengths)

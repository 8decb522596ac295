# Products of matrices without a matrix unit: each thread of a block has a small matrix of sums in registers, and takes what it
# multiplies from shared memory, where the block's next step is written while it computes. The order of a sum is that
# of the inner axis.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup

_CPU = qd.cfg.arch == qd.cpu
_CUDA = qd.cfg.arch == qd.cuda

FMA_ROWS = 8  # sums of a thread
FMA_COLS = 2 if _CPU else 16 if _CUDA else 8
FMA_RUN = 1 if _CPU else 4  # rows or columns that follow each other in a thread
FMA_DEPTH = 16 if _CPU or _CUDA else 8  # elements of the inner axis in a step
FMA_DOWN = 8 if _CPU else 16  # threads of a block
FMA_ACROSS = 32 if _CPU else 16
FMA_BLOCKS = 96  # blocks that are worth large parts: where there are fewer, threads have 4 by 4 sums
FMA_GROUP = 8  # parts of the product that lie below each other and are made side by side, for the L2 cache

_BLOCK = FMA_DOWN * FMA_ACROSS


# The sums of a thread lie in runs of rows or columns, so that a run comes by one load and the runs of neighbouring threads
# lie side by side. This is the place of row or column `i` of a thread with so many neighbours, from its first one on.
@qd.func
def _run_place(i: qd.template(), threads: qd.template()):
    return i // FMA_RUN * (FMA_RUN * threads) + i % FMA_RUN


# The columns of sums of a thread: half as many for 64 bits. On NVIDIA also where the right operand's rows lie along the
# inner axis, since it takes more registers then.
@qd.func
def _cols_for(sums: qd.template(), across: qd.template()):
    return max(FMA_COLS // 2, FMA_RUN) if qd.static(sums == qd.f64 or (_CUDA and not across)) else FMA_COLS


# A step of an operand in shared memory: `outer` rows of "a" or columns of "b", in two stages. `across`: the array's
# rows lie along the outer axis.
@qd.data_oriented
class _Step:
    def __init__(self, outer: qd.template(), across: qd.template(), sums: qd.template()):
        self.outer = outer
        self.across = across
        self.sums = sums
        self.each = outer * FMA_DEPTH // _BLOCK
        self.elements = block.SharedArray((2 * FMA_DEPTH * outer,), sums)

    # Along the outer and the inner axis, the place of a thread's element `i`.
    @qd.func
    def place(self, i: qd.template()):
        n = block.thread_idx() + i * _BLOCK
        if qd.static(self.across):
            return n % self.outer, n // self.outer
        else:
            return n // FMA_DEPTH, n % FMA_DEPTH

    # The place of a run in shared memory. Threads that write one row have elements along the inner axis, which shall
    # meet different banks: so runs lie in another order for each of eight such elements.
    @qd.func
    def run(self, stage, along, number):
        mixed = number if qd.static(self.across or _CPU) else number ^ along & 7
        return (stage * FMA_DEPTH + along) * self.outer + mixed * FMA_RUN

    # A thread's elements of the step that begins at `outer` and `inner`, and zeros past the array's ends.
    @qd.func
    def load(self, view: qd.template(), outer, inner):
        rows = qd.static(FMA_DEPTH if self.across else self.outer)
        cols = qd.static(self.outer if self.across else FMA_DEPTH)
        row = inner if qd.static(self.across) else outer
        col = outer if qd.static(self.across) else inner
        values = qd.Vector([qd.cast(0, self.sums) for _ in qd.static(range(self.each))])
        if row + rows <= view.rows and col + cols <= view.cols:
            for i in qd.static(range(self.each)):
                values[i] = self.one(view, row, col, i)
        else:
            for i in qd.static(range(self.each)):
                own, along = self.place(i)
                r = row + (along if qd.static(self.across) else own)
                c = col + (own if qd.static(self.across) else along)
                if r < view.rows and c < view.cols:
                    values[i] = self.one(view, row, col, i)
        return values

    @qd.func
    def one(self, view: qd.template(), row, col, i: qd.template()):
        own, along = self.place(i)
        r = row + (along if qd.static(self.across) else own)
        c = col + (own if qd.static(self.across) else along)
        return qd.cast(view.array[view.place(r, c)], self.sums)

    @qd.func
    def keep(self, stage, values):
        for i in qd.static(range(self.each)):
            own, along = self.place(i)
            self.elements[self.run(stage, along, own // FMA_RUN) + own % FMA_RUN] = values[i]


# c = epilogue(a @ b) by threads with so many sums, or nothing if `factor` is 0 and not 1.
@qd.func(requires_top_level=True)
def _matmul_by_sums(
    a: qd.template(),
    b: qd.template(),
    c: qd.template(),
    sum_type: qd.template(),
    epilogue: qd.template(),
    transposed_a: qd.template(),
    transposed_b: qd.template(),
    rows: qd.template(),
    cols: qd.template(),
    factor,
):
    tall = qd.static(FMA_DOWN * rows)
    wide = qd.static(FMA_ACROSS * cols)
    qd.static_assert(
        tall * FMA_DEPTH % _BLOCK == 0
        and wide * FMA_DEPTH % _BLOCK == 0
        and tall % (8 * FMA_RUN) == 0
        and wide % (8 * FMA_RUN) == 0
        and rows % FMA_RUN == 0
        and cols % FMA_RUN == 0,
        "a block's rows and columns are multiples of 8 * FMA_RUN, and times FMA_DEPTH of its threads; FMA_RUN divides a thread's",
    )
    length = a.shape[qd.static(len(a.shape) - (2 if transposed_a else 1))]
    c_rows = c.shape[qd.static(len(c.shape) - 2)]
    c_cols = c.shape[qd.static(len(c.shape) - 1)]
    down = (c_rows + (tall - 1)) // tall
    across = (c_cols + (wide - 1)) // wide
    qd.loop_config(block_dim=_BLOCK, name="matmul_by_fma")
    for t in range(tensors._count_of(c) * (down * across * factor * _BLOCK)):
        left = _Step(tall, transposed_a, sum_type)
        right = _Step(wide, not transposed_b, sum_type)
        number = 0 if qd.static(len(c.shape) == 2) else t // _BLOCK // (down * across)
        x = tensors._matrix_of(a, number)
        y = tensors._matrix_of(b, number)
        z = tensors._matrix_of(c, number)
        part = t // _BLOCK if qd.static(len(c.shape) == 2) else t // _BLOCK % (down * across)
        part_row, part_col = tensors._part(part, down, across, FMA_GROUP)
        row = part_row * tall
        col = part_col * wide
        # The remainder says that it is small, so that compilers see where loads of runs may be one.
        own_row = block.thread_idx() // FMA_ACROSS % FMA_DOWN
        own_col = block.thread_idx() % FMA_ACROSS
        steps = (length + (FMA_DEPTH - 1)) // FMA_DEPTH
        sums = qd.Vector([qd.cast(0, sum_type) for _ in qd.static(range(rows * cols))])
        next_left = left.load(x, row, 0)
        next_right = right.load(y, col, 0)
        for k in range(steps):
            stage = k & 1
            left.keep(stage, next_left)
            right.keep(stage, next_right)
            block.sync()
            if k + 1 < steps:
                next_left = left.load(x, row, (k + 1) * FMA_DEPTH)
                next_right = right.load(y, col, (k + 1) * FMA_DEPTH)
            for d in qd.static(range(FMA_DEPTH)):
                u_at = left.run(stage, d, own_row)
                v_at = right.run(stage, d, own_col)
                u = [left.elements[u_at + _run_place(i, FMA_DOWN)] for i in qd.static(range(rows))]
                v = [right.elements[v_at + _run_place(i, FMA_ACROSS)] for i in qd.static(range(cols))]
                for i in qd.static(range(rows)):
                    for j in qd.static(range(cols)):
                        if qd.static(sum_type == qd.i32):
                            sums[i * cols + j] += u[i] * v[j]
                        else:
                            sums[i * cols + j] = qd.math.fma(u[i], v[j], sums[i * cols + j])
        for i in qd.static(range(rows)):
            for j in qd.static(range(cols)):
                r = row + own_row * FMA_RUN + _run_place(i, FMA_DOWN)
                s = col + own_col * FMA_RUN + _run_place(j, FMA_ACROSS)
                if r < z.rows and s < z.cols:
                    c[z.place(r, s)] = qd.cast(epilogue.of(sums[i * cols + j], r, s), c.dtype)


# c = epilogue(a @ b).
@qd.func(requires_top_level=True)
def _matmul_by_fma(
    a: qd.template(),
    b: qd.template(),
    c: qd.template(),
    sums: qd.template(),
    epilogue: qd.template(),
    transposed_a: qd.template(),
    transposed_b: qd.template(),
):
    cols = qd.static(_cols_for(sums, not transposed_b))
    if qd.static(_CPU):
        _matmul_by_sums(a, b, c, sums, epilogue, transposed_a, transposed_b, FMA_ROWS, cols, 1)
    else:
        tall = qd.static(FMA_DOWN * FMA_ROWS)
        wide = qd.static(FMA_ACROSS * cols)
        c_rows = c.shape[qd.static(len(c.shape) - 2)]
        c_cols = c.shape[qd.static(len(c.shape) - 1)]
        parts = tensors._count_of(c) * (((c_rows + (tall - 1)) // tall) * ((c_cols + (wide - 1)) // wide))
        large = qd.min(parts // FMA_BLOCKS, 1)
        _matmul_by_sums(a, b, c, sums, epilogue, transposed_a, transposed_b, FMA_ROWS, cols, large)
        _matmul_by_sums(a, b, c, sums, epilogue, transposed_a, transposed_b, 4, 4, 1 - large)

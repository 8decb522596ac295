# Parts of matrices in shared memory, in the order that matrix units read without a conflict between
# banks.
#
# A part has rows of 128 bytes, and as many panels of them side by side as its columns need. A row's
# chunks of 16 bytes lie in an order that differs from row to row: chunk c is at c ^ (row & 7). So neither
# copies, which take a row at a time, nor matrix units, which take a column of chunks, meet a bank twice.
# NVIDIA's hardware knows the order as "128-byte swizzle" (PTX ISA, "Swizzling Modes").
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup

_ROW = 32  # words of a row
_CHUNK = 4  # words of a chunk


# The bytes of an element.
@qd.func
def _size(dtype: qd.template()):
    if qd.static(dtype == qd.f16 or dtype == qd.bf16):
        return 2
    elif qd.static(dtype == qd.f32):
        return 4
    else:
        return 8 if qd.static(dtype == qd.f64) else 1


_ASYNC = subgroup._NVIDIA and subgroup._UNIT != "sm_75"  # copies to shared memory that nobody waits for
_WORDS = subgroup._COOPERATIVE  # 16 bytes by one load, whatever the elements
_MATRICES = subgroup._NVIDIA  # loads of matrices from shared memory: ldmatrix


# A part of an operand of a product, in `stages` copies: `outer` rows of "a" or columns of "b", by `inner`
# elements of the axis that the product sums over, 128 bytes or as many as are named. `across`: the array's rows lie along
# the outer axis. `words`: those of another part, which this one is seen in another way.
@qd.data_oriented
class _Tile:
    def __init__(
        self,
        use: qd.template(),
        outer: qd.template(),
        dtype: qd.template(),
        kind: qd.template(),
        across: qd.template(),
        stages: qd.template(),
        inner: qd.template() = None,
        words: qd.template() = None,
    ):
        self.use = use
        self.outer = outer
        self.inner = 128 // _size(dtype) if inner is None else inner
        self.dtype = dtype
        self.kind = kind
        self.across = across
        # A lane's words of a step come by few loads.
        self.loads_words = kind != qd.f64 and (not across or (_MATRICES and _size(dtype) == 2))
        rows = qd.static((128 // _size(dtype) if inner is None else inner) if across else outer)
        chunks = qd.static(outer * _size(dtype) // 16 if across else 8)
        stage_words = qd.static((chunks + 7) // 8 * rows * _ROW)
        self.rows = rows
        self.chunks = chunks
        self.stage_words = stage_words
        self.words = block.SharedArray((stage_words * stages,), qd.u32) if qd.static(words is None) else words

    # The place of a chunk of a row in a stage.
    @qd.func
    def place(self, row, chunk):
        return chunk // 8 * (self.rows * _ROW) + row * _ROW + ((chunk ^ row) & 7) * _CHUNK

    # Copies the part of a view whose first row or column is `outer`, and whose first element along the inner axis
    # is `inner`, to a stage. Past the view's ends there are zeros. `fast`: the array and its rows begin at multiples
    # of 16 bytes.
    @qd.func
    def copy(self, stage, view: qd.template(), outer, inner, threads: qd.template(), fast):
        row = inner if qd.static(self.across) else outer
        col = outer if qd.static(self.across) else inner
        if qd.static(_ASYNC):
            if fast:
                self.start_all(stage, view, row, col, threads)
            else:
                self.copy_each(stage, view, row, col, threads)
        elif qd.static(_WORDS):
            if fast:
                self.copy_words(stage, view, row, col, threads)
            else:
                self.copy_each(stage, view, row, col, threads)
        else:
            self.copy_each(stage, view, row, col, threads)

    # Starts the copies of all chunks.
    @qd.func
    def start_all(self, stage, view: qd.template(), row, col, threads: qd.template()):
        every = qd.static(threads // self.chunks)
        each = qd.static(16 // _size(self.dtype))
        if qd.static(every % 8 == 0 and every * self.chunks == threads):
            # A thread has the same chunk in every so many rows, whose order is the same.
            r = row + block.thread_idx() // self.chunks
            chunk = block.thread_idx() % self.chunks
            c = col + chunk * each
            source = view.address(r, c)
            pitch = qd.cast(view.pitch(), qd.u64) * qd.u64(every * _size(self.dtype))
            to = stage * self.stage_words + self.place(block.thread_idx() // self.chunks, chunk)
            for k in qd.static(range(self.rows // every)):
                inside = c < view.cols and r + k * every < view.rows
                self.start(to + k * every * _ROW, source + qd.u64(k) * pitch, inside)
        else:
            self.start_each(stage, view, row, col, threads)

    # The same, where rows need not lie at equal distances.
    @qd.func
    def start_each(self, stage, view: qd.template(), row, col, threads: qd.template()):
        each = qd.static(16 // _size(self.dtype))
        for k in qd.static(range((self.rows * self.chunks + threads - 1) // threads)):
            n = block.thread_idx() + k * threads
            if (k + 1) * threads <= self.rows * self.chunks or n < self.rows * self.chunks:
                r = row + n // self.chunks
                c = col + n % self.chunks * each
                to = stage * self.stage_words + self.place(n // self.chunks, n % self.chunks)
                self.start(to, view.address(r, c), r < view.rows and c < view.cols)

    # Starts the copy of a chunk. If it is not inside of the array, no byte is read and zeros are written (PTX ISA,
    # "cp.async").
    @qd.func
    def start(self, to, source, inside):
        subgroup._instruction(
            "cp.async.cg.shared.global [#], [#], 16, #;",
            None,
            (subgroup._address(self.words, to), source, qd.u32(16 if inside else 0)),
            True,
            True,
        )

    # Copies chunks, each by one load. A thread's loads are all in flight before the first is stored, so none of them
    # is under a condition: those outside of the view read its last chunk.
    @qd.func
    def copy_words(self, stage, view: qd.template(), row, col, threads: qd.template()):
        count = qd.static((self.rows * self.chunks + threads - 1) // threads)
        each = qd.static(16 // _size(self.dtype))
        words = qd.Vector([qd.u32(0) for _ in qd.static(range(4 * count))])
        last_row = qd.max(view.rows - 1, 0)
        last_col = qd.max(view.cols - each, 0)
        for k in qd.static(range(count)):
            n = block.thread_idx() + k * threads
            r = row + n // self.chunks
            c = col + n % self.chunks * each
            at = view.place(qd.min(r, last_row), qd.min(c, last_col))
            for w in qd.static(range(4)):
                word = subgroup._word(view.array, at, w)
                words[4 * k + w] = word if r < view.rows and c < view.cols else qd.u32(0)
        for k in qd.static(range(count)):
            n = block.thread_idx() + k * threads
            if (k + 1) * threads <= self.rows * self.chunks or n < self.rows * self.chunks:
                to = stage * self.stage_words + self.place(n // self.chunks, n % self.chunks)
                for w in qd.static(range(4)):
                    self.words[to + w] = words[4 * k + w]

    @qd.func
    def copy_each(self, stage, view: qd.template(), row, col, threads: qd.template()):
        for n in range(block.thread_idx(), self.rows * self.chunks, threads):
            to = stage * self.stage_words + self.place(n // self.chunks, n % self.chunks)
            self.copy_chunk(
                to, view, row + n // self.chunks, col + n % self.chunks * qd.static(16 // _size(self.dtype))
            )

    # Copies a chunk element by element.
    @qd.func
    def copy_chunk(self, to, view: qd.template(), row, col):
        packed = qd.static(subgroup._packed(self.kind))
        whole = row < view.rows and col + 4 * packed <= view.cols
        for w in qd.static(range(4)):
            if qd.static(_size(self.dtype) == 8):
                if qd.static(w % 2 == 0):
                    value = qd.cast(0, self.dtype)
                    if row < view.rows and col + w // 2 < view.cols:
                        value = view.array[view.place(row, col + w // 2)]
                    bits = qd.bit_cast(value, qd.u64)
                    self.words[to + w] = qd.cast(bits, qd.u32)
                    self.words[to + w + 1] = qd.cast(bits >> 32, qd.u32)
            else:
                word = qd.u32(0)
                for e in qd.static(range(packed)):
                    value = qd.cast(0, self.dtype)
                    if whole or (row < view.rows and col + (w * packed + e) < view.cols):
                        value = view.array[view.place(row, col + (w * packed + e))]
                    word = word | subgroup._bits(value) << (32 // packed * e)
                self.words[to + w] = word

    # The part of a stage that a subgroup multiplies in a step of 8 words: of `count` rows or columns from `begin` on.
    @qd.func
    def operand(self, stage, begin, count: qd.template(), step):
        result = subgroup._zeros_of(self.use, self.kind, count, 1)
        lane = subgroup.invocation_id()
        words = qd.static(subgroup._words(self.kind))
        base = stage * self.stage_words
        if qd.static(_MATRICES and self.loads_words):
            # One instruction loads four matrices of 8 by 8: two lie along the outer axis, and two along the inner one.
            near = lane >> 3 & 1
            far = lane >> 4
            along = near if qd.static(self.use == "a") else far
            deep = far if qd.static(self.use == "a") else near
            turned = qd.static(".trans" if self.across else "")
            for o in qd.static(range(count // 16)):
                row = begin + o * 16 + (lane & 7) + along * 8
                chunk = step * 2 + deep
                if qd.static(self.across):
                    row = step * 16 + (lane & 7) + deep * 8
                    chunk = begin // 8 + o * 2 + along
                four = subgroup._instruction(
                    f"ldmatrix.sync.aligned.m8n8.x4{turned}.shared.b16 {{4}}, [#];",
                    qd.Vector([qd.u32(0) for _ in qd.static(range(4))]),
                    (subgroup._address(self.words, base + self.place(row, chunk)),),
                    True,
                )
                for i in qd.static(range(4)):
                    result.words[o * 4 + i] = four[i]
        else:
            for o in qd.static(range(count // 16)):
                for i in qd.static(range(words)):
                    place, word = subgroup._word_place(self.use, self.kind, i)
                    result.words[o * words + i] = self.word(base, begin + o * 16 + place, step, word)
        return result

    # Word `word` of a step, of a row or column.
    @qd.func
    def word(self, base, outer, step, word):
        if qd.static(self.kind == qd.f64):
            row = step * 8 + word if qd.static(self.across) else outer
            col = outer if qd.static(self.across) else step * 8 + word
            at = base + self.place(row, col // 2) + col % 2 * 2
            bits = qd.cast(self.words[at], qd.u64) | qd.cast(self.words[at + 1], qd.u64) << 32
            return qd.bit_cast(bits, qd.f64)
        elif qd.static(not self.across):
            return self.words[base + self.place(outer, step * 2 + word // 4) + word % 4]
        else:
            packed = qd.static(subgroup._packed(self.kind))
            bits = qd.static(32 // packed)
            result = qd.u32(0)
            for e in qd.static(range(packed)):
                row = (step * 8 + word) * packed + e
                whole = self.words[base + self.place(row, outer // (4 * packed)) + outer // packed % 4]
                part = whole >> qd.cast(outer % packed * bits, qd.u32)
                if qd.static(packed > 1):
                    part = part & qd.u32((1 << bits) - 1)
                result = result | part << (bits * e)
            return result

# `qd.simt.subgroup.Matrix`: matrices that the lanes of a subgroup hold together, their products by the matrix unit
# that the target has, and the parts of arrays that they are.
import quadrants as qd
from quadrants.lang.simt import subgroup

# ---- Memory -----------------------------------------------------------------------------


# A word of elements that follow each other along the inner axis. Those past `inner` elements of the matrix
# are 0, and so are those outside of the array, if that is tested.
@qd.func
def _gathered(
    array: qd.template(),
    lead: qd.template(),
    row,
    col,
    right: qd.template(),
    dtype: qd.template(),
    left_inner: qd.template(),
    word,
    tests: qd.template(),
):
    rank = qd.static(len(array.shape))
    values = qd.Vector([qd.cast(0, array.dtype) for _ in qd.static(range(subgroup._packed(dtype)))])
    for e in qd.static(range(subgroup._packed(dtype))):
        r = row + (e if qd.static(right) else 0)
        s = col + (0 if qd.static(right) else e)
        inside = word * subgroup._packed(dtype) + e < left_inner
        if qd.static(tests):
            inside = inside and r < array.shape[qd.static(rank - 2)] and s < array.shape[qd.static(rank - 1)]
        if inside:
            values[e] = array[lead, r, s]
    if qd.static(dtype == qd.f64):
        return values[0]
    else:
        word_bits = qd.u32(0)
        for e in qd.static(range(subgroup._packed(dtype))):
            word_bits = word_bits | subgroup._bits(values[e]) << (32 // subgroup._packed(dtype) * e)
        return word_bits


# An operand of zeros: of `outer` rows or columns by the elements of `steps` tiles.
@qd.func
def _zeros_of(use: qd.template(), dtype: qd.template(), outer: qd.template(), steps: qd.template()):
    inner = qd.static(steps * 8 * subgroup._packed(dtype))
    rows = qd.static(outer if use == "a" else inner)
    cols = qd.static(inner if use == "a" else outer)
    count = qd.static(outer // 16 * steps * subgroup._words(dtype))
    zero = qd.cast(0, subgroup._word_type(dtype))
    return subgroup._matrix_type(use, rows, cols, dtype, subgroup._word_type(dtype), count)(
        qd.Vector([zero for _ in qd.static(range(count))])
    )


@qd.func
def _operand(
    use: qd.template(),
    array: qd.template(),
    at: qd.template(),
    shape: qd.template(),
    dtype: qd.template(),
    transposed: qd.template(),
):
    kind = qd.static(array.dtype if dtype is None else dtype)
    qd.static_assert(
        kind == "tf32" or kind in subgroup._KINDS,
        "a matrix of a product has elements of f16, bf16, f32, f64, i8, u8, f8e4m3 or f8e5m2, or f32 as \"tf32\"",
    )
    qd.static_assert(
        array.dtype == (qd.f32 if kind == "tf32" else kind), "the array has elements of another type than the matrix"
    )
    qd.static_assert(
        shape[0] > 0 and shape[0] % 16 == 0 and shape[1] > 0 and shape[1] % 16 == 0,
        "the rows and columns of a matrix are multiples of 16",
    )
    outer = qd.static(shape[0] if use == "a" else shape[1])
    inner = qd.static(shape[1] if use == "a" else shape[0])
    steps = qd.static(subgroup._steps_of(inner, kind))
    result = _zeros_of(use, kind, outer, steps)
    # In the array the inner axis is that of rows for "b", and for a transposed "a".
    right = qd.static((use == "b") != transposed)
    rank = qd.static(len(array.shape))
    lead = qd.static(len(at) - 2)
    whole = (
        at[lead] + (inner if qd.static(right) else outer) <= array.shape[qd.static(rank - 2)]
        and at[lead + 1] + (outer if qd.static(right) else inner) <= array.shape[qd.static(rank - 1)]
    )
    if whole:
        _fill(result, array, at, outer, inner, steps, right, False)
    else:
        _fill(result, array, at, outer, inner, steps, right, True)
    return result


@qd.func
def _fill(
    result: qd.template(),
    array: qd.template(),
    at: qd.template(),
    outer: qd.template(),
    inner: qd.template(),
    steps: qd.template(),
    right: qd.template(),
    tests: qd.template(),
):
    kind = qd.static(result.dtype)
    lead = qd.static(len(at) - 2)
    words = qd.static(subgroup._words(kind))
    for o in qd.static(range(outer // 16)):
        for k in qd.static(range(steps)):
            for i in qd.static(range(words)):
                place, word = subgroup._word_place(result.use, kind, i)
                other = place + o * 16
                along = (word + k * 8) * subgroup._packed(kind)
                row = at[lead] + (along if qd.static(right) else other)
                col = at[lead + 1] + (other if qd.static(right) else along)
                result.words[(o * steps + k) * words + i] = _gathered(
                    array, [at[j] for j in qd.static(range(lead))], row, col, right, kind, inner, word + k * 8, tests
                )


# ---- The class --------------------------------------------------------------------------


@qd.dataclass
class Matrix:
    # Accumulators of one value.
    @qd.func
    def full(shape: qd.template(), value, dtype: qd.template() = qd.f32):
        qd.static_assert(
            dtype == qd.f32 or dtype == qd.f64 or dtype == qd.i32, "accumulators have elements of f32, f64 or i32"
        )
        qd.static_assert(
            shape[0] > 0 and shape[0] % 16 == 0 and shape[1] > 0 and shape[1] % 16 == 0,
            "the rows and columns of a matrix are multiples of 16",
        )
        count = qd.static(shape[0] // 16 * (shape[1] // 16) * subgroup._ELEMENTS)
        one = qd.cast(value, dtype)
        return subgroup._matrix_type("c", shape[0], shape[1], dtype, dtype, count)(
            qd.Vector([one for _ in qd.static(range(count))])
        )

    @qd.func
    def zeros(shape: qd.template(), dtype: qd.template() = qd.f32):
        return Matrix.full(shape, 0, dtype)

    # Accumulators with the elements of a part of an array, and zeros past its ends.
    @qd.func
    def c(array: qd.template(), at: qd.template(), shape: qd.template(), dtype: qd.template() = qd.f32):
        result = Matrix.zeros(shape, dtype)
        rank = qd.static(len(array.shape))
        lead = qd.static(len(at) - 2)
        for i in qd.static(range(len(result.words))):
            own_row, own_col = subgroup._place_of(result, i)
            r = at[lead] + own_row
            s = at[lead + 1] + own_col
            if r < array.shape[qd.static(rank - 2)] and s < array.shape[qd.static(rank - 1)]:
                result.words[i] = qd.cast(array[[at[j] for j in qd.static(range(lead))], r, s], dtype)
        return result

    # The operands of a product: a part of an array, which begins at the indices `at`. Elements outside of
    # the array are 0.
    @qd.func
    def a(
        array: qd.template(),
        at: qd.template(),
        shape: qd.template(),
        dtype: qd.template() = None,
        transposed: qd.template() = False,
    ):
        return _operand("a", array, at, shape, dtype, transposed)

    @qd.func
    def b(
        array: qd.template(),
        at: qd.template(),
        shape: qd.template(),
        dtype: qd.template() = None,
        transposed: qd.template() = False,
    ):
        return _operand("b", array, at, shape, dtype, transposed)

    # Adds the product of two operands.
    @qd.func
    def mma(self, a: qd.template(), b: qd.template()):
        qd.static_assert(
            self.use == "c" and a.use == "a" and b.use == "b",
            "`c.mma(a, b)` takes accumulators, a left operand (`Matrix.a`) and a right one (`Matrix.b`)",
        )
        qd.static_assert(
            a.rows == self.rows and b.cols == self.cols and a.cols == b.rows,
            "the shapes of a product are (m, k) and (k, n), and the accumulators' is (m, n)",
        )
        qd.static_assert(
            a.dtype == b.dtype
            or (a.dtype in subgroup._BYTES and b.dtype in subgroup._BYTES)
            or (a.dtype in subgroup._FP8 and b.dtype in subgroup._FP8),
            "both operands have one type, or both i8 or u8, or both f8e4m3 or f8e5m2",
        )
        qd.static_assert(
            self.dtype == subgroup._sum_type(a.dtype),
            "the sums of f64 are f64, those of i8 and u8 are i32, and all others f32",
        )
        unit = qd.static(subgroup._unit_of(a.dtype, b.dtype))
        steps = qd.static(subgroup._steps_of(a.cols, a.dtype))
        words = qd.static(subgroup._words(a.dtype))
        cols = qd.static(self.cols // 16)
        for k in qd.static(range(steps)):
            # A function of SPIR-V has at most 255 parameters: two tiles by four have 152.
            for m in qd.static(range(0, self.rows // 16 if unit == "cooperative" else 0, 2)):
                for n in qd.static(range(0, cols, 4)):
                    subgroup._plus_by_cooperative(self, a, b, k, m, n, min(2, self.rows // 16 - m), min(4, cols - n))
            for m in qd.static(range(0 if unit == "cooperative" else self.rows // 16)):
                for n in qd.static(range(cols)):
                    at = qd.static((m * cols + n) * subgroup._ELEMENTS)
                    old = qd.Vector([self.words[at + i] for i in qd.static(range(subgroup._ELEMENTS))])
                    new = subgroup._plus(unit, old, a, (m * steps + k) * words, b, (n * steps + k) * words)
                    for i in qd.static(range(subgroup._ELEMENTS)):
                        self.words[at + i] = new[i]

    # The accumulators f(value, row, col) of each element.
    @qd.func
    def map(self, f: qd.template()):
        qd.static_assert(self.use == "c", "`map` is for accumulators")
        result = self
        for i in qd.static(range(len(self.words))):
            row, col = subgroup._place_of(self, i)
            result.words[i] = qd.cast(f(self.words[i], row, col), self.dtype)
        return result

    # The elements of each row together, f(f(x, y), …), as a matrix of one column. Each of its elements is where
    # the row's elements are.
    @qd.func
    def reduce_rows(self, f: qd.template()):
        qd.static_assert(self.use == "c", "`reduce_rows` is for accumulators")
        return subgroup._rows_across(subgroup._rows_in_lane(self, f), f)

    # f(value, other) of each element. `other` has the same shape, or one column: then its element of the same row.
    @qd.func
    def combine(self, other: qd.template(), f: qd.template()):
        qd.static_assert(
            (self.use == "c" or self.use == "r") and (other.use == "r" or other.use == self.use),
            "`combine` is for accumulators, and for matrices of one column",
        )
        qd.static_assert(
            self.rows == other.rows and (other.cols == self.cols or other.cols == 1),
            "`combine` takes a matrix of the same shape, or one of one column with as many rows",
        )
        result = self
        for i in qd.static(range(len(self.words))):
            own = qd.static(i if self.use == other.use else subgroup._row_number(self, i))
            result.words[i] = qd.cast(f(self.words[i], other.words[own]), self.dtype)
        return result

    # The accumulators as the left operand of a product, cast to f16 or bf16.
    @qd.func
    def as_a(self, dtype: qd.template()):
        qd.static_assert(self.use == "c" and self.dtype == qd.f32, "`as_a` is for accumulators of f32")
        qd.static_assert(dtype in subgroup._HALVES, "`as_a` makes operands of f16 or bf16")
        return subgroup._as_left(self, dtype)

    # Writes the part that lies in the array, from the indices `at` on, as elements of the array's type.
    @qd.func
    def store(self, array: qd.template(), at: qd.template(), transposed: qd.template() = False):
        qd.static_assert(self.use != "a" and self.use != "b", "`store` is for accumulators")
        if qd.static(self.use == "r"):
            subgroup._store_column(self, array, at)
        else:
            self.store_all(array, at, transposed)

    @qd.func
    def store_all(self, array: qd.template(), at: qd.template(), transposed: qd.template()):
        rank = qd.static(len(array.shape))
        lead = qd.static(len(at) - 2)
        rows = array.shape[qd.static(rank - 2)]
        cols = array.shape[qd.static(rank - 1)]
        for i in qd.static(range(len(self.words))):
            own_row, own_col = subgroup._place_of(self, i)
            r = at[lead] + (own_col if qd.static(transposed) else own_row)
            s = at[lead + 1] + (own_row if qd.static(transposed) else own_col)
            if r < rows and s < cols:
                array[[at[j] for j in qd.static(range(lead))], r, s] = qd.cast(self.words[i], array.dtype)

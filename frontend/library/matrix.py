# `qd.simt.subgroup.Matrix`: matrices that the lanes of a subgroup hold together, and their products by
# the matrix unit that the target has.
#
# A matrix consists of tiles of 16 rows. The left operand of a product, "a", has tiles of 16 rows by 8
# words, the right one, "b", of 8 words by 16 columns, and the accumulators, "c", of 16 by 16 elements. A
# word holds the elements that follow each other along the inner axis: two of 16 bits, four of 8, one of
# 32 or 64. So all types have one layout, and an inner axis of 8, 16 or 32 elements a tile.
#
# The functions of the second part say which lane holds what. They are the only ones that know it, with
# the instructions of the third part.
import quadrants as qd
from quadrants.lang.simt import block, subgroup

_UNIT = subgroup._matrix_unit()
_NVIDIA = _UNIT in ("sm_75", "sm_80", "sm_89", "sm_90a")
_CDNA = _UNIT in ("gfx908", "gfx90a", "gfx9-4-generic", "gfx942")
_CDNA3 = _UNIT in ("gfx9-4-generic", "gfx942")
_RDNA = _UNIT in ("gfx11", "gfx12")
_HALVES = (qd.f16, qd.bf16)
_BYTES = (qd.i8, qd.u8)
_FP8 = (qd.f8e4m3, qd.f8e5m2)


# ---- Facts ------------------------------------------------------------------------------


# The instructions that multiply operands of this type: "mma", "mfma" or "wmma", or "none", where
# products are made of multiplications and additions. "tf32" is a type too: f32 of which the unit takes
# 19 bits.
@qd.func
def matrix_unit(dtype: qd.template()):
    if qd.static(_NVIDIA and _UNIT == "sm_75"):
        return "mma" if qd.static(dtype == qd.f16 or dtype in _BYTES) else "none"
    elif qd.static(_NVIDIA):
        has = qd.static(dtype in _HALVES or dtype in _BYTES or dtype == qd.f64 or dtype == "tf32")
        return "mma" if qd.static(has or (dtype in _FP8 and _UNIT != "sm_80")) else "none"
    elif qd.static(_CDNA):
        has = qd.static(dtype in _HALVES or dtype == qd.i8 or dtype == qd.f32 or dtype == "tf32")
        return "mfma" if qd.static(has or (dtype == qd.f64 and _UNIT != "gfx908")) else "none"
    elif qd.static(_RDNA):
        has = qd.static(dtype in _HALVES or dtype in _BYTES)
        return "wmma" if qd.static(has or (dtype in _FP8 and _UNIT == "gfx12")) else "none"
    else:
        return "none"


# The elements of a word.
@qd.func
def _packed(dtype: qd.template()):
    if qd.static(dtype in _HALVES):
        return 2
    else:
        return 4 if qd.static(dtype in _BYTES or dtype in _FP8) else 1


# The type of a word, and that of the sums of products.
@qd.func
def _word_type(dtype: qd.template()):
    return qd.f64 if qd.static(dtype == qd.f64) else qd.u32


@qd.func
def _sum_type(dtype: qd.template()):
    if qd.static(dtype in _BYTES):
        return qd.i32
    else:
        return qd.f64 if qd.static(dtype == qd.f64) else qd.f32


# ---- Who holds what ---------------------------------------------------------------------

_WAVE = subgroup.group_size()
_GROUPS = _WAVE // 16  # groups of 16 lanes, which hold a row or a column each
_ELEMENTS = 256 // _WAVE  # elements of a tile of accumulators, a lane


# The words of a row that a lane holds one after the other, where groups of lanes share a row: those that
# one instruction takes.
@qd.func
def _run(dtype: qd.template()):
    if qd.static(_UNIT == "gfx12"):
        return (4 if qd.static(dtype in _BYTES or dtype in _FP8) else 8) // _GROUPS
    elif qd.static(dtype == qd.f16 or (dtype == "tf32" and _UNIT == "gfx942")):
        return 2
    elif qd.static(dtype == qd.bf16):
        return 1 if qd.static(_UNIT == "gfx908") else 2
    else:
        return 2 if qd.static(dtype in _BYTES and _CDNA3) else 1


# The words of a tile of an operand that a lane holds.
@qd.func
def _words(dtype: qd.template()):
    return 8 if qd.static(_UNIT == "gfx11" or (_UNIT == "" and _WAVE >= 16)) else 128 // _WAVE


# Row and column of a lane's element i of a tile of accumulators.
@qd.func
def _element_place(dtype: qd.template(), i: qd.template()):
    lane = subgroup.invocation_id()
    if qd.static(_NVIDIA):
        return (lane >> 2) + (i >> 1 & 1) * 8, (lane & 3) * 2 + ((i & 1) + (i >> 2) * 8)
    elif qd.static(_CDNA and dtype != qd.f64):
        return (lane >> 4) * 4 + i, lane & 15
    elif qd.static(_CDNA or _UNIT == "gfx11"):
        return (lane >> 4) + i * _GROUPS, lane & 15
    elif qd.static(_UNIT == "gfx12" and _WAVE == 64):
        return (lane >> 4 & 1) * 8 + (lane >> 5) * 4 + i, lane & 15
    elif qd.static(_WAVE >= 16):
        return (lane >> 4) * _ELEMENTS + i, lane & 15
    else:
        return i % 16, lane + _WAVE * (i // 16)


# Row of "a", or column of "b", and the word in it, of a lane's word i of a tile.
@qd.func
def _word_place(use: qd.template(), dtype: qd.template(), i: qd.template()):
    lane = subgroup.invocation_id()
    if qd.static(_NVIDIA):
        if qd.static(use == "a"):
            return (lane >> 2) + (i & 1) * 8, (lane & 3) + (i >> 1) * 4
        else:
            return (lane >> 2) + (i >> 1) * 8, (lane & 3) + (i & 1) * 4
    elif qd.static(_CDNA or _UNIT == "gfx12"):
        run = qd.static(_run(dtype))
        return lane & 15, (lane >> 4) * run + (i // run * run * _GROUPS + i % run)
    elif qd.static(_WAVE >= 16):
        return lane & 15, i
    else:
        return lane + _WAVE * (i // 8), i % 8


# The lanes' elements of a tile of accumulators are in so many rows, and element i is in this one of them:
# elements of one lane and one row have one number. The same of columns.
@qd.func
def _rows_of_lane():
    return 2 if qd.static(_NVIDIA) else min(_ELEMENTS, 16)


@qd.func
def _row_of_lane(i: qd.template()):
    return i >> 1 & 1 if qd.static(_NVIDIA) else i % 16


@qd.func
def _cols_of_lane():
    return 4 if qd.static(_NVIDIA) else (_ELEMENTS + 15) // 16


@qd.func
def _col_of_lane(i: qd.template()):
    return (i & 1) + (i >> 2) * 2 if qd.static(_NVIDIA) else i // 16


# Word w of the row of "a" that a lane needs for its row number r.
@qd.func
def _row_word(words: qd.template(), first: qd.template(), dtype: qd.template(), sums: qd.template(), r: qd.template(), w: qd.template()):
    lane = subgroup.invocation_id()
    if qd.static(_NVIDIA):
        return subgroup.shuffle(words[first + r + (w >> 2) * 2], qd.u32((lane & 28) + (w & 3)))
    elif qd.static(_CDNA or _UNIT == "gfx12"):
        run = qd.static(_run(dtype))
        row, _ = _element_place(sums, r)
        own = qd.static(w // (run * _GROUPS) * run + w % run)
        return subgroup.shuffle(words[first + own], qd.u32(row + w // run % _GROUPS * 16))
    elif qd.static(_WAVE >= 16):
        row, _ = _element_place(sums, r)
        return subgroup.shuffle(words[first + w], qd.u32(row))
    else:
        return subgroup.broadcast(words[first + r // _WAVE * 8 + w], qd.u32(r % _WAVE))


# Word w of the column of "b" that a lane needs for its column number c.
@qd.func
def _col_word(words: qd.template(), first: qd.template(), dtype: qd.template(), c: qd.template(), w: qd.template()):
    lane = subgroup.invocation_id()
    if qd.static(_NVIDIA):
        source = (lane & 3) * 8 + ((c & 1) * 4 + (w & 3))
        return subgroup.shuffle(words[first + (c >> 1) * 2 + (w >> 2)], qd.u32(source))
    elif qd.static(_CDNA or _UNIT == "gfx12"):
        run = qd.static(_run(dtype))
        own = qd.static(w // (run * _GROUPS) * run + w % run)
        return subgroup.shuffle(words[first + own], qd.u32((lane & 15) + w // run % _GROUPS * 16))
    else:
        return words[first + c * 8 + w]


# ---- Products of tiles ------------------------------------------------------------------


# Element e of a word, as a number of the sums' type.
@qd.func
def _element(word, dtype: qd.template(), e: qd.template()):
    if qd.static(dtype == qd.f64):
        return word
    elif qd.static(dtype == qd.f32 or dtype == "tf32"):
        return qd.bit_cast(word, qd.f32)
    elif qd.static(dtype in _HALVES):
        return qd.cast(qd.bit_cast(qd.cast(word >> (16 * e), qd.u16), dtype), qd.f32)
    else:
        return qd.cast(qd.bit_cast(qd.cast(word >> (8 * e), qd.u8), dtype), _sum_type(dtype))


# Each of these adds the product of a tile of "a" and one of "b", which begin at these words, to the sums of
# a lane.


# Multiplications and additions: of each row and each column of the lane.
@qd.func
def _plus_by_fma(sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()):
    c = sums
    for w in qd.static(range(8)):
        rows = [_row_word(a.words, a_first, a.dtype, c.dtype, r, w) for r in qd.static(range(_rows_of_lane()))]
        cols = [_col_word(b.words, b_first, b.dtype, k, w) for k in qd.static(range(_cols_of_lane()))]
        for e in qd.static(range(_packed(a.dtype))):
            left = [_element(rows[r], a.dtype, e) for r in qd.static(range(_rows_of_lane()))]
            right = [_element(cols[k], b.dtype, e) for k in qd.static(range(_cols_of_lane()))]
            for i in qd.static(range(_ELEMENTS)):
                x = qd.static(_row_of_lane(i))
                y = qd.static(_col_of_lane(i))
                if qd.static(c.dtype == qd.i32):
                    c[i] += left[x] * right[y]
                else:
                    c[i] = qd.math.fma(left[x], right[y], c[i])
    return c


# PTX's name of a type of operands.
@qd.func
def _ptx(dtype: qd.template()):
    if qd.static(dtype == "tf32"):
        return "tf32"
    elif qd.static(dtype in _FP8):
        return "e4m3" if qd.static(dtype == qd.f8e4m3) else "e5m2"
    elif qd.static(dtype in _BYTES):
        return "s8" if qd.static(dtype == qd.i8) else "u8"
    elif qd.static(dtype in _HALVES):
        return "f16" if qd.static(dtype == qd.f16) else "bf16"
    else:
        return "f64"


# mma.sync (PTX ISA, "Matrix Fragments for mma"). One takes 16 rows and 8 columns, or 8 and 8; and all 8
# words of the inner axis, or 4.
@qd.func
def _plus_by_mma(sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()):
    c = sums
    kind = qd.static("s32" if a.dtype in _BYTES else "f64" if a.dtype == qd.f64 else "f32")
    types = qd.static(f".row.col.{kind}.{_ptx(a.dtype)}.{_ptx(b.dtype)}.{kind} ")
    inner = qd.static(8 * _packed(a.dtype))
    for n in qd.static(range(2)):
        if qd.static(a.dtype == qd.f64 or (_UNIT == "sm_75" and a.dtype in _BYTES)):
            for m in qd.static(range(2)):
                old = qd.Vector([c[4 * n + 2 * m + i] for i in qd.static(range(2))])
                for k in qd.static(range(2)):
                    old = subgroup._instruction(
                        f"mma.sync.aligned.m8n8k{inner // 2}{types}{{2}}, {{1}}, {{1}}, {{2}};",
                        old, (a.words[a_first + m + 2 * k], b.words[b_first + 2 * n + k], old))
                for i in qd.static(range(2)):
                    c[4 * n + 2 * m + i] = old[i]
        else:
            old = qd.Vector([c[4 * n + i] for i in qd.static(range(4))])
            if qd.static(_UNIT == "sm_75"):
                for k in qd.static(range(2)):
                    left = [a.words[a_first + 2 * k + i] for i in qd.static(range(2))]
                    old = subgroup._instruction(
                        f"mma.sync.aligned.m16n8k{inner // 2}{types}{{4}}, {{2}}, {{1}}, {{4}};",
                        old, (left, b.words[b_first + 2 * n + k], old))
            else:
                left = [a.words[a_first + i] for i in qd.static(range(4))]
                right = [b.words[b_first + 2 * n + i] for i in qd.static(range(2))]
                old = subgroup._instruction(
                    f"mma.sync.aligned.m16n8k{inner}{types}{{4}}, {{4}}, {{2}}, {{4}};",
                    old, (left, right, old))
            for i in qd.static(range(4)):
                c[4 * n + i] = old[i]
    return c


@qd.func
def _amd_operand(dtype: qd.template()):
    if qd.static(dtype == qd.f64):
        return qd.f64
    else:
        return qd.f32 if qd.static(dtype == qd.f32 or dtype == "tf32") else qd.u32


# The intrinsic of LLVM, and the words of its operands, for a type.
@qd.func
def _amd(dtype: qd.template(), other: qd.template()):
    if qd.static(_CDNA):
        if qd.static(dtype == qd.f64):
            return "llvm.amdgcn.mfma.f64.16x16x4f64 f64 f64 f64x4 0 0 0"
        elif qd.static(dtype == qd.f32 or (dtype == "tf32" and _UNIT != "gfx942")):
            return "llvm.amdgcn.mfma.f32.16x16x4f32 f32 f32 f32x4 0 0 0"
        elif qd.static(dtype == "tf32"):
            return "llvm.amdgcn.mfma.f32.16x16x8.xf32 f32x2 f32x2 f32x4 0 0 0"
        elif qd.static(dtype == qd.f16):
            return "llvm.amdgcn.mfma.f32.16x16x16f16 f16x4 f16x4 f32x4 0 0 0"
        elif qd.static(dtype == qd.bf16 and _UNIT == "gfx908"):
            return "llvm.amdgcn.mfma.f32.16x16x8bf16 i16x2 i16x2 f32x4 0 0 0"
        elif qd.static(dtype == qd.bf16):
            return "llvm.amdgcn.mfma.f32.16x16x16bf16.1k i16x4 i16x4 f32x4 0 0 0"
        elif qd.static(_CDNA3):
            return "llvm.amdgcn.mfma.i32.16x16x32.i8 i64 i64 i32x4 0 0 0"
        else:
            return "llvm.amdgcn.mfma.i32.16x16x16i8 i32 i32 i32x4 0 0 0"
    else:
        words = qd.static(_run(dtype) if _UNIT == "gfx12" else 4 if dtype in _BYTES else 8)
        sums = qd.static(f"{_ELEMENTS}")
        if qd.static(dtype in _HALVES):
            halves = qd.static(f"{2 * words}")
            name = qd.static("f16" if dtype == qd.f16 else "bf16")
            kind = qd.static("f16" if dtype == qd.f16 else "i16")
            return "llvm.amdgcn.wmma.f32.16x16x16." + name + ".v" + sums + "f32.v" + halves + kind + " " + kind + "x" + halves + " " + kind + "x" + halves + " f32x" + sums
        elif qd.static(dtype in _FP8):
            left = qd.static("fp8" if dtype == qd.f8e4m3 else "bf8")
            right = qd.static("fp8" if other == qd.f8e4m3 else "bf8")
            vector = qd.static("i32" if words == 1 else f"v{words}i32")
            operand = qd.static("i32" if words == 1 else f"i32x{words}")
            return "llvm.amdgcn.wmma.f32.16x16x16." + left + "." + right + ".v" + sums + "f32." + vector + " " + operand + " " + operand + " f32x" + sums
        else:
            vector = qd.static("i32" if words == 1 else f"v{words}i32")
            operand = qd.static("i32" if words == 1 else f"i32x{words}")
            left = qd.static("true " if dtype == qd.i8 else "false ")
            right = qd.static("true " if other == qd.i8 else "false ")
            return "llvm.amdgcn.wmma.i32.16x16x16.iu8.v" + sums + "i32." + vector + " " + left + operand + " " + right + operand + " i32x" + sums + " false"


# MFMA (AMD's CDNA ISAs, "Matrix Arithmetic Instructions") and WMMA (the RDNA 3 and RDNA 4 ISAs). One
# takes a run of words of each lane.
@qd.func
def _plus_by_amd(sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()):
    c = sums
    run = qd.static(_run(a.dtype) if _UNIT != "gfx11" else 4 if a.dtype in _BYTES else 8)
    operand = qd.static(_amd_operand(a.dtype))
    for k in qd.static(range(_words(a.dtype) // run)):
        left = [qd.bit_cast(a.words[a_first + k * run + i], operand) for i in qd.static(range(run))]
        right = [qd.bit_cast(b.words[b_first + k * run + i], operand) for i in qd.static(range(run))]
        c = subgroup._instruction(_amd(a.dtype, b.dtype), c, (left, right, c))
    return c


@qd.func
def _plus(unit: qd.template(), sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()):
    if qd.static(unit == "mma"):
        return _plus_by_mma(sums, a, a_first, b, b_first)
    elif qd.static(unit == "none"):
        return _plus_by_fma(sums, a, a_first, b, b_first)
    else:
        return _plus_by_amd(sums, a, a_first, b, b_first)


# ---- Memory -----------------------------------------------------------------------------


# A word of elements that follow each other along the inner axis. Those past `inner` elements of the matrix
# are 0, and so are those outside of the array, if that is tested.
@qd.func
def _gathered(array: qd.template(), lead: qd.template(), row, col, right: qd.template(), dtype: qd.template(), left_inner: qd.template(), word, tests: qd.template()):
    rank = qd.static(len(array.shape))
    values = qd.Vector([qd.cast(0, array.dtype) for _ in qd.static(range(_packed(dtype)))])
    for e in qd.static(range(_packed(dtype))):
        r = row + (e if qd.static(right) else 0)
        s = col + (0 if qd.static(right) else e)
        inside = word * _packed(dtype) + e < left_inner
        if qd.static(tests):
            inside = inside and r < array.shape[qd.static(rank - 2)] and s < array.shape[qd.static(rank - 1)]
        if inside:
            values[e] = array[lead, r, s]
    if qd.static(dtype == qd.f64):
        return values[0]
    else:
        word_bits = qd.u32(0)
        for e in qd.static(range(_packed(dtype))):
            word_bits = word_bits | _bits(values[e]) << (32 // _packed(dtype) * e)
        return word_bits


# The bits of an element of at most 32.
@qd.func
def _bits(value):
    if qd.static(value.dtype == qd.f32):
        return qd.bit_cast(value, qd.u32)
    elif qd.static(value.dtype in _HALVES):
        return qd.cast(qd.bit_cast(value, qd.u16), qd.u32)
    else:
        return qd.cast(qd.bit_cast(value, qd.u8), qd.u32)


# An operand of zeros: of `outer` rows or columns by the elements of `steps` tiles.
@qd.func
def _zeros_of(use: qd.template(), dtype: qd.template(), outer: qd.template(), steps: qd.template()):
    inner = qd.static(steps * 8 * _packed(dtype))
    rows = qd.static(outer if use == "a" else inner)
    cols = qd.static(inner if use == "a" else outer)
    count = qd.static(outer // 16 * steps * _words(dtype))
    zero = qd.cast(0, _word_type(dtype))
    return subgroup._matrix_type(use, rows, cols, dtype, _word_type(dtype), count)(qd.Vector([zero for _ in qd.static(range(count))]))


@qd.func
def _operand(use: qd.template(), array: qd.template(), at: qd.template(), shape: qd.template(), dtype: qd.template(), transposed: qd.template()):
    kind = qd.static(array.dtype if dtype is None else dtype)
    qd.static_assert(kind in _HALVES or kind in _BYTES or kind in _FP8 or kind == qd.f32 or kind == qd.f64 or kind == "tf32", "a matrix of a product has elements of f16, bf16, f32, f64, i8, u8, f8e4m3 or f8e5m2, or f32 as \"tf32\"")
    qd.static_assert(array.dtype == (qd.f32 if kind == "tf32" else kind), "the array has elements of another type than the matrix")
    qd.static_assert(shape[0] > 0 and shape[0] % 16 == 0 and shape[1] > 0 and shape[1] % 16 == 0, "the rows and columns of a matrix are multiples of 16")
    outer = qd.static(shape[0] if use == "a" else shape[1])
    inner = qd.static(shape[1] if use == "a" else shape[0])
    steps = qd.static((inner + 8 * _packed(kind) - 1) // (8 * _packed(kind)))
    result = _zeros_of(use, kind, outer, steps)
    # In the array the inner axis is that of rows for "b", and for a transposed "a".
    right = qd.static((use == "b") != transposed)
    rank = qd.static(len(array.shape))
    lead = qd.static(len(at) - 2)
    whole = at[lead] + (inner if qd.static(right) else outer) <= array.shape[qd.static(rank - 2)] and at[lead + 1] + (outer if qd.static(right) else inner) <= array.shape[qd.static(rank - 1)]
    if whole:
        _fill(result, array, at, outer, inner, steps, right, False)
    else:
        _fill(result, array, at, outer, inner, steps, right, True)
    return result


@qd.func
def _fill(result: qd.template(), array: qd.template(), at: qd.template(), outer: qd.template(), inner: qd.template(), steps: qd.template(), right: qd.template(), tests: qd.template()):
    kind = qd.static(result.dtype)
    lead = qd.static(len(at) - 2)
    words = qd.static(_words(kind))
    for o in qd.static(range(outer // 16)):
        for k in qd.static(range(steps)):
            for i in qd.static(range(words)):
                place, word = _word_place(result.use, kind, i)
                other = place + o * 16
                along = (word + k * 8) * _packed(kind)
                row = at[lead] + (along if qd.static(right) else other)
                col = at[lead + 1] + (other if qd.static(right) else along)
                result.words[(o * steps + k) * words + i] = _gathered(array, [at[j] for j in qd.static(range(lead))], row, col, right, kind, inner, word + k * 8, tests)


# Row and column of a lane's element i of accumulators.
@qd.func
def _place_of(matrix: qd.template(), i: qd.template()):
    tile = qd.static(i // _ELEMENTS)
    row, col = _element_place(matrix.dtype, i % _ELEMENTS)
    return row + tile // (matrix.cols // 16) * 16, col + tile % (matrix.cols // 16) * 16


# ---- The class --------------------------------------------------------------------------


@qd.dataclass
class Matrix:
    # Accumulators of one value.
    @qd.func
    def full(shape: qd.template(), value, dtype: qd.template() = qd.f32):
        qd.static_assert(dtype == qd.f32 or dtype == qd.f64 or dtype == qd.i32, "accumulators have elements of f32, f64 or i32")
        qd.static_assert(shape[0] > 0 and shape[0] % 16 == 0 and shape[1] > 0 and shape[1] % 16 == 0, "the rows and columns of a matrix are multiples of 16")
        count = qd.static(shape[0] // 16 * (shape[1] // 16) * _ELEMENTS)
        one = qd.cast(value, dtype)
        return subgroup._matrix_type("c", shape[0], shape[1], dtype, dtype, count)(qd.Vector([one for _ in qd.static(range(count))]))

    @qd.func
    def zeros(shape: qd.template(), dtype: qd.template() = qd.f32):
        return Matrix.full(shape, 0, dtype)

    # The operands of a product: a part of an array, which begins at the indices `at`. Elements outside of
    # the array are 0.
    @qd.func
    def a(array: qd.template(), at: qd.template(), shape: qd.template(), dtype: qd.template() = None, transposed: qd.template() = False):
        return _operand("a", array, at, shape, dtype, transposed)

    @qd.func
    def b(array: qd.template(), at: qd.template(), shape: qd.template(), dtype: qd.template() = None, transposed: qd.template() = False):
        return _operand("b", array, at, shape, dtype, transposed)

    # Adds the product of two operands.
    @qd.func
    def mma(self, a: qd.template(), b: qd.template()):
        qd.static_assert(self.use == "c" and a.use == "a" and b.use == "b", "`c.mma(a, b)` takes accumulators, a left operand (`Matrix.a`) and a right one (`Matrix.b`)")
        qd.static_assert(a.rows == self.rows and b.cols == self.cols and a.cols == b.rows, "the shapes of a product are (m, k) and (k, n), and the accumulators' is (m, n)")
        qd.static_assert(a.dtype == b.dtype or (a.dtype in _BYTES and b.dtype in _BYTES) or (a.dtype in _FP8 and b.dtype in _FP8), "both operands have one type, or both i8 or u8, or both f8e4m3 or f8e5m2")
        qd.static_assert(self.dtype == _sum_type(a.dtype), "the sums of f64 are f64, those of i8 and u8 are i32, and all others f32")
        unit = qd.static(matrix_unit(a.dtype) if matrix_unit(a.dtype) == matrix_unit(b.dtype) else "none")
        steps = qd.static((a.cols + 8 * _packed(a.dtype) - 1) // (8 * _packed(a.dtype)))
        words = qd.static(_words(a.dtype))
        cols = qd.static(self.cols // 16)
        for k in qd.static(range(steps)):
            for m in qd.static(range(self.rows // 16)):
                for n in qd.static(range(cols)):
                    at = qd.static((m * cols + n) * _ELEMENTS)
                    old = qd.Vector([self.words[at + i] for i in qd.static(range(_ELEMENTS))])
                    new = _plus(unit, old, a, (m * steps + k) * words, b, (n * steps + k) * words)
                    for i in qd.static(range(_ELEMENTS)):
                        self.words[at + i] = new[i]

    # The accumulators f(value, row, col) of each element.
    @qd.func
    def map(self, f: qd.template()):
        qd.static_assert(self.use == "c", "`map` is for accumulators")
        result = self
        for i in qd.static(range(len(self.words))):
            row, col = _place_of(self, i)
            result.words[i] = qd.cast(f(self.words[i], row, col), self.dtype)
        return result

    # Writes the part that lies in the array, from the indices `at` on, as elements of the array's type.
    @qd.func
    def store(self, array: qd.template(), at: qd.template(), transposed: qd.template() = False):
        qd.static_assert(self.use == "c", "`store` is for accumulators")
        rank = qd.static(len(array.shape))
        lead = qd.static(len(at) - 2)
        rows = array.shape[qd.static(rank - 2)]
        cols = array.shape[qd.static(rank - 1)]
        for i in qd.static(range(len(self.words))):
            own_row, own_col = _place_of(self, i)
            r = at[lead] + (own_col if qd.static(transposed) else own_row)
            s = at[lead + 1] + (own_row if qd.static(transposed) else own_col)
            if r < rows and s < cols:
                array[[at[j] for j in qd.static(range(lead))], r, s] = qd.cast(self.words[i], array.dtype)

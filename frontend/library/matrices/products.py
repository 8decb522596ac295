# Products of tiles, by each kind of matrix unit and without one.
import quadrants as qd
from quadrants.lang.simt import subgroup


# Element e of a word, as a number of the sums' type.
@qd.func
def _element(word, dtype: qd.template(), e: qd.template()):
    if qd.static(dtype == qd.f64):
        return word
    elif qd.static(dtype == qd.f32 or dtype == "tf32"):
        return qd.bit_cast(word, qd.f32)
    elif qd.static(dtype in subgroup._HALVES):
        return qd.cast(qd.bit_cast(qd.cast(word >> (16 * e), qd.u16), dtype), qd.f32)
    else:
        return qd.cast(qd.bit_cast(qd.cast(word >> (8 * e), qd.u8), dtype), subgroup._sum_type(dtype))


# Each of these adds the product of a tile of "a" and one of "b", which begin at these words, to the sums of
# a lane.


# Multiplications and additions: of each row and each column of the lane.
@qd.func
def _plus_by_fma(sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()):
    c = sums
    for w in qd.static(range(8)):
        rows = [
            subgroup._row_word(a.words, a_first, a.dtype, c.dtype, r, w)
            for r in qd.static(range(subgroup._rows_of_lane()))
        ]
        cols = [
            subgroup._col_word(b.words, b_first, b.dtype, k, w) for k in qd.static(range(subgroup._cols_of_lane()))
        ]
        for e in qd.static(range(subgroup._packed(a.dtype))):
            left = [_element(rows[r], a.dtype, e) for r in qd.static(range(subgroup._rows_of_lane()))]
            right = [_element(cols[k], b.dtype, e) for k in qd.static(range(subgroup._cols_of_lane()))]
            for i in qd.static(range(subgroup._ELEMENTS)):
                x = qd.static(subgroup._row_of_lane(i))
                y = qd.static(subgroup._col_of_lane(i))
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
    elif qd.static(dtype in subgroup._FP8):
        return "e4m3" if qd.static(dtype == qd.f8e4m3) else "e5m2"
    elif qd.static(dtype in subgroup._BYTES):
        return "s8" if qd.static(dtype == qd.i8) else "u8"
    elif qd.static(dtype in subgroup._HALVES):
        return "f16" if qd.static(dtype == qd.f16) else "bf16"
    else:
        return "f64"


# mma.sync (PTX ISA, "Matrix Fragments for mma"). One takes 16 rows and 8 columns, or 8 and 8; and all 8
# words of the inner axis, or 4.
@qd.func
def _plus_by_mma(sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()):
    c = sums
    kind = qd.static("s32" if a.dtype in subgroup._BYTES else "f64" if a.dtype == qd.f64 else "f32")
    types = qd.static(f".row.col.{kind}.{_ptx(a.dtype)}.{_ptx(b.dtype)}.{kind} ")
    inner = qd.static(8 * subgroup._packed(a.dtype))
    for n in qd.static(range(2)):
        if qd.static(
            (a.dtype == qd.f64 and subgroup._UNIT in ("sm_80", "sm_89"))
            or (subgroup._UNIT == "sm_75" and a.dtype in subgroup._BYTES)
        ):
            for m in qd.static(range(2)):
                old = qd.Vector([c[4 * n + 2 * m + i] for i in qd.static(range(2))])
                for k in qd.static(range(2)):
                    old = subgroup._instruction(
                        f"mma.sync.aligned.m8n8k{inner // 2}{types}{{2}}, {{1}}, {{1}}, {{2}};",
                        old,
                        (a.words[a_first + m + 2 * k], b.words[b_first + 2 * n + k], old),
                    )
                for i in qd.static(range(2)):
                    c[4 * n + 2 * m + i] = old[i]
        else:
            old = qd.Vector([c[4 * n + i] for i in qd.static(range(4))])
            if qd.static(subgroup._UNIT == "sm_75"):
                for k in qd.static(range(2)):
                    left = [a.words[a_first + 2 * k + i] for i in qd.static(range(2))]
                    old = subgroup._instruction(
                        f"mma.sync.aligned.m16n8k{inner // 2}{types}{{4}}, {{2}}, {{1}}, {{4}};",
                        old,
                        (left, b.words[b_first + 2 * n + k], old),
                    )
            else:
                left = [a.words[a_first + i] for i in qd.static(range(4))]
                right = [b.words[b_first + 2 * n + i] for i in qd.static(range(2))]
                old = subgroup._instruction(
                    f"mma.sync.aligned.m16n8k{inner}{types}{{4}}, {{4}}, {{2}}, {{4}};", old, (left, right, old)
                )
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
    if qd.static(subgroup._CDNA):
        if qd.static(dtype == qd.f64):
            return "llvm.amdgcn.mfma.f64.16x16x4f64 f64 f64 f64x4 0 0 0"
        elif qd.static(dtype == qd.f32 or (dtype == "tf32" and subgroup._UNIT != "gfx942")):
            return "llvm.amdgcn.mfma.f32.16x16x4f32 f32 f32 f32x4 0 0 0"
        elif qd.static(dtype == "tf32"):
            return "llvm.amdgcn.mfma.f32.16x16x8.xf32 f32x2 f32x2 f32x4 0 0 0"
        elif qd.static(dtype == qd.f16):
            return "llvm.amdgcn.mfma.f32.16x16x16f16 f16x4 f16x4 f32x4 0 0 0"
        elif qd.static(dtype == qd.bf16 and subgroup._UNIT == "gfx908"):
            return "llvm.amdgcn.mfma.f32.16x16x8bf16 i16x2 i16x2 f32x4 0 0 0"
        elif qd.static(dtype == qd.bf16):
            return "llvm.amdgcn.mfma.f32.16x16x16bf16.1k i16x4 i16x4 f32x4 0 0 0"
        elif qd.static(subgroup._CDNA3):
            return "llvm.amdgcn.mfma.i32.16x16x32.i8 i64 i64 i32x4 0 0 0"
        else:
            return "llvm.amdgcn.mfma.i32.16x16x16i8 i32 i32 i32x4 0 0 0"
    else:
        words = qd.static(subgroup._run(dtype) if subgroup._UNIT == "gfx12" else 4 if dtype in subgroup._BYTES else 8)
        sums = qd.static(f"{subgroup._ELEMENTS}")
        if qd.static(dtype in subgroup._HALVES):
            halves = qd.static(f"{2 * words}")
            name = qd.static("f16" if dtype == qd.f16 else "bf16")
            kind = qd.static("f16" if dtype == qd.f16 else "i16")
            return (
                "llvm.amdgcn.wmma.f32.16x16x16."
                + name
                + ".v"
                + sums
                + "f32.v"
                + halves
                + kind
                + " "
                + kind
                + "x"
                + halves
                + " "
                + kind
                + "x"
                + halves
                + " f32x"
                + sums
            )
        elif qd.static(dtype in subgroup._FP8):
            left = qd.static("fp8" if dtype == qd.f8e4m3 else "bf8")
            right = qd.static("fp8" if other == qd.f8e4m3 else "bf8")
            vector = qd.static("i32" if words == 1 else f"v{words}i32")
            operand = qd.static("i32" if words == 1 else f"i32x{words}")
            return (
                "llvm.amdgcn.wmma.f32.16x16x16."
                + left
                + "."
                + right
                + ".v"
                + sums
                + "f32."
                + vector
                + " "
                + operand
                + " "
                + operand
                + " f32x"
                + sums
            )
        else:
            vector = qd.static("i32" if words == 1 else f"v{words}i32")
            operand = qd.static("i32" if words == 1 else f"i32x{words}")
            left = qd.static("true " if dtype == qd.i8 else "false ")
            right = qd.static("true " if other == qd.i8 else "false ")
            return (
                "llvm.amdgcn.wmma.i32.16x16x16.iu8.v"
                + sums
                + "i32."
                + vector
                + " "
                + left
                + operand
                + " "
                + right
                + operand
                + " i32x"
                + sums
                + " false"
            )


# MFMA (AMD's CDNA ISAs, "Matrix Arithmetic Instructions") and WMMA (the RDNA 3 and RDNA 4 ISAs). One
# takes a run of words of each lane.
@qd.func
def _plus_by_amd(sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()):
    c = sums
    run = qd.static(subgroup._run(a.dtype) if subgroup._UNIT != "gfx11" else 4 if a.dtype in subgroup._BYTES else 8)
    operand = qd.static(_amd_operand(a.dtype))
    for k in qd.static(range(subgroup._words(a.dtype) // run)):
        left = [qd.bit_cast(a.words[a_first + k * run + i], operand) for i in qd.static(range(run))]
        right = [qd.bit_cast(b.words[b_first + k * run + i], operand) for i in qd.static(range(run))]
        c = subgroup._instruction(_amd(a.dtype, b.dtype), c, (left, right, c))
    return c


# OpCooperativeMatrixMulAddKHR (SPV_KHR_cooperative_matrix), of `rows` by `cols` tiles from tile (m, n) on, so that the
# matrices of operands are put together once for several products. Components of "a" and of the sums are in the order of
# the rows' halves, and in each of the columns' halves; PTX's mma has the columns' halves first.
@qd.func
def _plus_by_cooperative(
    sums: qd.template(),
    a: qd.template(),
    b: qd.template(),
    k: qd.template(),
    m: qd.template(),
    n: qd.template(),
    rows: qd.template(),
    cols: qd.template(),
):
    operands = qd.static({qd.f16: "f16", qd.bf16: "bf16", qd.i8: "i8", qd.u8: "u8"}[a.dtype])
    results = qd.static({qd.f16: "f32", qd.bf16: "f32", qd.i8: "i32", qd.u8: "u32"}[a.dtype])
    inner = qd.static(8 * subgroup._packed(a.dtype))
    steps = qd.static(subgroup._steps_of(a.cols, a.dtype))
    places = qd.static(
        [
            ((m + i // 8 // cols) * (sums.cols // 16) + n + i // 8 % cols) * 8
            + (i & 1)
            + (i >> 2 & 1) * 2
            + (i >> 1 & 1) * 4
            for i in range(8 * rows * cols)
        ]
    )
    left = [
        a.words[((m + i // 4) * steps + k) * 4 + qd.static((0, 2, 1, 3)[i % 4])] for i in qd.static(range(4 * rows))
    ]
    right = [b.words[((n + i // 4) * steps + k) * 4 + i % 4] for i in qd.static(range(4 * cols))]
    old = qd.Vector([sums.words[places[i]] for i in qd.static(range(8 * rows * cols))])
    new = subgroup._instruction(
        f"OpCooperativeMatrixMulAddKHR {operands} {results} 16x16x{inner} {rows}x{cols}", old, (left, right, old)
    )
    for i in qd.static(range(8 * rows * cols)):
        sums.words[places[i]] = new[i]


# Metal's statements that add a product to the matrix `z`: of elements of the words a0 and a1, which are of "a", and
# a2 and a3, which are of "b".
@qd.func
def _msl_product(words: qd.template(), element: qd.template()):
    return (
        f"x.thread_elements()[0] = as_type<{words}>(a0){element}; "
        f"x.thread_elements()[1] = as_type<{words}>(a1){element}; "
        f"y.thread_elements()[0] = as_type<{words}>(a2){element}; "
        f"y.thread_elements()[1] = as_type<{words}>(a3){element}; "
        "simdgroup_multiply_accumulate(z, x, y, z); "
    )


# simdgroup_multiply_accumulate (Metal Shading Language Specification, "SIMD-Group Matrix Functions"), which takes 8
# by 8 elements, and so is there once for each element of a word.
@qd.func
def _plus_by_simdgroup(sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()):
    c = sums
    type = qd.static("half" if a.dtype == qd.f16 else "bfloat" if a.dtype == qd.bf16 else "float")
    text = qd.static(
        f"simdgroup_matrix<{type}, 8, 8> x, y; simdgroup_matrix<float, 8, 8> z; "
        + "z.thread_elements()[0] = a4; z.thread_elements()[1] = a5; "
        + (_msl_product("float", "") if type == "float" else "")
        + (_msl_product(type + "2", ".x") + _msl_product(type + "2", ".y") if type != "float" else "")
        + "r0 = z.thread_elements()[0]; r1 = z.thread_elements()[1];"
    )
    for m in qd.static(range(2)):
        for n in qd.static(range(2)):
            left = [a.words[a_first + 2 * m + i] for i in qd.static(range(2))]
            right = [b.words[b_first + 2 * n + i] for i in qd.static(range(2))]
            old = qd.Vector([c[4 * m + 2 * n + i] for i in qd.static(range(2))])
            new = subgroup._instruction(text, old, (left, right, old))
            for i in qd.static(range(2)):
                c[4 * m + 2 * n + i] = new[i]
    return c


@qd.func
def _plus(
    unit: qd.template(), sums, a: qd.template(), a_first: qd.template(), b: qd.template(), b_first: qd.template()
):
    if qd.static(unit == "mma"):
        return _plus_by_mma(sums, a, a_first, b, b_first)
    elif qd.static(unit == "simdgroup"):
        return _plus_by_simdgroup(sums, a, a_first, b, b_first)
    elif qd.static(unit == "none"):
        return _plus_by_fma(sums, a, a_first, b, b_first)
    else:
        return _plus_by_amd(sums, a, a_first, b, b_first)

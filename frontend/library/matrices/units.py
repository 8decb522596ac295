# The matrix unit of the target: which instructions multiply operands of a type, and what a word of 32 or 64
# bits holds of them.
import quadrants as qd
from quadrants.lang.simt import subgroup

_UNIT = subgroup._matrix_unit()
_NVIDIA = _UNIT in ("sm_75", "sm_80", "sm_89", "sm_90", "sm_90a")
_COOPERATIVE = _UNIT == "cooperative-matrix-mma"
_MMA = _NVIDIA or _COOPERATIVE  # fragments as those of PTX's mma
_CDNA = _UNIT in ("gfx908", "gfx90a", "gfx9-4-generic", "gfx942")
_CDNA3 = _UNIT in ("gfx9-4-generic", "gfx942")
_RDNA = _UNIT in ("gfx11", "gfx12")
_APPLE = _UNIT in ("apple7", "apple7-bf16")
_HALVES = (qd.f16, qd.bf16)
_BYTES = (qd.i8, qd.u8)
_FP8 = (qd.f8e4m3, qd.f8e5m2)
_KINDS = (qd.f16, qd.bf16, qd.f32, qd.f64, qd.i8, qd.u8, qd.f8e4m3, qd.f8e5m2)


# The instructions that multiply operands of this type: "mma", "mfma", "wmma", "cooperative" or "simdgroup", or
# "none", where products are made of multiplications and additions. "tf32" is a type too: f32 of which the unit
# takes 19 bits.
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
    elif qd.static(_COOPERATIVE):
        return "cooperative" if qd.static(dtype in _HALVES or dtype in _BYTES) else "none"
    elif qd.static(_APPLE):
        has = qd.static(dtype == qd.f16 or dtype == qd.f32 or dtype == "tf32")
        return "simdgroup" if qd.static(has or (dtype == qd.bf16 and _UNIT == "apple7-bf16")) else "none"
    else:
        return "none"


# The unit that multiplies operands of these two types. Vulkan's takes both of one type.
@qd.func
def _unit_of(left: qd.template(), right: qd.template()):
    unit = qd.static(matrix_unit(left))
    if qd.static(unit == matrix_unit(right) and (left == right or not _COOPERATIVE)):
        return unit
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


# The bits of an element of at most 32.
@qd.func
def _bits(value):
    if qd.static(value.dtype == qd.f32):
        return qd.bit_cast(value, qd.u32)
    elif qd.static(value.dtype in _HALVES):
        return qd.cast(qd.bit_cast(value, qd.u16), qd.u32)
    else:
        return qd.cast(qd.bit_cast(value, qd.u8), qd.u32)


# True if an array's elements may be operands of this kind.
@qd.func
def _is_operand(array: qd.template(), kind: qd.template()):
    if qd.static(kind == "tf32"):
        return array.dtype == qd.f32
    else:
        return kind == array.dtype and kind in _KINDS


# The steps of 8 words that hold so many elements of the inner axis.
@qd.func
def _steps_of(inner: qd.template(), dtype: qd.template()):
    return (inner + 8 * _packed(dtype) - 1) // (8 * _packed(dtype))

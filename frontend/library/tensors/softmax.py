# Softmax of rows whose columns come in parts, one after the other (Milakov and Gimelshein, "Online normalizer
# calculation for softmax", arXiv 1805.02867), as attention needs it.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import subgroup

_LOG2_E = 1.4426950408889634
_LN_2 = 0.6931471805599453


# 2 to the power of x. NVIDIA's instruction is right to 2 units in the last place (PTX ISA, "ex2").
@qd.func
def _exp2(x):
    if qd.static(subgroup._NVIDIA):
        return subgroup._instruction("ex2.approx.ftz.f32 #, #;", x, (x,))
    else:
        return qd.exp2(x)


# The factor of scores in exponents of 2. The caller's function of scores gets them with the scale already.
@qd.func
def _exponent_of(scale, score: qd.template()):
    return qd.cast(_LOG2_E, qd.f32) * (1.0 if qd.static(score is not None) else scale)


# A row's largest score so far, and the sum of its weights, of which each lane has a part.
@qd.func
def _begin_softmax(rows: qd.template()):
    return subgroup._column(rows, -qd.math.inf, qd.f32), subgroup._column(rows, 0, qd.f32)


# The weights of scores, 2 ** (factor * (score - the row's largest)), of `factor` above 0; the largest; the sum;
# and the factor for what earlier weights were multiplied with. Rows without a score above -inf have weights of 0.
@qd.func
def _soften(scores, top, total, factor):
    new_top = scores.reduce_rows(qd.max).combine(top, qd.max)
    weights = scores
    correction = top
    for i in qd.static(range(len(top.words))):
        base = factor * (new_top.words[i] if new_top.words[i] > -qd.math.inf else 0.0)
        correction.words[i] = tensors._exp2(qd.math.fma(top.words[i], factor, -base))
        for j in qd.static(range(len(scores.words))):
            if qd.static(subgroup._row_number(scores, j) == i):
                weights.words[j] = tensors._exp2(qd.math.fma(scores.words[j], factor, -base))
    new_total = subgroup._rows_in_lane(weights, qd.add)
    for i in qd.static(range(len(top.words))):
        new_total.words[i] += total.words[i] * correction.words[i]
    return weights, new_top, new_total, correction


# Multiplies each row of accumulators by its factor.
@qd.func
def _scale_rows(sums, column: qd.template()):
    result = sums
    for i in qd.static(range(len(sums.words))):
        result.words[i] *= column.words[qd.static(subgroup._row_number(sums, i))]
    return result


# Ends a softmax: one over the sum of each row, 0 for rows without weights; and the logarithm of the sum of exp(score)
# for scores times `factor` times ln 2.
@qd.func
def _end_softmax(top, total, factor):
    whole = subgroup._rows_across(total, qd.add)
    inverse = whole
    logarithm = whole
    for i in qd.static(range(len(whole.words))):
        inverse.words[i] = 1.0 / whole.words[i] if whole.words[i] > 0 else 0.0
        logarithm.words[i] = top.words[i] * (factor * _LN_2) + qd.log(whole.words[i])
    return inverse, logarithm

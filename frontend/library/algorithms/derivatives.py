# Functions that the derivatives of the algorithms share.
#
# The code of an algorithm cannot be differentiated: it keeps reals as words in scratch memory, and
# places depend on other threads. But what it computes has a derivative that is an algorithm as well. So
# files have functions by `qd.ad.grad_for` beside the functions that they belong to. They run in the place of
# these when `k.grad` goes back: they add to the gradients of inputs what follows from those of outputs, and
# set these to 0. Those by `qd.ad.dual_for` run after the functions, and compute the tangents of outputs.
# An algorithm without such a function is differentiated by its code.
#
# `x.grad` and `x.dual` are None where an array has none.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block


# True if `out` depends on `arr`, given their derivatives, by values of `dtype`.
@qd.func
def _reach(of_arr: qd.template(), of_out: qd.template(), dtype: qd.template()):
    return of_arr is not None and of_out is not None and dtype in algorithms._REALS


@qd.func
def _is_sum(dtype: qd.template(), op: qd.template()):
    return dtype in algorithms._SCALARS and (op == block._add or op == qd.add)


@qd.func
def _is_extreme(dtype: qd.template(), op: qd.template()):
    return dtype in algorithms._SCALARS and (op == block._min or op == block._max or op == qd.min or op == qd.max)


# Sets the first n derivatives to 0, if there are any.
@qd.func(requires_top_level=True)
def _clear_derivative(derivative: qd.template(), n):
    if qd.static(derivative is not None):
        for i in range(n):
            derivative[i] = 0


# Takes the gradient of `out[at]` back to `arr[i]`, where the element came from.
@qd.func
def _move_back(out: qd.template(), at, arr: qd.template(), i):
    if qd.static(out.grad is not None):
        if qd.static(arr.grad is not None):
            arr.grad[i] = arr.grad[i] + out.grad[at]
        out.grad[at] = 0


# A sort in place forgets where its elements came from.
@qd.func
def _refuse_gradient(keys: qd.template(), values: qd.template(), has_values: qd.template()):
    qd.static_assert(
        keys.grad is None and (values.grad is None or not has_values),
        "a sort in place has no gradient: `qd.algorithms.argsort` has one; or sort keys that are declared with "
        "`needs_grad=False`, with the places of elements as values, and write `out[i] = x[places[i]]`",
    )

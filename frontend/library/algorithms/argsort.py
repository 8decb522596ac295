# A sort that keeps where its elements came from: a sort of keys, with their places as values. So it has a
# gradient, which a sort in place has not.
import quadrants as qd
from quadrants import algorithms


@qd.func(requires_top_level=True)
def argsort(
    keys: qd.template(),
    tmp_keys: qd.template(),
    places: qd.template(),
    tmp_places: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    key_dtype: qd.template(),
    descending: qd.template() = False,
    log256_max_n: qd.template() = 4,
):
    for i in range(algorithms._count(n)):
        places[i] = i
    algorithms.sort(
        keys, tmp_keys, places, tmp_places, scratch, n, key_dtype, True, None, log256_max_n, 0, descending
    )


# ---- Gradients --------------------------------------------------------------------------
# derivatives.py says how these functions are used. Derivatives move by way of those of `tmp_keys`, which
# hold nothing of use.


@qd.ad.grad_for(argsort)
@qd.func(requires_top_level=True)
def _argsort_grad(
    keys: qd.template(),
    tmp_keys: qd.template(),
    places: qd.template(),
    tmp_places: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    key_dtype: qd.template(),
    descending: qd.template(),
    log256_max_n: qd.template(),
):
    count = algorithms._count(n)
    if qd.static(keys.grad is not None):
        algorithms._check_moved(tmp_keys.grad)
        for i in range(count):
            tmp_keys.grad[places[i]] = keys.grad[i]
    algorithms._take_moved(keys.grad, tmp_keys.grad, count)


@qd.ad.dual_for(argsort)
@qd.func(requires_top_level=True)
def _argsort_dual(
    keys: qd.template(),
    tmp_keys: qd.template(),
    places: qd.template(),
    tmp_places: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    key_dtype: qd.template(),
    descending: qd.template(),
    log256_max_n: qd.template(),
):
    count = algorithms._count(n)
    if qd.static(keys.dual is not None):
        algorithms._check_moved(tmp_keys.dual)
        for i in range(count):
            tmp_keys.dual[i] = keys.dual[places[i]]
    algorithms._take_moved(keys.dual, tmp_keys.dual, count)


@qd.func
def _check_moved(moved: qd.template()):
    qd.static_assert(moved is not None, "`tmp_keys` of `argsort` needs a derivative, because `keys` has one")


@qd.func(requires_top_level=True)
def _take_moved(derivative: qd.template(), moved: qd.template(), count):
    if qd.static(derivative is not None):
        for i in range(count):
            derivative[i] = moved[i]
    algorithms._clear_derivative(moved, count)

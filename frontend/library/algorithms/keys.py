# Runs of equal keys: a fold of each run's values, and each run's length. Both scan a word that has
# the number of runs so far in its upper half, and what is known of the last run in its lower half.
# The fold of values of 8 bytes is a struct of the two instead.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block


@qd.func
def _is_head(keys: qd.template(), i):
    head = True
    if i > 0:
        head = keys[i] != keys[i - 1]
    return head


@qd.func
def _is_last(keys: qd.template(), i, n):
    last = True
    if i < n - 1:
        last = keys[i] != keys[i + 1]
    return last


# ---- Pairs of runs and a value ----------------------------------------------------------


# The type that values are folded in: narrow ones as words.
@qd.func
def _folded(dtype: qd.template()):
    qd.static_assert(dtype in algorithms._SCALARS, "`value_dtype` has to be a scalar type")
    if qd.static(dtype in algorithms._WORDS4 or dtype in algorithms._WORDS8):
        return dtype
    elif qd.static(dtype in algorithms._REALS):
        return qd.f32
    else:
        return qd.i32


@qd.func
def _pair_of(dtype: qd.template()):
    if qd.static(dtype == qd.i64):
        return algorithms._PAIR_I64
    elif qd.static(dtype == qd.u64):
        return algorithms._PAIR_U64
    elif qd.static(dtype == qd.f64):
        return algorithms._PAIR_F64
    else:
        return qd.u64


@qd.func
def _value_of(pair: qd.template()):
    if qd.static(pair == algorithms._PAIR_I64):
        return qd.i64
    elif qd.static(pair == algorithms._PAIR_U64):
        return qd.u64
    else:
        return qd.f64


# A scan of pairs: how it reads, folds and stores them. `given(i)` is the value of element i, and `result(i, value)`
# what a run that ends there has in `out`, where `value` is the fold of its values.
@qd.data_oriented
class _Runs:
    def __init__(self, keys, keys_out, out, num_runs, dtype, op):
        self.keys = keys
        self.keys_out = keys_out
        self.out = out
        self.num_runs = num_runs
        self.dtype = dtype
        self.op = op

    @qd.func
    def pair(self, runs, value):
        if qd.static(self.dtype in algorithms._WORDS8):
            return _pair_of(self.dtype)(runs, value)
        else:
            return (qd.cast(runs, qd.u64) << qd.u64(32)) | qd.cast(qd.bit_cast(value, qd.u32), qd.u64)

    @qd.func
    def runs(self, pair):
        if qd.static(self.dtype in algorithms._WORDS8):
            return pair.runs
        else:
            return algorithms._upper(pair)

    @qd.func
    def value(self, pair):
        if qd.static(self.dtype in algorithms._WORDS8):
            return pair.value
        else:
            return qd.bit_cast(qd.cast(pair, qd.u32), self.dtype)

    @qd.func
    def join(self, a, b):
        value = self.value(b)
        if self.runs(b) == 0:
            value = self.op(self.value(a), value)
        return self.pair(self.runs(a) + self.runs(b), value)

    @qd.func
    def read(self, source: qd.template(), i):
        return self.pair(qd.cast(_is_head(self.keys, i), qd.i32), self.given(i))

    # The sink is the number of elements.
    @qd.func
    def write(self, n: qd.template(), i, pair, scanned):
        runs = algorithms._widened(self.runs(scanned), i)
        if _is_last(self.keys, i, n):
            self.keys_out[runs - 1] = self.keys[i]
            self.out[runs - 1] = self.result(i, self.value(scanned))
        if i == n - 1:
            self.num_runs[0] = runs


@qd.func(requires_top_level=True)
def _scan_runs(runs: qd.template(), identity: qd.template(), scratch: qd.template(), n, log256_max_n: qd.template()):
    algorithms._check_scratch(scratch, qd.i32)
    algorithms._check_depth(log256_max_n)
    algorithms._clear_count(runs.num_runs, n)
    fold = algorithms._Fold(
        _pair_of(runs.dtype),
        runs.join,
        runs.pair(qd.i32(0), algorithms._typed(identity, runs.dtype)),
        runs.read,
        runs.write,
        inclusive=True,
    )
    algorithms._scan(fold, None, n, scratch, 0, n, log256_max_n)


# ---- Folds by key -----------------------------------------------------------------------


@qd.data_oriented
class _FoldedRuns(_Runs):
    def __init__(self, keys, values, keys_out, values_out, num_runs, dtype, op):
        super().__init__(keys, keys_out, values_out, num_runs, _folded(dtype), op)
        self.values = values

    @qd.func
    def given(self, i):
        return qd.cast(self.values[i], self.dtype)

    @qd.func
    def result(self, i, value):
        return value


@qd.func(requires_top_level=True)
def reduce_by_key(
    keys_in: qd.template(),
    values_in: qd.template(),
    keys_out: qd.template(),
    values_out: qd.template(),
    num_runs: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    value_dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template() = 4,
):
    if qd.static(algorithms._is_sum(value_dtype, op)):
        _sum_by_key(
            keys_in, values_in, keys_out, values_out, num_runs, scratch, n, value_dtype, op, identity, log256_max_n
        )
    else:
        runs = _FoldedRuns(keys_in, values_in, keys_out, values_out, num_runs, value_dtype, op)
        _scan_runs(runs, identity, scratch, algorithms._count(n), log256_max_n)


@qd.func(requires_top_level=True)
def reduce_by_key_add(
    keys_in: qd.template(),
    values_in: qd.template(),
    keys_out: qd.template(),
    values_out: qd.template(),
    num_runs: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    value_dtype: qd.template(),
    log256_max_n: qd.template(),
):
    reduce_by_key(
        keys_in, values_in, keys_out, values_out, num_runs, scratch, n, value_dtype, block._add, 0, log256_max_n
    )


# ---- Lengths of runs --------------------------------------------------------------------


# The value of a run is the place where it begins.
@qd.data_oriented
class _MeasuredRuns(_Runs):
    @qd.func
    def given(self, i):
        return qd.cast(i, qd.u32)

    @qd.func
    def result(self, i, value):
        return i + 1 - algorithms._widened(value, i)


@qd.func(requires_top_level=True)
def run_length_encode(
    arr: qd.template(),
    values_out: qd.template(),
    counts_out: qd.template(),
    num_runs: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    log256_max_n: qd.template() = 4,
):
    runs = _MeasuredRuns(arr, values_out, counts_out, num_runs, qd.u32, block._min)
    _scan_runs(runs, 0xFFFFFFFF, scratch, algorithms._count(n), log256_max_n)


# ---- Derivatives ------------------------------------------------------------------------
# derivatives.py says how these functions are used.


# Calls `write(sink, i, head, runs)` for each element, with the number of runs up to it.
@qd.func(requires_top_level=True)
def _number_runs(
    write: qd.template(), keys: qd.template(), sink: qd.template(), scratch: qd.template(), n, depth: qd.template()
):
    heads = algorithms._Fold(qd.i32, block._add, 0, algorithms._read_head, write, inclusive=True)
    algorithms._scan(heads, (keys,), sink, scratch, 0, n, depth)


# The last element of a run gave it its key.
# sink: (keys_in, keys_out, n), and after it what others need
@qd.func
def _key_back(sink: qd.template(), i, head, runs):
    if _is_last(sink[0], i, sink[2]):
        algorithms._move_back(sink[1], algorithms._widened(runs, i) - 1, sink[0], i)


@qd.func
def _value_back(sink: qd.template(), i, head, runs):
    _key_back(sink, i, head, runs)
    sink[3][i] = sink[3][i] + sink[4][algorithms._widened(runs, i) - 1]


@qd.func
def _key_along(sink: qd.template(), i, head, runs):
    if _is_last(sink[0], i, sink[2]):
        sink[1].dual[algorithms._widened(runs, i) - 1] = _tangent(sink[0], i)


@qd.func
def _tangent(array: qd.template(), i):
    if qd.static(array.dual is not None):
        return array.dual[i]
    else:
        return qd.cast(0, array.dtype)


@qd.func(requires_top_level=True)
def _sum_by_key(
    keys_in: qd.template(),
    values_in: qd.template(),
    keys_out: qd.template(),
    values_out: qd.template(),
    num_runs: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    value_dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    runs = _FoldedRuns(keys_in, values_in, keys_out, values_out, num_runs, value_dtype, op)
    _scan_runs(runs, identity, scratch, algorithms._count(n), log256_max_n)


@qd.ad.grad_for(_sum_by_key)
@qd.func(requires_top_level=True)
def _sum_by_key_grad(
    keys_in: qd.template(),
    values_in: qd.template(),
    keys_out: qd.template(),
    values_out: qd.template(),
    num_runs: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    value_dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    count = algorithms._count(n)
    if qd.static(algorithms._reach(values_in.grad, values_out.grad, value_dtype)):
        sink = (keys_in, keys_out, count, values_in.grad, values_out.grad)
        _number_runs(_value_back, keys_in, sink, scratch, count, log256_max_n)
    else:
        _number_runs(_key_back, keys_in, (keys_in, keys_out, count), scratch, count, log256_max_n)
    if qd.static(values_out.grad is not None):
        algorithms._clear_derivative(values_out.grad, num_runs[0])


@qd.ad.dual_for(_sum_by_key)
@qd.func(requires_top_level=True)
def _sum_by_key_dual(
    keys_in: qd.template(),
    values_in: qd.template(),
    keys_out: qd.template(),
    values_out: qd.template(),
    num_runs: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    value_dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    count = algorithms._count(n)
    if qd.static(algorithms._reach(values_in.dual, values_out.dual, value_dtype)):
        runs = _FoldedRuns(keys_in, values_in.dual, keys_out, values_out.dual, num_runs, value_dtype, op)
        _scan_runs(runs, identity, scratch, count, log256_max_n)
    elif qd.static(values_out.dual is not None):
        algorithms._clear_derivative(values_out.dual, num_runs[0])
    if qd.static(keys_out.dual is not None):
        _number_runs(_key_along, keys_in, (keys_in, keys_out, count), scratch, count, log256_max_n)


@qd.ad.grad_for(run_length_encode)
@qd.func(requires_top_level=True)
def _run_length_encode_grad(
    arr: qd.template(),
    values_out: qd.template(),
    counts_out: qd.template(),
    num_runs: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    log256_max_n: qd.template(),
):
    count = algorithms._count(n)
    _number_runs(_key_back, arr, (arr, values_out, count), scratch, count, log256_max_n)

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


@qd.func
def _make_pair(runs, value, dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS8):
        pair = qd.static(_pair_of(dtype))
        return pair(runs, value)
    else:
        return (qd.cast(runs, qd.u64) << qd.u64(32)) | qd.cast(qd.bit_cast(value, qd.u32), qd.u64)


@qd.func
def _runs(pair, dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS8):
        return pair.runs
    else:
        return algorithms._upper(pair)


@qd.func
def _value(pair, dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS8):
        return pair.value
    else:
        return qd.bit_cast(qd.cast(pair, qd.u32), dtype)


# context: (op, dtype)
@qd.func
def _join(context: qd.template(), a, b):
    dtype = qd.static(context[1])
    value = _value(b, dtype)
    if _runs(b, dtype) == 0:
        value = context[0](_value(a, dtype), value)
    return _make_pair(_runs(a, dtype) + _runs(b, dtype), value, dtype)


# ---- Folds by key -----------------------------------------------------------------------


# source: (keys, values, dtype)
@qd.func
def _read_pair(source: qd.template(), i):
    return _make_pair(qd.cast(_is_head(source[0], i), qd.i32), qd.cast(source[1][i], source[2]), source[2])


# sink: (keys, keys_out, values_out, num_runs, n, dtype)
@qd.func
def _write_run(sink: qd.template(), i, pair, scanned):
    runs = algorithms._widened(_runs(scanned, sink[5]), i)
    if _is_last(sink[0], i, sink[4]):
        sink[1][runs - 1] = sink[0][i]
        sink[2][runs - 1] = _value(scanned, sink[5])
    if i == sink[4] - 1:
        sink[3][0] = runs


# The scan of pairs of n elements by `op`, of values of `dtype`.
@qd.func(requires_top_level=True)
def _scan_runs(
    read: qd.template(),
    source: qd.template(),
    write: qd.template(),
    sink: qd.template(),
    num_runs: qd.template(),
    scratch: qd.template(),
    n,
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    algorithms._check_scratch(scratch, qd.i32)
    algorithms._check_depth(log256_max_n)
    algorithms._clear_count(num_runs, n)
    algorithms._scan(
        read,
        source,
        write,
        sink,
        scratch,
        0,
        n,
        _pair_of(dtype),
        (_join, (op, dtype)),
        _make_pair(qd.i32(0), algorithms._typed(identity, dtype), dtype),
        True,
        log256_max_n,
    )


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
    count = algorithms._count(n)
    dtype = qd.static(_folded(value_dtype))
    _scan_runs(
        _read_pair,
        (keys_in, values_in, dtype),
        _write_run,
        (keys_in, keys_out, values_out, num_runs, count, dtype),
        num_runs,
        scratch,
        count,
        dtype,
        op,
        identity,
        log256_max_n,
    )


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
        keys_in,
        values_in,
        keys_out,
        values_out,
        num_runs,
        scratch,
        n,
        value_dtype,
        block._add,
        0,
        log256_max_n,
    )


# ---- Lengths of runs --------------------------------------------------------------------


# The value of a run is the place where it begins.
@qd.func
def _read_start(source: qd.template(), i):
    return _make_pair(qd.cast(_is_head(source[0], i), qd.i32), qd.cast(i, qd.u32), qd.u32)


# sink: (keys, keys_out, counts_out, num_runs, n)
@qd.func
def _write_length(sink: qd.template(), i, pair, scanned):
    runs = algorithms._widened(_runs(scanned, qd.u32), i)
    if _is_last(sink[0], i, sink[4]):
        sink[1][runs - 1] = sink[0][i]
        sink[2][runs - 1] = i + 1 - algorithms._widened(_value(scanned, qd.u32), i)
    if i == sink[4] - 1:
        sink[3][0] = runs


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
    count = algorithms._count(n)
    _scan_runs(
        _read_start,
        (arr,),
        _write_length,
        (arr, values_out, counts_out, num_runs, count),
        num_runs,
        scratch,
        count,
        qd.u32,
        block._min,
        0xFFFFFFFF,
        log256_max_n,
    )


# As a selection's.

# Compaction: elements that are chosen, or that differ from the one before, move to the front of
# another array in their order. Each is a scan of flags. It stores the count of the chosen ones, also
# where it is 0.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block


# Stores 0 to `count[0]` where there are no elements, and so no tile that stores a count.
@qd.func(requires_top_level=True)
def _clear_count(count: qd.template(), n):
    for i in range(1 - qd.min(n, 1)):
        count[i] = 0


# The scan of `read(source, i)`, 0 or 1 each, for n elements. Counts have the type of n.
# sink: (arr, out, count, n)
@qd.func(requires_top_level=True)
def _compact(
    read: qd.template(),
    source: qd.template(),
    write: qd.template(),
    sink: qd.template(),
    scratch: qd.template(),
    n,
    log256_max_n: qd.template(),
):
    counts = algorithms._Fold(
        algorithms._dtype(n), block._add, 0, read, write, keep=_keep_element, finish=_store_count
    )
    algorithms._check_scratch(scratch, counts.dtype)
    algorithms._check_depth(log256_max_n)
    _clear_count(sink[2], n)
    algorithms._scan(counts, source, sink, scratch, 0, n, log256_max_n)


# ---- What is chosen ---------------------------------------------------------------------


@qd.func
def _read_flag(source: qd.template(), i):
    return qd.select(source[1][i] != 0, 1, 0)


@qd.func
def _read_predicate(source: qd.template(), i):
    return qd.select(source[1](source[0][i]), 1, 0)


# 1 where a run of equal elements begins.
@qd.func
def _read_head(source: qd.template(), i):
    head = 1
    if i > 0:
        if source[0][i] == source[0][i - 1]:
            head = 0
    return head


# ---- Where it goes ----------------------------------------------------------------------


@qd.func
def _keep_element(sink: qd.template(), i):
    return sink[0][i]


@qd.func
def _write_chosen(sink: qd.template(), i, flag, before, element):
    if flag != 0:
        sink[1][before] = element


# The others go to the end, the first one last.
@qd.func
def _write_parted(sink: qd.template(), i, flag, before, element):
    if flag != 0:
        sink[1][before] = element
    else:
        sink[1][sink[3] - 1 - (i - before)] = element


@qd.func
def _store_count(sink: qd.template(), total):
    sink[2][0] = total


# ---- The functions ----------------------------------------------------------------------


@qd.func(requires_top_level=True)
def select(
    arr: qd.template(),
    flags: qd.template(),
    out: qd.template(),
    num_out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    log256_max_n: qd.template(),
):
    count = algorithms._count(n)
    _compact(_read_flag, (arr, flags), _write_chosen, (arr, out, num_out, count), scratch, count, log256_max_n)


@qd.func(requires_top_level=True)
def select_if(
    arr: qd.template(),
    predicate: qd.template(),
    out: qd.template(),
    num_out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    log256_max_n: qd.template() = 4,
):
    count = algorithms._count(n)
    _compact(
        _read_predicate, (arr, predicate), _write_chosen, (arr, out, num_out, count), scratch, count, log256_max_n
    )


@qd.func(requires_top_level=True)
def unique(
    arr: qd.template(),
    out: qd.template(),
    num_out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    log256_max_n: qd.template() = 4,
):
    count = algorithms._count(n)
    _compact(_read_head, (arr,), _write_chosen, (arr, out, num_out, count), scratch, count, log256_max_n)


@qd.func(requires_top_level=True)
def partition(
    arr: qd.template(),
    predicate: qd.template(),
    out: qd.template(),
    num_out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    log256_max_n: qd.template() = 4,
):
    count = algorithms._count(n)
    _compact(
        _read_predicate, (arr, predicate), _write_parted, (arr, out, num_out, count), scratch, count, log256_max_n
    )


# ---- Three ways -------------------------------------------------------------------------


# Both counts in one word: those of the first kind in the lower half.
@qd.func
def _read_kinds(source: qd.template(), i):
    element = source[0][i]
    kinds = qd.u64(0)
    if source[1](element):
        kinds = qd.u64(1)
    elif source[2](element):
        kinds = qd.u64(1) << qd.u64(32)
    return kinds


# sink: (arr, first_out, second_out, rest_out, num_out, n)
@qd.func
def _write_kinds(sink: qd.template(), i, kinds, before):
    first = algorithms._widened(algorithms._lower(before), i)
    second = algorithms._widened(algorithms._upper(before), i)
    if kinds == qd.u64(0):
        sink[3][i - first - second] = sink[0][i]
    elif kinds == qd.u64(1):
        sink[1][first] = sink[0][i]
    else:
        sink[2][second] = sink[0][i]
    if i == sink[5] - 1:
        total = before + kinds
        sink[4][0] = algorithms._widened(algorithms._lower(total), i)
        sink[4][1] = algorithms._widened(algorithms._upper(total), i)


@qd.func(requires_top_level=True)
def partition3(
    arr: qd.template(),
    is_first: qd.template(),
    is_second: qd.template(),
    first_out: qd.template(),
    second_out: qd.template(),
    rest_out: qd.template(),
    num_out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    log256_max_n: qd.template() = 4,
):
    algorithms._check_scratch(scratch, qd.u64)
    algorithms._check_depth(log256_max_n)
    count = algorithms._count(n)
    for i in range(2 * (1 - qd.min(count, 1))):
        num_out[i] = 0
    kinds = algorithms._Fold(qd.u64, block._add, 0, _read_kinds, _write_kinds)
    algorithms._scan(
        kinds,
        (arr, is_first, is_second),
        (arr, first_out, second_out, rest_out, num_out, count),
        scratch,
        0,
        count,
        log256_max_n,
    )


# ---- Gradients --------------------------------------------------------------------------
# derivatives.py says how these functions are used. Elements go back where they came from: the same scan
# finds their places again.


# sink: as that of _compact
@qd.func
def _chosen_back(sink: qd.template(), i, flag, before):
    if flag != 0:
        algorithms._move_back(sink[1], before, sink[0], i)


@qd.func
def _parted_back(sink: qd.template(), i, flag, before):
    if flag != 0:
        algorithms._move_back(sink[1], before, sink[0], i)
    else:
        algorithms._move_back(sink[1], sink[3] - 1 - (i - before), sink[0], i)


@qd.ad.grad_for(_compact)
@qd.func(requires_top_level=True)
def _compact_grad(
    read: qd.template(),
    source: qd.template(),
    write: qd.template(),
    sink: qd.template(),
    scratch: qd.template(),
    n,
    log256_max_n: qd.template(),
):
    back = qd.static(_parted_back if write == _write_parted else _chosen_back)
    counts = algorithms._Fold(algorithms._dtype(n), block._add, 0, read, back)
    algorithms._scan(counts, source, sink, scratch, 0, n, log256_max_n)


# sink: as that of _write_kinds
@qd.func
def _kinds_back(sink: qd.template(), i, kinds, before):
    first = algorithms._widened(algorithms._lower(before), i)
    second = algorithms._widened(algorithms._upper(before), i)
    if kinds == qd.u64(0):
        algorithms._move_back(sink[3], i - first - second, sink[0], i)
    elif kinds == qd.u64(1):
        algorithms._move_back(sink[1], first, sink[0], i)
    else:
        algorithms._move_back(sink[2], second, sink[0], i)


@qd.ad.grad_for(partition3)
@qd.func(requires_top_level=True)
def _partition3_grad(
    arr: qd.template(),
    is_first: qd.template(),
    is_second: qd.template(),
    first_out: qd.template(),
    second_out: qd.template(),
    rest_out: qd.template(),
    num_out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    log256_max_n: qd.template(),
):
    kinds = algorithms._Fold(qd.u64, block._add, 0, _read_kinds, _kinds_back)
    source = (arr, is_first, is_second)
    sink = (arr, first_out, second_out, rest_out)
    algorithms._scan(kinds, source, sink, scratch, 0, algorithms._count(n), log256_max_n)

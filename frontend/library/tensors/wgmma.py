# Products by the matrix unit of NVIDIA's Hopper, which reads its operands from shared memory (PTX ISA,
# "wgmma"). One warpgroup, the last, starts the copies; the others multiply. A warpgroup has 64 rows of
# the block's part of the product, and a warp 16 of them: its accumulators are a subgroup.Matrix.
#
# Blocks stay, and take one part of the product after the other. So copies for the next part come
# while this one is written.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup

WGMMA_ROWS = 128  # rows of the part of the product that a block makes at a time: a multiple of 64
WGMMA_COLS = 256
WGMMA_STAGES = 3  # steps whose operands are in flight
WGMMA_BLOCKS = 132  # blocks that stay: as many as an H100 or H200 has multiprocessors
WGMMA_GROUP = 8  # parts that lie below each other and are made side by side, for the L2 cache

_GROUPS = WGMMA_ROWS // 64
_COPIERS = _GROUPS * 128  # the first thread that copies
_THREADS = _COPIERS + 128


# The descriptor of an operand in shared memory: `leading` bytes from one panel to the next, where the outer axis has
# several, and 1024 from eight rows to the next eight (PTX ISA, "Matrix-Descriptor Format").
@qd.func
def _describe(address, leading: qd.template()):
    fixed = qd.static((1 << 62) | (1024 >> 4 << 32) | (leading >> 4 << 16))
    return qd.cast(address >> 4, qd.u64) | qd.u64(fixed)


# The descriptor of step `step` along the inner axis, 32 bytes each. The address is that of a row or column, a multiple
# of 64.
@qd.func
def _operand(tile: qd.template(), address, step: qd.template()):
    if qd.static(tile.across):
        return _describe(address + qd.u32(step * 2048), tile.inner * 128)
    else:
        return _describe(address + qd.u32(step * 32), 16)


# Where the part of an operand for a warpgroup begins.
@qd.func
def _begin(tile: qd.template(), group):
    return qd.cast(group, qd.u32) * qd.u32(tile.inner * 128 if qd.static(tile.across) else 64 * 128)


# Copies a stage of an operand.
@qd.func
def _copy(tile: qd.template(), map_address, to, outer, inner, barrier):
    if qd.static(tile.across):
        for p in qd.static(range(tile.outer // 64)):
            tensors._load(to + qd.u32(p * tile.inner * 128), map_address, inner, outer + p * 64, barrier)
    else:
        tensors._load(to, map_address, outer, inner, barrier)


# The rows of a box of an operand's map.
@qd.func
def _box(tile_outer: qd.template(), across: qd.template()):
    return 64 if qd.static(across) else tile_outer


# Row and column of the part with a number.
@qd.func
def _place(number, down, across):
    row, col = tensors._part(number, down, across, WGMMA_GROUP)
    return row * WGMMA_ROWS, col * WGMMA_COLS


# The stage after this one, and the parity of its barriers.
@qd.func
def _after(stage, parity):
    following = stage + 1
    phase = parity
    if following == WGMMA_STAGES:
        following = qd.u32(0)
        phase = phase ^ 1
    return following, phase


# The copying thread's work.
@qd.func
def _copy_all(
    left: qd.template(),
    right: qd.template(),
    workspace: qd.template(),
    full,
    empty,
    steps,
    first,
    parts,
    down,
    across,
):
    left_map = tensors._map(workspace, 0)
    right_map = tensors._map(workspace, 1)
    left_base = subgroup._address(left.words, 0)
    right_base = subgroup._address(right.words, 0)
    stage = qd.u32(0)
    parity = qd.u32(1)
    number = first
    while number < parts:
        row, col = _place(number, down, across)
        for k in range(steps):
            tensors._await(empty + stage * 8, parity)
            tensors._expect(full + stage * 8, (left.stage_words + right.stage_words) * 4)
            _copy(left, left_map, left_base + stage * (left.stage_words * 4), row, k * left.inner, full + stage * 8)
            _copy(
                right, right_map, right_base + stage * (right.stage_words * 4), col, k * left.inner, full + stage * 8
            )
            stage, parity = _after(stage, parity)
        number += WGMMA_BLOCKS


# Starts one instruction that adds a product of 8 words of the inner axis to accumulators, of 64 rows and `cols` columns
# of a warpgroup. `left` is a descriptor, or the four words of "a" that a lane has. `across` has a flag for each operand in
# shared memory: true if an operand of 16 bits lies along the outer axis. `begins`: the sums begin with this product, and
# `sums` only gives their type.
@qd.func
def _start(
    sums,
    left,
    right,
    cols: qd.template(),
    left_kind: qd.template(),
    right_kind: qd.template(),
    across: qd.template(),
    begins: qd.template(),
):
    kinds = qd.static(
        f"{'s32' if sums.dtype == qd.i32 else 'f32'}.{subgroup._ptx(left_kind)}.{subgroup._ptx(right_kind)}"
    )
    a = qd.static("{4}" if len(across) == 1 else "#")
    signs = qd.static("" if sums.dtype == qd.i32 else ", 1, 1")
    turned = qd.static(", 1" if across[len(across) - 1] else ", 0")
    turned_both = qd.static(turned if len(across) == 1 else ", 1" + turned if across[0] else ", 0" + turned)
    return subgroup._instruction(
        f"{{ .reg .pred more; setp.{'ne' if begins else 'eq'}.u32 more, 0, 0; "
        f"wgmma.mma_async.sync.aligned.m64n{cols}k{8 * subgroup._packed(left_kind)}.{kinds} "
        f"{{{cols // 2}}}, {a}, #, more{signs}{turned_both if left_kind in subgroup._HALVES else ''}; }}",
        sums,
        (left, right) if qd.static(begins) else (left, right, sums),
        True,
    )


@qd.func
def _commit():
    subgroup._instruction("wgmma.commit_group.sync.aligned;", None, (), True)


# Lets this warpgroup's instructions see accumulators and operands in registers.
@qd.func
def _show_registers():
    subgroup._instruction("wgmma.fence.sync.aligned;", None, (), True)


# Waits until no more than `pending` groups of instructions run. The accumulators may be read then.
@qd.func
def _await_sums(sums, pending: qd.template()):
    return subgroup._instruction(f"wgmma.wait_group.sync.aligned {pending};", sums, (sums,), True)


# Waits until only the last group of instructions runs.
@qd.func
def _await_others():
    subgroup._instruction("wgmma.wait_group.sync.aligned 1;", None, (), True)


# Adds the product of a stage to the accumulators.
@qd.func
def _plus_wgmma(sums, left: qd.template(), right: qd.template(), left_at, right_at):
    result = sums
    across = qd.static((left.across, right.across))
    for step in qd.static(range(4)):
        x = _operand(left, left_at, step)
        y = _operand(right, right_at, step)
        result = _start(result, x, y, right.outer, left.kind, right.kind, across, False)
    _commit()
    return result


# A multiplying warp's work.
@qd.func
def _multiply_all(
    left: qd.template(),
    right: qd.template(),
    out: qd.template(),
    c: qd.template(),
    epilogue: qd.template(),
    workspace: qd.template(),
    full,
    empty,
    steps,
    first,
    parts,
    down,
    across,
):
    thread = block.thread_idx()
    group = thread // 128
    left_base = subgroup._address(left.words, 0) + _begin(left, group)
    right_base = subgroup._address(right.words, 0)
    stage = qd.u32(0)
    parity = qd.u32(0)
    number = first
    while number < parts:
        row, col = _place(number, down, across)
        sums = subgroup.Matrix.zeros((16, WGMMA_COLS), subgroup._sum_type(left.kind))
        acc = sums.words
        last = qd.u32(0)
        for k in range(steps):
            tensors._await(full + stage * 8, parity)
            _show_registers()
            acc = _plus_wgmma(
                acc,
                left,
                right,
                left_base + stage * (left.stage_words * 4),
                right_base + stage * (right.stage_words * 4),
            )
            _await_others()
            if k > 0:
                if thread % 128 == 0:
                    tensors._arrive(empty + last * 8)
            last = stage
            stage, parity = _after(stage, parity)
        acc = _await_sums(acc, 0)
        if steps > 0:
            if thread % 128 == 0:
                tensors._arrive(empty + last * 8)
        for i in qd.static(range(WGMMA_COLS // 2)):
            sums.words[i] = acc[i]
        _write(sums, out, c, epilogue, workspace, row, col)
        number += WGMMA_BLOCKS
    # A block's shared memory is the next one's as soon as the block ends.
    if qd.static(out is not None):
        if thread % 128 == 0:
            tensors._await_stores()


# Writes a warp's accumulators: by bulk copies of a warpgroup, or one by one where the array's elements are wider.
@qd.func
def _write(
    sums: qd.template(),
    out: qd.template(),
    c: qd.template(),
    epilogue: qd.template(),
    workspace: qd.template(),
    row,
    col,
):
    thread = block.thread_idx()
    group = thread // 128
    warp_row = thread // 32 * 16
    lane = subgroup.invocation_id()
    if qd.static(out is None):
        tensors._store_each(sums, epilogue, tensors._matrix_of(c, 0), row + warp_row, col)
    else:
        kind = qd.static("f16" if c.dtype == qd.f16 else "bf16")
        if thread % 128 == 0:
            tensors._await_stores()
        subgroup._instruction("bar.sync #, 128;", None, (group + 1,), True)
        for n in qd.static(range(WGMMA_COLS // 8)):
            for half in qd.static(range(2)):
                at = qd.static(4 * n + 2 * half)
                own = warp_row + (lane >> 2) + half * 8
                other = (lane & 3) * 2 + n * 8
                low = epilogue.of(sums.words[at], row + own, col + other)
                high = epilogue.of(sums.words[at + 1], row + own, col + other + 1)
                # The group's part is panels of 64 rows.
                place = (
                    (group * (WGMMA_COLS // 64) + n // 8) * (64 * 32)
                    + (own & 63) * 32
                    + ((own & 7) ^ (n % 8)) * 4
                    + (lane & 3)
                )
                out[place] = subgroup._instruction(f"cvt.rn.{kind}x2.f32 #, #, #;", qd.u32(0), (high, low))
        tensors._show_writes()
        subgroup._instruction("bar.sync #, 128;", None, (group + 1,), True)
        if thread % 128 == 0:
            map_address = tensors._map(workspace, 2)
            for p in qd.static(range(WGMMA_COLS // 64)):
                tensors._store(
                    map_address,
                    row + group * 64,
                    col + p * 64,
                    subgroup._address(out, (group * (WGMMA_COLS // 64) + p) * (64 * 32)),
                )
            tensors._end_stores()


# The same without any unit, element by element.
@qd.func
def _multiply_each(
    a: qd.template(),
    b: qd.template(),
    c: qd.template(),
    epilogue: qd.template(),
    kind: qd.template(),
    transposed_a: qd.template(),
    transposed_b: qd.template(),
    length,
    first,
    blocks,
):
    sums = qd.static(subgroup._sum_type(kind))
    for row in range(first, c.shape[0], blocks):
        for col in range(block.thread_idx(), c.shape[1], _THREADS):
            total = qd.cast(0, sums)
            for k in range(length):
                x = a[k, row] if qd.static(transposed_a) else a[row, k]
                y = b[col, k] if qd.static(transposed_b) else b[k, col]
                total += qd.cast(x, sums) * qd.cast(y, sums)
            c[row, col] = qd.cast(epilogue.of(total, row, col), c.dtype)


# c = epilogue(a @ b), where the rows of all arrays begin at multiples of 16 bytes; nothing if `fits` is 0 and not 1.
@qd.func(requires_top_level=True)
def _matmul_by_wgmma(
    a: qd.template(),
    b: qd.template(),
    c: qd.template(),
    workspace: qd.template(),
    left_kind: qd.template(),
    right_kind: qd.template(),
    epilogue: qd.template(),
    transposed_a: qd.template(),
    transposed_b: qd.template(),
    fits,
):
    inner = qd.static(128 // tensors._size(a.dtype))
    copied = qd.static(c.dtype in subgroup._HALVES and subgroup._sum_type(left_kind) == qd.f32)
    qd.loop_config(serialize=True)
    for i in range(1):
        tensors._make_map(workspace, 0, a, _box(WGMMA_ROWS, transposed_a))
        tensors._make_map(workspace, 1, b, _box(WGMMA_COLS, not transposed_b))
        if qd.static(copied):
            tensors._make_map(workspace, 2, c, 64)
    down = (c.shape[0] + WGMMA_ROWS - 1) // WGMMA_ROWS
    across = (c.shape[1] + WGMMA_COLS - 1) // WGMMA_COLS
    length = a.shape[0 if qd.static(transposed_a) else 1]
    qd.loop_config(block_dim=_THREADS, name="matmul")
    for t in range(qd.min(down * across, WGMMA_BLOCKS) * fits * _THREADS):
        steps = (length + (inner - 1)) // inner
        # Bulk copies take no array that begins elsewhere than at a multiple of 16 bytes.
        if tensors._is_aligned(a) and tensors._is_aligned(b) and tensors._is_aligned(c):
            left = tensors._Tile("a", WGMMA_ROWS, a.dtype, left_kind, transposed_a, WGMMA_STAGES)
            right = tensors._Tile("b", WGMMA_COLS, b.dtype, right_kind, not transposed_b, WGMMA_STAGES)
            out = block.SharedArray((WGMMA_ROWS * WGMMA_COLS // 2,), qd.u32) if qd.static(copied) else None
            barriers = block.SharedArray((2 * WGMMA_STAGES,), qd.u64)
            thread = block.thread_idx()
            full = subgroup._address(barriers, 0)
            empty = full + qd.u32(8 * WGMMA_STAGES)
            if thread == 0:
                for s in qd.static(range(WGMMA_STAGES)):
                    tensors._make_barrier(full + qd.u32(8 * s), 1)
                    tensors._make_barrier(empty + qd.u32(8 * s), _GROUPS)
                tensors._show_barriers()
            block.sync()
            if thread // 32 >= _COPIERS // 32:
                subgroup._instruction("setmaxnreg.dec.sync.aligned.u32 40;", None, (), True)
                if thread == _COPIERS:
                    _copy_all(left, right, workspace, full, empty, steps, t // _THREADS, down * across, down, across)
            else:
                registers = qd.static(
                    min(240, (65536 // _THREADS // 8 * 8 * _THREADS - 40 * 128) // _COPIERS // 8 * 8)
                )
                subgroup._instruction(f"setmaxnreg.inc.sync.aligned.u32 {registers};", None, (), True)
                _multiply_all(
                    left,
                    right,
                    out,
                    c,
                    epilogue,
                    workspace,
                    full,
                    empty,
                    steps,
                    t // _THREADS,
                    down * across,
                    down,
                    across,
                )
        else:
            _multiply_each(
                a,
                b,
                c,
                epilogue,
                left_kind,
                transposed_a,
                transposed_b,
                length,
                t // _THREADS,
                qd.min(down * across, WGMMA_BLOCKS),
            )

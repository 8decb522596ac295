# `qd.simt.Tile16x16` and `qd.simt.Tile32x32`: small matrices in registers, a row a thread.
#
# The threads of a block form groups of 32; a block of fewer is one group. Thread k of a group holds
# row k of the group's tile, and threads beyond the tile's rows hold nothing that counts. So a kernel
# does the same at every subgroup size: where the subgroup holds the tile, threads exchange values by
# shuffles, and where it is narrower, through a shared array.
#
# Assignments to tiles and from tiles, slices of arrays and `-= qd.outer(a, b)` come from
# sema/eval/Tiles.cpp, which calls the functions of the last part.
import quadrants as qd
from quadrants.lang.simt import block, subgroup


# ---- Groups of threads ------------------------------------------------------------------


@qd.func
def _lane():
    if qd.static(block._block_dim() <= 32):
        return block.thread_idx()
    else:
        return block.thread_idx() & 31


# Returns the values that threads `first` to `size - 1` of the group have. `staging` is for
# subgroups that are narrower than the tile.
@qd.func
def _gather(value, first: qd.template(), size: qd.template(), staging: qd.template()):
    if qd.static(subgroup.group_size() < size):
        group = block.thread_idx() // 32
        lane = _lane()
        if lane < size:
            staging[group, lane] = value
        block.sync()
        values = qd.Vector([staging[group, k] for k in range(first, size)])
        block.sync()
        return values
    elif qd.static(subgroup.group_size() <= 32 or block._block_dim() <= 32):
        return qd.Vector([subgroup.broadcast(value, qd.u32(k)) for k in range(first, size)])
    else:
        start = subgroup.invocation_id() & ~31
        return qd.Vector([subgroup.shuffle(value, qd.u32(start + k)) for k in range(first, size)])


# ---- The classes ------------------------------------------------------------------------


@qd.dataclass
class _Tile:
    @qd.func
    def eye_(self):
        lane = _lane()
        for k in qd.static(range(self.SIZE)):
            self.row[k] = qd.select(lane == k, 1.0, 0.0)

    # The tile becomes its lower factor. Each thread's `eps` is the least value of its own pivot.
    @qd.func
    def cholesky_(self, eps):
        size = qd.static(self.SIZE)
        staging = block._staging(size, self.row.dtype)
        lane = _lane()
        least = qd.cast(eps, self.row.dtype)
        for k in qd.static(range(size)):
            own = qd.select(lane == k, qd.max(self.row[k], least), self.row[k])
            column = _gather(own, k, size, staging)
            inverse = qd.rsqrt(column[0])
            scaled = own * inverse
            self.row[k] = scaled
            factor = scaled * inverse
            for j in qd.static(range(k + 1, size)):
                self.row[j] = qd.math.fma(-factor, column[j - k], self.row[j])
        # The part above the diagonal was computed for nothing, and nothing read it.
        for k in qd.static(range(1, size)):
            self.row[k] = qd.select(lane >= k, self.row[k], qd.zero(least))

    # The tile `b` becomes X of X @ L^T = B, where this tile is L.
    @qd.func
    def solve_triangular_(self, b: qd.template(), lower: qd.template() = True):
        qd.static_assert(lower, "a tile's `solve_triangular_` takes lower triangles only")
        size = qd.static(self.SIZE)
        qd.static_assert(b.SIZE == size, "`solve_triangular_` takes a tile of the same size")
        staging = block._staging(size, self.row.dtype)
        for k in qd.static(range(size)):
            column = _gather(self.row[k], k, size, staging)
            x = b.row[k] * (1.0 / column[0])
            b.row[k] = x
            for j in qd.static(range(k + 1, size)):
                b.row[j] = qd.math.fma(-x, column[j - k], b.row[j])


@qd.func
def _zeros(size: qd.template(), dtype: qd.template()):
    return block._tile(size, dtype)(qd.Vector.zero(qd.f32, size))


@qd.func
def _eye(size: qd.template(), dtype: qd.template()):
    tile = _zeros(size, dtype)
    tile.eye_()
    return tile


class Tile16x16(_Tile):
    SIZE = 16

    @qd.func
    def zeros(dtype: qd.template() = None):
        return _zeros(16, dtype)

    @qd.func
    def eye(dtype: qd.template() = None):
        return _eye(16, dtype)


class Tile32x32(_Tile):
    SIZE = 32

    @qd.func
    def zeros(dtype: qd.template() = None):
        return _zeros(32, dtype)

    @qd.func
    def eye(dtype: qd.template() = None):
        return _eye(32, dtype)


# ---- Memory -----------------------------------------------------------------------------

# `at` are the indices before the last two. Rows are [r0, r1) and columns [c0, c1), both cut at the
# array's end. Bounds are templates: what the build knows of them needs no test. A whole row is one
# run of loads or stores; of a part, each has a test of its own. `columns` are those of the tile that
# the array can have from c0 on, as far as the build knows: no code names others.


# The tile with the part of the array that it has room for; the rest of it stays.
@qd.func
def _loaded(tile: qd.template(), array: qd.template(), at: qd.template(), r0: qd.template(),
            r1: qd.template(), c0: qd.template(), c1: qd.template(), columns: qd.template()):
    result = tile
    lane = _lane()
    row = r0 + lane
    end = qd.min(c1, array.shape[qd.static(len(array.shape) - 1)])
    if lane < tile.SIZE and row < qd.min(r1, array.shape[qd.static(len(array.shape) - 2)]):
        if qd.static(columns == tile.SIZE) and c0 + tile.SIZE <= end:
            for k in qd.static(range(columns)):
                result.row[k] = array[at, row, c0 + k]
        else:
            for k in qd.static(range(columns)):
                if c0 + k < end:
                    result.row[k] = array[at, row, c0 + k]
    return result


@qd.func
def _store(tile: qd.template(), array: qd.template(), at: qd.template(), r0: qd.template(),
           r1: qd.template(), c0: qd.template(), c1: qd.template(), columns: qd.template()):
    lane = _lane()
    row = r0 + lane
    end = qd.min(c1, array.shape[qd.static(len(array.shape) - 1)])
    if lane < tile.SIZE and row < qd.min(r1, array.shape[qd.static(len(array.shape) - 2)]):
        if qd.static(columns == tile.SIZE) and c0 + tile.SIZE <= end:
            for k in qd.static(range(columns)):
                array[at, row, c0 + k] = tile.row[k]
        else:
            for k in qd.static(range(columns)):
                if c0 + k < end:
                    array[at, row, c0 + k] = tile.row[k]


# The thread's element of a column: 0 past the rows.
@qd.func
def _column(array: qd.template(), at: qd.template(), r0: qd.template(), r1: qd.template(), column: qd.template()):
    row = r0 + _lane()
    value = qd.cast(0, array.dtype)
    if row < qd.min(r1, array.shape[qd.static(len(array.shape) - 2)]):
        value = array[at, row, column]
    return value


# The tile plus `sign` times the outer product of the threads' a and b.
@qd.func
def _plus_outer(tile: qd.template(), sign: qd.template(), a, b):
    result = tile
    others = _gather(qd.cast(b, tile.row.dtype), 0, tile.SIZE, block._staging(tile.SIZE, tile.row.dtype))
    factor = qd.cast(a, tile.row.dtype) * sign
    for k in qd.static(range(tile.SIZE)):
        result.row[k] = qd.math.fma(factor, others[k], result.row[k])
    return result

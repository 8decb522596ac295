# gfx12, no code: a move between lanes was folded into a shift of 64 bits by what is moved.
#
# launch k
# array x i32 128 00000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd120001000000000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd120001000000000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd120001000000000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd120001000000000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd120001000000000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd120001000000000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd120001000000000007fffffffd00000064ffffff9c000000007fffffff80000000ffffffee00000005ffffffff3cb9724dffffffbf0000000c00000003fffffd1200010000
# array a u64 128 zero
# end
import quadrants as qd
from quadrants.lang.simt import subgroup


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1),
    a: qd.types.ndarray(dtype=qd.u64, ndim=1),
):
    qd.loop_config(block_dim=128)
    for i in range(128):
        moved = subgroup.shuffle_xor(qd.u64(x[i]), qd.u32(2))
        a[i] = (moved - qd.u64(5)) << (moved & qd.u64(63))

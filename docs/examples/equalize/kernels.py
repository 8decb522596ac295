"""Histogram equalisation of a picture: count, derive a tone curve, apply it.

Pixels are RGBA with 8 bits each, red in the lowest byte.
"""

import quadrants as qd
from quadrants.lang.simt import block, subgroup

LEVELS = 256  # grey levels, and threads a block: one a level

Pixels = qd.types.ndarray(dtype=qd.u32, ndim=1)
Levels = qd.types.ndarray(dtype=qd.i32, ndim=1)
Sums = qd.types.ndarray(dtype=qd.i64, ndim=1)


@qd.func
def channel(pixel, shift):
    return qd.i32((pixel >> shift) & 255)


@qd.func
def luminance(pixel):
    """Grey level of a colour (BT.601), in whole numbers."""
    return (77 * channel(pixel, 0) + 150 * channel(pixel, 8) + 29 * channel(pixel, 16) + 128) >> 8


@qd.kernel
def count_levels(pixels: Pixels, levels: Levels, light: Sums, threads: qd.i32):
    """Adds the number of pixels of each grey level to `levels`, and the sum of all grey
    levels to light[0]. `threads` is a multiple of LEVELS."""
    qd.loop_config(block_dim=LEVELS)
    for thread in range(threads):
        counts = block.SharedArray((LEVELS,), qd.i32)
        level = block.thread_idx()
        counts[level] = 0
        block.sync()

        total = 0
        i = thread
        while i < pixels.shape[0]:
            grey = luminance(pixels[i])
            counts[grey] += 1  # atomic: threads of the block share the counts
            total += grey
            i += threads
        block.sync()

        # One atomic a block and level, one a subgroup for the sum.
        if counts[level] > 0:
            levels[level] += counts[level]
        total = subgroup.reduce_add(total)
        if subgroup.invocation_id() == 0:
            light[0] += qd.i64(total)


@qd.kernel
def derive_curve(levels: Levels, curve: Levels, pixels: qd.i32):
    """curve[g]: the grey level that g becomes, so that all levels occur equally often."""
    qd.loop_config(block_dim=LEVELS)
    for level in range(LEVELS):
        count = levels[level]
        upto = block.inclusive_add(count, LEVELS, qd.i32)
        darkest = block.reduce_all_min(upto if count > 0 else pixels, LEVELS, qd.i32)
        brighter = qd.i64(pixels - darkest)
        lifted = qd.i64(level)  # a picture of one grey level stays as it is
        if brighter > 0:
            lifted = (qd.i64(max(upto - darkest, 0)) * 255 + brighter // 2) // brighter
        curve[level] = qd.i32(lifted)


@qd.func
def moved(pixel, shift, by):
    return qd.u32(min(max(channel(pixel, shift) + by, 0), 255)) << shift


@qd.kernel
def apply_curve(pixels: Pixels, curve: Levels, out: Pixels):
    """Moves the luminance of each pixel along the curve and leaves its colour and alpha."""
    for i in range(pixels.shape[0]):
        pixel = pixels[i]
        grey = luminance(pixel)
        by = curve[grey] - grey
        alpha = (pixel >> 24) << 24
        out[i] = moved(pixel, 0, by) | moved(pixel, 8, by) | moved(pixel, 16, by) | alpha

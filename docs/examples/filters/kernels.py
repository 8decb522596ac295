"""Filters of a picture: a Gaussian blur, and Sobel's edges.

Pixels are RGBA with 8 bits each, red in the lowest byte. A block works on a tile of the picture, which
it loads once, with the pixels around it, to memory that its threads share.
"""

import quadrants as qd
from quadrants.lang.simt import block

TILE = 16
THREADS = TILE * TILE
RADIUS = 5
SIDE = TILE + 2 * RADIUS
SIGMA = 2.0

Pixels = qd.types.ndarray(dtype=qd.u32, ndim=2)
vec3 = qd.types.vector(3, qd.f32)


@qd.func
def color(pixel):
    return vec3(qd.f32(pixel & 255), qd.f32((pixel >> 8) & 255), qd.f32((pixel >> 16) & 255))


@qd.func
def packed(c, alpha):
    """The pixel of a colour from 0 to 255, rounded."""
    b = qd.cast(qd.clamp(c, 0.0, 255.0) + 0.5, qd.u32)
    return b[0] | (b[1] << 8) | (b[2] << 16) | alpha


@qd.func
def nearest(pixels, row, column):
    """A pixel; beside the picture, that of its border."""
    return pixels[qd.clamp(row, 0, pixels.shape[0] - 1), qd.clamp(column, 0, pixels.shape[1] - 1)]


@qd.func
def weight(k):
    return qd.exp(-0.5 * (k / SIGMA) ** 2)


@qd.kernel
def blur(pixels: Pixels, out: Pixels, across: qd.i32, tiles: qd.i32):
    """`across` tiles lie side by side, `tiles` in all."""
    qd.loop_config(block_dim=THREADS)
    for i in range(tiles * THREADS):
        source = block.SharedArray((SIDE, SIDE), vec3)
        rows = block.SharedArray((SIDE, TILE), vec3)
        thread = i % THREADS
        top, left = i // THREADS // across * TILE, i // THREADS % across * TILE

        at = thread
        while at < SIDE * SIDE:
            source[at // SIDE, at % SIDE] = color(
                nearest(pixels, top + at // SIDE - RADIUS, left + at % SIDE - RADIUS))
            at += THREADS
        block.sync()

        # A Gaussian of two axes is one of each axis, one after the other.
        at = thread
        while at < SIDE * TILE:
            total = vec3(0.0)
            for k in qd.static(range(-RADIUS, RADIUS + 1)):
                total += weight(k) * source[at // TILE, at % TILE + RADIUS + k]
            rows[at // TILE, at % TILE] = total
            at += THREADS
        block.sync()

        total, weights = vec3(0.0), 0.0
        for k in qd.static(range(-RADIUS, RADIUS + 1)):
            total += weight(k) * rows[thread // TILE + RADIUS + k, thread % TILE]
            weights += weight(k)
        row, column = top + thread // TILE, left + thread % TILE
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = packed(total / (weights * weights), pixels[row, column] & qd.u32(0xFF000000))


@qd.func
def light(pixels, row, column):
    return color(nearest(pixels, row, column)).dot(vec3(0.299, 0.587, 0.114))


@qd.kernel
def edges(pixels: Pixels, out: Pixels):
    """Dark lines on white, where the light changes."""
    for row, column in pixels:
        across, down = 0.0, 0.0
        for k in qd.static(range(-1, 2)):
            side = 2 - abs(k)
            across += side * (light(pixels, row + k, column + 1) - light(pixels, row + k, column - 1))
            down += side * (light(pixels, row + 1, column + k) - light(pixels, row - 1, column + k))
        paper = 255.0 - qd.sqrt(across * across + down * down)
        out[row, column] = packed(vec3(paper), pixels[row, column] & qd.u32(0xFF000000))

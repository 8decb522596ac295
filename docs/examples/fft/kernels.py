"""Fourier transforms of overlapping pieces of a sound: a block transforms a piece in shared memory.

It is Stockham's form: each stage reads one array and writes the other, and nothing is reversed.
"""

import quadrants as qd
from quadrants.lang.simt import block

POINTS = 512
HALF = POINTS // 2  # threads of a block
STAGES = 9  # 2 to this power is POINTS
HOP = 128  # pieces begin this far apart

vec2 = qd.types.vector(2, qd.f32)
Sound = qd.types.ndarray(dtype=qd.f32, ndim=1)
Spectra = qd.types.ndarray(dtype=vec2, ndim=2)  # piece, frequency


@qd.func
def windowed(sound, begin, k):
    """A sample of a piece, which fades in and out (Hann's window)."""
    return vec2(sound[begin + k] * (0.5 - 0.5 * qd.cos(2.0 * qd.math.pi * k / POINTS)), 0.0)


@qd.kernel
def transform(sound: Sound, spectra: Spectra):
    qd.loop_config(block_dim=HALF)
    for i in range(spectra.shape[0] * HALF):
        here = block.SharedArray((POINTS,), vec2)
        there = block.SharedArray((POINTS,), vec2)
        piece, thread = i // HALF, i % HALF
        here[thread] = windowed(sound, piece * HOP, thread)
        here[thread + HALF] = windowed(sound, piece * HOP, thread + HALF)
        block.sync()
        for stage in qd.static(range(STAGES)):
            source, target = qd.static((here, there) if stage % 2 == 0 else (there, here))
            width = qd.static(2**stage)
            k = thread % width
            w = qd.math.cexp(vec2(0.0, -qd.math.pi * k / width))
            a = source[thread]
            b = qd.math.cmul(w, source[thread + HALF])
            to = thread // width * width * 2 + k
            target[to] = a + b
            target[to + width] = a - b
            block.sync()
        # The number of stages is odd.
        spectra[piece, thread] = there[thread]
        spectra[piece, thread + HALF] = there[thread + HALF]

"""Drawings for the examples in Python: pictures, curves beside axes and texts, as an SVG file."""

import base64
import math
import struct
import zlib

import numpy as np


def png(pixels):
    """The bytes of a PNG file, of an array of rows of RGB from 0 to 1. 32 levels make it half as large as 256."""
    levels = np.rint(np.rint(np.clip(pixels, 0, 1) * 31) / 31 * 255).astype(np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in levels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", levels.shape[1], levels.shape[0], 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def colours(values, least, most):
    """Black, violet, orange, pale yellow: each lighter than the one before."""
    t = np.clip((values - least) / (most - least), 0, 1)
    blue = np.where(t < 0.45, 0.5 * np.sin(t / 0.45 * math.pi) + 0.05, 2.4 * (t - 0.45) ** 2)
    return np.stack([1.02 * np.sqrt(t) - 0.02, t * t * (1.6 - 0.62 * t), blue], axis=-1)


class Drawing:
    """Places are pixels, from the upper left corner."""

    def __init__(self, width, height):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                      'font-family="sans-serif" font-size="12" fill="#333">', '<rect width="100%" height="100%" fill="#fff"/>']

    def text(self, x, y, words, anchor="start"):
        self.parts.append(f'<text x="{x:.4g}" y="{y:.4g}" text-anchor="{anchor}">{words}</text>')

    def picture(self, x, y, width, pixels):
        height = width * pixels.shape[0] / pixels.shape[1]
        data = base64.b64encode(png(pixels)).decode()
        self.parts.append(f'<image x="{x}" y="{y}" width="{width}" height="{height:.4g}" '
                          f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>')

    def line(self, points, style):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{places}" fill="none" {style}/>')

    def dots(self, points, radius=1.5):
        self.parts += [f'<circle cx="{x:.4g}" cy="{y:.4g}" r="{radius}"/>' for x, y in points]

    def logarithmic_curve(self, x, y, width, height, values, title):
        """Values that belong to 0, 1, 2, …, above 0, on an axis of powers of ten."""
        logarithms = np.log10(values)
        least, most = math.floor(logarithms.min()), math.ceil(logarithms.max() + 1e-9)

        def place(i, value):
            return x + i / max(1, len(values) - 1) * width, y + (most - value) / (most - least) * height

        for power in range(least, most + 1):
            mark = [place(0, power), place(len(values) - 1, power)]
            self.line(mark, 'stroke="#ddd"')
            self.text(x - 6, mark[0][1] + 4, f"{10.0 ** power:g}", "end")
        self.line([place(i, value) for i, value in enumerate(logarithms)], 'stroke="#c33" stroke-width="2"')
        self.text(x, y - 8, title)
        self.text(x, y + height + 16, "0")
        self.text(x + width, y + height + 16, str(len(values) - 1), "end")

    def write(self, path):
        with open(path, "w") as file:
            file.write("\n".join([*self.parts, "</svg>\n"]))

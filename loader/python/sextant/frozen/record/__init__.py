"""Records the kernels of a Quadrants program, for `sextant freeze`."""

"""Runs a Quadrants program with kernels out of a module."""

SCHEMA = 1  # of recording.json

# snippet: python.md python 1
SNIPPET
assert (y == 4).all(), y

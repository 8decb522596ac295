import quadrants as qd

OFFSET = 1


@qd.func
def shifted(x):
    return x + OFFSET

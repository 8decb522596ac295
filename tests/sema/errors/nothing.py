# Values without items, and what only looks like a name or a dictionary.
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.func
def h(a=0):
    return a


@qd.kernel
def indexed(n: qd.i32, x: F):
    for i in range(n):
        x[i] = ()[i]  # error: a tuple without items cannot be indexed
        x[i] = [][i]  # error: a list without items cannot be indexed
        x[i] = zip()[i]  # error: without items cannot be indexed
        x[i] = ()[0]  # error: the index 0 is outside of a tuple of 0


@qd.kernel
def reduced(n: qd.i32, x: F):
    for i in range(n):
        x[i] = [[]].norm()  # error: a matrix cannot have empty rows
        x[i] = ((),).sum()  # error: a matrix cannot have empty rows
        x[i] = qd.Matrix([[]]).sum()  # error: a matrix cannot have empty rows
        x[i] = qd.Matrix([[], []]).max()  # error: a matrix cannot have empty rows
        x[i] = [].sum()  # error: a vector cannot be empty
        x[i] = [[]] @ [[]]  # error: a matrix cannot have empty rows
        x[i] = max([])  # error: needs at least one value


@qd.kernel
def unpacked(n: qd.i32, x: F):
    for i in range(n):
        x[i] = h(**x)  # error: `**` cannot be used in a call in kernels
        x[i] = qd.abs(**x)  # error: `**` cannot be used in a call in kernels
        x[i] = h(*(), **{"a": 1})  # error: `**` cannot be used in a call in kernels

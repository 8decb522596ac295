# Methods of arrays, in the kernel language.
import quadrants as qd


@qd.func
def fill(array, value: qd.template()):
    if qd.static(len(array.shape) == 0):
        array[None] = value
    else:
        for i in qd.grouped(array):
            array[i] = value


@qd.func
def copy_from(array, other):
    if qd.static(len(array.shape) == 0):
        array[None] = other[None]
    else:
        for i in qd.grouped(array):
            array[i] = other[i]

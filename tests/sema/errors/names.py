# Several errors in one run, each where it is.
import quadrants as qd
from quadrants.lang.simt import subgroup
import numpy as np

table = np.zeros(16)
classic = open("file").read()
A = qd.types.ndarray(dtype=qd.f32, ndim=1)

@qd.kernel
def names(a: A):
    for i in range(a.shape[0]):
        a[i] = missing + 1  # error: the name `missing` is not defined here
        a[i] = qd.sqroot(a[i])  # error: `qd` has no `sqroot`
        a[i] = table[i]  # error: `table` has no value when kernels are built
        a[i] = subgroup.shufle(a[i], 0)  # error: `subgroup` has no `shufle`
        a[i, i] = 1  # error: `a` has 1 dimension, but is indexed with 2 indices
        b = a[i] & 1  # error: `&` needs integers, not f32
        a[i] = classic  # error: `classic` has no value when kernels are built

@qd.kernel
def scopes(a: A):
    for i in range(a.shape[0]):
        if a[i] > 0:
            inner = 1
        a[i] = inner  # error: the name `inner` is not defined here
        if qd.static(3 > 2):
            fixed = 1
        a[i] = fixed  # error: the name `fixed` is not defined here
        for k in range(3):
            last = k
        a[i] = last  # error: the name `last` is not defined here

@qd.kernel
def arguments(a: A, n: qd.i32):
    n = 3  # error: `n` is an argument of the kernel and cannot be assigned
    a = 4  # error: `a` is an argument of the kernel and cannot be assigned
    for i in range(n):
        break  # error: `break` cannot leave a parallel loop

@qd.kernel
def untyped_array(a: qd.types.ndarray(dtype=qd.f32, ndim=1), b: 7):  # error: the integer 7 is not a type
    pass

def host(x):
    return x

@qd.func
def helper(x):
    return x + undefined  # error: the name `undefined` is not defined here

@qd.kernel
def calls(a: A):
    for i in a:
        a[i] = host(a[i])  # error: `host` is a host function
        a[i] = helper(a[i])
        a[i] = helper(a[i], 2)  # error: `helper` takes 1 argument
        a[i] = helper()  # error: `helper` needs `x`
        a[i] = calls(a)  # error: `calls` is a kernel
        a[i] = qd.sqrt()  # error: `qd.sqrt` needs `x`
        a[i] = qd.atan2(1.0, 1.0, y=2)  # error: `qd.atan2` is given `y` twice

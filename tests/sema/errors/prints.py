# `print` and f-strings.
# waves: 32
import quadrants as qd

A = qd.types.ndarray(dtype=qd.f32, ndim=1)
mat = qd.types.matrix(16, 32, qd.f32)


@qd.kernel
def prints(a: A, m: mat):
    for i in range(4):
        print(a[i], file=3)  # error: in kernels, `print` has no parameter `file`
        print(a[i], sep=3)  # error: `sep` is a string, not the integer 3
        print(f"{a[i]:,}")  # error: the format `,` is not supported in kernels
        print(f"{a[i]:100f}")  # error: the format `100f` is not supported in kernels
        print(f"{a[i]:x}")  # error: the format `x` is for integers, not for f32
        print("{".format(i))  # error: a single `{` is not a place for a value
        print("{} }".format(i))  # error: a single `}` is not a place for a value
        print("{} {}".format(i))  # error: place 1 has no argument: `format` is given 1 without a name
        print("{0} {}".format(i))  # error: places with a number and places without one stand in one text
        print("{j}".format(i=i))  # error: the place `{j}` has no argument of this name
        print("{:q}".format(i))  # error: the format `q` is not supported in kernels
        text = "{}".format(a[i])  # error: a text takes compile-time values, not a run-time f32
        print(*a[i])  # error: `*` needs a tuple, not a run-time f32
        print(m, m)  # error: a `print` takes up to 1000 numbers of 32 bits
        print(f"{missing}")  # error: the name `missing` is not defined here
        text = f"{a[i]}"  # error: a text takes compile-time values, not a run-time f32

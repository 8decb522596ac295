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
        print("\N{BULLET}")  # error: a character by its name cannot be used in kernels
        print("\xzz")  # error: an escape without its digits cannot be used in kernels
        print(b"a")  # error: a string of bytes cannot be used in kernels
        print(f"{}")  # error: a place that is not understood cannot be used in kernels
        print(f"{")  # error: a place that is not understood cannot be used in kernels
        print(f"{i!q}")  # error: a place that is not understood cannot be used in kernels
        print(f"{i!s:d}")  # error: the format `d` is for numbers, and `!s` and `!r` make texts
        print(f"{i=!r:.3}")  # error: the format `.3` is for numbers, and `!s` and `!r` make texts
        print(a)  # error: the array `a` has no text
        print(i, f"{a}")  # error: the array `a` has no text
        print("{}".format(a))  # error: the array `a` has no text
        print({1: a})  # error: the array `a` has no text
        print(print)  # error: a builtin function has no text
        text = f"{(1, 2)}"  # error: a tuple has no text outside of `print`
        text = f"{a[i]}"  # error: a text takes compile-time values, not a run-time f32

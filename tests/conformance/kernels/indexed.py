# Vectors, matrices and tuples whose components are indexed at run time: few components, which stay
# in registers, and many, which lie in the thread's memory.
import quadrants as qd

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
mat6 = qd.types.matrix(6, 6, qd.f32)
vec5 = qd.types.vector(5, qd.i32)
vec20 = qd.types.vector(20, qd.i32)


# Rounds of additions at places that only the thread knows, and a look at one of them between.
@qd.kernel
def count(keys: I32, few: qd.types.ndarray(vec5, 1), many: qd.types.ndarray(vec20, 1), seen: I32):
    for i in range(few.shape[0]):
        a = vec5(0)
        b = vec20(1)
        s = 0
        for r in range(40):
            k = keys[(i + 7 * r) % keys.shape[0]]
            a[k % 5] += r
            b[k % 20] += r
            s += a[(k + 1) % 5] * 3 + b[(k + 1) % 20]
            if r == 20:
                b[k % 20] = -b[k % 20]
                a[k % 5] = b[19]
        few[i] = a
        many[i] = b
        seen[i] = s


# The product of two matrices by loops, in place in a copy.
@qd.kernel
def multiply(x: qd.types.ndarray(mat6, 1), n: qd.i32):
    for e in range(x.shape[0]):
        a = x[e]
        c = mat6(0.0)
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    c[i, j] += a[i, k] * a[k, j]
        x[e] = c


# An index that is not a component's reads the last one and writes nothing.
@qd.kernel
def outside(at: I32, out: qd.types.ndarray(qd.types.vector(2, qd.i32), 1), changed: I32):
    for i in range(at.shape[0]):
        few = qd.Vector([10, 20, 30])
        many = qd.Vector([k * 10 for k in qd.static(range(12))])
        out[i] = qd.Vector([few[at[i]], many[at[i]]])
        few[at[i]] = 1000
        many[at[i]] = 1000
        changed[i] = few.sum() + many.sum()


@qd.dataclass
class Stack:
    depth: qd.i32
    items: qd.types.vector(16, qd.i32)

    @qd.func
    def push(self, item):
        self.items[self.depth] = item
        self.depth += 1

    @qd.func
    def pop(self):
        self.depth -= 1
        return self.items[self.depth]


# Each thread turns a number's bits round by a stack, and so more than one path.
@qd.kernel
def stacks(numbers: I32, out: I32):
    for i in range(numbers.shape[0]):
        stack = Stack(0, qd.Vector([0] * 16))
        n = numbers[i]
        while n > 0:
            stack.push(n % 2)
            n //= 2
        turned = 0
        weight = 1
        while stack.depth > 0:
            turned += weight * stack.pop()
            weight *= 2
        out[i] = turned


# A variable of the kernel: serial statements index it at run time, and threads read it.
@qd.kernel
def carried(n: qd.i32, at: I32, out: I32):
    table = qd.Vector([k * k for k in qd.static(range(12))])
    for k in range(n):
        table[at[k]] += 100 * k
    for i in range(out.shape[0]):
        out[i] = table[i % 12]
    table[n] = -1
    total = 0
    for k in range(12):
        total += table[k]
    for i in range(out.shape[0]):
        out[i] += 10000 * total + table[n]


# A table of constants, and one of what a thread computes.
@qd.kernel
def tables(at: I32, out: I32, x: F32):
    for i in range(at.shape[0]):
        primes = qd.Vector([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37])
        powers = (1, i, i * i, i * i * i, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9, i + 10, i + 11)
        out[i] = primes[at[i]] * 1000 + powers[at[i]]
        x[i] = (qd.Vector([0.5, 1.5, 2.5]) * i)[at[i] % 3]

"""Times what others take for the kernels of kernels.py and their gradients: peers.py jax|warp|quadrants [ELEMENTS [ROUNDS]].

Rows, sizes and values are those of main.cpp, which is to run before or after it in the same call. JAX runs on its default
device, Warp and Quadrants on one thread of the CPU. A gradient of ones goes back. Each gradient is compared with a
difference of the row's function in f64, at one number of its input.
"""
import statistics
import sys
import time

import numpy as np

ROW = 64
STEPS = {"pendulum": (30, 0.1), "long_pendulum": (500, 0.01)}
AT = 5  # the number whose gradient is compared


def values(*shape):
    count = np.arange(np.prod(shape), dtype=np.uint64)
    return (0.5 + (count * 2654435761 % 1000) / 1000).astype(np.float32).reshape(shape)


def swing(p, steps, dt, sin):
    v = 0.0 * p
    for _ in range(steps):
        v = v - dt * sin(p)
        p = p + dt * v
    return p * v


# The loss of a row by one number at AT, in f64. All others stay as they are.
def losses(n):
    x, m = values(n).astype(np.float64), values(n // ROW, ROW).astype(np.float64)

    def stencil(t):
        near = x[AT - 2:AT + 3].copy()
        near[2] = t
        return ((near[:-2] - 2 * near[1:-1] + near[2:]) * near[1:-1]).sum()

    def rows(t):
        v = x[:ROW].copy()
        v[AT] = t
        return ((m @ np.tanh(v)) ** 2).sum()

    def energy(t):
        v = values(n, 3)[AT // 3].astype(np.float64)
        v[AT % 3] = t
        return 0.5 * (v @ v) * np.exp(-np.sqrt(v @ v))

    return {"saxpy": lambda t: 2.5 * t, "functions": lambda t: np.exp(-t * t) * np.sin(t) + np.sqrt(1 + t * t),
            "energy": energy, "stencil": stencil, "rows": rows, "newton": np.sqrt,
            **{name: lambda t, of=of: swing(t, *of, np.sin) for name, of in STEPS.items()}}


def measure(name, loss, primal, adjoint, gradient, rounds):
    """Prints a row. `primal` and `adjoint` take a number of launches, and wait for them."""
    primal(1), adjoint(1)
    begin = time.perf_counter()
    adjoint(1)
    launches = max(1, int(0.02 / (time.perf_counter() - begin)))
    spent = [], []
    for _ in range(rounds):
        for which, run in enumerate((primal, adjoint)):
            begin = time.perf_counter()
            run(launches)
            spent[which].append((time.perf_counter() - begin) / launches * 1e6)
    mine, back = map(statistics.median, spent)
    at, step = float(values(AT + 1)[AT]), 1e-5
    slope = (loss(at + step) - loss(at - step)) / (2 * step)
    found = gradient()
    right = "yes" if abs(found - slope) <= 2e-3 * abs(slope) else f"{found:.6g}, is {slope:.6g}"
    print(f"| {name} | {mine:.1f} | {back:.1f} | {back / mine:.2f} | {right} |", flush=True)


# --- JAX

def with_jax(n):
    import jax
    import jax.numpy as jnp
    from jax import lax

    def pendulum(steps, dt):
        def step(_, state):
            p, v = state
            v = v - dt * jnp.sin(p)
            return p + dt * v, v

        def run(x):
            p, v = lax.fori_loop(0, steps, step, (x, jnp.zeros_like(x)))
            return p * v
        return run

    x, out, points, m = (jnp.asarray(values(*shape)) for shape in ((n,), (n,), (n, 3), (n // ROW, ROW)))
    norm = lambda x: jnp.sqrt((x * x).sum(axis=1))
    rows = {
        "saxpy": (lambda x, out: 2.5 * x + out, (x, out)),
        "functions": (lambda x: jnp.exp(-x * x) * jnp.sin(x) + jnp.sqrt(1 + x * x), (x,)),
        "energy": (lambda x: (0.5 * (x * x).sum(axis=1) * jnp.exp(-norm(x))).sum(), (points,)),
        "stencil": (lambda x, out: out.at[1:-1].set((x[:-2] - 2 * x[1:-1] + x[2:]) * x[1:-1]), (x, out)),
        "rows": (lambda x, m: (m * jnp.tanh(x)).sum(axis=1) ** 2, (x[:ROW], m)),
        **{name: (pendulum(*of), (x,)) for name, of in STEPS.items()},
    }
    print(f"JAX {jax.__version__}, {jax.devices()[0].device_kind}")
    return rows, lambda f, arguments: functions_of_jax(jax, f, arguments)


def functions_of_jax(jax, f, arguments):
    ones = jax.numpy.ones_like(jax.eval_shape(f, *arguments))
    forward, back = jax.jit(f), jax.jit(lambda arguments, slope: jax.vjp(f, *arguments)[1](slope))

    def times(call):
        def run(launches):
            for _ in range(launches):
                result = call()
            jax.block_until_ready(result)
        return run
    return (times(lambda: forward(*arguments)), times(lambda: back(arguments, ones)),
            lambda: float(back(arguments, ones)[0].reshape(-1)[AT]))


# --- Warp

def with_warp(n):
    import warp as wp
    wp.config.quiet = True
    wp.init()

    import peers_warp as kernels
    sizes = {"energy": n, "rows": n // ROW}
    array = lambda *shape: wp.array(values(*shape), dtype=wp.float32, device="cpu", requires_grad=True)
    points = lambda: wp.array(values(n, 3), dtype=wp.vec3, device="cpu", requires_grad=True)
    inputs = {"energy": lambda: [points(), array(1)], "rows": lambda: [array(ROW), array(n // ROW, ROW), array(n // ROW)]}
    print(f"Warp {wp.__version__}, the CPU")
    rows = {}
    for name in losses(n):
        rows[name] = (getattr(kernels, name), inputs.get(name, lambda: [array(n), array(n)])())

    def functions(kernel, arguments):
        size = sizes.get(kernel.key, n)
        launch = dict(kernel=kernel, dim=size, inputs=arguments, device="cpu")

        def forward(launches):
            for _ in range(launches):
                wp.launch(**launch)

        def back(launches):
            for _ in range(launches):
                wp.launch(**launch, adj_inputs=[each.grad for each in arguments], adjoint=True)

        def gradient():
            for each in arguments:
                each.grad.zero_()
            arguments[-1].grad.fill_(1.0)
            back(1)
            return float(arguments[0].grad.numpy().reshape(-1)[AT])
        return forward, back, gradient
    return rows, functions


# --- Quadrants

def with_quadrants(n):
    import quadrants as qd
    qd.init(arch=qd.cpu, cpu_max_num_threads=1, ad_stack_experimental_enabled=True, offline_cache=False, log_level=qd.ERROR)
    import importlib.util
    import os
    spec = importlib.util.spec_from_file_location("kernels", os.path.join(os.path.dirname(__file__), "kernels.py"))
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    print(f"Quadrants {qd.__version__}, one thread of the CPU")

    def array(*shape, dtype=None):
        made = qd.ndarray(dtype or qd.f32, shape=shape, needs_grad=True)
        made.from_numpy(values(*made.to_numpy().shape))
        return made
    vectors = lambda: array(n, dtype=qd.types.vector(3, qd.f32))
    inputs = {"energy": lambda: [vectors(), array(1)],
              "rows": lambda: [array(n // ROW, ROW), array(n), array(n // ROW)]}
    rows = {name: (getattr(kernels, name), inputs.get(name, lambda: [array(n), array(n)])()) for name in losses(n)}

    def functions(kernel, arguments):
        def forward(launches):
            for _ in range(launches):
                kernel(*arguments)
            qd.sync()

        def back(launches):
            for _ in range(launches):
                kernel.grad(*arguments)
            qd.sync()

        def gradient():
            for each in arguments:
                each.grad.fill(0.0)
            arguments[-1].grad.fill(1.0)
            kernel(*arguments)
            back(1)
            return float(arguments[-2].grad.to_numpy().reshape(-1)[AT])
        return forward, back, gradient
    return rows, functions


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 22
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    rows, functions = {"jax": with_jax, "warp": with_warp, "quadrants": with_quadrants}[sys.argv[1]](n)
    print(f"{n} elements; us of a launch, medians of {rounds} rounds in turn\n")
    print("| row | kernel | gradient | times | right |\n|---|---|---|---|---|")
    of = losses(n)
    for name, (what, arguments) in rows.items():
        try:
            measure(name, of[name], *functions(what, arguments), rounds)
        except Exception as error:  # a refusal is a row, too
            print(f"| {name} | — | — | — | {str(error).strip().splitlines()[-1][:100]} |", flush=True)


main()

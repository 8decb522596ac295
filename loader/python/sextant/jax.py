"""Kernels as functions of JAX's arrays, with gradients: on the CPU."""
import functools

import jax
import numpy

from ._core import SCALAR_TYPES
from ._functions import Plan

__all__ = ["function"]


def function(kernel, *, outputs=None):
    """Makes a function of JAX's arrays of a kernel whose gradient the module has. It may stand in jax.jit and jax.grad.

    Arguments and results are those of sextant.torch.function. The kernel runs on the CPU, by jax.pure_callback.
    """
    plan = Plan(kernel, outputs)

    def types(names, arrays):
        return [jax.ShapeDtypeStruct(arrays[name].shape, arrays[name].dtype) for name in names]

    def run(*values):
        """On the host: launches the kernel, and returns what it wrote and its results."""
        arguments = _arguments(plan, dict(zip(plan.inputs, values)), plan.written)
        for name in plan.made:
            arguments[name] = numpy.zeros(plan.shape(name, arguments), jax.numpy.dtype(plan.dtype(name)))
        results = [numpy.array(value, jax.numpy.dtype(dtype)) for value, dtype in plan.call(arguments)]
        return [*(arguments[name] for name in plan.written), *results]

    def run_back(values, written, slopes):
        """On the host: launches the gradient, and returns those of the inputs that have one."""
        given = dict(zip(plan.inputs, values))
        arguments = _arguments(plan, {**given, **dict(zip(plan.written, written))}, plan.gradient.written)
        before = {name: numpy.array(given[name]) if name in given else numpy.zeros_like(arguments[name])
                  for name in plan.kept}
        of_written = dict(zip(plan.written, slopes))
        gradients = {name: numpy.array(of_written[name]) if name in of_written else numpy.zeros_like(arguments[name])
                     for name in plan.differentiable}
        plan.call_gradient({**arguments, **{f"{name}.before": each for name, each in before.items()},
                            **{f"{name}.grad": each for name, each in gradients.items()}},
                           map(numpy.asarray, slopes[len(plan.written):]))
        return [gradients[name] for name in plan.inputs if name in gradients]

    def forward(*values):
        given = dict(zip(plan.inputs, values))
        for name in plan.made:
            given[name] = jax.ShapeDtypeStruct(plan.shape(name, given), jax.numpy.dtype(plan.dtype(name)))
        results = [jax.ShapeDtypeStruct(each.element_shape, jax.numpy.dtype(SCALAR_TYPES[each.dtype][0]))
                   for each in plan.results]
        return tuple(jax.pure_callback(run, types(plan.written, given) + results, *values, vmap_method="sequential"))

    def backward(saved, slopes):
        values, written = saved
        given = dict(zip(plan.inputs, values))
        wanted = [name for name in plan.inputs if name in plan.differentiable]
        found = dict(zip(wanted, jax.pure_callback(run_back, types(wanted, given), values, written, slopes,
                                                   vmap_method="sequential")))
        return tuple(found.get(name, _none(value)) for name, value in given.items())

    core = jax.custom_vjp(forward)
    core.defvjp(lambda *values: (lambda written: (written, (values, written)))(forward(*values)), backward)

    @functools.wraps(kernel, assigned=("__name__", "__doc__"), updated=())
    def call(*positions, **keywords):
        values = [jax.numpy.asarray(value, plan.dtype(name)) for name, value in
                  zip(plan.inputs, plan.bind(positions, keywords))]
        results = core(*values)
        return results[0] if len(results) == 1 else results

    return call


def _arguments(plan, values, copied):
    """The arguments of a launch by name: arrays of numpy, which may be JAX's own memory, and numbers."""
    arguments = {name: numpy.array(value, order="C", copy=True if name in copied else None)
                 for name, value in values.items()}
    return {name: value if name in plan.arrays or value.ndim else value.item() for name, value in arguments.items()}


def _none(value):
    """The gradient of what has none, as JAX writes it."""
    if jax.numpy.issubdtype(value.dtype, jax.numpy.floating):
        return jax.numpy.zeros_like(value)
    return numpy.zeros(value.shape, jax.dtypes.float0)

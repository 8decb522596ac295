"""Kernels as functions of torch's tensors, with gradients."""
import torch

from ._errors import SignatureError
from ._functions import Plan

__all__ = ["function"]


def function(kernel, *, outputs=None):
    """Makes a function of torch's tensors of a kernel whose gradient the module has.

    It takes the kernel's arguments, and returns the arrays that the kernel writes, in the order of the arguments, and
    then its results: a tensor, or a tuple of them. Arguments are not changed: those that the kernel writes are copied before.

    outputs: written arrays that calls leave out, as {"y": "x"}: zeros of the shape of argument x; or {"y": (8, 3)}, or
    {"y": f}, where f takes all arguments as a dictionary, and returns the shape.
    """
    plan = Plan(kernel, outputs)

    def call(*positions, **keywords):
        results = Launch.apply(plan, *plan.bind(positions, keywords))
        return results[0] if len(results) == 1 else results

    call.__name__, call.__doc__ = kernel.__name__, kernel.__doc__
    return call


class Launch(torch.autograd.Function):
    """A launch of a plan's kernel, and on the way back one of its gradient."""

    @staticmethod
    def forward(ctx, plan, *values):
        given = dict(zip(plan.inputs, values))
        arrays = {name: _memory(plan, name, value) for name, value in given.items() if name in plan.arrays}
        device = next((each.device for each in arrays.values()), None)
        for name in plan.made:
            arrays[name] = torch.zeros(plan.shape(name, given), dtype=getattr(torch, plan.dtype(name)), device=device)
        ctx.plan, ctx.numbers = plan, {name: value for name, value in given.items() if name not in arrays}
        results = [torch.tensor(value, dtype=getattr(torch, dtype), device=device)
                   for value, dtype in plan.call({**ctx.numbers, **arrays})]
        ctx.given = [name for name, value in given.items() if isinstance(value, torch.Tensor)]
        ctx.save_for_backward(*(arrays[name] for name in plan.arrays), *(given[name] for name in ctx.given))
        ctx.mark_non_differentiable(*(arrays[name] for name in plan.written if name not in plan.differentiable),
                                    *(result for result, slope in zip(results, plan.slopes) if not slope))
        return *(arrays[name] for name in plan.written), *results

    @staticmethod
    def backward(ctx, *slopes):
        plan = ctx.plan
        arrays = {name: array.detach() for name, array in zip(plan.arrays, ctx.saved_tensors)}
        gradients = {name: torch.zeros_like(arrays[name], memory_format=torch.contiguous_format)
                     for name in plan.differentiable}
        for name, slope in zip(plan.written, slopes):
            if name in gradients:
                gradients[name].copy_(slope.detach())  # the kernel clears it
        given = dict(zip(ctx.given, ctx.saved_tensors[len(plan.arrays):]))
        before = {name: given[name].detach().contiguous() if name in given else torch.zeros_like(arrays[name])
                  for name in plan.kept}
        plan.call_gradient({**ctx.numbers, **arrays, **{f"{name}.before": each for name, each in before.items()},
                            **{f"{name}.grad": each for name, each in gradients.items()}}, slopes[len(plan.written):])
        ends = *slopes, *given.values()
        return None, *(Once.apply(gradients[name], *ends) if needed and name in gradients else None
                       for name, needed in zip(plan.inputs, ctx.needs_input_grad[1:]))


class Once(torch.autograd.Function):
    """A gradient that depends on other tensors, in a way whose derivative is not known."""

    @staticmethod
    def forward(ctx, gradient, *ends):
        return gradient.view_as(gradient)

    @staticmethod
    def backward(ctx, slope):
        raise RuntimeError("gradients of kernels have no gradients: they are differentiable once")


def _memory(plan, name, value):
    """The tensor that the kernel gets for an argument."""
    if not isinstance(value, torch.Tensor):
        raise SignatureError(f"kernel '{plan.kernel.name}', argument '{name}': expected a tensor of torch, given "
                             f"{type(value).__name__}")
    value = value.detach()
    if name in plan.written:
        return value.clone(memory_format=torch.contiguous_format)
    return value.contiguous()

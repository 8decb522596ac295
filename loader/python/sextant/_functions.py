"""The arguments of a kernel as functions of other libraries see them."""
from . import _errors
from ._core import SCALAR_TYPES


class Plan:
    """A kernel as a function: of its arguments without `outputs`, to the arrays that it writes, and its results.

    outputs: arrays that calls leave out. They are zeros of the shape of another argument, by its name, or of a shape,
    which a function of all arguments (a dictionary) may return.
    kept: the arrays that the gradient takes as they were before the launch, too.
    slopes: the arguments that are the gradients of the results; None for those that have none.
    """

    def __init__(self, kernel, outputs=None):
        self.kernel, self.made = kernel, dict(outputs or {})
        try:
            self.gradient = kernel.grad
        except AttributeError:
            raise _errors.NotFoundError(f"kernel '{kernel.name}' has no gradient in its module: build it by --kernel "
                                        f"'{kernel.__name__}.grad'") from None
        self.parameters = {parameter.name: parameter for parameter in kernel.parameters}
        self.arrays = [name for name, parameter in self.parameters.items() if parameter.kind == "array"]
        self.written = list(kernel.written)
        self.inputs = [name for name in self.parameters if name not in self.made]
        names = {parameter.name for parameter in self.gradient.parameters}
        self.kept = [name for name in self.written if f"{name}.before" in names]
        self.differentiable = [name for name in self.arrays if f"{name}.grad" in names]
        self.results = list(kernel.results)
        numbers = [""] if len(self.results) == 1 else range(len(self.results))
        self.slopes = [f"return{k}_grad" if f"return{k}_grad" in names else None for k in numbers]
        for name in self.made:
            if name not in self.written:
                raise _errors.SignatureError(f"outputs: kernel '{kernel.name}' writes {', '.join(self.written)}, and "
                                             f"not '{name}'")

    def bind(self, positions, keywords):
        """The values of the arguments in the order of `inputs`."""
        if len(positions) > len(self.inputs):
            raise _errors.SignatureError(f"kernel '{self.kernel.name}': {len(positions)} arguments are given, it takes "
                                         f"{len(self.inputs)}: {', '.join(self.inputs)}")
        values = dict(zip(self.inputs, positions))
        for name, value in keywords.items():
            if name in values or name not in self.inputs:
                raise _errors.SignatureError(f"kernel '{self.kernel.name}': argument '{name}' is "
                                             f"{'given twice' if name in values else 'not one of'} "
                                             f"{', '.join(self.inputs)}")
            values[name] = value
        for name in self.inputs:
            if name not in values:
                raise _errors.SignatureError(f"kernel '{self.kernel.name}': argument '{name}' is missing")
        return [values[name] for name in self.inputs]

    def shape(self, name, values):
        """The shape of an array that is made, with the element's; `values` is a dictionary."""
        rule = self.made[name]
        if isinstance(rule, str):
            return tuple(values[rule].shape)
        if callable(rule):
            rule = rule(values)
        return (*((rule,) if isinstance(rule, int) else rule), *self.parameters[name].element_shape)

    def dtype(self, name):
        """The type's name in libraries: "float32"."""
        return SCALAR_TYPES[self.parameters[name].dtype][0]

    def call(self, arguments):
        """Launches the kernel, and returns its results: a list of (value, type's name)."""
        values = self.kernel(**arguments)
        values = [] if not self.results else [values] if len(self.results) == 1 else values
        return [(value, SCALAR_TYPES[result.dtype][0]) for value, result in zip(values, self.results)]

    def call_gradient(self, arguments, slopes):
        """Launches the gradient. `slopes` are those of the results, as libraries have them."""
        given = {name: slope.tolist() for name, slope in zip(self.slopes, slopes) if name}
        self.gradient(**arguments, **given)

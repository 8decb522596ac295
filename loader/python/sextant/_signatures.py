"""Signatures and docstrings of kernels, as `inspect.signature` and `help` show them."""
from collections import namedtuple

from ._core import SCALAR_TYPES


class Parameter(namedtuple("Parameter", "name kind dtype ndim element_shape structure")):
    """One argument of a kernel, as the loader counts them, or one result.

    name: with dots for members ("state.mass"); "" for results.  kind: "array", "scalar" or "matrix" (a vector or
    matrix by value).  dtype: "f32".  ndim: of arrays, without the element's axes.  element_shape: () for scalars, (3,)
    for vectors, (2, 2) for matrices.  structure: of arrays of structs, "Grain{kind:u8,pos:f32x3}"; else "".
    """

    __slots__ = ()

    def __str__(self) -> str:
        shape = "x".join(map(str, self.element_shape))
        element = self.structure.partition("{")[0] or (f"{self.dtype}[{shape}]" if shape else self.dtype)
        return f"array({element}, ndim={self.ndim})" if self.kind == "array" else element


def _groups(parameters):
    """The parameters as a call writes them: members of an object are one, the gradient of `x` is `x_grad`."""
    groups = {}
    for parameter in parameters:
        head, dot, rest = parameter.name.partition(".")
        if head in groups and groups[head][0][0] == "":
            head, rest = parameter.name.replace(".", "_"), ""
        groups.setdefault(head, []).append((rest, parameter))
    return groups


def _annotation(members) -> str:
    if members[0][0] == "":
        return str(members[0][1])
    return "{" + ", ".join(f"{name}: {parameter}" for name, parameter in members) + "}"


def _returned(results) -> str:
    if len(results) == 1:
        return str(results[0])
    return "(" + ", ".join(map(str, results)) + ")" if results else "None"


def signature(kernel):
    """inspect.Signature of a kernel. Annotations are text."""
    import inspect  # only those who ask for a signature pay for it
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=_annotation(members))
                  for name, members in _groups(kernel.parameters).items()]
    stream = "stream_" if any(p.name == "stream" for p in parameters) else "stream"
    parameters.append(inspect.Parameter(stream, inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(parameters, return_annotation=_returned(kernel.results))


def documentation(kernel) -> str:
    """The kernel's docstring, below a line with its signature."""
    names = [f"{name}: {_annotation(members)}" for name, members in _groups(kernel.parameters).items()]
    line = f"{kernel.__name__}({', '.join(names)}) -> {_returned(kernel.results)}"
    return f"{line}\n\n{kernel.doc}" if kernel.doc else line


# --- Structs ---------------------------------------------------------------------------------------------------------


def _parse(text: str, at: int):
    """Reads "Name{member:type,…}" at a place; returns the members and the place after it."""
    members = []
    at = text.index("{", at) + 1
    while text[at] != "}":
        colon = text.index(":", at)
        name, at = text[at:colon], colon + 1
        end = at
        while text[end] not in ",}{":
            end += 1
        if text[end] == "{":
            inner, end = _parse(text, at)
            members.append((name, inner, ()))
        else:
            dtype, *shape = text[at:end].split("x")
            members.append((name, dtype, tuple(int(extent) for extent in shape)))
        at = end + 1 if text[end] == "," else end
    return members, at + 1


def _layout(members):
    """Where C puts the members: (name, what, shape, offset) each; the size; the alignment."""
    placed, size, alignment = [], 0, 1
    for name, what, shape in members:
        if isinstance(what, list):
            inner, bytes_, align = _layout(what)
            what = (inner, bytes_)
        else:
            bytes_ = align = size_of(what)
        size = -(-size // align) * align
        placed.append((name, what, shape, size))
        for extent in shape:
            bytes_ *= extent
        size += bytes_
        alignment = max(alignment, align)
    return placed, -(-size // alignment) * alignment, alignment


def structure_layout(structure: str):
    """The members of a struct, as (name, dtype or inner layout, shape, offset in bytes), and its size in bytes."""
    placed, size, _ = _layout(_parse(structure, 0)[0])
    return placed, size


def _numpy_dtype(placed, size):
    import numpy
    formats = []
    for _, what, shape, _ in placed:
        formats.append((_numpy_dtype(*what) if isinstance(what, tuple) else typestr(what), shape))
    return numpy.dtype({"names": [member[0] for member in placed], "formats": formats,
                        "offsets": [member[3] for member in placed], "itemsize": size})


def numpy_dtype(structure: str):
    """numpy's structured dtype of "Grain{kind:u8,pos:f32x3}"."""
    return _numpy_dtype(*structure_layout(structure))


# --- Arrays ----------------------------------------------------------------------------------------------------------


def typestr(dtype: str) -> str:
    """The dtype in the array interface's words: "<f4"."""
    return SCALAR_TYPES[dtype][1]


def size_of(dtype: str) -> int:
    """The bytes of a scalar in memory."""
    return int(typestr(dtype)[2:])


def view(array):
    """An array of numpy that shares the memory of one on the CPU."""
    import numpy
    scalars = numpy.asarray(array)
    return scalars.view(numpy_dtype(array.structure))[..., 0] if array.structure else scalars


def empty_like(array):
    """A new array of numpy of the array's type and shape."""
    import numpy
    if array.structure:
        return numpy.empty(array.shape[:-1], numpy_dtype(array.structure))
    return numpy.empty(array.shape, typestr(array.dtype))

"""Runs a Quadrants program with kernels of a module: `Kernel.__call__` asks the module first, and the JIT after it."""

from __future__ import annotations

import atexit
import dataclasses
import inspect
import sys
import threading
import warnings
import weakref
from typing import Any

import numpy as np
import sextant
from quadrants.lang import impl, kernel_impl
from quadrants.lang.kernel import Kernel
from quadrants.types.enums import AutodiffMode

from . import ATTACHMENT
from .check import compare
from .launches import Bound, Place, bind, place_of, result_of
from .levels import NotInPlace
from .margins import keep_readable
from .memory import Tree
from .table import OTHER_VALUES, Missing, check_sources, fitting, read_table
from .values import CLEARS_GRADIENTS, derivative_of, is_external, supported_version, unwrap

DEVICES = {"x64": "cpu", "arm64": "cpu", "cuda": "cuda", "amdgpu": "hip"}
MOST_BOUND = 4096  # launches that are kept for one kernel


class JitWarning(UserWarning):
    """A kernel that the JIT compiles, since the module does not have it."""


@dataclasses.dataclass
class Counts:
    """How often kernels were launched: from the module, and by the JIT; and how many launches `check` did not compare,
    since they drew random numbers."""

    module: int = 0
    jit: int = 0
    drew: int = 0


class Forward:
    """A kernel in forward mode, which in quadrants is the same object as the kernel."""


def key_of(kernel: Kernel) -> Any:
    """The object by which launches of a kernel are kept, as long as it lives."""
    if kernel.autodiff_mode is not FORWARD:
        return kernel
    return vars(kernel).setdefault("_sextant_forward", Forward())


class Frozen:
    """A module in the place of the JIT. `sextant.frozen.use` makes one; `stop()` gives quadrants its kernels back."""

    def __init__(self, path: str, strict: bool, check: bool):
        require_supported()
        self.path, self.strict, self.check = path, strict, check
        self.module = sextant.Module(path)
        self.table = read_table(self.module.attachment(ATTACHMENT), path)
        self.counts = Counts()
        self.lock = threading.RLock()
        self.original, self.inside_class = Kernel.__call__, kernel_impl._inside_class
        self.forget()
        self.install()

    def forget(self) -> None:
        """Forgets all that belongs to quadrants' runtime, which `qd.reset()` and `qd.init()` end."""
        self.program: Any = None
        self.device: Any = None
        self.roots: dict[int, Tree] = {}
        self.bound: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # a kernel: dict of Bound by identities
        self.kernels: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # a kernel: the module's by instance
        self.refused: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self.fields: dict[str, int] = {}
        self.seen = 0, 0  # kernels and trees, since when what is mapped around the trees may have changed

    def install(self) -> None:
        call = self.call

        def __call__(kernel, *arguments, **keywords):
            if keywords or kernel.func is CLEARS_GRADIENTS or (
                    kernel.autodiff_mode is not NONE and derivative_of(kernel) is None):
                return self.unusual(kernel, arguments, keywords)
            return call(kernel, arguments)

        Kernel.__call__ = __call__
        kernel_impl._inside_class = in_class_body
        impl.on_reset(self.forget)
        atexit.register(self.stop)

    def stop(self) -> None:
        """Gives quadrants its kernels back, and the module's memory free."""
        if self.forget not in impl._reset_hooks:
            return
        Kernel.__call__ = self.original
        kernel_impl._inside_class = self.inside_class
        impl._reset_hooks.remove(self.forget)
        atexit.unregister(self.stop)
        self.forget()
        self.module = None

    # --- Launches ---

    def unusual(self, kernel: Kernel, arguments: tuple, keywords: dict) -> Any:
        """Launches with keywords, and those that only the JIT can do."""
        reason = None
        if kernel.func is CLEARS_GRADIENTS:
            return self.original(kernel, *arguments, **keywords)
        if derivative_of(kernel) is None:
            reason = "a tape validates it"
        elif keywords.get("qd_stream") is not None:
            reason = "it is launched in a stream of quadrants"
        elif "_qd_from_checkpoint" in keywords:
            reason = "it goes on from a checkpoint"
        if reason:
            return self.jit(kernel, arguments, keywords, reason)
        keywords.pop("qd_stream", None)
        return self.call(kernel, kernel.fuse_args(is_func=False, is_pyfunc=False, py_args=arguments, kwargs=keywords,
                                                  global_context=None))

    def call(self, kernel: Kernel, arguments: tuple) -> Any:
        forward = impl.get_runtime().fwd_mode_manager
        if forward and kernel.autodiff_mode is NONE:
            forward.insert(kernel)  # as the JIT does: from here on, the kernel is that of forward mode
        try:
            found = self.bound_for(kernel, arguments)
            reason = self.refused[key_of(kernel)] if found is None else None
        except Exception as error:  # also a fault of this package: the program still has its JIT
            reason = reason_of(error)
        if reason is not None:
            return self.jit(kernel, arguments, {}, reason)
        if self.check:
            return compare(self, kernel, found, arguments)
        return self.launch(kernel, found, arguments, impl.get_runtime().target_tape)

    def bound_for(self, kernel: Kernel, arguments: tuple) -> Bound | None:
        """The launch that was prepared for these arguments, or a new one; None for a kernel that was refused."""
        identities = tuple([id(a) if type(a) not in ARRAYS else shape_of(a)
                            for a in arguments if type(a) not in VALUES])
        if kernel.template_slot_locations:  # constants of the kernel, by value
            identities += tuple([(type(arguments[i]), arguments[i]) for i in kernel.template_slot_locations
                                 if type(arguments[i]) in VALUES])
        known = self.bound.get(key_of(kernel))
        found = known.get(identities) if known is not None else None
        if found is not None and found.is_current(arguments):
            return found
        return None if key_of(kernel) in self.refused else self.bind(kernel, arguments, identities)

    def launch(self, kernel: Kernel, bound: Bound, arguments: tuple, tape: Any = None) -> Any:
        """Launches. `tape`: what records launches, as the JIT's do."""
        values = tuple([arguments[position] for position in bound.varying])
        try:
            results = bound.call(values) if kernel.return_type else bound.run(values)
        except RAN:
            raise
        except Exception as error:  # it did not begin
            reason = reason_of(error)
        else:
            self.counts.module += 1
            if tape and not impl.get_runtime().grad_replaced and kernel.autodiff_mode is NONE:
                tape.insert(kernel, arguments)
            return result_of(kernel, results) if kernel.return_type else None
        return self.jit(kernel, arguments, {}, reason)

    def jit(self, kernel: Kernel, arguments: tuple, keywords: dict, reason: str) -> Any:
        """The JIT's launch, after one warning a kernel; with `strict`, an error."""
        name = f"{kernel.func.__module__}.{kernel.func.__qualname__}"
        if self.strict:
            raise Missing(f"{self.path} has no kernel for this launch of {name}: {reason}")
        if self.refused.get(key_of(kernel)) is None:
            self.refused[key_of(kernel)] = reason
            warnings.warn(f"{name} is compiled by the JIT: {reason}", JitWarning, stacklevel=4)
            if reason.startswith(OTHER_VALUES):
                del self.refused[key_of(kernel)]  # other launches of it may fit
        self.counts.jit += 1
        return self.original(kernel, *arguments, **keywords)

    # --- First launches ---

    def bind(self, kernel: Kernel, arguments: tuple, identities: tuple) -> Bound:
        with self.lock:
            runtime = impl.get_runtime()
            if runtime.target_tape and runtime.target_tape.validation:
                raise Missing("a tape validates it")
            instances = self.table.get((kernel.func.__module__, kernel.func.__qualname__, derivative_of(kernel)))
            if instances is None:
                raise Missing("the module does not have it")
            runtime.materialize()
            plain = tuple(unwrap(a) for a in arguments)
            instance, module_kernel, fields = self.first_that_runs(kernel, fitting(instances, kernel, plain))
            found = bind(kernel, module_kernel, instance, plain, self.roots, self.device)
            seen = len(self.kernels), len(self.roots)
            if self.device.name == "cpu" and seen != self.seen:
                self.seen = seen
                keep_readable(self.roots.values())
            found.places |= {f"field `{name}`": place for name, place in fields.items()}
            kept = self.bound.setdefault(key_of(kernel), {})
            if len(kept) >= MOST_BOUND:
                kept.clear()
            kept[identities] = found
            ARRAYS.update(type(a) for a in arguments if is_external(a))
            self.watch_lives(kept, identities, arguments)
            return found

    def watch_lives(self, kept: dict, identities: tuple, arguments: tuple) -> None:
        """Drops a launch when one of its objects dies: another one may get its identity."""
        found = kept[identities]
        for value in arguments:
            if type(value) in VALUES or type(value) in ARRAYS:
                continue
            try:
                found.lives.append(weakref.ref(value, lambda _: kept.pop(identities, None)))
            except TypeError:
                found.lives.append(value)

    def first_that_runs(self, kernel: Kernel, instances: list[dict]) -> tuple[dict, Any, dict]:
        """The first instance that has the sources of this kernel: several closures may have one name."""
        problem: Exception | None = None
        for instance in instances:
            try:
                return instance, *self.kernel_of(kernel, instance)
            except Missing as error:
                problem = problem or error
        raise problem

    def kernel_of(self, kernel: Kernel, instance: dict) -> Any:
        """The module's kernel, tested once against the sources that run, with its fields where quadrants has them."""
        known, name_of_instance = self.kernels.setdefault(kernel, {}), instance["name"]
        if name_of_instance not in known:
            fields = check_sources(instance, kernel)
            if self.program is None:
                self.open()
            found = self.program.kernel(name_of_instance)
            places = {name: place_of(field, self.roots) for name, field in fields.items()}
            for name, place in places.items():
                if self.fields.get(name) != place.address:
                    self.bind_field(name, place)
            known[name_of_instance] = found, places
        return known[name_of_instance]

    def bind_field(self, name: str, place: Place) -> None:
        try:
            self.program.bind(name, place.pointer)
        except sextant.NotFoundError:
            pass  # kernels read only its extents, which check_sources tests
        self.fields[name] = place.address

    def open(self) -> None:
        arch = str(impl.current_cfg().arch).split(".")[-1]
        if arch not in DEVICES:
            raise Missing(f"the memory of quadrants' {arch} cannot be used in place; that of qd.cpu and qd.cuda can")
        family = DEVICES[arch]
        self.device = sextant.Device("cpu") if family == "cpu" else sextant.adopt(family, context=0, stream=LEGACY)
        self.program = sextant.Program(self.module, self.device)


def reason_of(error: Exception) -> str:
    """Why a launch goes to the JIT."""
    if isinstance(error, (Missing, NotInPlace, sextant.Error)):
        return str(error)
    return f"sextant.frozen fails with {type(error).__name__}: {error}"


RAN = (sextant.KernelFaultError, sextant.DeviceError)  # errors of kernels that ran, in part at least
NONE, FORWARD = AutodiffMode.NONE, AutodiffMode.FORWARD
VALUES = frozenset((bool, int, float))  # arguments that every launch sets
ARRAYS = {np.ndarray}  # arrays of other libraries, which every launch sets; torch's is added when one comes
LEGACY = 1  # CU_STREAM_LEGACY: the stream in which quadrants works


def shape_of(array: Any) -> tuple:
    """Returns what a launch is prepared for, of an array of numpy or torch."""
    return array.dtype, tuple(array.shape), getattr(array, "device", None)


def require_supported() -> None:
    version, is_supported = supported_version()
    if not is_supported:
        raise ImportError(f"sextant.frozen knows quadrants 1.3 and 1.4, and this is {version}; install one of those")


def in_class_body(level_of_class_stackframe: int) -> bool:
    """Answers as kernel_impl._inside_class: true if a decorator runs in the body of a class.

    Quadrants reads the source around the frame to find out, which is most of the time that `import genesis` takes. The
    frame itself tells: the body of a class has names of its own, and no fast ones.
    """
    body = sys._getframe(level_of_class_stackframe - 1)
    return body.f_locals is not body.f_globals and not body.f_code.co_flags & inspect.CO_OPTIMIZED

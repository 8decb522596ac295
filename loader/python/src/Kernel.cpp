// Kernels as callables.
#include "Launch.h"
#include "Tape.h"

namespace sextant::python {

std::shared_ptr<Kernel> openKernel(const std::shared_ptr<LoadedProgram> &program,
                                   const std::string &name) {
  auto kernel = std::make_shared<Kernel>();
  kernel->program = program;
  sxt_program *handle = program->open();
  unlocked([&] { return sxt_program_kernel(handle, name.c_str(), &kernel->handle); });
  size_t index = 0;
  check(sxt_kernel_index(kernel->handle, &index));
  kernel->signature = program->module->signature(index);
  return kernel;
}

nb::object asAttribute(const std::function<nb::object()> &get) {
  try {
    return get();
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_LookupError))
      throw;
    const nb::object message = nb::str(error.value());
    error.restore();
    nb::chain_error(PyExc_AttributeError, "%U", message.ptr());
    throw nb::python_error();
  }
}

namespace {

/// Places for a kernel's results, and the Python values that they become.
class Results {
public:
  explicit Results(const Signature &signature) : signature(signature) {
    for (const Parameter &result : signature.results)
      memory.emplace_back(size_t(result.rows) * result.cols * result.scalarBytes);
    for (size_t i = 0; i < memory.size(); ++i) {
      auto place = sized<sxt_result>();
      place.dtype = signature.results[i].dtype;
      place.rows = signature.results[i].rows;
      place.cols = signature.results[i].cols;
      place.data = memory[i].data();
      places.push_back(place);
    }
  }
  const sxt_result *data() const { return places.data(); }
  size_t size() const { return places.size(); }
  /// None, one value, or a tuple of them.
  nb::object values() const {
    if (memory.empty())
      return nb::none();
    if (memory.size() == 1)
      return value(0);
    nb::list all;
    for (size_t i = 0; i < memory.size(); ++i)
      all.append(value(i));
    return nb::tuple(all);
  }

private:
  nb::object value(size_t index) const {
    const Parameter &result = signature.results[index];
    const auto scalar = [&](size_t at) {
      return scalarAt(result.dtype, memory[index].data() + at * result.scalarBytes);
    };
    if (result.rows * result.cols == 1)
      return scalar(0);
    nb::list rows;
    for (size_t row = 0; row < result.rows; ++row) {
      if (result.cols == 1) {
        rows.append(scalar(row));
        continue;
      }
      nb::list columns;
      for (size_t column = 0; column < result.cols; ++column)
        columns.append(scalar(row * result.cols + column));
      rows.append(columns);
    }
    return rows;
  }
  const Signature &signature;
  std::vector<std::vector<std::byte>> memory;
  std::vector<sxt_result> places;
};

/// A call that waits, with what it uses until it is done, also after its caller has left.
struct Call {
  Call(Kernel &kernel, nb::handle positions, nb::handle keywords)
      : program(kernel.program), signature(kernel.signature), positions(nb::borrow(positions)),
        keywords(nb::borrow(keywords)), values(*signature, positions, keywords),
        arguments(*signature, kernel.device(), streamFrom(kernel.device(), values.stream()),
                  program->usesFields) {
    for (size_t i = 0; i < arguments.size(); ++i)
      arguments.convert(i, values[i]);
    begun = &arguments.begin();
    stream = begun->handle;
  }
  /// Makes the loader's call, which must wait for its work.
  void run(const std::shared_ptr<Call> &self, std::function<sxt_status()> call) {
    wait(self, std::move(call));
    arguments.end();
  }

  std::shared_ptr<LoadedProgram> program;
  std::shared_ptr<const Signature> signature;
  nb::object positions, keywords;
  Values values;
  Arguments arguments;
  Stream *begun = nullptr;
  sxt_stream *stream = nullptr;
};

nb::object callForResults(Kernel &kernel, nb::handle positions, nb::handle keywords) {
  struct WithResults : Call {
    WithResults(Kernel &kernel, nb::handle positions, nb::handle keywords)
        : Call(kernel, positions, keywords), results(*signature) {}
    Results results;
  };
  const auto call = std::make_shared<WithResults>(kernel, positions, keywords);
  Recorded recorded(kernel, call->arguments, *call->begun);
  const auto run = [call = call.get(), handle = kernel.handle] {
    return sxt_kernel_call(handle, call->stream, call->arguments.data(), call->arguments.size(),
                           call->results.data(), call->results.size());
  };
  kernel.brief.wait(call->arguments.work(), [&](bool isBrief) {
    if (isBrief)
      unlocked(run);
    else
      wait(call, run);
  });
  recorded.done();
  call->arguments.end();
  return call->results.values();
}

/// Waits for a launch on the CPU. If the caller leaves, the stream keeps the arrays.
void finish(Stream &stream, Arguments &arguments) {
  try {
    stream.synchronize();
  } catch (nb::python_error &) {
    arguments.hold();
    throw;
  }
}

enum class Wants { Launch, Results, Whichever };

nb::object run(Kernel &kernel, nb::handle positions, nb::handle keywords, Wants wants) {
  (void)kernel.program->open();
  const Signature &signature = *kernel.signature;
  if (wants == Wants::Results || (wants == Wants::Whichever && !signature.results.empty()))
    return callForResults(kernel, positions, keywords);
  const Values values(signature, positions, keywords);
  Stream *given = streamFrom(kernel.device(), values.stream());
  Arguments arguments(signature, kernel.device(), given, kernel.program->usesFields);
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments.convert(i, values[i]);
  Stream &stream = arguments.begin();
  Recorded recorded(kernel, arguments, stream);
  const auto launch = [&] {
    const sxt_status status =
        sxt_kernel_launch(kernel.handle, stream.handle, arguments.data(), arguments.size());
    if (status == SXT_OK)
      recorded.done();
    return status;
  };
  if (!kernel.waits(given)) {
    unlockedQuietly(launch);
    arguments.end();
    deliverPrints();
    return nb::none();
  }
  kernel.brief.wait(arguments.work(), [&](bool isBrief) {
    if (isBrief) {
      unlocked([&] {
        const sxt_status status = launch();
        return status == SXT_OK ? sxt_stream_synchronize(stream.handle) : status;
      });
      return;
    }
    unlockedQuietly(launch);
    finish(stream, arguments);
  });
  return nb::none();
}

/// `kernel(…)`, without the tables that nanobind's functions go through.
PyObject *call(PyObject *self, PyObject *positions, PyObject *keywords) noexcept {
  try {
    return run(own<Kernel>(self), positions, keywords, Wants::Whichever).release().ptr();
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

nb::object resume(Kernel &kernel, nb::object checkpoint, nb::args positions, nb::kwargs keywords) {
  refuseRecording("launches with checkpoints");
  (void)kernel.program->open();
  struct Resume : Call {
    using Call::Call;
    int64_t label = 0;
    sxt_graph_status outcome = sized<sxt_graph_status>();
  };
  const auto call = std::make_shared<Resume>(kernel, positions, keywords);
  const bool isFirst = checkpoint.is_none();
  if (!isFirst)
    call->label = int64From(checkpoint, "checkpoint");
  call->run(call, [call = call.get(), handle = kernel.handle, isFirst] {
    const sxt_status status =
        sxt_kernel_resume(handle, call->stream, call->arguments.data(), call->arguments.size(),
                          isFirst ? nullptr : &call->label, &call->outcome);
    return status == SXT_OK ? sxt_stream_synchronize(call->stream) : status;
  });
  const sxt_graph_status &outcome = call->outcome;
  return outcome.yielded ? nb::object(nb::int_(outcome.checkpoint)) : nb::none();
}

nb::dict variant(Kernel &kernel) {
  (void)kernel.program->open();
  auto info = sized<sxt_variant_info>();
  check(sxt_kernel_variant(kernel.handle, &info));
  nb::dict facts;
  facts["target"] = info.target;
  facts["backend"] = info.backend;
  facts["arch"] = info.arch;
  facts["wave"] = info.wave;
  facts["task_count"] = info.task_count;
  return facts;
}

/// Measures the usable variants on these arguments.
nb::list measure(Kernel &kernel, nb::args positions, nb::kwargs keywords) {
  refuseRecording("measurements");
  sxt_program *program = kernel.program->open();
  struct Measure : Call {
    using Call::Call;
    size_t count = 0;
  };
  const Signature &signature = *kernel.signature;
  const auto call = std::make_shared<Measure>(kernel, positions, keywords);
  call->run(call, [call = call.get(), program] {
    return sxt_program_measure(program, call->signature->kernel.c_str(), call->stream,
                               call->arguments.data(), call->arguments.size(), nullptr,
                               &call->count);
  });
  const size_t count = call->count;
  // From now on the program uses the fastest one, and this object too.
  unlocked([&] { return sxt_program_kernel(program, signature.kernel.c_str(), &kernel.handle); });
  nb::list all;
  for (size_t i = 0; i < count; ++i) {
    auto one = sized<sxt_measurement>();
    check(sxt_program_measurement(program, signature.kernel.c_str(), i, &one));
    nb::dict facts;
    facts["target"] = one.target;
    facts["selected"] = one.selected != 0;
    facts["fastest"] = one.fastest != 0;
    facts["samples"] = one.samples;
    facts["launches"] = one.launches;
    facts["median_ms"] = one.median_ms;
    facts["minimum_ms"] = one.minimum_ms;
    facts["spread_ms"] = one.spread_ms;
    facts["problem"] = one.problem ? nb::object(nb::str(one.problem)) : nb::none();
    all.append(facts);
  }
  return all;
}

} // namespace

void bindKernels(nb::module_ &module) {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(&call)}, {0, nullptr}};
  const auto text = [](const char *function) {
    return [function](nb::object self) {
      return nb::module_::import_("sextant._signatures").attr(function)(self);
    };
  };
  nb::class_<Kernel>(
      module, "Kernel", nb::type_slots(slots), nb::is_weak_referenceable(),
      "A kernel of a program, which can be called. help(kernel) shows its arguments.")
      .def(
          "launch",
          [](Kernel &self, nb::args positions, nb::kwargs keywords) {
            run(self, positions, keywords, Wants::Launch);
          },
          "Launches the kernel and discards its results, as a call does if there are none.")
      .def(
          "call",
          [](Kernel &self, nb::args positions, nb::kwargs keywords) {
            return run(self, positions, keywords, Wants::Results);
          },
          "Launches the kernel, waits for it, and returns its results: None, a value, or a tuple.\n"
          "A vector is a list, a matrix a list of its rows.")
      .def("prepare", &prepare,
           "Checks the arguments once, and returns a Launch, which can be queued many times.")
      .def("resume", &resume, nb::arg("checkpoint").none(), nb::arg("args"), nb::arg("kwargs"),
           "Launches a kernel with checkpoints, from its begin (None) or a checkpoint's label, and "
           "waits.\n"
           "Returns the label of the checkpoint that ended the launch, or None if it is done.")
      .def("measure", &measure,
           "Times the variants that would run on these arguments, which the kernel then has run on "
           "many times.\n"
           "From now on the program uses the fastest one. Returns a dictionary for each variant.")
      .def_prop_ro(
          "name", [](Kernel &self) { return self.signature->kernel; },
          "The name to ask for it by: \"scan_i32_256\".")
      .def("__getattr__",
           [](Kernel &self, nb::handle name) -> nb::object {
             // A property of that name would be the type's own.
             if (name.equal(nb::str("__name__")) || name.equal(nb::str("__qualname__")))
               return nb::str(self.signature->function.c_str());
             for (const std::string derivative : {"grad", "dual"})
               if (name.equal(nb::str(derivative.c_str())))
                 return asAttribute([&] {
                   const std::string &kernel = self.signature->kernel;
                   return nb::cast(openKernel(self.program, kernel + "_" + derivative));
                 });
             PyErr_SetObject(PyExc_AttributeError, name.ptr());
             throw nb::python_error();
           })
      .def_prop_ro("__doc__", text("documentation"))
      .def_prop_ro("__signature__", text("signature"))
      .def_prop_ro(
          "doc", [](Kernel &self) { return self.signature->doc; },
          "The docstring of the kernel file.")
      .def_prop_ro(
          "parameters", [](Kernel &self) { return describe(self.signature->parameters); },
          "The arguments one by one: sextant.Parameter.")
      .def_prop_ro(
          "results", [](Kernel &self) { return describe(self.signature->results); },
          "The return values: sextant.Parameter.")
      .def_prop_ro(
          "written",
          [](Kernel &self) {
            nb::list names;
            for (size_t i = 0; i < self.signature->parameters.size(); ++i)
              if (self.signature->mayWrite(i))
                names.append(self.signature->parameters[i].interned);
            return nb::tuple(names);
          },
          "The names of the arrays that it may write: of all, if the module does not say it.")
      .def_prop_ro("variant", &variant, "The variant that runs, as a dictionary.")
      .def_prop_ro(
          "device", [](Kernel &self) { return self.program->device; }, "The device.")
      .def("__repr__", [](Kernel &self) {
        return "<sextant.Kernel " + self.signature->kernel + " on " + self.device().name + ">";
      });
}

} // namespace sextant::python

// Kernels as callables.
#include "Launch.h"

namespace sextant::python {
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

enum class Wants { Launch, Results, Whichever };

nb::object run(Kernel &kernel, nb::handle positions, nb::handle keywords, Wants wants) {
  (void)kernel.program->open();
  const Signature &signature = *kernel.signature;
  const Values values(signature, positions, keywords);
  Stream *given = streamFrom(kernel.device(), values.stream());
  Arguments arguments(signature, kernel.device(), given, kernel.program->usesFields);
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments.convert(i, values[i]);
  Stream &stream = arguments.begin();
  if (wants == Wants::Results || (wants == Wants::Whichever && !signature.results.empty())) {
    const Results results(signature);
    unlocked([&] {
      return sxt_kernel_call(kernel.handle, stream.handle, arguments.data(), arguments.size(),
                             results.data(), results.size());
    });
    arguments.end();
    return results.values();
  }
  unlocked([&] {
    const sxt_status status =
        sxt_kernel_launch(kernel.handle, stream.handle, arguments.data(), arguments.size());
    return status == SXT_OK && kernel.waits(given) ? sxt_stream_synchronize(stream.handle) : status;
  });
  arguments.end();
  return nb::none();
}

/// `kernel(…)`, without the tables that nanobind's functions go through.
PyObject *call(PyObject *self, PyObject *positions, PyObject *keywords) noexcept {
  try {
    return run(*nb::inst_ptr<Kernel>(self), positions, keywords, Wants::Whichever).release().ptr();
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
  (void)kernel.program->open();
  const Signature &signature = *kernel.signature;
  const Values values(signature, positions, keywords);
  Arguments arguments(signature, kernel.device(), streamFrom(kernel.device(), values.stream()),
                      kernel.program->usesFields);
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments.convert(i, values[i]);
  Stream &stream = arguments.begin();
  const int64_t label = checkpoint.is_none() ? 0 : nb::cast<int64_t>(checkpoint);
  auto outcome = sized<sxt_graph_status>();
  unlocked([&] {
    return sxt_kernel_resume(kernel.handle, stream.handle, arguments.data(), arguments.size(),
                             checkpoint.is_none() ? nullptr : &label, &outcome);
  });
  arguments.end();
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
  sxt_program *program = kernel.program->open();
  const Signature &signature = *kernel.signature;
  const Values values(signature, positions, keywords);
  Arguments arguments(signature, kernel.device(), streamFrom(kernel.device(), values.stream()),
                      kernel.program->usesFields);
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments.convert(i, values[i]);
  Stream &stream = arguments.begin();
  size_t count = 0;
  unlocked([&] {
    return sxt_program_measure(program, signature.kernel.c_str(), stream.handle, arguments.data(),
                               arguments.size(), nullptr, &count);
  });
  arguments.end();
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
      .def("resume", &resume, nb::arg("checkpoint"), nb::arg("args"), nb::arg("kwargs"),
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
           [](Kernel &self, nb::handle name) {
             // A property of that name would be the type's own.
             if (name.equal(nb::str("__name__")) || name.equal(nb::str("__qualname__")))
               return self.signature->function;
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
      .def_prop_ro("variant", &variant, "The variant that runs, as a dictionary.")
      .def_prop_ro(
          "device", [](Kernel &self) { return self.program->device; }, "The device.")
      .def("__repr__", [](Kernel &self) {
        return "<sextant.Kernel " + self.signature->kernel + " on " + self.device().name + ">";
      });
}

} // namespace sextant::python

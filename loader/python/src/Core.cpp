// The extension module sextant._core.
#include "Arguments.h"
#include "Common.h"
#include "Libraries.h"
#include "Waits.h"

namespace sextant::python {
namespace {

/// The module while there is one. An import after it left sys.modules gets it again: types of
/// nanobind are the process's, and are made once.
PyObject *only = nullptr;

void fill(nb::module_ module) {
  translateCasts();
  module.doc() = "The loader's calls. Programs use the package `sextant`.";
  int major = 0, minor = 0, patch = 0;
  sxt_version(&major, &minor, &patch);
  module.attr("__version__") =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  module.attr("SCALAR_TYPES") = scalarTypes();
  bindStreams(module);
  bindDevices(module);
  bindArrays(module);
  bindModules(module);
  bindKernels(module);
  bindLaunches(module);
  bindGraphs(module);
  bindPrints(module);
  bindTapes(module);
  // Gives back the rest before the interpreter ends.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    finishDevices();
    // Daemon threads and waits that were left keep what they use, and so do the graphs of torch's
    // autograd, which do not end with the interpreter. nanobind would report it.
    const nb::dict modules = nb::module_::import_("sys").attr("modules");
    if (!reapWaits() ||
        int64From(nb::module_::import_("_thread").attr("_count")(), "threads") > 0 ||
        modules.contains("sextant.torch"))
      nb::set_leak_warnings(false);
    forgetLibraries();
    Py_CLEAR(only);
  }));
}

/// Makes the module for an import.
PyObject *create(PyObject *spec, PyModuleDef *) noexcept {
  if (!requireMainInterpreter())
    return nullptr;
  if (only)
    return Py_NewRef(only);
  PyObject *name = PyObject_GetAttrString(spec, "name");
  PyObject *module = name ? PyModule_NewObject(name) : nullptr;
  Py_XDECREF(name);
  return module;
}

/// Fills the module, once.
int execute(PyObject *module) noexcept {
  if (module == only)
    return 0;
  if (!nb::register_module(module))
    return -1;
  try {
    fill(nb::borrow<nb::module_>(module));
    only = Py_NewRef(module);
    return 0;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_ImportError, error.what());
  }
  return -1;
}

} // namespace
} // namespace sextant::python

/// Not NB_MODULE: it gives nanobind the state of each interpreter that imports the module, before
/// the module can refuse it, and the main interpreter's state is lost.
extern "C" NB_EXPORT PyObject *PyInit__core() {
  static PyModuleDef_Slot slots[] = {
      {Py_mod_create, reinterpret_cast<void *>(&sextant::python::create)},
      {Py_mod_exec, reinterpret_cast<void *>(&sextant::python::execute)},
      {0, nullptr}};
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "_core", nullptr, 0, nullptr, slots, nullptr, nullptr, nullptr};
  return PyModuleDef_Init(&definition);
}

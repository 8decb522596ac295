// What kernels print goes to a Python function.
#include "Common.h"

namespace sextant::python {
namespace {

/// The function, as long as the loader has it. The interpreter's lock guards it.
PyObject *receiver = nullptr;

/// Called by the loader on the thread that waits, which does not have the interpreter's lock.
void receive(const char *text, size_t length, void *) {
  const PyGILState_STATE lock = PyGILState_Ensure();
  if (receiver) {
    PyObject *line = PyUnicode_DecodeUTF8(text, Py_ssize_t(length), "replace");
    PyObject *result = line ? PyObject_CallFunctionObjArgs(receiver, line, nullptr) : nullptr;
    if (!result)
      PyErr_WriteUnraisable(receiver); // the wait goes on
    Py_XDECREF(result);
    Py_XDECREF(line);
  }
  PyGILState_Release(lock);
}

void setPrint(nb::object function) {
  PyObject *old = std::exchange(receiver, function.is_none() ? nullptr : function.inc_ref().ptr());
  {
    nb::gil_scoped_release released; // another thread may be in the callback
    sxt_print_set_callback(receiver ? &receive : nullptr, nullptr);
  }
  Py_XDECREF(old);
}

} // namespace

void bindPrints(nb::module_ &module) {
  module.def("set_print", &setPrint, nb::arg("function").none(),
             "Sends what kernels print to a function of one str, on the thread that waits for "
             "them; None: to stdout.\n"
             "An exception of the function is written to stderr. The function must not call this "
             "package.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { setPrint(nb::none()); }));
}

} // namespace sextant::python

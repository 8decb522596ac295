// Texts that kernels print go to a Python function. The loader hands the texts out under its locks,
// so they are kept until its call has returned: the function may call the package.
#include "Common.h"

#include <cstdio>
#include <iterator>

namespace sextant::python {
namespace {

/// The function, as long as there is one. The interpreter's lock guards it.
PyObject *receiver = nullptr;

/// The texts that the loader gave to this thread, in order.
std::vector<std::string> &pending() {
  thread_local std::vector<std::string> texts;
  return texts;
}

/// Called by the loader on the thread that waits, which does not have the interpreter's lock.
void receive(const char *text, size_t length, void *) { pending().emplace_back(text, length); }

void setPrint(nb::object function) {
  if (!function.is_none() && !PyCallable_Check(function.ptr()))
    raise(SXT_ERROR_SIGNATURE, "set_print: expected a function of one str or None, given %s",
          typeName(function).c_str());
  const bool isGiven = !function.is_none();
  const nb::object old =
      nb::steal(std::exchange(receiver, isGiven ? function.release().ptr() : nullptr));
  const Unlocked released; // another thread may be in the callback
  sxt_print_set_callback(isGiven ? &receive : nullptr, nullptr);
}

/// Calls the function with a text.
void give(const std::string &text) {
  const nb::object function = nb::borrow(receiver);
  if (!function.is_valid()) { // taken away meanwhile
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  const nb::object line =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
  const nb::object result =
      nb::steal(line.is_valid() ? PyObject_CallFunctionObjArgs(function.ptr(), line.ptr(), nullptr)
                                : nullptr);
  if (result.is_valid())
    return;
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    throw nb::python_error();
  PyErr_WriteUnraisable(function.ptr()); // the wait goes on
}

} // namespace

std::vector<std::string> takePrints() { return std::exchange(pending(), {}); }

void keepPrints(std::vector<std::string> texts) {
  std::move(texts.begin(), texts.end(), std::back_inserter(pending()));
}

void deliverPrints() {
  if (pending().empty())
    return;
  const nb::error_scope kept; // an exception that is on its way is not the function's
  std::vector<std::string> texts = takePrints();
  for (auto text = texts.begin(); text != texts.end(); ++text)
    try {
      give(*text);
    } catch (nb::python_error &) {
      std::vector<std::string> later = takePrints(); // the function made calls that printed
      keepPrints({text + 1, texts.end()});
      keepPrints(std::move(later));
      throw;
    }
}

void deliverPrintsAtEnd() noexcept {
  if (pending().empty())
    return;
  const nb::error_scope kept; // discarding another one would lose it
  while (!pending().empty())
    try {
      deliverPrints();
    } catch (nb::python_error &error) {
      error.discard_as_unraisable("a function of set_print()");
    }
}

void bindPrints(nb::module_ &module) {
  module.def(
      "set_print", &setPrint, nb::arg("function").none(),
      "Sends what kernels print to a function of one str, on the thread that waits for "
      "them; None: to stdout.\n"
      "An exception of the function is written to stderr; SystemExit and KeyboardInterrupt "
      "leave the wait. The\n"
      "function may call this package. Threads that wait at the same time may call it at the "
      "same time.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { setPrint(nb::none()); }));
}

} // namespace sextant::python

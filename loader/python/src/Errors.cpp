// Exceptions: sextant/_errors.py has the classes, one for each status.
#include "Common.h"

#include <cstdio>

namespace sextant::python {
std::string formatted(const char *format, va_list values) {
  va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(nullptr, 0, format, values);
  std::string text(length > 0 ? size_t(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

namespace {

[[noreturn]] void raiseText(sxt_status status, const std::string &text) {
  // A shortened text may end within a character.
  const nb::object message =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
  if (!message.is_valid())
    throwPending();
  // No Python code runs here: where it does, Python may end a daemon thread; see Unlocked.
  const nb::object module = nb::module_::import_("sextant._errors");
  nb::object name = nb::str("SXT_ERROR_UNKNOWN"), kind = module.attr("Error");
  if (const nb::object known = module.attr("_CLASSES").attr("get")(int(status)); !known.is_none()) {
    name = known[0];
    kind = known[1];
  }
  nb::object error = kind(message);
  error.attr("status") = int(status);
  error.attr("status_name") = name;
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

} // namespace

void raise(sxt_status status) { raiseText(status, sxt_last_error_message()); }

void raise(sxt_status status, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const std::string text = formatted(format, values);
  va_end(values);
  raiseText(status, text);
}

} // namespace sextant::python

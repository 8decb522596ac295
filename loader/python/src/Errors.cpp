// Exceptions: sextant/_errors.py has the classes, one for each status.
#include "Common.h"

#include <cstdarg>
#include <cstdio>

namespace sextant::python {
namespace {

std::string formatted(const char *format, va_list values) {
  va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(nullptr, 0, format, values);
  std::string text(length > 0 ? size_t(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

[[noreturn]] void raiseText(sxt_status status, const std::string &text) {
  nb::object error =
      nb::module_::import_("sextant._errors").attr("make")(static_cast<int>(status), text);
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

void raiseType(const char *format, ...) {
  va_list values;
  va_start(values, format);
  const std::string text = formatted(format, values);
  va_end(values);
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

} // namespace sextant::python

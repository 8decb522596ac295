// The interpreter's lock, and values that come from Python.
#include "Common.h"

namespace sextant::python {

static nb::object indexFrom(nb::handle given, const char *what) {
  if (!PyLong_Check(given.ptr()) && !PyIndex_Check(given.ptr()))
    raise(SXT_ERROR_SIGNATURE, "%s: expected an integer, given %s", what, typeName(given).c_str());
  const nb::object index = nb::steal(PyNumber_Index(given.ptr()));
  if (!index.is_valid())
    throwPending();
  return index;
}

int64_t int64From(nb::handle given, const char *what) {
  const nb::object index = indexFrom(given, what);
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow)
    raise(SXT_ERROR_INVALID_ARGUMENT, "%s: expected an integer that 64 bits hold, given %s", what,
          shown(index).c_str());
  return number;
}

uint64_t unsignedFrom(nb::handle given, const char *what, unsigned bits) {
  const nb::object index = indexFrom(given, what);
  const unsigned long long number = PyLong_AsUnsignedLongLong(index.ptr());
  const bool isOutside = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (isOutside || (bits < 64 && number >> bits))
    raise(SXT_ERROR_INVALID_ARGUMENT, "%s: expected an integer from 0 to 2^%u - 1, given %s", what,
          bits, shown(index).c_str());
  return number;
}

std::string stringFrom(nb::handle given, const char *what) {
  if (!PyUnicode_Check(given.ptr()))
    raise(SXT_ERROR_SIGNATURE, "%s: expected a str, given %s", what, typeName(given).c_str());
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
  if (!text)
    throwPending();
  std::string read(text, size_t(size));
  if (read.find('\0') != std::string::npos)
    raise(SXT_ERROR_INVALID_ARGUMENT, "%s: %s has a NUL", what, shown(given).c_str());
  return read;
}

const char *stringFrom(nb::handle given, const char *what, std::string &text) {
  if (given.is_none())
    return nullptr;
  text = stringFrom(given, what);
  return text.c_str();
}

std::string utf8(nb::handle text) {
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) {
    PyErr_Clear();
    return "…";
  }
  return {PyBytes_AsString(bytes.ptr()), size_t(PyBytes_Size(bytes.ptr()))};
}

std::string shown(nb::handle object) {
  constexpr size_t most = 200;
  const nb::object text = nb::steal(PyObject_Repr(object.ptr()));
  if (!text.is_valid()) {
    clearError();
    return "an object of type " + typeName(object);
  }
  const std::string read = utf8(text);
  return read.size() > most ? read.substr(0, most) + "…" : read;
}

std::string typeName(nb::handle object) { return nameOf(object.type()); }

std::string nameOf(nb::handle type) {
  const nb::object name = nb::steal(PyObject_GetAttrString(type.ptr(), "__name__"));
  const char *text = name.is_valid() && PyUnicode_Check(name.ptr())
                         ? PyUnicode_AsUTF8AndSize(name.ptr(), nullptr)
                         : nullptr;
  if (text)
    return text;
  if (PyErr_Occurred())
    clearError();
  return "a type without a name";
}

nb::object attributeOf(nb::handle object, const char *name) {
  return attributeOf(object, nb::str(name));
}

nb::object attributeOf(nb::handle object, nb::handle name) {
  nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), name.ptr()));
  if (!value.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      throw nb::python_error();
    PyErr_Clear();
  }
  return value;
}

void throwPending() {
  if (!PyErr_Occurred())
    PyErr_SetString(PyExc_RuntimeError, "an array's library failed without an exception");
  throw nb::python_error();
}

void clearError() {
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    throw nb::python_error();
  PyErr_Clear();
}

void clearMismatch() {
  for (PyObject *kind : {PyExc_TypeError, PyExc_ValueError, PyExc_OverflowError,
                         PyExc_AttributeError, PyExc_LookupError})
    if (PyErr_ExceptionMatches(kind))
      return PyErr_Clear();
  throwPending();
}

void failUnmade(nb::handle object) {
  raise(SXT_ERROR_SIGNATURE, "this %s was not made by a constructor or a method of the package",
        typeName(object).c_str());
}

void translateCasts() {
  nb::register_exception_translator([](const std::exception_ptr &thrown, void *) {
    try {
      std::rethrow_exception(thrown);
    } catch (const nb::cast_error &) {
      PyErr_SetString(PyExc_TypeError, "an argument has a type that the call does not take");
    }
  });
}

bool requireMainInterpreter() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
    return true;
  PyErr_SetString(PyExc_ImportError,
                  "sextant works in the main interpreter only: import it there, not in a "
                  "subinterpreter");
  return false;
}

} // namespace sextant::python

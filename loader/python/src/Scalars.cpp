// Scalars and small matrices between Python and the loader's memory order.
#include "Libraries.h"

#include "loader/abi/SmallReal.h"

#include <cstring>
#include <limits>

namespace sextant::python {

namespace {

abi::ScalarType typeOf(sxt_dtype dtype) { return abi::ScalarType(dtype); }

bool isSigned(sxt_dtype dtype) {
  return abi::factsOf(typeOf(dtype)).kind == abi::ScalarKind::Signed;
}

/// The name of the type in numpy, torch and ml_dtypes.
std::string arrayName(abi::ScalarType type) {
  return type == abi::ScalarType::Bool ? "bool" : std::string(abi::factsOf(type).longName);
}

/// The type in the words of the array interface. numpy has the reals of IEEE 754, and knows others
/// as raw bytes.
std::string interfaceWord(abi::ScalarType type) {
  const abi::ScalarFacts &facts = abi::factsOf(type);
  const bool isIeee = facts.bytes == 2   ? facts.digits == 11
                      : facts.bytes == 4 ? facts.digits == 24
                                         : facts.digits == 53;
  const char kind = facts.kind == abi::ScalarKind::Truth      ? 'b'
                    : facts.kind == abi::ScalarKind::Signed   ? 'i'
                    : facts.kind == abi::ScalarKind::Unsigned ? 'u'
                    : isIeee                                  ? 'f'
                                                              : 'V';
  return (facts.bytes == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(facts.bytes);
}

} // namespace

bool isReal(sxt_dtype dtype) { return abi::factsOf(typeOf(dtype)).kind == abi::ScalarKind::Real; }

nb::dict scalarTypes() {
  nb::dict types;
  for (unsigned number = 1; number < abi::scalarTypeEnd; ++number) {
    const auto type = abi::ScalarType(number);
    const std::string name(abi::nameOf(type));
    types[name.c_str()] = nb::make_tuple(arrayName(type), interfaceWord(type));
  }
  return types;
}

namespace {

/// True for tensors with DLPack's table of functions. Reading one as a scalar waits for its device.
bool isTensor(nb::handle value) { return libraryOf(value).kind == Library::Exchange; }

bool readReal(sxt_dtype dtype, nb::handle value, uint64_t &bits, std::string &why) {
  double number = 0;
  if (PyFloat_CheckExact(value.ptr())) {
    number = PyFloat_AsDouble(value.ptr());
  } else {
    if (PyUnicode_Check(value.ptr()) || isTensor(value) || (!PyNumber_Check(value.ptr()))) {
      why = "a real number";
      return false;
    }
    number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred()) {
      clearMismatch();
      why = "a real number";
      return false;
    }
  }
  bits = 0;
  switch (dtype) {
  case SXT_DTYPE_F64:
    std::memcpy(&bits, &number, sizeof number);
    break;
  case SXT_DTYPE_F32: {
    const float rounded = static_cast<float>(number);
    std::memcpy(&bits, &rounded, sizeof rounded);
    break;
  }
  default: {
    const uint16_t rounded = abi::roundTo(typeOf(dtype), number);
    std::memcpy(&bits, &rounded, sizeof rounded);
  }
  }
  return true;
}

bool readInteger(sxt_dtype dtype, nb::handle value, uint64_t &bits, std::string &why) {
  const auto expected = [&] {
    const unsigned width = 8 * unsigned(sxt_dtype_size(dtype));
    why =
        std::string("an integer that ") + sxt_dtype_name(dtype) + " holds, " +
        (isSigned(dtype) ? "-2^" + std::to_string(width - 1) + " to 2^" + std::to_string(width - 1)
                         : "0 to 2^" + std::to_string(width)) +
        " - 1";
    return false;
  };
  nb::object index;
  if (PyLong_Check(value.ptr())) {
    index = nb::borrow(value);
  } else {
    if (isTensor(value))
      return expected();
    PyObject *made = PyNumber_Index(value.ptr());
    if (!made) {
      clearMismatch();
      return expected();
    }
    index = nb::steal(made);
  }
  const unsigned width = 8 * unsigned(sxt_dtype_size(dtype));
  if (isSigned(dtype)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    const long long most =
        width == 64 ? std::numeric_limits<long long>::max() : (1LL << (width - 1)) - 1;
    if (overflow || number > most || number < -most - 1)
      return expected();
    bits = static_cast<uint64_t>(number);
  } else {
    const unsigned long long number = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred()) {
      clearMismatch();
      return expected();
    }
    if (width < 64 && number >> width)
      return expected();
    bits = number;
  }
  return true;
}

bool readBool(nb::handle value, uint64_t &bits, std::string &why) {
  if (value.is(Py_True) || value.is(Py_False)) {
    bits = value.is(Py_True);
    return true;
  }
  why = "True or False";
  if (isTensor(value))
    return false;
  if (typeName(value).rfind("bool", 0) == 0 && attributeOf(value, "dtype").is_valid()) {
    const int isTrue = PyObject_IsTrue(value.ptr());
    if (isTrue < 0)
      throwPending();
    bits = isTrue == 1;
    return true;
  }
  if (!PyLong_Check(value.ptr()))
    return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow || number < 0 || number > 1)
    return false;
  bits = uint64_t(number);
  return true;
}

} // namespace

bool readScalar(sxt_dtype dtype, nb::handle value, uint64_t &bits, std::string &why) {
  bits = 0;
  const bool isPlain = PyFloat_CheckExact(value.ptr()) || PyLong_Check(value.ptr());
  if (!isPlain && libraryOf(value).kind == Library::Masked) {
    why = "a value without a mask, as x.data and x.filled(…) are";
    return false;
  }
  if (dtype == SXT_DTYPE_BOOL)
    return readBool(value, bits, why);
  return isReal(dtype) ? readReal(dtype, value, bits, why) : readInteger(dtype, value, bits, why);
}

nb::object scalarAt(sxt_dtype dtype, const void *data) {
  uint64_t bits = 0;
  const size_t bytes = sxt_dtype_size(dtype);
  std::memcpy(&bits, data, bytes);
  PyObject *made = nullptr;
  if (dtype == SXT_DTYPE_BOOL) {
    made = PyBool_FromLong(bits != 0);
  } else if (dtype == SXT_DTYPE_F64) {
    double number = 0;
    std::memcpy(&number, data, sizeof number);
    made = PyFloat_FromDouble(number);
  } else if (dtype == SXT_DTYPE_F32) {
    float number = 0;
    std::memcpy(&number, data, sizeof number);
    made = PyFloat_FromDouble(static_cast<double>(number));
  } else if (isReal(dtype)) {
    made = PyFloat_FromDouble(static_cast<double>(abi::numberOf(typeOf(dtype), uint16_t(bits))));
  } else if (isSigned(dtype)) {
    const unsigned unused = 64 - 8 * unsigned(bytes);
    made = PyLong_FromLongLong(static_cast<int64_t>(bits << unused) >> unused);
  } else {
    made = PyLong_FromUnsignedLongLong(bits);
  }
  if (!made)
    throw nb::python_error();
  return nb::steal(made);
}

sxt_dtype dtypeNamed(nb::handle name) {
  // numpy.dtype("float32"), numpy.float32, torch.float32 and "f32" are one.
  const std::string text =
      PyType_Check(name.ptr()) ? nameOf(name) : stringFrom(nb::str(name), "dtype");
  const size_t dot = text.rfind('.');
  const std::string last = dot == std::string::npos ? text : text.substr(dot + 1);
  for (unsigned number = 1; number < abi::scalarTypeEnd; ++number)
    if (const auto type = abi::ScalarType(number);
        last == arrayName(type) || last == abi::nameOf(type))
      return sxt_dtype(number);
  raise(SXT_ERROR_INVALID_ARGUMENT,
        "dtype '%s' is unknown: expected \"f32\", \"i64\", \"u1\", … or \"float32\", …",
        text.c_str());
}

} // namespace sextant::python

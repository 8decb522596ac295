// Reads arrays by the protocols of Python's array libraries. None of them copies.
#include "Libraries.h"

#include <cstring>

namespace sextant::python {

Borrowed::~Borrowed() {
  if (buffer.obj)
    PyBuffer_Release(&buffer);
  if (versioned && versioned->deleter)
    versioned->deleter(versioned);
  if (managed && managed->deleter)
    managed->deleter(managed);
}

namespace {

constexpr int mostDims = SXT_MAX_DIMS + 2;

/// The type of an item by its kind ('i', 'u', 'f', 'b', 'V', …) and size.
dlpack::DataType typeOf(char kind, size_t bytes) {
  const auto bits = static_cast<uint8_t>(8 * bytes);
  switch (kind) {
  case 'b':
    return {dlpack::Bool, bits, 1};
  case 'i':
    return {dlpack::Int, bits, 1};
  case 'u':
    return {dlpack::UInt, bits, 1};
  case 'f':
    return {dlpack::Float, bits, 1};
  case 'c':
    return {dlpack::Complex, bits, 1};
  default:
    return {dlpack::Opaque, bits, 1};
  }
}

void checkDims(nb::handle object, Py_ssize_t ndim) {
  if (ndim > mostDims)
    raise(SXT_ERROR_SIGNATURE, "an array of %zd dimensions (%s): at most %d are possible", ndim,
          typeName(object).c_str(), mostDims);
}

/// Fills in the strides, which libraries give in bytes. Those that are no multiple of an item make
/// the array one that no kernel takes.
void setStrides(Borrowed &array, size_t item, const int64_t *bytes) {
  array.tensor.strides = array.strides;
  for (int32_t i = 0; i < array.tensor.ndim; ++i)
    array.strides[i] = item && bytes[i] % int64_t(item) == 0 ? bytes[i] / int64_t(item) : -1;
}

//===--- The buffer protocol --------------------------------------------------===//

/// The kind of an item by the format of the struct module; '\0' if there is none in one letter.
char kindOf(const char *format) {
  if (!format)
    return 'u';
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (format[0] == '\0' || format[1] != '\0')
    return '\0';
  switch (*format) {
  case '?':
    return 'b';
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
  case 'n':
    return 'i';
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
  case 'N':
    return 'u';
  case 'e':
  case 'f':
  case 'd':
    return 'f';
  default:
    return '\0';
  }
}

bool byBuffer(nb::handle object, Borrowed &array) {
  if (!PyObject_CheckBuffer(object.ptr()))
    return false;
  if (PyObject_GetBuffer(object.ptr(), &array.buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear(); // types that the protocol does not know, or memory of a device
    array.buffer.obj = nullptr;
    return false;
  }
  const Py_buffer &buffer = array.buffer;
  checkDims(object, buffer.ndim);
  const char kind = kindOf(buffer.format);
  array.isReadOnly = buffer.readonly;
  array.tensor = {buffer.buf,
                  {dlpack::Cpu, 0},
                  buffer.ndim,
                  typeOf(kind, size_t(buffer.itemsize)),
                  nullptr,
                  nullptr,
                  0};
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  array.tensor.shape = reinterpret_cast<int64_t *>(buffer.shape);
  if (buffer.strides)
    setStrides(array, size_t(buffer.itemsize), reinterpret_cast<const int64_t *>(buffer.strides));
  if (kind == '\0') {
    array.itemBytes = uint64_t(buffer.itemsize);
    if (std::strchr(buffer.format, '{'))
      array.structType = nb::getattr(object, "dtype", nb::none());
  }
  return true;
}

//===--- DLPack -----------------------------------------------------------------===//

/// What `__dlpack__` is told of the stream: the array API standard's numbers.
nb::object streamNumber(const Device &device, void *stream, bool isKnown) {
  if (device.family == Device::Cpu)
    return nb::none();
  if (isKnown)
    return nb::int_(-1); // no order: the work goes to the library's own stream
  const auto number = reinterpret_cast<uintptr_t>(stream);
  return nb::int_(number == 0 && device.family == Device::Cuda ? 1 : number);
}

bool byDlpack(nb::handle object, const Device &device, void *stream, Borrowed &array,
              Current &current) {
  nb::object method = nb::getattr(object, "__dlpack__", nb::none());
  if (method.is_none())
    return false;
  nb::object place = object.attr("__dlpack_device__")();
  const auto memory =
      dlpack::Device{nb::cast<int32_t>(nb::int_(place[0])), nb::cast<int32_t>(nb::int_(place[1]))};
  array.tensor.device = memory;
  if (!device.reaches(memory))
    return true; // the caller refuses it, before anything is exported
  if (device.family != Device::Cpu) {
    nb::object native =
        nb::module_::import_("sextant._libraries").attr("current_stream")(object, memory.id);
    if (!native.is_none()) {
      current.isKnown = true;
      current.native = PyLong_AsVoidPtr(native.ptr());
    }
  }
  const nb::object number = streamNumber(device, stream, current.isKnown);
  nb::object capsule;
  try {
    capsule = method(nb::arg("stream") = number, nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
    capsule = method(nb::arg("stream") = number); // a producer of before DLPack 1
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    array.versioned = static_cast<dlpack::VersionedTensor *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    if (array.versioned->version.major != 1)
      raise(SXT_ERROR_UNSUPPORTED, "%s exports DLPack %u, and this package reads version 1",
            typeName(object).c_str(), array.versioned->version.major);
    array.tensor = array.versioned->tensor;
    array.isReadOnly = array.versioned->flags & dlpack::readOnlyFlag;
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    array.managed =
        static_cast<dlpack::ManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    array.tensor = array.managed->tensor;
  } else {
    raiseType("__dlpack__ of %s did not return a DLPack capsule", typeName(object).c_str());
  }
  checkDims(object, array.tensor.ndim);
  return true;
}

//===--- The array interfaces ---------------------------------------------------===//

bool byInterface(nb::handle object, const Device &device, const char *attribute, Borrowed &array,
                 Current &current) {
  nb::object interface = nb::getattr(object, attribute, nb::none());
  if (!nb::isinstance<nb::dict>(interface))
    return false;
  nb::dict facts = nb::borrow<nb::dict>(interface);
  const bool isCuda = std::strcmp(attribute, "__cuda_array_interface__") == 0;
  const std::string type = nb::cast<std::string>(facts["typestr"]); // "<f4"
  if (type.size() < 3 || type[0] == '>')
    raise(SXT_ERROR_SIGNATURE, "an array of typestr '%s': expected the machine's byte order",
          type.c_str());
  const size_t item = size_t(std::atoi(type.c_str() + 2));
  nb::object data = facts["data"], shape = facts["shape"];
  array.isReadOnly = nb::cast<bool>(data[1]);
  const size_t ndim = nb::len(shape);
  checkDims(object, Py_ssize_t(ndim));
  const dlpack::Device memory =
      isCuda ? dlpack::Device{device.family == Device::Hip ? dlpack::Rocm : dlpack::Cuda,
                              device.ordinal}
             : dlpack::Device{dlpack::Cpu, 0};
  array.tensor = {PyLong_AsVoidPtr(nb::object(data[0]).ptr()),
                  memory,
                  int32_t(ndim),
                  typeOf(type[1], item),
                  array.shape,
                  nullptr,
                  0};
  if (array.tensor.dtype.code == dlpack::Opaque) {
    array.itemBytes = item;
    if (facts.contains("descr") && nb::len(nb::object(facts["descr"])) > 1)
      array.structType = nb::getattr(object, "dtype", nb::none());
  }
  for (size_t i = 0; i < ndim; ++i)
    array.shape[i] = nb::cast<int64_t>(shape[i]);
  if (facts.contains("strides") && !nb::object(facts["strides"]).is_none()) {
    int64_t strides[mostDims];
    nb::object given = facts["strides"];
    for (size_t i = 0; i < ndim; ++i)
      strides[i] = nb::cast<int64_t>(given[i]);
    setStrides(array, item, strides);
  }
  if (isCuda && facts.contains("stream") && !nb::object(facts["stream"]).is_none()) {
    const auto number = nb::cast<uintptr_t>(facts["stream"]);
    current.isKnown = true;
    current.native = reinterpret_cast<void *>(number == 1 ? 0 : number); // 1: the legacy default
  }
  return true;
}

} // namespace

bool borrow(nb::handle object, const Device &device, void *stream, Borrowed &array,
            Current &current) {
  if (byBuffer(object, array))
    return true;
  if (nb::hasattr(object, "__dlpack__")) {
    try {
      return byDlpack(object, device, stream, array, current);
    } catch (nb::python_error &error) {
      // numpy's arrays of types that DLPack does not know
      if (!error.matches(PyExc_BufferError) || !nb::hasattr(object, "__array_interface__"))
        throw;
    }
  }
  return byInterface(object, device, "__cuda_array_interface__", array, current) ||
         byInterface(object, device, "__array_interface__", array, current);
}

} // namespace sextant::python

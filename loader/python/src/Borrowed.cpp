// Reads arrays by the protocols of Python's array libraries. None of them copies.
#include "Libraries.h"

#include <cstring>
#include <optional>
#include <string_view>

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

void checkDims(nb::handle object, Py_ssize_t ndim) {
  if (ndim > mostDims)
    raise(SXT_ERROR_SIGNATURE, "an array of %zd dimensions (%s): at most %d are possible", ndim,
          typeName(object).c_str(), mostDims);
}

/// Fills in the strides, which libraries give in bytes. Those that are not a multiple of an item
/// make the array one that no kernel takes.
void setStrides(Borrowed &array, size_t item, const int64_t *bytes) {
  array.tensor.strides = array.strides;
  for (int32_t i = 0; i < array.tensor.ndim; ++i)
    array.strides[i] = item && bytes[i] % int64_t(item) == 0 ? bytes[i] / int64_t(item) : -1;
}

//===--- The buffer protocol --------------------------------------------------===//

/// The value that the dictionary of an interface has under a key; None if that is absent.
nb::object factOf(nb::handle facts, const char *key) {
  PyObject *value = PyDict_GetItemWithError(facts.ptr(), nb::str(key).ptr());
  if (!value && PyErr_Occurred())
    throw nb::python_error();
  return value ? nb::borrow(value) : nb::none();
}

/// The `descr` of an object's `__array_interface__`: numpy's formats of nested structs do not tell
/// the padding at their ends, and this does. None if it is absent.
nb::object descrOf(nb::handle object) {
  const nb::object interface = attributeOf(object, "__array_interface__");
  return interface.is_valid() && PyDict_Check(interface.ptr()) ? factOf(interface, "descr")
                                                               : nb::none();
}

/// \param refusal why an object with the protocol does not share its memory: its type is one that
/// the protocol does not know, it is a device's, or the object has none any more
bool byBuffer(nb::handle object, Borrowed &array, std::optional<nb::python_error> &refusal) {
  if (!PyObject_CheckBuffer(object.ptr()))
    return false;
  if (PyObject_GetBuffer(object.ptr(), &array.buffer, PyBUF_RECORDS_RO) != 0) {
    array.buffer.obj = nullptr;
    refusal.emplace();
    if (!refusal->matches(PyExc_Exception))
      throw *refusal;
    return false;
  }
  const Py_buffer &buffer = array.buffer;
  checkDims(object, buffer.ndim);
  array.item = itemOfFormat(buffer.format, uint64_t(buffer.itemsize));
  array.words = std::string("format '") + (buffer.format ? buffer.format : "B") + "'";
  if (buffer.format && std::strchr(buffer.format, '{'))
    if (const nb::object descr = descrOf(object); !descr.is_none())
      array.item = itemOfDescr(descr);
  array.isReadOnly = buffer.readonly;
  array.tensor = {buffer.buf, {dlpack::Cpu, 0}, buffer.ndim, array.item.scalar, nullptr, nullptr,
                  0};
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  array.tensor.shape = reinterpret_cast<int64_t *>(buffer.shape);
  if (buffer.strides)
    setStrides(array, size_t(buffer.itemsize), reinterpret_cast<const int64_t *>(buffer.strides));
  return true;
}

//===--- DLPack -----------------------------------------------------------------===//

/// The stream as `__dlpack__` takes it: the array API standard's numbers.
nb::object streamNumber(const Device &device, void *stream, bool isKnown) {
  if (device.family == Device::Cpu)
    return nb::none();
  if (isKnown)
    return nb::int_(-1); // no order: the work goes to the library's own stream
  const auto number = reinterpret_cast<uintptr_t>(stream);
  return nb::int_(number == 0 && device.family == Device::Cuda ? 1 : number);
}

/// The device that an object with `__dlpack__` says it is on.
dlpack::Device placeOf(nb::handle object) {
  const nb::object method = attributeOf(object, "__dlpack_device__");
  const nb::object place = method.is_valid() ? method() : nb::none();
  if (!PyTuple_Check(place.ptr()) || nb::len(place) != 2)
    raise(SXT_ERROR_SIGNATURE,
          "__dlpack_device__ of %s does not return a device's type and number, but %s",
          typeName(object).c_str(), shown(place).c_str());
  const auto number = [&](size_t index, const char *what) {
    const int64_t given = int64From(place[index], what);
    return given == int32_t(given) ? int32_t(given) : -1; // no device has it
  };
  return {number(0, "the device's type"), number(1, "the device's number")};
}

bool byDlpack(nb::handle object, nb::handle method, const Device &device, void *stream,
              Borrowed &array, Current &current) {
  const dlpack::Device memory = placeOf(object);
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
    raise(SXT_ERROR_SIGNATURE, "__dlpack__ of %s did not return a DLPack capsule",
          typeName(object).c_str());
  }
  checkDims(object, array.tensor.ndim);
  return true;
}

//===--- The array interfaces ---------------------------------------------------===//

/// Reads a tuple of extents or strides.
void readInts(nb::handle object, const char *key, nb::handle given, size_t count, int64_t *to) {
  if (!PyTuple_Check(given.ptr()) || nb::len(given) != count)
    raise(SXT_ERROR_SIGNATURE, "the array interface of %s has a '%s' that is not a tuple of %zu",
          typeName(object).c_str(), key, count);
  for (size_t i = 0; i < count; ++i)
    to[i] = int64From(PyTuple_GetItem(given.ptr(), Py_ssize_t(i)), key);
}

/// The type of ml_dtypes' bfloat16, float8_e4m3fn and float8_e5m2, which the interface knows as raw
/// bytes. Absent for other items.
std::optional<dlpack::DataType> smallReal(nb::handle object, const Item &item) {
  if (!item.members.empty() || item.scalar.code != dlpack::Opaque)
    return std::nullopt;
  const nb::object dtype = attributeOf(object, "dtype");
  const nb::object name = dtype.is_valid() ? attributeOf(dtype, "name") : dtype;
  if (!name.is_valid())
    return std::nullopt;
  for (unsigned each = SXT_DTYPE_BOOL; each < abi::scalarTypeEnd; ++each) {
    const std::string_view known = abi::factsOf(abi::ScalarType(each)).longName;
    const dlpack::DataType type = inDlpack(sxt_dtype(each));
    if (isRawInNumpy(type) && item.scalar.bits == type.bits &&
        name.equal(nb::str(known.data(), known.size())))
      return type;
  }
  return std::nullopt;
}

Item itemOfInterface(nb::handle object, nb::handle facts, std::string &words) {
  const std::string type = stringFrom(factOf(facts, "typestr"), "typestr");
  words = "typestr '" + type + "'";
  Item item = itemOfTypestr(type);
  if (const auto scalar = smallReal(object, item))
    item.scalar = *scalar;
  const nb::object descr = factOf(facts, "descr");
  if (type.size() > 1 && type[1] == 'V' && PyList_Check(descr.ptr()) && nb::len(descr) > 1) {
    Item members = itemOfDescr(descr);
    if (members.bytes == item.bytes)
      return members;
  }
  return item;
}

bool byInterface(nb::handle object, const Device &device, const char *attribute, Borrowed &array,
                 Current &current) {
  const nb::object facts = attributeOf(object, attribute);
  if (!facts.is_valid() || !PyDict_Check(facts.ptr()))
    return false;
  const bool isCuda = std::strcmp(attribute, "__cuda_array_interface__") == 0;
  array.item = itemOfInterface(object, facts, array.words);
  const nb::object data = factOf(facts, "data"), shape = factOf(facts, "shape");
  if (!PyTuple_Check(data.ptr()) || nb::len(data) != 2 || !PyLong_Check(nb::object(data[0]).ptr()))
    raise(SXT_ERROR_SIGNATURE,
          "the array interface of %s has no 'data' with an address and a read-only flag",
          typeName(object).c_str());
  if (!factOf(facts, "mask").is_none())
    raise(SXT_ERROR_SIGNATURE, "%s", hasMask);
  const uint64_t address = unsignedFrom(data[0], "the address");
  const int isReadOnly = PyObject_IsTrue(nb::object(data[1]).ptr());
  if (isReadOnly < 0)
    throw nb::python_error();
  array.isReadOnly = isReadOnly != 0;
  const size_t ndim = PyTuple_Check(shape.ptr()) ? nb::len(shape) : 0;
  checkDims(object, Py_ssize_t(ndim));
  readInts(object, "shape", shape, ndim, array.shape);
  const dlpack::Device memory =
      isCuda ? dlpack::Device{device.family == Device::Hip ? dlpack::Rocm : dlpack::Cuda,
                              device.ordinal}
             : dlpack::Device{dlpack::Cpu, 0};
  array.tensor = {reinterpret_cast<void *>(address),
                  memory,
                  int32_t(ndim),
                  array.item.scalar,
                  array.shape,
                  nullptr,
                  0};
  if (const nb::object given = factOf(facts, "strides"); !given.is_none()) {
    int64_t strides[mostDims];
    readInts(object, "strides", given, ndim, strides);
    setStrides(array, size_t(array.item.bytes), strides);
  }
  if (const nb::object stream = factOf(facts, "stream"); isCuda && !stream.is_none()) {
    const auto number = uintptr_t(int64From(stream, "stream"));
    current.isKnown = true;
    current.native = reinterpret_cast<void *>(number == 1 ? 0 : number); // 1: the legacy default
  }
  return true;
}

} // namespace

bool borrow(nb::handle object, const Device &device, void *stream, Borrowed &array,
            Current &current) {
  std::optional<nb::python_error> refusal;
  if (byBuffer(object, array, refusal))
    return true;
  if (const nb::object method = attributeOf(object, "__dlpack__");
      method.is_valid() && !method.is_none()) {
    try {
      return byDlpack(object, method, device, stream, array, current);
    } catch (nb::python_error &error) {
      // numpy's arrays of types that DLPack does not know
      if (!error.matches(PyExc_BufferError) ||
          !attributeOf(object, "__array_interface__").is_valid())
        throw;
    }
  }
  const bool isKnown = byInterface(object, device, "__cuda_array_interface__", array, current) ||
                       byInterface(object, device, "__array_interface__", array, current);
  if (!isKnown && refusal)
    throw *refusal;
  return isKnown;
}

} // namespace sextant::python

// Converts the arguments of one call, and orders the call's stream with those of other libraries.
// Arrays of other libraries are read in Borrowed.cpp.
#include "Arguments.h"
#include "Array.h"
#include "Libraries.h"

#include <algorithm>
#include <cstdarg>
#include <cstring>

namespace sextant::python {

Arguments::Arguments(const Signature &signature, Device &device, Stream *given, bool usesFields)
    : signature(signature), device(device), stream(given), isGiven(given != nullptr),
      usesOwnMemory(usesFields) {
  const size_t count = signature.parameters.size();
  arguments = fewArguments;
  objects = fewObjects;
  if (count > few) {
    manyArguments.resize(count);
    manyObjects.resize(count);
    arguments = manyArguments.data();
    objects = manyObjects.data();
  }
  std::copy(signature.blank.begin(), signature.blank.end(), arguments);
  std::fill(objects, objects + count, nb::handle());
}

void Arguments::refuse(size_t index, sxt_status status, const char *format, ...) const {
  va_list values;
  va_start(values, format);
  const std::string text = formatted(format, values);
  va_end(values);
  raise(status, "kernel '%s', argument %zu '%s': %s", signature.kernel.c_str(), index,
        signature.parameters[index].name.c_str(), text.c_str());
}

void Arguments::convert(size_t index, nb::handle value) {
  const Parameter &parameter = signature.parameters[index];
  sxt_argument &to = arguments[index];
  switch (parameter.kind) {
  case SXT_ARGUMENT_ARRAY:
    objects[index] = value;
    return convertArray(parameter, index, value, to);
  case SXT_ARGUMENT_MATRIX:
    return convertMatrix(parameter, index, value, to);
  default:
    return convertScalar(parameter, index, value, to);
  }
}

//===--- Scalars and matrices -----------------------------------------------===//

void Arguments::convertScalar(const Parameter &parameter, size_t index, nb::handle value,
                              sxt_argument &to) {
  std::string why;
  if (!readScalar(parameter.dtype, value, to.value.bits, why)) [[unlikely]]
    refuse(index, SXT_ERROR_SIGNATURE, "expected %s, given %s", why.c_str(), shown(value).c_str());
}

void Arguments::convertMatrix(const Parameter &parameter, size_t index, nb::handle value,
                              sxt_argument &to) {
  const size_t bytes = parameter.scalarBytes;
  std::vector<std::byte> &data =
      matrices.emplace_back(size_t(parameter.rows) * parameter.cols * bytes);
  checkMask(index, value); // tolist() forgets it
  nb::object rows = nb::borrow(value);
  if (libraryOf(value).kind != Library::Exchange)
    if (const nb::object convert = attributeOf(value, "tolist"))
      rows = convert();
  const auto scalar = [&](nb::handle from, size_t at) {
    uint64_t bits = 0;
    std::string why;
    if (!readScalar(parameter.dtype, from, bits, why))
      refuse(index, SXT_ERROR_SIGNATURE, "expected %s, given %s", why.c_str(), shown(from).c_str());
    std::memcpy(data.data() + at * bytes, &bits, bytes);
  };
  const auto elements = [&](nb::handle from, size_t count, const char *what) {
    checkMask(index, from);
    const Py_ssize_t length =
        PySequence_Check(from.ptr()) && !PyUnicode_Check(from.ptr()) && !PyBytes_Check(from.ptr())
            ? PySequence_Size(from.ptr())
            : -1;
    if (length < 0 && PyErr_Occurred())
      clearMismatch();
    std::vector<nb::object> list;
    for (Py_ssize_t i = 0; length == Py_ssize_t(count) && i < length; ++i) {
      list.push_back(nb::steal(PySequence_GetItem(from.ptr(), i)));
      if (!list.back().is_valid())
        throwPending();
    }
    if (list.size() != count)
      refuse(index, SXT_ERROR_SIGNATURE, "expected a sequence of %zu %s, given %s", count, what,
             shown(from).c_str());
    return list;
  };
  if (parameter.cols == 1) {
    const std::vector<nb::object> list =
        elements(rows, parameter.rows, sxt_dtype_name(parameter.dtype));
    for (size_t row = 0; row < parameter.rows; ++row)
      scalar(list[row], row);
  } else {
    const std::vector<nb::object> list = elements(rows, parameter.rows, "rows");
    for (size_t row = 0; row < parameter.rows; ++row) {
      const std::vector<nb::object> one =
          elements(list[row], parameter.cols, sxt_dtype_name(parameter.dtype));
      for (size_t column = 0; column < parameter.cols; ++column)
        scalar(one[column], row * parameter.cols + column);
    }
  }
  to.value.data = data.data();
}

//===--- Arrays ---------------------------------------------------------------===//

void Arguments::convertArray(const Parameter &parameter, size_t index, nb::handle value,
                             sxt_argument &to) {
  const Library library = libraryOf(value);
  switch (library.kind) {
  case Library::Exchange: {
    dlpack::Tensor tensor;
    checkGradient(index, value);
    if (library.api->view(value.ptr(), &tensor) != 0) [[unlikely]]
      try {
        throwPending();
      } catch (nb::python_error &error) {
        refuseExport(index, error);
      }
    reach(index, tensor);
    place(parameter, index, tensor, to);
    isAnyForeign = true;
    if (device.family != Device::Cpu && library.api != api)
      comesFromLibrary(library.api, tensor.device);
    return;
  }
  case Library::OwnArray: {
    Array &array = own<Array>(value);
    place(parameter, index, array.tensor(), to);
    to.value.buffer = array.buffer;
    to.offset_bytes = 0;
    usesOwnMemory = true;
    return;
  }
  case Library::OwnPointer: {
    Pointer &pointer = own<Pointer>(value);
    const dlpack::Tensor tensor{reinterpret_cast<void *>(pointer.address),
                                {},
                                int32_t(pointer.full.size()),
                                inDlpack(pointer.dtype),
                                pointer.full.data(),
                                nullptr,
                                0};
    place(parameter, index, tensor, to);
    isAnyForeign = true;
    return;
  }
  case Library::Masked:
    return checkMask(index, value);
  case Library::Other:
    isAnyForeign = true;
    borrowed(parameter, index, value, to);
  }
}

namespace {

std::string textOf(const int64_t *extents, int32_t count) {
  std::string text = "(";
  for (int32_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(extents[i]);
  return text + (count == 1 ? ",)" : ")");
}

std::string textOf(dlpack::DataType type) {
  static constexpr const char *codes[] = {"int",    "uint",    "float", "opaque",
                                          "bfloat", "complex", "bool"};
  if (type.code == dlpack::Float8E4M3Fn || type.code == dlpack::Float8E5M2)
    return type.code == dlpack::Float8E5M2 ? "float8_e5m2" : "float8_e4m3fn";
  std::string text = type.code < 7 ? codes[type.code] : "type";
  if (type.code != dlpack::Bool)
    text += std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

std::string textOf(dlpack::Device memory) {
  switch (memory.type) {
  case dlpack::Cpu:
    return "host memory";
  case dlpack::CudaHost:
  case dlpack::RocmHost:
    return "pinned host memory";
  case dlpack::Cuda:
  case dlpack::CudaManaged:
    return "memory of cuda:" + std::to_string(memory.id);
  case dlpack::Rocm:
    return "memory of hip:" + std::to_string(memory.id);
  default:
    return "memory of another kind of device (DLPack's type " + std::to_string(memory.type) + ")";
  }
}

} // namespace

bool isContiguous(const dlpack::Tensor &tensor) {
  if (!tensor.strides)
    return true;
  uint64_t expected = 1; // a lying shape makes it go round
  bool fits = true;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    if (tensor.shape[i] == 0)
      return true; // no elements
    if (tensor.shape[i] != 1) {
      fits &= uint64_t(tensor.strides[i]) == expected;
      expected *= uint64_t(tensor.shape[i]);
    }
  }
  return fits;
}

void Arguments::checkMask(size_t index, nb::handle value) const {
  if (libraryOf(value).kind == Library::Masked)
    refuse(index, SXT_ERROR_SIGNATURE, "%s", hasMask);
}

void Arguments::checkGradient(size_t index, nb::handle value) const {
  static PyObject *const name = PyUnicode_InternFromString("requires_grad");
  if (attributeOf(value, name).is(Py_True)) [[unlikely]]
    refuse(index, SXT_ERROR_INVALID_ARGUMENT,
           "it requires a gradient, and kernels know nothing of autograd: pass x.detach()");
}

void Arguments::refuseExport(size_t index, nb::python_error &error) const {
  const nb::object status = attributeOf(error.value(), "status");
  const bool isOurs = status.is_valid() && attributeOf(error.value(), "status_name").is_valid();
  const bool isMismatch = error.matches(PyExc_TypeError);
  const bool isRefusal = isMismatch || error.matches(PyExc_BufferError) ||
                         error.matches(PyExc_ValueError) || error.matches(PyExc_RuntimeError);
  if (!isOurs && !isRefusal)
    throw error;
  const nb::object text = nb::steal(PyObject_Str(error.value().ptr()));
  if (!text.is_valid())
    throwPending();
  if (isOurs)
    refuse(index, sxt_status(int64From(status, "status")), "%s", utf8(text).c_str());
  refuse(index, isMismatch ? SXT_ERROR_SIGNATURE : SXT_ERROR_INVALID_ARGUMENT,
         "its library does not share it: %s", utf8(text).c_str());
}

void Arguments::reach(size_t index, const dlpack::Tensor &tensor) const {
  if (!device.reaches(tensor.device)) [[unlikely]]
    refuse(index, SXT_ERROR_INVALID_ARGUMENT,
           "it is in %s, and the kernel runs on %s: copy it to a sextant.Array there",
           textOf(tensor.device).c_str(), device.name.c_str());
}

/// Checks an array against its parameter.
/// \param words what the producer calls the type, for messages; empty: DLPack's name
void Arguments::place(const Parameter &parameter, size_t index, const dlpack::Tensor &tensor,
                      sxt_argument &to, const std::string &words) {
  const bool fitsType = std::memcmp(&tensor.dtype, &parameter.type, sizeof tensor.dtype) == 0;
  const int32_t inner = parameter.cols != 1 ? 2 : parameter.rows != 1 ? 1 : 0;
  const int32_t outer = int32_t(parameter.ndim);
  const bool fitsShape = tensor.ndim == outer + inner &&
                         (inner < 1 || tensor.shape[outer] == int64_t(parameter.rows)) &&
                         (inner < 2 || tensor.shape[outer + 1] == int64_t(parameter.cols));
  if (!fitsType || !fitsShape) [[unlikely]] {
    std::string element = sxt_dtype_name(parameter.dtype);
    if (inner)
      element = (inner == 1 ? "vectors of " + std::to_string(parameter.rows)
                            : "matrices of " + std::to_string(parameter.rows) + "x" +
                                  std::to_string(parameter.cols)) +
                " " + element;
    const std::string trailing =
        inner == 0   ? ""
        : inner == 1 ? ", that is a shape that ends with " + std::to_string(parameter.rows)
                     : ", that is a shape that ends with " + std::to_string(parameter.rows) + ", " +
                           std::to_string(parameter.cols);
    refuse(index, SXT_ERROR_SIGNATURE,
           "expected a %d-dimensional array of %s%s, given shape %s of %s", outer, element.c_str(),
           trailing.c_str(), textOf(tensor.shape, tensor.ndim).c_str(),
           (tensor.dtype.code == dlpack::Opaque && !words.empty() ? words : textOf(tensor.dtype))
               .c_str());
  }
  if (!isContiguous(tensor)) [[unlikely]]
    refuse(index, SXT_ERROR_INVALID_ARGUMENT,
           "its strides are %s in elements, and kernels need the elements of shape %s in C order: "
           "pass a contiguous copy (numpy.ascontiguousarray, .contiguous())",
           textOf(tensor.strides, tensor.ndim).c_str(), textOf(tensor.shape, tensor.ndim).c_str());
  to.value.buffer = nullptr;
  to.offset_bytes = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  std::copy(tensor.shape, tensor.shape + outer, to.shape);
}

/// Checks an array whose items are structs.
void Arguments::placeStructs(const Parameter &parameter, size_t index, const Borrowed &array,
                             sxt_argument &to) {
  if (!matches(array.item, *parameter.members))
    refuse(index, SXT_ERROR_SIGNATURE,
           "expected an array of the struct %s (sextant.numpy_dtype makes numpy's type of it), "
           "given items of %s",
           parameter.structure.c_str(), array.words.c_str());
  if (array.tensor.ndim != int32_t(parameter.ndim))
    refuse(index, SXT_ERROR_SIGNATURE, "expected a %u-dimensional array of structs, given shape %s",
           parameter.ndim, textOf(array.tensor.shape, array.tensor.ndim).c_str());
  Parameter items = parameter;
  items.rows = items.cols = 1;
  items.type = array.tensor.dtype;
  place(items, index, array.tensor, to);
}

void Arguments::borrowed(const Parameter &parameter, size_t index, nb::handle value,
                         sxt_argument &to) {
  Borrowed &array = arrays.emplace_back();
  Current current;
  bool isArray = false;
  try {
    isArray = borrow(value, device, stream ? stream->native : device.defaultStream.native, array,
                     current);
  } catch (nb::python_error &error) {
    refuseExport(index, error);
  }
  if (!isArray)
    refuse(index, SXT_ERROR_SIGNATURE,
           "expected an array (DLPack, the array interfaces, the buffer protocol, sextant.Array, "
           "sextant.Pointer), given %s",
           typeName(value).c_str());
  reach(index, array.tensor);
  if (array.isReadOnly && signature.mayWrite(index))
    refuse(
        index, SXT_ERROR_INVALID_ARGUMENT,
        "it is read-only, and the module does not say that the kernel only reads it: pass a copy");
  if (!array.item.members.empty() && parameter.members)
    placeStructs(parameter, index, array, to);
  else
    place(parameter, index, array.tensor, to, array.words);
  if (device.family == Device::Cpu)
    return;
  if (current.isKnown)
    comesFrom(current.native);
  else if (!stream)
    stream = &device.defaultStream; // the library was told
}

//===--- Streams ----------------------------------------------------------------===//

void Arguments::comesFromLibrary(const dlpack::ExchangeApi *library, dlpack::Device on) {
  api = library;
  void *native = nullptr;
  if (library->currentStream(on.type, on.id, &native) != 0)
    throwPending();
  comesFrom(native);
}

void Arguments::comesFrom(void *native) {
  if (stream && stream->native == native) {
    isTheirs = true;
    return;
  }
  Stream &from = device.streamOf(native);
  if (!stream) {
    stream = &from;
    isTheirs = true;
  } else if (std::find(producers.begin(), producers.end(), &from) == producers.end()) {
    producers.push_back(&from);
  }
}

/// The kernel trusts that they have it.
void Arguments::checkTwins() const {
  for (const auto &[twin, of] : signature.twins)
    for (uint32_t axis = 0; axis < arguments[of].ndim; ++axis)
      if (const int64_t is = arguments[twin].shape[axis], wanted = arguments[of].shape[axis];
          is != wanted)
        refuse(twin, SXT_ERROR_SIGNATURE,
               "it has the shape of '%s', whose axis %u has %" PRId64 " elements, given %" PRId64,
               signature.parameters[of].name.c_str(), axis, wanted, is);
}

Stream &Arguments::begin() {
  checkTwins();
  if (!stream)
    stream = &device.defaultStream;
  if (device.family == Device::Cpu)
    return *stream;
  for (Stream *producer : producers)
    order(device, *producer, *stream);
  if (!isGiven && usesOwnMemory)
    device.follow(*stream);
  return *stream;
}

void Arguments::end() {
  if (device.family == Device::Cpu && !isGiven)
    return; // the call waits
  if (!isGiven)
    for (Stream *producer : producers)
      order(device, *stream, *producer);
  // Arrays of the stream's own library are freed in the stream's order.
  if (isAnyForeign && !(isTheirs && producers.empty()))
    hold();
}

uint64_t Arguments::work() const {
  uint64_t hash = 1469598103934665603u; // FNV-1a, a word at a time
  const auto add = [&](uint64_t word) { hash = (hash ^ word) * 1099511628211u; };
  for (size_t i = 0; i < size(); ++i) {
    const Parameter &parameter = signature.parameters[i];
    if (parameter.kind == SXT_ARGUMENT_ARRAY)
      std::for_each_n(arguments[i].shape, parameter.ndim, [&](int64_t n) { add(uint64_t(n)); });
    else if (parameter.kind == SXT_ARGUMENT_SCALAR && !isReal(parameter.dtype))
      add(arguments[i].value.bits);
    else if (parameter.kind == SXT_ARGUMENT_MATRIX && !isReal(parameter.dtype))
      for (size_t at = 0; at < size_t(parameter.rows) * parameter.cols; ++at) {
        uint64_t bits = 0;
        std::memcpy(&bits,
                    static_cast<const char *>(arguments[i].value.data) + at * parameter.scalarBytes,
                    parameter.scalarBytes);
        add(bits);
      }
  }
  return hash | 1;
}

void Arguments::hold() {
  for (size_t i = 0; i < size(); ++i)
    if (objects[i].is_valid())
      stream->hold(keeperOf(objects[i]));
}

} // namespace sextant::python

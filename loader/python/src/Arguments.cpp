// Converts the arguments of one call, and orders the call's stream with those of other libraries.
// Arrays of other libraries are read in Borrowed.cpp.
#include "Arguments.h"
#include "Array.h"
#include "Libraries.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
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
  char text[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  raise(status, "kernel '%s', argument %zu '%s': %s", signature.kernel.c_str(), index,
        signature.parameters[index].name.c_str(), text);
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
    refuse(index, SXT_ERROR_SIGNATURE, "expected %s, given %.200s", why.c_str(),
           nb::repr(value).c_str());
}

void Arguments::convertMatrix(const Parameter &parameter, size_t index, nb::handle value,
                              sxt_argument &to) {
  const size_t bytes = parameter.scalarBytes;
  std::vector<std::byte> &data =
      matrices.emplace_back(size_t(parameter.rows) * parameter.cols * bytes);
  nb::object rows = nb::borrow(value);
  if (nb::hasattr(value, "tolist") && !nb::hasattr(value.type(), "__dlpack_c_exchange_api__"))
    rows = value.attr("tolist")();
  const auto scalar = [&](nb::handle from, size_t at) {
    uint64_t bits = 0;
    std::string why;
    if (!readScalar(parameter.dtype, from, bits, why))
      refuse(index, SXT_ERROR_SIGNATURE, "expected %s, given %.200s", why.c_str(),
             nb::repr(from).c_str());
    std::memcpy(data.data() + at * bytes, &bits, bytes);
  };
  const auto elements = [&](nb::handle from, size_t count, const char *what) {
    PyObject *made = PySequence_Check(from.ptr()) && !PyUnicode_Check(from.ptr())
                         ? PySequence_Tuple(from.ptr())
                         : nullptr;
    if (!made)
      PyErr_Clear();
    nb::object list = made ? nb::steal(made) : nb::object();
    if (!list.is_valid() || nb::len(list) != count)
      refuse(index, SXT_ERROR_SIGNATURE, "expected a sequence of %zu %s, given %.200s", count, what,
             nb::repr(from).c_str());
    return list;
  };
  if (parameter.cols == 1) {
    const nb::object list = elements(rows, parameter.rows, sxt_dtype_name(parameter.dtype));
    for (size_t row = 0; row < parameter.rows; ++row)
      scalar(list[row], row);
  } else {
    const nb::object list = elements(rows, parameter.rows, "rows");
    for (size_t row = 0; row < parameter.rows; ++row) {
      const nb::object one = elements(list[row], parameter.cols, sxt_dtype_name(parameter.dtype));
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
    if (library.api->view(value.ptr(), &tensor) != 0) [[unlikely]]
      throw nb::python_error();
    reach(index, tensor);
    place(parameter, index, tensor, 0, to);
    isAnyForeign = true;
    if (device.family != Device::Cpu && library.api != api)
      comesFromLibrary(library.api, tensor.device);
    return;
  }
  case Library::OwnArray: {
    Array &array = *nb::inst_ptr<Array>(value);
    place(parameter, index, array.tensor(), 0, to);
    to.value.buffer = array.buffer;
    to.offset_bytes = 0;
    usesOwnMemory = true;
    return;
  }
  case Library::OwnPointer: {
    Pointer &pointer = *nb::inst_ptr<Pointer>(value);
    const dlpack::Tensor tensor{reinterpret_cast<void *>(pointer.address),
                                {},
                                int32_t(pointer.full.size()),
                                inDlpack(pointer.dtype),
                                pointer.full.data(),
                                nullptr,
                                0};
    place(parameter, index, tensor, 0, to);
    isAnyForeign = true;
    return;
  }
  default:
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

/// True if the elements follow each other in C order.
bool isContiguous(const dlpack::Tensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  bool fits = true;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    if (tensor.shape[i] == 0)
      return true; // no elements
    if (tensor.shape[i] != 1) {
      fits &= tensor.strides[i] == expected;
      expected *= tensor.shape[i];
    }
  }
  return fits;
}

} // namespace

void Arguments::reach(size_t index, const dlpack::Tensor &tensor) const {
  if (!device.reaches(tensor.device)) [[unlikely]]
    refuse(index, SXT_ERROR_INVALID_ARGUMENT,
           "it is in %s, and the kernel runs on %s: copy it there, for example to device.array()",
           textOf(tensor.device).c_str(), device.name.c_str());
}

/// Checks an array against its parameter.
/// \param itemBytes not 0: the items are opaque bytes of that size
void Arguments::place(const Parameter &parameter, size_t index, const dlpack::Tensor &tensor,
                      uint64_t itemBytes, sxt_argument &to) {
  const bool fitsType =
      std::memcmp(&tensor.dtype, &parameter.type, sizeof tensor.dtype) == 0 ||
      (tensor.dtype.code == dlpack::Opaque && itemBytes == parameter.scalarBytes &&
       (parameter.dtype == SXT_DTYPE_BF16 || !parameter.structure.empty()));
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
           textOf(tensor.dtype).c_str());
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
  const nb::object expected =
      nb::module_::import_("sextant._signatures").attr("numpy_dtype")(parameter.structure);
  if (array.itemBytes != uint64_t(parameter.rows) * parameter.scalarBytes ||
      !array.structType.equal(expected))
    refuse(index, SXT_ERROR_SIGNATURE, "expected an array of the struct %s, given items of %s",
           nb::str(expected).c_str(), nb::str(array.structType).c_str());
  dlpack::Tensor tensor = array.tensor;
  if (tensor.ndim != int32_t(parameter.ndim))
    refuse(index, SXT_ERROR_SIGNATURE, "expected a %u-dimensional array of structs, given shape %s",
           parameter.ndim, textOf(tensor.shape, tensor.ndim).c_str());
  Parameter items = parameter;
  items.rows = items.cols = 1;
  items.scalarBytes = uint32_t(array.itemBytes);
  place(items, index, tensor, array.itemBytes, to);
}

void Arguments::borrowed(const Parameter &parameter, size_t index, nb::handle value,
                         sxt_argument &to) {
  Borrowed &array = arrays.emplace_back();
  Current current;
  if (!borrow(value, device, stream ? stream->native : device.defaultStream.native, array, current))
    refuse(index, SXT_ERROR_SIGNATURE,
           "expected an array (DLPack, the array interfaces, the buffer protocol, sextant.Array, "
           "sextant.Pointer), given %s",
           typeName(value).c_str());
  reach(index, array.tensor);
  if (array.isReadOnly)
    refuse(index, SXT_ERROR_INVALID_ARGUMENT,
           "it is read-only, and a module does not say which arrays a kernel writes: pass a copy");
  if (array.structType.is_valid() && !parameter.structure.empty())
    placeStructs(parameter, index, array, to);
  else
    place(parameter, index, array.tensor, array.structType.is_valid() ? 0 : array.itemBytes, to);
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
    throw nb::python_error();
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

Stream &Arguments::begin() {
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
    for (size_t i = 0; i < size(); ++i)
      if (objects[i].is_valid())
        stream->hold(keeperOf(objects[i]));
}

} // namespace sextant::python

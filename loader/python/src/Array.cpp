// Arrays in a device's memory: made by the application, or fields. Other libraries read and write
// them in place by DLPack, the array interfaces and, on the CPU, the buffer protocol.
#include "Array.h"
#include "Arguments.h"
#include "Libraries.h"
#include "Tape.h"
#include "Waits.h"

#include <cinttypes>
#include <cstring>

namespace sextant::python {
namespace {

std::vector<int64_t> extentsFrom(nb::handle given, const char *what) {
  std::vector<int64_t> extents;
  if (PyLong_Check(given.ptr())) {
    extents.push_back(int64From(given, what));
  } else {
    for (nb::handle each : given) {
      extents.push_back(int64From(each, what));
      if (extents.size() > SXT_MAX_DIMS)
        raise(SXT_ERROR_INVALID_ARGUMENT, "%s has more than %d extents", what, SXT_MAX_DIMS);
    }
  }
  for (int64_t extent : extents)
    if (extent < 0)
      raise(SXT_ERROR_INVALID_ARGUMENT, "%s has the extent %" PRId64 ": extents are not negative",
            what, extent);
  return extents;
}

std::vector<int64_t> elementFrom(nb::handle given) {
  std::vector<int64_t> element = extentsFrom(given, "element_shape");
  if (element.size() > 2)
    raise(SXT_ERROR_INVALID_ARGUMENT, "element_shape has %zu extents: vectors have 1, matrices 2",
          element.size());
  return element;
}

nb::tuple tupleOf(const std::vector<int64_t> &extents) {
  nb::list all;
  for (int64_t extent : extents)
    all.append(extent);
  return nb::tuple(all);
}

std::shared_ptr<Array> makeArray(std::shared_ptr<Device> device, nb::handle shape, nb::handle dtype,
                                 nb::handle element) {
  auto array = std::make_shared<Array>();
  array->device = std::move(device);
  array->dtype = dtypeNamed(dtype);
  array->shape = extentsFrom(shape, "shape");
  array->full = array->shape;
  for (int64_t extent : elementFrom(element))
    array->full.push_back(extent);
  const uint64_t bytes = array->bytes();
  sxt_device *on = array->device->handle.get();
  unlocked([&] { return sxt_buffer_create(on, bytes, array->owned.place()); });
  array->buffer = array->owned.get();
  check(sxt_buffer_address(array->buffer, &array->address));
  return array;
}

//===--- Copies ------------------------------------------------------------------===//

/// Host memory of `bytes` bytes in C order. Throws if the object is not that.
class HostMemory {
public:
  HostMemory(nb::handle object, uint64_t bytes, bool isWritten) {
    if (!PyObject_CheckBuffer(object.ptr()))
      raise(SXT_ERROR_SIGNATURE,
            "expected memory of the host (the buffer protocol, as numpy's arrays), given %s",
            typeName(object).c_str());
    if (libraryOf(object).kind == Library::Masked)
      raise(SXT_ERROR_SIGNATURE, "the memory is of a %s: %s", typeName(object).c_str(), hasMask);
    if (PyObject_GetBuffer(object.ptr(), &view,
                           PyBUF_C_CONTIGUOUS | (isWritten ? PyBUF_WRITABLE : 0)) != 0)
      throw nb::python_error();
    if (uint64_t(view.len) != bytes) {
      const auto given = view.len;
      PyBuffer_Release(&view);
      raise(SXT_ERROR_INVALID_ARGUMENT, "the memory has %zd bytes, the array %" PRIu64, given,
            bytes);
    }
  }
  HostMemory(HostMemory &&other) noexcept : view(std::exchange(other.view, Py_buffer{})) {}
  HostMemory &operator=(HostMemory &&) = delete;
  ~HostMemory() {
    if (view.obj)
      PyBuffer_Release(&view);
  }
  void *data() const { return view.buf; }

private:
  Py_buffer view{};
};

/// The stream of a copy: the given one, or the default one after the work that named no stream.
Stream &streamOfCopy(Array &array, nb::handle given) {
  if (array.program)
    (void)array.program->open();
  if (Stream *stream = streamFrom(*array.device, given))
    return *stream;
  array.device->follow(array.device->defaultStream);
  return array.device->defaultStream;
}

/// The objects that a copy uses until it is done.
template <class Memory> struct Copy {
  Memory memory;
  std::shared_ptr<Array> array;
  nb::object stream;
};

void writeArray(std::shared_ptr<Array> array, nb::object source, nb::object stream) {
  const uint64_t bytes = array->bytes();
  const auto copy =
      std::make_shared<Copy<HostMemory>>(HostMemory(source, bytes, false), array, stream);
  Stream &used = streamOfCopy(*array, stream);
  recordWrite(*array, used);
  wait(copy, [to = array->buffer, from = copy->memory.data(), bytes, in = used.handle] {
    return sxt_buffer_write(to, 0, from, size_t(bytes), in);
  });
}

void readArray(std::shared_ptr<Array> array, nb::object destination, nb::object stream) {
  const uint64_t bytes = array->bytes();
  const auto copy =
      std::make_shared<Copy<HostMemory>>(HostMemory(destination, bytes, true), array, stream);
  wait(copy, [from = array->buffer, to = copy->memory.data(), bytes,
              in = streamOfCopy(*array, stream).handle] {
    return sxt_buffer_read(from, 0, to, size_t(bytes), in);
  });
}

nb::object toNumpy(std::shared_ptr<Array> array, nb::object stream) {
  nb::object made = nb::module_::import_("sextant._signatures").attr("empty_like")(array);
  readArray(array, made, stream);
  return made;
}

void fillArray(std::shared_ptr<Array> shared, nb::handle value, nb::object stream) {
  Array &array = *shared;
  uint64_t bits = 0;
  std::string why;
  if (!array.structure.empty())
    raise(SXT_ERROR_UNSUPPORTED, "an array of structs is filled by write()");
  if (!readScalar(array.dtype, value, bits, why))
    raise(SXT_ERROR_INVALID_ARGUMENT, "fill: expected %s, given %s", why.c_str(),
          shown(value).c_str());
  const size_t item = sxt_dtype_size(array.dtype);
  Stream &in = streamOfCopy(array, stream);
  recordWrite(array, in);
  if (item <= 4) {
    check(sxt_buffer_fill(array.buffer, 0, array.bytes(), &bits, item, in.handle));
    if (stream.is_none() && array.device->family == Device::Cpu)
      in.synchronize(); // the memory is the host's
    return;
  }
  // The loader's patterns have at most 4 bytes.
  using Values = std::vector<uint64_t>;
  const auto copy =
      std::make_shared<Copy<Values>>(Values(size_t(array.bytes() / item), bits), shared, stream);
  wait(copy, [to = array.buffer, values = &copy->memory, item, in = in.handle] {
    return sxt_buffer_write(to, 0, values->data(), values->size() * item, in);
  });
}

//===--- Sharing -----------------------------------------------------------------===//

/// The state that a DLPack capsule of ours keeps.
struct Export {
  dlpack::VersionedTensor versioned{};
  dlpack::ManagedTensor plain{};
  std::vector<int64_t> shape, strides;
  PyObject *array = nullptr;
};

void freeExport(Export *shared) {
  if (Py_IsInitialized()) { // consumers call this from any thread, and after the interpreter
    const PyGILState_STATE lock = PyGILState_Ensure();
    Py_XDECREF(shared->array);
    PyGILState_Release(lock);
  }
  delete shared;
}

template <class Tensor> void dropUnused(PyObject *capsule, const char *name) {
  if (!PyCapsule_IsValid(capsule, name))
    return; // it was consumed
  auto *tensor = static_cast<Tensor *>(PyCapsule_GetPointer(capsule, name));
  tensor->deleter(tensor);
}

nb::object exportArray(nb::object self, nb::object stream, nb::object maxVersion, nb::object,
                       nb::object copy) {
  Array &array = own<Array>(self);
  if (nb::isinstance<nb::bool_>(copy) && nb::cast<bool>(copy)) {
    PyErr_SetString(PyExc_BufferError, "a sextant.Array is shared without a copy");
    throw nb::python_error();
  }
  const bool isVersioned = nb::isinstance<nb::tuple>(maxVersion) && nb::len(maxVersion) > 0 &&
                           int64From(maxVersion[0], "max_version") >= 1;
  Device &device = *array.device;
  const dlpack::Device place = device.inDlpack();
  if (device.family != Device::Cpu) {
    // The consumer's stream comes after the work that is in the default stream.
    const int64_t number = stream.is_none() ? 1 : int64From(stream, "stream");
    if (number != -1) {
      Stream &consumer =
          device.streamOf(reinterpret_cast<void *>(number == 1 ? 0 : uintptr_t(number)));
      device.follow(consumer);
    }
  }
  auto shared = std::make_unique<Export>();
  shared->shape = array.full;
  shared->strides.resize(array.full.size());
  int64_t step = 1;
  for (size_t i = array.full.size(); i-- > 0;) {
    shared->strides[i] = step;
    step *= array.full[i];
  }
  dlpack::Tensor tensor{reinterpret_cast<void *>(array.address),
                        place,
                        int32_t(array.full.size()),
                        inDlpack(array.dtype),
                        shared->shape.data(),
                        shared->strides.data(),
                        0};
  shared->array = self.inc_ref().ptr();
  Export *kept = shared.release();
  PyObject *capsule = nullptr;
  if (isVersioned) {
    kept->versioned = {
        {1, 0},
        kept,
        [](dlpack::VersionedTensor *tensor) { freeExport(static_cast<Export *>(tensor->context)); },
        0,
        tensor};
    capsule = PyCapsule_New(&kept->versioned, "dltensor_versioned", [](PyObject *unused) {
      dropUnused<dlpack::VersionedTensor>(unused, "dltensor_versioned");
    });
  } else {
    kept->plain = {tensor, kept, [](dlpack::ManagedTensor *tensor) {
                     freeExport(static_cast<Export *>(tensor->context));
                   }};
    capsule = PyCapsule_New(&kept->plain, "dltensor", [](PyObject *unused) {
      dropUnused<dlpack::ManagedTensor>(unused, "dltensor");
    });
  }
  if (!capsule) {
    freeExport(kept);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

nb::dict interfaceOf(Array &array) {
  nb::dict facts;
  facts["version"] = 3;
  facts["shape"] = tupleOf(array.full);
  facts["typestr"] =
      nb::module_::import_("sextant._signatures").attr("typestr")(sxt_dtype_name(array.dtype));
  facts["data"] = nb::make_tuple(array.address, false);
  facts["strides"] = nb::none();
  return facts;
}

[[noreturn]] void failAttribute(const char *name, const Array &array) {
  PyErr_Format(PyExc_AttributeError, "%s: the array is on %s", name, array.device->name.c_str());
  throw nb::python_error();
}

nb::object hostInterface(Array &array) {
  if (array.device->family != Device::Cpu)
    failAttribute("__array_interface__", array);
  return interfaceOf(array);
}

nb::object cudaInterface(Array &array) {
  if (array.device->family != Device::Cuda && array.device->family != Device::Hip)
    failAttribute("__cuda_array_interface__", array);
  nb::dict facts = interfaceOf(array);
  const auto native = reinterpret_cast<uintptr_t>(array.device->defaultStream.native);
  facts["stream"] = native ? native : 1;
  return facts;
}

} // namespace

uint64_t bytesOf(sxt_dtype dtype, const std::vector<int64_t> &extents) {
  uint64_t count = sxt_dtype_size(dtype);
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(count, uint64_t(extent), &count))
      raise(SXT_ERROR_OUT_OF_MEMORY, "an array of that shape has more than 2^64 bytes");
  return count;
}

std::shared_ptr<Array> fieldOf(std::shared_ptr<LoadedProgram> program, nb::str given) {
  const std::string name = stringFrom(given, "name");
  auto array = std::make_shared<Array>();
  auto info = sized<sxt_global_info>();
  check(sxt_program_global(program->open(), name.c_str(), &info));
  unlocked([&] {
    return sxt_program_global_buffer(program->handle.get(), name.c_str(), &array->buffer);
  });
  check(sxt_buffer_address(array->buffer, &array->address));
  array->dtype = info.dtype;
  array->shape.assign(info.shape, info.shape + info.ndim);
  array->full = array->shape;
  if (info.rows != 1 || info.cols != 1)
    array->full.push_back(info.rows);
  if (info.cols != 1)
    array->full.push_back(info.cols);
  array->structure = info.structure ? info.structure : "";
  array->device = program->device;
  array->program = std::move(program);
  return array;
}

static void bindArray(nb::module_ &module) {
  nb::class_<Array>(
      module, "Array", nb::is_weak_referenceable(),
      "Memory of a device: a field, or Array(device, shape, dtype, element_shape).\n\n"
      "Libraries share it without a copy by __dlpack__ (CPU, CUDA, HIP), by __array_interface__ "
      "(CPU)\n"
      "and by __cuda_array_interface__ (CUDA, HIP). Vectors and matrices are trailing axes.")
      .def(nb::new_(&makeArray), nb::arg("device"), nb::arg("shape"), nb::arg("dtype") = "f32",
           nb::arg("element_shape") = nb::make_tuple())
      .def_prop_ro(
          "shape", [](Array &self) { return tupleOf(self.full); },
          "The extents, with the element's in the end.")
      .def_prop_ro(
          "element_shape",
          [](Array &self) {
            return tupleOf({self.full.begin() + ptrdiff_t(self.shape.size()), self.full.end()});
          },
          "The extents of an element: () for scalars and structs.")
      .def_prop_ro(
          "dtype", [](Array &self) { return sxt_dtype_name(self.dtype); }, "\"f32\"")
      .def_prop_ro(
          "structure", [](Array &self) { return self.structure; },
          "Of structs: \"Grain{kind:u8,pos:f32x3}\"; else \"\".")
      .def_prop_ro("nbytes", &Array::bytes, "The size in bytes.")
      .def_prop_ro(
          "address", [](Array &self) { return self.address; }, "The device's address.")
      .def_prop_ro(
          "device", [](Array &self) { return self.device; }, "The device.")
      .def("__len__",
           [](Array &self) {
             if (self.full.empty())
               raise(SXT_ERROR_SIGNATURE, "an array of no dimensions has no length");
             return self.full.front();
           })
      .def("write", &writeArray, nb::arg("source").none(), nb::arg("stream") = nb::none(),
           "Copies host memory of the same size in C order (the buffer protocol) to the array, and "
           "waits.")
      .def("read", &readArray, nb::arg("destination").none(), nb::arg("stream") = nb::none(),
           "Copies the array to host memory of the same size in C order, and waits.")
      .def("numpy", &toNumpy, nb::arg("stream") = nb::none(),
           "Returns a copy as an array of numpy.")
      .def(
          "view",
          [](nb::object self) {
            return nb::module_::import_("sextant._signatures").attr("view")(self);
          },
          "Returns an array of numpy that shares the memory (CPU); of structs, one of a structured "
          "type.")
      .def("fill", &fillArray, nb::arg("value"), nb::arg("stream") = nb::none(),
           "Sets all scalars to a value.")
      .def("__dlpack__", &exportArray, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
           nb::arg("copy") = nb::none())
      .def("__dlpack_device__",
           [](Array &self) {
             const dlpack::Device place = self.device->inDlpack();
             return nb::make_tuple(place.type, place.id);
           })
      .def_prop_ro("__array_interface__", &hostInterface)
      .def_prop_ro("__cuda_array_interface__", &cudaInterface)
      .def("__repr__", [](Array &self) {
        return std::string("<sextant.Array of ") + sxt_dtype_name(self.dtype) + " " +
               nb::str(tupleOf(self.full)).c_str() + " on " + self.device->name + ">";
      });
}

static void bindPointer(nb::module_ &module) {
  nb::class_<Pointer>(
      module, "Pointer",
      "Memory by its address, as an argument of kernels. `shape` is without the element's axes.\n\n"
      "owner: an object that keeps the memory alive. Without one, that is the caller's business "
      "until\n"
      "the work is done. What the address is cannot be checked.")
      .def(nb::new_([](nb::handle address, nb::handle dtype, nb::handle shape, nb::handle element,
                       nb::object owner) {
             auto pointer = std::make_shared<Pointer>();
             pointer->address = unsignedFrom(address, "address");
             pointer->dtype = dtypeNamed(dtype);
             pointer->full = extentsFrom(shape, "shape");
             for (int64_t extent : elementFrom(element))
               pointer->full.push_back(extent);
             pointer->owner = std::move(owner);
             return pointer;
           }),
           nb::arg("address"), nb::arg("dtype"), nb::arg("shape"),
           nb::arg("element_shape") = nb::make_tuple(), nb::arg("owner") = nb::none())
      .def_prop_ro(
          "address", [](Pointer &self) { return self.address; }, "The address of element 0.")
      .def_prop_ro(
          "dtype", [](Pointer &self) { return sxt_dtype_name(self.dtype); }, "\"f32\"")
      .def_prop_ro(
          "shape", [](Pointer &self) { return tupleOf(self.full); },
          "The extents, with the element's in the end.")
      .def_prop_ro(
          "owner", [](Pointer &self) { return self.owner; },
          "What keeps the memory alive, or None.");
}

void bindArrays(nb::module_ &module) {
  bindArray(module);
  bindPointer(module);
}

} // namespace sextant::python

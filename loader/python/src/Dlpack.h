// The structs by which array libraries exchange tensors: DLPack 1.x, as its specification and the
// Python array API describe them (dmlc.github.io/dlpack). The names are those of the specification.
#pragma once

#include <cstdint>

namespace sextant::python::dlpack {

enum DeviceType : int32_t {
  Cpu = 1,
  Cuda = 2,
  CudaHost = 3,
  Rocm = 10,
  RocmHost = 11,
  CudaManaged = 13
};

struct Device {
  int32_t type;
  int32_t id;
};

enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Opaque = 3,
  Bfloat = 4,
  Complex = 5,
  Bool = 6,
  Float8E4M3Fn = 10,
  Float8E5M2 = 12
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: C order
  uint64_t byteOffset;
};

/// The struct that a capsule "dltensor" holds.
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *self);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

constexpr uint64_t readOnlyFlag = 1;

/// The struct that a capsule "dltensor_versioned" holds.
struct VersionedTensor {
  Version version;
  void *context;
  void (*deleter)(VersionedTensor *self);
  uint64_t flags;
  Tensor tensor;
};

/// A library's table of functions, in the capsule "dlpack_exchange_api" that a tensor's type has as
/// `__dlpack_c_exchange_api__`. Functions return 0, or -1 with a Python exception set.
struct ExchangeApi {
  Version version;
  ExchangeApi *previous; ///< the table of an older major version; may be null
  void *allocate;
  int (*take)(void *object, VersionedTensor **tensor);
  void *give;
  int (*view)(void *object, Tensor *tensor); ///< valid until control returns; may be null
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **stream);
};

} // namespace sextant::python::dlpack

// The arguments of one launch: Python values become the loader's arguments.
#pragma once

#include "Device.h"
#include "Items.h"
#include "Signature.h"

#include <deque>

namespace sextant::python {

/// An array of another library while a call reads it: gives back what it borrowed.
struct Borrowed {
  Borrowed() = default;
  Borrowed(const Borrowed &) = delete;
  Borrowed &operator=(const Borrowed &) = delete;
  ~Borrowed();

  dlpack::Tensor tensor{};
  bool isReadOnly = false;
  Item item;         ///< its scalar is the tensor's type
  std::string words; ///< the producer's name for the type, if it is not DLPack
  int64_t shape[SXT_MAX_DIMS + 2], strides[SXT_MAX_DIMS + 2];
  Py_buffer buffer{}; ///< its `obj` is null if there is none
  dlpack::VersionedTensor *versioned = nullptr;
  dlpack::ManagedTensor *managed = nullptr;
};

/// Converts the arguments of one call. It refers to the Python objects, which the caller keeps
/// alive during the call.
class Arguments {
public:
  /// \param given null: the call chooses the stream by the arrays
  Arguments(const Signature &signature, Device &device, Stream *given, bool usesFields);
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  /// Converts one argument. Throws an exception that names it.
  void convert(size_t index, nb::handle value);
  sxt_argument *data() { return arguments; }
  size_t size() const { return signature.parameters.size(); }

  /// After all arguments: the stream that the work goes to, ordered after what it needs.
  Stream &begin();
  /// After the work was queued: what other streams must wait for, and what must stay alive.
  void end();
  /// Has the stream keep the arrays until its work is done.
  void hold();

  /// A number for what the length of the work depends on, besides the contents of arrays: extents
  /// and integers.
  uint64_t work() const;
  /// The objects of arrays, for those that keep them longer: null for other arguments.
  nb::handle objectOf(size_t index) const { return objects[index]; }
  /// The library that tells the current stream, if an array has one.
  const dlpack::ExchangeApi *library() const { return api; }

private:
  void convertScalar(const Parameter &parameter, size_t index, nb::handle value, sxt_argument &to);
  void convertMatrix(const Parameter &parameter, size_t index, nb::handle value, sxt_argument &to);
  void convertArray(const Parameter &parameter, size_t index, nb::handle value, sxt_argument &to);
  /// Refuses arrays with a mask.
  void checkMask(size_t index, nb::handle value) const;
  /// Refuses torch's tensors that require a gradient, as all other protocols of torch do.
  void checkGradient(size_t index, nb::handle value) const;
  void checkTwins() const;
  /// Throws what an array's library raised, with the argument's name if it says that the array
  /// cannot be shared.
  [[noreturn]] void refuseExport(size_t index, nb::python_error &error) const;
  void reach(size_t index, const dlpack::Tensor &tensor) const;
  void place(const Parameter &parameter, size_t index, const dlpack::Tensor &tensor,
             sxt_argument &to, const std::string &words = {});
  void placeStructs(const Parameter &parameter, size_t index, const Borrowed &array,
                    sxt_argument &to);
  void borrowed(const Parameter &parameter, size_t index, nb::handle value, sxt_argument &to);
  void comesFrom(void *native);
  void comesFromLibrary(const dlpack::ExchangeApi *library, dlpack::Device on);
  [[noreturn]] void refuse(size_t index, sxt_status status, const char *format, ...) const;

  static constexpr size_t few = 16;
  const Signature &signature;
  Device &device;
  Stream *stream;
  const bool isGiven;
  bool usesOwnMemory; ///< fields, or arrays of this package
  bool isAnyForeign = false;
  bool isTheirs = false; ///< the stream is the current one of a library that arrays come from
  const dlpack::ExchangeApi *api = nullptr;
  std::vector<Stream *> producers; ///< other streams that arrays come from
  sxt_argument *arguments;
  nb::handle *objects;
  sxt_argument fewArguments[few];
  nb::handle fewObjects[few];
  std::vector<sxt_argument> manyArguments;
  std::vector<nb::handle> manyObjects;
  std::deque<Borrowed> arrays;
  std::deque<std::vector<std::byte>> matrices;
};

/// Memory that arguments name only by its address: see sextant.Pointer.
struct Pointer {
  uint64_t address;
  sxt_dtype dtype;
  std::vector<int64_t> full; ///< the extents, with the element's
  nb::object owner;
};

sxt_dtype dtypeNamed(nb::handle name);
/// The size of an array. Throws if 64 bits do not hold it.
uint64_t bytesOf(sxt_dtype dtype, const std::vector<int64_t> &extents);
bool isReal(sxt_dtype dtype);
/// True if the elements follow each other in C order.
bool isContiguous(const dlpack::Tensor &tensor);
/// Returns each scalar type: its name, and a tuple of its name in numpy and its word in the array
/// interface.
nb::dict scalarTypes();
/// Reads a scalar of a type from a Python value into `bits`, in memory order. Returns false,
/// without a Python exception, if the value does not fit; `why` then says what was expected.
bool readScalar(sxt_dtype dtype, nb::handle value, uint64_t &bits, std::string &why);
/// Makes a Python value of a scalar in memory.
nb::object scalarAt(sxt_dtype dtype, const void *data);

} // namespace sextant::python

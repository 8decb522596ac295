// Arrays of other libraries: how each is read, and in which stream its library works.
#pragma once

#include "Arguments.h"

namespace sextant::python {

/// How arrays of one Python type are read.
struct Library {
  enum Kind : uint8_t {
    Exchange,   ///< DLPack's table of functions: torch 2.10 and newer
    OwnArray,   ///< sextant.Array
    OwnPointer, ///< sextant.Pointer
    Masked,     ///< arrays with a mask, as numpy.ma's, whose memory is not what they mean
    Other,      ///< known by protocols that each object is asked for
  } kind = Other;
  const dlpack::ExchangeApi *api = nullptr;
};

/// The reason why arrays with a mask are refused.
constexpr const char *hasMask =
    "it has a mask, which is neither read nor written: pass x.data, or a copy by x.filled(…)";

/// Returns how arrays of the object's type are read. Each type is looked at once.
Library libraryOf(nb::handle object);
/// Forgets the types.
void forgetLibraries();

/// The stream in which a library works on an array.
struct Current {
  bool isKnown = false;
  void *native = nullptr;
};

/// Reads an array by the buffer protocol, DLPack or the array interfaces, whichever comes first.
/// Returns false if the object has none of them.
/// \param stream the driver's handle of the stream that the work will go to
bool borrow(nb::handle object, const Device &device, void *stream, Borrowed &array,
            Current &current);

/// Returns an object that keeps the array's memory alive and in place.
nb::object keeperOf(nb::handle object);

} // namespace sextant::python

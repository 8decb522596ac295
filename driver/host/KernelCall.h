// What `sextant run` and `sextant bench` have in common: a kernel by name, arguments
// by name from numbers, files and specs, a device that has a variant.
#pragma once
#define SEXTANT_THROWS

#include "driver/Environment.h"
#include "driver/host/ArraySpec.h"
#include "sextant/sextant.hpp"

#include <map>

namespace sextant {

/// Errors of the loader leave as refusals.
inline void require(sxt_status status) {
  if (status != SXT_OK)
    throw Refusal(sxt_last_error_message());
}

template <class T> T sized() {
  T info{};
  info.struct_size = sizeof info;
  return info;
}

/// What the command line says of a call.
struct CallOptions {
  std::string module, kernel;
  std::string kernelOption;           ///< by -k; then what stands at `kernel` is an argument
  std::vector<std::string> arguments; ///< NAME=VALUE
  std::string device, variant;
  unsigned wave = 0;
  std::vector<std::string> fields; ///< NAME=VALUE, written before the launch
};

/// NAME=VALUE each. Throws Refusal.
std::map<std::string, std::string> splitPairs(const std::vector<std::string> &texts);

/// The module as the loader opens it; streams, from memory. Throws Refusal or Error.
Module openForLaunch(const Environment &environment, const std::string &path);

/// A module's kernel, found by name, with its signature.
struct Signature {
  std::string name;
  std::vector<sxt_parameter_info> arguments, results;
};
Signature findKernel(const Module &module, const std::string &name);

/// The extents that an element adds to an array's.
std::vector<int64_t> elementShape(uint32_t rows, uint32_t cols);

/// The values of the command line, checked against the signature.
struct HostArguments {
  std::vector<HostArray> arrays;    ///< one an argument; empty for scalars
  std::vector<std::string> scalars; ///< bytes, one an argument; empty for arrays
};
HostArguments readArguments(const Signature &signature, const CallOptions &options,
                            const Environment &environment);

/// A device with a variant of the kernel, and the program there.
struct Chosen {
  Device device;
  Program program;
  Kernel kernel;
};
/// The device that was asked for, else the best that opens and has a variant.
Chosen choose(const CallOptions &options, const Module &module, const Signature &signature,
              const Environment &environment);

/// A field as it is declared, its content zero.
HostArray globalArray(const Chosen &chosen, const std::string &name);
/// Fills the fields that the command line names.
void writeFields(const Chosen &chosen, const CallOptions &options, const Environment &environment);

/// The values on the device, as a launch takes them. `host` has to stay.
struct DeviceArguments {
  std::vector<Buffer> buffers; ///< of the arrays, in order
  std::vector<sxt_argument> list;
};
DeviceArguments upload(const Device &device, const Signature &signature, HostArguments &host);

} // namespace sextant

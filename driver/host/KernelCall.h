// Code that `sextant run` and `sextant bench` share: finding a kernel by name, taking arguments by
// name from numbers, files and specs, and finding a device that has a variant.
#pragma once
#define SEXTANT_THROWS

#include "driver/Environment.h"
#include "driver/host/ArraySpec.h"
#include "driver/host/LoaderErrors.h"
#include "sextant/sextant.hpp"

#include <map>

namespace sextant {

template <class T> T sized() {
  T info{};
  info.struct_size = sizeof info;
  return info;
}

/// A call as the command line describes it.
struct CallOptions {
  std::string module, kernel;
  std::string kernelOption;           ///< the name given by -k; `kernel` is then an argument
  std::vector<std::string> arguments; ///< NAME=VALUE
  std::string device, variant;
  unsigned wave = 0;
  std::vector<std::string> fields; ///< NAME=VALUE, written before the launch
};

/// Parses each NAME=VALUE. Throws Refusal.
std::map<std::string, std::string> splitPairs(const std::vector<std::string> &texts);

/// Opens the module with the loader; a stream is opened from memory. Throws Refusal or Error.
Module openForLaunch(const Environment &environment, const std::string &path);

/// A module's kernel, found by name, with its signature.
struct Signature {
  std::string name;
  std::vector<sxt_parameter_info> arguments, results;
};
Signature findKernel(const Module &module, const std::string &name);

/// The extents that an element adds to those of its array.
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
/// Returns the requested device, or else the best one that opens and has a variant.
Chosen choose(const CallOptions &options, const Module &module, const Signature &signature,
              const Environment &environment);

/// A field as it is declared, with zeros as its content.
HostArray globalArray(const Chosen &chosen, const std::string &name);
/// Fills the fields that the command line names.
void writeFields(const Chosen &chosen, const CallOptions &options, const Environment &environment);

/// The values on the device, in the form that a launch takes. `host` must stay.
struct DeviceArguments {
  std::vector<Buffer> buffers; ///< the arrays', in order
  std::vector<sxt_argument> list;
};
DeviceArguments upload(const Device &device, const Signature &signature, HostArguments &host);

} // namespace sextant

// Modules as the commands open and write them.
#pragma once

#include "driver/Environment.h"
#include "driver/commands/Budget.h"
#include "loader/format/Reader.h"
#include "packager/Contents.h"

namespace sextant {

/// What may be decoded of a module: $SEXTANT_MAX_DECODED, for who trusts it. Throws Refusal.
module::ReaderLimits readerLimits(const Environment &environment);
/// Opens a module file. Throws Refusal.
/// \param trust what it is held to; by default to nothing
module::Reader openModule(const Environment &environment, const std::string &path,
                          module::Trust trust = {});
/// Everything that a module file holds, to make another of it; warns of signatures, which that
/// will not have. Throws Refusal.
packager::Contents readModule(const Environment &environment, const std::string &path);
/// Throws Refusal where the output is one of the inputs.
void checkOutput(const Environment &environment, const std::string &output,
                 const std::vector<std::string> &inputs);
/// The bytes of a module in canonical order, if it keeps the budget; what is said of that goes
/// to `err`. Throws Refusal. \param path where it will be
std::vector<std::byte> buildModule(const Environment &environment, const std::string &path,
                                   const packager::Contents &contents,
                                   const packager::BuildOptions &options, const Budget &budget);
/// What is wrong with a module's bytes, whose reader does not know where they are from.
struct Damage : Refusal {
  using Refusal::Refusal;
};
/// Throws Damage, or another Refusal, with the reason.
[[noreturn]] void refuse(const module::Status &status);
/// The value, or a Refusal with the reason.
template <class T> T require(module::Result<T> result) {
  if (!result)
    refuse(result.error());
  return std::move(*result);
}
/// Runs `body`, which reads the module of that path: damage is said of it.
template <class Body> int reading(const std::string &path, Body body) {
  try {
    return body();
  } catch (const Damage &damage) {
    throw Refusal("'" + path + "': " + damage.what(), damage.fix);
  }
}
/// The kernel of that instance name, or the only instance of the kernel of that
/// name. Throws Refusal with near matches.
module::Kernel findKernel(const module::Reader &reader, const std::string &name);
/// All kernels, by instance name.
std::vector<module::Kernel> allKernels(const module::Reader &reader);

} // namespace sextant

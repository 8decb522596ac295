// Opens and writes modules for the commands.
#pragma once

#include "driver/Environment.h"
#include "loader/format/Reader.h"
#include "packager/Contents.h"

namespace sextant {

/// Returns how much of a module may be decoded: $SEXTANT_MAX_DECODED, for users who trust it.
/// Throws Refusal.
module::ReaderLimits readerLimits(const Environment &environment);
/// Opens a module file. Throws Refusal.
/// \param trust what the module must satisfy; by default nothing
module::Reader openModule(const Environment &environment, const std::string &path,
                          module::Trust trust = {});
/// Reads everything that a module file holds, in order to make another module of it. Warns that the
/// new module will not have the signature. Throws Refusal.
packager::Contents readModule(const Environment &environment, const std::string &path);
/// Throws Refusal if the output is one of the inputs.
void checkOutput(const Environment &environment, const std::string &output,
                 const std::vector<std::string> &inputs);
/// A problem with a module's bytes. The code that throws it does not know the file.
struct Damage : Refusal {
  using Refusal::Refusal;
};
/// Returns a Refusal that says what is wrong with the module at that path.
/// \param ofRequest what is wrong if the module is good, and has not what was asked of it
Refusal refusalOf(const std::string &path, const module::Status &status, std::string fix = {},
                  Problem ofRequest = Problem::ModuleUnreadable);
/// Throws Damage, or another Refusal, with the reason. \param ofRequest as for refusalOf()
[[noreturn]] void refuse(const module::Status &status,
                         Problem ofRequest = Problem::ModuleUnreadable);
/// Returns the value, or throws a Refusal with the reason. \param ofRequest as for refusalOf()
template <class T>
T require(module::Result<T> result, Problem ofRequest = Problem::ModuleUnreadable) {
  if (!result)
    refuse(result.error(), ofRequest);
  return std::move(*result);
}
/// Runs `body`, which reads the module at that path. Damage is reported with the path.
template <class Body> int reading(const std::string &path, Body body) {
  try {
    return body();
  } catch (const Damage &damage) {
    throw Refusal(damage.problem, "'" + path + "': " + damage.what(), damage.fix);
  }
}
/// Returns the kernel of that instance name, or the only instance of the kernel of that name.
/// Throws Refusal with near matches.
module::Kernel findKernel(const module::Reader &reader, const std::string &name);
/// Returns the instance name of that kernel, or of the module's only one if the name is empty.
/// Throws Refusal.
std::string instanceOf(const module::Reader &reader, const std::string &name);
/// All kernels, by instance name.
std::vector<module::Kernel> allKernels(const module::Reader &reader);

} // namespace sextant

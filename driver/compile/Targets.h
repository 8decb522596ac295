// Facts of the backends that the commands need, without LLVM.
#pragma once

#include "loader/format/Module.h"
#include "packager/Describe.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sextant {

/// From now on, the process ends in words of ours where LLVM would abort: endWithoutMemory() if its
/// own allocations fail, endWithDefect() if it gives up.
void endIfLlvmFails();
/// LLVM's version and this machine, for `--version`.
std::string hostText();

struct ArchRow {
  std::string backend, arch, description;
  std::vector<unsigned> waves;      ///< the default first
  std::vector<unsigned> extraWaves; ///< wave sizes that a target has to name
  bool major = false;               ///< part of `all-major`
  bool native = false;              ///< this machine has it
};

/// Every architecture of every backend.
std::vector<ArchRow> listArchs();
/// Those that a list means, as `compile` takes it; an empty list means every one. Throws Refusal
/// for an unknown target, and for a pattern in `tuneTargets` that matches none.
std::vector<ArchRow> listArchs(const std::vector<std::string> &targets,
                               const std::vector<std::string> &tuneTargets);
/// A stage of compilation after which --dump-ir prints.
struct StageRow {
  std::string name, help;
};
/// Returns all such stages: irgen, those that several backends have, then each backend's own.
std::vector<StageRow> listStages();
/// Makes CUDA's fat binary of images of the formats cubin and ptx, with CUDA's fatbinary. Throws
/// Refusal.
std::vector<std::byte> makeFatbin(std::span<const packager::Extracted> images);
/// Returns the assembly text of an image. Throws Refusal.
std::string disassemble(std::span<const std::byte> image, const module::Target &target);

} // namespace sextant

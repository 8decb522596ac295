// The architectures of the cpu backend, and the facts that the emitter needs of each.
#pragma once

#include "backends/Backend.h"

namespace sextant::cpu {

/// One row of the table of architectures.
struct Machine {
  Arch arch;
  std::string triple, cpu, features; ///< as llc takes them
  std::string emulation;             ///< as ld.lld's -m takes it
  unsigned vectorBytes;              ///< width of a vector register that code should use
  bool hasGather = false;            ///< gathers are instructions
  bool hasScatter = false;           ///< scatters are instructions
  bool hasMaskRegisters = false;
  bool hasMaskedMoves = false; ///< masked vector loads and stores of 4 and 8 bytes
  bool hasHalfConversion = false;
  bool hasFma = false;
  bool isX86 = false;

  /// Vectors that code keeps in registers while it runs: half of 32, or of 16.
  unsigned keptVectors() const { return vectorBytes == 64 ? 16 : 8; }
};

/// Every architecture, least capable first.
llvm::ArrayRef<Machine> machines();
/// Returns the architecture of that name, or null.
const Machine *findMachine(llvm::StringRef arch);
/// True if this machine runs code for `machine`.
bool runsHere(const Machine &machine);

} // namespace sextant::cpu

// The table of architectures.
#include "backends/cpu/Target.h"

#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace sextant;
using namespace sextant::cpu;

static Machine x86(const char *name, const char *description) {
  Machine machine;
  machine.arch = Arch{name, {32, 4, 8, 16, 64}, description, /*major=*/false, {1}};
  machine.triple = "x86_64-unknown-linux-gnu";
  machine.cpu = name;
  machine.emulation = "elf_x86_64";
  machine.isX86 = true;
  return machine;
}

static std::vector<Machine> makeMachines() {
  Machine v2 = x86("x86-64-v2", "x86-64 with SSE4.2");
  v2.vectorBytes = 16;

  Machine v3 = x86("x86-64-v3", "x86-64 with AVX2, FMA and F16C");
  v3.arch.major = true;
  v3.features = "+fast-gather";
  v3.vectorBytes = 32;
  v3.hasGather = v3.hasMaskedMoves = v3.hasHalfConversion = v3.hasFma = true;

  Machine v4 = x86("x86-64-v4", "x86-64 with AVX-512 F, BW, CD, DQ and VL");
  v4.features = "-prefer-256-bit,+fast-gather";
  v4.vectorBytes = 64;
  v4.hasGather = v4.hasScatter = v4.hasMaskedMoves = v4.hasHalfConversion = v4.hasFma = true;
  v4.hasMaskRegisters = true;

  Machine arm;
  arm.arch = Arch{"aarch64", {32, 4, 8, 16, 64}, "64-bit Arm with NEON", /*major=*/true, {1}};
  arm.triple = "aarch64-unknown-linux-gnu";
  arm.cpu = "generic";
  // macOS and Windows keep x18 for themselves, and one image is for all systems.
  arm.features = "+reserve-x18";
  arm.emulation = "aarch64linux";
  arm.vectorBytes = 16;
  arm.hasHalfConversion = arm.hasFma = true;
  return {v2, v3, v4, arm};
}

llvm::ArrayRef<Machine> sextant::cpu::machines() {
  static const std::vector<Machine> all = makeMachines();
  return all;
}

const Machine *sextant::cpu::findMachine(llvm::StringRef arch) {
  for (const Machine &machine : machines())
    if (machine.arch.name == arch)
      return &machine;
  return nullptr;
}

bool sextant::cpu::runsHere(const Machine &machine) {
  llvm::Triple host(llvm::sys::getProcessTriple());
  if (host.getArch() != llvm::Triple(machine.triple).getArch())
    return false;
  if (!machine.isX86)
    return true;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](std::initializer_list<const char *> names) {
    return llvm::all_of(names, [&](const char *name) { return features.lookup(name); });
  };
  // The features that each level of the x86-64 psABI adds.
  bool level2 = has({"cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"});
  bool level3 = level2 && has({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"});
  bool level4 = level3 && has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  return machine.arch.name == "x86-64-v2"   ? level2
         : machine.arch.name == "x86-64-v3" ? level3
                                            : level4;
}

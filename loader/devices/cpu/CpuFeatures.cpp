// Processor detection. The x86-64 levels are those of the System V ABI's
// "micro-architecture levels": a level counts only where the operating system
// saves the registers that it adds (XCR0).
#include "loader/devices/cpu/CpuFeatures.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace sextant::loader {

#if defined(__x86_64__)
namespace {

struct Leaf {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf cpuid(uint32_t leaf, uint32_t subleaf = 0) {
  Leaf l;
  // Returns zeros for leaves that the processor does not have.
  __get_cpuid_count(leaf, subleaf, &l.eax, &l.ebx, &l.ecx, &l.edx);
  return l;
}

bool has(uint32_t word, std::initializer_list<unsigned> bits) {
  for (unsigned bit : bits)
    if (!(word >> bit & 1))
      return false;
  return true;
}

uint64_t enabledStates() {
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

int level() {
  Leaf one = cpuid(1), extended = cpuid(0x80000001), seven = cpuid(7);
  // CMPXCHG16B, LAHF, POPCNT, SSE3, SSE4.1, SSE4.2, SSSE3.
  if (!has(one.ecx, {13, 23, 0, 19, 20, 9}) || !has(extended.ecx, {0}))
    return 1;
  // AVX, F16C, FMA, MOVBE, OSXSAVE; AVX2, BMI1, BMI2; LZCNT.
  if (!has(one.ecx, {28, 29, 12, 22, 27}) || !has(seven.ebx, {5, 3, 8}) || !has(extended.ecx, {5}))
    return 2;
  uint64_t states = enabledStates();
  if ((states & 0x6) != 0x6) // XMM and YMM
    return 2;
  // AVX512 F, DQ, CD, BW, VL.
  if (!has(seven.ebx, {16, 17, 28, 30, 31}) || (states & 0xe6) != 0xe6) // opmask and ZMM
    return 3;
  return 4;
}

} // namespace

std::string cpuArch() { return "x86-64-v" + std::to_string(level()); }

std::string cpuModelName() {
  if (cpuid(0x80000000).eax < 0x80000004)
    return "x86-64";
  char text[49] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    Leaf l = cpuid(0x80000002 + i);
    uint32_t words[4] = {l.eax, l.ebx, l.ecx, l.edx};
    std::memcpy(text + 16 * i, words, 16);
  }
  std::string name(text);
  size_t begin = name.find_first_not_of(' '), end = name.find_last_not_of(' ');
  return begin == std::string::npos ? "x86-64" : name.substr(begin, end - begin + 1);
}
#elif defined(__aarch64__)
std::string cpuArch() { return "aarch64"; }
std::string cpuModelName() { return "aarch64"; }
#else
std::string cpuArch() { return "unknown"; }
std::string cpuModelName() { return "unknown"; }
#endif

} // namespace sextant::loader

// The table of AMD's processors.
#include "loader/abi/AmdProcessors.h"

namespace sextant::abi {

namespace {

// The processors that LLVM's AMDGPU usage page lists from gfx9 on, each with the generic processor
// whose code it runs. gfx908, gfx90a and gfx94x do not belong to gfx9-generic: their families
// differ in registers and instructions.
constexpr char gfx9[] = "gfx9-generic", gfx9_4[] = "gfx9-4-generic", gfx10_1[] = "gfx10-1-generic",
               gfx10_3[] = "gfx10-3-generic", gfx11[] = "gfx11-generic", gfx12[] = "gfx12-generic";
constexpr AmdProcessor processors[] = {
    {"gfx900", gfx9, false, true},      {"gfx902", gfx9, false, true},
    {"gfx904", gfx9, false, true},      {"gfx906", gfx9, true, true},
    {"gfx908", "", true, true},         {"gfx909", gfx9, false, true},
    {"gfx90a", "", true, true},         {"gfx90c", gfx9, false, true},
    {"gfx940", gfx9_4, true, true},     {"gfx941", gfx9_4, true, true},
    {"gfx942", gfx9_4, true, true},     {"gfx950", gfx9_4, true, true},
    {"gfx1010", gfx10_1, false, true},  {"gfx1011", gfx10_1, false, true},
    {"gfx1012", gfx10_1, false, true},  {"gfx1013", gfx10_1, false, true},
    {"gfx1030", gfx10_3, false, false}, {"gfx1031", gfx10_3, false, false},
    {"gfx1032", gfx10_3, false, false}, {"gfx1033", gfx10_3, false, false},
    {"gfx1034", gfx10_3, false, false}, {"gfx1035", gfx10_3, false, false},
    {"gfx1036", gfx10_3, false, false}, {"gfx1100", gfx11, false, false},
    {"gfx1101", gfx11, false, false},   {"gfx1102", gfx11, false, false},
    {"gfx1103", gfx11, false, false},   {"gfx1150", gfx11, false, false},
    {"gfx1151", gfx11, false, false},   {"gfx1152", gfx11, false, false},
    {"gfx1153", gfx11, false, false},   {"gfx1200", gfx12, false, false},
    {"gfx1201", gfx12, false, false},
};

} // namespace

std::span<const AmdProcessor> amdProcessors() { return processors; }

const AmdProcessor *findAmdProcessor(std::string_view name) {
  for (const AmdProcessor &one : processors)
    if (one.name == name || (*one.generic && one.generic == name))
      return &one;
  return nullptr;
}

} // namespace sextant::abi

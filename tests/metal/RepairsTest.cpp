// Repairs of what SPIRV-Cross cannot say, on the least text that has it. tests/metal/code has the
// same in whole kernels.
#include "backends/metal/MslRepairs.h"
#include "tests/support/Catch.h"

using namespace sextant;

TEST_CASE("NoContraction is removed, other decorations stay", "[repairs]") {
  constexpr uint32_t header[] = {0x07230203, 0x00010300, 0, 9, 0};
  constexpr uint32_t decorate = 71, noContraction = 42, aliased = 20;
  std::vector<uint32_t> words(std::begin(header), std::end(header));
  auto add = [&](std::vector<uint32_t> instruction) {
    words.insert(words.end(), instruction.begin(), instruction.end());
  };
  add({3u << 16 | decorate, 5, noContraction});
  add({3u << 16 | decorate, 6, aliased});
  add({3u << 16 | decorate, 7, noContraction});
  allowContraction(words);
  std::vector<uint32_t> expected(std::begin(header), std::end(header));
  expected.insert(expected.end(), {3u << 16 | decorate, 6, aliased});
  CHECK(words == expected);
}

TEST_CASE("operations of lanes get copies of values that a phi has", "[repairs]") {
  constexpr uint32_t phi = 245, copy = 83, shuffle = 345, floatAdd = 350, type = 2, scope = 3;
  std::vector<uint32_t> words = {0x07230203, 0x00010300, 0, 20, 0}, expected = words;
  const auto add = [](std::vector<uint32_t> &to, std::vector<uint32_t> instruction) {
    to.insert(to.end(), instruction.begin(), instruction.end());
  };
  for (std::vector<uint32_t> *each : {&words, &expected})
    add(*each, {7u << 16 | phi, type, 10, 4, 5, 6, 7});
  add(words, {6u << 16 | shuffle, type, 11, scope, 10, 10});
  add(words, {6u << 16 | floatAdd, type, 12, scope, 0, 10});
  add(words, {6u << 16 | floatAdd, type, 13, scope, 0, 12});
  copyForLanes(words);
  expected[3] = 22;
  add(expected, {4u << 16 | copy, type, 20, 10});
  add(expected, {6u << 16 | shuffle, type, 11, scope, 20, 10});
  add(expected, {4u << 16 | copy, type, 21, 10});
  add(expected, {6u << 16 | floatAdd, type, 12, scope, 0, 21});
  add(expected, {6u << 16 | floatAdd, type, 13, scope, 0, 12});
  CHECK(words == expected);
}

TEST_CASE("marked barriers become fences", "[repairs]") {
  auto repaired = [](std::string text) {
    restoreFences(text);
    return text;
  };
  const std::string fence = "    atomic_thread_fence(mem_flags::mem_device | "
                            "mem_flags::mem_threadgroup, memory_order_acq_rel, thread_scope_";
  CHECK(repaired("    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup | "
                 "mem_flags::mem_texture);\n") == fence + "device);\n");
  CHECK(
      repaired("    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_texture);\n") ==
      fence + "threadgroup);\n");
  CHECK(repaired("    simdgroup_barrier(mem_flags::mem_texture);\n") == fence + "simdgroup);\n");
  const std::string barrier =
      "    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);\n";
  CHECK(repaired(barrier) == barrier);
}

TEST_CASE("functions for instructions get the instructions' words", "[repairs]") {
  std::string text = "static inline __attribute__((always_inline))\n"
                     "void sextantInstruction0(thread float& r0, float a0)\n"
                     "{\n    r0 = 0.0;\n}\n"
                     "void sextantInstruction1(thread uint& r0)\n"
                     "{\n    r0 = 0u;\n}\n"
                     "kernel void k()\n{\n    sextantInstruction1(_1);\n}\n";
  writeInstructions(text, {"r0 = a0;", "r0 = 7u;"});
  CHECK(text == "static inline __attribute__((always_inline))\n"
                "void sextantInstruction0(thread float& r0, float a0)\n"
                "{\n    r0 = a0;\n}\n"
                "void sextantInstruction1(thread uint& r0)\n"
                "{\n    r0 = 7u;\n}\n"
                "kernel void k()\n{\n    sextantInstruction1(_1);\n}\n");
}

TEST_CASE("stores to the variables of minima and maxima become atomics", "[repairs]") {
  std::string text = "kernel void k(device _4& sextantMin0 [[buffer(0)]])\n"
                     "    sextantMin0._m0[_5] = _7;\n"
                     "    sextantMax12._m0[_8] = _9;\n"
                     "    _3._m0[_5] = _7;\n";
  restoreMinMax(text);
  CHECK(text == "kernel void k(device _4& sextantMin0 [[buffer(0)]])\n"
                "    atomic_min_explicit((device atomic_ulong*)&sextantMin0._m0[_5], _7, "
                "memory_order_relaxed);\n"
                "    atomic_max_explicit((device atomic_ulong*)&sextantMax12._m0[_8], _9, "
                "memory_order_relaxed);\n"
                "    _3._m0[_5] = _7;\n");
}

TEST_CASE("arrays come from a table", "[repairs]") {
  std::string text = "struct _4\n{\n    uint _m0[1];\n};\n\n"
                     "kernel void k(device void* spvAlias0 [[buffer(0)]], volatile device _4& _5 "
                     "[[buffer(2)]], constant _7& _8 [[buffer(3)]], uint _9 "
                     "[[thread_index_in_threadgroup]])\n{\n    _5._m0[_9] = _8._m0;\n}\n";
  takeFromTable(text, 3);
  CHECK(text == "struct _4\n{\n    uint _m0[1];\n};\n\n"
                "struct sextantArrays\n{\n    device void* spvAlias0;\n    ulong unused1;\n"
                "    volatile device _4* _5;\n};\n\n"
                "kernel void k(constant sextantArrays& sextantTable [[buffer(0)]], constant _7& _8 "
                "[[buffer(1)]], uint _9 [[thread_index_in_threadgroup]])\n{\n"
                "    device void* spvAlias0 = sextantTable.spvAlias0;\n"
                "    volatile device _4& _5 = *sextantTable._5;\n"
                "    _5._m0[_9] = _8._m0;\n}\n");
}

TEST_CASE("a precise product of 0 keeps its sign", "[repairs]") {
  std::string text = "T spvFMul(T l, T r)\n{\n    return fma(l, r, T(0));\n}\n";
  keepSigns(text);
  CHECK(text == "T spvFMul(T l, T r)\n{\n    return fma(l, r, T(-0.0f));\n}\n");
}

TEST_CASE("atomicAdd is defined where it is called", "[repairs]") {
  const std::string head = "#include <metal_stdlib>\n\nusing namespace metal;\n";
  std::string without = head + "float a = b;\n", with = head + "float a = atomicAdd(b, c);\n";
  const std::string before = without;
  defineAtomicAdd(without);
  defineAtomicAdd(with);
  CHECK(without == before);
  CHECK(with == head + R"(
static inline float atomicAdd(volatile device float& place, float value)
{
    return atomic_fetch_add_explicit((volatile device atomic_float*)&place, value, memory_order_relaxed);
}
)" + "float a = atomicAdd(b, c);\n");
}

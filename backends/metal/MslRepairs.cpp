// Each repair looks for text or words that SPIRV-Cross is known to write, and leaves everything
// else alone.
#include "backends/metal/MslRepairs.h"
#include "backends/metal/Raise.h"
#include "backends/spirv/Spirv.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sextant;

void sextant::allowContraction(std::vector<uint32_t> &words) {
  constexpr uint32_t headerWords = 5, decorate = 71, relaxed = 0, noContraction = 42;
  auto isDecoration = [&](size_t at, uint32_t which) {
    return (words[at] & 0xffff) == decorate && words[at] >> 16 == 3 && words[at + 2] == which;
  };
  DenseSet<uint32_t> precise; // SpirvOptions::marksPrecise
  for (size_t at = headerWords; at < words.size(); at += words[at] >> 16)
    if (isDecoration(at, relaxed))
      precise.insert(words[at + 1]);
  for (size_t at = headerWords; at < words.size();)
    if (isDecoration(at, relaxed) ||
        (isDecoration(at, noContraction) && !precise.contains(words[at + 1])))
      words.erase(words.begin() + long(at), words.begin() + long(at + 3));
    else
      at += words[at] >> 16;
}

void sextant::copyForLanes(std::vector<uint32_t> &words) {
  // SPIR-V 1.6, section 3.42: group operations on values are from GroupNonUniformAll to
  // GroupNonUniformLogicalXor.
  constexpr uint32_t headerWords = 5, boundWord = 3, phi = 245, copyObject = 83;
  constexpr uint32_t firstOfLanes = 334, lastOfLanes = 364;
  constexpr uint32_t bitCount = 342, firstReduction = 349;
  DenseMap<uint32_t, uint32_t> phis; // their types
  for (size_t at = headerWords; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == phi)
      phis[words[at + 2]] = words[at + 1];
  std::vector<uint32_t> result(words.begin(), words.begin() + headerWords);
  for (size_t at = headerWords; at < words.size(); at += words[at] >> 16) {
    const uint32_t opcode = words[at] & 0xffff;
    std::vector<uint32_t> code(words.begin() + long(at),
                               words.begin() + long(at + (words[at] >> 16)));
    if (opcode >= firstOfLanes && opcode <= lastOfLanes) {
      const size_t operand = opcode == bitCount || opcode >= firstReduction ? 5 : 4;
      if (auto type = phis.find(code[operand]); type != phis.end()) {
        const uint32_t copy = result[boundWord]++;
        result.insert(result.end(), {4u << 16 | copyObject, type->second, copy, code[operand]});
        code[operand] = copy;
      }
    }
    result.insert(result.end(), code.begin(), code.end());
  }
  words = std::move(result);
}

void sextant::keepSigns(std::string &text) {
  static constexpr StringRef product = "return fma(l, r, T(0));";
  if (size_t at = text.find(product); at != text.npos)
    text.replace(at, product.size(), "return fma(l, r, T(-0.0f));");
}

void sextant::restoreFences(std::string &text) {
  for (size_t at = text.find("_barrier(mem_flags::"); at != text.npos;
       at = text.find("_barrier(mem_flags::", at + 1)) {
    size_t begin = text.find_last_of(" \t\n", at) + 1, end = text.find(')', at) + 1;
    StringRef call = StringRef(text).slice(begin, end);
    if (!call.contains("mem_texture"))
      continue;
    StringRef scope = call.contains("mem_device")        ? "device"
                      : call.contains("mem_threadgroup") ? "threadgroup"
                                                         : "simdgroup";
    std::string fence = ("atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, "
                         "memory_order_acq_rel, thread_scope_" +
                         scope + ")")
                            .str();
    text.replace(begin, end - begin, fence);
    at = begin;
  }
}

void sextant::defineAtomicAdd(std::string &text) {
  if (text.find("atomicAdd(") == text.npos)
    return;
  static constexpr StringRef helper = R"(
static inline float atomicAdd(volatile device float& place, float value)
{
    return atomic_fetch_add_explicit((volatile device atomic_float*)&place, value, memory_order_relaxed);
}
)";
  static constexpr StringRef after = "using namespace metal;\n";
  text.insert(text.find(after) + after.size(), helper.str());
}

void sextant::restoreMinMax(std::string &text) {
  for (auto [name, function] : {std::pair(metalMinimum, "atomic_min_explicit"),
                                std::pair(metalMaximum, "atomic_max_explicit")}) {
    std::string begins = (" " + name).str();
    for (size_t at = text.find(begins); at != text.npos; at = text.find(begins, at + 1)) {
      size_t end = text.find(";\n", at);
      auto [place, value] = StringRef(text).slice(at + 1, end).split(" = ");
      if (!place.ends_with("]") || place.contains('\n') || value.empty()) // a declaration
        continue;
      std::string call = std::string(function) + "((device atomic_ulong*)&" + place.str() + ", " +
                         value.str() + ", memory_order_relaxed)";
      text.replace(at + 1, end - at - 1, call);
    }
  }
}

void sextant::writeInstructions(std::string &text, ArrayRef<std::string> instructions) {
  for (auto [number, body] : enumerate(instructions)) {
    static constexpr StringRef opens = "\n{\n", closes = "}\n";
    const std::string begins = (" " + spirv::instructionName + Twine(number) + "(").str();
    const size_t definition = text.find(begins); // which is before all calls
    const size_t begin = text.find(opens, definition) + opens.size();
    const std::string lines = "    " + join(split(body, "; "), ";\n    ") + "\n";
    text.replace(begin, text.find(closes, begin) - begin, lines);
  }
}

void sextant::takeFromTable(std::string &text, unsigned buffers) {
  const size_t kernel = text.find("\nkernel void ") + 1;
  const size_t begin = text.find('(', kernel) + 1, end = text.find(")\n{\n", begin);
  SmallVector<StringRef> parameters;
  StringRef(text).slice(begin, end).split(parameters, ", ");
  std::vector<std::string> members, kept;
  std::string locals;
  for (StringRef parameter : parameters) {
    auto [declared, attribute] = parameter.split(" [[buffer(");
    unsigned index = 0;
    if (attribute.consumeInteger(10, index)) {
      kept.push_back(parameter.str());
      continue;
    }
    if (index == buffers) { // the values
      kept.push_back((declared + " [[buffer(1)]]").str());
      continue;
    }
    auto [type, name] = declared.rsplit(' '); // "device _7&", or "device void*"
    const bool isReference = type.consume_back("&");
    while (members.size() <= index)
      members.push_back("ulong unused" + std::to_string(members.size()));
    members[index] = (type + (isReference ? "* " : " ") + name).str();
    locals +=
        ("    " + declared + " = " + (isReference ? "*" : "") + "sextantTable." + name + ";\n")
            .str();
  }
  if (members.empty())
    return;
  kept.insert(kept.begin(), "constant sextantArrays& sextantTable [[buffer(0)]]");
  text.insert(end + StringRef(")\n{\n").size(), locals);
  text.replace(begin, end - begin, join(kept, ", "));
  text.insert(kernel, "struct sextantArrays\n{\n    " + join(members, ";\n    ") + ";\n};\n\n");
}

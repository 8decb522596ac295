// Extracts one task from an image that holds all tasks of a kernel. A driver may charge a pipeline
// for everything that its module declares: NVIDIA's adds up the shared memory of all entry points.
// It also has less to read this way.
//
// The walk knows the binary form that backends/spirv writes. A word that might be an id counts as
// one unless it is listed here as a literal.
#include "loader/devices/vulkan/Opcodes.h"
#include "loader/devices/vulkan/Spirv.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader::vulkan {
namespace {

constexpr uint32_t glCompute = 5;

using Words = std::span<const uint32_t>;

struct Instruction {
  Words words;
  uint32_t opcode() const { return words[0] & 0xffff; }
  /// The operand, or 0, which is not an id, if there is none.
  uint32_t operand(size_t index) const { return index < words.size() ? words[index] : 0; }
};

/// Calls `visit` with each instruction from `begin` to `end`.
template <class Visit> void eachInstruction(Words words, size_t begin, size_t end, Visit visit) {
  for (size_t at = begin, count; at < end; at += count) {
    count = words[at] >> 16;
    visit(Instruction{words.subspan(at, count)}, at);
  }
}

/// The index of the first literal after an instruction's ids.
size_t idsEnd(const Instruction &one) {
  switch (one.opcode()) {
  case OpLine:
  case OpSelectionMerge:
    return 2;
  case OpFunction:
  case OpVariable:
  case OpStore:
  case OpLoopMerge:
    return 3;
  case OpLoad:
  case OpCompositeExtract:
  case OpBranchConditional:
    return 4;
  case OpVectorShuffle:
  case OpCompositeInsert:
    return 5;
  default:
    return one.words.size();
  }
}

/// True if the word at index 4 is a literal among ids.
bool hasInnerLiteral(const Instruction &one) {
  const uint32_t opcode = one.opcode();
  return opcode == OpExtInst || opcode == OpBallotBitCount ||
         (opcode >= OpFirstReduction && opcode <= OpLastReduction);
}

/// The result of an instruction outside functions; 0 if it has none.
uint32_t globalResult(const Instruction &one) {
  const uint32_t opcode = one.opcode();
  if (opcode == OpString || opcode == OpExtInstImport ||
      (opcode >= OpFirstType && opcode <= OpLastType))
    return one.operand(1);
  const bool isValue = opcode == OpUndef || opcode == OpVariable ||
                       (opcode >= OpFirstConstant && opcode <= OpLastConstant);
  return isValue ? one.operand(2) : 0;
}

bool isAnnotation(const Instruction &one) {
  const uint32_t opcode = one.opcode();
  return opcode == OpName || opcode == OpMemberName || opcode == OpDecorate ||
         opcode == OpMemberDecorate;
}

bool isNamed(const Instruction &entryPoint, const std::string &name) {
  constexpr size_t nameAt = 3;
  return entryPoint.words.size() > nameAt && entryPoint.operand(1) == glCompute &&
         std::strncmp(reinterpret_cast<const char *>(&entryPoint.words[nameAt]), name.c_str(),
                      (entryPoint.words.size() - nameAt) * sizeof(uint32_t)) == 0;
}

/// A set of ids.
class Ids {
public:
  explicit Ids(size_t bound) : held(bound) {}
  bool has(uint32_t id) const { return id < held.size() && held[id]; }
  /// Returns true if the id is new.
  bool add(uint32_t id) {
    if (id == 0 || id >= held.size() || held[id])
      return false;
    return held[id] = true;
  }

private:
  std::vector<bool> held;
};

struct Function {
  uint32_t id = 0;
  size_t begin = 0, end = 0;
};

struct Outline {
  uint32_t entry = 0;     ///< function of the entry point
  size_t entryAt = 0;     ///< its OpEntryPoint
  size_t entryPoints = 0; ///< in all
  bool isKnown = true;    ///< nothing stands in the way
  size_t headEnd = 0;     ///< where functions begin
  std::vector<Function> functions;
};

Outline outlineOf(Words words, const std::string &entryPoint) {
  Outline outline;
  outline.headEnd = words.size();
  bool inside = false;
  eachInstruction(words, spirvHeaderWords, words.size(), [&](const Instruction &one, size_t at) {
    const uint32_t opcode = one.opcode();
    if (opcode == OpEntryPoint) {
      ++outline.entryPoints;
      if (!outline.entryAt && isNamed(one, entryPoint)) {
        outline.entry = one.operand(2);
        outline.entryAt = at;
      }
    } else if (opcode >= OpFirstGroup && opcode <= OpLastGroup) {
      outline.isKnown = false;
    } else if (opcode == OpFunction) {
      outline.isKnown &= !inside;
      inside = true;
      outline.headEnd = std::min(outline.headEnd, at);
      outline.functions.push_back({one.operand(2), at, at});
    } else if (opcode == OpFunctionEnd) {
      outline.isKnown &= inside;
      if (inside)
        outline.functions.back().end = at + one.words.size();
      inside = false;
    } else {
      outline.isKnown &= inside || outline.functions.empty(); // none between functions
    }
  });
  outline.isKnown &= !inside && outline.entryAt != 0 &&
                     std::any_of(outline.functions.begin(), outline.functions.end(),
                                 [&](const Function &one) { return one.id == outline.entry; });
  return outline;
}

/// Collects the ids that the entry point reaches.
struct Reach {
  Ids functions;
  Ids used; ///< the ids of the functions, of their contents and of what these use
};

Reach reach(Words words, const Outline &outline, size_t bound) {
  std::vector<const Function *> byId(bound);
  for (const Function &function : outline.functions)
    if (function.id < bound)
      byId[function.id] = &function;
  Reach reached{Ids(bound), Ids(bound)};
  std::vector<uint32_t> toVisit;
  auto visit = [&](uint32_t function) {
    if (function < bound && byId[function] && reached.functions.add(function))
      toVisit.push_back(function);
  };
  visit(outline.entry);
  while (!toVisit.empty()) {
    const Function &function = *byId[toVisit.back()];
    toVisit.pop_back();
    eachInstruction(words, function.begin, function.end, [&](const Instruction &one, size_t) {
      const size_t end = std::min(idsEnd(one), one.words.size());
      for (size_t i = 1; i < end; ++i)
        if (i != 4 || !hasInnerLiteral(one))
          reached.used.add(one.words[i]);
      if (one.opcode() == OpFunctionCall)
        visit(one.operand(3));
    });
  }
  // The interface follows the name, whose last word has a zero byte.
  const Instruction entryPoint{words.subspan(outline.entryAt, words[outline.entryAt] >> 16)};
  auto endsText = [](uint32_t word) {
    return !(word & 0xff) || !(word >> 8 & 0xff) || !(word >> 16 & 0xff) || !(word >> 24);
  };
  size_t next = 3;
  while (next < entryPoint.words.size() && !endsText(entryPoint.words[next]))
    ++next;
  for (++next; next < entryPoint.words.size(); ++next)
    reached.used.add(entryPoint.words[next]);
  return reached;
}

} // namespace

std::vector<uint32_t> isolate(std::span<const uint32_t> words, const std::string &entryPoint) {
  const Outline outline = outlineOf(words, entryPoint);
  const size_t bound = words[3]; // the number of ids; each takes words where it is made
  if (!outline.isKnown || outline.entryPoints < 2 || bound > words.size())
    return {words.begin(), words.end()};
  const Reach reached = reach(words, outline, bound);
  auto isUnused = [&](const Instruction &one) {
    return one.opcode() == OpVariable && !reached.used.has(one.operand(2));
  };
  Ids defined(bound);
  eachInstruction(words, spirvHeaderWords, outline.headEnd, [&](const Instruction &one, size_t) {
    if (!isUnused(one))
      defined.add(globalResult(one));
  });
  auto stays = [&](const Instruction &one, size_t at) {
    if (one.opcode() == OpEntryPoint)
      return at == outline.entryAt;
    if (one.opcode() == OpExecutionMode)
      return one.operand(1) == outline.entry;
    if (isAnnotation(one))
      return defined.has(one.operand(1)) || reached.used.has(one.operand(1));
    return !isUnused(one);
  };
  std::vector<uint32_t> alone(words.begin(), words.begin() + spirvHeaderWords);
  alone.reserve(words.size());
  eachInstruction(words, spirvHeaderWords, outline.headEnd, [&](const Instruction &one, size_t at) {
    if (stays(one, at))
      alone.insert(alone.end(), one.words.begin(), one.words.end());
  });
  for (const Function &function : outline.functions)
    if (reached.functions.has(function.id))
      alone.insert(alone.end(), words.begin() + ptrdiff_t(function.begin),
                   words.begin() + ptrdiff_t(function.end));
  return alone;
}

} // namespace sextant::loader::vulkan

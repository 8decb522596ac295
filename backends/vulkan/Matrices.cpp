// A product puts words into the components of matrices, one after another, and takes the sums'
// components out again. Drivers keep matrices in registers, so that nothing moves.
#include "backends/vulkan/Matrices.h"
#include "backends/vulkan/Parts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <array>

using namespace llvm;
using namespace sextant;
using spirv::Words;

// Numbers of the SPIR-V registry; the headers that the build needs are older.
static constexpr uint32_t capabilityMatrices = 6022, capabilityBfloat = 5116,
                          capabilityBfloatMatrices = 5118, encodingBfloat = 0, opTypeMatrix = 4456,
                          opMulAdd = 4459, allSigned = 15;

/// How a lane holds a matrix's part in a product.
enum MatrixUse : uint32_t { A, B, Sums };

namespace {

/// One instruction of the library.
struct Product {
  std::string operands, sums;
  uint32_t m = 0, n = 0, k = 0;   ///< a matrix
  uint32_t rows = 0, columns = 0; ///< matrices
};

} // namespace

//===--- Types -------------------------------------------------------------===//

static uint32_t scalar(StringRef type, ModuleHead &head) {
  if (type == "bf16") {
    const uint32_t id = head.once(spv::OpTypeFloat, {16, encodingBfloat});
    if (head.isNew()) {
      head.name(id, "bfloat16");
      head.capability(capabilityBfloat);
      head.capability(capabilityBfloatMatrices);
      head.extension("SPV_KHR_bfloat16");
    }
    return id;
  }
  unsigned bits = 0;
  type.drop_front().getAsInteger(10, bits);
  return type.front() == 'f' ? head.once(spv::OpTypeFloat, {bits})
                             : head.once(spv::OpTypeInt, {bits, type.front() == 'i'});
}

static uint32_t matrix(StringRef component, uint32_t rows, uint32_t columns, MatrixUse use,
                       ModuleHead &head) {
  const std::array operands{scalar(component, head), head.constant(spv::ScopeSubgroup),
                            head.constant(rows), head.constant(columns), head.constant(use)};
  const uint32_t id = head.once(opTypeMatrix, operands);
  if (head.isNew())
    head.name(
        id, (Twine("abc"[use]) + "_" + component + "_" + Twine(rows) + "x" + Twine(columns)).str());
  return id;
}

static uint32_t pointer(uint32_t type, ModuleHead &head) {
  return head.once(spv::OpTypePointer, {spv::StorageClassFunction, type});
}

//===--- Bodies ------------------------------------------------------------===//

static Product productOf(StringRef words) {
  SmallVector<StringRef> parts, shape, count;
  words.split(parts, ' ');
  parts[3].split(shape, 'x');
  parts[4].split(count, 'x');
  auto number = [](StringRef digits) {
    uint32_t value = 0;
    digits.getAsInteger(10, value);
    return value;
  };
  return {parts[1].str(),   parts[2].str(),   number(shape[0]), number(shape[1]),
          number(shape[2]), number(count[0]), number(count[1])};
}

namespace {

/// Writes one function's body after its parameters.
struct Body {
  ModuleHead &head;
  Words locals, code;

  uint32_t op(uint32_t opcode, uint32_t type, ArrayRef<uint32_t> operands) {
    const uint32_t id = head.newId();
    Words words{type, id};
    words.insert(words.end(), operands.begin(), operands.end());
    append(code, opcode, words);
    return id;
  }
  uint32_t local(uint32_t type) {
    const uint32_t id = head.newId();
    append(locals, spv::OpVariable, {pointer(type, head), id, spv::StorageClassFunction});
    return id;
  }
  uint32_t component(uint32_t matrix, uint32_t type, size_t number) {
    return op(spv::OpAccessChain, pointer(type, head), {matrix, head.constant(uint32_t(number))});
  }
  /// A matrix of components that come in words.
  uint32_t fromWords(uint32_t type, StringRef component, ArrayRef<uint32_t> words);
  /// A matrix of components of 32 bits, which come as numbers of the type `given`.
  uint32_t fromNumbers(uint32_t matrix, uint32_t given, StringRef component,
                       ArrayRef<uint32_t> numbers);
};

} // namespace

/// The type of a word's parts, which become components as they are.
static std::string partOf(StringRef component) {
  return component == "bf16" ? "u16" : component == "i8" ? "u8" : component.str();
}

uint32_t Body::fromWords(uint32_t type, StringRef component, ArrayRef<uint32_t> words) {
  const uint32_t place = local(type), element = scalar(component, head);
  const std::string given = partOf(component);
  const uint32_t part = scalar(given, head);
  const uint32_t count = StringRef(given).ends_with("16") ? 2 : 4;
  const uint32_t vector = head.once(spv::OpTypeVector, {part, count});
  for (auto [w, word] : enumerate(words)) {
    const uint32_t parts = op(spv::OpBitcast, vector, {word});
    for (uint32_t e = 0; e < count; ++e) {
      uint32_t value = op(spv::OpCompositeExtract, part, {parts, e});
      if (part != element)
        value = op(spv::OpBitcast, element, {value});
      append(code, spv::OpStore, {this->component(place, element, w * count + e), value});
    }
  }
  return op(spv::OpLoad, type, {place});
}

uint32_t Body::fromNumbers(uint32_t matrix, uint32_t given, StringRef component,
                           ArrayRef<uint32_t> numbers) {
  const uint32_t place = local(matrix), element = scalar(component, head);
  for (auto [i, number] : enumerate(numbers)) {
    const uint32_t value = given == element ? number : op(spv::OpBitcast, element, {number});
    append(code, spv::OpStore, {this->component(place, element, i), value});
  }
  return op(spv::OpLoad, matrix, {place});
}

/// The function after its parameters, of which the first are pointers to the new sums.
static Words bodyOf(const Product &what, ArrayRef<uint32_t> parameters, uint32_t given,
                    ModuleHead &head) {
  constexpr size_t lanes = 32, bitsOfWord = 32;
  const size_t bits = StringRef(partOf(what.operands)).ends_with("16") ? 16 : 8;
  const size_t inSums = what.m * what.n / lanes, sums = inSums * what.rows * what.columns,
               inLeft = what.m * what.k * bits / lanes / bitsOfWord,
               inRight = what.k * what.n * bits / lanes / bitsOfWord;
  Body body{head, {}, {}};
  const uint32_t left = matrix(what.operands, what.m, what.k, A, head),
                 right = matrix(what.operands, what.k, what.n, B, head),
                 result = matrix(what.sums, what.m, what.n, Sums, head),
                 element = scalar(what.sums, head);
  ArrayRef<uint32_t> rest = parameters.drop_front(sums);
  auto take = [&](size_t count) {
    const ArrayRef<uint32_t> taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  };
  SmallVector<uint32_t> rows, columns;
  for (uint32_t m = 0; m < what.rows; ++m)
    rows.push_back(body.fromWords(left, what.operands, take(inLeft)));
  for (uint32_t n = 0; n < what.columns; ++n)
    columns.push_back(body.fromWords(right, what.operands, take(inRight)));
  for (uint32_t m = 0; m < what.rows; ++m)
    for (uint32_t n = 0; n < what.columns; ++n) {
      const ArrayRef<uint32_t> to = parameters.slice((m * what.columns + n) * inSums, inSums);
      SmallVector<uint32_t> operands{rows[m], columns[n],
                                     body.fromNumbers(result, given, what.sums, take(inSums))};
      if (what.operands == "i8")
        operands.push_back(allSigned);
      const uint32_t place = body.local(result);
      append(body.code, spv::OpStore, {place, body.op(opMulAdd, result, operands)});
      for (auto [i, pointer] : enumerate(to)) {
        uint32_t value = body.op(spv::OpLoad, element, {body.component(place, element, i)});
        if (given != element)
          value = body.op(spv::OpBitcast, given, {value});
        append(body.code, spv::OpStore, {pointer, value});
      }
    }
  Words function;
  append(function, spv::OpLabel, {head.newId()});
  append_range(function, body.locals);
  append_range(function, body.code);
  append(function, spv::OpReturn, {});
  append(function, spv::OpFunctionEnd, {});
  return function;
}

/// The functions that stand for instructions, each with the number of its instruction.
static std::map<uint32_t, unsigned> functionsOf(const ModuleHead &head) {
  std::map<uint32_t, unsigned> functions;
  eachInstruction(head.words, [&](uint32_t op, ArrayRef<uint32_t> one) {
    if (op != spv::OpName)
      return;
    StringRef name(reinterpret_cast<const char *>(&one[2]));
    unsigned number = 0;
    if (name.consume_front(spirv::instructionName) && !name.getAsInteger(10, number))
      functions[one[1]] = number;
  });
  return functions;
}

Words sextant::writeMatrices(const Words &words, ArrayRef<std::string> instructions) {
  ArrayRef<uint32_t> given;
  ModuleHead head(words, given);
  for (uint32_t which : {uint32_t(spv::CapabilityFloat16), uint32_t(spv::CapabilityInt16),
                         uint32_t(spv::CapabilityInt8), capabilityMatrices})
    head.capability(which);
  head.extension("SPV_KHR_cooperative_matrix");
  const std::map<uint32_t, unsigned> numbers = functionsOf(head);
  Words functions, parameters;
  const std::string *instruction = nullptr; // whose function this is
  uint32_t ofSums = 0;                      // the type in which they come, last
  eachInstruction(given, [&](uint32_t op, ArrayRef<uint32_t> one) {
    if (op == spv::OpFunction) {
      const auto found = numbers.find(one[2]);
      instruction = found == numbers.end() ? nullptr : &instructions[found->second];
      parameters.clear();
    }
    if (op == spv::OpFunctionParameter) {
      parameters.push_back(one[2]);
      ofSums = one[1];
    }
    if (!instruction || op == spv::OpFunction || op == spv::OpFunctionParameter)
      append_range(functions, one);
    if (instruction && op == spv::OpFunctionEnd)
      append_range(functions, bodyOf(productOf(*instruction), parameters, ofSums, head));
  });
  return head.with(functions);
}

//===--- For SPIRV-Tools ---------------------------------------------------===//

/// True for a whole module with such matrices, of which each instruction has its operands. Modules
/// may come from anywhere.
static bool hasMatrices(ArrayRef<uint32_t> words) {
  bool has = false;
  for (size_t at = spirvHeaderWords, count; at < words.size(); at += count) {
    count = words[at] >> 16;
    const uint32_t op = words[at] & 0xffff;
    const size_t least = op == opTypeMatrix || op == opMulAdd ? 6 : op == spv::OpConstant ? 4 : 2;
    const bool takesSome =
        op == opTypeMatrix || op == opMulAdd || op == spv::OpConstant || op == spv::OpCapability;
    if (count == 0 || count > words.size() - at || (takesSome && count < least))
      return false;
    has |= op == spv::OpCapability && words[at + 1] == capabilityMatrices;
  }
  return has;
}

Words sextant::withOlderMatrices(ArrayRef<uint32_t> words) {
  if (!hasMatrices(words))
    return words.vec();
  Words result(words.begin(), words.begin() + spirvHeaderWords);
  const Words newer = textWords("SPV_KHR_cooperative_matrix"),
              bfloat = textWords("SPV_KHR_bfloat16");
  std::map<uint32_t, Words> constants; // operands, by id
  eachInstruction(words.drop_front(spirvHeaderWords), [&](uint32_t op, ArrayRef<uint32_t> one) {
    Words operands(one.begin() + 1, one.end());
    if (op == spv::OpCapability && operands[0] == capabilityMatrices) {
      operands[0] = spv::CapabilityCooperativeMatrixNV;
    } else if (op == spv::OpCapability &&
               (operands[0] == capabilityBfloat || operands[0] == capabilityBfloatMatrices)) {
      return;
    } else if (op == spv::OpExtension && operands == newer) {
      operands = textWords("SPV_NV_cooperative_matrix");
    } else if (op == spv::OpExtension && operands == bfloat) {
      return;
    } else if (op == spv::OpTypeFloat && operands.size() == 3) { // bf16: nothing else is an i16
      op = spv::OpTypeInt;
      operands[2] = 1;
    } else if (op == spv::OpConstant) {
      constants[operands[1]] = operands;
    } else if (op == opTypeMatrix) {
      // Without their use, types may be the same: each has a scope of its own.
      if (const auto scope = constants.find(operands[2]); scope != constants.end()) {
        Words own = scope->second;
        own[1] = operands[2] = result[spirvBoundAt]++;
        append(result, spv::OpConstant, own);
      }
      op = spv::OpTypeCooperativeMatrixNV;
      operands.pop_back();
    } else if (op == opMulAdd) {
      op = spv::OpCooperativeMatrixMulAddNV;
      operands.resize(5);
    }
    append(result, op, operands);
  });
  return result;
}

std::string sextant::withNewerNames(std::string text) {
  static constexpr std::pair<StringLiteral, StringLiteral> names[] = {
      {"CooperativeMatrixNV", "CooperativeMatrixKHR"},
      {"CooperativeMatrixMulAddNV", "CooperativeMatrixMulAddKHR"},
      {"SPV_NV_cooperative_matrix", "SPV_KHR_cooperative_matrix"},
      {"%bfloat16 = OpTypeInt 16 1", "%bfloat16 = OpTypeFloat 16 BFloat16KHR"},
  };
  for (const auto &[older, newer] : names)
    for (size_t at = 0; (at = text.find(older.str(), at)) != std::string::npos;)
      text.replace(at, older.size(), newer.str()), at += newer.size();
  return text;
}

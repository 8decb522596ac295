// The task loads matrices of numbers that tell their place, and writes each lane's components.
#include "loader/devices/vulkan/Matrices.h"
#include "loader/devices/vulkan/Image.h"
#include "loader/devices/vulkan/Opcodes.h"
#include "loader/devices/vulkan/Spirv.h"
#include "loader/devices/vulkan/Stream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace sextant::loader::vulkan {
namespace {

//===--- What the driver lists ---------------------------------------------===//

// Numbers of Vulkan's registry; the headers that the build needs are older.
constexpr auto propertiesType = VkStructureType(1000506001);
constexpr uint32_t subgroupScope = 3;
enum Component : uint32_t {
  OfF16 = 0,
  OfF32 = 1,
  OfI8 = 3,
  OfI32 = 5,
  OfU8 = 7,
  OfU32 = 9,
  OfBF16 = 1000141000,
};

/// VkCooperativeMatrixPropertiesKHR
struct Properties {
  VkStructureType type = propertiesType;
  void *next = nullptr;
  uint32_t m = 0, n = 0, k = 0;
  uint32_t a = 0, b = 0, c = 0, result = 0;
  VkBool32 saturates = 0;
  uint32_t scope = 0;
};
using ListProperties = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *, Properties *);

struct Product {
  Component operands, sums;
  uint32_t inner;
};
constexpr Product products[] = {
    {OfF16, OfF32, 16}, {OfBF16, OfF32, 16}, {OfI8, OfI32, 32}, {OfU8, OfU32, 32}};

//===--- Matrices ----------------------------------------------------------===//

enum Use : uint32_t { LeftUse = 0, RightUse = 1, SumsUse = 2 };
struct Matrix {
  Component component;
  Use use;
};
constexpr Matrix matrices[] = {{OfF16, LeftUse},   {OfF16, RightUse}, {OfBF16, LeftUse},
                               {OfBF16, RightUse}, {OfI8, LeftUse},   {OfI8, RightUse},
                               {OfU8, LeftUse},    {OfU8, RightUse},  {OfF32, SumsUse},
                               {OfI32, SumsUse},   {OfU32, SumsUse}};
constexpr uint32_t lanes = 32, outer = 16;

constexpr uint32_t bitsOf(Component component) {
  return component == OfI8 || component == OfU8      ? 8
         : component == OfF16 || component == OfBF16 ? 16
                                                     : 32;
}
/// The elements along the inner axis; of sums, those of a row.
constexpr uint32_t innerOf(Component component) { return bitsOf(component) == 8 ? 32 : 16; }
constexpr uint32_t componentsOf(Component component) { return outer * innerOf(component) / lanes; }
constexpr uint32_t mostComponents = componentsOf(OfI8);
constexpr uint32_t rowsOf(const Matrix &matrix) {
  return matrix.use == RightUse ? innerOf(matrix.component) : outer;
}
constexpr uint32_t columnsOf(const Matrix &matrix) {
  return matrix.use == RightUse ? outer : innerOf(matrix.component);
}

/// Words of 32 bits that hold the matrix, row by row.
constexpr uint32_t wordsOf(const Matrix &matrix) {
  return outer * innerOf(matrix.component) * bitsOf(matrix.component) / 32;
}

/// The number of an element, which tells its place: 8 bits count to a prime that is not a multiple
/// of any distance between elements that one lane might have.
constexpr uint32_t numberOf(Component component, uint32_t element) {
  return bitsOf(component) == 8 ? element % 251 : element;
}

uint32_t bitsOfNumber(Component component, uint32_t number) {
  const uint32_t bits = std::bit_cast<uint32_t>(float(number));
  switch (component) {
  case OfF32:
    return bits;
  case OfBF16:
    return bits >> 16;
  case OfF16: // the exponent's bias is 15 in place of 127, and the numbers are below 2048
    return number ? (bits >> 13) - ((127 - 15) << 10) : 0;
  default:
    return number;
  }
}

/// The element that a lane's component is.
uint32_t expectedElement(const Matrix &matrix, uint32_t lane, uint32_t component) {
  const uint32_t run = innerOf(matrix.component) / 8; // that lie side by side
  const uint32_t which = component / run;             // which is one of four
  const uint32_t across = lane / 4 + which / 2 * 8;
  const uint32_t along = lane % 4 * run + component % run + which % 2 * 4 * run;
  return matrix.use == RightUse ? along * outer + across
                                : across * innerOf(matrix.component) + along;
}

//===--- The task's code ---------------------------------------------------===//

/// Writes SPIR-V, section by section.
class Code {
public:
  std::vector<uint32_t> decorations, globals, body;
  uint32_t ids = 1;

  static void add(std::vector<uint32_t> &section, uint32_t opcode,
                  std::initializer_list<uint32_t> operands) {
    section.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
    section.insert(section.end(), operands);
  }
  static void addText(std::vector<uint32_t> &section, uint32_t opcode,
                      std::initializer_list<uint32_t> before, std::string_view text,
                      std::initializer_list<uint32_t> after = {}) {
    const std::vector<uint32_t> letters = textWords(text);
    section.push_back(uint32_t(before.size() + letters.size() + after.size() + 1) << 16 | opcode);
    section.insert(section.end(), before);
    section.insert(section.end(), letters.begin(), letters.end());
    section.insert(section.end(), after);
  }
  /// A type, which is made once.
  uint32_t type(uint32_t opcode, std::initializer_list<uint32_t> operands) {
    return once(opcode, operands, 0);
  }
  uint32_t constant(uint32_t value) {
    return once(OpConstant, {type(OpTypeInt, {32, 0}), value}, 1);
  }
  uint32_t op(uint32_t opcode, uint32_t type, std::initializer_list<uint32_t> operands) {
    const uint32_t id = ids++;
    body.push_back(uint32_t(operands.size() + 3) << 16 | opcode);
    body.insert(body.end(), {type, id});
    body.insert(body.end(), operands);
    return id;
  }

private:
  /// Looks among all that was made so far: it is little.
  uint32_t once(uint32_t opcode, std::initializer_list<uint32_t> operands, size_t idAt) {
    std::vector<uint32_t> words(operands);
    words.insert(words.begin() + ptrdiff_t(idAt), 0);
    const uint32_t head = uint32_t(words.size() + 1) << 16 | opcode;
    for (size_t at = 0; at < globals.size(); at += globals[at] >> 16) {
      words[idAt] = globals[at + 1 + idAt];
      if (globals[at] == head && std::equal(words.begin(), words.end(), &globals[at + 1]))
        return words[idAt];
    }
    words[idAt] = ids++;
    globals.push_back(head);
    globals.insert(globals.end(), words.begin(), words.end());
    return words[idAt];
  }
};

constexpr uint32_t storageBuffer = 12, inFunction = 7, inputs = 1;

uint32_t componentType(Component component, Code &code) {
  switch (component) {
  case OfF16:
    return code.type(OpTypeFloat, {16});
  case OfBF16:
    return code.type(OpTypeFloat, {16, /*BFloat16KHR*/ 0});
  case OfF32:
    return code.type(OpTypeFloat, {32});
  default:
    return code.type(OpTypeInt, {bitsOf(component), component == OfI8 || component == OfI32});
  }
}

/// A component as 32 bits.
uint32_t asWord(Component component, uint32_t value, Code &code) {
  const uint32_t u32 = code.type(OpTypeInt, {32, 0});
  if (component == OfF16 || component == OfBF16)
    value = code.op(OpFConvert, code.type(OpTypeFloat, {32}), {value});
  if (bitsOf(component) == 8)
    return code.op(component == OfI8 ? OpSConvert : OpUConvert, u32, {value});
  return component == OfU32 ? value : code.op(OpBitcast, u32, {value});
}

struct Arrays {
  uint32_t in, out, lane, pointer; ///< variables, and the type of a pointer to a word
};

/// Loads one matrix from the word `first` on, and writes the lane's components.
void dump(size_t number, uint32_t first, const Arrays &arrays, Code &code,
          std::vector<uint32_t> &locals) {
  const Matrix &matrix = matrices[number];
  const uint32_t component = componentType(matrix.component, code);
  const uint32_t type =
      code.type(OpTypeCooperativeMatrixKHR,
                {component, code.constant(subgroupScope), code.constant(rowsOf(matrix)),
                 code.constant(columnsOf(matrix)), code.constant(matrix.use)});
  const uint32_t place = code.ids++;
  Code::add(locals, OpVariable, {code.type(OpTypePointer, {inFunction, type}), place, inFunction});
  const uint32_t begin =
      code.op(OpAccessChain, arrays.pointer, {arrays.in, code.constant(0), code.constant(first)});
  const uint32_t stride = wordsOf(matrix) / rowsOf(matrix), rowMajor = 0;
  Code::add(code.body, OpStore,
            {place, code.op(OpCooperativeMatrixLoadKHR, type,
                            {begin, code.constant(rowMajor), code.constant(stride)})});
  const uint32_t u32 = code.type(OpTypeInt, {32, 0});
  for (uint32_t i = 0; i < componentsOf(matrix.component); ++i) {
    const uint32_t from = code.op(OpAccessChain, code.type(OpTypePointer, {inFunction, component}),
                                  {place, code.constant(i)});
    const uint32_t word = asWord(matrix.component, code.op(OpLoad, component, {from}), code);
    const uint32_t mine = code.op(OpIMul, u32, {arrays.lane, code.constant(mostComponents)});
    const uint32_t at =
        code.op(OpIAdd, u32, {mine, code.constant(uint32_t(number) * lanes * mostComponents + i)});
    const uint32_t to = code.op(OpAccessChain, arrays.pointer, {arrays.out, code.constant(0), at});
    Code::add(code.body, OpStore, {to, word});
  }
}

/// The whole task, `main`: binding 0 has the matrices one after another, and binding 1 gets each
/// lane's components.
std::vector<uint32_t> probeCode() {
  Code code;
  const uint32_t u32 = code.type(OpTypeInt, {32, 0});
  const uint32_t array = code.type(OpTypeRuntimeArray, {u32});
  const uint32_t block = code.type(OpTypeStruct, {array});
  constexpr uint32_t blockDecoration = 2, arrayStride = 6, builtIn = 11, binding = 33, set = 34,
                     offset = 35, laneBuiltIn = 41;
  Code::add(code.decorations, OpDecorate, {array, arrayStride, 4});
  Code::add(code.decorations, OpDecorate, {block, blockDecoration});
  Code::add(code.decorations, OpMemberDecorate, {block, 0, offset, 0});
  const uint32_t toBlock = code.type(OpTypePointer, {storageBuffer, block});
  auto variable = [&](uint32_t type, uint32_t storage) {
    const uint32_t id = code.ids++;
    Code::add(code.globals, OpVariable, {type, id, storage});
    return id;
  };
  Arrays arrays{};
  for (uint32_t *each : {&arrays.in, &arrays.out}) {
    *each = variable(toBlock, storageBuffer);
    Code::add(code.decorations, OpDecorate, {*each, set, 0});
    Code::add(code.decorations, OpDecorate, {*each, binding, each == &arrays.out});
  }
  const uint32_t laneVariable = variable(code.type(OpTypePointer, {inputs, u32}), inputs);
  Code::add(code.decorations, OpDecorate, {laneVariable, builtIn, laneBuiltIn});
  arrays.pointer = code.type(OpTypePointer, {storageBuffer, u32});
  const uint32_t nothing = code.type(OpTypeVoid, {}), function = code.ids++;
  const uint32_t signature = code.type(OpTypeFunction, {nothing});
  arrays.lane = code.op(OpLoad, u32, {laneVariable});
  std::vector<uint32_t> locals;
  uint32_t first = 0;
  for (size_t number = 0; number < std::size(matrices); ++number) {
    dump(number, first, arrays, code, locals);
    first += wordsOf(matrices[number]);
  }
  // Shader, Float16, Int8, GroupNonUniform, VulkanMemoryModel, BFloat16TypeKHR,
  // BFloat16CooperativeMatrixKHR, CooperativeMatrixKHR
  constexpr uint32_t capabilities[] = {1, 9, 39, 61, 5345, 5116, 5118, 6022};
  std::vector<uint32_t> words{0x07230203, 0x10300, 0, 0, 0};
  for (uint32_t capability : capabilities)
    Code::add(words, OpCapability, {capability});
  for (std::string_view name :
       {"SPV_KHR_vulkan_memory_model", "SPV_KHR_cooperative_matrix", "SPV_KHR_bfloat16"})
    Code::addText(words, OpExtension, {}, name);
  constexpr uint32_t logical = 0, vulkanModel = 3, compute = 5, localSize = 17;
  Code::add(words, OpMemoryModel, {logical, vulkanModel});
  Code::addText(words, OpEntryPoint, {compute, function}, "main", {laneVariable});
  Code::add(words, OpExecutionMode, {function, localSize, lanes, 1, 1});
  for (const auto *section : {&code.decorations, &code.globals})
    words.insert(words.end(), section->begin(), section->end());
  Code::add(words, OpFunction, {nothing, function, 0, signature});
  Code::add(words, OpLabel, {code.ids++});
  for (const auto *section : {&locals, &code.body})
    words.insert(words.end(), section->begin(), section->end());
  Code::add(words, OpReturn, {});
  Code::add(words, OpFunctionEnd, {});
  words[3] = code.ids;
  return words;
}

//===--- The test ----------------------------------------------------------===//

std::vector<uint32_t> inputOf() {
  std::vector<uint32_t> words;
  for (const Matrix &matrix : matrices) {
    const uint32_t bits = bitsOf(matrix.component), inWord = 32 / bits;
    for (uint32_t word = 0; word < wordsOf(matrix); ++word) {
      uint32_t value = 0;
      for (uint32_t e = 0; e < inWord; ++e)
        value |= bitsOfNumber(matrix.component, numberOf(matrix.component, word * inWord + e))
                 << (e * bits);
      words.push_back(value);
    }
  }
  return words;
}

/// The word that the task writes for a component, see asWord().
uint32_t expectedWord(const Matrix &matrix, uint32_t lane, uint32_t component) {
  const uint32_t number = numberOf(matrix.component, expectedElement(matrix, lane, component));
  switch (matrix.component) {
  case OfF16:
  case OfBF16:
  case OfF32:
    return bitsOfNumber(OfF32, number);
  case OfI8:
    return uint32_t(int8_t(number));
  default:
    return number;
  }
}

bool isExpected(std::span<const uint32_t> output) {
  for (size_t number = 0; number < std::size(matrices); ++number)
    for (uint32_t lane = 0; lane < lanes; ++lane)
      for (uint32_t i = 0; i < componentsOf(matrices[number].component); ++i)
        if (output[(number * lanes + lane) * mostComponents + i] !=
            expectedWord(matrices[number], lane, i))
          return false;
  return true;
}

/// Memory of the device that is released in the end.
struct Memory {
  explicit Memory(Context &context) : context(context) {}
  ~Memory() {
    if (address)
      context.release(address);
  }
  Context &context;
  uint64_t address = 0;
};

} // namespace

bool hasMatrices(const Instance &instance, VkPhysicalDevice physical) {
  const auto list = reinterpret_cast<ListProperties>(instance.GetInstanceProcAddr(
      instance.handle, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  uint32_t count = 0;
  if (!list || list(physical, &count, nullptr) != VK_SUCCESS)
    return false;
  std::vector<Properties> rows(count);
  if (list(physical, &count, rows.data()) < VK_SUCCESS)
    return false;
  return std::all_of(std::begin(products), std::end(products), [&](const Product &one) {
    return std::any_of(rows.begin(), rows.end(), [&](const Properties &row) {
      return row.m == outer && row.n == outer && row.k == one.inner && row.a == one.operands &&
             row.b == one.operands && row.c == one.sums && row.result == one.sums &&
             !row.saturates && row.scope == subgroupScope;
    });
  });
}

sxt_status probeMatrices(Context &context, bool &are) {
  are = false;
  const std::vector<uint32_t> words = probeCode(), input = inputOf();
  std::vector<uint32_t> output(std::size(matrices) * lanes * mostComponents);
  std::unique_ptr<LoadedImage> image;
  SXT_TRY(loadSpirv(context, std::as_bytes(std::span(words)), image));
  module::Task task;
  task.symbol = "main";
  task.blockDim = lanes;
  module::BlockLayout layout;
  for (uint32_t i = 0; i < 2; ++i)
    layout.params.push_back({abi::Param::Buffer, abi::ScalarType::U32, 8 * i, 8});
  layout.size = 16;
  LoadedTask loaded;
  loaded.wave = lanes;
  SXT_TRY(image->findTask(task, layout, {}, loaded));
  Memory in(context), out(context);
  SXT_TRY(context.allocate(input.size() * 4, in.address));
  SXT_TRY(context.allocate(output.size() * 4, out.address));
  VulkanStream stream(context);
  SXT_TRY(stream.start());
  SXT_TRY(stream.write(in.address, input.data(), input.size() * 4));
  const std::array block{in.address, out.address};
  SXT_TRY(stream.launch(loaded, 1, block.data(), sizeof block));
  SXT_TRY(stream.read(output.data(), out.address, output.size() * 4));
  SXT_TRY(stream.synchronize());
  are = isExpected(output);
  return SXT_OK;
}

} // namespace sextant::loader::vulkan

// The loader takes one task out of an image: what is left is valid, holds all that the task
// uses, and none of what only the others use.
#include "loader/devices/vulkan/Spirv.h"

#include "backends/Backend.h"
#include "backends/spirv/Spirv.h"
#include "backends/vulkan/Matrices.h"
#include "frontend/ir/SimtDialect.h"
#include "tests/support/Catch.h"

#include "mlir/Parser/Parser.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace sextant;
using loader::vulkan::isolate;
using loader::vulkan::withOffsets;
using Words = std::vector<uint32_t>;

namespace {

struct Compiler {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Compiler() { simt::loadDialects(context); }

  Words compile(const std::string &text, unsigned level, bool lineInfo) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
    CompileOptions options;
    options.verifyStages = true;
    options.optLevel = level;
    options.lineInfo = lineInfo;
    Target target{"vulkan", "1.1", {}, simt::getWaveSize(*module)};
    llvm::Expected<Image> image = findBackend("vulkan")->compile(*module, target, options);
    const std::string error = image ? "" : llvm::toString(image.takeError());
    REQUIRE(error == "");
    Words words(image->bytes.size() / sizeof(uint32_t));
    std::memcpy(words.data(), image->bytes.data(), image->bytes.size());
    return words;
  }
};

std::vector<std::string> entryPoints(const Words &words) {
  std::vector<std::string> names;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == 15) // OpEntryPoint
      names.emplace_back(reinterpret_cast<const char *>(&words[at + 3]));
  return names;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::string textOf(const Words &words) { return llvm::cantFail(spirv::disassemble(words)); }
llvm::Error validate(const Words &words) { return spirv::validate(withOlderMatrices(words)); }

/// A task that turns a block round through `elements` of shared memory.
std::string task(const std::string &name, unsigned elements) {
  return "func.func @" + name +
         "(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32, "
         "full_blocks}} {\n"
         "%t = simt.thread_idx\n"
         "%s = simt.shared \"s\" : !simt.buffer<f32, shared, " +
         std::to_string(elements) +
         ">\n"
         "%v = simt.load %p[%t] : !simt.buffer<f32, global>, i32\n"
         "%w = arith.addf %v, %v : f32\n"
         "simt.store %w, %s[%t] : !simt.buffer<f32, shared, " +
         std::to_string(elements) +
         ">, i32\n"
         "simt.barrier\n"
         "%c = arith.constant 63 : i32\n"
         "%u = arith.subi %c, %t : i32\n"
         "%x = simt.load %s[%u] : !simt.buffer<f32, shared, " +
         std::to_string(elements) +
         ">, i32\n"
         "simt.store %x, %p[%t] : !simt.buffer<f32, global>, i32\n"
         "return\n}\n";
}

std::string moduleOf(const std::string &tasks) {
  return "module attributes {simt.wave = 32 : i32} {\n" + tasks + "}\n";
}

/// A module of instructions, with `bound` ids.
Words assemble(uint32_t bound, std::initializer_list<Words> instructions) {
  Words words = {0x07230203, 0x10300, 0, bound, 0};
  for (const Words &one : instructions) {
    words.push_back(uint32_t(one.size()) << 16 | one[0]);
    words.insert(words.end(), one.begin() + 1, one.end());
  }
  return words;
}

constexpr uint32_t nameA = 'a', nameB = 'b'; // each with its NUL

} // namespace

TEST_CASE("a pipeline is only charged with the shared memory of its task", "[vulkan]") {
  Compiler compiler;
  for (unsigned level : {0, 3})
    for (bool lines : {false, true}) {
      const Words words = compiler.compile(
          moduleOf(task("a", 64) + task("b", 6144) + task("c", 100)), level, lines);
      REQUIRE(count(textOf(words), "Workgroup\n") >= 3);
      for (auto [name, elements] : {std::pair("a", "%uint_64"), std::pair("b", "%uint_6144"),
                                    std::pair("c", "%uint_100")}) {
        const Words alone = isolate(words, name);
        CHECK(llvm::toString(validate(alone)) == "");
        CHECK(entryPoints(alone) == std::vector<std::string>{name});
        const std::string text = textOf(alone);
        INFO(text);
        CHECK(count(text, "= OpFunction ") == 1);
        CHECK(count(text, "OpVariable %_ptr_Workgroup__arr_float_") == 1);
        CHECK(count(text, std::string("OpVariable %_ptr_Workgroup__arr_float_") + (elements + 1)) ==
              1);
        CHECK(count(text, "LocalSize") == 1);
        CHECK(count(text, "NoContraction") == 1);
      }
      // A task that is taken out of it is as it was.
      CHECK(isolate(isolate(words, "b"), "b") == isolate(words, "b"));
    }
}

TEST_CASE("a task keeps the functions that it calls, and no others", "[vulkan]") {
  Compiler compiler;
  auto divides = [](const std::string &name, const std::string &op) {
    return "func.func @" + name +
           "(%p: !simt.buffer<f32, global>, %a: f32, %b: f32) attributes {simt.task = {block_dim = "
           "64 : i32}} {\n%t = simt.thread_idx\n" +
           op +
           "simt.store %y, %p[%t] : !simt.buffer<f32, global>, i32\n"
           "return\n}\n";
  };
  const std::string twice = "%x = arith.divf %a, %b : f32\n%y = arith.divf %x, %b : f32\n";
  const std::string roots = "%x = math.sqrt %a : f32\n%y = math.sqrt %x : f32\n";
  const Words words = compiler.compile(moduleOf(divides("a", twice) +
                                                divides("b", "%y = arith.addf %a, %b : f32\n") +
                                                divides("c", roots) + divides("d", twice)),
                                       3, false);
  REQUIRE(count(textOf(words), "= OpFunction ") == 6); // four tasks, a division, a root
  for (auto [name, functions, calls] :
       {std::tuple("a", 2, 2), {"b", 1, 0}, {"c", 2, 2}, {"d", 2, 2}}) {
    const Words alone = isolate(words, name);
    CHECK(llvm::toString(validate(alone)) == "");
    INFO(textOf(alone));
    CHECK(count(textOf(alone), "= OpFunction ") == size_t(functions));
    CHECK(count(textOf(alone), "OpFunctionCall") == size_t(calls));
  }
}

TEST_CASE("each task of every test module is valid by itself", "[vulkan]") {
  Compiler compiler;
  unsigned tasks = 0;
  for (const auto &entry : std::filesystem::directory_iterator(SEXTANT_CODE_TESTS)) {
    if (entry.path().extension() != ".mlir" || entry.path().stem() == "errors")
      continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    std::string own = text.str();
    for (auto [from, to] :
         {std::pair("simt.wave = WAVE", "simt.wave = 32"), {"tile LOG", "tile 5"}})
      for (size_t at; (at = own.find(from)) != std::string::npos;)
        own.replace(at, std::strlen(from), to);
    for (unsigned level : {0, 3})
      for (bool lines : {false, true}) {
        const Words words = compiler.compile(own, level, lines);
        for (const std::string &name : entryPoints(words)) {
          INFO(entry.path() << ", " << name);
          const Words alone = isolate(words, name);
          CHECK(llvm::toString(validate(alone)) == "");
          CHECK(entryPoints(alone) == std::vector<std::string>{name});
          // So it is with offsets, whichever bindings are arrays.
          for (size_t arrays : {0, 1, 8}) {
            std::vector<uint32_t> strides(arrays);
            CHECK(llvm::toString(validate(withOffsets(alone, 100, strides))) == "");
          }
          ++tasks;
        }
      }
  }
  CHECK(tasks >= 80);
}

TEST_CASE("offsets are added to each access of an array", "[vulkan]") {
  Compiler compiler;
  // %c is reached as bytes and as words, %d not at all; the values are in a buffer.
  std::string values;
  for (int i = 0; i < 40; ++i)
    values += ", %v" + std::to_string(i) + ": i32";
  const Words words = isolate(
      compiler.compile(
          moduleOf("func.func @a(%a: !simt.buffer<f32, global>, %b: !simt.buffer<i16, global>, "
                   "%c: !simt.buffer<i8, global>, %d: !simt.buffer<i64, global>" +
                   values +
                   ") attributes {simt.task = {block_dim = 64 : i32}} {\n"
                   "%t = simt.thread_idx\n"
                   "%x = simt.load %a[%t] : !simt.buffer<f32, global>, i32\n"
                   "simt.store %x, %a[%v7] : !simt.buffer<f32, global>, i32\n"
                   "%y = simt.load %b[%t] : !simt.buffer<i16, global>, i32\n"
                   "simt.store %y, %b[%v9] : !simt.buffer<i16, global>, i32\n"
                   "%z = simt.load %c[%t] : !simt.buffer<i8, global>, i32\n"
                   "%o = simt.atomic_rmw addi %z, %c[%v3] : !simt.buffer<i8, global>, i32\n"
                   "return\n}\n"),
          3, false),
      "a");
  std::vector<uint32_t> strides(4);
  const Words shifted = withOffsets(words, 5, strides);
  CHECK(llvm::toString(validate(shifted)) == "");
  CHECK(strides == std::vector<uint32_t>{4, 2, 4, 0});
  const std::string before = textOf(words), text = textOf(shifted);
  INFO(text);
  CHECK(count(text, "Binding 5\n") == 1);
  // Two accesses of %a and of %b, one of each kind of %c.
  CHECK(count(text, "OpIAdd") - count(before, "OpIAdd") == 6);
  CHECK(count(text, "OpAccessChain") - count(before, "OpAccessChain") == 6);
}

TEST_CASE("code without tasks is valid", "[vulkan]") {
  Compiler compiler;
  for (unsigned level : {0, 3})
    CHECK(entryPoints(compiler.compile(moduleOf(""), level, true)).size() == 1);
}

TEST_CASE("functions that tasks share stay, literals are not ids", "[vulkan]") {
  const Words both = assemble(30, {{17, 1},
                                   {14, 0, 1},
                                   {15, 5, 10, nameA},
                                   {15, 5, 11, nameB},
                                   {16, 10, 17, 1, 1, 1},
                                   {16, 11, 17, 1, 1, 1},
                                   {5, 12, nameA},
                                   {5, 11, nameB},
                                   {71, 21, 42},
                                   {19, 1},
                                   {33, 2, 1},
                                   {22, 3, 32},
                                   {32, 4, 4, 3},
                                   {59, 4, 4 + 1, 4}, // %5, used by the function that both call
                                   {59, 4, 6, 4},     // %6, by no one
                                   {54, 1, 10, 0, 2},
                                   {248, 15},
                                   {57, 1, 16, 12},
                                   {8, 9, 6, 6}, // OpLine: its 6 is not a variable
                                   {253},
                                   {56},
                                   {54, 1, 11, 0, 2},
                                   {248, 20},
                                   {57, 1, 21, 12},
                                   {253},
                                   {56},
                                   {54, 1, 12, 0, 2},
                                   {248, 25},
                                   {61, 3, 26, 5},
                                   {253},
                                   {56}});
  const Words a = assemble(30, {{17, 1},
                                {14, 0, 1},
                                {15, 5, 10, nameA},
                                {16, 10, 17, 1, 1, 1},
                                {5, 12, nameA},
                                {19, 1},
                                {33, 2, 1},
                                {22, 3, 32},
                                {32, 4, 4, 3},
                                {59, 4, 5, 4},
                                {54, 1, 10, 0, 2},
                                {248, 15},
                                {57, 1, 16, 12},
                                {8, 9, 6, 6},
                                {253},
                                {56},
                                {54, 1, 12, 0, 2},
                                {248, 25},
                                {61, 3, 26, 5},
                                {253},
                                {56}});
  CHECK(isolate(both, "a") == a);
}

TEST_CASE("a module that is not understood stays as it is", "[vulkan]") {
  const Words function = {54, 1, 10, 0, 2}, end = {56}, a = {15, 5, 10, nameA},
              b = {15, 5, 11, nameB}, variable = {59, 4, 6, 4};
  auto stays = [](const Words &words, const char *name = "a") {
    return isolate(words, name) == words;
  };
  CHECK(!stays(assemble(12, {a, b, variable, function, end})));
  CHECK(stays(assemble(12, {a, variable, function, end})));             // there is one
  CHECK(stays(assemble(12, {a, b, variable, function, end}), "c"));     // there is none
  CHECK(stays(assemble(1u << 31, {a, b, variable, function, end})));    // cannot be so many ids
  CHECK(stays(assemble(12, {a, b, {73, 9}, variable, function, end}))); // groups of decorations
  CHECK(stays(assemble(12, {a, b, variable, function, function, end})));
  CHECK(stays(assemble(12, {a, b, variable, function, end, end})));
  CHECK(stays(assemble(12, {a, b, variable, function})));
  CHECK(stays(assemble(12, {a, b, variable, function, end, variable})));
  CHECK(stays(assemble(12, {a, b, variable})));
  // Instructions cut short, and ids beyond the bound.
  CHECK(isolate(assemble(12, {a, b, {59}, function, {57}, end, {54}, end}), "a").size() ==
        5 + 4 + 5 + 1 + 1);
  CHECK(isolate(assemble(12, {a, b, {54, 1, 10}, {57, 1, 99, 10}, {57, 1, 2, 99}, end}), "a")
            .size() == 5 + 4 + 3 + 4 + 4 + 1);
}

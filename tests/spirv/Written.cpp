// Reads the words of a finished module.
#define SPV_ENABLE_UTILITY_CODE // which opcodes have a result
#include "tests/spirv/Written.h"
#include "backends/spirv/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace spirvtest;

Written::Written(const std::string &params, const std::string &body, SpirvOptions given,
                 unsigned block, unsigned wave)
    : options(std::move(given)), code(options, wave) {
  simt::loadDialects(context);
  const std::string text = "module attributes {simt.wave = " + std::to_string(wave) +
                           " : i32} {\nfunc.func @task(" + params +
                           ") attributes {simt.task = {block_dim = " + std::to_string(block) +
                           " : i32}} {\n%t = arith.constant 5 : i32\n" + body + "\nreturn\n}\n}\n";
  module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  function = std::make_unique<FunctionCode>(code, source(), values);
  function->task = *simt::getTaskInfo(source());
  id = code.w.beginFunction();
}

void Written::constants() {
  source().walk([&](mlir::arith::ConstantOp op) {
    values[op.getResult()] = elementwise(*op, {}, false, code.w);
  });
}

void Written::finish() {
  code.w.effect(spv::OpReturn, {});
  code.w.endFunction();
  code.w.entryPoint(id, "task", Words(function->interface.begin(), function->interface.end()),
                    function->task.blockDim);
  const Words words = code.w.finish(options.version);
  llvm::Error invalid = validate(words);
  const std::string why = invalid ? llvm::toString(std::move(invalid)) : "";
  REQUIRE(why == "");
  for (size_t at = 5; at < words.size();) {
    const size_t length = words[at] >> 16;
    Instruction one{spv::Op(words[at] & 0xffff), 0, 0, {}};
    size_t first = at + 1;
    bool hasResult = false, hasType = false;
    spv::HasResultAndType(one.op, &hasResult, &hasType);
    if (hasType)
      one.type = words[first++];
    if (hasResult)
      one.result = words[first++];
    one.operands.assign(words.begin() + first, words.begin() + at + length);
    instructions.push_back(std::move(one));
    at += length;
  }
}

std::vector<Instruction> Written::all(spv::Op op) const {
  std::vector<Instruction> found;
  for (const Instruction &one : instructions)
    if (one.op == op)
      found.push_back(one);
  return found;
}

Instruction Written::only(spv::Op op) const {
  const std::vector<Instruction> found = all(op);
  REQUIRE(found.size() == 1);
  return found.front();
}

Instruction Written::maker(Id id) const {
  for (const Instruction &one : instructions)
    if (one.result == id)
      return one;
  FAIL("nothing makes " << id);
  return {};
}

uint64_t Written::number(Id id) const {
  const Instruction constant = maker(id);
  REQUIRE(constant.op == spv::OpConstant);
  return constant.operands[0] |
         (constant.operands.size() > 1 ? uint64_t(constant.operands[1]) << 32 : 0);
}

bool Written::isDecorated(Id id, spv::Decoration decoration) const {
  return llvm::any_of(all(spv::OpDecorate), [&](const Instruction &one) {
    return one.operands[0] == id && one.operands[1] == uint32_t(decoration);
  });
}

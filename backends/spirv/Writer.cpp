// The binary form of SPIR-V: an instruction is a word with its length and opcode, then its
// operands.
#include "backends/spirv/Writer.h"

#include <cassert>

using namespace llvm;
using namespace sextant::spirv;

void sextant::spirv::append(Words &section, uint32_t op, Operands operands) {
  section.push_back(uint32_t(operands.size() + 1) << 16 | op);
  section.insert(section.end(), operands.begin(), operands.end());
}

Words sextant::spirv::textWords(StringRef text) {
  Words words(text.size() / 4 + 1);
  for (size_t i = 0; i < text.size(); ++i)
    words[i / 4] |= uint32_t(uint8_t(text[i])) << (8 * (i % 4));
  return words;
}

static void appendText(Words &words, StringRef text) {
  const Words letters = textWords(text);
  words.insert(words.end(), letters.begin(), letters.end());
}

//===--- The module's head -------------------------------------------------===//

void Writer::physicalAddresses() {
  capability(spv::CapabilityPhysicalStorageBufferAddresses);
  extension("SPV_KHR_physical_storage_buffer");
  addressing = spv::AddressingModelPhysicalStorageBuffer64;
}

Id Writer::glsl() {
  if (!glslId)
    glslId = newId();
  return glslId;
}

void Writer::entryPoint(Id function, StringRef name, Operands interface, uint32_t localSize) {
  Words words{spv::ExecutionModelGLCompute, function};
  appendText(words, name);
  words.insert(words.end(), interface.begin(), interface.end());
  append(entryPoints, spv::OpEntryPoint, words);
  append(executionModes, spv::OpExecutionMode,
         {function, spv::ExecutionModeLocalSize, localSize, 1, 1});
}

void Writer::decorate(Id target, spv::Decoration decoration, Operands operands) {
  Words words{target, uint32_t(decoration)};
  words.insert(words.end(), operands.begin(), operands.end());
  append(decorations, spv::OpDecorate, words);
}

void Writer::decorateMember(Id type, uint32_t member, spv::Decoration decoration,
                            Operands operands) {
  Words words{type, member, uint32_t(decoration)};
  words.insert(words.end(), operands.begin(), operands.end());
  append(decorations, spv::OpMemberDecorate, words);
}

void Writer::name(Id target, StringRef text) {
  Words words{target};
  appendText(words, text);
  append(names, spv::OpName, words);
}

Id Writer::string(StringRef text) {
  Id &id = strings[text];
  if (!id) {
    id = newId();
    Words words{id};
    appendText(words, text);
    append(stringSection, spv::OpString, words);
  }
  return id;
}

//===--- Types, constants, variables ---------------------------------------===//

Id Writer::unique(spv::Op op, Operands operands, bool typed) {
  Words key{uint32_t(op)};
  key.insert(key.end(), operands.begin(), operands.end());
  Id &id = known[key];
  if (!id) {
    id = newId();
    // The result comes first, or after the type if there is one.
    Words words(operands.begin(), operands.end());
    words.insert(words.begin() + (typed ? 1 : 0), id);
    append(globals, op, words);
  }
  return id;
}

Id Writer::structType(Operands members) {
  Words words{newId()};
  words.insert(words.end(), members.begin(), members.end());
  append(globals, spv::OpTypeStruct, words);
  return words.front();
}

Id Writer::constant(Id type, unsigned width, uint64_t bits) {
  if (width == 64)
    return unique(spv::OpConstant, {type, uint32_t(bits), uint32_t(bits >> 32)}, true);
  return unique(spv::OpConstant, {type, uint32_t(bits)}, true);
}

Id Writer::variable(spv::StorageClass storage, Id type) {
  Id id = newId(), pointer = pointerType(storage, type);
  append(globals, spv::OpVariable, {pointer, id, uint32_t(storage)});
  return id;
}

Id Writer::specConstant(uint32_t number, uint32_t otherwise) {
  Id id = newId(), type = intType(32);
  append(globals, spv::OpSpecConstant, {type, id, otherwise});
  decorate(id, spv::DecorationSpecId, {number});
  return id;
}

//===--- Functions ---------------------------------------------------------===//

Id Writer::beginFunction(Id result) {
  assert(!currentFunction && "functions do not nest");
  resultType = result ? result : voidType();
  currentFunction = newId();
  firstBlock = currentBlock = newId();
  lastLine = {};
  return currentFunction;
}

Id Writer::parameter(Id type) {
  const Id id = newId();
  parameterTypes.push_back(type);
  append(parameters, spv::OpFunctionParameter, {type, id});
  return id;
}

void Writer::endFunction() {
  Words signature{resultType};
  signature.insert(signature.end(), parameterTypes.begin(), parameterTypes.end());
  Id type = unique(spv::OpTypeFunction, signature);
  append(functions, spv::OpFunction,
         {resultType, currentFunction, spv::FunctionControlMaskNone, type});
  functions.insert(functions.end(), parameters.begin(), parameters.end());
  append(functions, spv::OpLabel, {firstBlock});
  functions.insert(functions.end(), locals.begin(), locals.end());
  functions.insert(functions.end(), body.begin(), body.end());
  append(functions, spv::OpFunctionEnd, {});
  parameterTypes.clear();
  parameters.clear();
  locals.clear();
  body.clear();
  currentFunction = 0;
}

Id Writer::localVariable(Id type) {
  Id id = newId(), pointer = pointerType(spv::StorageClassFunction, type);
  append(locals, spv::OpVariable, {pointer, id, spv::StorageClassFunction});
  return id;
}

void Writer::beginBlock(Id label) {
  append(body, spv::OpLabel, {label});
  currentBlock = label;
  lastLine = {};
}

Id Writer::op(spv::Op opcode, Id type, Operands operands) {
  Id id = newId();
  body.push_back(uint32_t(operands.size() + 3) << 16 | uint32_t(opcode));
  body.push_back(type);
  body.push_back(id);
  body.insert(body.end(), operands.begin(), operands.end());
  return id;
}

Id Writer::glslOp(GLSLstd450 function, Id type, Operands operands) {
  Words words{glsl(), uint32_t(function)};
  words.insert(words.end(), operands.begin(), operands.end());
  return op(spv::OpExtInst, type, words);
}

void Writer::effect(spv::Op opcode, Operands operands) { append(body, opcode, operands); }

Writer::Phi Writer::phi(Id type, unsigned incoming) {
  Id id = op(spv::OpPhi, type, Words(2 * incoming));
  return {id, body.size() - 2 * incoming};
}

void Writer::setIncoming(const Phi &phi, unsigned number, Id value, Id from) {
  body[phi.at + 2 * number] = value;
  body[phi.at + 2 * number + 1] = from;
}

void Writer::line(Id file, uint32_t line, uint32_t column) {
  std::array<uint32_t, 3> now{file, line, column};
  if (now == lastLine)
    return;
  lastLine = now;
  append(body, spv::OpLine, now);
}

Words Writer::finish(uint32_t version) const {
  Words words{spv::MagicNumber, version, /*generator=*/0, nextId, /*schema=*/0};
  append(words, spv::OpCapability, {spv::CapabilityShader});
  for (spv::Capability capability : capabilities)
    append(words, spv::OpCapability, {uint32_t(capability)});
  for (const std::string &extension : extensions) {
    Words text;
    appendText(text, extension);
    append(words, spv::OpExtension, text);
  }
  if (glslId) {
    Words import{glslId};
    appendText(import, "GLSL.std.450");
    append(words, spv::OpExtInstImport, import);
  }
  append(words, spv::OpMemoryModel, {uint32_t(addressing), spv::MemoryModelGLSL450});
  for (const Words *section :
       {&entryPoints, &executionModes, &stringSection, &names, &decorations, &globals, &functions})
    words.insert(words.end(), section->begin(), section->end());
  return words;
}

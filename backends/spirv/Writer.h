// Writes a SPIR-V module word by word: the sections in their order, each type and constant once,
// capabilities as they are needed. It knows only the binary form, and nothing of the simt dialect.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace sextant::spirv {

using Id = uint32_t;
using Words = std::vector<uint32_t>;
using Operands = llvm::ArrayRef<uint32_t>;

/// Appends an instruction: a word with its length and opcode, then its operands.
void append(Words &section, uint32_t op, Operands operands);
/// A literal string: bytes, the least significant first, with a zero at the end.
Words textWords(llvm::StringRef text);

class Writer {
public:
  Id newId() { return nextId++; }

  //===--- The module's head -----------------------------------------------===//
  void capability(spv::Capability capability) { capabilities.insert(capability); }
  void extension(llvm::StringRef name) { extensions.insert(name.str()); }
  /// The module has pointers to PhysicalStorageBuffer.
  void physicalAddresses();
  /// The instruction set GLSL.std.450.
  Id glsl();
  void entryPoint(Id function, llvm::StringRef name, Operands interface, uint32_t localSize);
  void decorate(Id target, spv::Decoration decoration, Operands operands = {});
  void decorateMember(Id type, uint32_t member, spv::Decoration decoration, Operands operands = {});
  void name(Id target, llvm::StringRef text);
  /// An OpString. Each text is written once.
  Id string(llvm::StringRef text);

  //===--- Types, constants, variables -------------------------------------===//
  /// A type or constant. The same instruction gets the same id.
  Id unique(spv::Op op, Operands operands, bool typed = false);
  Id voidType() { return unique(spv::OpTypeVoid, {}); }
  Id boolType() { return unique(spv::OpTypeBool, {}); }
  Id intType(unsigned width) { return unique(spv::OpTypeInt, {width, 0}); }
  Id signedType(unsigned width) { return unique(spv::OpTypeInt, {width, 1}); }
  Id floatType(unsigned width) { return unique(spv::OpTypeFloat, {width}); }
  Id vectorType(Id element, unsigned count) { return unique(spv::OpTypeVector, {element, count}); }
  Id pointerType(spv::StorageClass storage, Id type) {
    return unique(spv::OpTypePointer, {uint32_t(storage), type});
  }
  Id arrayType(Id element, uint32_t count) {
    return unique(spv::OpTypeArray, {element, intConstant(count)});
  }
  /// A struct that no other use shares, because it carries decorations.
  Id structType(Operands members);
  /// `bits` of a scalar of `width` bits; up to 32 bits take one word.
  Id constant(Id type, unsigned width, uint64_t bits);
  Id intConstant(uint32_t value) { return constant(intType(32), 32, value); }
  Id boolConstant(bool value) {
    return unique(value ? spv::OpConstantTrue : spv::OpConstantFalse, {boolType()}, true);
  }
  Id variable(spv::StorageClass storage, Id type);
  /// A 32-bit constant that the maker of the pipeline may set, by its number.
  Id specConstant(uint32_t number, uint32_t otherwise);

  //===--- Functions -------------------------------------------------------===//
  /// Begins a function, and its first block. \param result its type; 0: it has none
  Id beginFunction(Id result = 0);
  /// A parameter of the function, after those before it.
  Id parameter(Id type);
  void endFunction();
  /// A local variable of the function.
  Id localVariable(Id type);
  void beginBlock(Id label);
  /// The block that instructions go to.
  Id block() const { return currentBlock; }
  /// Writes an instruction with a result.
  Id op(spv::Op opcode, Id type, Operands operands);
  Id glslOp(GLSLstd450 function, Id type, Operands operands);
  /// Writes an instruction without a result.
  void effect(spv::Op opcode, Operands operands);
  /// Writes a phi whose operands are known later; setIncoming fills them in.
  struct Phi {
    Id id;
    size_t at;
  };
  Phi phi(Id type, unsigned incoming);
  void setIncoming(const Phi &phi, unsigned number, Id value, Id from);
  /// Sets the source line of what follows in this block.
  void line(Id file, uint32_t line, uint32_t column);

  /// Returns the whole module. `version` is in the header's form, 0x00010300 for 1.3.
  Words finish(uint32_t version) const;

private:
  Id nextId = 1;
  std::set<spv::Capability> capabilities;
  std::set<std::string> extensions;
  spv::AddressingModel addressing = spv::AddressingModelLogical;
  Id glslId = 0;
  std::map<Words, Id> known;
  llvm::StringMap<Id> strings;
  /// Sections after the memory model, in the order of the binary form.
  Words entryPoints, executionModes, stringSection, names, decorations, globals, functions;
  Words parameterTypes, parameters, locals, body; ///< the current function has them
  Id resultType = 0;
  Id currentFunction = 0, firstBlock = 0, currentBlock = 0;
  std::array<uint32_t, 3> lastLine{};
};

} // namespace sextant::spirv

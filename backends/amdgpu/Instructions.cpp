// Instructions in the library's own words (simt.instruction): the name of LLVM's intrinsic, as LLVM
// mangles it, and a word for each of its operands. `f16x4` is a vector, which as many scalars fill
// as have its bits; `i32` is one scalar; `0` and `true` are constants of i32 and i1.
#include "backends/amdgpu/AmdTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sextant;

/// The type that a word names, or null.
static Type *typeOf(LLVMContext &context, StringRef word) {
  const auto [name, count] = word.split('x');
  Type *scalar = StringSwitch<Type *>(name)
                     .Case("f16", Type::getHalfTy(context))
                     .Case("bf16", Type::getBFloatTy(context))
                     .Case("f32", Type::getFloatTy(context))
                     .Case("f64", Type::getDoubleTy(context))
                     .Case("i16", Type::getInt16Ty(context))
                     .Case("i32", Type::getInt32Ty(context))
                     .Case("i64", Type::getInt64Ty(context))
                     .Default(nullptr);
  unsigned number = 0;
  if (!scalar || count.empty())
    return scalar;
  return count.getAsInteger(10, number) ? nullptr : FixedVectorType::get(scalar, number);
}

/// A value of the type, made of the first scalars of `operands`, which are dropped.
static Value *fill(IRBuilder<> &b, Type *type, ArrayRef<Value *> &operands) {
  if (operands.empty())
    return nullptr;
  Type *scalar = operands.front()->getType();
  const unsigned count =
      unsigned(type->getPrimitiveSizeInBits() / scalar->getPrimitiveSizeInBits());
  if (operands.size() < count)
    return nullptr;
  Value *whole = operands.front();
  if (count > 1) {
    whole = PoisonValue::get(FixedVectorType::get(scalar, count));
    for (unsigned k = 0; k < count; ++k)
      whole = b.CreateInsertElement(whole, operands[k], uint64_t(k));
  }
  operands = operands.drop_front(count);
  return b.CreateBitCast(whole, type);
}

std::optional<SmallVector<Value *>> AmdTarget::emitInstruction(IRBuilder<> &b, StringRef text,
                                                               bool /*accessesMemory*/,
                                                               ArrayRef<Type *> results,
                                                               ArrayRef<Value *> operands) const {
  SmallVector<StringRef> words;
  text.split(words, ' ');
  SmallVector<Value *> arguments;
  for (StringRef word : drop_begin(words)) {
    uint32_t number = 0;
    if (!word.getAsInteger(10, number))
      arguments.push_back(b.getInt32(number));
    else if (word == "true" || word == "false")
      arguments.push_back(b.getInt1(word == "true"));
    else if (Type *type = typeOf(b.getContext(), word))
      arguments.push_back(fill(b, type, operands));
    else
      return std::nullopt;
    if (!arguments.back())
      return std::nullopt;
  }
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  Type *result =
      results.size() == 1 ? results[0] : FixedVectorType::get(results[0], unsigned(results.size()));
  Module &module = *b.GetInsertBlock()->getModule();
  Value *made = b.CreateCall(
      module.getOrInsertFunction(words[0], FunctionType::get(result, types, false)), arguments);
  SmallVector<Value *> values;
  for (unsigned k = 0; k < results.size(); ++k)
    values.push_back(results.size() == 1 ? made : b.CreateExtractElement(made, uint64_t(k)));
  return values;
}

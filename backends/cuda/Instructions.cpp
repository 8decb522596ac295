// PTX in the library's own words (simt.instruction), as inline assembly: LLVM 19 has intrinsics for
// a part of the matrix units' instructions only.
#include "backends/cuda/CudaTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;
using namespace sextant;

/// The constraint of a register of that type.
static const char *registerOf(Type *type) {
  if (type->isFloatTy())
    return "f";
  if (type->isDoubleTy())
    return "d";
  return type->getScalarSizeInBits() == 64 ? "l" : type->getScalarSizeInBits() == 16 ? "h" : "r";
}

namespace {

/// The text for LLVM: `{4}` names the next four results and operands, `#` the next one.
struct Numbered {
  std::string text;
  unsigned named = 0;

  explicit Numbered(StringRef from) {
    while (!from.empty()) {
      const char next = from.front();
      from = from.drop_front();
      if (next == '#')
        name(1);
      else
        text += next;
      unsigned count = 0;
      if (next == '{' && !from.consumeInteger(10, count))
        name(count);
    }
  }

private:
  void name(unsigned count) {
    for (unsigned k = 0; k < count; ++k)
      text += (k ? ", $" : "$") + utostr(named++);
  }
};

} // namespace

std::optional<SmallVector<Value *>> CudaTarget::emitInstruction(IRBuilder<> &b, StringRef text,
                                                                bool accessesMemory,
                                                                ArrayRef<Type *> results,
                                                                ArrayRef<Value *> operands) const {
  const Numbered numbered(text);
  SmallVector<std::string> constraints;
  for (Type *result : results)
    constraints.push_back(std::string("=") + registerOf(result));
  SmallVector<Type *> types;
  const unsigned own = numbered.named - std::min(numbered.named, unsigned(results.size()));
  for (auto [k, operand] : enumerate(operands)) {
    types.push_back(operand->getType());
    constraints.push_back(k < own ? registerOf(operand->getType()) : utostr(k - own));
  }
  if (accessesMemory)
    constraints.push_back("~{memory}");
  Type *result = results.empty()       ? b.getVoidTy()
                 : results.size() == 1 ? results[0]
                                       : StructType::get(b.getContext(), results);
  InlineAsm *code = InlineAsm::get(FunctionType::get(result, types, false), numbered.text,
                                   join(constraints, ","), /*hasSideEffects=*/accessesMemory);
  CallInst *call = b.CreateCall(code, operands);
  call->setConvergent();
  SmallVector<Value *> values;
  for (unsigned k = 0; k < results.size(); ++k)
    values.push_back(results.size() == 1 ? call : b.CreateExtractValue(call, k));
  return values;
}

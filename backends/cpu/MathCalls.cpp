// Math functions that are not expanded: libmvec's vector functions, and libm's scalar ones for
// uniform values.
#include "backends/cpu/Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace math = mlir::math;

/// libm's name of the op's double function, or "".
static StringRef libmName(StringRef op) {
  return StringSwitch<StringRef>(op)
      .Case("math.acos", "acos")
      .Case("math.acosh", "acosh")
      .Case("math.asin", "asin")
      .Case("math.asinh", "asinh")
      .Case("math.atan", "atan")
      .Case("math.atan2", "atan2")
      .Case("math.atanh", "atanh")
      .Case("math.cbrt", "cbrt")
      .Case("math.cos", "cos")
      .Case("math.cosh", "cosh")
      .Case("math.erf", "erf")
      .Case("math.exp", "exp")
      .Case("math.exp2", "exp2")
      .Case("math.expm1", "expm1")
      .Case("math.log", "log")
      .Case("math.log10", "log10")
      .Case("math.log1p", "log1p")
      .Case("math.log2", "log2")
      .Case("math.powf", "pow")
      .Case("math.sin", "sin")
      .Case("math.sinh", "sinh")
      .Case("math.tan", "tan")
      .Case("math.tanh", "tanh")
      .Default("");
}

static Value *callPure(Module &module, StringRef name, Type *result, ArrayRef<Value *> arguments,
                       IRBuilder<> &b) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(result, types, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  return b.CreateCall(callee, arguments);
}

Value *Emitter::callMath(StringRef name, ArrayRef<Value *> operands) {
  Type *type = operands[0]->getType();
  Type *element = type->getScalarType();
  std::string scalarName = name.str() + (element->isFloatTy() ? "f" : "");
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return callPure(module, scalarName, type, operands, b);
  unsigned count = vector->getNumElements();
  if (!machine.mathVectors) {
    Value *result = PoisonValue::get(type);
    for (unsigned lane = 0; lane < count; ++lane) {
      SmallVector<Value *> arguments;
      for (Value *operand : operands)
        arguments.push_back(b.CreateExtractElement(operand, lane));
      Value *one = callPure(module, scalarName, element, arguments, b);
      result = b.CreateInsertElement(result, one, lane);
    }
    return result;
  }
  // The widest functions that the lanes fill.
  unsigned size = element->getScalarSizeInBits() / 8;
  char letter = machine.mathVectors;
  unsigned bytes = letter == 'e' ? 64 : letter == 'd' ? 32 : 16;
  while (bytes > 16 && bytes > count * size) {
    bytes /= 2;
    letter = bytes == 32 ? 'd' : 'b';
  }
  unsigned native = bytes / size;
  std::string vectorName = (Twine("_ZGV") + Twine(letter) + "N" + Twine(native) +
                            (operands.size() == 2 ? "vv_" : "v_") + scalarName)
                               .str();
  Type *nativeType = FixedVectorType::get(element, native);
  Value *result = PoisonValue::get(type);
  for (unsigned begin = 0; begin < count; begin += native) {
    SmallVector<Value *> arguments;
    for (Value *operand : operands)
      arguments.push_back(count == native
                              ? operand
                              : b.CreateExtractVector(nativeType, operand, b.getInt64(begin)));
    Value *piece = callPure(module, vectorName, nativeType, arguments, b);
    result = count == native ? piece : b.CreateInsertVector(type, result, piece, b.getInt64(begin));
  }
  return result;
}

Value *Emitter::mathCall(mlir::Operation &op, ArrayRef<Value *> v) {
  if (isa<math::RsqrtOp>(op)) {
    Value *root = b.CreateUnaryIntrinsic(Intrinsic::sqrt, v[0]);
    return b.CreateFDiv(ConstantFP::get(root->getType(), 1.0), root);
  }
  StringRef name = libmName(op.getName().getStringRef());
  if (name.empty())
    return nullptr;
  SmallVector<Value *> operands(v);
  // Inactive lanes could hold values that send the function down its slow path.
  if (mask && v[0]->getType()->isVectorTy())
    for (Value *&operand : operands)
      operand = whereActive(operand, ConstantFP::get(operand->getType(), 1.0));
  return callMath(name, operands);
}

// Parts of a target that most targets share: cached accesses, and moves between lanes in words.
#include "backends/common/ThreadTarget.h"

using namespace llvm;
using namespace sextant;

Align sextant::alignmentOf(Type *type) { return Align(type->getPrimitiveSizeInBits() / 8); }

Value *ThreadTarget::loadCached(IRBuilder<> &b, Type *type, Value *pointer,
                                simt::Cache cache) const {
  LoadInst *load = b.CreateAlignedLoad(type, pointer, alignmentOf(type));
  if (cache == simt::Cache::Stream)
    load->setMetadata(LLVMContext::MD_nontemporal,
                      MDNode::get(b.getContext(), ConstantAsMetadata::get(b.getInt32(1))));
  if (cache == simt::Cache::ReadOnly)
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return load;
}

void ThreadTarget::storeCached(IRBuilder<> &b, Value *value, Value *pointer,
                               simt::Cache cache) const {
  StoreInst *store = b.CreateAlignedStore(value, pointer, alignmentOf(value->getType()));
  if (cache == simt::Cache::Stream)
    store->setMetadata(LLVMContext::MD_nontemporal,
                       MDNode::get(b.getContext(), ConstantAsMetadata::get(b.getInt32(1))));
}

Value *sextant::moveInWords(IRBuilder<> &b, Value *value, function_ref<Value *(Value *)> move) {
  Type *own = value->getType();
  const unsigned width = own->getScalarSizeInBits();
  Value *bits = b.CreateBitCast(value, b.getIntNTy(width));
  if (width == 64) {
    Value *low = move(b.CreateTrunc(bits, b.getInt32Ty()));
    Value *high = move(b.CreateTrunc(b.CreateLShr(bits, 32), b.getInt32Ty()));
    bits = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()),
                      b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  } else {
    bits = b.CreateTrunc(move(b.CreateZExt(bits, b.getInt32Ty())), b.getIntNTy(width));
  }
  return b.CreateBitCast(bits, own);
}

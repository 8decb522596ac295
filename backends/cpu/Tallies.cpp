// Updates at places that only data knows, whose old values nobody uses: `bins[x[i]] += 1`. A locked
// instruction takes twenty times as long as a plain one, so a call keeps the places that it updated
// last, with what is to be added to each, in a table on the stack. A place that is not in the table
// takes the entry of another one, which is then written to memory. If most places are new, or the
// first ones lie far apart, the rest of the call updates memory directly.
//
// The first places of an array have a table of their own, where each has its entry: most arrays
// have no others, and an update costs no more than one of memory that no other thread uses.
#include "backends/cpu/Combine.h"
#include "backends/cpu/DeferredAtomics.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

/// Entries of each table; an index belongs to the entry of its low bits.
static constexpr unsigned slots = 4096;
/// Calls of fewer threads have no table: it would not pay for writing it back.
static constexpr unsigned leastThreads = 4096;
/// An update earns a credit, and an entry that is taken costs some. A call begins with as many as
/// fill the table.
static constexpr int entryCost = 4;
static constexpr int firstCredit = slots * entryCost;
/// From this distance on, the places of a chunk lie far apart.
static constexpr unsigned farApart = 8 * slots;

void DeferredAtomics::prepareTally(simt::AtomicRmwOp op, Collected &into) {
  Type *index = b.scalarType(op.getIndex().getType()),
       *element = b.scalarType(op.getValue().getType());
  into.tags = b.entryAlloca(index, "tags", slots);
  into.total = b.entryAlloca(element, "totals", slots);
  into.first = b.entryAlloca(element, "first", slots);
  Value *neutral = b.splat(identityOf(op.getKind(), op.getValue().getType(), /*asSeen=*/false, b));
  into.credit = b.entryAlloca(b.getInt32Ty(), "credit");
  const unsigned leastBlocks = (leastThreads + lanes.blockDim - 1) / lanes.blockDim;
  Value *isWorth = b.CreateICmpUGE(b.CreateSub(code.end, code.begin), b.getInt32(leastBlocks));
  b.CreateStore(b.CreateSelect(isWorth, b.getInt32(firstCredit), b.getInt32(-1)), into.credit);
  BasicBlock *clear = b.newBlock("tags"), *after = b.newBlock("tags.end");
  b.CreateCondBr(isWorth, clear, after);
  b.SetInsertPoint(clear);
  b.countedLoop(
      b.getInt32(0), b.getInt32(slots / lanes.width),
      [&](Value *i) {
        b.CreateStore(Constant::getAllOnesValue(b.widen(index)),
                      b.CreateGEP(b.widen(index), into.tags, i));
        b.CreateStore(neutral, b.CreateGEP(b.widen(element), into.first, i));
      },
      "clear");
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

/// An update of each lane, while its code is made.
struct DeferredAtomics::Update {
  simt::AtomicRmwOp op;
  Collected &into;
  Type *element, *index;
  Value *indices, *credit;
  std::function<Value *(Value *)> indexOf, valueOf; ///< read a lane
  Value *slotsOfLanes = nullptr;                    ///< memory with a slot for each lane
  BasicBlock *direct, *after;
};

void DeferredAtomics::addAt(Update &update, Value *at, Value *value) {
  mlir::Type type = update.op.getValue().getType();
  b.CreateStore(combine(update.op.getKind(), b.CreateLoad(update.element, at), value, type, b), at);
}

Value *DeferredAtomics::slotOf(Update &update, Value *lane) {
  return b.CreateLoad(update.index, b.CreateGEP(update.index, update.slotsOfLanes, lane));
}

void DeferredAtomics::addTo(Update &update, Value *slot, Value *value) {
  addAt(update, b.CreateGEP(update.element, update.into.total, slot), value);
}

/// Most often, all places are among the first of the array, which have entries of their own.
void DeferredAtomics::updateFirst(Update &update) {
  BasicBlock *allFirst = b.newBlock("first"), *others = b.newBlock("others");
  Value *isFirst = b.CreateICmpULT(update.indices, b.splat(ConstantInt::get(update.index, slots)));
  b.CreateCondBr(b.isAll(isFirst), allFirst, others);
  b.SetInsertPoint(allFirst);
  simt::AtomicRmwOp op = update.op;
  auto placeOf = atomics.laneReader(op.getIndex(), false, op, /*isDeferred=*/true),
       updateOf = atomics.laneReader(op.getValue(), false, op, /*isDeferred=*/true);
  for (unsigned lane = 0; lane < lanes.width; ++lane)
    addAt(update, b.CreateGEP(update.element, update.into.first, placeOf(b.getInt32(lane))),
          updateOf(b.getInt32(lane)));
  b.CreateBr(update.after);
  b.SetInsertPoint(others);
}

/// Gives the table up where the first chunk's places lie far apart.
void DeferredAtomics::giveUpFarPlaces(Update &update) {
  BasicBlock *look = b.newBlock("look"), *giveUp = b.newBlock("far"), *use = b.newBlock("near");
  b.CreateCondBr(b.CreateICmpEQ(update.credit, b.getInt32(firstCredit)), look, use);
  b.SetInsertPoint(look);
  Value *distance = b.CreateSub(b.CreateIntMaxReduce(update.indices, /*IsSigned=*/true),
                                b.CreateIntMinReduce(update.indices, /*IsSigned=*/true));
  b.CreateCondBr(b.CreateICmpUGE(distance, ConstantInt::get(update.index, farApart)), giveUp, use);
  b.SetInsertPoint(giveUp);
  b.CreateStore(b.getInt32(-1), update.into.credit);
  b.CreateBr(update.direct);
  b.SetInsertPoint(use);
}

/// Most often, all places are in the table. Nothing is asked of each lane then.
void DeferredAtomics::updateKnown(Update &update, Value *low) {
  BasicBlock *all = b.newBlock("all"), *some = b.newBlock("some");
  Value *tags = b.gather(update.index, b.CreateGEP(update.index, update.into.tags, low));
  b.CreateCondBr(b.isAll(b.CreateICmpEQ(tags, update.indices)), all, some);
  b.SetInsertPoint(all);
  for (unsigned lane = 0; lane < lanes.width; ++lane)
    addTo(update, slotOf(update, b.getInt32(lane)), update.valueOf(b.getInt32(lane)));
  b.CreateBr(update.after);
  b.SetInsertPoint(some);
}

/// Takes the entry of another place where this one has none.
void DeferredAtomics::updateLane(Update &update, Value *lane) {
  Value *index = update.indexOf(lane), *value = update.valueOf(lane), *slot = slotOf(update, lane);
  Value *tagAt = b.CreateGEP(update.index, update.into.tags, slot);
  Value *tag = b.CreateLoad(update.index, tagAt);
  BasicBlock *known = b.newBlock("known"), *other = b.newBlock("other"),
             *write = b.newBlock("write"), *take = b.newBlock("take"), *next = b.newBlock("next");
  b.CreateCondBr(b.CreateICmpEQ(tag, index), known, other);
  b.SetInsertPoint(known);
  addTo(update, slot, value);
  b.CreateBr(next);
  b.SetInsertPoint(other);
  Value *totalAt = b.CreateGEP(update.element, update.into.total, slot);
  b.CreateCondBr(b.CreateICmpEQ(tag, Constant::getAllOnesValue(update.index)), take, write);
  b.SetInsertPoint(write);
  atomics.rmw(update.op, memory.elementAddress(update.op.getBuffer(), tag),
              b.CreateLoad(update.element, totalAt));
  b.CreateBr(take);
  b.SetInsertPoint(take);
  b.CreateStore(index, tagAt);
  b.CreateStore(value, totalAt);
  Value *credit = b.CreateLoad(b.getInt32Ty(), update.into.credit);
  b.CreateStore(b.CreateSub(credit, b.getInt32(entryCost)), update.into.credit);
  b.CreateBr(next);
  b.SetInsertPoint(next);
}

void DeferredAtomics::emitTally(simt::AtomicRmwOp op, Collected &into) {
  Type *element = b.scalarType(op.getValue().getType());
  Type *index = b.scalarType(op.getIndex().getType());
  Value *credit = b.CreateLoad(b.getInt32Ty(), into.credit);
  BasicBlock *tally = b.newBlock("tally"), *direct = b.newBlock("direct"),
             *after = b.newBlock("tallied");
  b.CreateCondBr(b.CreateICmpSGE(credit, b.getInt32(0)), tally, direct);
  b.SetInsertPoint(direct);
  atomics.emitRmwOfEachLane(op);
  b.CreateBr(after);

  b.SetInsertPoint(tally);
  Value *indices = values.vector(op.getIndex());
  auto indexOf = atomics.laneReader(op.getIndex(), false, op);
  auto valueOf = atomics.laneReader(op.getValue(), false, op);
  Update update{op,      into,    element, index,  indices, credit,
                indexOf, valueOf, nullptr, direct, after};
  if (!b.mask) {
    updateFirst(update);
    giveUpFarPlaces(update);
  }
  Value *earned = b.CreateAdd(credit, b.getInt32(lanes.width));
  b.CreateStore(b.CreateBinaryIntrinsic(Intrinsic::smin, earned, b.getInt32(1 << 30)), into.credit);
  Value *low = b.CreateAnd(indices, b.splat(ConstantInt::get(index, slots - 1)));
  update.slotsOfLanes = b.spill(low, "slots");
  if (machine.hasGather && !b.mask)
    updateKnown(update, low);
  auto ofLane = [&](Value *lane) { updateLane(update, lane); };
  if (b.mask)
    b.forEachActiveLane(ofLane);
  else // one copy for all lanes: it is long
    b.countedLoop(b.getInt32(0), b.getInt32(lanes.width), ofLane, "lane");
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void DeferredAtomics::flushTally(simt::AtomicRmwOp op, Collected &into) {
  Type *element = b.scalarType(op.getValue().getType());
  Type *indexType = b.scalarType(op.getIndex().getType());
  const unsigned leastBlocks = (leastThreads + lanes.blockDim - 1) / lanes.blockDim;
  BasicBlock *flush = b.newBlock("flush"), *after = b.newBlock("flush.end");
  b.CreateCondBr(b.CreateICmpUGE(b.CreateSub(code.end, code.begin), b.getInt32(leastBlocks)), flush,
                 after);
  b.SetInsertPoint(flush);
  // Each call begins at an entry of its own: threads that end together would wait for each other's
  // cache lines all the way.
  const unsigned runs = slots / lanes.width;
  Constant *neutral = identityOf(op.getKind(), op.getValue().getType(), /*asSeen=*/false, b);
  auto flushRun = [&](Value *isUsed, auto perform) {
    BasicBlock *some = b.newBlock("some"), *none = b.newBlock("none");
    b.CreateCondBr(b.isAny(isUsed), some, none);
    b.SetInsertPoint(some);
    b.mask = isUsed;
    b.forEachActiveLane(perform);
    b.mask = nullptr;
    b.CreateBr(none);
    b.SetInsertPoint(none);
  };
  Value *start = b.CreateLShr(b.CreateMul(code.begin, b.getInt32(0x9E3779B1)), 32 - Log2_32(runs));
  b.countedLoop(
      b.getInt32(0), b.getInt32(runs),
      [&](Value *count) {
        Value *i = b.CreateAnd(b.CreateAdd(start, count), b.getInt32(runs - 1));
        Value *run = b.CreateMul(i, b.getInt32(lanes.width));
        Value *totals =
            b.CreateLoad(b.widen(element), b.CreateGEP(b.widen(element), into.first, i));
        Type *bits = b.widen(b.getIntNTy(element->getScalarSizeInBits()));
        flushRun(
            b.CreateICmpNE(b.CreateBitCast(totals, bits), b.CreateBitCast(b.splat(neutral), bits)),
            [&](Value *lane) {
              Value *slot = b.CreateAdd(run, lane);
              Value *total = b.CreateLoad(element, b.CreateGEP(element, into.first, slot));
              atomics.rmw(
                  op, memory.elementAddress(op.getBuffer(), b.CreateZExtOrTrunc(slot, indexType)),
                  total);
            });
        Value *tags =
            b.CreateLoad(b.widen(indexType), b.CreateGEP(b.widen(indexType), into.tags, i));
        flushRun(b.CreateICmpNE(tags, Constant::getAllOnesValue(b.widen(indexType))),
                 [&](Value *lane) {
                   Value *slot = b.CreateAdd(run, lane);
                   Value *tag = b.CreateLoad(indexType, b.CreateGEP(indexType, into.tags, slot));
                   Value *total = b.CreateLoad(element, b.CreateGEP(element, into.total, slot));
                   atomics.rmw(op, memory.elementAddress(op.getBuffer(), tag), total);
                 });
      },
      "tags");
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

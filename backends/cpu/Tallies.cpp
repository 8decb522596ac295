// Updates at places that only data knows, whose old values nobody uses: `bins[x[i]] += 1`. A locked
// instruction takes twenty times as long as a plain one, so a call keeps the places that it updated
// last, with what is to be added to each, in a table on the stack. A place that is not in the table
// takes the entry of another one, which is then written to memory. If most places are new, or the
// first ones lie far apart, the rest of the call updates memory directly.
//
// The first places of an array have a table of their own, where each has its entry: most arrays
// have no others, and an update costs no more than one of memory that no other thread uses. This
// table grows up to the largest place that the call meets.
#include "backends/cpu/Combine.h"
#include "backends/cpu/DeferredAtomics.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

/// Entries of the table with tags; an index belongs to the entry of its low bits.
static constexpr unsigned slots = 4096;
/// Entries of the table of first places: when it begins, and at most. A call has no more of them
/// than threads, since it writes each back.
static constexpr unsigned fewestFirst = 256, mostFirst = 1 << 16;
/// Calls of fewer threads have no tables: it would not pay for writing them back.
static constexpr unsigned leastThreads = 1024;
/// An update earns a credit, and an entry that is taken costs some. A call begins with as many as
/// fill the table.
static constexpr int entryCost = 4;
static constexpr int firstCredit = slots * entryCost;
/// From this distance on, the places of a chunk lie far apart.
static constexpr unsigned farApart = 8 * slots;

/// True if the call has enough threads for tables.
static Value *isWorth(TaskCode &code) {
  const unsigned dim = code.b.lanes.blockDim;
  return code.b.CreateICmpUGE(code.b.CreateSub(code.end, code.begin),
                              code.b.getInt32((leastThreads + dim - 1) / dim));
}

void DeferredAtomics::prepareTally(simt::AtomicRmwOp op, Collected &into) {
  Type *index = b.scalarType(op.getIndex().getType()),
       *element = b.scalarType(op.getValue().getType());
  into.tags = b.entryAlloca(index, "tags", slots);
  into.total = b.entryAlloca(element, "totals", slots);
  into.first = b.entryAlloca(element, "first", mostFirst + lanes.width);
  const unsigned bytes = element->getScalarSizeInBits() / 8;
  code.tableBytes += uint64_t(slots + mostFirst + lanes.width) * bytes;
  into.length = b.entryAlloca(index, "length");
  b.CreateStore(ConstantInt::get(index, 0), into.length);
  into.happened = b.entryAlloca(b.getInt1Ty(), "tagged");
  b.CreateStore(b.getFalse(), into.happened);
  into.credit = b.entryAlloca(b.getInt32Ty(), "credit");
  b.CreateStore(b.CreateSelect(isWorth(code), b.getInt32(firstCredit), b.getInt32(-1)),
                into.credit);
  Value *most = b.getInt32(mostFirst);
  Value *blocks = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateSub(code.end, code.begin), most);
  Value *threads = b.CreateMul(blocks, b.getInt32(lanes.blockDim));
  Value *limit = b.CreateBinaryIntrinsic(Intrinsic::umin, threads, most);
  into.limit = b.CreateZExt(b.CreateAnd(limit, -uint64_t(lanes.width)), index);
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

/// Makes the table of first places longer than `largest`.
void DeferredAtomics::growFirst(Update &update, Value *length, Value *largest) {
  Type *index = update.index, *element = update.element;
  Value *bits = b.CreateSub(ConstantInt::get(index, index->getIntegerBitWidth()),
                            b.CreateBinaryIntrinsic(Intrinsic::ctlz, largest, b.getFalse()));
  Value *wanted = b.CreateShl(ConstantInt::get(index, 1), bits);
  wanted = b.CreateBinaryIntrinsic(Intrinsic::umax, wanted, ConstantInt::get(index, fewestFirst));
  wanted = b.CreateBinaryIntrinsic(Intrinsic::umin, wanted, update.into.limit);
  b.CreateStore(wanted, update.into.length);
  Value *neutral =
      b.splat(identityOf(update.op.getKind(), update.op.getValue().getType(), /*asSeen=*/false, b));
  const auto runs = [&](Value *entries) {
    return b.CreateZExtOrTrunc(b.CreateLShr(entries, Log2_32(lanes.width)), b.getInt32Ty());
  };
  b.countedLoop(
      runs(length), runs(wanted),
      [&](Value *i) {
        b.CreateStore(neutral, b.CreateGEP(b.widen(element), update.into.first, i));
      },
      "clear");
}

/// Most often, all places are among the first of the array, which have entries of their own.
void DeferredAtomics::updateFirst(Update &update) {
  BasicBlock *allFirst = b.newBlock("first"), *beyond = b.newBlock("beyond"),
             *grow = b.newBlock("grow"), *others = b.newBlock("others");
  Type *index = update.index;
  Value *length = b.CreateLoad(index, update.into.length);
  Value *places = b.whereActive(update.indices, b.splat(ConstantInt::get(index, 0)));
  Value *isFirst = b.CreateICmpULT(places, b.splat(length));
  b.CreateCondBr(b.isAll(isFirst), allFirst, beyond);
  b.SetInsertPoint(beyond);
  Value *largest = b.CreateIntMaxReduce(places, /*IsSigned=*/false);
  b.CreateCondBr(b.CreateICmpULT(largest, update.into.limit), grow, others);
  b.SetInsertPoint(grow);
  growFirst(update, length, largest);
  b.CreateBr(allFirst);
  b.SetInsertPoint(allFirst);
  simt::AtomicRmwOp op = update.op;
  const auto entryOf = [&](Value *place) {
    return b.CreateGEP(update.element, update.into.first, place);
  };
  if (b.mask) {
    updateActive(update, entryOf);
  } else {
    auto placeOf = atomics.laneReader(op.getIndex(), false, op, /*isDeferred=*/true),
         updateOf = atomics.laneReader(op.getValue(), false, op, /*isDeferred=*/true);
    for (unsigned lane = 0; lane < lanes.width; ++lane)
      addAt(update, entryOf(placeOf(b.getInt32(lane))), updateOf(b.getInt32(lane)));
  }
  b.CreateBr(update.after);
  b.SetInsertPoint(others);
}

/// Many active lanes take no branches: the others have entries of their own, past the table's end,
/// that nobody reads.
void DeferredAtomics::updateActive(Update &update, function_ref<Value *(Value *)> entryOf) {
  BasicBlock *few = b.newBlock("few"), *many = b.newBlock("many"), *after = b.newBlock("active");
  Value *bits = b.CreateZExt(b.maskBits(b.mask), b.getInt64Ty());
  Value *count = b.CreateUnaryIntrinsic(Intrinsic::ctpop, bits);
  b.CreateCondBr(b.CreateICmpULT(count, b.getInt64(lanes.width / 4)), few, many);
  b.SetInsertPoint(few);
  b.forEachActiveLane(
      [&](Value *lane) { addAt(update, entryOf(update.indexOf(lane)), update.valueOf(lane)); });
  b.CreateBr(after);
  b.SetInsertPoint(many);
  Value *unread =
      b.CreateAdd(b.iota(update.index, 1), b.splat(ConstantInt::get(update.index, mostFirst)));
  Value *places = b.spill(b.whereActive(update.indices, unread), "places");
  for (unsigned lane = 0; lane < lanes.width; ++lane)
    addAt(update,
          entryOf(b.CreateLoad(update.index, b.CreateConstGEP1_32(update.index, places, lane))),
          update.valueOf(b.getInt32(lane)));
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

/// Before its first use, the table with tags is emptied, or given up where the chunk's places lie
/// far apart.
void DeferredAtomics::beginTags(Update &update) {
  BasicBlock *begin = b.newBlock("look"), *use = b.newBlock("near");
  b.CreateCondBr(b.CreateLoad(b.getInt1Ty(), update.into.happened), use, begin);
  b.SetInsertPoint(begin);
  if (!b.mask) {
    BasicBlock *giveUp = b.newBlock("far"), *empty = b.newBlock("empty");
    Value *distance = b.CreateSub(b.CreateIntMaxReduce(update.indices, /*IsSigned=*/true),
                                  b.CreateIntMinReduce(update.indices, /*IsSigned=*/true));
    b.CreateCondBr(b.CreateICmpUGE(distance, ConstantInt::get(update.index, farApart)), giveUp,
                   empty);
    b.SetInsertPoint(giveUp);
    b.CreateStore(b.getInt32(-1), update.into.credit);
    b.CreateBr(update.direct);
    b.SetInsertPoint(empty);
  }
  b.CreateStore(b.getTrue(), update.into.happened);
  b.countedLoop(
      b.getInt32(0), b.getInt32(slots / lanes.width),
      [&](Value *i) {
        Type *wide = b.widen(update.index);
        b.CreateStore(Constant::getAllOnesValue(wide), b.CreateGEP(wide, update.into.tags, i));
      },
      "clear");
  b.CreateBr(use);
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
  updateFirst(update);
  beginTags(update);
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

/// Performs the updates of a run of entries for lanes where `isUsed`.
void DeferredAtomics::flushRun(Value *isUsed, function_ref<void(Value *)> perform) {
  BasicBlock *some = b.newBlock("some"), *none = b.newBlock("none");
  b.CreateCondBr(b.isAny(isUsed), some, none);
  b.SetInsertPoint(some);
  b.mask = isUsed;
  b.forEachActiveLane(perform);
  b.mask = nullptr;
  b.CreateBr(none);
  b.SetInsertPoint(none);
}

/// A loop over runs of entries. Each call begins at a run of its own: threads that end together
/// would wait for each other's cache lines all the way.
void DeferredAtomics::forEachRun(Value *runs, function_ref<void(Value *)> body) {
  Value *random = b.CreateMul(code.begin, b.getInt32(0x9E3779B1));
  Value *product =
      b.CreateMul(b.CreateZExt(random, b.getInt64Ty()), b.CreateZExt(runs, b.getInt64Ty()));
  Value *start = b.CreateTrunc(b.CreateLShr(product, 32), b.getInt32Ty());
  b.countedLoop(
      b.getInt32(0), runs,
      [&](Value *count) {
        Value *i = b.CreateAdd(start, count);
        body(b.CreateSelect(b.CreateICmpULT(i, runs), i, b.CreateSub(i, runs)));
      },
      "run");
}

void DeferredAtomics::flushTally(simt::AtomicRmwOp op, Collected &into) {
  Type *element = b.scalarType(op.getValue().getType());
  Type *indexType = b.scalarType(op.getIndex().getType());
  BasicBlock *flush = b.newBlock("flush"), *flushTags = b.newBlock("flush.tags"),
             *after = b.newBlock("flush.end");
  b.CreateCondBr(isWorth(code), flush, after);
  b.SetInsertPoint(flush);
  const auto update = [&](Value *place, Value *total) {
    atomics.rmw(op, memory.elementAddress(op.getBuffer(), place), total);
  };
  const auto slotOf = [&](Value *run, Value *lane) {
    return b.CreateAdd(b.CreateMul(run, b.getInt32(lanes.width)), lane);
  };
  Constant *neutral = identityOf(op.getKind(), op.getValue().getType(), /*asSeen=*/false, b);
  Value *length = b.CreateLoad(indexType, into.length);
  Value *runs = b.CreateZExtOrTrunc(b.CreateLShr(length, Log2_32(lanes.width)), b.getInt32Ty());
  forEachRun(runs, [&](Value *run) {
    Value *totals = b.CreateLoad(b.widen(element), b.CreateGEP(b.widen(element), into.first, run));
    Type *bits = b.widen(b.getIntNTy(element->getScalarSizeInBits()));
    flushRun(b.CreateICmpNE(b.CreateBitCast(totals, bits), b.CreateBitCast(b.splat(neutral), bits)),
             [&](Value *lane) {
               Value *slot = slotOf(run, lane);
               update(b.CreateZExtOrTrunc(slot, indexType),
                      b.CreateLoad(element, b.CreateGEP(element, into.first, slot)));
             });
  });
  b.CreateCondBr(b.CreateLoad(b.getInt1Ty(), into.happened), flushTags, after);
  b.SetInsertPoint(flushTags);
  forEachRun(b.getInt32(slots / lanes.width), [&](Value *run) {
    Value *tags = b.CreateLoad(b.widen(indexType), b.CreateGEP(b.widen(indexType), into.tags, run));
    flushRun(b.CreateICmpNE(tags, Constant::getAllOnesValue(b.widen(indexType))), [&](Value *lane) {
      Value *slot = slotOf(run, lane);
      update(b.CreateLoad(indexType, b.CreateGEP(indexType, into.tags, slot)),
             b.CreateLoad(element, b.CreateGEP(element, into.total, slot)));
    });
  });
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

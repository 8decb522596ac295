// Moves of values between lanes: shuffles, interleaving, and permutations by run-time lane
// numbers.
#include "backends/cpu/LaneBuilder.h"

#include "llvm/IR/IntrinsicsX86.h"

#include <numeric>

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

Value *LaneBuilder::shuffle(Value *a, Value *other, function_ref<int(int)> source) {
  SmallVector<int> indices;
  for (unsigned lane = 0; lane < lanes.width; ++lane)
    indices.push_back(source(lane));
  return CreateShuffleVector(a, other, indices);
}

/// Lanes [begin, begin + count) of `value`. Lanes past its end are unspecified.
static Value *slice(Value *value, unsigned begin, unsigned count, IRBuilder<> &b) {
  unsigned size = cast<FixedVectorType>(value->getType())->getNumElements();
  if (begin == 0 && count == size)
    return value;
  SmallVector<int> indices;
  for (unsigned i = 0; i < count; ++i)
    indices.push_back(begin + i < size ? int(begin + i) : 0);
  return b.CreateShuffleVector(value, indices);
}

/// Concatenates the pieces and cuts the result to `size` lanes.
static Value *concatenate(SmallVector<Value *> pieces, unsigned size, IRBuilder<> &b) {
  while (pieces.size() > 1) {
    SmallVector<Value *> wider;
    for (unsigned i = 0; i + 1 < pieces.size(); i += 2) {
      unsigned count = cast<FixedVectorType>(pieces[i]->getType())->getNumElements();
      SmallVector<int> indices;
      for (unsigned k = 0; k < 2 * count; ++k)
        indices.push_back(k);
      wider.push_back(b.CreateShuffleVector(pieces[i], pieces[i + 1], indices));
    }
    pieces = wider;
  }
  return slice(pieces[0], 0, size, b);
}

/// Four registers of eight words of AVX2, as a matrix of vectors of four: its transpose, by twelve
/// shuffles within halves and between them. `isBack`: the way back.
static void transposeWords(MutableArrayRef<Value *> rows, bool isBack, IRBuilder<> &b) {
  static constexpr int low[] = {0, 1, 2, 3, 8, 9, 10, 11}, high[] = {4, 5, 6, 7, 12, 13, 14, 15};
  static constexpr int lowPairs[] = {0, 8, 1, 9, 4, 12, 5, 13},
                       highPairs[] = {2, 10, 3, 11, 6, 14, 7, 15};
  auto shuffle = [&](Value *x, Value *y, ArrayRef<int> mask) {
    return b.CreateShuffleVector(x, y, mask);
  };
  auto swapHalves = [&] { // swaps halves of rows 0 and 2, and of rows 1 and 3
    Value *a = rows[0], *c = rows[1], *e = rows[2], *g = rows[3];
    rows[0] = shuffle(a, e, low);
    rows[1] = shuffle(a, e, high);
    rows[2] = shuffle(c, g, low);
    rows[3] = shuffle(c, g, high);
  };
  auto transposeHalves = [&] { // each half is a matrix of four by four
    Value *evenLow = shuffle(rows[0], rows[2], lowPairs),
          *evenHigh = shuffle(rows[0], rows[2], highPairs),
          *oddLow = shuffle(rows[1], rows[3], lowPairs),
          *oddHigh = shuffle(rows[1], rows[3], highPairs);
    rows[0] = shuffle(evenLow, oddLow, lowPairs);
    rows[1] = shuffle(evenLow, oddLow, highPairs);
    rows[2] = shuffle(evenHigh, oddHigh, lowPairs);
    rows[3] = shuffle(evenHigh, oddHigh, highPairs);
  };
  if (!isBack) {
    swapHalves();
    transposeHalves();
    return;
  }
  transposeHalves();
  Value *a = rows[0], *c = rows[1], *e = rows[2], *g = rows[3];
  rows[0] = shuffle(a, c, low);
  rows[1] = shuffle(e, g, low);
  rows[2] = shuffle(a, c, high);
  rows[3] = shuffle(e, g, high);
}

bool LaneBuilder::transposes(Type *element, unsigned count) const {
  return machine.isX86 && machine.vectorBytes == 32 && count == 4 && lanes.width % 8 == 0 &&
         element->getScalarSizeInBits() == 32;
}

/// Halves it: an even and an odd half take one shuffle for each register. Vectors of eight words on
/// AVX2 are two of four each.
SmallVector<Value *> LaneBuilder::deinterleave(Value *wide, unsigned count) {
  const unsigned size = cast<FixedVectorType>(wide->getType())->getNumElements();
  if (transposes(wide->getType()->getScalarType(), count)) {
    SmallVector<SmallVector<Value *>> pieces(count);
    for (unsigned i = 0; i < size; i += 8 * count) {
      SmallVector<Value *> rows;
      for (unsigned k = 0; k < count; ++k)
        rows.push_back(slice(wide, i + k * 8, 8, *this));
      transposeWords(rows, /*isBack=*/false, *this);
      for (unsigned k = 0; k < count; ++k)
        pieces[k].push_back(rows[k]);
    }
    SmallVector<Value *> parts;
    for (const SmallVector<Value *> &ofPart : pieces)
      parts.push_back(concatenate(ofPart, size / count, *this));
    return parts;
  }
  if (count == 8 && transposes(wide->getType()->getScalarType(), 4)) {
    SmallVector<Value *> all;
    for (unsigned half = 0; half < 2; ++half) {
      SmallVector<int> picked;
      for (unsigned i = 0; i < size / 2; ++i)
        picked.push_back(int(i / 4 * 8 + half * 4 + i % 4));
      all.append(deinterleave(CreateShuffleVector(wide, picked), 4));
    }
    return all;
  }
  const unsigned steps = count % 4 == 0 ? 2 : count;
  SmallVector<Value *> parts;
  for (unsigned k = 0; k < steps; ++k) {
    SmallVector<int> picked;
    for (unsigned i = k; i < size; i += steps)
      picked.push_back(int(i));
    parts.push_back(CreateShuffleVector(wide, picked));
  }
  if (steps == count)
    return parts;
  SmallVector<Value *> even = deinterleave(parts[0], count / 2),
                       odd = deinterleave(parts[1], count / 2), all;
  for (unsigned k = 0; k < count / 2; ++k)
    all.append({even[k], odd[k]});
  return all;
}

Value *LaneBuilder::interleave(ArrayRef<Value *> parts) {
  const unsigned count = parts.size();
  const unsigned size = cast<FixedVectorType>(parts[0]->getType())->getNumElements();
  if (transposes(parts[0]->getType()->getScalarType(), count)) {
    SmallVector<Value *> pieces;
    for (unsigned i = 0; i < size; i += 8) {
      SmallVector<Value *> rows;
      for (Value *part : parts)
        rows.push_back(slice(part, i, 8, *this));
      transposeWords(rows, /*isBack=*/true, *this);
      pieces.append(rows);
    }
    return concatenate(pieces, size * count, *this);
  }
  if (count == 4)
    return interleave({interleave({parts[0], parts[2]}), interleave({parts[1], parts[3]})});
  SmallVector<int> joined, third, order;
  for (unsigned i = 0; i < size * 2; ++i) {
    joined.push_back(int(i));
    third.push_back(i < size ? int(i) : -1);
  }
  for (unsigned i = 0; i < size * count; ++i)
    order.push_back(int(i % count * size + i / count));
  if (count == 2)
    return CreateShuffleVector(parts[0], parts[1], order);
  return CreateShuffleVector(CreateShuffleVector(parts[0], parts[1], joined),
                             CreateShuffleVector(parts[2], third), order);
}

/// Transposes each four by four elements of four rows: of words, two shuffles a row, within
/// quarters of registers.
static void transposeFours(MutableArrayRef<Value *> rows, IRBuilder<> &b) {
  const unsigned size = cast<FixedVectorType>(rows[0]->getType())->getNumElements();
  SmallVector<int> low, high;
  for (unsigned i = 0; i < size; i += 4) {
    low.append({int(i), int(size + i), int(i + 1), int(size + i + 1)});
    high.append({int(i + 2), int(size + i + 2), int(i + 3), int(size + i + 3)});
  }
  for (unsigned round = 0; round < 2; ++round) {
    const SmallVector<Value *> old(rows);
    for (unsigned k = 0; k < 4; ++k)
      rows[k] = b.CreateShuffleVector(old[k / 2], old[k / 2 + 2], k % 2 ? high : low);
  }
}

/// Three elements take the place of four.
SmallVector<Value *> LaneBuilder::loadRuns(Type *element, unsigned count,
                                           ArrayRef<Value *> addresses) {
  const unsigned padded = PowerOf2Ceil(count);
  SmallVector<int> order(padded, -1);
  std::iota(order.begin(), order.begin() + count, 0);
  SmallVector<Value *> runs;
  for (Value *address : addresses) {
    Value *run = CreateAlignedLoad(FixedVectorType::get(element, count), address,
                                   Align(elementBytes(element)));
    runs.push_back(count == padded ? run : CreateShuffleVector(run, order));
  }
  SmallVector<Value *> parts;
  if (padded == 4) {
    for (unsigned row = 0; row < 4; ++row) {
      SmallVector<Value *> ofRow;
      for (unsigned lane = row; lane < lanes.width; lane += 4)
        ofRow.push_back(runs[lane]);
      parts.push_back(concatenate(ofRow, lanes.width, *this));
    }
    transposeFours(parts, *this);
  } else {
    parts = deinterleave(concatenate(runs, lanes.width * padded, *this), padded);
  }
  parts.truncate(count);
  return parts;
}

void LaneBuilder::storeRuns(ArrayRef<Value *> parts, ArrayRef<Value *> addresses) {
  const unsigned count = parts.size(), padded = PowerOf2Ceil(count);
  Type *element = parts[0]->getType()->getScalarType();
  const Align align(elementBytes(element));
  SmallVector<Value *> all(parts);
  all.resize(padded, PoisonValue::get(parts[0]->getType()));
  if (!mask && padded == 4) {
    transposeFours(all, *this);
    for (auto [lane, address] : llvm::enumerate(addresses))
      CreateAlignedStore(slice(all[lane % 4], unsigned(lane) / 4 * 4, count, *this), address,
                         align);
    return;
  }
  Value *wide = interleave(all);
  if (!mask) {
    for (auto [lane, address] : llvm::enumerate(addresses))
      CreateAlignedStore(slice(wide, unsigned(lane) * padded, count, *this), address, align);
    return;
  }
  Value *places = PoisonValue::get(widen(getPtrTy()));
  for (auto [lane, address] : llvm::enumerate(addresses))
    places = CreateInsertElement(places, address, lane);
  Value *memory = spill(wide, "runs"), *placeMemory = spill(places, "addresses");
  forEachActiveLane([&](Value *lane) {
    Value *from = CreateGEP(ArrayType::get(element, padded), memory, lane);
    Value *to = CreateLoad(getPtrTy(), CreateGEP(getPtrTy(), placeMemory, lane));
    CreateAlignedStore(CreateAlignedLoad(FixedVectorType::get(element, count), from, align), to,
                       align);
  });
}

/// Permutes with the machine's own instructions if few of them suffice, else returns null. AVX2 is
/// not used for 64 bits: permuting the halves separately takes a third longer than a gather from
/// the stack.
Value *LaneBuilder::permuteNative(Value *value, Value *indices) {
  unsigned bits = value->getType()->getScalarSizeInBits();
  bool isWide = machine.vectorBytes == 64;
  if (!machine.isX86 || machine.vectorBytes < 32 || (bits == 64 && !isWide))
    return nullptr;
  unsigned native = machine.vectorBytes * 8 / bits; // lanes of a register
  unsigned registers = (lanes.width + native - 1) / native;
  if (registers > 4)
    return nullptr;
  Intrinsic::ID one, two = Intrinsic::not_intrinsic;
  if (bits == 64) {
    one = Intrinsic::x86_avx512_permvar_di_512;
    two = Intrinsic::x86_avx512_vpermi2var_q_512;
  } else if (isWide) {
    one = Intrinsic::x86_avx512_permvar_si_512;
    two = Intrinsic::x86_avx512_vpermi2var_d_512;
  } else {
    one = Intrinsic::x86_avx2_permd;
  }
  if (bits == 64)
    indices = CreateZExt(indices, FixedVectorType::get(getInt64Ty(), lanes.width));
  unsigned perStep = two != Intrinsic::not_intrinsic && registers > 1 ? 2 : 1;
  SmallVector<Value *> sources, results;
  for (unsigned r = 0; r < registers; ++r)
    sources.push_back(slice(value, r * native, native, *this));
  for (unsigned r = 0; r < registers; ++r) {
    Value *index = slice(indices, r * native, native, *this);
    Value *result = nullptr;
    for (unsigned s = 0; s < registers; s += perStep) {
      Value *piece = perStep == 2 ? CreateIntrinsic(two, {}, {sources[s], index, sources[s + 1]})
                                  : CreateIntrinsic(one, {}, {sources[s], index});
      if (!result) {
        result = piece;
        continue;
      }
      Value *step = CreateLShr(index, Log2_32(native * perStep));
      Value *isFrom = CreateICmpEQ(step, ConstantInt::get(step->getType(), s / perStep));
      result = CreateSelect(isFrom, piece, result);
    }
    results.push_back(result);
  }
  return concatenate(results, lanes.width, *this);
}

Value *LaneBuilder::permute(Value *value, Value *indices) {
  Type *type = value->getType();
  Type *element = type->getScalarType();
  unsigned bits = element->getScalarSizeInBits();
  indices = CreateAnd(indices, ConstantInt::get(indices->getType(), lanes.width - 1));
  // Bytes and halves are moved as words: gathers and permutes have no smaller lanes.
  Value *moved = value;
  if (bits < 32)
    moved = CreateZExt(value, widen(getInt32Ty()));
  else if (!element->isIntegerTy())
    moved = CreateBitCast(value, widen(getIntNTy(bits)));
  Value *result = permuteNative(moved, indices);
  if (!result) {
    Type *word = moved->getType()->getScalarType();
    Value *memory = spill(moved, "permuted");
    Value *addresses = CreateGEP(word, memory, indices);
    result = CreateMaskedGather(moved->getType(), addresses,
                                word->isIntegerTy(64) ? Align(8) : Align(4));
  }
  if (bits < 32)
    return CreateTrunc(result, type);
  return CreateBitCast(result, type);
}

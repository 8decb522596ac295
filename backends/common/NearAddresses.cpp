// An index of several axes is (i * height + j) * width + k. Of a neighbour, (i - 1, j, k), LLVM
// computes all of it again. As a polynomial in what the code knows by name, it differs from the
// first by height * width, which is the same in all threads. So its address is the other address
// plus that many elements: one instruction.
//
// Indices wrap at 32 bits, and so do the polynomials. Elements of an array are less than 2^31
// apart, so their distance is what the difference of 32 bits says.
#include "backends/common/NearAddresses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The numbers of the factors, sorted. Of a constant, none.
using Product = std::vector<unsigned>;
/// No coefficient is 0.
using Polynomial = std::map<Product, uint32_t>;

/// An address that is so many elements from another.
struct Place {
  Value *root = nullptr;
  Type *element = nullptr;
  Polynomial index;
};

class Addresses {
public:
  Addresses(Function &function, bool subtracts) : function(function), subtracts(subtracts) {}
  void run();

private:
  void inBlock(BasicBlock &block);
  std::optional<Polynomial> elements(Value *index, unsigned depth = 0);
  std::optional<Place> placeOf(Value *pointer);
  Polynomial polynomial(Value *value, unsigned depth = 0);
  Polynomial expanded(Value *value, unsigned depth);
  Polynomial factor(Value *value);
  bool isKnown(const Polynomial &distance) const;
  Value *make(IRBuilder<> &b, const Polynomial &distance);
  Value *toBytes(IRBuilder<> &b, Value *elements, Type *element);

  Function &function;
  const bool subtracts;
  MapVector<Value *, unsigned> factors;
  DenseMap<Value *, Polynomial> known;
  SmallVector<WeakTrackingVH> replaced; ///< deleted at the end, as polynomials name their parts
};

} // namespace

//===--- Polynomials -------------------------------------------------------===//

static Polynomial constant(uint32_t value) {
  return value ? Polynomial{{{}, value}} : Polynomial{};
}

static bool isConstant(const Polynomial &value) {
  return value.empty() || (value.size() == 1 && value.begin()->first.empty());
}

static void addTo(Polynomial &sum, const Product &product, uint32_t coefficient) {
  auto [it, isNew] = sum.try_emplace(product, 0);
  it->second += coefficient;
  if (it->second == 0)
    sum.erase(it);
}

/// `a + times * b`
static Polynomial plus(Polynomial a, const Polynomial &b, uint32_t times = 1) {
  for (const auto &[product, coefficient] : b)
    addTo(a, product, times * coefficient);
  return a;
}

static Polynomial multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  for (const auto &[x, m] : a)
    for (const auto &[y, n] : b) {
      Product product;
      std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(product));
      addTo(result, product, m * n);
    }
  return result;
}

Polynomial Addresses::factor(Value *value) {
  const unsigned number = factors.try_emplace(value, factors.size()).first->second;
  return {{{number}, 1}};
}

/// Large ones are factors themselves, so that all of this takes little time.
Polynomial Addresses::polynomial(Value *value, unsigned depth) {
  constexpr unsigned deepest = 12, longest = 12;
  if (const auto *integer = dyn_cast<ConstantInt>(value))
    return constant(uint32_t(integer->getZExtValue()));
  if (depth > deepest)
    return factor(value);
  if (const auto it = known.find(value); it != known.end())
    return it->second;
  Polynomial result = expanded(value, depth + 1);
  if (result.size() > longest)
    result = factor(value);
  return known[value] = result;
}

Polynomial Addresses::expanded(Value *value, unsigned depth) {
  Value *a, *b;
  const APInt *bits;
  if (match(value, m_AddLike(m_Value(a), m_Value(b))))
    return plus(polynomial(a, depth), polynomial(b, depth));
  if (match(value, m_Sub(m_Value(a), m_Value(b))))
    return plus(polynomial(a, depth), polynomial(b, depth), -1);
  if (match(value, m_Mul(m_Value(a), m_Value(b))))
    return multiply(polynomial(a, depth), polynomial(b, depth));
  if (match(value, m_Shl(m_Value(a), m_APInt(bits))) && bits->ult(32))
    return plus({}, polynomial(a, depth), 1u << bits->getZExtValue());
  return factor(value);
}

/// True if its factors are arguments, and a few operations compute it.
bool Addresses::isKnown(const Polynomial &distance) const {
  constexpr unsigned mostProducts = 2;
  return distance.size() <= mostProducts && all_of(distance, [&](const auto &term) {
           return all_of(term.first, [&](unsigned number) {
             return isa<Argument>(factors.begin()[number].first);
           });
         });
}

Value *Addresses::make(IRBuilder<> &b, const Polynomial &distance) {
  Value *sum = nullptr;
  for (const auto &[product, coefficient] : distance) {
    Value *term = nullptr;
    for (unsigned number : product) {
      Value *value = factors.begin()[number].first;
      term = term ? b.CreateMul(term, value) : value;
    }
    term = term ? b.CreateMul(term, b.getInt32(coefficient)) : b.getInt32(coefficient);
    sum = sum ? b.CreateAdd(sum, term) : term;
  }
  return sum;
}

Value *Addresses::toBytes(IRBuilder<> &b, Value *elements, Type *element) {
  const uint64_t size = function.getDataLayout().getTypeAllocSize(element);
  Value *wide = b.CreateSExt(elements, b.getInt64Ty());
  return isPowerOf2_64(size) ? b.CreateShl(wide, Log2_64(size))
                             : b.CreateMul(wide, b.getInt64(size));
}

//===--- Addresses ---------------------------------------------------------===//

/// An index of 64 bits that is made of numbers of 32. Large arrays have others.
std::optional<Polynomial> Addresses::elements(Value *index, unsigned depth) {
  constexpr unsigned deepest = 4;
  Value *a, *b;
  if (const auto *number = dyn_cast<ConstantInt>(index))
    return constant(uint32_t(number->getZExtValue()));
  if (match(index, m_ZExtOrSExt(m_Value(a))) && a->getType()->isIntegerTy(32))
    return polynomial(a);
  const bool isSum = match(index, m_AddLike(m_Value(a), m_Value(b)));
  if (depth > deepest || (!isSum && !match(index, m_Sub(m_Value(a), m_Value(b)))))
    return std::nullopt;
  std::optional<Polynomial> x = elements(a, depth + 1), y = elements(b, depth + 1);
  return x && y ? std::optional(plus(std::move(*x), *y, isSum ? 1 : -1)) : std::nullopt;
}

/// The elements that an access of the array adds to `pointer`.
std::optional<Place> Addresses::placeOf(Value *pointer) {
  Place place;
  uint64_t bytes = 0;
  Value *at = pointer;
  while (auto *step = dyn_cast<GetElementPtrInst>(at)) {
    if (step->getNumIndices() != 1)
      break;
    Type *element = step->getSourceElementType();
    std::optional<Polynomial> index;
    if (const auto *distance = dyn_cast<ConstantInt>(step->getOperand(1)))
      bytes += distance->getSExtValue() * function.getDataLayout().getTypeAllocSize(element);
    else if ((!place.element || place.element == element) &&
             (index = elements(step->getOperand(1)))) {
      place.element = element;
      place.index = plus(std::move(place.index), *index);
    } else {
      break;
    }
    at = step->getPointerOperand();
  }
  place.root = at;
  if (!place.element)
    return std::nullopt;
  const uint64_t size = function.getDataLayout().getTypeAllocSize(place.element);
  if (int64_t(bytes) % int64_t(size) != 0)
    return std::nullopt;
  place.index = plus(std::move(place.index), constant(uint32_t(int64_t(bytes) / int64_t(size))));
  return place;
}

/// True if a part of the address comes from another block, such as a row that a loop stays in: one
/// addition is left.
static bool hasPartElsewhere(const Value *pointer, const BasicBlock &block) {
  const auto *step = dyn_cast<GetElementPtrInst>(pointer);
  const auto *part = step ? dyn_cast<Instruction>(step->getPointerOperand()) : nullptr;
  return part && part->getParent() != &block;
}

/// True for the one of two distances, which differ in their sign, that follows from the other.
static bool isBackwards(const Polynomial &distance) {
  return !distance.empty() && int32_t(distance.rbegin()->second) < 0;
}

void Addresses::inBlock(BasicBlock &block) {
  constexpr size_t mostLooks = 32; // large blocks take no longer for an access than small ones
  struct Access {
    Place place;
    Value *base;    ///< constants are added to it in one step, for which accesses have room
    int32_t offset; ///< elements
  };
  std::vector<Access> earlier;
  std::map<std::pair<Type *, Polynomial>, Value *> made; // distances in bytes, by the element
  const auto forwards = [&](const Polynomial &distance) {
    return subtracts && isBackwards(distance) ? plus({}, distance, -1) : distance;
  };
  for (Instruction &instruction : block) {
    Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer || pointer->getType()->getPointerAddressSpace() != 1)
      continue;
    std::optional<Place> place = placeOf(pointer);
    if (!place)
      continue;
    const Access *nearest = nullptr;
    Polynomial distance;
    const auto cost = [&](const Polynomial &value) -> size_t {
      if (isConstant(value))
        return 0;
      return made.count({place->element, forwards(value)}) ? 1 : 1 + value.size();
    };
    const size_t looks = std::min<size_t>(earlier.size(), mostLooks);
    for (const Access &other : ArrayRef(earlier).take_back(looks)) {
      if (other.place.root != place->root || other.place.element != place->element)
        continue;
      Polynomial each = plus(place->index, other.place.index, -1);
      if (isKnown(each) && (isConstant(each) || !hasPartElsewhere(pointer, block)) &&
          (!nearest || cost(each) < cost(distance))) {
        nearest = &other;
        distance = std::move(each);
      }
    }
    Access access{std::move(*place), pointer, 0};
    if (nearest) {
      IRBuilder<> b(&instruction);
      Type *element = access.place.element;
      access.base = nearest->base;
      access.offset = nearest->offset;
      if (!isConstant(distance)) {
        Value *&bytes = made[{element, forwards(distance)}];
        if (!bytes)
          bytes = toBytes(b, make(b, forwards(distance)), element);
        access.base = b.CreatePtrAdd(access.base,
                                     distance == forwards(distance) ? bytes : b.CreateNeg(bytes));
      } else if (!distance.empty()) {
        access.offset += int32_t(distance.begin()->second);
      }
      instruction.replaceUsesOfWith(
          pointer, access.offset ? b.CreateGEP(element, access.base, b.getInt64(access.offset))
                                 : access.base);
      replaced.push_back(pointer);
    }
    earlier.push_back(std::move(access));
  }
}

static bool isFrom(const Value *value, const BasicBlock *block) {
  const auto *instruction = dyn_cast<Instruction>(value);
  return instruction && instruction->getParent() == block;
}

static bool isAccessedThere(const GetElementPtrInst &address) {
  return any_of(address.users(), [&](const User *user) {
    return getLoadStorePointerOperand(user) == &address &&
           cast<Instruction>(user)->getParent() == address.getParent();
  });
}

/// Adds a row and a column to an address in one step, if no other address has the row, and neither
/// stays the same in a loop. The index of an element that is accessed is not negative, so a sum of
/// 32 bits says it.
static void joinSteps(Function &function) {
  Value *row, *column;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *step = dyn_cast<GetElementPtrInst>(&instruction);
    auto *inner = step ? dyn_cast<GetElementPtrInst>(step->getPointerOperand()) : nullptr;
    if (!inner || !inner->hasOneUse() || !isFrom(inner, step->getParent()) ||
        step->getSourceElementType() != inner->getSourceElementType() ||
        step->getNumIndices() != 1 || inner->getNumIndices() != 1 ||
        !match(inner->getOperand(1), m_ZExtOrSExt(m_Value(row))) ||
        !match(step->getOperand(1), m_ZExtOrSExt(m_Value(column))) ||
        !row->getType()->isIntegerTy(32) || !column->getType()->isIntegerTy(32) ||
        !isFrom(row, step->getParent()) || !isFrom(column, step->getParent()) ||
        !isAccessedThere(*step))
      continue;
    IRBuilder<> b(step);
    Value *index = b.CreateZExt(b.CreateAdd(row, column), b.getInt64Ty(), "", /*IsNonNeg=*/true);
    step->replaceAllUsesWith(
        b.CreateGEP(step->getSourceElementType(), inner->getPointerOperand(), index));
    RecursivelyDeleteTriviallyDeadInstructions(step);
  }
}

void Addresses::run() {
  for (BasicBlock &block : function)
    inBlock(block);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

void sextant::shareAddresses(Module &module, AddressSteps steps) {
  for (Function &function : module)
    if (!function.isDeclaration()) {
      Addresses(function, steps.subtracts).run();
      if (steps.joins)
        joinSteps(function);
    }
}

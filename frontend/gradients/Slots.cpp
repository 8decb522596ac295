// Copies arrays of a task.
#include "frontend/gradients/Slots.h"

#include <algorithm>

namespace sextant::gradients {

using namespace hir;

std::vector<Slots> slotsFor(const std::set<Array> &arrays, const Draft &draft, unsigned blockDim) {
  std::vector<Slots> all;
  for (const Array &array : arrays) {
    const ArrayDecl &decl = declOf(draft, array);
    const unsigned stride = array.first == BufferRef::Shared ? blockDim : 1;
    all.push_back({{array.first, array.second}, {}, decl.type, decl.count, stride});
  }
  return all;
}

uint64_t bytesOfState(const std::vector<Slots> &slots) {
  uint64_t bytes = 0;
  for (const Slots &each : slots)
    bytes += each.each() * byteWidth(each.type);
  return bytes;
}

void makeMemory(std::vector<Slots> &slots, Locals &locals, unsigned states, Loc at) {
  auto &privates = locals.draft.privates;
  for (Slots &each : slots) {
    const ArrayDecl &decl = declOf(locals.draft, {each.array.kind, each.array.index});
    std::string name = decl.name + ".kept";
    each.memory = {BufferRef::Private, unsigned(privates.size())};
    privates.push_back({std::move(name), each.type, each.each() * states, at});
  }
}

/// \param isSave from the arrays to the state
static void copy(const std::vector<Slots> &all, Locals &locals, const ExprRef &state, bool isSave,
                 Block &to, Loc at) {
  const auto number = [&](uint64_t value) { return makeInt(Exact(value), Type::I32, at); };
  const auto op = [&](BinaryOp which, ExprRef a, ExprRef b) {
    return makeBinary(which, std::move(a), std::move(b), Type::I32, at);
  };
  const bool isOfBlock = std::ranges::any_of(
      all, [](const Slots &slots) { return slots.array.kind == BufferRef::Shared; });
  if (isOfBlock)
    to.push_back({at, Barrier{}});
  for (const Slots &slots : all) {
    const bool isShared = slots.array.kind == BufferRef::Shared;
    const unsigned element = locals.add("element", Type::I32);
    ExprRef place = op(BinaryOp::Add, op(BinaryOp::Mul, state, number(slots.each())),
                       op(BinaryOp::FloorDiv, locals.read(element, at), number(slots.stride)));
    const auto move = [&](const BufferRef &into, ExprRef index, const BufferRef &from,
                          ExprRef source) {
      return Store{into, take(index), take(makeExpr(slots.type, Load{from, take(source)}, at))};
    };
    Block body;
    ExprRef own = locals.read(element, at);
    body.push_back({at, isSave ? move(slots.memory, place, slots.array, own)
                               : move(slots.array, own, slots.memory, place)});
    to.push_back({at, For{element, take(isShared ? makeId(Id::ThreadIdx, at) : number(0)),
                          take(number(slots.count)), int64_t(slots.stride), std::move(body)}});
  }
  if (isOfBlock)
    to.push_back({at, Barrier{}});
}

void saveArrays(const std::vector<Slots> &slots, Locals &locals, const ExprRef &state, Block &to,
                Loc at) {
  copy(slots, locals, state, true, to, at);
}
void loadArrays(const std::vector<Slots> &slots, Locals &locals, const ExprRef &state, Block &to,
                Loc at) {
  copy(slots, locals, state, false, to, at);
}

} // namespace sextant::gradients

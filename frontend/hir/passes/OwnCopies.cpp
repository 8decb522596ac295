// Own copies of variables: where an iteration of a parallel task stores into a variable of the
// kernel before it reads it, the iteration has its own copy, for other iterations change the
// variable meanwhile.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/hir/passes/Uses.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace sextant::hir {

namespace {

/// The copy of a variable.
struct Copy {
  unsigned first = 0;      ///< its first local
  std::vector<bool> owned; ///< one bit a component; others stay in memory
  bool isLeft = false;     ///< a later task reads the variable, so stores go there, too
  bool isWhole() const { return std::ranges::find(owned, false) == owned.end(); }
};
using Copies = std::map<unsigned, Copy>; ///< keys: the variables' first locals

/// Rewrites the accesses of one task.
class Copier {
public:
  Copier(Draft &draft, const Copies &copies) : draft(draft), copies(copies) {}
  void rewrite(Block &body);

private:
  void rewrite(Expr &e);
  void update(Expr &e, const Copy &copy);
  void put(Block &body, const Loc &at, Store store, const Copy &copy);
  unsigned keep(Block &body, ExprPtr value);
  std::function<ExprPtr()> repeatable(Block &body, ExprPtr index);
  const Copy *copyOf(const BufferRef *ref, const Expr &index) const;
  void makeStore(Stmt &stmt) const;

  Draft &draft;
  const Copies &copies;
};

const Copy *Copier::copyOf(const BufferRef *ref, const Expr &index) const {
  const auto found = ref && ref->kind == BufferRef::Carry ? copies.find(ref->index) : copies.end();
  if (found == copies.end())
    return nullptr;
  const std::optional<unsigned> local = componentAt(ref, index);
  const Copy &copy = found->second;
  return (local ? copy.owned[*local - ref->index] : copy.isWhole()) ? &copy : nullptr;
}

unsigned Copier::keep(Block &body, ExprPtr value) {
  const Loc at = value->at;
  return hir::keep(draft.locals, "kept", body, std::move(value), at);
}

/// Makes an assignment to a local of a variable that has a copy a store.
void Copier::makeStore(Stmt &stmt) const {
  auto *assign = std::get_if<Assign>(&stmt.node);
  const auto after = assign ? copies.upper_bound(assign->local) : copies.begin();
  if (after == copies.begin())
    return;
  const auto &[first, copy] = *std::prev(after);
  const unsigned k = assign->local - first;
  if (k < copy.owned.size())
    stmt.node = Store{{BufferRef::Carry, first},
                      take(makeInt(k, Type::I32, stmt.at)),
                      std::move(assign->value),
                      false};
}

/// Returns an index that code can have several times: a constant, or a local that `body` sets.
std::function<ExprPtr()> Copier::repeatable(Block &body, ExprPtr index) {
  const Type type = index->type;
  const Loc at = index->at;
  if (Exact k = 0; constInt(*index, k))
    return [=] { return take(makeInt(k, type, at)); };
  const unsigned local = keep(body, std::move(index));
  return [=] { return take(makeLocal(local, type, at)); };
}

/// Returns the copy's component at an index.
static decltype(Expr::node) inCopy(const Copy &copy, ExprPtr index) {
  if (Exact k = 0; constInt(*index, k))
    return LocalRead{copy.first + unsigned(k)};
  return Load{{BufferRef::Variable, copy.first}, std::move(index), false};
}

/// Stores into the copy, and into the variable where it is left to a later task.
void Copier::put(Block &body, const Loc &at, Store store, const Copy &copy) {
  const BufferRef variable = store.buffer, own{BufferRef::Variable, copy.first};
  auto add = [&](decltype(Stmt::node) node) { body.push_back({at, std::move(node)}); };
  Exact k = 0;
  const bool isKnown = constInt(*store.index, k);
  if (!isKnown && !copy.isLeft) {
    store.buffer = own;
    return add(std::move(store));
  }
  const Type type = store.value->type;
  const auto index = repeatable(body, std::move(store.index));
  unsigned value = copy.first + unsigned(k);
  if (isKnown) {
    add(Assign{value, std::move(store.value)});
  } else {
    value = keep(body, std::move(store.value));
    add(Store{own, index(), take(makeLocal(value, type, at))});
  }
  if (copy.isLeft)
    add(Store{variable, index(), take(makeLocal(value, type, at))});
}

static ExprRef combined(Combine combine, ExprRef old, ExprRef value, Type type, Loc at) {
  BinaryOp op = BinaryOp::Add;
  switch (combine) {
  case Combine::Exchange:
    return value;
  case Combine::Add:
    break;
  case Combine::Mul:
    op = BinaryOp::Mul;
    break;
  case Combine::Min:
    op = BinaryOp::Min;
    break;
  case Combine::Max:
    op = BinaryOp::Max;
    break;
  case Combine::And:
    op = BinaryOp::And;
    break;
  case Combine::Or:
    op = BinaryOp::Or;
    break;
  case Combine::Xor:
    op = BinaryOp::Xor;
    break;
  }
  return makeBinary(op, std::move(old), std::move(value), type, at);
}

/// An atomic becomes an update of the copy, and yields the old value.
void Copier::update(Expr &e, const Copy &copy) {
  auto atomic = std::get<Atomic>(std::move(e.node));
  const Type type = e.type;
  Block body;
  const auto index = repeatable(body, std::move(atomic.index));
  const unsigned value = keep(body, std::move(atomic.value));
  const unsigned old = keep(body, take(makeExpr(type, inCopy(copy, index()), e.at)));
  ExprRef updated =
      combined(atomic.op, makeLocal(old, type, e.at), makeLocal(value, type, e.at), type, e.at);
  put(body, e.at, Store{atomic.buffer, index(), take(std::move(updated))}, copy);
  e.node = Sequence{std::move(body), take(makeLocal(old, type, e.at))};
}

void Copier::rewrite(Expr &e) {
  forEachOperand(e, [&](Expr &x) { rewrite(x); }, [&](Block &b) { rewrite(b); });
  if (auto *load = std::get_if<Load>(&e.node)) {
    if (const Copy *copy = copyOf(&load->buffer, *load->index)) {
      ExprPtr index = std::move(load->index);
      e.node = inCopy(*copy, std::move(index));
    }
  } else if (auto *atomic = std::get_if<Atomic>(&e.node)) {
    if (const Copy *copy = copyOf(&atomic->buffer, *atomic->index))
      update(e, *copy);
  }
}

void Copier::rewrite(Block &body) {
  Block all;
  for (Stmt &stmt : body) {
    forEachOperand(stmt, [&](Expr &e) { rewrite(e); }, [&](Block &b) { rewrite(b); });
    makeStore(stmt);
    auto *store = std::get_if<Store>(&stmt.node);
    if (const Copy *copy = store ? copyOf(&store->buffer, *store->index) : nullptr)
      put(all, stmt.at, std::move(*store), *copy);
    else
      all.push_back(std::move(stmt));
  }
  body = std::move(all);
}

/// The components that an iteration stores before it reads them: each that is not accessed by a
/// number of the run; else all or none.
std::vector<bool> ownedOf(const SharedUses::Variable &variable) {
  std::vector<bool> owned;
  bool anyExposed = variable.isWaitedFor;
  for (const SharedUses::Component &component : variable.components) {
    owned.push_back(component.isRead && component.isStored && !component.exposed);
    anyExposed |= component.exposed.has_value();
  }
  if (variable.isWaitedFor || variable.isIndexed)
    owned.assign(owned.size(), !anyExposed && variable.isStored());
  return owned;
}

} // namespace

void makeOwnCopies(Draft &draft) {
  std::vector<SharedUses> shared;
  std::vector<Copies> copies(draft.tasks.size());
  for (size_t t = 0; t < draft.tasks.size(); ++t)
    for (const auto &[first, variable] :
         shared.emplace_back(sharedUses(draft, draft.tasks[t].task)).variables)
      if (auto owned = ownedOf(variable); std::ranges::find(owned, true) != owned.end())
        copies[t][first].owned = std::move(owned);
  if (std::ranges::all_of(copies, &Copies::empty))
    return;
  const std::vector<Uses> uses = usesOfTasks(draft);
  auto reads = [&](size_t task, unsigned first, size_t component) {
    if (uses[task].reads[first + component])
      return true;
    const auto variable = shared[task].variables.find(first);
    if (variable == shared[task].variables.end())
      return uses[task].memory.count(first) != 0;
    const auto copy = copies[task].find(first);
    const bool isOwned = copy != copies[task].end() && copy->second.owned[component];
    return !isOwned && (variable->second.isIndexed || variable->second.isWaitedFor ||
                        variable->second.components[component].isRead);
  };
  for (size_t t = 0; t < draft.tasks.size(); ++t) {
    const unsigned loop = outermostLoop(draft, draft.tasks[t].span);
    for (auto &[first, copy] : copies[t]) {
      for (size_t later = 0; later < uses.size(); ++later)
        for (size_t k = 0; k < copy.owned.size(); ++k)
          if (later > t ||
              (loop && later != t && outermostLoop(draft, draft.tasks[later].span) == loop))
            copy.isLeft |= copy.owned[k] && reads(later, first, k);
      const Components variable = draft.componentsAt(first);
      copy.first = unsigned(draft.locals.size());
      for (unsigned k = 0; k < variable.count; ++k)
        draft.locals.push_back({draft.locals[first + k].name, draft.locals[first + k].type});
      if (variable.count > 1)
        draft.variables[copy.first] = variable;
    }
    if (!copies[t].empty())
      Copier(draft, copies[t]).rewrite(draft.tasks[t].task.body);
  }
}

} // namespace sextant::hir

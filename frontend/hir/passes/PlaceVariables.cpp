// Variables of threads whose components are indexed at run time.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/hir/passes/Uses.h"

#include <utility>

namespace sextant::hir {

namespace {

/// Rewrites the accesses of one task.
class Placer {
public:
  Placer(Draft &draft, Task &task) : draft(draft), task(task) {}
  void run() {
    find(task.body);
    if (!found.empty())
      rewrite(task.body);
  }

private:
  struct Place {
    unsigned count = 0;             ///< components
    std::optional<BufferRef> array; ///< absent: they stay locals
  };

  void find(Block &body);
  void note(const BufferRef *ref);
  void rewrite(Block &body);
  void rewrite(Expr &e);
  void choose(Expr &e, const Place &place);
  Block storeIfInside(Stmt &stmt, const Place &place);
  Block chooseForStore(Stmt &stmt, const Place &place);
  std::pair<const Place *, unsigned> placeOf(unsigned local) const;
  unsigned keep(Block &body, ExprPtr value);

  Draft &draft;
  Task &task;
  std::map<unsigned, Place> found; ///< keys: the first locals
};

void Placer::note(const BufferRef *ref) {
  if (!ref || ref->kind != BufferRef::Variable)
    return;
  auto [it, isNew] = found.try_emplace(ref->index);
  if (!isNew)
    return;
  const Components variable = draft.componentsAt(ref->index);
  const Local &first = draft.locals[ref->index];
  it->second.count = variable.count;
  if (variable.count <= mostChoices || first.variable)
    return;
  it->second.array = {BufferRef::Private, unsigned(draft.privates.size())};
  draft.privates.push_back({variable.name, first.type, variable.count, task.at});
}

void Placer::find(Block &body) {
  std::function<void(Block &)> inBlock = [&](Block &b) { find(b); };
  std::function<void(Expr &)> inExpr = [&](Expr &e) {
    note(bufferOf(e));
    forEachOperand(e, inExpr, inBlock);
  };
  for (Stmt &stmt : body) {
    note(bufferOf(stmt));
    forEachOperand(stmt, inExpr, inBlock);
  }
}

/// The place of the variable that the local belongs to, and which component it is. Null for others.
std::pair<const Placer::Place *, unsigned> Placer::placeOf(unsigned local) const {
  auto after = found.upper_bound(local);
  if (after == found.begin())
    return {};
  const auto &[first, place] = *std::prev(after);
  return local < first + place.count ? std::pair(&place, local - first) : std::pair(nullptr, 0u);
}

unsigned Placer::keep(Block &body, ExprPtr value) {
  const Loc at = value->at;
  return hir::keep(draft.locals, "chosen", body, std::move(value), at);
}

static ExprRef isIndex(unsigned index, const Local &of, unsigned k, Loc at) {
  return makeBinary(BinaryOp::Eq, makeLocal(index, of.type, at), makeInt(k, of.type, at),
                    Type::Bool, at);
}

/// A load becomes a choice among the locals.
void Placer::choose(Expr &e, const Place &place) {
  auto load = std::get<Load>(std::move(e.node));
  const unsigned first = load.buffer.index;
  Block body;
  const unsigned index = keep(body, std::move(load.index));
  const Local indexLocal = draft.locals[index];
  ExprRef result = makeLocal(first + place.count - 1, e.type, e.at);
  for (unsigned k = place.count - 1; k-- > 0;)
    result = makeSelect(isIndex(index, indexLocal, k, e.at), makeLocal(first + k, e.type, e.at),
                        std::move(result), e.at);
  e.node = Sequence{std::move(body), take(std::move(result))};
}

/// A store becomes one assignment to each local, of the value or of what it holds.
Block Placer::chooseForStore(Stmt &stmt, const Place &place) {
  auto store = std::get<Store>(std::move(stmt.node));
  const unsigned first = store.buffer.index;
  const Type type = store.value->type;
  Block body;
  const unsigned index = keep(body, std::move(store.index));
  const unsigned value = keep(body, std::move(store.value));
  const Local indexLocal = draft.locals[index];
  for (unsigned k = 0; k < place.count; ++k)
    body.push_back(
        {stmt.at,
         Assign{first + k, take(makeSelect(isIndex(index, indexLocal, k, stmt.at),
                                           makeLocal(value, type, stmt.at),
                                           makeLocal(first + k, type, stmt.at), stmt.at))}});
  return body;
}

/// An index of no component reads the last one, as a choice does.
static void keepInside(ExprPtr &index, unsigned count) {
  const Loc at = index->at;
  ExprRef inside =
      makeBinary(BinaryOp::Min, makeCast(std::make_shared<Expr>(std::move(*index)), Type::U32, at),
                 makeInt(count - 1, Type::U32, at), Type::U32, at);
  index = take(makeCast(std::move(inside), Type::I32, at));
}

/// An index of no component writes nothing.
Block Placer::storeIfInside(Stmt &stmt, const Place &place) {
  auto store = std::get<Store>(std::move(stmt.node));
  const Loc at = stmt.at;
  Block body, then;
  const unsigned index = keep(body, std::move(store.index));
  const Type type = draft.locals[index].type, bits = unsignedOf(type);
  ExprRef isInside = makeBinary(BinaryOp::Lt, makeCast(makeLocal(index, type, at), bits, at),
                                makeInt(place.count, bits, at), Type::Bool, at);
  then.push_back(
      {at, Store{*place.array, take(makeLocal(index, type, at)), std::move(store.value), false}});
  body.push_back({at, If{take(std::move(isInside)), std::move(then), {}}});
  return body;
}

void Placer::rewrite(Expr &e) {
  forEachOperand(e, [&](Expr &x) { rewrite(x); }, [&](Block &b) { rewrite(b); });
  if (auto *read = std::get_if<LocalRead>(&e.node)) {
    const auto [place, component] = placeOf(read->local);
    if (place && place->array)
      e.node = Load{*place->array, take(makeInt(component, Type::I32, e.at)), false};
    return;
  }
  BufferRef *ref = bufferOf(e);
  if (!ref || ref->kind != BufferRef::Variable)
    return;
  const Place &place = found.at(ref->index);
  if (!place.array)
    return choose(e, place);
  *ref = *place.array;
  keepInside(std::get<Load>(e.node).index, place.count);
}

void Placer::rewrite(Block &body) {
  Block all;
  for (Stmt &stmt : body) {
    forEachOperand(stmt, [&](Expr &e) { rewrite(e); }, [&](Block &b) { rewrite(b); });
    if (auto *assign = std::get_if<Assign>(&stmt.node)) {
      const auto [place, component] = placeOf(assign->local);
      if (place && place->array) {
        ExprPtr value = std::move(assign->value);
        stmt.node = Store{*place->array, take(makeInt(component, Type::I32, stmt.at)),
                          std::move(value), false};
      }
    } else if (BufferRef *ref = bufferOf(stmt); ref && ref->kind == BufferRef::Variable) {
      const Place &place = found.at(ref->index);
      Block instead = place.array ? storeIfInside(stmt, place) : chooseForStore(stmt, place);
      for (Stmt &each : instead)
        all.push_back(std::move(each));
      continue;
    }
    all.push_back(std::move(stmt));
  }
  body = std::move(all);
}

} // namespace

void placeVariables(Draft &draft) {
  for (DraftTask &each : draft.tasks)
    Placer(draft, each.task).run();
}

} // namespace sextant::hir

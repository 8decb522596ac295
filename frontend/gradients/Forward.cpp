// Puts tangents beside values.
#include "frontend/gradients/Forward.h"
#include "frontend/gradients/Rules.h"

#include <utility>

namespace sextant::gradients {

using namespace hir;

namespace {

class Tangents {
public:
  Tangents(const Lanes &lanes, const Activity &activity)
      : locals(lanes.locals), activity(activity), lanes(lanes) {}

  Block block(Block &code) {
    Block out;
    for (Stmt &stmt : code)
      statement(stmt, out);
    return out;
  }

private:
  unsigned tangentOf(unsigned local) {
    const auto [it, isNew] = tangents.try_emplace(local, unsigned(locals.size()));
    if (isNew)
      locals.push_back({locals[local].name + ".dual", typeOfGradient(locals[local].type)});
    return it->second;
  }
  /// The tangent of a constant, a parameter or a local; null: it is zero.
  ExprRef tangentOf(const Expr &operand) {
    auto *read = std::get_if<LocalRead>(&operand.node);
    if (!read || !activity.locals.contains(read->local))
      return nullptr;
    const unsigned tangent = tangentOf(read->local);
    return makeLocal(tangent, locals[tangent].type, operand.at);
  }
  ExprPtr tangentAs(const Expr &operand, Type type) {
    ExprRef tangent = tangentOf(operand);
    return take(tangent ? makeCast(tangent, type, operand.at) : makeFloat(0, type, operand.at));
  }
  const BufferRef &shadowOf(const BufferRef &buffer) const {
    return activity.gradients.at(keyOf(buffer));
  }

  /// The tangent of an operation on trivial operands; null: it is zero.
  /// \param result a local that has the value
  /// \param out gets code that it needs
  ExprRef tangentOf(const Expr &value, const Expr &result, Block &out) {
    const Loc at = value.at;
    if (std::holds_alternative<LocalRead>(value.node))
      return tangentOf(value);
    if (auto *derived = std::get_if<Derived>(&value.node))
      return tangentOf(*derived->slope);
    if (auto *load = std::get_if<Load>(&value.node))
      return makeExpr(value.type, Load{shadowOf(load->buffer), clone(*load->index)}, at);
    if (const Expr *operand = operandOfLanes(value))
      return lanes.pushForward(value, *tangentAs(*operand, value.type), out);
    ExprRef sum;
    size_t k = 0;
    forEachOperand(value, [&](const Expr &operand) {
      ExprRef along = tangentOf(operand);
      if (along) {
        const Type type = typeOfGradient(value.type);
        std::vector<ExprRef> parts = pullBack(value, result, *makeCast(along, type, at));
        if (k < parts.size() && parts[k]) {
          ExprRef part = makeCast(parts[k], type, at);
          sum = sum ? makeBinary(BinaryOp::Add, sum, part, type, at) : part;
        }
      }
      ++k;
    });
    return sum;
  }
  void statement(Stmt &stmt, Block &out) {
    const Loc at = stmt.at;
    if (auto *assign = std::get_if<Assign>(&stmt.node);
        assign && activity.locals.contains(assign->local))
      return assignment(*assign, at, out);
    if (auto *store = std::get_if<Store>(&stmt.node); store && activity.has(store->buffer)) {
      out.push_back({at, Store{shadowOf(store->buffer), clone(*store->index),
                               tangentAs(*store->value, store->value->type)}});
    } else if (auto *eval = std::get_if<Eval>(&stmt.node)) {
      auto *atomic = std::get_if<Atomic>(&eval->value->node);
      if (atomic && activity.has(atomic->buffer) && tangentOf(*atomic->value)) {
        const Type type = atomic->value->type;
        Expr more{at, type,
                  Atomic{Combine::Add, shadowOf(atomic->buffer), clone(*atomic->index),
                         tangentAs(*atomic->value, type)}};
        out.push_back({at, Eval{std::move(more)}});
      }
    }
    forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { inside = block(inside); });
    out.push_back(std::move(stmt));
  }

  void assignment(Assign &assign, Loc at, Block &out) {
    const Type type = locals[assign.local].type, tangentType = typeOfGradient(type);
    ExprPtr value = std::move(assign.value);
    const ExprPtr flat = clone(*value);
    const unsigned kept = keep(locals, "t", out, std::move(value), at);
    ExprRef tangent = tangentOf(*flat, *makeLocal(kept, type, at), out);
    tangent = tangent ? makeCast(tangent, tangentType, at) : makeFloat(0, tangentType, at);
    const unsigned keptTangent = keep(locals, "t.dual", out, take(tangent), at);
    out.push_back({at, Assign{assign.local, take(makeLocal(kept, type, at))}});
    out.push_back(
        {at, Assign{tangentOf(assign.local), take(makeLocal(keptTangent, tangentType, at))}});
  }

  std::vector<Local> &locals;
  const Activity &activity;
  const Lanes lanes;
  std::map<unsigned, unsigned> tangents; ///< the tangent of each local
};

} // namespace

Block forward(Block &code, const Lanes &lanes, const Activity &activity) {
  return Tangents(lanes, activity).block(code);
}

} // namespace sextant::gradients

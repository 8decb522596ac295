// Takes expressions apart.
#include "frontend/gradients/Flatten.h"
#include "frontend/gradients/Walk.h"

#include <utility>

namespace sextant::gradients {

using namespace hir;

namespace {

class Flattener {
public:
  Flattener(std::vector<Local> &locals, Activity &activity)
      : locals(locals), activity(activity), written(unsigned(locals.size())) {}

  void block(Block &code) {
    Block before = std::exchange(code, {});
    Block *const outer = std::exchange(out, &code);
    for (Stmt &stmt : before)
      statement(stmt);
    out = outer;
  }

private:
  ExprPtr read(unsigned local, Loc at) { return take(makeLocal(local, locals[local].type, at)); }

  /// Returns a read of a local that keeps the value.
  ExprPtr kept(ExprPtr value) {
    const Loc at = value->at;
    const bool isActive = activity.isActive(*value), isVaried = activity.isVaried(*value);
    const unsigned local = keep(locals, "t", *out, std::move(value), at);
    if (isActive)
      activity.locals.insert(local);
    if (isVaried)
      activity.varied.locals.insert(local);
    return read(local, at);
  }
  ExprPtr trivial(ExprPtr value) {
    return isTrivial(*value) ? std::move(value) : kept(std::move(value));
  }

  /// True for what has to stay in its order, and cannot be evaluated twice.
  static bool isOrdered(const Expr &expr) {
    const bool hasEffect = std::visit(
        []<class Node>(const Node &) {
          return requires { Node::hasEffect; } || requires { Node::isOfThread; } ||
                 std::is_same_v<Node, Load>;
        },
        expr.node);
    return hasEffect && !std::holds_alternative<ReadId>(expr.node);
  }
  static bool isPure(const Expr &expr) {
    bool pure = !isOrdered(expr);
    forEachOperand(expr, [&](const Expr &operand) { pure = pure && isPure(operand); });
    return pure;
  }

  /// Flattens the operands of an expression in their order. Those before one that sets a variable
  /// are kept.
  template <class Code> void operands(Code &code) {
    std::vector<Expr *> done;
    forEachOperand(
        code,
        [&](Expr &operand) {
          Block before;
          Block *const outer = std::exchange(out, &before);
          Expr flat = std::move(*value(ExprPtr(std::move(operand))));
          out = outer;
          bool sets = false;
          forEachStatement(before,
                           [&](Stmt &stmt) { sets |= setBy(stmt).value_or(written) < written; });
          for (Expr *earlier : done)
            if (sets && !std::holds_alternative<Const>(earlier->node))
              *earlier = std::move(*kept(ExprPtr(std::move(*earlier))));
          out->insert(out->end(), std::make_move_iterator(before.begin()),
                      std::make_move_iterator(before.end()));
          operand = std::move(flat);
          done.push_back(&operand);
        },
        [](Block &) {});
  }
  template <class Code> void makeTrivial(Code &code) {
    forEachOperand(
        code,
        [&](Expr &operand) {
          if (!isTrivial(operand))
            operand = std::move(*kept(ExprPtr(std::move(operand))));
        },
        [](Block &) {});
  }

  /// The expression with flat operands, as the value of an assignment.
  ExprPtr root(ExprPtr expr) {
    if (auto *sequence = std::get_if<Sequence>(&expr->node)) {
      Block body = std::move(sequence->body);
      ExprPtr result = std::move(sequence->result);
      for (Stmt &stmt : body)
        statement(stmt);
      return root(std::move(result));
    }
    if (auto *derived = std::get_if<Derived>(&expr->node); derived && !activity.isActive(*expr)) {
      const Loc at = expr->at;
      ExprPtr constant = root(std::move(derived->value));
      return read(keep(locals, "t", *out, std::move(constant), at), at);
    }
    if (auto *choice = std::get_if<Conditional>(&expr->node);
        choice &&
        (activity.isActive(*expr) || !isPure(*choice->whenTrue) || !isPure(*choice->whenFalse)))
      return conditional(*choice, expr->type, expr->at);
    operands(*expr);
    if (isOrdered(*expr) || activity.isActive(*expr))
      makeTrivial(*expr);
    return expr;
  }

  /// An expression without order and without active operations.
  ExprPtr value(ExprPtr expr) {
    if (isTrivial(*expr))
      return expr;
    expr = root(std::move(expr));
    return isOrdered(*expr) || activity.isActive(*expr) ? trivial(std::move(expr))
                                                        : std::move(expr);
  }

  ExprPtr conditional(Conditional &choice, Type type, Loc at) {
    ExprPtr condition = value(std::move(choice.condition));
    const auto local = unsigned(locals.size());
    locals.push_back({"t", type});
    if (activity.isActive(*choice.whenTrue) || activity.isActive(*choice.whenFalse))
      activity.locals.insert(local);
    if (activity.isVaried(*choice.whenTrue) || activity.isVaried(*choice.whenFalse))
      activity.varied.locals.insert(local);
    const auto side = [&](ExprPtr chosen) {
      Block code;
      Block *const outer = std::exchange(out, &code);
      ExprPtr flat = root(std::move(chosen));
      code.push_back({at, Assign{local, std::move(flat)}});
      out = outer;
      return code;
    };
    Block then = side(std::move(choice.whenTrue)), otherwise = side(std::move(choice.whenFalse));
    out->push_back({at, If{std::move(condition), std::move(then), std::move(otherwise)}});
    return read(local, at);
  }

  void statement(Stmt &stmt) {
    if (auto *assign = std::get_if<Assign>(&stmt.node)) {
      assign->value = root(std::move(assign->value));
    } else if (auto *eval = std::get_if<Eval>(&stmt.node)) {
      eval->value = root(std::move(eval->value));
    } else if (auto *loop = std::get_if<While>(&stmt.node)) {
      return whileLoop(*loop, stmt.at);
    } else {
      operands(stmt);
      makeTrivial(stmt);
      forEachOperand(stmt, [](Expr &) {}, [&](Block &body) { block(body); });
    }
    out->push_back(std::move(stmt));
  }

  void whileLoop(While &loop, Loc at) {
    if (isPure(*loop.condition)) {
      block(loop.body);
      out->push_back({at, std::move(loop)});
      return;
    }
    const auto goesOn = unsigned(locals.size());
    locals.push_back({"goes_on", Type::Bool});
    loop.body.push_back({at, Assign{goesOn, clone(*loop.condition)}});
    ExprPtr first = root(std::move(loop.condition));
    out->push_back({at, Assign{goesOn, std::move(first)}});
    block(loop.body);
    out->push_back({at, While{read(goesOn, at), std::move(loop.body)}});
  }

  std::vector<Local> &locals;
  Activity &activity;
  const unsigned written; ///< the locals below were there before
  Block *out = nullptr;
};

} // namespace

void flatten(Block &code, std::vector<Local> &locals, Activity &activity) {
  Flattener(locals, activity).block(code);
}

} // namespace sextant::gradients

// Replaces scopes and leaves by flags.
#include "frontend/gradients/Leaves.h"
#include "frontend/gradients/Versions.h"

#include <map>
#include <set>
#include <utility>

namespace sextant::gradients {

using namespace hir;

namespace {

/// The scopes outside of some code that it may leave.
using Left = std::set<unsigned>;

class Replacer {
public:
  explicit Replacer(std::vector<Local> &locals) : locals(locals) {}

  Left block(Block &code) {
    Left all;
    Block result = std::exchange(code, {});
    for (size_t i = 0; i < result.size(); ++i) {
      const Loc at = result[i].at;
      const Left left = statement(result[i], code);
      all.insert(left.begin(), left.end());
      if (left.empty())
        continue;
      Block rest(std::make_move_iterator(result.begin() + ptrdiff_t(i) + 1),
                 std::make_move_iterator(result.end()));
      const Left later = block(rest);
      all.insert(later.begin(), later.end());
      if (!rest.empty())
        code.push_back({at, If{take(goesOn(left, at)), std::move(rest), {}}});
      break;
    }
    return all;
  }

private:
  ExprRef flagOf(unsigned scope, Loc at) { return makeLocal(flags.at(scope), Type::Bool, at); }

  /// Returns a condition that holds if no scope of `left` was left.
  ExprRef goesOn(const Left &left, Loc at) {
    ExprRef any;
    for (unsigned scope : left)
      any = any ? makeBinary(BinaryOp::Or, any, flagOf(scope, at), Type::Bool, at)
                : flagOf(scope, at);
    return makeUnary(UnaryOp::LogicNot, any, Type::Bool, at);
  }

  /// Leaves do not cross the end of an expression: they are those of functions that it calls.
  void expression(Expr &expr) {
    forEachOperand(
        expr, [&](Expr &operand) { expression(operand); }, [&](Block &body) { block(body); });
  }

  /// Appends what replaces the statement.
  Left statement(Stmt &stmt, Block &to) {
    const Loc at = stmt.at;
    if (auto *leave = std::get_if<Leave>(&stmt.node)) {
      assign(to, flags.at(leave->scope), makeBool(true, at), at);
      return {leave->scope};
    }
    if (auto *scope = std::get_if<Scope>(&stmt.node)) {
      flags[scope->id] = unsigned(locals.size());
      locals.push_back({"left", Type::Bool});
      Left left = block(scope->body);
      if (left.erase(scope->id))
        assign(to, flags[scope->id], makeBool(false, at), at);
      to.insert(to.end(), std::make_move_iterator(scope->body.begin()),
                std::make_move_iterator(scope->body.end()));
      return left;
    }
    Left left;
    forEachOperand(
        stmt, [&](Expr &operand) { expression(operand); },
        [&](Block &body) { left.merge(block(body)); });
    if (auto *loop = std::get_if<While>(&stmt.node); loop && !left.empty()) {
      ExprRef condition = std::make_shared<Expr>(std::move(*loop->condition));
      loop->condition = take(makeExpr(
          Type::Bool,
          Conditional{take(goesOn(left, at)), take(condition), take(makeBool(false, at))}, at));
    } else if (auto *loop = std::get_if<For>(&stmt.node); loop && !left.empty()) {
      toWhile(*loop, left, at, to);
      return left;
    }
    to.push_back(std::move(stmt));
    return left;
  }

  /// The number of iterations is known before the first one, so no counter overflows.
  void toWhile(For &loop, const Left &left, Loc at, Block &to) {
    const Type type = loop.begin->type, wide = unsignedOf(type);
    const unsigned begin = keep(locals, "begin", to, std::move(loop.begin), at);
    const unsigned end = keep(locals, "end", to, std::move(loop.end), at);
    const unsigned count = keep(
        locals, "count", to,
        take(iterationsOf(makeLocal(begin, type, at), makeLocal(end, type, at), loop.step)), at);
    const unsigned round = keep(locals, "round", to, take(makeInt(0, wide, at)), at);
    const auto rounds = [&] { return makeLocal(round, wide, at); };
    Block body;
    ExprRef step = makeCast(
        makeBinary(BinaryOp::Mul, rounds(), makeInt(loop.step, wide, at), wide, at), type, at);
    assign(body, loop.local, makeBinary(BinaryOp::Add, makeLocal(begin, type, at), step, type, at),
           at);
    assign(body, round, makeBinary(BinaryOp::Add, rounds(), makeInt(1, wide, at), wide, at), at);
    body.insert(body.end(), std::make_move_iterator(loop.body.begin()),
                std::make_move_iterator(loop.body.end()));
    ExprRef isBelow =
        makeBinary(BinaryOp::Lt, rounds(), makeLocal(count, wide, at), Type::Bool, at);
    ExprRef condition = makeBinary(BinaryOp::And, goesOn(left, at), isBelow, Type::Bool, at);
    to.push_back({at, While{take(condition), std::move(body)}});
  }

  std::vector<Local> &locals;
  std::map<unsigned, unsigned> flags; ///< the local of each scope
};

} // namespace

ExprRef iterationsOf(ExprRef begin, ExprRef end, int64_t step) {
  const Type type = begin->type, wide = unsignedOf(type);
  const Loc at = begin->at;
  const bool isUp = step > 0;
  const auto number = [&](Exact value) { return makeInt(value, wide, at); };
  ExprRef runs = makeBinary(isUp ? BinaryOp::Lt : BinaryOp::Gt, begin, end, Type::Bool, at);
  ExprRef from = makeCast(isUp ? begin : end, wide, at),
          to = makeCast(isUp ? end : begin, wide, at);
  ExprRef last =
      makeBinary(BinaryOp::Sub, makeBinary(BinaryOp::Sub, to, from, wide, at), number(1), wide, at);
  const Exact size = isUp ? Exact(step) : -Exact(step);
  ExprRef count = makeBinary(
      BinaryOp::Add, makeBinary(BinaryOp::CDiv, last, number(size), wide, at), number(1), wide, at);
  return makeSelect(runs, count, number(0), at);
}

void replaceLeaves(Block &code, std::vector<Local> &locals) { Replacer(locals).block(code); }

} // namespace sextant::gradients

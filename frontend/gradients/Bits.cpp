// Follows the bits of reals through integers: keys, words of scratch memory, tricks on exponents.
//
// They may be compared, or choose elements. But a real that is made of them again depends on the
// first one, and no rule says how.
#include "frontend/gradients/Bits.h"
#include "frontend/gradients/Walk.h"

namespace sextant::gradients {

using namespace hir;

namespace {

class Bits {
public:
  Bits(Draft &draft, const Activity &activity) : draft(draft), activity(activity) {}

  /// Finds the locals and the arrays that may hold them.
  void find() {
    for (bool changed = true; changed;) {
      changed = false;
      forEachOfTasks(draft, [&](Stmt &stmt) {
        if (auto *assign = std::get_if<Assign>(&stmt.node); assign && are(*assign->value))
          changed |= kept.locals.insert(assign->local).second;
        forEachWrite(stmt, [&](const BufferRef &buffer, const Expr &value) {
          if (are(value))
            changed |= kept.arrays.insert(keyOf(buffer)).second;
        });
      });
    }
  }
  void refuse(std::vector<Refusal> &refusals) {
    forEachOfTasks(draft, [&](Stmt &stmt) {
      bool isLost = false;
      if (auto *assign = std::get_if<Assign>(&stmt.node);
          assign && activity.useful.locals.contains(assign->local))
        isLost = makeReal(*assign->value);
      forEachWrite(stmt, [&](const BufferRef &buffer, const Expr &value) {
        isLost |= (activity.has(buffer) || activity.useful.arrays.contains(keyOf(buffer))) &&
                  makeReal(value);
      });
      if (isLost)
        refusals.push_back(
            {Refusal::Operation, stmt.at,
             "a real is made of the bits of another one here, which have no derivative, and the "
             "kernel's needs it",
             "keep reals as reals, or write `qd.ad.stop_gradient(x)` where the bits are taken"});
    });
  }

private:
  /// True for an integer that may have bits of a real with a derivative.
  bool are(const Expr &expr) const {
    if (!isInteger(expr.type))
      return false;
    if (auto *bitcast = std::get_if<Bitcast>(&expr.node);
        bitcast && isFloat(bitcast->operand->type))
      return activity.isVaried(*bitcast->operand);
    if (auto *read = std::get_if<LocalRead>(&expr.node))
      return kept.locals.contains(read->local);
    if (const BufferRef *buffer = bufferOf(const_cast<Expr &>(expr)))
      return kept.arrays.contains(keyOf(*buffer));
    if (auto *sequence = std::get_if<Sequence>(&expr.node))
      return are(*sequence->result);
    if (std::holds_alternative<Match>(expr.node))
      return false;
    bool any = false;
    forEachOperand(expr, [&](const Expr &operand) { any = any || are(operand); });
    return any;
  }
  /// True if a real on whose derivative the expression's depends is made of such bits.
  bool makeReal(const Expr &expr) const {
    if (!isFloat(expr.type))
      return false;
    if (auto *bitcast = std::get_if<Bitcast>(&expr.node))
      return isFloat(bitcast->operand->type) ? activity.isVaried(*bitcast->operand)
                                             : are(*bitcast->operand);
    if (auto *cast = std::get_if<Cast>(&expr.node); cast && are(*cast->operand))
      return true;
    bool any = false;
    forEachReal(expr, [&](const Expr &operand) { any = any || makeReal(operand); });
    return any;
  }

  Draft &draft;
  const Activity &activity;
  Values kept;
};

} // namespace

void refuseBits(Draft &draft, const Activity &activity, std::vector<Refusal> &refusals) {
  Bits bits(draft, activity);
  bits.find();
  bits.refuse(refusals);
}

} // namespace sextant::gradients

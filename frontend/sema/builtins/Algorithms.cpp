// How much scratch the functions of `qd.algorithms` need. The numbers are those of Quadrants
// (python/quadrants/algorithms, 1.3.3), whose blocks have 256 threads.
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

static constexpr Exact perBlock = 256, deepest = 4;

namespace {
/// Arithmetic on counts, which are known when kernels are built or at run time.
struct Counts {
  Context &cx;
  SourceRange at;

  Value of(Exact n) const { return Value::exactInt(n); }
  Value add(const Value &a, const Value &b) const {
    return binary(cx, ast::BinaryOp::Add, a, b, at);
  }
  Value atLeast1(const Value &n) const { return minMax(cx, /*isMin=*/false, n, of(1), at); }
  /// The blocks of n elements.
  Value blocks(const Value &n) const {
    return add(binary(cx, ast::BinaryOp::FloorDiv, add(n, of(-1)), of(perBlock), at), of(1));
  }
  /// One element for each block of `n`, one for each block of those, and so on.
  Value levels(const Value &n, Exact count) const {
    Value all = of(0), left = n;
    for (Exact level = 0; level < count; ++level) {
      left = stable(cx, blocks(left), at);
      all = add(all, left);
    }
    return all;
  }
};
} // namespace

/// The least depth for n elements, where a call names none.
static Exact depthOf(const Value &n) {
  const std::optional<Exact> known = knownInt(n);
  Exact depth = 1;
  for (Exact most = perBlock; depth < deepest && (!known || most < *known); most *= perBlock)
    ++depth;
  return depth;
}

Value doScratchSlots(Context &cx, CallSite &site, Scratch of) {
  const Counts counts{cx, site.at};
  Value n = site.args[0];
  if (n.isExact()) {
    n = Value::exactInt(n.integer);
  } else {
    ExprRef number = indexScalar(cx, n, site.at); // signed, so that 0 - 1 is less than 0
    if (!number)
      return Value();
    n = stable(cx, Value::scalar(std::move(number)), site.at);
  }
  if (of == Scratch::Select || of == Scratch::Runs)
    return counts.atLeast1(counts.add(n, counts.levels(n, deepest - 1)));
  const Value counted =
      of == Scratch::Sort ? stable(cx,
                                   binary(cx, ast::BinaryOp::Mul, counts.atLeast1(counts.blocks(n)),
                                          counts.of(perBlock), site.at),
                                   site.at)
                          : n;
  const Exact depth = site.given[1] ? site.integer(1) : depthOf(n);
  const Value levels = counts.levels(counted, depth - 1);
  return counts.atLeast1(of == Scratch::Sort ? counts.add(counted, levels) : levels);
}

} // namespace sextant::sema

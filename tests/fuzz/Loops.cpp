// Loops of a thread, under masks.
#include "tests/fuzz/Machine.h"

namespace fuzz {

/// One round: lanes that `continue` go on with the next.
void Machine::runRound(const ast::Block &body, Loop &state, Mask &live) {
  scoped(body, live);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    live[lane] |= state.continued[lane];
    state.continued[lane] = 0;
  }
}

void Machine::whileLoop(const ast::While &node, Mask &mask) {
  if (!node.otherwise.empty())
    throw Unsupported("else of a loop");
  Mask live = mask, out(lanes, 0);
  Loop state{Mask(lanes, 0), Mask(lanes, 0)};
  loops.push_back(&state);
  ++branches;
  while (any(live)) {
    if ((steps += lanes) > 40'000'000)
      throw Unspecified("it runs for very long");
    const Mask on = truth(eval(*node.condition, live), live);
    for (unsigned lane = 0; lane < lanes; ++lane)
      out[lane] |= live[lane] && !on[lane];
    live = on;
    runRound(node.body, state, live);
  }
  loops.pop_back();
  --branches;
  for (unsigned lane = 0; lane < lanes; ++lane)
    mask[lane] = out[lane] || state.broken[lane];
}

void Machine::forLoop(const ast::For &node, Mask &mask) {
  if (!node.otherwise.empty())
    throw Unsupported("else of a loop");
  const Val range = eval(*node.iterable, mask);
  if (!inTask && !branches && range.kind == Val::Range)
    throw Unsupported("a parallel loop in a function");
  if (range.kind == Val::Range && range.path == "range") {
    rangeLoop(node, range, mask);
    return;
  }
  // Iterations that are known: an unrolled loop, or the index space of an ndrange.
  std::vector<Val> rounds;
  if (range.kind == Val::List) {
    rounds = range.items;
  } else if (range.kind == Val::Range && range.path == "ndrange") {
    std::vector<std::pair<int64_t, int64_t>> axes;
    int64_t total = 1;
    for (const Val &axis : range.items)
      for (const Val &bound : axis.kind == Val::List ? axis.items : std::vector<Val>{axis})
        if (!bound.isConst())
          throw Unsupported("a serial index space that is not constant");
    for (const Val &axis : range.items) {
      const bool pair = axis.kind == Val::List;
      const int64_t begin = pair ? constantInt(axis.items[0]) : 0;
      axes.push_back({begin, constantInt(pair ? axis.items[1] : axis) - begin});
      total *= std::max<int64_t>(0, axes.back().second);
    }
    for (int64_t i = 0; i < total; ++i) {
      Val round;
      round.kind = Val::List;
      int64_t inner = total;
      for (const auto &[begin, extent] : axes) {
        inner /= extent;
        round.items.push_back(runtime(constant(begin + i / inner % extent)));
      }
      rounds.push_back(axes.size() == 1 ? round.items[0] : round);
    }
  } else {
    throw Unsupported("this loop");
  }
  Loop state{Mask(lanes, 0), Mask(lanes, 0)};
  loops.push_back(&state);
  Mask live = mask;
  for (const Val &round : rounds) {
    if (!any(live))
      break;
    frames.back().scopes.emplace_back();
    if (round.isConst()) { // stays a compile-time value
      const auto *target = std::get_if<ast::Name>(&node.target->node);
      if (!target)
        throw Unsupported("this target of a static loop");
      frames.back().scopes.back()[std::string(target->id)] = round;
    } else {
      assign(*node.target, round, live);
    }
    runRound(node.body, state, live);
    frames.back().scopes.pop_back();
  }
  loops.pop_back();
  for (unsigned lane = 0; lane < lanes; ++lane)
    mask[lane] = live[lane] || state.broken[lane];
}

/// An index is an i32 unless a bound or the step need not fit.
Scalar Machine::indexTypeOf(const std::vector<Val> &bounds) const {
  for (const Val &bound : bounds) {
    if (!bound.isNumber() || bound.kind == Val::Real ||
        (bound.kind == Val::Lanes && isReal(bound.type)))
      throw Unsupported("a range that is not of integers");
    if (bound.isConst() ? bound.integer != int32_t(bound.integer)
                        : bitsOf(bound.type) == 64 || bound.type == Scalar::U32)
      return Scalar::I64;
  }
  return Scalar::I32;
}

Wide Machine::integerOf(const Val &value, unsigned lane) const {
  if (value.isConst())
    return value.integer;
  return isSigned(value.type) ? Wide(int64_t(value.bits[lane])) : Wide(value.bits[lane]);
}

/// Each lane counts for itself.
void Machine::rangeLoop(const ast::For &node, const Val &range, Mask &mask) {
  const std::vector<Val> &bounds = range.items;
  checkBounds(bounds);
  const Scalar type = indexTypeOf(bounds);
  for (const Val &bound : bounds)
    if (!bound.isConst())
      usable(bound, mask);
  const Val zero = constant(0), one = constant(1);
  const Val begin = bounds.size() > 1 ? bounds[0] : zero;
  const Val end = bounds.size() > 1 ? bounds[1] : bounds[0];
  const Val step = bounds.size() > 2 ? bounds[2] : one;
  Loop state{Mask(lanes, 0), Mask(lanes, 0)};
  loops.push_back(&state);
  Mask live = mask, out(lanes, 0);
  std::vector<Wide> next(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    next[lane] = integerOf(begin, lane);
  while (any(live)) {
    if ((steps += lanes) > 40'000'000)
      throw Unspecified("it runs for very long");
    Val counter = lanesOf(type);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!live[lane])
        continue;
      const Wide stride = integerOf(step, lane), last = integerOf(end, lane);
      if (stride == 0)
        throw Unspecified("a range with a step of zero");
      if (stride > 0 ? next[lane] >= last : next[lane] <= last) {
        live[lane] = 0;
        out[lane] = 1;
        continue;
      }
      counter.bits[lane] = wrap(type, Bits(next[lane]));
      next[lane] += stride;
    }
    if (!any(live))
      break;
    frames.back().scopes.emplace_back();
    assign(*node.target, counter, live);
    runRound(node.body, state, live);
    frames.back().scopes.pop_back();
  }
  loops.pop_back();
  for (unsigned lane = 0; lane < lanes; ++lane)
    mask[lane] = out[lane] || state.broken[lane];
}

} // namespace fuzz

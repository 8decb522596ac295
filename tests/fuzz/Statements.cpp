// Launches, tasks and control flow under masks.
#include "tests/fuzz/Machine.h"

namespace fuzz {

bool any(const Mask &mask) {
  for (uint8_t lane : mask)
    if (lane)
      return true;
  return false;
}

//===--- Launch and tasks --------------------------------------------------===//

static std::string_view decoratorOf(const ast::FunctionDef &function) {
  for (const ast::ExprPtr &decorator : function.decorators)
    if (const auto *attribute = std::get_if<ast::Attribute>(&decorator->node))
      return attribute->name;
  return "";
}

Machine::Machine(const ast::Module &module, unsigned wave, Launch &launch)
    : module(module), wave(wave), launch(launch) {
  arrays.reserve(launch.arguments.size() + launch.fields.size());
  auto memory = [&](const Datum &datum) {
    Array array{datum.type, datum.shape, datum.data, {}};
    array.cells.resize(array.data.size());
    arrays.push_back(std::move(array));
    Val value;
    value.kind = Val::Memory;
    value.array = &arrays.back();
    return value;
  };
  frames.emplace_back();
  frames.back().scopes.emplace_back();
  frames.back().returned = Mask(1, 0);
  for (const Datum &datum : launch.arguments) {
    Val value;
    if (datum.isArray) {
      value = memory(datum);
    } else {
      value = lanesOf(datum.type);
      value.bits[0] = datum.data[0];
    }
    frames.back().scopes.back()[datum.name] = value;
  }
  for (const Datum &field : launch.fields)
    globals[field.name] = memory(field);
  for (std::string_view path : {"qd", "quadrants"})
    globals[std::string(path)] = [] {
      Val value;
      value.kind = Val::Path;
      value.path = "qd";
      return value;
    }();
  for (std::string_view name : {"subgroup", "block", "grid"}) {
    Val value;
    value.kind = Val::Path;
    value.path = "qd.simt." + std::string(name);
    globals[std::string(name)] = value;
  }
}

void interpret(const ast::Module &module, unsigned wave, Launch &launch) {
  Machine(module, wave, launch).run();
}

void Machine::run() {
  const ast::FunctionDef *kernel = nullptr;
  for (const ast::StmtPtr &statement : module.body) {
    if (const auto *function = std::get_if<ast::FunctionDef>(&statement->node)) {
      if (decoratorOf(*function) == "kernel" && function->name == launch.kernel)
        kernel = function;
      Val value;
      value.kind = Val::Function;
      value.function = function;
      globals[std::string(function->name)] = value;
    } else if (const auto *assign = std::get_if<ast::Assign>(&statement->node)) {
      const auto *name = std::get_if<ast::Name>(&assign->targets[0]->node);
      // Fields are in already; constants of the module stay compile-time values.
      if (name && !globals.contains(name->id))
        globals[std::string(name->id)] = eval(*assign->value, Mask(1, 1));
    }
  }
  if (!kernel)
    throw Unsupported("no kernel " + launch.kernel);
  topLevel(kernel->body);
  size_t next = 0;
  for (Datum &datum : launch.arguments)
    if (datum.isArray)
      datum.data = arrays[next++].data;
  for (Datum &field : launch.fields)
    field.data = arrays[next++].data;
}

/// `qd.static(…)`, or null.
static const ast::Call *staticCall(const ast::Expr &expr) {
  const auto *site = std::get_if<ast::Call>(&expr.node);
  const auto *callee = site ? std::get_if<ast::Attribute>(&site->callee->node) : nullptr;
  return callee && callee->name == "static" && site->args.size() == 1 ? site : nullptr;
}

/// The statements of a kernel that may be tasks.
void Machine::topLevel(const ast::Block &body) {
  for (const ast::StmtPtr &statement : body) {
    if (finished)
      return;
    ++taskNumber;
    taskEpoch = blockEpoch = ++epoch;
    const auto *loop = std::get_if<ast::For>(&statement->node);
    if (loop && !staticCall(*loop->iterable)) { // else it is unrolled here
      parallelFor(*loop);
      continue;
    }
    if (const auto *node = std::get_if<ast::If>(&statement->node))
      if (std::optional<bool> chosen = staticCondition(*node->condition)) {
        topLevel(*chosen ? node->then : node->otherwise);
        continue;
      }
    Mask mask(1, 1);
    this->statement(*statement, mask);
    if (!mask[0])
      finished = true;
  }
}

/// The reducer tries kernels that the language refuses.
static void checkBounds(const std::vector<Val> &bounds) {
  if (bounds.empty() || bounds.size() > 3)
    throw Unsupported("a range of no bounds, or of more than three");
  for (const Val &bound : bounds)
    if (!bound.isNumber())
      throw Unsupported("a bound that is no number");
}

void Machine::parallelFor(const ast::For &loop) {
  const Mask one(1, 1);
  const Val range = eval(*loop.iterable, one);
  struct Axis {
    Wide begin, extent, step;
    Scalar type;
  };
  std::vector<Axis> axes; // the last is the innermost
  auto add = [&](const std::vector<Val> &bounds) {
    checkBounds(bounds);
    for (const Val &bound : bounds)
      if (!bound.isConst())
        usable(bound, one);
    auto number = [&](size_t i) { return integerOf(bounds[i], 0); };
    const Wide begin = bounds.size() > 1 ? number(0) : 0, end = number(bounds.size() > 1);
    const Wide step = bounds.size() > 2 ? number(2) : 1;
    if (step == 0)
      throw Unspecified("a range with a step of zero");
    const Wide distance = step > 0 ? end - begin : begin - end, size = step > 0 ? step : -step;
    axes.push_back(
        {begin, distance > 0 ? (distance - 1) / size + 1 : 0, step, indexTypeOf(bounds)});
  };
  if (range.kind == Val::Range && range.path == "range") {
    add(range.items);
  } else if (range.kind == Val::Range && range.path == "ndrange") {
    for (const Val &axis : range.items)
      add(axis.kind == Val::List ? axis.items : std::vector<Val>{axis});
  } else if (range.kind == Val::Memory) {
    for (int64_t extent : range.array->shape)
      axes.push_back({0, extent, 1, Scalar::I32});
  } else {
    throw Unsupported("this parallel loop");
  }
  Wide all = 1;
  for (const Axis &axis : axes) {
    if (all * axis.extent > 1'000'000)
      throw Unspecified("it runs for very long");
    all *= axis.extent;
  }
  const int64_t total = int64_t(all);
  blockDim = nextBlockDim;
  nextBlockDim = 128;
  lanes = blockDim;
  inTask = true;
  shared.clear();
  std::vector<const ast::Expr *> targets;
  if (const auto *tuple = std::get_if<ast::TupleExpr>(&loop.target->node))
    for (const ast::ExprPtr &element : tuple->elements)
      targets.push_back(element.get());
  else
    targets.push_back(loop.target.get());
  if (targets.size() != axes.size())
    throw Unsupported("a loop over another number of axes");
  for (blockIndex = 0; blockIndex * blockDim < total; ++blockIndex) {
    blockEpoch = ++epoch;
    for (auto &entry : shared)
      for (Cell &cell : entry.second.cells)
        cell = undefinedCell();
    Frame &frame = frames.back();
    frame.returned = Mask(lanes, 0);
    frame.scopes.emplace_back();
    Mask mask(lanes, 0);
    for (unsigned lane = 0; lane < lanes; ++lane)
      mask[lane] = blockIndex * blockDim + lane < total;
    int64_t inner = 1;
    for (size_t axis = axes.size(); axis-- > 0;) {
      const Axis &a = axes[axis];
      Val value = lanesOf(a.type);
      for (unsigned lane = 0; lane < lanes; ++lane)
        value.bits[lane] = wrap(a.type, Bits(a.begin + (blockIndex * blockDim + lane) / inner %
                                                           int64_t(a.extent) * a.step));
      inner *= int64_t(a.extent);
      assign(*targets[axis], value, mask);
    }
    Loop state{Mask(lanes, 0), Mask(lanes, 0)};
    loops.push_back(&state);
    scoped(loop.body, mask);
    loops.pop_back();
    if (any(state.broken))
      throw Unsupported("break out of a parallel loop");
    frames.back().scopes.pop_back();
  }
  leaveCarried();
  lanes = blockDim = 1;
  frames.back().returned = Mask(1, 0);
  inTask = false;
}

//===--- Statements --------------------------------------------------------===//

void Machine::scoped(const ast::Block &body, Mask &mask) {
  frames.back().scopes.emplace_back();
  block(body, mask);
  frames.back().scopes.pop_back();
}

void Machine::block(const ast::Block &body, Mask &mask) {
  for (const ast::StmtPtr &statement : body) {
    if (!ghost && !any(mask))
      return;
    this->statement(*statement, mask);
  }
}

void Machine::statement(const ast::Stmt &statement, Mask &mask) {
  if ((steps += lanes) > 40'000'000)
    throw Unspecified("it runs for very long");
  if (const auto *node = std::get_if<ast::Assign>(&statement.node)) {
    const Val value = eval(*node->value, mask);
    for (const ast::ExprPtr &target : node->targets)
      assign(*target, value, mask);
  } else if (const auto *node = std::get_if<ast::AugAssign>(&statement.node)) {
    augment(*node, mask);
  } else if (const auto *node = std::get_if<ast::If>(&statement.node)) {
    ifStatement(*node, mask);
  } else if (const auto *node = std::get_if<ast::While>(&statement.node)) {
    whileLoop(*node, mask);
  } else if (const auto *node = std::get_if<ast::For>(&statement.node)) {
    forLoop(*node, mask);
  } else if (const auto *node = std::get_if<ast::Return>(&statement.node)) {
    returnStatement(*node, mask);
  } else if (const auto *node = std::get_if<ast::ExprStmt>(&statement.node)) {
    if (const auto *site = std::get_if<ast::Call>(&node->value->node))
      call(*node->value, *site, mask, false);
    else if (!std::holds_alternative<ast::StringLit>(node->value->node))
      throw Unsupported("this expression as a statement");
  } else if (std::holds_alternative<ast::Break>(statement.node) ||
             std::holds_alternative<ast::Continue>(statement.node)) {
    if (loops.empty())
      throw Unsupported("break or continue outside of a loop");
    Mask &left = std::holds_alternative<ast::Break>(statement.node) ? loops.back()->broken
                                                                    : loops.back()->continued;
    for (unsigned lane = 0; lane < lanes; ++lane)
      left[lane] |= mask[lane];
    mask.assign(lanes, 0);
  } else if (!std::holds_alternative<ast::Pass>(statement.node)) {
    throw Unsupported("this statement");
  }
}

/// `qd.static(…)` as a condition, evaluated.
std::optional<bool> Machine::staticCondition(const ast::Expr &condition) {
  const ast::Call *site = staticCall(condition);
  if (!site)
    return std::nullopt;
  const Val value = eval(*site->args[0], Mask(lanes, 1));
  if (!value.isConst())
    throw Unsupported("a static condition that is none");
  return value.kind == Val::Real ? value.real != 0 : value.integer != 0;
}

void Machine::ifStatement(const ast::If &node, Mask &mask) {
  if (std::optional<bool> chosen = staticCondition(*node.condition)) {
    scoped(*chosen ? node.then : node.otherwise, mask);
    return;
  }
  Mask yes = truth(eval(*node.condition, mask), mask), no = mask;
  for (unsigned lane = 0; lane < lanes; ++lane)
    no[lane] = mask[lane] && !yes[lane];
  ++branches;
  scoped(node.then, yes);
  scoped(node.otherwise, no);
  --branches;
  for (unsigned lane = 0; lane < lanes; ++lane)
    mask[lane] = yes[lane] || no[lane];
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
    scoped(node.body, live);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      live[lane] |= state.continued[lane];
      state.continued[lane] = 0;
    }
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
    scoped(node.body, live);
    frames.back().scopes.pop_back();
    for (unsigned lane = 0; lane < lanes; ++lane) {
      live[lane] |= state.continued[lane];
      state.continued[lane] = 0;
    }
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
    scoped(node.body, live);
    frames.back().scopes.pop_back();
    for (unsigned lane = 0; lane < lanes; ++lane) {
      live[lane] |= state.continued[lane];
      state.continued[lane] = 0;
    }
  }
  loops.pop_back();
  for (unsigned lane = 0; lane < lanes; ++lane)
    mask[lane] = out[lane] || state.broken[lane];
}

void Machine::returnStatement(const ast::Return &node, Mask &mask) {
  Frame &frame = frames.back();
  Val value;
  if (node.value) {
    value = eval(*node.value, mask);
    if (value.isNumber())
      value = runtime(value);
  }
  if (frames.size() == 1) { // the kernel's
    if (inTask)
      throw Unsupported("return from a parallel loop");
    auto results = value.kind == Val::List ? value.items : std::vector<Val>{value};
    if (!node.value)
      results.clear();
    if (results.size() != launch.results.size())
      throw Unsupported("another number of results");
    for (size_t i = 0; i < results.size(); ++i) {
      const Val result = cast(results[i], launch.results[i].type, mask);
      usable(result, mask);
      launch.results[i].data = {result.bits[0]};
    }
    mask.assign(lanes, 0);
    return;
  }
  if (frame.result.kind == Val::None && !any(frame.returned)) {
    frame.result = value;
  } else if (value.kind == Val::Lanes && frame.result.kind == Val::Lanes) {
    if (value.type != frame.result.type)
      throw Unsupported("returns of different types");
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (mask[lane]) {
        frame.result.bits[lane] = value.bits[lane];
        frame.result.taint[lane] = value.taint[lane];
      }
  } else if (value.kind != Val::None) {
    throw Unsupported("several returns of what is no scalar");
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    frame.returned[lane] |= mask[lane];
  mask.assign(lanes, 0);
}

//===--- Assignment --------------------------------------------------------===//

void Machine::assignName(std::string_view name, const Val &value, const Mask &mask) {
  auto &scopes = frames.back().scopes;
  Val *variable = nullptr;
  for (size_t i = scopes.size(); i-- > 0 && !variable;)
    if (auto found = scopes[i].find(name); found != scopes[i].end())
      variable = &found->second;
  auto merge = [&](Val &to, const Val &from) {
    if (to.kind != Val::Lanes || to.bits.size() != lanes)
      throw Unsupported("an assignment to what is no local of this task");
    const Val converted = cast(from, to.type, mask);
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (mask[lane]) {
        to.bits[lane] = converted.bits[lane];
        to.taint[lane] = converted.taint[lane];
      }
  };
  if (variable) {
    if (variable->kind == Val::List && value.kind == Val::List) {
      if (variable->items.size() != value.items.size())
        throw Unsupported("an assignment of another shape");
      for (size_t i = 0; i < value.items.size(); ++i)
        merge(variable->items[i], value.items[i]);
    } else {
      merge(*variable, value);
    }
    return;
  }
  Val fresh = value;
  auto settle = [&](Val &item) {
    item = runtime(item);
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (!mask[lane])
        item.taint[lane] = Open;
  };
  if (value.kind == Val::List)
    for (Val &item : fresh.items)
      settle(item);
  else if (value.isNumber())
    settle(fresh);
  scopes.back()[std::string(name)] = std::move(fresh);
}

void Machine::assign(const ast::Expr &target, const Val &value, const Mask &mask) {
  if (const auto *name = std::get_if<ast::Name>(&target.node)) {
    assignName(name->id, value, mask);
  } else if (const auto *tuple = std::get_if<ast::TupleExpr>(&target.node)) {
    if (value.kind != Val::List || value.items.size() != tuple->elements.size())
      throw Unsupported("an assignment to a tuple of what is none");
    for (size_t i = 0; i < tuple->elements.size(); ++i)
      assign(*tuple->elements[i], value.items[i], mask);
  } else if (std::optional<Place> component = carriedPlace(target, mask)) {
    store(*component, value, mask);
  } else if (const auto *element = std::get_if<ast::Subscript>(&target.node)) {
    // A vector's component, or memory.
    if (const auto *name = std::get_if<ast::Name>(&element->value->node)) {
      auto &scopes = frames.back().scopes;
      for (size_t i = scopes.size(); i-- > 0;) {
        auto found = scopes[i].find(name->id);
        if (found == scopes[i].end())
          continue;
        if (found->second.kind != Val::List)
          break;
        Val &vector = found->second;
        const Val index = eval(*element->index, mask);
        if (!index.isNumber() || !value.isNumber())
          throw Unsupported(
              "an assignment to a component by several indices, or of several values");
        for (size_t k = 0; k < vector.items.size(); ++k) {
          Val &item = vector.items[k];
          if (item.bits.size() != lanes)
            throw Unsupported("an assignment to what is no local of this task");
          const Val converted = cast(value, item.type, mask);
          for (unsigned lane = 0; lane < lanes; ++lane) {
            const int64_t at = index.isConst() ? constantInt(index) : int64_t(index.bits[lane]);
            if (mask[lane] && (at < 0 || at >= int64_t(vector.items.size())))
              throw Unspecified("an index out of bounds");
            if (mask[lane] && at == int64_t(k)) {
              item.bits[lane] = converted.bits[lane];
              item.taint[lane] = converted.taint[lane];
            }
          }
        }
        return;
      }
    }
    store(place(target, mask), value, mask);
  } else {
    throw Unsupported("this target of an assignment");
  }
}

void Machine::augment(const ast::AugAssign &node, const Mask &mask) {
  const auto *element = std::get_if<ast::Subscript>(&node.target->node);
  const bool isCarried = carriedPlace(*node.target, mask).has_value();
  const bool memory = isCarried || (element && eval(*element->value, mask).kind == Val::Memory);
  if (!memory) {
    assign(*node.target, binary(node.op, eval(*node.target, mask), eval(*node.value, mask), mask),
           mask);
    return;
  }
  static constexpr std::pair<ast::BinaryOp, uint8_t> atomics[] = {{ast::BinaryOp::Add, 1},
                                                                  {ast::BinaryOp::Sub, 2},
                                                                  {ast::BinaryOp::And, 3},
                                                                  {ast::BinaryOp::Or, 4},
                                                                  {ast::BinaryOp::Xor, 5}};
  const Place target = place(*node.target, mask);
  const Val value = eval(*node.value, mask);
  for (const auto &[op, kind] : atomics)
    if (op == node.op) {
      atomic(kind, target, value, mask, false);
      return;
    }
  store(target, binary(node.op, load(target, mask), value, mask), mask);
}

} // namespace fuzz

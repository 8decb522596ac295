// Launches and their tasks.
#include "tests/fuzz/Machine.h"

#include <algorithm>

namespace fuzz {

static std::string_view decoratorOf(const ast::FunctionDef &function) {
  for (const ast::ExprPtr &decorator : function.decorators) {
    const auto *call = std::get_if<ast::Call>(&decorator->node); // qd.kernel(graph=True)
    if (const auto *attribute =
            std::get_if<ast::Attribute>(call ? &call->callee->node : &decorator->node))
      return attribute->name;
  }
  return "";
}

Machine::Machine(const ast::Module &module, unsigned wave, Launch &launch)
    : module(module), wave(wave), launch(launch) {
  auto memory = [&](const std::string &name, const Datum &datum) {
    Array array;
    array.type = datum.type;
    array.shape = datum.shape;
    for (int64_t extent : datum.element)
      array.width *= size_t(extent);
    array.data = datum.data;
    array.cells.resize(array.data.size());
    arrays[name] = std::move(array);
  };
  for (const Datum &datum : launch.arguments)
    if (datum.isArray)
      memory(datum.name, datum);
  for (const Datum &field : launch.fields)
    memory("field " + field.name, field);
  frames.emplace_back();
  frames.back().scopes.emplace_back();
  frames.back().returned = Mask(1, 0);
  const auto path = [&](const std::string &name, const std::string &means) {
    Val value;
    value.kind = Val::Path;
    value.path = means;
    globals[name] = value;
  };
  path("qd", "qd");
  path("quadrants", "qd");
  for (const char *name : {"subgroup", "block", "grid"})
    path(name, std::string("qd.simt.") + name);
}

void interpret(const ast::Module &module, unsigned wave, Launch &launch) {
  Machine(module, wave, launch).run();
}

/// A statement of the module: functions, types, fields and constants.
void Machine::define(const ast::Stmt &statement) {
  Val value;
  const Mask one(1, 1);
  if (const auto *function = std::get_if<ast::FunctionDef>(&statement.node)) {
    value.kind = Val::Function;
    value.function = function;
    globals[std::string(function->name)] = value;
  } else if (const auto *node = std::get_if<ast::ClassDef>(&statement.node)) {
    globals[std::string(node->name)] = recordType(*node);
  } else if (const auto *assign = std::get_if<ast::Assign>(&statement.node)) {
    const auto *name = std::get_if<ast::Name>(&assign->targets[0]->node);
    const auto *call = std::get_if<ast::Call>(&assign->value->node);
    const auto *field = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
    if (!name)
      return;
    if (!field || field->name != "field") { // constants of the module stay compile-time values
      globals[std::string(name->id)] = eval(*assign->value, one);
      return;
    }
    value = eval(*field->value, one); // a record's type, qd, qd.Vector or qd.Matrix
    std::vector<Val> arguments;
    for (const ast::ExprPtr &argument : call->args)
      arguments.push_back(eval(*argument, one));
    if (value.kind == Val::Path)
      value = value.path == "qd"
                  ? arguments.at(0)
                  : vectorType(value.path == "qd.Vector" ? "vector" : "matrix", arguments);
    globals[std::string(name->id)] = memoryOf(
        value, "field " + std::string(name->id), [&](const std::string &path, const Val &) {
          const auto found = arrays.find(path);
          return found == arrays.end() ? nullptr : &found->second;
        });
  }
}

/// An argument by value; of a record, each member is one.
Val Machine::argument(const Val &type, const std::string &name) {
  if (type.record) {
    Val value;
    value.kind = Val::Record;
    value.record = type.record;
    for (const auto &[member, inner] : membersOf(type))
      value.items.push_back(argument(inner, name + "." + std::string(member)));
    return value;
  }
  for (const Datum &datum : launch.arguments)
    if (!datum.isArray && datum.name == name) {
      size_t next = 0;
      const Val value = castTo(constant(0), type, Mask(1, 1));
      return mapLeaves(value, [&](const Val &leaf) {
        if (leaf.type != datum.type)
          throw Unsupported("an argument of another type");
        Val number = leaf;
        number.bits[0] = datum.data.at(next++);
        return number;
      });
    }
  throw Unsupported("no argument " + name);
}

/// The kernel's parameters.
void Machine::bind(const ast::FunctionDef &kernel) {
  auto &scope = frames.back().scopes.back();
  for (const ast::Parameter &parameter : kernel.parameters) {
    const std::string name(parameter.name);
    const auto *annotation =
        parameter.annotation ? std::get_if<ast::Call>(&parameter.annotation->node) : nullptr;
    const bool isArray =
        std::any_of(launch.arguments.begin(), launch.arguments.end(), [&](const Datum &datum) {
          return datum.isArray && datum.name.substr(0, datum.name.find('.')) == name;
        });
    if (isArray && annotation) { // qd.types.ndarray(dtype=…)
      for (const ast::Keyword &keyword : annotation->keywords)
        if (keyword.name == "dtype")
          scope[name] = memoryOf(eval(*keyword.value, Mask(1, 1)), name,
                                 [&](const std::string &path, const Val &) {
                                   const auto found = arrays.find(path);
                                   return found == arrays.end() ? nullptr : &found->second;
                                 });
    } else if (parameter.annotation)
      if (const Val type = eval(*parameter.annotation, Mask(1, 1)); type.kind == Val::Type)
        scope[name] = argument(type, name);
  }
}

void Machine::run() {
  const ast::FunctionDef *kernel = nullptr;
  for (const ast::StmtPtr &statement : module.body) {
    define(*statement);
    const auto *function = std::get_if<ast::FunctionDef>(&statement->node);
    if (function && decoratorOf(*function) == "kernel" && function->name == launch.kernel)
      kernel = function;
    if (const auto *object = std::get_if<ast::ClassDef>(&statement->node))
      for (const ast::StmtPtr &inner : object->body)
        if (const auto *found = std::get_if<ast::FunctionDef>(&inner->node);
            found && decoratorOf(*found) == "kernel" && found->name == launch.kernel) {
          kernel = found;
          Val self;
          self.kind = Val::Record;
          self.record = object;
          frames.back().scopes.back()["self"] = std::move(self);
        }
  }
  if (!kernel)
    throw Unsupported("no kernel " + launch.kernel);
  bind(*kernel);
  topLevel(kernel->body);
  for (Datum &datum : launch.arguments)
    if (datum.isArray)
      datum.data = arrays.at(datum.name).data;
  for (Datum &field : launch.fields)
    field.data = arrays.at("field " + field.name).data;
}

const ast::Call *staticCall(const ast::Expr &expr) {
  const auto *site = std::get_if<ast::Call>(&expr.node);
  const auto *callee = site ? std::get_if<ast::Attribute>(&site->callee->node) : nullptr;
  return callee && callee->name == "static" && site->args.size() == 1 ? site : nullptr;
}

/// The flag of `qd.graph.do_while(flag)`, or null.
static const ast::ExprPtr *flagOf(const ast::Expr &condition) {
  const auto *call = std::get_if<ast::Call>(&condition.node);
  const auto *callee = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
  return callee && callee->name == "do_while" && call->args.size() == 1 ? call->args.data()
                                                                        : nullptr;
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
    if (const auto *node = std::get_if<ast::While>(&statement->node))
      if (const ast::ExprPtr *flag = flagOf(*node->condition)) {
        const Mask one(1, 1);
        do {
          topLevel(node->body);
          ++taskNumber;
          taskEpoch = blockEpoch = ++epoch;
        } while (truth(loaded(element(eval(**flag, one), {}, one), one), one)[0]);
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

void checkBounds(const std::vector<Val> &bounds) {
  if (bounds.empty() || bounds.size() > 3)
    throw Unsupported("a range of no bounds, or of more than three");
  for (const Val &bound : bounds)
    if (!bound.isNumber())
      throw Unsupported("a bound that is not a number");
}

void Machine::parallelFor(const ast::For &loop) {
  const Mask one(1, 1);
  Val range = eval(*loop.iterable, one);
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
  bool isGrouped = false; // the index is one vector
  if (range.kind == Val::Range && range.path == "grouped") {
    isGrouped = true;
    range = Val(range.items.at(0));
  }
  while (range.kind == Val::Memory && !range.items.empty())
    range = Val(range.items[0]);
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
  if (targets.size() != (isGrouped ? 1 : axes.size()))
    throw Unsupported("a loop over another number of axes");
  for (blockIndex = 0; blockIndex * blockDim < total; ++blockIndex) {
    blockEpoch = ++epoch;
    for (auto &entry : shared)
      for (Array &array : entry.second)
        array.cells.assign(array.cells.size(), undefinedCell());
    Frame &frame = frames.back();
    frame.returned = Mask(lanes, 0);
    frame.scopes.emplace_back();
    Mask mask(lanes, 0);
    for (unsigned lane = 0; lane < lanes; ++lane)
      mask[lane] = blockIndex * blockDim + lane < total;
    int64_t inner = 1;
    Val indices;
    indices.kind = Val::List;
    indices.isVector = true;
    indices.items.resize(axes.size());
    for (size_t axis = axes.size(); axis-- > 0;) {
      const Axis &a = axes[axis];
      Val value = lanesOf(a.type);
      for (unsigned lane = 0; lane < lanes; ++lane)
        value.bits[lane] = wrap(a.type, Bits(a.begin + (blockIndex * blockDim + lane) / inner %
                                                           int64_t(a.extent) * a.step));
      inner *= int64_t(a.extent);
      indices.items[axis] = std::move(value);
    }
    if (isGrouped)
      assign(*targets[0], indices, mask);
    else
      for (size_t axis = 0; axis < axes.size(); ++axis)
        assign(*targets[axis], indices.items[axis], mask);
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

} // namespace fuzz

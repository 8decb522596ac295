// `qd.*` other than arithmetic and types: compile-time forms, choice, loops, memory.
#include "frontend/sema/Casts.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Loops.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Unknown.h"
#include "frontend/sema/tasks/Ranges.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

#include <cmath>

namespace sextant::sema {

using hir::Type;

//===--- Compile time ------------------------------------------------------===//

Value doStatic(Context &cx, CallSite &site) {
  if (site.args.empty())
    return error(cx, site.at, Problem::StaticWithoutValue, "`qd.static` needs a value");
  auto mark = [&](Value value) {
    value.isStatic = true;
    return value;
  };
  if (site.args.size() == 1) {
    Value &value = site.args[0];
    if (value.kind == Value::Scalar) {
      Exact constant = 0;
      if (constInt(*value.expr, constant))
        return mark(value.expr->type == Type::Bool ? Value::exactBool(constant != 0)
                                                   : Value::exactInt(constant));
      return error(
          cx, site.at, Problem::StaticOfRunTimeValue,
          "`qd.static` needs a compile-time value, but this is " + describe(value),
          "a variable is a run-time value: use a literal, a module constant, a static loop "
          "variable or a `qd.template()` parameter");
    }
    return mark(value);
  }
  std::vector<Value> items;
  for (Value &value : site.args)
    items.push_back(mark(value));
  return mark(Value::tuple(std::move(items)));
}

Value doStaticAssert(Context &cx, CallSite &site) {
  if (site.integer(0))
    return Value::none();
  return error(cx, site.at, Problem::StaticAssertionFails,
               site.given[1] ? site.args[1].text : "this static assertion does not hold");
}

Value doStaticPrint(Context &cx, CallSite &) { return Value::none(); }

Value doDecorator(Context &cx, CallSite &site) {
  return error(cx, site.at, Problem::HostFunctionInKernel,
               "`" + callName(site) + "` is for host code and cannot be used in kernels");
}

//===--- Values ------------------------------------------------------------===//

/// The arithmetic that is written in the call: what it emits is marked on its way into the kernel's
/// code (take()), and the rest here. Functions that it calls have frames, and so marks, of their
/// own.
Value doPrecise(Context &cx, CallSite &site) {
  ++cx.frame().preciseDepth;
  Value value = eval(cx, *site.nodes[0]);
  --cx.frame().preciseDepth;
  if (value.isPoison())
    return value;
  if (!value.isNumber())
    return error(cx, site.at, Problem::PreciseOfNoNumber,
                 "`qd.precise` takes a number, not " + describe(value),
                 value.kind == Value::Matrix ? "call it for each component" : "");
  if (value.kind == Value::Scalar)
    hir::markPrecise(*value.expr);
  return value;
}

Value doZeroOne(Context &cx, CallSite &site, int n) {
  const Value &x = site.args[0];
  if (x.kind == Value::Type && x.type.kind == TypeValue::Element)
    return castTo(cx, Value::exactInt(n), x.type.element, site.at);
  if (x.kind == Value::Matrix)
    return mapItems(x, [&](const Value &item) {
      ExprRef e = convert(cx, Value::exactInt(n), typeOf(cx, item), site.at);
      return e ? Value::scalar(e) : Value();
    });
  if (!x.isNumber())
    return error(cx, site.at, Problem::ZeroOneOfNoValue,
                 "`" + callName(site) + "` needs a value, not " + describe(x));
  ExprRef e = convert(cx, Value::exactInt(n), typeOf(cx, x), site.at);
  return e ? Value::scalar(e) : Value();
}

Value doSelect(Context &cx, CallSite &site) {
  const Value &c = site.args[0];
  SourceRange at = site.at;
  if (c.isExact()) {
    bool known = false;
    bool truth = isTruthy(cx, c, known, at);
    // Both sides have been evaluated; their common type stays.
    if (site.args[1].isExact() && site.args[2].isExact())
      return site.args[truth ? 1 : 2];
  }
  for (const Value &shape : site.args) {
    if (shape.kind != Value::Matrix)
      continue;
    Value all[3];
    for (int k = 0; k < 3; ++k) {
      all[k] = spread(cx, site.args[size_t(k)], shape, at);
      if (all[k].isPoison())
        return Value();
      if (all[k].rows != shape.rows || all[k].cols != shape.cols)
        return error(cx, at, Problem::SelectShapesDiffer,
                     "`qd.select` needs one shape: a " + spell(elementOf(cx, shape)) + " and a " +
                         spell(elementOf(cx, all[k])) + " differ");
    }
    Value out = shape;
    for (size_t i = 0; i < out.items.size(); ++i) {
      ExprRef test = toBool(cx, all[0].items[i], at);
      std::vector<ExprRef> e;
      if (!test || !commonType(cx, e, {all[1].items[i], all[2].items[i]}, at))
        return Value();
      out.items[i] = Value::scalar(makeSelect(test, e[0], e[1], at));
    }
    return out;
  }
  ExprRef condition = toBool(cx, c, at);
  std::vector<ExprRef> e;
  if (!condition || !commonType(cx, e, {site.args[1], site.args[2]}, at))
    return Value();
  return Value::scalar(makeSelect(condition, e[0], e[1], at));
}

Value doLen(Context &cx, CallSite &site) {
  const Value &x = site.args[0];
  if (x.kind == Value::Tuple)
    return Value::exactInt(Exact(x.items.size()));
  if (x.kind == Value::Matrix)
    return Value::exactInt(x.rows);
  if (x.kind == Value::Dict)
    return Value::exactInt(Exact(x.items.size() / 2));
  if (x.kind == Value::Str)
    return Value::exactInt(Exact(x.text.size()));
  if (x.kind == Value::Array && !x.array->shape.empty())
    return x.array->shape[0];
  return error(cx, site.at, Problem::NoLength, describe(x) + " has no length");
}

Value doTuple(Context &cx, CallSite &site) {
  const Value &x = site.args[0];
  if (x.kind == Value::Tuple)
    return x;
  if (x.kind == Value::Matrix)
    return Value::tuple(elementsOf(cx, x, site.at));
  if (x.kind == Value::Range && !x.runtimeStep) {
    std::vector<std::vector<Value>> points;
    if (!staticPoints(cx, x, points, site.at))
      return Value();
    std::vector<Value> items;
    for (auto &point : points)
      items.push_back(point.size() == 1 ? point[0] : Value::tuple(point));
    return Value::tuple(std::move(items));
  }
  if (site.name == "py.enumerate" || site.name == "py.zip")
    return error(cx, site.at, Problem::EnumerateOfRunTimeValues,
                 "`" + callName(site) + "` runs over compile-time values in kernels, not " +
                     describe(x),
                 x.kind == Value::Array ? "loop over the indices, as in `for i in range(" +
                                              x.array->name + ".shape[0])`, and read the elements"
                                        : "loop over the indices with `range`");
  return error(cx, site.at, Problem::NotATuple, describe(x) + " cannot become a tuple");
}

Value doSum(Context &cx, CallSite &site) {
  const Value &x = site.args[0];
  Value total = Value::exactInt(0);
  for (const Value &item : elementsOf(cx, x, site.at))
    total = binary(cx, ast::BinaryOp::Add, total, item, site.at);
  return total;
}

/// Python's `any` and `all`: of the items of a tuple, list or vector.
Value doAnyAll(Context &cx, CallSite &site, bool isAll) {
  const Value &x = site.args[0];
  ExprRef result;
  for (const Value &item : x.items) {
    if (item.kind != Value::Scalar) {
      bool known = false;
      bool truth = isTruthy(cx, item, known, site.at);
      if (!known)
        return Value();
      if (truth != isAll)
        return Value::exactBool(truth);
      continue;
    }
    ExprRef one = toBool(cx, item, site.at);
    result = result ? makeBinary(isAll ? hir::BinaryOp::And : hir::BinaryOp::Or, result, one,
                                 Type::Bool, site.at)
                    : one;
  }
  return result ? Value::scalar(result) : Value::exactBool(isAll);
}

Value doEnumerate(Context &cx, CallSite &site) {
  Value list = doTuple(cx, site);
  if (list.isPoison())
    return list;
  std::vector<Value> rows;
  for (size_t i = 0; i < list.items.size(); ++i)
    rows.push_back(Value::tuple({Value::exactInt(Exact(i)), list.items[i]}));
  return Value::tuple(std::move(rows));
}

/// As many rows as the shortest list has items.
Value doZip(Context &cx, CallSite &site) {
  std::vector<Value> rows;
  for (size_t k = 0; k < site.args.size(); ++k) {
    CallSite one = site;
    one.args = {site.args[k]};
    const Value list = doTuple(cx, one);
    if (list.isPoison())
      return list;
    if (k == 0)
      rows.resize(list.items.size(), Value::tuple({}));
    rows.resize(std::min(rows.size(), list.items.size()));
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i].items.push_back(list.items[i]);
  }
  return Value::tuple(std::move(rows));
}

//===--- Ranges ------------------------------------------------------------===//

Value doRange(Context &cx, CallSite &site) {
  if (site.args.empty() || site.args.size() > 3)
    return error(cx, site.at, Problem::RangeArgumentCount, "`range` takes one to three arguments");
  for (size_t k = 0; k < site.args.size(); ++k) {
    Value &arg = site.args[k];
    if (arg.kind == Value::Scalar && isFloat(arg.expr->type)) { // as Quadrants does
      const auto &texts = site.node->args;
      const Writing writing(cx, {texts.size() == site.args.size() ? texts[k].get() : nullptr});
      warnLossy(cx, arg, Type::I32, site.at);
      arg = Value::scalar(convert(cx, arg, Type::I32, site.at));
    } else if (arg.kind == Value::Float || !arg.isNumber()) {
      Fix fix = arg.isNumber() ? "cast with `int(...)`, or divide with `//`" : "";
      if (arg.isNumber() && site.node->args.size() == site.args.size())
        fix = Fix(fix.text, calledWith("int", site.node->args[k]->at), true);
      return error(cx, site.at, Problem::RangeOfNoIntegers,
                   "`range` needs integers, not " + describe(arg), std::move(fix));
    }
  }
  Value range = Value::of(Value::Range);
  auto integer = [](const Value &v) {
    return v.kind == Value::Bool ? Value::exactInt(v.integer) : v;
  };
  if (site.args.size() == 1)
    range.items = {Value::exactInt(0), integer(site.args[0])};
  else
    range.items = {integer(site.args[0]), integer(site.args[1])};
  if (site.args.size() == 3) {
    Exact constant = 0;
    if (site.args[2].kind == Value::Int || site.args[2].kind == Value::Bool) {
      range.step = site.args[2].integer;
    } else if (constInt(*site.args[2].expr, constant)) {
      range.step = constant;
    } else {
      range.runtimeStep = true;
      range.items.push_back(site.args[2]);
    }
    if (!range.runtimeStep && range.step == 0)
      return error(cx, site.at, Problem::RangeStepZero, "the step of a range cannot be 0");
  }
  // No type holds such bounds and steps.
  for (const Value &bound : range.items)
    if (auto constant = knownInt(bound);
        constant && (*constant < minOf(Type::I64) || *constant > maxOf(Type::U64)))
      return error(cx, site.at, Problem::RangeBoundTooLarge,
                   "the bound " + spell(*constant) + " of this range does not fit 64 bits");
  if (range.step > maxOf(Type::I64) || range.step < minOf(Type::I64))
    return error(cx, site.at, Problem::RangeStepTooLarge,
                 "the step " + spell(range.step) + " of this range does not fit 64 bits");
  return range;
}

Value doNdrange(Context &cx, CallSite &site) {
  Value range = Value::of(Value::Range);
  range.isNdrange = true;
  bool bad = false;
  std::vector<Value> args = evalItems(cx, site.node->args, bad);
  if (bad)
    return Value();
  auto push = [&](const Value &begin, const Value &end) {
    for (const Value *v : {&begin, &end}) {
      bool integer = v->kind == Value::Int || v->kind == Value::Bool ||
                     (v->kind == Value::Scalar && !isFloat(v->expr->type));
      if (!integer) {
        bad = true;
        if (!v->isPoison())
          error(cx, site.at, Problem::NdrangeExtentWrong,
                "`qd.ndrange` needs integers or (begin, end) pairs, not " + describe(*v));
        return;
      }
      range.items.push_back(v->kind == Value::Bool ? Value::exactInt(v->integer) : *v);
    }
  };
  for (const Value &arg : args) {
    if ((arg.kind == Value::Tuple || arg.kind == Value::Matrix) && arg.items.size() == 2)
      push(arg.items[0], arg.items[1]);
    else
      push(Value::exactInt(0), arg);
  }
  for (auto &keyword : site.node->keywords) {
    if (keyword.name != "axes")
      return unknownName(cx, keyword.at, Problem::NdrangeParameterUnknown,
                         "`qd.ndrange` has no parameter", keyword.name, {"axes"});
    Value axes = eval(cx, *keyword.value);
    if (axes.kind == Value::None) // in order
      continue;
    std::set<unsigned> seen;
    for (const Value &axis : indexList(axes)) {
      auto n = exactInt(cx, axis, keyword.at, "an axis");
      if (!n)
        return Value();
      if (*n < 0 || *n >= Exact(args.size()) || !seen.insert(unsigned(*n)).second)
        return error(cx, keyword.at, Problem::NdrangeAxesWrong,
                     "`axes` has to name each axis once");
      range.axes.push_back(unsigned(*n));
    }
    if (range.axes.size() != args.size())
      return error(cx, keyword.at, Problem::NdrangeAxesWrong, "`axes` has to name each axis once");
  }
  return bad ? Value() : range;
}

Value doGrouped(Context &cx, CallSite &site) {
  auto range = rangeOf(cx, site.args[0], site.at);
  if (!range)
    return Value();
  range->grouped = true;
  range->isStatic = site.args[0].isStatic && site.args[0].kind != Value::Array;
  return *range;
}

/// qd.block_dim(n), the short form.
Value doBlockDim(Context &cx, CallSite &site) {
  cx.config.blockDim = unsigned(site.integer(0));
  cx.config.given = true;
  cx.config.at = site.at;
  return Value::none();
}

/// True for what may stand in the name of a function of every target.
static bool isWordLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9');
}

/// As `#pragma unroll`: a number of iterations, of which 1 forbids it, or all.
static bool readUnroll(Context &cx, const Value &value, SourceRange at) {
  if (value.kind == Value::Bool) {
    cx.config.unroll = value.integer ? hir::unrollWhole : 1;
    return true;
  }
  const auto n = exactInt(cx, value, at, "`unroll`");
  if (!n)
    return false;
  if (*n < 1 || *n > 1024) {
    error(
        cx, at, Problem::UnrollOutOfRange,
        "`unroll` has to be between 1 and 1024 iterations, or True, not " + spell(*n),
        "`unroll=1` forbids it; `unroll=True` unrolls the whole loop, if its bounds are constant");
    return false;
  }
  cx.config.unroll = unsigned(*n);
  return true;
}

Value doLoopConfig(Context &cx, CallSite &site) {
  if (!site.node->args.empty())
    return error(cx, site.at, Problem::LoopConfigPositional,
                 "`qd.loop_config` takes keyword arguments only");
  enum : size_t { BlockDim, MinBlocks, Unroll, Serialize, Name };
  if (site.given[BlockDim])
    cx.config.blockDim = unsigned(site.integer(BlockDim));
  if (site.given[MinBlocks])
    cx.config.minBlocks = unsigned(site.integer(MinBlocks));
  if (site.given[Unroll] && !readUnroll(cx, site.args[Unroll], site.nodes[Unroll]->at))
    return Value();
  if (site.given[Serialize])
    cx.config.serialize = site.integer(Serialize) != 0;
  if (site.given[Name]) {
    cx.config.label.clear();
    for (const char letter : site.args[Name].text)
      cx.config.label += isWordLetter(letter) ? letter : '_';
  }
  // Those after the name are hints of the original that change no result.
  for (size_t k = 0; k < site.given.size(); ++k)
    cx.config.given |= site.given[k] && k != Unroll && k != Serialize;
  cx.config.at = site.at;
  return Value::none();
}

//===--- Memory ------------------------------------------------------------===//

Value doVolatileLoad(Context &cx, CallSite &site) {
  const Place *place = site.place.get();
  if (place->kind != Place::Memory || place->buffer.kind == hir::BufferRef::Shared)
    return error(
        cx, site.nodes[0]->at, Problem::VolatileLoadOfNoElement,
        "`qd.volatile_load` takes an element of an ndarray or a field: nothing else can be "
        "changed by other blocks",
        place->kind == Place::Whole ? "index the array" : "read it directly");
  return readPlace(cx, *place, site.at, true);
}

/// The element that `qd.load` or `qd.store` names, and what it tells the caches.
static std::optional<Place> cachedPlace(Context &cx, CallSite &site, std::vector<Value> args,
                                        const std::vector<hir::Cache> &allowed, hir::Cache &cache) {
  for (auto &keyword : site.node->keywords) {
    const Value value = eval(cx, *keyword.value);
    if (value.isPoison())
      return std::nullopt;
    std::string words;
    bool isKnown = false;
    for (const hir::Cache one : allowed) {
      const std::string word = hir::wordOf(one);
      words += (words.empty() ? "\"" : one == allowed.back() ? "\" or \"" : "\", \"") + word;
      if (keyword.name == "cache" && value.kind == Value::Str && value.text == word) {
        cache = one;
        isKnown = true;
      }
    }
    if (!isKnown)
      return error(cx, keyword.at, Problem::CacheUnknown,
                   "`" + callName(site) + "` takes `cache=" + words + "\"`, and no other keyword");
  }
  const Value array = args.empty() ? Value::none() : args[0];
  if (array.isPoison())
    return std::nullopt;
  if (array.kind != Value::Array || array.array->space == ArrayRef::Shared)
    return error(cx, site.at, Problem::CachedAccessOfNoArray,
                 "`" + callName(site) + "` takes an ndarray or a field and an index, not " +
                     describe(array),
                 "caches hold only device memory: use `x[i]` for all else");
  args.erase(args.begin());
  Value index = args.size() == 1 ? std::move(args[0]) : Value::tuple(std::move(args));
  return elementPlace(cx, array.array, stable(cx, std::move(index), site.at), site.at);
}

Value doLoad(Context &cx, CallSite &site) {
  bool bad = false;
  std::vector<Value> args = evalItems(cx, site.node->args, bad);
  hir::Cache cache = hir::Cache::All;
  using hir::Cache;
  const auto place =
      bad ? std::nullopt
          : cachedPlace(cx, site, std::move(args),
                        {Cache::All, Cache::Stream, Cache::Global, Cache::ReadOnly}, cache);
  return place ? readPlace(cx, *place, site.at, false, cache) : Value();
}

Value doStore(Context &cx, CallSite &site) {
  bool bad = false;
  std::vector<Value> args = evalItems(cx, site.node->args, bad);
  if (bad)
    return Value();
  if (args.size() < 2)
    return error(cx, site.at, Problem::StoreWithoutValue,
                 "`" + callName(site) + "` takes an array, an index and the value",
                 "write `qd.store(x, i, value)`");
  const Value value = stable(cx, std::move(args.back()), site.at);
  args.pop_back();
  hir::Cache cache = hir::Cache::All;
  const auto place =
      cachedPlace(cx, site, std::move(args), {hir::Cache::All, hir::Cache::Stream}, cache);
  if (!place)
    return Value();
  writePlace(cx, *place, value, site.at, cache);
  return Value::none();
}

} // namespace sextant::sema

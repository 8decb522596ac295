// Calls of functions with derivatives of their own. The function computes its result of constants.
// The result gets the slope that the other function computes:
//
//   @qd.ad.dual_for(f)   of parameters and tangents that stand for the arguments. It is code like
//                        other code, so both modes have the derivative of it.
//   @qd.ad.grad_for(f)   of parameters and the gradient of the result. It is the body of a
//                        hir::Pullback, which reverse mode runs.
#include "frontend/sema/eval/Derivatives.h"
#include "frontend/hir/passes/Uses.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/eval/MarkOptions.h"
#include "frontend/sema/eval/References.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>
#include <utility>

namespace sextant::sema {

using hir::Type;
using OwnDerivatives = ModuleScope::OwnDerivatives;

//===--- Values by their leaves --------------------------------------------===//

using LeafOp = std::function<Value(const Value &leaf)>;

static Value mapLeaves(const Value &value, const LeafOp &op) {
  if (!value.isCompound())
    return op(value);
  Value result = value;
  for (Value &item : result.items)
    item = mapLeaves(item, op);
  return result;
}

/// True for a number of the run that has derivatives.
static bool isReal(const Value &leaf) {
  return leaf.kind == Value::Scalar && leaf.expr && isFloat(leaf.expr->type);
}
/// The same, or a constant that may become one.
static bool isRealNumber(const Value &leaf) { return isReal(leaf) || leaf.kind == Value::Float; }
static bool hasLeaf(const Value &value, bool (*is)(const Value &)) {
  return value.isCompound() ? std::ranges::any_of(
                                  value.items, [&](const Value &item) { return hasLeaf(item, is); })
                            : is(value);
}

static Value derived(Context &cx, ExprRef value, ExprRef slope, ExprRef gradient, SourceRange at) {
  const Type type = value->type;
  hir::Derived node{take(cx, std::move(value)), take(cx, std::move(slope))};
  if (gradient)
    node.gradient = take(cx, std::move(gradient));
  return Value::scalar(makeExpr(type, std::move(node), at));
}

Value stopGradient(Context &cx, const Value &value, SourceRange at) {
  if (cx.derivative == Derivative::None)
    return value;
  return mapLeaves(value, [&](const Value &leaf) {
    return isReal(leaf) ? derived(cx, leaf.expr, makeFloat(0, leaf.expr->type, at), nullptr, at)
                        : leaf;
  });
}

//===--- Which functions have them -----------------------------------------===//

static void collect(ModuleScope &module) {
  module.derivatives.emplace();
  for (const ast::StmtPtr &stmt : module.ast->body) {
    auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
    if (!function)
      continue;
    for (const ast::ExprPtr &decorator : function->decorators) {
      auto *call = std::get_if<ast::Call>(&decorator->node);
      auto *of =
          call && call->args.size() == 1 ? std::get_if<ast::Name>(&call->args[0]->node) : nullptr;
      if (of && isMark(*decorator, module, "grad_for"))
        (*module.derivatives)[of->id].adjoint = function;
      else if (of && isMark(*decorator, module, "dual_for"))
        (*module.derivatives)[of->id].tangent = function;
    }
  }
}

/// Returns those of a function at the top of its file, or null.
static const OwnDerivatives *derivativesOf(const Value &function) {
  ModuleScope &module = *function.module;
  if (!module.derivatives)
    collect(module);
  const auto found = module.derivatives->find(function.function->name);
  const auto named = module.names.find(function.function->name);
  const bool isNamed =
      named != module.names.end() && named->second.stmt &&
      std::get_if<ast::FunctionDef>(&named->second.stmt->node) == function.function;
  return found != module.derivatives->end() && isNamed ? &found->second : nullptr;
}

//===--- Calls -------------------------------------------------------------===//

namespace {

class OwnCall {
public:
  OwnCall(Context &cx, const Value &function, const std::vector<BoundArgument> &args,
          SourceRange at)
      : cx(cx), function(function), args(args), at(at),
        name("`" + std::string(function.function->name) + "`") {}

  Value run(const OwnDerivatives &own) {
    const bool isTangent = own.tangent && (cx.derivative == Derivative::Forward || !own.adjoint);
    other = isTangent ? own.tangent : own.adjoint;
    if (!isDecorated(*other, *function.module, "func"))
      return wrong(otherName() + " is a host function", "decorate it with `@qd.func`, too");
    block(cx, at); // tasks do not begin inside
    const bool savedTop = std::exchange(cx.topLevel, false);
    const char *savedIn = std::exchange(cx.serialIn, "in a function with a derivative of its own");
    Value result;
    if (bind())
      result = !countReals ? primal() : isTangent ? withTangent() : withAdjoint();
    cx.topLevel = savedTop;
    cx.serialIn = savedIn;
    return result;
  }

private:
  std::string otherName() const { return "`" + std::string(other->name) + "`"; }
  Failed wrong(std::string message, Fix fix = {}) {
    return error(cx, other->nameAt, Problem::GradientOfFunction, std::move(message), std::move(fix),
                 {{at, name + " is called here"}});
  }

  //--- Arguments

  /// True if the parameter has a derivative. Of a constant, its annotation says what it becomes.
  bool takesReals(const BoundArgument &argument) {
    const ast::Parameter &parameter = *argument.parameter;
    if (isTemplateParameter(parameter))
      return false;
    if (argument.value.isExact() && parameter.annotation) {
      const Quietly quiet(cx);
      Type type;
      if (dtypeOf(evalHost(cx, *parameter.annotation, *function.module), cx.options, type))
        return isFloat(type);
    }
    return hasLeaf(argument.value, isRealNumber);
  }

  /// Makes constants of the arguments. Returns false after an error.
  bool bind() {
    for (const BoundArgument &argument : args) {
      const std::string parameter = "`" + std::string(argument.parameter->name) + "`";
      if ((argument.reference && argument.reference->place) ||
          (isTemplateParameter(*argument.parameter) && hasLeaf(argument.value, isReal)))
        return wrong(parameter + " of " + name +
                         " is a template parameter or a reference, and gets a real of the run",
                     "let " + name + " take it by value");
      operands.push_back(stable(cx, argument.value, at));
      reals.push_back(takesReals(argument));
      constants.push_back(argument);
      constants.back().value = stable(cx, stopGradient(cx, operands.back(), at), at);
    }
    countReals = size_t(std::ranges::count(reals, true));
    return true;
  }

  /// The arguments of the other function: those of this one, and then more.
  std::vector<BoundArgument> with(const std::vector<Value> &more) const {
    std::vector<BoundArgument> all = constants;
    for (size_t k = 0; k < all.size(); ++k) {
      all[k].parameter = &other->parameters[k];
      all[k].reference = nullptr; // it may change nothing
    }
    for (const Value &value : more)
      all.push_back({&other->parameters[all.size()], value, nullptr, at, nullptr});
    return all;
  }
  size_t countMore() const {
    return other->parameters.size() - std::min(other->parameters.size(), args.size());
  }

  //--- Results

  /// Computes the result. The function may change nothing, and what it reads has no derivative.
  Value primal() {
    hir::Block body;
    hir::Block *const outer = std::exchange(cx.current, &body);
    const bool saved = std::exchange(cx.isConstant, true);
    Value result = inlineBody(cx, function, constants, at);
    cx.isConstant = saved;
    cx.current = outer;
    if (result.isPoison() || !checkMemory(body, *function.function))
      return Value();
    outer->insert(outer->end(), std::make_move_iterator(body.begin()),
                  std::make_move_iterator(body.end()));
    if (result.kind == Value::None)
      return wrong(name + " returns nothing, so it has no derivative");
    return stable(cx, std::move(result), at);
  }

  /// True for an argument or a field. Records of prints and faults do not count.
  bool isArray(const hir::BufferRef *buffer) const {
    if (!buffer || buffer->kind != hir::BufferRef::Param)
      return false;
    const hir::HiddenBuffer *hidden = cx.draft.hiddenAt(buffer->index);
    return !hidden || hidden->role == hir::HiddenBuffer::Field;
  }

  /// Refuses functions that change memory, or read arrays whose gradient would be missed.
  bool checkMemory(hir::Block &code, const ast::FunctionDef &of) {
    const bool isPrimal = &of == function.function;
    bool isGood = true;
    const auto refuse = [&](const std::string &what, std::string fix) {
      if (std::exchange(isGood, false))
        error(cx, of.nameAt, Problem::GradientOfFunction,
              "`" + std::string(of.name) + "` " + what +
                  (isPrimal ? ", and has a derivative of its own" : ", but computes a derivative"),
              std::move(fix), {{at, name + " is called here"}});
    };
    const auto refuseChange = [&] {
      refuse("changes an array", isPrimal ? "return the value, and store it where it is called"
                                          : "return the derivatives, and change nothing");
    };
    const std::function<void(hir::Block &)> block = [&](hir::Block &statements) {
      const std::function<void(hir::Expr &)> expr = [&](hir::Expr &one) {
        const hir::BufferRef *buffer = hir::bufferOf(one);
        const bool isOutside = isArray(buffer);
        if (isOutside && !std::holds_alternative<hir::Load>(one.node))
          refuseChange();
        else if (isOutside && isPrimal && isFloat(one.type) &&
                 cx.draft.gradients.contains(buffer->index))
          refuse("reads an array that has a gradient", "pass the element as an argument");
        forEachOperand(one, expr, block);
      };
      for (hir::Stmt &stmt : statements) {
        if (isArray(hir::bufferOf(stmt)))
          refuseChange();
        forEachOperand(stmt, expr, block);
      }
    };
    block(code);
    return isGood;
  }

  /// Converts a derivative to that of a value: it has to have the same form. Calls `use` with each
  /// real of the value, and what belongs to it. Returns false after an error.
  bool match(const Value &value, const Value &derivative, const std::string &what,
             const std::function<void(const Value &, ExprRef)> &use) {
    if (derivative.isPoison())
      return false;
    if (value.isCompound()) {
      const bool isAlike = derivative.kind == value.kind && derivative.rows == value.rows &&
                           derivative.cols == value.cols &&
                           derivative.items.size() == value.items.size();
      if (!isAlike)
        return wrong(otherName() + " returns " + describe(derivative) + " as " + what +
                     ", which is " + describe(value));
      for (size_t k = 0; k < value.items.size(); ++k)
        if (!match(value.items[k], derivative.items[k], what, use))
          return false;
      return true;
    }
    if (!isReal(value))
      return true;
    if (!derivative.isNumber() || derivative.kind == Value::Matrix)
      return wrong(otherName() + " returns " + describe(derivative) + " as " + what +
                   ", which is " + describe(value));
    use(value, convert(cx, derivative, typeOfGradient(value.expr->type), at));
    return true;
  }
  static Type typeOfGradient(Type real) { return isSmallReal(real) ? Type::F32 : real; }

  //--- The two ways

  Value withTangent() {
    Value result = primal();
    if (result.isPoison())
      return Value();
    const size_t more = countMore();
    if (more != countReals && more != args.size())
      return wrong(otherName() + " takes " + countText(other->parameters.size(), "argument") +
                   ": those of " + name + ", and then the tangents of its reals, are " +
                   std::to_string(args.size() + countReals));
    std::vector<Value> tangents;
    for (size_t k = 0; k < args.size(); ++k)
      if (more == args.size() || reals[k])
        tangents.push_back(mapLeaves(operands[k], [&](const Value &leaf) {
          if (!isReal(leaf))
            return Value::exactFloat(0);
          return temp(cx,
                      derived(cx, makeFloat(0, leaf.expr->type, at), leaf.expr, nullptr, at).expr,
                      at, "tangent");
        }));
    const Value slope = inlineBody(cx, ofModule(), with(tangents), at);
    std::vector<ExprRef> slopes;
    if (!match(result, slope, "the tangent of the result",
               [&](const Value &, ExprRef one) { slopes.push_back(std::move(one)); }))
      return Value();
    size_t next = 0;
    return mapLeaves(result, [&](const Value &leaf) {
      return isReal(leaf) ? temp(cx, derived(cx, leaf.expr, slopes[next++], nullptr, at).expr, at)
                          : leaf;
    });
  }

  Value withAdjoint() {
    Value result = primal();
    if (result.isPoison())
      return Value();
    const size_t more = countMore();
    const bool isApart = result.kind == Value::Tuple && more == result.items.size();
    if (more != 1 && !isApart)
      return wrong(otherName() + " takes " + countText(other->parameters.size(), "argument") +
                   ": those of " + name + ", and then the gradient of its result, are " +
                   std::to_string(args.size() + 1));
    // The gradients of the result are in locals of their own.
    std::vector<unsigned> gradients;
    const Value gradient = mapLeaves(result, [&](const Value &leaf) {
      if (!isReal(leaf))
        return leaf.kind == Value::Float ? Value::exactFloat(0) : Value::exactInt(0);
      const Type type = typeOfGradient(leaf.expr->type);
      const Value local = temp(cx, makeFloat(0, type, at), at, "gradient");
      gradients.push_back(std::get<hir::LocalRead>(local.expr->node).local);
      return local;
    });
    hir::Pullback pullback;
    if (!runBackwards(isApart ? gradient.items : std::vector<Value>{gradient}, pullback))
      return Value();
    const Value slope = temp(cx, makeExpr(Type::F32, std::move(pullback), at), at, "slope");
    size_t next = 0;
    return mapLeaves(result, [&](const Value &leaf) {
      if (!isReal(leaf))
        return leaf;
      ExprRef local = makeLocal(gradients[next++], typeOfGradient(leaf.expr->type), at);
      return temp(cx, derived(cx, leaf.expr, slope.expr, local, at).expr, at);
    });
  }

  /// Returns false after an error.
  bool runBackwards(const std::vector<Value> &gradients, hir::Pullback &pullback) {
    hir::Block *const outer = std::exchange(cx.current, &pullback.body);
    const bool saved = std::exchange(cx.isConstant, true);
    const Value all = inlineBody(cx, ofModule(), with(gradients), at);
    bool isGood = !all.isPoison();
    const bool isOne = countReals == 1 && all.kind != Value::Tuple;
    const std::vector<Value> items = isOne ? std::vector<Value>{all} : all.items;
    if (isGood && !isOne &&
        (all.kind != Value::Tuple || (items.size() != countReals && items.size() != args.size())))
      isGood = wrong(otherName() + " has to return the derivatives by " +
                     countText(countReals, "parameter") + " of " + name + ", but returns " +
                     (all.kind == Value::Tuple ? std::to_string(items.size()) : describe(all)));
    const bool isOfAll = !isOne && items.size() == args.size();
    size_t next = 0;
    for (size_t k = 0; k < args.size() && isGood; ++k) {
      if (!isOfAll && !reals[k])
        continue;
      const Value &item = items[next++];
      const std::string what = "the derivative by `" + std::string(args[k].parameter->name) + "`";
      isGood = match(operands[k], item, what, [&](const Value &operand, ExprRef one) {
        pullback.operands.push_back(take(cx, operand.expr));
        pullback.derivatives.push_back(take(cx, temp(cx, std::move(one), at, "by").expr));
      });
    }
    cx.isConstant = saved;
    cx.current = outer;
    return isGood && checkMemory(pullback.body, *other);
  }

  Value ofModule() const { return Value::ofFunction(other, function.module); }

  Context &cx;
  const Value &function;
  const std::vector<BoundArgument> &args;
  const SourceRange at;
  const std::string name;
  const ast::FunctionDef *other = nullptr; ///< the one that computes the derivative
  std::vector<BoundArgument> constants;    ///< the arguments without their derivatives
  std::vector<Value> operands;             ///< the values of the arguments
  std::vector<bool> reals;                 ///< the parameters that have derivatives
  size_t countReals = 0;
};

} // namespace

/// True in the function that computes a tangent for this one, which may call it.
static bool isInOwn(Context &cx, const OwnDerivatives &own) {
  return std::ranges::any_of(cx.frames,
                             [&](const auto &frame) { return frame->function == own.tangent; });
}

Value inlineCall(Context &cx, const Value &function, const std::vector<BoundArgument> &args,
                 SourceRange at) {
  const OwnDerivatives *own = cx.derivative == Derivative::None || cx.isConstant || cx.isHost()
                                  ? nullptr
                                  : derivativesOf(function);
  if (!own || isInOwn(cx, *own))
    return inlineBody(cx, function, args, at);
  if (!hasOption(cx, *function.function, *function.module, "func", "requires_top_level"))
    return OwnCall(cx, function, args, at).run(*own);
  const bool isTangent = cx.derivative == Derivative::Forward;
  const ast::FunctionDef *derivative = isTangent ? own->tangent : own->adjoint;
  return derivative ? inlineTasks(cx, function, *derivative, args, at)
                    : inlineBody(cx, function, args, at);
}

} // namespace sextant::sema

// Making and copying HIR expressions.
#include "frontend/hir/Builder.h"

#include "frontend/hir/Fields.h"

namespace sextant::hir {

namespace {
//===--- Copying -----------------------------------------------------------===//

/// A member that holds no code: numbers, words, buffers, texts and lists of locals.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> || std::is_same_v<T, std::string> ||
                std::is_same_v<T, std::vector<unsigned>>;

template <Plain T> T copyOf(const T &value) { return value; }
ExprPtr copyOf(const ExprPtr &expr) { return clone(*expr); }
std::optional<ExprPtr> copyOf(const std::optional<ExprPtr> &expr) {
  return expr ? std::optional(clone(**expr)) : std::nullopt;
}
std::vector<ExprPtr> copyOf(const std::vector<ExprPtr> &list) {
  std::vector<ExprPtr> copy;
  for (const ExprPtr &expr : list)
    copy.push_back(clone(*expr));
  return copy;
}
template <class... Nodes> std::variant<Nodes...> copyOf(const std::variant<Nodes...> &node);
Block copyOf(const Block &block) {
  Block copy;
  for (const Stmt &stmt : block)
    copy.push_back({stmt.at, copyOf(stmt.node)});
  return copy;
}
template <class... Nodes> std::variant<Nodes...> copyOf(const std::variant<Nodes...> &node) {
  return std::visit(
      [](const auto &one) -> std::variant<Nodes...> {
        using Node = std::decay_t<decltype(one)>;
        return std::apply([](const auto &...each) { return Node{copyOf(each)...}; }, fields(one));
      },
      node);
}
} // namespace

ExprPtr clone(const Expr &expr) { return Expr{expr.at, expr.type, copyOf(expr.node)}; }
Block clone(const Block &code) { return copyOf(code); }
ExprRef share(const Expr &expr) { return std::make_shared<Expr>(std::move(*clone(expr))); }

ExprPtr take(ExprRef expr) {
  return expr.use_count() == 1 ? ExprPtr(std::move(*expr)) : clone(*expr);
}

ExprRef makeExpr(Type type, decltype(Expr::node) node, Loc at) {
  auto expr = std::make_shared<Expr>();
  expr->at = at;
  expr->type = type;
  expr->node = std::move(node);
  return expr;
}

unsigned keep(std::vector<Local> &locals, const char *name, Block &body, ExprPtr value, Loc at) {
  const auto local = unsigned(locals.size());
  locals.push_back({name, value->type, std::nullopt, 0});
  body.push_back({at, Assign{local, std::move(value)}});
  return local;
}

ExprRef makeInt(Exact value, Type type, Loc at) {
  return makeExpr(type, Const{wrapBits(value, type), 0}, at);
}
ExprRef makeFloat(double value, Type type, Loc at) { return makeExpr(type, Const{0, value}, at); }
ExprRef makeBool(bool value, Loc at) { return makeExpr(Type::Bool, Const{value, 0}, at); }
ExprRef makeParam(unsigned param, Type type, Loc at) {
  return makeExpr(type, ParamRead{param}, at);
}
ExprRef makeLocal(unsigned local, Type type, Loc at) {
  return makeExpr(type, LocalRead{local}, at);
}
ExprRef makeId(Id id, Loc at) { return makeExpr(Type::I32, ReadId{id}, at); }

ExprRef makeUnary(UnaryOp op, ExprRef operand, Type type, Loc at) {
  if (!operand)
    return nullptr;
  if (op == UnaryOp::LogicNot)
    if (auto *c = asConst(*operand))
      return makeBool(!c->bits, at);
  return makeExpr(type, Unary{op, take(std::move(operand))}, at);
}

const Const *asConst(const Expr &expr) { return std::get_if<Const>(&expr.node); }

bool constInt(const Expr &expr, Exact &value) {
  auto *c = asConst(expr);
  if (!c || isFloat(expr.type))
    return false;
  value = isSigned(expr.type) ? Exact(int64_t(c->bits)) : Exact(c->bits);
  return true;
}

/// Returns what an operation on integers amounts to, if it needs no operation; else null.
static ExprRef foldBinary(BinaryOp op, const ExprRef &lhs, const ExprRef &rhs, Type type, Loc at) {
  Exact a = 0, b = 0;
  bool hasA = constInt(*lhs, a), hasB = constInt(*rhs, b);
  if (hasA && hasB && isInteger(type)) {
    if (op == BinaryOp::Add)
      return makeInt(a + b, type, at);
    if (op == BinaryOp::Sub)
      return makeInt(a - b, type, at);
    if (op == BinaryOp::Mul)
      return makeInt(Exact(uint64_t(a) * uint64_t(b)), type, at);
    if ((op == BinaryOp::CDiv || op == BinaryOp::CMod) && a >= 0 && b > 0)
      return makeInt(op == BinaryOp::CDiv ? a / b : a % b, type, at);
  }
  if (hasB && isInteger(type) && rhs->type == type) {
    if (b == 0 && (op == BinaryOp::Add || op == BinaryOp::Sub))
      return lhs;
    if (b == 1 && (op == BinaryOp::Mul || op == BinaryOp::CDiv || op == BinaryOp::FloorDiv))
      return lhs;
  }
  if (hasA && isInteger(type) && lhs->type == type) {
    if (a == 0 && op == BinaryOp::Add)
      return rhs;
    if (a == 1 && op == BinaryOp::Mul)
      return rhs;
  }
  return nullptr;
}

ExprRef makeBinary(BinaryOp op, ExprRef lhs, ExprRef rhs, Type type, Loc at) {
  if (!lhs || !rhs)
    return nullptr;
  if (ExprRef folded = foldBinary(op, lhs, rhs, type, at))
    return folded;
  return makeExpr(type, Binary{op, take(std::move(lhs)), take(std::move(rhs))}, at);
}

ExprRef makePosition(BinaryOp op, ExprRef lhs, ExprRef rhs, Loc at) {
  if (!lhs || !rhs)
    return nullptr;
  const Type type = lhs->type;
  if (ExprRef folded = foldBinary(op, lhs, rhs, type, at))
    return folded;
  return makeExpr(type, Binary{op, take(std::move(lhs)), take(std::move(rhs)), false, true}, at);
}

ExprRef makeCast(ExprRef operand, Type type, Loc at) {
  if (!operand || operand->type == type)
    return operand;
  if (auto *c = asConst(*operand)) {
    Type from = operand->type;
    Exact value = 0;
    if (constInt(*operand, value)) {
      if (type == Type::Bool)
        return makeBool(value != 0, at);
      if (isInteger(type))
        return makeInt(value, type, at);
      if (value > -(Exact(1) << 24) && value < (Exact(1) << 24) && !isSmallReal(type))
        return makeFloat(double(value), type, at);
    } else if (from == Type::F32 && type == Type::F64) {
      return makeFloat(double(float(c->real)), type, at);
    }
  }
  return makeExpr(type, Cast{take(std::move(operand))}, at);
}

ExprRef makeSelect(ExprRef condition, ExprRef whenTrue, ExprRef whenFalse, Loc at) {
  if (!condition || !whenTrue || !whenFalse)
    return nullptr;
  if (auto *c = asConst(*condition))
    return c->bits ? whenTrue : whenFalse;
  Type type = whenTrue->type;
  return makeExpr(
      type,
      Select{take(std::move(condition)), take(std::move(whenTrue)), take(std::move(whenFalse))},
      at);
}

void markPrecise(Expr &expr) {
  if (auto *binary = std::get_if<Binary>(&expr.node))
    binary->isPrecise = isFloat(expr.type);
  // The statements of a sequence came through here when they were written.
  forEachOperand(expr, [](Expr &operand) { markPrecise(operand); }, [](Block &) {});
}

bool isTrivial(const Expr &expr) {
  return std::holds_alternative<Const>(expr.node) || std::holds_alternative<LocalRead>(expr.node) ||
         std::holds_alternative<ParamRead>(expr.node) || std::holds_alternative<ReadId>(expr.node);
}

unsigned sizeOf(const Expr &expr, unsigned limit) {
  unsigned size = 1;
  forEachOperand(expr, [&](const Expr &operand) {
    if (size < limit)
      size += sizeOf(operand, limit - size);
  });
  return size;
}

//===--- Walking -----------------------------------------------------------===//

namespace {
struct Walk {
  const std::function<void(Expr &)> &visit;
  const std::function<void(Block &)> &visitBlock;

  void operator()(ExprPtr &expr) const { visit(*expr); }
  void operator()(std::optional<ExprPtr> &expr) const {
    if (expr)
      visit(**expr);
  }
  void operator()(std::vector<ExprPtr> &list) const {
    for (ExprPtr &expr : list)
      visit(*expr);
  }
  void operator()(Block &block) const { visitBlock(block); }
  /// A member of another kind needs an overload.
  template <Plain T> void operator()(T &) const {}
};

template <class Code> void walk(Code &code, const Walk &walk) {
  std::visit(
      [&](auto &node) { std::apply([&](auto &...each) { (walk(each), ...); }, fields(node)); },
      code.node);
}
} // namespace

void forEachOperand(Expr &expr, const std::function<void(Expr &)> &visit,
                    const std::function<void(Block &)> &visitBlock) {
  walk(expr, {visit, visitBlock});
}
void forEachOperand(Stmt &stmt, const std::function<void(Expr &)> &visit,
                    const std::function<void(Block &)> &visitBlock) {
  walk(stmt, {visit, visitBlock});
}
void forEachOperand(const Expr &expr, const std::function<void(const Expr &)> &visit) {
  walk(const_cast<Expr &>(expr), {visit, [](Block &) {}});
}

} // namespace sextant::hir

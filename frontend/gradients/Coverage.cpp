// Runs a task's code with what is known of its numbers: constants, the thread's number, and sums
// with multiples of the block's number.
#include "frontend/gradients/Coverage.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>

namespace sextant::gradients {

using namespace hir;

namespace {

/// constant + blocks * the block's number, if it is known.
struct Number {
  Exact constant = 0, blocks = 0;
};
using Known = std::optional<Number>;

Known combine(BinaryOp op, const Number &a, const Number &b) {
  const bool isPlain = a.blocks == 0 && b.blocks == 0;
  const bool divides = b.blocks == 0 && b.constant > 0 && a.constant >= 0 && a.blocks >= 0 &&
                       a.blocks % b.constant == 0;
  const auto test = [](bool holds) { return Number{holds ? 1 : 0, 0}; };
  switch (op) {
  case BinaryOp::Add:
    return Number{a.constant + b.constant, a.blocks + b.blocks};
  case BinaryOp::Sub:
    return Number{a.constant - b.constant, a.blocks - b.blocks};
  case BinaryOp::Mul:
    if (a.blocks != 0 && b.blocks != 0)
      return std::nullopt;
    return Number{a.constant * b.constant, a.blocks * b.constant + a.constant * b.blocks};
  case BinaryOp::FloorDiv:
  case BinaryOp::CDiv:
    return divides ? Known({a.constant / b.constant, a.blocks / b.constant}) : std::nullopt;
  case BinaryOp::Mod:
  case BinaryOp::CMod:
    return divides ? Known({a.constant % b.constant, 0}) : std::nullopt;
  default:
    break;
  }
  if (!isPlain)
    return std::nullopt;
  const Exact x = a.constant, y = b.constant;
  const bool isSmall = x >= 0 && y >= 0 && x < (Exact(1) << 31) && y < (Exact(1) << 31);
  switch (op) {
  case BinaryOp::Min:
    return Number{std::min(x, y), 0};
  case BinaryOp::Max:
    return Number{std::max(x, y), 0};
  case BinaryOp::Lt:
    return test(x < y);
  case BinaryOp::Le:
    return test(x <= y);
  case BinaryOp::Gt:
    return test(x > y);
  case BinaryOp::Ge:
    return test(x >= y);
  case BinaryOp::Eq:
    return test(x == y);
  case BinaryOp::Ne:
    return test(x != y);
  case BinaryOp::And:
    return isSmall ? Known({Exact(uint64_t(x) & uint64_t(y)), 0}) : std::nullopt;
  case BinaryOp::Or:
    return isSmall ? Known({Exact(uint64_t(x) | uint64_t(y)), 0}) : std::nullopt;
  case BinaryOp::Xor:
    return isSmall ? Known({Exact(uint64_t(x) ^ uint64_t(y)), 0}) : std::nullopt;
  case BinaryOp::Shr:
  case BinaryOp::BitShr:
    return isSmall && y < 32 ? Known({Exact(uint64_t(x) >> uint64_t(y)), 0}) : std::nullopt;
  case BinaryOp::Shl:
    return isSmall && y < 31 ? Known({Exact(uint64_t(x) << uint64_t(y)), 0}) : std::nullopt;
  default:
    return std::nullopt;
  }
}

class Thread {
public:
  Thread(const Task &task, const std::function<unsigned()> &wave, const Array &array,
         std::vector<bool> &filled, unsigned &budget)
      : task(task), wave(wave), array(array), filled(filled), budget(budget) {}

  /// Runs the block up to `end`, into what stands on the way. Returns false if the thread does not
  /// get there.
  bool follow(Block &code, std::span<Stmt *const> path, const Stmt &end) {
    counts = std::ranges::none_of(
        path, [](Stmt *each) { return !std::holds_alternative<If>(each->node); });
    for (Stmt &stmt : code) {
      if (path.empty() && &stmt == &end)
        return true;
      if (path.empty() || &stmt != path.front()) {
        run(stmt);
        continue;
      }
      const auto rest = path.subspan(1);
      if (auto *branch = std::get_if<If>(&stmt.node)) {
        const Known condition = value(*branch->condition);
        const bool isThen = holds(branch->then, rest, end);
        if (condition && (condition->constant != 0) != isThen)
          return false;
        return follow(isThen ? branch->then : branch->otherwise, rest, end);
      }
      forget(bodyOf(stmt));
      if (auto *loop = std::get_if<For>(&stmt.node))
        locals.erase(loop->local);
      return follow(bodyOf(stmt), rest, end);
    }
    return true;
  }

  std::optional<unsigned> number; ///< the thread's, if the question is one of the block

private:
  static bool holds(Block &code, std::span<Stmt *const> path, const Stmt &end) {
    const Stmt *next = path.empty() ? &end : path.front();
    return std::ranges::any_of(code, [&](const Stmt &each) { return &each == next; });
  }
  void forget(Block &code) {
    for (unsigned local : setIn(code))
      locals.erase(local);
  }
  void run(Block &code) {
    for (Stmt &stmt : code)
      run(stmt);
  }
  void run(Stmt &stmt) {
    if (budget == 0)
      return forgetAll(stmt);
    --budget;
    if (auto *assign = std::get_if<Assign>(&stmt.node)) {
      set(assign->local, value(*assign->value));
    } else if (auto *store = std::get_if<Store>(&stmt.node)) {
      const Known index = keyOf(store->buffer) == array ? value(*store->index) : std::nullopt;
      if (counts && index && index->blocks == 0 && index->constant >= 0 &&
          index->constant < Exact(filled.size()))
        filled[size_t(index->constant)] = true;
    } else if (auto *branch = std::get_if<If>(&stmt.node)) {
      if (const Known condition = value(*branch->condition))
        return run(condition->constant ? branch->then : branch->otherwise);
      forgetAll(stmt);
    } else if (auto *loop = std::get_if<For>(&stmt.node)) {
      const Known begin = value(*loop->begin), finish = value(*loop->end);
      if (!begin || !finish || begin->blocks != 0 || finish->blocks != 0)
        return forgetAll(stmt);
      for (Exact k = begin->constant; loop->step > 0 ? k < finish->constant : k > finish->constant;
           k += loop->step) {
        if (budget == 0)
          return forgetAll(stmt);
        set(loop->local, Number{k, 0});
        run(loop->body);
      }
    } else {
      forgetAll(stmt);
    }
  }
  void forgetAll(Stmt &stmt) {
    if (auto local = setBy(stmt))
      locals.erase(*local);
    forEachOperand(stmt, [](Expr &) {}, [&](Block &body) { forget(body); });
  }
  void set(unsigned local, const Known &to) {
    if (to)
      locals[local] = *to;
    else
      locals.erase(local);
  }

  Known value(const Expr &expr) const {
    if (!isInteger(expr.type) && expr.type != Type::Bool)
      return std::nullopt;
    Exact constant = 0;
    if (constInt(expr, constant))
      return Number{constant, 0};
    if (auto *read = std::get_if<LocalRead>(&expr.node)) {
      const auto found = locals.find(read->local);
      return found == locals.end() ? std::nullopt : Known(found->second);
    }
    if (auto *id = std::get_if<ReadId>(&expr.node))
      return value(id->id);
    if (auto *cast = std::get_if<Cast>(&expr.node)) {
      const Known operand =
          isInteger(expr.type) && bitWidth(expr.type) >= 32 ? value(*cast->operand) : std::nullopt;
      return operand && operand->constant >= 0 && operand->blocks >= 0 ? operand : std::nullopt;
    }
    if (auto *select = std::get_if<Select>(&expr.node)) {
      const Known condition = value(*select->condition);
      return condition ? value(condition->constant ? *select->whenTrue : *select->whenFalse)
                       : std::nullopt;
    }
    auto *binary = std::get_if<Binary>(&expr.node);
    const Known lhs = binary ? value(*binary->lhs) : std::nullopt,
                rhs = binary ? value(*binary->rhs) : std::nullopt;
    return lhs && rhs ? combine(binary->op, *lhs, *rhs) : std::nullopt;
  }
  Known value(Id id) const {
    switch (id) {
    case Id::ThreadIdx:
      return number ? Known({Exact(*number), 0}) : std::nullopt;
    case Id::Lane:
      return number ? Known({Exact(*number % wave()), 0}) : std::nullopt;
    case Id::BlockIdx:
      return Number{0, 1};
    case Id::BlockDim:
      return Number{Exact(task.blockDim), 0};
    case Id::GridDim:
      return std::nullopt;
    }
    return std::nullopt;
  }

  const Task &task;
  const std::function<unsigned()> &wave;
  const Array array;
  std::vector<bool> &filled;
  unsigned &budget;
  bool counts = false; ///< stores count
  std::map<unsigned, Number> locals;
};

} // namespace

bool fills(DraftTask &task, const Draft &draft, const Array &array, const std::vector<Stmt *> &path,
           const Stmt &end) {
  const bool isOfBlock = array.first == BufferRef::Shared;
  const ArrayDecl &decl = declOf(draft, array);
  constexpr uint64_t most = 1 << 20; // the work of a proof
  if (decl.count > most)
    return false;
  auto budget = unsigned(most);
  std::vector<bool> filled(decl.count);
  const unsigned threads = isOfBlock ? task.task.blockDim : 1;
  for (unsigned k = 0; k < threads; ++k) {
    Thread thread(task.task, draft.wave, array, filled, budget);
    if (isOfBlock)
      thread.number = k;
    if (!thread.follow(task.task.body, path, end) && !isOfBlock)
      return true; // nobody gets there
  }
  return std::ranges::find(filled, false) == filled.end();
}

} // namespace sextant::gradients

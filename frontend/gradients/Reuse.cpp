// Gives equal values equal numbers. Memory has versions: a load of the same element of the same
// version is the same value. What a thread stored is loaded all the same: it is still there when
// the reverse runs, and what it was computed from may not be.
#include "frontend/gradients/Reuse.h"
#include "frontend/gradients/Walk.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sextant::gradients {

using namespace hir;

namespace {

using Number = unsigned;
using Key = std::vector<uint64_t>;

class Numbering {
public:
  Numbering(Block &code, std::vector<Local> &locals, Activity &activity)
      : locals(locals), activity(activity) {
    std::set<unsigned> once;
    forEachStatement(code, [&](Stmt &stmt) {
      const auto local = setBy(stmt);
      if (local && !once.insert(*local).second)
        twice.insert(*local);
      if (local && !loadOf(stmt))
        others.insert(*local);
    });
  }

  void block(Block &code) {
    Block before = std::exchange(code, {});
    for (Stmt &stmt : before) {
      statement(stmt, code);
      code.push_back(std::move(stmt));
    }
  }

private:
  /// The facts that hold at a place in the code.
  struct Now {
    std::map<unsigned, Number> locals;
    std::map<Array, Number> versions;
    Number epoch = 0; ///< other threads may have written between two of them
  };

  enum KeyKind : uint64_t { OfConstant, OfParameter, OfId, OfBinary, OfCast, OfElement };

  Number numberOf(const Key &key) {
    const auto [it, isNew] = numbers.try_emplace(key, next);
    next += isNew;
    return it->second;
  }
  Number numberOf(unsigned local) {
    const auto [it, isNew] = now.locals.try_emplace(local, next);
    next += isNew;
    return it->second;
  }
  Number numberOf(const Expr &expr) {
    const auto type = uint64_t(expr.type);
    if (auto *read = std::get_if<LocalRead>(&expr.node))
      return numberOf(read->local);
    if (auto *value = std::get_if<Const>(&expr.node); value && isInteger(expr.type))
      return numberOf({OfConstant, type, value->bits});
    if (auto *read = std::get_if<ParamRead>(&expr.node))
      return numberOf({OfParameter, read->param});
    if (auto *read = std::get_if<ReadId>(&expr.node))
      return numberOf({OfId, uint64_t(read->id)});
    if (auto *two = std::get_if<Binary>(&expr.node); two && isInteger(expr.type))
      return numberOf(
          {OfBinary, type, uint64_t(two->op), numberOf(*two->lhs), numberOf(*two->rhs)});
    if (auto *one = std::get_if<Cast>(&expr.node); one && isInteger(expr.type))
      return numberOf({OfCast, type, numberOf(*one->operand)});
    return next++;
  }
  Key elementOf(const BufferRef &buffer, const Expr &index, Type type) {
    const Number epoch = buffer.kind == BufferRef::Private ? 0 : now.epoch;
    return {OfElement, uint64_t(buffer.kind), buffer.index,   now.versions[keyOf(buffer)],
            epoch,     uint64_t(type),        numberOf(index)};
  }

  /// Returns a local that has the value, and takes its derivative if `reader` has one.
  std::optional<unsigned> holderOf(Number number, unsigned reader) {
    for (unsigned local : holders[number]) {
      const auto has = now.locals.find(local);
      if (has == now.locals.end() || has->second != number || local == reader ||
          locals[local].type != locals[reader].type)
        continue;
      if (!activity.locals.contains(local) && others.contains(local)) {
        if (activity.locals.contains(reader))
          continue;
        others.insert(reader);
      }
      sources[reader].insert(local);
      if (activity.locals.contains(reader))
        activate(local);
      return local;
    }
    return std::nullopt;
  }
  /// Has a local that only loads set take part in the derivative, with those that it reads now.
  void activate(unsigned local) {
    activity.varied.locals.insert(local); // code that has a derivative of its own may load it first
    if (activity.locals.insert(local).second)
      for (unsigned source : sources[local])
        activate(source);
  }
  /// Puts a load into a local of its own, for `reader`.
  unsigned kept(ExprPtr load, Number number, unsigned reader, Block &out) {
    const Loc at = load->at;
    const auto local = unsigned(locals.size());
    locals.push_back(Local(locals[reader]));
    out.push_back({at, Assign{local, std::move(load)}});
    if (activity.varied.locals.contains(reader))
      activity.varied.locals.insert(local);
    if (activity.locals.contains(reader))
      activity.locals.insert(local);
    sources[reader].insert(local);
    set(local, number);
    return local;
  }
  void set(unsigned local, Number number) {
    now.locals[local] = number;
    holders[number].push_back(local);
  }

  /// \param out gets what has to come before
  void statement(Stmt &stmt, Block &out) {
    forget(stmt, /*inside=*/false);
    if (auto *assign = std::get_if<Assign>(&stmt.node)) {
      auto *load = std::get_if<Load>(&assign->value->node);
      const Type type = assign->value->type;
      const bool isPlain = load && !load->isVolatile;
      const Number number = isPlain ? numberOf(elementOf(load->buffer, *load->index, type))
                                    : numberOf(*assign->value);
      if (isPlain) {
        std::optional<unsigned> holder = holderOf(number, assign->local);
        if (!holder && twice.contains(assign->local)) // a loop sets it again
          holder = kept(std::move(assign->value), number, assign->local, out);
        if (holder)
          assign->value = take(makeLocal(*holder, type, stmt.at));
      }
      set(assign->local, number);
    } else if (auto *store = std::get_if<Store>(&stmt.node)) {
      now.versions[keyOf(store->buffer)] = next++;
    } else if (auto *branch = std::get_if<If>(&stmt.node)) {
      within(branch->then);
      within(branch->otherwise);
      forget(stmt, true);
    } else if (isLoop(stmt)) {
      forget(stmt, true); // an iteration begins after others
      within(bodyOf(stmt));
      forget(stmt, true);
    } else if (auto *scope = std::get_if<Scope>(&stmt.node)) {
      within(scope->body);
      forget(stmt, true);
    }
  }
  void within(Block &code) {
    const Now before = now;
    block(code);
    now = before;
  }

  /// Forgets what a statement, but for its own assignment or store, or the code inside may change.
  void forget(Stmt &stmt, bool inside) {
    const auto change = [&](Stmt &each) {
      if (const auto local = setBy(each))
        now.locals[*local] = next++;
      if (auto *store = std::get_if<Store>(&each.node))
        now.versions[keyOf(store->buffer)] = next++;
    };
    const auto effects = [&](Stmt &each) {
      if (waitOf(each) || std::holds_alternative<Pause>(each.node) ||
          std::holds_alternative<AsyncCopies>(each.node))
        now.epoch = next++;
      forEachExpr(each, [&](Expr &expr) {
        if (auto *atomic = std::get_if<Atomic>(&expr.node))
          now.versions[keyOf(atomic->buffer)] = next++;
        if (auto *cas = std::get_if<AtomicCas>(&expr.node))
          now.versions[keyOf(cas->buffer)] = next++;
      });
    };
    const auto all = [&](Block &code) {
      forEachStatement(code, [&](Stmt &each) {
        change(each);
        effects(each);
      });
    };
    effects(stmt);
    const std::function<void(Expr &)> inExpr = [&](Expr &expr) {
      forEachOperand(expr, inExpr, all);
    };
    forEachOperand(stmt, inExpr, [&](Block &code) {
      if (inside)
        all(code);
    });
    if (inside && std::holds_alternative<For>(stmt.node))
      change(stmt);
  }

  std::vector<Local> &locals;
  Activity &activity;
  std::set<unsigned> twice;  ///< locals that are set more than once
  std::set<unsigned> others; ///< locals that more than loads set: they are active or not
  std::map<unsigned, std::set<unsigned>> sources; ///< which locals read instead of loading
  Now now;
  Number next = 1;
  std::map<Key, Number> numbers;
  std::map<Number, std::vector<unsigned>> holders;
};

} // namespace

void reuseLoads(Block &code, std::vector<Local> &locals, Activity &activity) {
  Numbering(code, locals, activity).block(code);
}

} // namespace sextant::gradients

// Turns scattered additions into gathered ones.
//
// Iteration i of a stencil adds a(i) to x.grad[i - 1] and b(i) to x.grad[i + 1]. So element e gets
// a(e + 1) + b(e - 1), if these are iterations of the loop. A task with a thread for each element
// computes both again, of the code that the loop's task has for them, and stores their sum. It runs
// first: that task clears gradients.
#include "frontend/gradients/Gather.h"
#include "frontend/gradients/Apart.h"
#include "frontend/gradients/Grid.h"
#include "frontend/gradients/Versions.h"
#include "frontend/gradients/Walk.h"
#include "frontend/hir/Division.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sextant::gradients {

using namespace hir;

namespace {

/// The most that threads compute again for one of the elements around: an atomic takes as long as
/// some hundred operations.
constexpr unsigned mostNodes = 256;
constexpr size_t mostOffsets = 64;

using Offsets = std::vector<Exact>; ///< one an axis

/// An addition to an element at a constant distance.
struct Site {
  const Atomic *atomic;
  Element element;
  Offsets offsets;
};

/// Additions to elements of one array that have their axes at the same places.
using Family = std::vector<Site>;

/// The code of one iteration, and what of it computes some of its additions.
class Iteration {
public:
  Iteration(Block &code, const std::vector<Axis> &axes, const Grid &grid)
      : code(code), axes(axes), grid(grid) {
    unsigned number = 0;
    forEachStatement(code, [&](Stmt &stmt) {
      order[&stmt] = ++number;
      if (const auto local = setBy(stmt))
        sets[*local].push_back(&stmt);
      forEachOperand(
          stmt, [](Expr &) {},
          [&](Block &inside) {
            for (Stmt &each : inside)
              around[&each] = {&stmt, &inside};
          });
      if (auto *store = std::get_if<Store>(&stmt.node))
        writes.push_back({keyOf(store->buffer), &*store->index, &stmt, false});
      if (auto *eval = std::get_if<Eval>(&stmt.node))
        if (auto *atomic = std::get_if<Atomic>(&eval->value->node))
          writes.push_back({keyOf(atomic->buffer), &*atomic->index, &stmt, true});
    });
  }

  /// Finds the statements that the additions need. False: other threads cannot run them.
  bool needs(const std::set<const Atomic *> &additions, const Indices &indices,
             std::set<Stmt *> &needed) {
    std::vector<Stmt *> rest;
    const auto need = [&](Stmt *stmt) {
      for (; stmt && needed.insert(stmt).second; stmt = outer(stmt))
        rest.push_back(stmt);
    };
    forEachStatement(code, [&](Stmt &stmt) {
      if (additions.contains(additionOf(stmt)))
        need(&stmt);
    });
    while (!rest.empty()) {
      Stmt &stmt = *rest.back();
      rest.pop_back();
      bool isPlain = std::holds_alternative<Assign>(stmt.node) ||
                     std::holds_alternative<If>(stmt.node) || additionOf(stmt);
      const auto visit = [&](Expr &expr) {
        forEachExpr(expr, [&](Expr &each) {
          isPlain = isPlain && isRepeatable(each, stmt, indices);
          auto *read = std::get_if<LocalRead>(&each.node);
          if (!read || isAxis(read->local))
            return;
          const auto found = sets.find(read->local);
          isPlain = isPlain && found != sets.end();
          if (found != sets.end())
            for (Stmt *each : found->second)
              need(each);
        });
      };
      if (auto *eval = std::get_if<Eval>(&stmt.node)) // the place is that of the other thread
        visit(*std::get<Atomic>(eval->value->node).value);
      else
        forEachOperand(stmt, visit, [](Block &) {});
      if (!isPlain)
        return false;
    }
    return true;
  }

  /// True if the code stores to none of these elements.
  bool leaves(const Array &array, const Family &family, const Indices &indices) const {
    return std::all_of(writes.begin(), writes.end(), [&](const Write &write) {
      return write.isAtomic || write.array != array ||
             std::all_of(family.begin(), family.end(), [&](const Site &site) {
               return indices.areApart(*write.index, *site.atomic->index);
             });
    });
  }

  bool isAxis(unsigned local) const {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const Axis &axis) { return axis.local == local; });
  }

private:
  struct Write {
    Array array;
    const Expr *index;
    Stmt *stmt;
    bool isAtomic;
  };

  Stmt *outer(Stmt *stmt) const {
    const auto found = around.find(stmt);
    return found == around.end() ? nullptr : found->second.first;
  }
  /// True if a thread may have run the first statement when it runs the second.
  bool comesBefore(Stmt *first, Stmt *second) const {
    if (order.at(first) > order.at(second))
      return false;
    std::map<Stmt *, Block *> ways;
    for (auto at = around.find(first); at != around.end(); at = around.find(at->second.first))
      ways.insert(at->second);
    for (auto at = around.find(second); at != around.end(); at = around.find(at->second.first))
      if (const auto way = ways.find(at->second.first); way != ways.end())
        return way->second == at->second.second; // not in the other branch
    return true;
  }
  /// True if the expression has the same value when another thread runs it, before any thread has
  /// run the rest.
  bool isRepeatable(Expr &expr, Stmt &stmt, const Indices &indices) const {
    auto *load = std::get_if<Load>(&expr.node);
    if (!load)
      return !bufferOf(expr) && !isOfThread(expr) && !hasEffect(expr);
    if (load->isVolatile || isOfTask(load->buffer))
      return false;
    for (const Write &write : writes) {
      if (write.array != keyOf(load->buffer) || indices.areApart(*write.index, *load->index))
        continue;
      // Other threads store to other elements: else they would race.
      if (write.isAtomic ||
          (comesBefore(write.stmt, &stmt) && !grid.areApart(*write.index, *load->index)))
        return false;
    }
    return true;
  }
  static bool hasEffect(const Expr &expr) {
    return std::visit([]<class Node>(const Node &) { return requires { Node::hasEffect; }; },
                      expr.node);
  }

  Block &code;
  const std::vector<Axis> &axes;
  const Grid &grid;
  std::map<const Stmt *, unsigned> order;
  std::map<unsigned, std::vector<Stmt *>> sets;
  std::map<Stmt *, std::pair<Stmt *, Block *>> around;
  std::vector<Write> writes;
};

/// Writes a task in which each thread gathers what comes to one element.
class Gatherer {
public:
  Gatherer(const DraftTask &of, Block &code, const std::vector<Axis> &axes, const Family &family,
           const Grid &grid, Draft &draft)
      : of(of), code(code), axes(axes), family(family), draft(draft), at(of.task.at), grid(grid) {
    for (size_t a = 0; a < axes.size(); ++a) {
      Exact least = family[0].offsets[a], most = least;
      for (const Site &site : family)
        least = std::min(least, site.offsets[a]), most = std::max(most, site.offsets[a]);
      leasts.push_back(least);
      spans.push_back(most - least);
    }
  }

  /// The number of elements.
  LaunchExpr launch() const {
    LaunchExpr all = extentAtLaunch(0);
    for (size_t a = 1; a < axes.size(); ++a) {
      const LaunchExpr one = extentAtLaunch(a);
      all.items.insert(all.items.end(), one.items.begin(), one.items.end());
      all.items.push_back({LaunchExpr::Mul, 0});
    }
    return all;
  }

  /// \param needed the statements for the additions with each offsets
  DraftTask write(const std::map<Offsets, std::set<Stmt *>> &needed) {
    DraftTask task;
    task.task.blockDim = of.task.blockDim;
    task.task.light = of.task.light;
    task.task.minBlocks = of.task.minBlocks;
    task.task.at = at;
    task.label = of.label;
    task.task.iterations = launch();
    Block &out = task.task.body;
    for (const Axis &axis : axes) {
      if (Exact count = 0; constInt(*axis.extent, count)) {
        counts.push_back(integer(std::max<Exact>(count, 0)));
        continue;
      }
      ExprRef count = integer(BinaryOp::Max, share(*axis.extent), integer(0));
      counts.push_back(read(keep("count", out, std::move(count))));
    }
    const unsigned number = keep("element", out, thread());
    Block body;
    places(number, body);
    for (const Site &site : family)
      if (!totals.contains(site.element.component)) {
        const Type type = site.atomic->value->type;
        totals[site.element.component] = {keep("sum", body, makeFloat(0, type, at)), &site};
      }
    isReached = keep("is_reached", body, makeBool(false, at));
    for (const auto &[offsets, statements] : needed)
      iteration(offsets, statements, body);
    Block add;
    for (const auto &[component, total] : totals) {
      const auto &[local, site] = total;
      const Type type = draft.locals[local].type;
      ExprRef index = placeOf(*site);
      ExprRef sum = makeBinary(BinaryOp::Add,
                               makeExpr(type, Load{site->atomic->buffer, take(share(*index))}, at),
                               read(local), type, at);
      add.push_back({at, Store{site->atomic->buffer, take(index), take(sum)}});
    }
    body.push_back({at, If{take(read(isReached)), std::move(add), {}}});
    ExprRef all = makeInt(1, Type::I32, at);
    for (size_t a = 0; a < axes.size(); ++a)
      all = integer(BinaryOp::Mul, all, extent(a));
    ExprRef isInside = makeBinary(BinaryOp::Lt, read(number), all, Type::Bool, at);
    out.push_back({at, If{take(isInside), std::move(body), {}}});
    return task;
  }

private:
  unsigned keep(const char *name, Block &to, ExprRef value) {
    return hir::keep(draft.locals, name, to, take(std::move(value)), at);
  }
  ExprRef read(unsigned local) const { return makeLocal(local, draft.locals[local].type, at); }
  ExprRef integer(BinaryOp op, ExprRef a, ExprRef b) const {
    return makeBinary(op, std::move(a), std::move(b), Type::I32, at);
  }
  ExprRef integer(Exact value) const { return makeInt(value, Type::I32, at); }

  ExprRef thread() const {
    ExprRef dim = of.task.light ? makeId(Id::BlockDim, at) : integer(of.task.blockDim);
    return integer(BinaryOp::Add, integer(BinaryOp::Mul, makeId(Id::BlockIdx, at), std::move(dim)),
                   makeId(Id::ThreadIdx, at));
  }
  /// The elements along an axis.
  ExprRef extent(size_t axis) const {
    return integer(BinaryOp::Add, counts[axis], integer(spans[axis]));
  }
  LaunchExpr extentAtLaunch(size_t axis) const {
    LaunchExpr all = axes[axis].launch;
    const auto span = int64_t(spans[axis]);
    if (all.isConstant()) {
      all.items[0].value = std::max<int64_t>(all.items[0].value, 0) + span;
      return all;
    }
    all.items.push_back({LaunchExpr::Constant, 0});
    all.items.push_back({LaunchExpr::Max, 0});
    if (span != 0) {
      all.items.push_back({LaunchExpr::Constant, span});
      all.items.push_back({LaunchExpr::Add, 0});
    }
    return all;
  }
  /// Computes the index of the thread's element along each axis: that of the first iteration is 0.
  void places(unsigned number, Block &out) {
    ExprRef rest = makeCast(read(number), Type::U32, at);
    place.resize(axes.size());
    for (size_t a = axes.size(); a-- > 0;) {
      ExprRef digit = rest;
      if (a > 0) {
        ExprRef divisor = makeCast(extent(a), Type::U32, at);
        ExprRef quotient =
            asConst(*divisor) ? nullptr : makeQuotient(draft, rest, extentAtLaunch(a), at);
        if (!quotient)
          quotient = makeBinary(BinaryOp::CDiv, rest, divisor, Type::U32, at);
        rest = read(keep("rest", out, std::move(quotient)));
        digit = makeBinary(BinaryOp::Sub, digit,
                           makeBinary(BinaryOp::Mul, rest, divisor, Type::U32, at), Type::U32, at);
      }
      ExprRef index = integer(BinaryOp::Add, makeCast(digit, Type::I32, at), integer(leasts[a]));
      place[a] = keep("place", out, std::move(index));
    }
  }
  /// The iteration that adds to the thread's element at this offset: its number along an axis.
  ExprRef roundOf(size_t axis, Exact offset) const {
    return integer(BinaryOp::Sub, read(place[axis]), integer(offset));
  }
  ExprRef indexOf(size_t axis, Exact offset) const {
    return integer(BinaryOp::Add, roundOf(axis, offset), share(*axes[axis].begin));
  }

  /// Appends what an iteration adds.
  void iteration(const Offsets &offsets, const std::set<Stmt *> &needed, Block &out) {
    ExprRef isThere;
    const auto also = [&](BinaryOp op, ExprRef a, ExprRef b) {
      ExprRef test = makeBinary(op, std::move(a), std::move(b), Type::Bool, at);
      isThere =
          isThere ? makeBinary(BinaryOp::And, isThere, std::move(test), Type::Bool, at) : test;
    };
    for (size_t a = 0; a < axes.size(); ++a) {
      if (offsets[a] != leasts[a])
        also(BinaryOp::Ge, roundOf(a, offsets[a]), integer(0));
      if (offsets[a] != leasts[a] + spans[a])
        also(BinaryOp::Lt, roundOf(a, offsets[a]), counts[a]);
    }
    Versions locals;
    Block body;
    for (size_t a = 0; a < axes.size(); ++a)
      locals[axes[a].local] = keep("i", body, indexOf(a, offsets[a]));
    copy(code, offsets, needed, locals, body);
    out.push_back({at, If{take(isThere), std::move(body), {}}});
  }
  void copy(Block &from, const Offsets &offsets, const std::set<Stmt *> &needed, Versions &locals,
            Block &to) {
    for (Stmt &stmt : from) {
      if (!needed.contains(&stmt))
        continue;
      if (auto *branch = std::get_if<If>(&stmt.node)) {
        Block then, otherwise;
        ExprPtr condition = renamed(*branch->condition, locals);
        copy(branch->then, offsets, needed, locals, then);
        copy(branch->otherwise, offsets, needed, locals, otherwise);
        to.push_back({stmt.at, If{std::move(condition), std::move(then), std::move(otherwise)}});
      } else if (auto *assign = std::get_if<Assign>(&stmt.node)) {
        ExprPtr value = renamed(*assign->value, locals);
        const auto [local, isNew] =
            locals.try_emplace(assign->local, unsigned(draft.locals.size()));
        if (isNew)
          draft.locals.push_back(Local(draft.locals[assign->local]));
        to.push_back({stmt.at, Assign{local->second, std::move(value)}});
      } else if (const Atomic *atomic = additionOf(stmt)) {
        const auto site = std::find_if(family.begin(), family.end(), [&](const Site &each) {
          return each.atomic == atomic && each.offsets == offsets;
        });
        const unsigned sum = totals.at(site->element.component).first;
        ExprRef more = share(*renamed(*atomic->value, locals));
        ExprRef both = makeBinary(BinaryOp::Add, read(sum), more, more->type, at);
        to.push_back({stmt.at, Assign{sum, take(both)}});
        to.push_back({stmt.at, Assign{isReached, take(makeBool(true, at))}});
      }
    }
  }
  /// The position of the thread's element, as the site has it.
  ExprRef placeOf(const Site &site) const { return substituted(*site.atomic->index, site); }
  ExprRef substituted(const Expr &expr, const Site &site) const {
    if (auto *local = std::get_if<LocalRead>(&expr.node)) {
      for (size_t a = 0; a < axes.size(); ++a)
        if (axes[a].local == local->local)
          return indexOf(a, site.offsets[a]);
      return substituted(grid.resolve(expr), site);
    }
    ExprRef copy = share(expr);
    forEachOperand(
        *copy, [&](Expr &operand) { operand = std::move(*take(substituted(operand, site))); },
        [](Block &) {});
    return copy;
  }

  const DraftTask &of;
  Block &code;
  const std::vector<Axis> &axes;
  const Family &family;
  Draft &draft;
  const Loc at;
  const Grid &grid;
  std::vector<Exact> leasts, spans; ///< the offsets' along each axis
  std::vector<ExprRef> counts;      ///< the iterations along each axis
  std::vector<unsigned> place;      ///< locals: the element's index along each axis
  std::map<Exact, std::pair<unsigned, const Site *>> totals; ///< locals by components
  unsigned isReached = 0;
};

/// True if the position is made of the axes' locals, and of what launches know.
bool isOfAxes(const Expr &expr, const Iteration &iteration, const Grid &grid) {
  if (auto *read = std::get_if<LocalRead>(&expr.node)) {
    const Expr &value = grid.resolve(expr);
    return iteration.isAxis(read->local) || (&value != &expr && isOfAxes(value, iteration, grid));
  }
  bool all = std::holds_alternative<Const>(expr.node) ||
             std::holds_alternative<ParamRead>(expr.node) ||
             std::holds_alternative<Binary>(expr.node) || std::holds_alternative<Cast>(expr.node);
  forEachOperand(expr,
                 [&](const Expr &operand) { all = all && isOfAxes(operand, iteration, grid); });
  return all;
}

/// Returns the distances of an element from the indices of the iteration; absent: they are not
/// constant.
std::optional<Offsets> offsetsOf(const Element &element, size_t axes) {
  Offsets offsets(axes, 0);
  std::vector<bool> found(axes);
  for (const Index &index : element.indices) {
    if (index.axis && (*index.axis >= axes || index.scale != 1 || found[*index.axis]))
      return std::nullopt;
    if (index.other && !isOfLaunch(*index.other))
      return std::nullopt;
    if (index.axis) {
      offsets[*index.axis] = index.offset;
      found[*index.axis] = true;
    }
  }
  const bool isFar = std::any_of(offsets.begin(), offsets.end(),
                                 [](Exact offset) { return offset < -64 || offset > 64; });
  return isFar || std::find(found.begin(), found.end(), false) != found.end()
             ? std::nullopt
             : std::optional(offsets);
}

/// True if the elements differ in their distances and components at most.
bool areAlike(const Grid &grid, const Element &a, const Element &b) {
  return grid.haveSameShape(a, b) && a.indices.size() == b.indices.size() &&
         std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(),
                    [](const Index &one, const Index &other) {
                      if (one.other || other.other)
                        return one.other && other.other &&
                               Grid::isSameValue(*one.other, *other.other);
                      return one.axis == other.axis && (one.axis || one.offset == other.offset);
                    });
}

/// True for the test whether there is an iteration with the number of the thread.
bool isOfGrid(const Expr &condition, const Grid &grid, size_t axes) {
  auto *test = std::get_if<Binary>(&grid.resolve(condition).node);
  const auto number = test && test->op == BinaryOp::Lt ? grid.elementOf(*test->lhs) : std::nullopt;
  return number && number->indices.size() == 1 && number->indices[0].axis == axes &&
         number->indices[0].scale == 1 && number->indices[0].offset == 0;
}

/// The code of one iteration: what the threads of a grid run if theirs is one. A grid whose
/// iterations fill its blocks has no such test.
Block &codeOf(Block &body, const Grid &grid, size_t axes) {
  auto *guard = body.empty() ? nullptr : std::get_if<If>(&body.back().node);
  const bool isGuarded =
      guard && guard->otherwise.empty() && isOfGrid(*guard->condition, grid, axes) &&
      std::all_of(body.begin(), body.end() - 1,
                  [](const Stmt &stmt) { return std::holds_alternative<Assign>(stmt.node); });
  return isGuarded ? guard->then : body;
}

void erase(Block &code, const std::set<const Atomic *> &additions) {
  std::erase_if(code, [&](Stmt &stmt) {
    forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { erase(inside, additions); });
    return additions.contains(additionOf(stmt));
  });
}

} // namespace

std::vector<DraftTask> gatherSums(DraftTask &task, const std::vector<Axis> &axes, Draft &draft) {
  std::vector<DraftTask> gathering;
  const bool isPlain = std::all_of(axes.begin(), axes.end(), [&](const Axis &axis) {
    return axis.step == 1 && draft.locals[axis.local].type == Type::I32 &&
           isOfLaunch(*axis.begin) && isOfLaunch(*axis.extent);
  });
  if (axes.empty() || !isPlain || hasWaits(task.task.body))
    return gathering;
  std::vector<unsigned> locals;
  for (const Axis &axis : axes)
    locals.push_back(axis.local);
  const Grid grid(task.task.body, locals);
  Block &code = codeOf(task.task.body, grid, axes.size());
  Iteration iteration(code, axes, grid);
  const Indices indices({&task.task.body});
  std::map<Array, std::vector<Family>> families;
  forEachStatement(code, [&](Stmt &stmt) {
    const Atomic *atomic = additionOf(stmt);
    const auto element = atomic ? grid.elementOf(*atomic->index) : std::nullopt;
    const auto offsets = element ? offsetsOf(*element, axes.size()) : std::nullopt;
    if (!offsets || !isOfAxes(*atomic->index, iteration, grid))
      return;
    std::vector<Family> &all = families[keyOf(atomic->buffer)];
    auto family = std::find_if(all.begin(), all.end(), [&](const Family &each) {
      return areAlike(grid, each[0].element, *element) &&
             each[0].atomic->value->type == atomic->value->type;
    });
    if (family == all.end())
      family = all.insert(family, Family());
    family->push_back({atomic, *element, *offsets});
  });
  std::set<const Atomic *> taken;
  for (const auto &[array, all] : families)
    for (const Family &family : all) {
      std::map<Offsets, std::set<const Atomic *>> additions;
      for (const Site &site : family)
        additions[site.offsets].insert(site.atomic);
      std::map<Offsets, std::set<Stmt *>> needed;
      bool isSmall = additions.size() > 1 && additions.size() <= mostOffsets &&
                     iteration.leaves(array, family, indices);
      for (const auto &[offsets, those] : additions) {
        isSmall = isSmall && iteration.needs(those, indices, needed[offsets]);
        unsigned nodes = 0;
        for (Stmt *stmt : needed[offsets])
          forEachOperand(
              *stmt, [&](Expr &expr) { nodes += sizeOf(expr, mostNodes); }, [](Block &) {});
        isSmall = isSmall && nodes < mostNodes;
      }
      if (!isSmall)
        continue;
      Gatherer gatherer(task, code, axes, family, grid, draft);
      if (!isLaunchable(gatherer.launch()))
        continue;
      gathering.push_back(gatherer.write(needed));
      for (const Site &site : family)
        taken.insert(site.atomic);
    }
  erase(code, taken);
  return gathering;
}

} // namespace sextant::gradients

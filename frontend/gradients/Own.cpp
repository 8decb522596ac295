// Finds arrays whose elements each belong to one thread.
#include "frontend/gradients/Own.h"
#include "frontend/gradients/Grid.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>

namespace sextant::gradients {

using namespace hir;

namespace {

/// The accesses of a task to an array.
using Elements = std::vector<std::optional<Element>>;

/// True if all accesses have an index of this axis at one place, so that threads with different
/// ones access different elements.
bool areApartBy(unsigned axis, const Elements &all) {
  for (size_t k = 0; k < all[0]->indices.size(); ++k) {
    const Index &first = all[0]->indices[k];
    Exact least = first.offset, most = first.offset;
    const bool isOfAxis = std::all_of(all.begin(), all.end(), [&](const auto &each) {
      const Index &index = each->indices[k];
      least = std::min(least, index.offset), most = std::max(most, index.offset);
      return index.axis == axis && index.scale == first.scale;
    });
    if (isOfAxis && most - least < (first.scale < 0 ? -first.scale : first.scale))
      return true;
  }
  return false;
}

bool areOwn(const Grid &grid, const std::vector<Axis> &axes, const Elements &all) {
  for (const auto &each : all)
    if (!each || !grid.haveSameShape(*each, *all[0]))
      return false;
  if (areApartBy(unsigned(axes.size()), all)) // the number of the thread tells
    return true;
  return !axes.empty() && std::all_of(axes.begin(), axes.end(), [&](const Axis &axis) {
    Exact extent = 0;
    return (constInt(*axis.extent, extent) && extent == 1) ||
           areApartBy(unsigned(&axis - axes.data()), all);
  });
}

} // namespace

std::set<Array> ownGradients(DraftTask &task, const Activity &activity) {
  std::vector<unsigned> locals;
  for (const Axis &axis : task.axes)
    locals.push_back(axis.local);
  const Grid grid(task.task.body, locals);
  std::map<Array, Elements> accesses; // keys: gradients
  const auto access = [&](const BufferRef &buffer, const Expr &index) {
    const auto gradient = activity.gradients.find(keyOf(buffer));
    if (gradient != activity.gradients.end())
      accesses[keyOf(gradient->second)].push_back(grid.elementOf(index));
  };
  forEachStatement(task.task.body, [&](Stmt &stmt) {
    if (auto *store = std::get_if<Store>(&stmt.node))
      access(store->buffer, *store->index);
    forEachExpr(stmt, [&](Expr &expr) {
      if (auto *load = std::get_if<Load>(&expr.node))
        access(load->buffer, *load->index);
      else if (auto *atomic = std::get_if<Atomic>(&expr.node))
        access(atomic->buffer, *atomic->index);
      else if (auto *cas = std::get_if<AtomicCas>(&expr.node))
        access(cas->buffer, *cas->index);
    });
  });
  std::set<Array> own;
  for (const auto &[gradient, all] : accesses)
    if (areOwn(grid, task.axes, all))
      own.insert(gradient);
  return own;
}

} // namespace sextant::gradients

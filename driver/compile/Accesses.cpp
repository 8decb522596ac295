// Finds the accesses in the code of kernels.
#include "driver/compile/Accesses.h"
#include "frontend/hir/Fields.h"
#include "loader/abi/BlockLayout.h"

namespace sextant {
namespace {

/// Visits each node of a kernel that accesses memory.
template <class Visit> class Walk {
public:
  explicit Walk(const Visit &visit) : visit(visit) {}
  void code(const hir::Expr &expr) const { ofNode(expr.node); }
  void code(const hir::Stmt &stmt) const { ofNode(stmt.node); }
  void code(const hir::ExprPtr &expr) const { code(*expr); }
  template <class T> void code(const std::vector<T> &list) const {
    for (const T &each : list)
      code(each);
  }
  template <class T> void code(const std::optional<T> &value) const {
    if (value)
      code(*value);
  }
  template <class T> void code(const T &) const {} // not code

private:
  template <class Node> void ofNode(const Node &any) const {
    std::visit(
        [this](const auto &node) {
          if constexpr (requires { node.buffer; })
            visit(node);
          std::apply([&](const auto &...members) { (this->code(members), ...); },
                     hir::fields(node));
        },
        any);
  }
  const Visit &visit;
};

} // namespace

void Accesses::add(const hir::Kernel &kernel, size_t source) {
  if (kernel.name.ends_with(".grad"))
    withGradients.insert(source);
  // The memory that each parameter of tasks is the address of.
  std::vector<Memory> ofParams;
  for (const hir::Argument &argument : kernel.arguments) {
    std::vector<abi::Param> entries;
    abi::addEntries(argument, entries);
    ofParams.resize(ofParams.size() + entries.size());
    if (argument.kind == hir::Argument::Array)
      ofParams[ofParams.size() - entries.size()] = {"array", argument.name};
  }
  for (const hir::HiddenBuffer &hidden : kernel.hidden)
    ofParams.push_back(hidden.role == hir::HiddenBuffer::Field ? Memory("field", hidden.name)
                                                               : Memory());
  std::map<Memory, Access> &accesses = kernels[{source, kernel.instance}];
  const auto note = [&]<class Node>(const Node &node) {
    if (node.buffer.kind != hir::BufferRef::Param || ofParams[node.buffer.index].first.empty())
      return;
    Access &access = accesses[ofParams[node.buffer.index]];
    access.isRead |= !std::is_same_v<Node, hir::Store>;
    access.isWritten |= !std::is_same_v<Node, hir::Load>;
  };
  for (const hir::Task &task : kernel.tasks)
    Walk(note).code(task.body);
}

std::string Accesses::text() const {
  std::set<std::string> lines; // sorted, as those of merged modules are
  for (const auto &[key, accesses] : kernels) {
    const auto &[source, kernel] = key;
    if (!withGradients.contains(source))
      continue;
    lines.insert(kernel); // known also if it accesses nothing
    for (const auto &[memory, access] : accesses) {
      const std::string ending = "\t" + memory.first + "\t" + memory.second;
      if (access.isRead)
        lines.insert(kernel + "\treads" + ending);
      if (access.isWritten)
        lines.insert(kernel + "\twrites" + ending);
    }
  }
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

} // namespace sextant

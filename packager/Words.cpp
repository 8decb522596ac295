#include "packager/Words.h"
#include "loader/abi/Schedule.h"
#include "loader/abi/Structure.h"
#include "loader/format/Text.h"

#include <algorithm>

namespace sextant::packager {

using namespace module;

std::string hex(std::span<const uint8_t> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes)
    text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

std::string hex(uint64_t value) {
  std::array<uint8_t, 8> bytes{};
  for (unsigned i = 0; i < 8; ++i)
    bytes[i] = static_cast<uint8_t>(value >> (56 - 8 * i));
  return hex(bytes);
}

namespace {
std::string sideText(unsigned rows, unsigned cols) {
  return std::to_string(rows) + (cols == 1 ? "" : "x" + std::to_string(cols));
}
} // namespace

static std::string nameOfStructure(const std::string &structure) {
  return printable(structure.substr(0, structure.find('{')));
}

static void addMembers(const abi::Structure &type, const std::string &path, uint64_t offset,
                       std::string &text) {
  const abi::StructureLayout layout = abi::layoutOf(type);
  for (size_t k = 0; k < type.members.size(); ++k) {
    const abi::StructureMember &member = type.members[k];
    const std::string name = path + member.name;
    const uint64_t at = offset + layout.offsets[k];
    if (!member.inner.empty()) {
      addMembers(member.inner.front(), name + ".", at, text);
      continue;
    }
    text += (text.ends_with(":") ? " " : ", ") + name + " " + std::string(nameOf(member.dtype));
    if (member.rows * member.cols != 1)
      text += " of " + sideText(member.rows, member.cols);
    text += " at " + std::to_string(at);
  }
}

std::string structureText(const std::string &structure) {
  const std::optional<abi::Structure> type = abi::structureOf(structure);
  if (!type)
    return printable(structure);
  std::string text = type->name + ", " + std::to_string(abi::layoutOf(*type).size) + " bytes:";
  addMembers(*type, "", 0, text);
  return printable(text);
}

std::string typeText(const Argument &argument) {
  std::string text(argument.structure.empty() ? nameOf(argument.dtype)
                                              : nameOfStructure(argument.structure));
  if (argument.kind == Argument::Array) {
    text += "[";
    for (unsigned dim = 0; dim < argument.ndim; ++dim)
      text += dim == 0 ? ":" : ", :";
    text += "]";
    if (argument.structure.empty() && argument.rows * argument.cols != 1)
      text += " of " + sideText(argument.rows, argument.cols);
  } else if (argument.kind == Argument::Matrix) {
    text += " " + sideText(argument.rows, argument.cols);
  }
  return text;
}

std::string typeText(DType dtype, std::span<const int64_t> shape, unsigned rows, unsigned cols) {
  std::string text(nameOf(dtype));
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i == 0 ? "[" : ", ") + std::to_string(shape[i]);
  if (!shape.empty())
    text += "]";
  if (rows * cols != 1)
    text += (shape.empty() ? " " : " of ") + sideText(rows, cols);
  return text;
}

std::string signatureText(const Kernel &kernel) {
  std::string text = kernel.instance + "(";
  for (const Argument &argument : kernel.arguments)
    text += (&argument == kernel.arguments.data() ? "" : ", ") + argument.name + ": " +
            typeText(argument);
  text += ")";
  std::string returns;
  if (!kernel.plans.empty())
    for (const Hidden &buffer : kernel.plans.front().hidden)
      if (buffer.role == Hidden::Return)
        returns += (returns.empty() ? "" : ", ") +
                   typeText(buffer.dtype, buffer.shape, buffer.rows, buffer.cols);
  return returns.empty() ? text : text + " -> " + returns;
}

LaunchWords::LaunchWords(const Kernel &kernel)
    : kernel(kernel), layout(layoutOf(kernel.arguments, {})) {}

std::string LaunchWords::param(int64_t number) const {
  // Finds the last argument that begins at or before it.
  const auto after = std::upper_bound(layout.firstParam.begin(), layout.firstParam.end(), number);
  if (after == layout.firstParam.begin() || number >= int64_t(layout.params.size()))
    return "param " + std::to_string(number);
  const int64_t first = *(after - 1);
  const Argument &argument =
      kernel.arguments[static_cast<size_t>(after - 1 - layout.firstParam.begin())];
  if (argument.kind == Argument::Array)
    return argument.name + ".shape[" + std::to_string(number - first - 1) + "]";
  if (argument.kind == Argument::Scalar)
    return argument.name;
  return argument.name + "[" + std::to_string((number - first) / argument.cols) + ", " +
         std::to_string((number - first) % argument.cols) + "]";
}

std::string LaunchWords::iterations(const LaunchExpr &expr) const {
  // Terms are copied into larger ones, so the time grows with the square of the steps.
  constexpr size_t maxSteps = 256, maxText = 1024;
  std::string tooLong = "an expression of " + std::to_string(expr.items.size()) + " steps";
  if (expr.items.size() > maxSteps)
    return tooLong;
  struct Term {
    std::string text;
    bool isAtom = true;
  };
  std::vector<Term> stack;
  auto pop = [&](bool atom) {
    if (stack.empty())
      return std::string("?");
    Term term = std::move(stack.back());
    stack.pop_back();
    return atom && !term.isAtom ? "(" + term.text + ")" : term.text;
  };
  for (const LaunchExpr::Item &item : expr.items) {
    switch (item.op) {
    case LaunchExpr::Constant:
      stack.push_back({std::to_string(item.value), item.value >= 0});
      continue;
    case LaunchExpr::Param:
      stack.push_back({param(item.value)});
      continue;
    case LaunchExpr::Neg:
      stack.push_back({"-" + pop(true), false});
      continue;
    default:
      break;
    }
    const bool isCall = item.op == LaunchExpr::Min || item.op == LaunchExpr::Max;
    const std::string rhs = pop(!isCall), lhs = pop(!isCall);
    const char *name = item.op == LaunchExpr::Add        ? " + "
                       : item.op == LaunchExpr::Sub      ? " - "
                       : item.op == LaunchExpr::Mul      ? " * "
                       : item.op == LaunchExpr::FloorDiv ? " // "
                       : item.op == LaunchExpr::Mod      ? " % "
                       : item.op == LaunchExpr::Min      ? "min"
                                                         : "max";
    if (isCall)
      stack.push_back({name + ("(" + lhs + ", " + rhs + ")")});
    else
      stack.push_back({lhs + name + rhs, false});
  }
  const std::string text = pop(false);
  return text.size() > maxText ? tooLong : text;
}

std::string LaunchWords::task(const Task &task) const {
  if (task.serial)
    return "serial";
  std::string text = std::to_string(task.blockDim) + " threads a block, ";
  text +=
      task.iterations ? iterations(*task.iterations) + " iterations" : std::string("grid-stride");
  if (task.fullBlocks)
    text += ", full blocks";
  return task.waits ? text + ", blocks wait" : text;
}

std::string LaunchWords::schedule(const module::Hidden &buffer) const {
  std::vector<abi::Span> spans;
  std::string text;
  if (abi::readSchedule(buffer.name, UINT32_MAX, spans))
    for (const abi::Span &span : spans) {
      constexpr const char *kinds[] = {"", "loop", "checkpoint", "parallel sections", "section"};
      text += (text.empty() ? "" : "; ") + std::string(kinds[span.kind]);
      if (span.kind == abi::Span::Checkpoint)
        text += " " + std::to_string(span.label);
      text += span.end - span.begin == 1
                  ? ": task " + std::to_string(span.begin)
                  : ": tasks " + std::to_string(span.begin) + " to " + std::to_string(span.end - 1);
    }
  return text;
}

std::string tableText(const std::vector<std::vector<std::string>> &rows,
                      const std::vector<bool> &right, std::string_view indent) {
  constexpr size_t maxWidth = 120; // a longer text moves its own row, not all others
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i)
        widths.push_back(0);
      if (row[i].size() <= maxWidth)
        widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto &row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - std::min(widths[i], row[i].size()), ' ');
      const bool isRight = i < right.size() && right[i];
      line += (i == 0 ? "" : "  ") + (isRight ? gap + row[i] : row[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace sextant::packager

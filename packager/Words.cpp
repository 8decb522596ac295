#include "packager/Words.h"
#include "loader/abi/Schedule.h"
#include "loader/abi/Structure.h"
#include "loader/format/Text.h"
#include "packager/LaunchText.h"

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

std::string LaunchWords::iterations(const LaunchExpr &expr, bool isExact) const {
  // Sums are compared by text, so the time grows with the square of the steps.
  constexpr size_t maxSteps = 256, maxText = 1024;
  std::string tooLong = "an expression of " + std::to_string(expr.items.size()) + " steps";
  if (expr.items.size() > maxSteps)
    return tooLong;
  const LaunchText text = launchText(expr, [this](int64_t number) { return param(number); });
  const std::string &wanted = isExact ? text.exact : text.count;
  return wanted.size() > maxText ? tooLong : wanted;
}

std::string LaunchWords::task(const Task &task) const {
  if (task.serial)
    return "serial";
  std::string text = std::to_string(task.blockDim) + " threads a block, ";
  text += task.iterations ? iterations(*task.iterations, false) + " iterations"
                          : std::string("grid-stride");
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

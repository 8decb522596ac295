#include "packager/Words.h"

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

std::string typeText(const Argument &argument) {
  std::string text(nameOf(argument.dtype));
  if (argument.kind == Argument::Array) {
    text += "[:";
    for (unsigned dim = 1; dim < argument.ndim; ++dim)
      text += ", :";
    text += "]";
    if (argument.rows * argument.cols != 1)
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

std::string launchText(const LaunchExpr &expr, const Kernel &kernel, const Plan &plan) {
  const BlockLayout layout = layoutOf(kernel.arguments, plan.hidden);
  auto paramText = [&](int64_t param) -> std::string {
    for (size_t i = kernel.arguments.size(); i-- > 0;) {
      const Argument &argument = kernel.arguments[i];
      const int64_t first = layout.firstParam[i];
      if (param < first)
        continue;
      if (argument.kind == Argument::Array)
        return argument.name + ".shape[" + std::to_string(param - first - 1) + "]";
      if (argument.kind == Argument::Scalar)
        return argument.name;
      return argument.name + "[" + std::to_string((param - first) / argument.cols) + ", " +
             std::to_string((param - first) % argument.cols) + "]";
    }
    return "param " + std::to_string(param);
  };
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
      stack.push_back({paramText(item.value)});
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
  return pop(false);
}

std::string taskText(const Task &task, const Kernel &kernel, const Plan &plan) {
  if (task.serial)
    return "serial";
  std::string text = std::to_string(task.blockDim) + " threads a block, ";
  text += task.iterations ? launchText(*task.iterations, kernel, plan) + " iterations"
                          : std::string("grid-stride");
  return task.fullBlocks ? text + ", full blocks" : text;
}

std::string tableText(const std::vector<std::vector<std::string>> &rows,
                      const std::vector<bool> &right, std::string_view indent) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i)
        widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto &row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      const bool isRight = i < right.size() && right[i];
      line += (i == 0 ? "" : "  ") + (isRight ? gap + row[i] : row[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace sextant::packager

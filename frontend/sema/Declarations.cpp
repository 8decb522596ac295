#include "frontend/sema/Declarations.h"

#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Names.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace sextant::sema {

bool isAboutOperands(Problem problem) {
  switch (problem) {
  case Problem::ArgumentDimensionsDiffer:
  case Problem::ArgumentNotNdarray:
  case Problem::ArgumentNotOfStruct:
  case Problem::BitCastWidthsDiffer:
  case Problem::ComponentIndexCountWrong:
  case Problem::ConditionalSidesDiffer:
  case Problem::CopyOfOtherType:
  case Problem::CrossSizeWrong:
  case Problem::ElementAnnotatedDifferently:
  case Problem::IndexOfScalarElement:
  case Problem::IndexOutsideExtent:
  case Problem::IndexOutsideVector:
  case Problem::IntegersNeeded:
  case Problem::LogicMixesScalarsAndVectors:
  case Problem::MatrixNeeded:
  case Problem::MatrixProductShapes:
  case Problem::NoArithmetic:
  case Problem::NotComparable:
  case Problem::NotIndexable:
  case Problem::NotOrderable:
  case Problem::NotUnpackable:
  case Problem::NumberNeeded:
  case Problem::OperatorNotTaken:
  case Problem::ReturnAnnotatedDifferently:
  case Problem::SelectShapesDiffer:
  case Problem::ShapeNotFitting:
  case Problem::ShapesDiffer:
  case Problem::TraceOfNoSquare:
  case Problem::TruthOfVector:
  case Problem::TupleTypeFixed:
  case Problem::UnpackCountWrong:
  case Problem::ValueNotOfStruct:
  case Problem::VariableTypeFixed:
  case Problem::VectorIndexCountWrong:
  case Problem::VectorNeeded:
    return true;
  default:
    return false;
  }
}

namespace {

bool isLetter(char c) { return std::isalnum((unsigned char)c) || c == '_' || (c & 0x80); }

/// A name that stands for a variable, and its first byte.
struct Use {
  std::string_view name;
  uint32_t at;
};

/// Calls `visit` with each character that is not in a string or comment, and the open brackets
/// before it: true for one whose content is an index. `visit` may move on.
void walk(
    const SourceFile &file, uint32_t begin, uint32_t end,
    const std::function<void(uint32_t &i, const std::vector<bool> &open, char before)> &visit) {
  const std::string_view text = file.text();
  std::vector<bool> open;
  char before = 0; // the last character that is not a blank
  for (uint32_t i = begin; i < end; ++i) {
    const char c = text[i];
    if (c == '#')
      while (i + 1 < end && text[i + 1] != '\n')
        ++i;
    else if (c == '"' || c == '\'')
      i = uint32_t(std::min<size_t>(text.find(c, i + 1), end - 1));
    else if (c == '(' || c == '[' || c == '{')
      open.push_back(c == '[' && (isLetter(before) || before == ')' || before == ']'));
    else if ((c == ')' || c == ']' || c == '}') && !open.empty())
      open.pop_back();
    else
      visit(i, open, before);
    if (text[i] != ' ' && text[i] != '\t')
      before = text[i];
  }
}

/// The names in a text that are neither called, nor members, nor indices.
std::vector<Use> usesIn(const SourceFile &file, uint32_t begin, uint32_t end) {
  const std::string_view text = file.text();
  std::vector<Use> uses;
  walk(file, begin, end, [&](uint32_t &i, const std::vector<bool> &open, char before) {
    if (!isLetter(text[i]))
      return;
    uint32_t last = i;
    while (last < end && isLetter(text[last]))
      ++last;
    const size_t next = text.find_first_not_of(" \t", last);
    const bool isCalled = next < text.size() && (text[next] == '(' || text[next] == '.');
    if (before != '.' && !isCalled && std::find(open.begin(), open.end(), true) == open.end())
      uses.push_back({text.substr(i, last - i), i});
    i = last - 1;
  });
  return uses;
}

std::string declared(std::string_view name, const Value &value) {
  std::string text = "`" + std::string(name) + "` is declared here";
  if (value.kind == Value::Matrix)
    return text + ": " + std::to_string(value.rows) + "x" + std::to_string(value.cols);
  if (value.kind == Value::Array) {
    const size_t axes = value.array->shape.size();
    const ElementType &element = value.array->element;
    return text + ": " + std::to_string(axes) + (axes == 1 ? " dimension" : " dimensions") +
           (element.matrix
                ? " of " + std::to_string(element.rows) + "x" + std::to_string(element.cols)
                : "");
  }
  if (value.kind == Value::Scalar)
    return text + ": " + spell(value.scalarType());
  return text;
}

} // namespace

SourceRange assignedValue(SourceRange statement) {
  if (!statement.file)
    return {};
  const std::string_view text = statement.file->text();
  SourceRange value;
  bool isOne = true;
  walk(*statement.file, statement.begin, statement.end,
       [&](uint32_t &i, const std::vector<bool> &open, char before) {
         if (!open.empty() || (text[i] != '=' && text[i] != ',' && text[i] != ':'))
           return;
         isOne &= text[i] == '=' && !value.file && text[i + 1] != '=' &&
                  std::string_view("+-*/%&|^<>!=@").find(before) == std::string_view::npos;
         const size_t first = text.find_first_not_of(" \t", i + 1);
         value = {statement.file, uint32_t(std::min<size_t>(first, statement.end)), statement.end};
       });
  return isOne && value.begin < value.end ? value : SourceRange();
}

std::vector<Label> declarationsIn(Context &cx, SourceRange at) {
  std::vector<Label> labels;
  if (cx.frames.empty() || !at.file || !cx.frame().module || !cx.frame().module->library.empty())
    return labels;
  std::vector<std::string_view> seen;
  for (const Use &use : usesIn(*at.file, at.begin, at.end)) {
    if (std::find(seen.begin(), seen.end(), use.name) != seen.end())
      continue;
    seen.push_back(use.name);
    SourceRange where;
    std::string text;
    if (const VariablePtr variable = findVariable(cx, use.name)) {
      where = variable->at;
      text = declared(use.name, variable->value);
    } else if (const auto found = cx.frame().module->names.find(use.name);
               found != cx.frame().module->names.end() &&
               found->second.kind == Definition::Expression) {
      where = found->second.at;
      text = declared(use.name, found->second.result);
    }
    if (where.file && !(where.file == at.file && where.begin == use.at))
      labels.push_back({where, std::move(text)});
  }
  return labels;
}

} // namespace sextant::sema

#include "driver/commands/HeaderText.h"

#include "loader/format/Text.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace sextant::header {

std::string identifier(const std::string &name, std::set<std::string> &taken) {
  static const std::set<std::string> reserved{
      "alignas",  "alignof",  "and",     "asm",       "auto",   "bool",      "break",    "case",
      "catch",    "char",     "class",   "concept",   "const",  "constexpr", "continue", "default",
      "delete",   "do",       "double",  "else",      "enum",   "explicit",  "export",   "extern",
      "false",    "float",    "for",     "friend",    "goto",   "if",        "inline",   "int",
      "int8_t",   "long",     "mutable", "namespace", "new",    "noexcept",  "not",      "nullptr",
      "operator", "or",       "private", "protected", "public", "register",  "requires", "restrict",
      "return",   "sextant",  "short",   "signed",    "sizeof", "static",    "std",      "struct",
      "switch",   "template", "this",    "throw",     "true",   "try",       "typedef",  "typeid",
      "typename", "typeof",   "union",   "unsigned",  "using",  "virtual",   "void",     "volatile",
      "wchar_t",  "while",    "xor"};
  std::string result;
  for (char letter : name)
    result += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])))
    result.insert(result.begin(), '_');
  const std::string first = result;
  size_t number = taken.size(); // many equal names must not make this quadratic
  while (reserved.count(result) || taken.count(result))
    if (result.size() < first.size() + 4)
      result += '_';
    else
      result = first + "_" + std::to_string(number++);
  taken.insert(result);
  return result;
}

std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool isPlain = byte >= 0x20 && byte < 0x7f && letter != '"' && letter != '\\' &&
                         letter != '?'; // of which two begin a trigraph
    if (isPlain)
      result += letter;
    else // three digits: a fourth is not taken
      result +=
          {'\\', char('0' + (byte >> 6)), char('0' + (byte >> 3 & 7)), char('0' + (byte & 7))};
  }
  return result + "\"";
}

std::string scalarType(module::DType type, Language language) {
  const abi::ScalarFacts &facts = abi::factsOf(type);
  const std::string bits = std::to_string(8 * facts.bytes);
  switch (facts.kind) {
  case abi::ScalarKind::Truth:
    return "bool";
  case abi::ScalarKind::Signed:
    return "int" + bits + "_t";
  case abi::ScalarKind::Unsigned:
    return "uint" + bits + "_t";
  case abi::ScalarKind::Real:
    break;
  }
  if (facts.bytes > 2)
    return facts.bytes == 4 ? "float" : "double";
  if (language == Language::C)
    return "uint16_t";
  return type == module::DType::F16 ? "sextant::Half" : "sextant::Bfloat16";
}

void comment(std::ostream &out, std::string_view indent, std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string line = module::printable(text.substr(0, end));
    line.erase(line.find_last_not_of(' ') + 1);
    // A backslash, or a trigraph for one, would continue the comment on the next line.
    if (line.ends_with('\\') || line.ends_with("\?\?/"))
      line += '.';
    out << indent << (line.empty() ? "///" : "/// ") << line << "\n";
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
}

std::vector<module::Hidden> resultsOf(const module::Kernel &kernel) {
  std::vector<module::Hidden> results;
  if (!kernel.plans.empty())
    for (const module::Hidden &hidden : kernel.plans.front().hidden)
      if (hidden.role == module::Hidden::Return)
        results.push_back(hidden);
  return results;
}

bool hasCheckpoints(const module::Kernel &kernel) {
  for (const module::Plan &plan : kernel.plans)
    for (const module::Hidden &hidden : plan.hidden)
      if (hidden.role == module::Hidden::Schedule)
        return hidden.name.find("checkpoint ") != std::string::npos;
  return false;
}

std::vector<std::string> fieldNames(const module::ModuleInfo &info) {
  std::map<std::string_view, size_t> counts;
  for (const module::Global &global : info.globals)
    ++counts[global.name];
  std::vector<std::string> names;
  for (const module::Global &global : info.globals)
    names.push_back((counts[global.name] > 1 ? info.sources[global.source].path + ":" : "") +
                    global.name);
  return names;
}

std::string parameterList(const std::string &opening, const std::vector<std::string> &parameters) {
  std::string text, line = opening;
  const std::string indent(opening.size(), ' ');
  for (size_t index = 0; index < parameters.size(); ++index) {
    if (index > 0)
      line += ",";
    if (index > 0 && line.size() + 1 + parameters[index].size() > 90) {
      text += line + "\n";
      line = indent;
    } else if (index > 0) {
      line += " ";
    }
    line += parameters[index];
  }
  return text + line;
}

std::string describe(const KernelText &text) {
  const module::Kernel &kernel = text.kernel;
  return "`" + kernel.instance + "`" +
         (kernel.instance == kernel.name ? "" : ", an instance of `" + kernel.name + "`") +
         (hasCheckpoints(kernel) ? ": launches and waits until it is done, or a checkpoint ends it."
          : text.results.empty() ? ": queues a launch."
                                 : ": launches, waits, gives what it returns.");
}

} // namespace sextant::header

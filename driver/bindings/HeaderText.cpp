#include "driver/bindings/HeaderText.h"

#include "loader/abi/Structure.h"
#include "loader/format/Text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <sstream>

namespace sextant::header {

static std::set<std::string> wordsOf(const char *text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

std::string identifier(const std::string &name, std::set<std::string> &taken) {
  // The words of C and C++ and the names that headers use without std::, then macros that most
  // programs have.
  static const std::set<std::string> reserved =
      wordsOf("alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
              "char16_t char32_t char8_t class co_await co_return co_yield compl concept const "
              "const_cast consteval constexpr constinit continue decltype default defined delete "
              "do double dynamic_cast else enum explicit export extern false float for friend goto "
              "if inline int int16_t int32_t int64_t int8_t long mutable namespace new noexcept "
              "not not_eq nullptr operator or or_eq private protected public register "
              "reinterpret_cast requires restrict return sextant short signed size_t sizeof static "
              "static_assert static_cast std struct switch template this thread_local throw true "
              "try typedef typeid typename typeof typeof_unqual uint16_t uint32_t uint64_t uint8_t "
              "union unsigned using virtual void volatile wchar_t while xor xor_eq "
              "EOF NULL assert atomic_init atomic_load_explicit atomic_store_explicit errno i386 "
              "linux offsetof stderr stdin stdout unix ");
  std::string result;
  for (char letter : name)
    result += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])))
    result.insert(result.begin(), '_');
  const bool isCompilers = result.size() > 1 && result[0] == '_' &&
                           (result[1] == '_' || (result[1] >= 'A' && result[1] <= 'Z'));
  bool isOurs = false;
  for (const char *prefix : {"sxt_", "SXT_", "sextant_", "SEXTANT_", "Any_"})
    isOurs = isOurs || result.starts_with(prefix);
  if (isCompilers || isOurs)
    result.insert(result.begin(), 'x');
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

namespace {

void addMembers(const abi::Structure &type, std::set<std::string> &raw) {
  raw.insert(type.name);
  for (const abi::StructureMember &member : type.members) {
    raw.insert(member.name);
    for (const abi::Structure &inner : member.inner)
      addMembers(inner, raw);
  }
}

} // namespace

std::set<std::string> namesOf(const std::string &name, const std::vector<module::Kernel> &kernels,
                              const module::ModuleInfo &info) {
  std::set<std::string> raw{name};
  auto addStructure = [&raw](const std::string &text) {
    if (const auto type = text.empty() ? std::nullopt : abi::structureOf(text))
      addMembers(*type, raw);
  };
  for (const module::Kernel &kernel : kernels) {
    raw.insert(kernel.instance);
    for (const module::Argument &argument : kernel.arguments) {
      addStructure(argument.structure);
      raw.insert(argument.name);
      std::istringstream path(argument.name);
      for (std::string part; std::getline(path, part, '.');)
        raw.insert(part);
    }
  }
  for (const module::Global &global : info.globals) {
    raw.insert(global.name);
    addStructure(global.structure);
  }
  std::set<std::string> names;
  for (const std::string &one : raw) {
    std::set<std::string> taken;
    names.insert(identifier(one, taken));
  }
  return names;
}

std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool isPlain = byte >= 0x20 && byte < 0x7f && letter != '"' && letter != '\\' &&
                         letter != '?'; // two of them begin a trigraph
    if (isPlain)
      result += letter;
    else // three digits: a fourth is not taken
      result +=
          {'\\', char('0' + (byte >> 6)), char('0' + (byte >> 3 & 7)), char('0' + (byte & 7))};
  }
  return result + "\"";
}

std::string scalarType(module::DType type, Language language) {
  static constexpr const char *namesInCpp[] = {
      "",
#define SCALAR_TYPE(NAME, NUMBER, SHORT, LONG, KIND, BYTES, DIGITS, CPP, ...) CPP,
#include "loader/abi/ScalarTypes.def"
  };
  const abi::ScalarFacts &facts = abi::factsOf(type);
  if (language == Language::C && facts.kind == abi::ScalarKind::Real && facts.bytes < 4)
    return "uint" + std::to_string(8 * facts.bytes) + "_t"; // C has no type for small reals
  return namesInCpp[size_t(type)];
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

// One table of keys, each with the member that it sets. toml++ parses the TOML.
#include "driver/commands/Manifest.h"
#include "packager/Sizes.h"

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <tuple>

namespace sextant {
namespace {

/// The current manifest, for messages.
struct File {
  std::string path;

  [[noreturn]] void refuse(const toml::source_region &at, const std::string &message,
                           const std::string &fix = {}) const {
    throw Refusal(Problem::ManifestWrong,
                  path + ":" + std::to_string(at.begin.line) + ":" +
                      std::to_string(at.begin.column) + ": " + message,
                  fix);
  }
};

/// A value of the manifest, with a description of what it should be.
struct Value {
  const File &file;
  const std::string &key;
  const toml::node &node;

  [[noreturn]] void mismatch(const std::string &wanted) const {
    file.refuse(node.source(), "'" + key + "' is not " + wanted);
  }
  std::string text() const {
    std::optional<std::string> value = node.value_exact<std::string>();
    if (!value)
      mismatch("a string");
    return *value;
  }
  bool truth() const {
    std::optional<bool> value = node.value_exact<bool>();
    if (!value)
      mismatch("true or false");
    return *value;
  }
  int64_t level() const {
    std::optional<int64_t> value = node.value_exact<int64_t>();
    if (!value || *value < 0 || *value > 3)
      mismatch("an integer from 0 to 3");
    return *value;
  }
  std::vector<std::string> texts() const {
    const toml::array *array = node.as_array();
    if (!array)
      mismatch("a list of strings");
    std::vector<std::string> values;
    for (const toml::node &item : *array)
      values.push_back(Value{file, key, item}.text());
    return values;
  }
  packager::Compression compression() const {
    const auto &names = packager::compressionNames;
    auto known = std::find(names.begin(), names.end(), text());
    if (known == names.end())
      mismatch("none, fast, balanced or small");
    return static_cast<packager::Compression>(known - names.begin());
  }
  uint64_t byteCount() const {
    if (const auto number = node.value_exact<int64_t>(); number && *number >= 0)
      return static_cast<uint64_t>(*number);
    const auto written = node.value_exact<std::string>();
    const auto bytes = written ? packager::parseByteCount(*written) : std::nullopt;
    if (!bytes)
      mismatch("a size such as 65536, \"400KB\" or \"25MB\"");
    return *bytes;
  }
  /// Turns `{ "scene.json" = "out/scene.json" }` into one NAME=FILE for each.
  std::vector<std::string> files() const {
    const toml::table *table = node.as_table();
    if (!table)
      mismatch("a table of files, { NAME = \"FILE\", … }");
    std::vector<std::string> values;
    for (const auto &[name, value] : *table)
      values.push_back(std::string(name.str()) + "=" + Value{file, key, value}.text());
    return values;
  }
  /// Returns a number, a boolean or the text of a value as --const takes it.
  std::string constant(const std::string &name, const toml::node &value) const {
    if (value.is_string())
      return value.ref<std::string>();
    if (value.is_boolean())
      return value.ref<bool>() ? "True" : "False";
    if (!value.is_integer() && !value.is_floating_point())
      file.refuse(value.source(), "constant '" + name + "' is no number, boolean or string");
    std::ostringstream stream;
    stream << toml::node_view<const toml::node>(value);
    return stream.str();
  }
  /// Turns `{ TILE = [64, 128] }` into one NAME=VALUE,VALUE for each.
  std::vector<std::string> alternatives() const {
    const toml::table *table = node.as_table();
    if (!table)
      mismatch("a table of constants and their values, { NAME = [value, …], … }");
    std::vector<std::string> texts;
    for (const auto &[name, values] : *table) {
      const toml::array *array = values.as_array();
      if (!array || array->empty())
        file.refuse(values.source(), "'" + std::string(name.str()) + "' has no list of values",
                    "write " + std::string(name.str()) + " = [64, 128]");
      std::string text = std::string(name.str()) + "=";
      for (const toml::node &value : *array)
        text += (text.back() == '=' ? "" : ",") + constant(std::string(name.str()), value);
      texts.push_back(std::move(text));
    }
    return texts;
  }
  /// Turns `{ TILE = 16, LIMIT = 0.5, NAME = "i32" }` into one NAME=VALUE for each.
  std::vector<std::string> constants() const {
    const toml::table *table = node.as_table();
    if (!table)
      mismatch("a table of constants, { NAME = value, … }");
    std::vector<std::string> values;
    for (const auto &[name, value] : *table)
      values.push_back(std::string(name.str()) + "=" + constant(std::string(name.str()), value));
    return values;
  }
};

struct Key {
  const char *name;
  std::function<void(ManifestModule &, const Value &)> set;
  bool isDefault = true; ///< may stand above the modules too, for all of them
};

const std::vector<Key> &keys() {
  using Module = ManifestModule;
  static const std::vector<Key> table = {
      {"sources", [](Module &to, const Value &value) { to.sources = value.texts(); }, false},
      {"output", [](Module &to, const Value &value) { to.output = value.text(); }, false},
      {"header",
       [](Module &to, const Value &value) {
         if (value.node.is_boolean())
           to.headerBeside = value.truth();
         else
           to.header = value.text();
       },
       false},
      {"embed-symbol", [](Module &to, const Value &value) { to.embedSymbol = value.text(); },
       false},
      {"kernels", [](Module &to, const Value &value) { to.kernels = value.texts(); }, false},
      {"attach", [](Module &to, const Value &value) { to.attachments = value.files(); }, false},
      {"targets", [](Module &to, const Value &value) { to.targets = value.texts(); }},
      {"constants", [](Module &to, const Value &value) { to.constants = value.constants(); }},
      {"tune", [](Module &to, const Value &value) { to.tune = value.alternatives(); }, false},
      {"tune-where", [](Module &to, const Value &value) { to.tuneWhere = value.texts(); }, false},
      {"tune-targets", [](Module &to, const Value &value) { to.tuneTargets = value.texts(); },
       false},
      {"tuning", [](Module &to, const Value &value) { to.tuning = value.text(); }},
      {"opt-level", [](Module &to, const Value &value) { to.optLevel = value.level(); }},
      {"default-fp", [](Module &to, const Value &value) { to.defaultFloat = value.text(); }},
      {"default-ip", [](Module &to, const Value &value) { to.defaultInt = value.text(); }},
      {"assert", [](Module &to, const Value &value) { to.asserts = value.truth(); }},
      {"check", [](Module &to, const Value &value) { to.checks = value.truth(); }},
      {"large-arrays", [](Module &to, const Value &value) { to.largeArrays = value.truth(); }},
      {"fast-math", [](Module &to, const Value &value) { to.fastMath = value.truth(); }},
      {"line-info", [](Module &to, const Value &value) { to.lineInfo = value.truth(); }},
      {"allow-missing", [](Module &to, const Value &value) { to.allowMissing = value.truth(); }},
      {"keep-going", [](Module &to, const Value &value) { to.keepGoing = value.truth(); }},
      {"compress", [](Module &to, const Value &value) { to.compression = value.compression(); }},
      {"max-size", [](Module &to, const Value &value) { to.maxBytes = value.byteCount(); }},
      {"fail-on-spill", [](Module &to, const Value &value) { to.failOnSpill = value.truth(); }},
      {"require", [](Module &to, const Value &value) { to.require = value.texts(); }},
  };
  return table;
}

/// Sets the members that `table` names. Only the manifest itself may have the key `module`.
void apply(const File &file, const toml::table &table, ManifestModule &to, bool isTop) {
  for (const auto &[name, node] : table) {
    std::string text(name.str());
    if (isTop && text == "module")
      continue;
    auto key = std::find_if(keys().begin(), keys().end(),
                            [&](const Key &known) { return known.name == text; });
    if (key == keys().end()) {
      std::vector<std::string> names;
      for (const Key &known : keys())
        names.emplace_back(known.name);
      if (isTop)
        names.emplace_back("module");
      file.refuse(name.source(), "unknown key '" + text + "'", suggestion(text, names));
    }
    if (isTop && !key->isDefault)
      file.refuse(name.source(), "'" + text + "' belongs to one module",
                  "write it below [module.NAME]");
    key->set(to, {file, text, node});
  }
}

/// Skips the string that begins at `at`, and returns the place after it. One that does not end is
/// toml++'s to refuse.
size_t afterString(std::string_view text, size_t at) {
  const char quote = text[at];
  const bool isLong = text.substr(at, 3) == std::string(3, quote);
  const std::string end(isLong ? 3 : 1, quote);
  for (at += end.size(); at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"')
      ++at;
    else if (text.substr(at).starts_with(end)) // a long text may have two more at its end
      return std::min({text.find_first_not_of(quote, at + end.size()), text.size(),
                       at + end.size() + (isLong ? 2 : 0)});
    else if (text[at] == '\n' && !isLong)
      return at;
  }
  return text.size();
}

/// True if a `\` at a line's end continues a text with a character beyond ASCII.
bool continuesBeyondAscii(std::string_view text) {
  for (size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at)) {
    const size_t next = text.find_first_not_of(" \t\r\n", ++at);
    if (next == text.npos)
      return false;
    if (next != at && static_cast<unsigned char>(text[next]) >= 0x80)
      return true;
    at = std::max(next, at + 1);
  }
  return false;
}

/// Refuses what toml++ 3.3 cannot take. Of keys of many parts it makes tables in tables, which it
/// takes apart recursively, to the end of the stack; of values it limits the depth itself. Where it
/// looks for blanks, many characters beyond ASCII are undefined behaviour: outside of texts and
/// comments, where TOML has none, and after a `\` at a line's end.
void checkSyntax(const File &file, std::string_view text) {
  constexpr unsigned most = 64; // `module.NAME.constants.NAME` has four
  unsigned line = 1, parts = 1;
  size_t lineStart = 0;
  const auto refuse = [&](size_t at, const std::string &message, const std::string &fix) {
    file.refuse({{line, static_cast<unsigned>(at - lineStart + 1)}, {}, nullptr}, message, fix);
  };
  for (size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (static_cast<unsigned char>(letter) >= 0x80)
      refuse(at, "a character beyond ASCII is neither in a text nor in a comment",
             "write quotes around the key or the text");
    if (letter == '"' || letter == '\'') {
      if (at > 0 &&
          std::string_view(" \t\r\n=,.[{\xBF").find(text[at - 1]) == std::string_view::npos)
        refuse(at, "a text begins in the middle of a word", "write a blank or a comma before it");
      const size_t end = afterString(text, at);
      if (letter == '"' && continuesBeyondAscii(text.substr(at, end - at)))
        refuse(at, "a line of this text that follows a `\\` begins with a character beyond ASCII",
               "write the text on one line");
      for (; at + 1 < end; ++at)
        line += text[at] == '\n';
    } else if (letter == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (letter == '.') {
      if (++parts > most)
        refuse(at, "a key has more than " + std::to_string(most) + " parts", "");
    } else if (std::string_view("=,[]{}\n").find(letter) != std::string_view::npos) {
      parts = 1;
    }
    if (letter == '\n') {
      ++line;
      lineStart = at + 1;
    }
  }
}

} // namespace

std::vector<ManifestModule> readManifest(const Environment &environment, const std::string &path) {
  File file{path};
  toml::table root;
  try {
    const std::string text = readFile(environment, path);
    checkSyntax(file, text);
    root = toml::parse(text, path);
  } catch (const toml::parse_error &error) {
    file.refuse(error.source(), std::string(error.description()));
  }
  ManifestModule defaults;
  apply(file, root, defaults, true);

  std::vector<ManifestModule> modules;
  if (const toml::node *all = root.get("module")) {
    if (!all->is_table())
      file.refuse(all->source(), "'module' is not a table of modules", "write [module.NAME]");
    for (const auto &[name, node] : *all->as_table()) {
      const toml::table *table = node.as_table();
      if (!table)
        file.refuse(node.source(), "module '" + std::string(name.str()) + "' is not a table",
                    "write [module." + std::string(name.str()) + "]");
      ManifestModule module = defaults;
      module.name = name.str();
      module.line = table->source().begin.line;
      apply(file, *table, module, false);
      if (!module.sources || module.sources->empty())
        file.refuse(table->source(), "module '" + module.name + "' names no 'sources'");
      module.ownConstants = table->contains("constants");
      if (!module.output)
        module.output = module.name + ".sxt";
      modules.push_back(std::move(module));
    }
  }
  if (modules.empty())
    throw Refusal(Problem::ManifestWrong, path + ": no module is described",
                  "write [module.NAME] with its sources");
  std::sort(modules.begin(), modules.end(), [](const auto &left, const auto &right) {
    return std::tie(left.line, left.name) < std::tie(right.line, right.name);
  });
  return modules;
}

} // namespace sextant

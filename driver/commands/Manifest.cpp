// One table of keys, each with the member that it sets. toml++ parses the TOML, spelled in ASCII:
// in toml++ 3.3, where it looks for blanks, many other characters are undefined behaviour.
#include "driver/commands/Manifest.h"
#include "driver/commands/AsciiText.h"
#include "driver/commands/Messages.h"
#include "frontend/spelling/Suggestion.h"
#include "loader/format/Text.h"
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
  std::string text;

  /// \param at a place in the spelling of the text
  /// \param name what stands there; a fix that means another name writes that in its place
  [[noreturn]] void refuse(const toml::source_region &at, const std::string &message,
                           const std::string &fix = {}, const std::string &name = {},
                           const std::string &meant = {}) const {
    const auto source = std::make_shared<SourceFile>(path, text);
    const std::string_view line = lineOf(at);
    const auto begin = uint32_t(size_t(line.data() - text.data()) + placeOf(at));
    SourceRange place{source.get(), begin, begin};
    if (const size_t found = text.find(name, begin); !name.empty() && found != text.npos)
      place = {source.get(), uint32_t(found), uint32_t(found + name.size())};
    Fix how = fix;
    if (!meant.empty() && place.begin < place.end)
      how = {fix, {{place, meant}}, true};
    const LineColumn where = source->lineColumn(begin);
    const auto column = 1 + std::count_if(line.begin(), line.begin() + (where.column - 1),
                                          [](char c) { return (c & 0xC0) != 0x80; });
    throw PlacedRefusal(Problem::ManifestWrong, source, {},
                        path + ":" + std::to_string(where.line) + ":" + std::to_string(column) +
                            ": " + message,
                        std::move(how));
  }
  /// Returns the text. Refuses one that says nothing, or that no command line could have.
  /// \param what the text is: "the name of a module"
  std::string usable(const std::string &written, const toml::source_region &at,
                     const std::string &what) const {
    if (written.find_first_not_of(" \t\r\n") == written.npos)
      refuse(at, what + " is empty");
    if (written.find('\0') != written.npos)
      refuse(at, what + " has a zero byte");
    return written;
  }
  /// Returns a key that is a name: of a module, a constant or an attachment.
  std::string nameOf(const toml::key &key, const std::string &what) const {
    const std::string name = usable(fromAsciiSpelling(key.str()), key.source(), what);
    const auto isBad = [](unsigned char c) { return c < ' ' || c == 0x7F || c == '='; };
    if (std::any_of(name.begin(), name.end(), isBad))
      refuse(key.source(), what + " has a control character or a `=`");
    return name;
  }
  /// Refuses what toml++ cannot parse, for which a character beyond ASCII is a `~`.
  [[noreturn]] void refuse(const toml::parse_error &error) const {
    const std::string_view rest = lineOf(error.source()).substr(placeOf(error.source()));
    if (!rest.empty() && static_cast<unsigned char>(rest[0]) >= 0x80)
      refuse(error.source(), "a character beyond ASCII is neither in a text nor in a comment",
             "write quotes around the key or the text");
    refuse(error.source(), fromAsciiSpelling(error.description()));
  }

private:
  std::string_view lineOf(const toml::source_region &at) const {
    std::string_view rest = text;
    for (unsigned line = 1; line < at.begin.line && !rest.empty(); ++line)
      rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    return rest.substr(0, rest.find('\n'));
  }
  size_t placeOf(const toml::source_region &at) const {
    return placeOfAsciiColumn(lineOf(at), at.begin.column);
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
    return file.usable(fromAsciiSpelling(*value), node.source(), "a text of '" + key + "'");
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
      values.push_back(file.nameOf(name, "the name of an attachment") + "=" +
                       Value{file, key, value}.text());
    return values;
  }
  /// Returns a number, a boolean or the text of a value as --const takes it.
  std::string constant(const std::string &name, const toml::node &value) const {
    if (value.is_string())
      return file.usable(fromAsciiSpelling(value.ref<std::string>()), value.source(),
                         "the value of constant '" + name + "'");
    if (value.is_boolean())
      return value.ref<bool>() ? "True" : "False";
    if (!value.is_integer() && !value.is_floating_point())
      file.refuse(value.source(), "constant '" + name + "' is not a number, boolean or string");
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
    for (const auto &[key, values] : *table) {
      const std::string name = file.nameOf(key, "the name of a constant");
      const toml::array *array = values.as_array();
      if (!array || array->empty())
        file.refuse(values.source(), "'" + name + "' has no list of values",
                    "write " + name + " = [64, 128]");
      std::string text = name + "=";
      for (const toml::node &value : *array)
        text += (text.back() == '=' ? "" : ",") + constant(name, value);
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
    for (const auto &[key, value] : *table) {
      const std::string name = file.nameOf(key, "the name of a constant");
      values.push_back(name + "=" + constant(name, value));
    }
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
      {"keep-overwritten",
       [](Module &to, const Value &value) { to.keepOverwritten = value.truth(); }},
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
    std::string text = fromAsciiSpelling(name.str());
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
      const std::vector<std::string> near = nearNames(text, names);
      file.refuse(name.source(), "unknown key '" + text + "'", suggestion(text, names), text,
                  near.empty() ? "" : near.front());
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

/// Refuses keys of many parts. Of these toml++ 3.3 makes tables in tables, which it takes apart
/// recursively, to the end of the stack; of values it limits the depth itself.
void checkKeys(const File &file, std::string_view spelling) {
  constexpr unsigned most = 64; // `module.NAME.constants.NAME` has four
  unsigned line = 1, parts = 1;
  size_t lineStart = 0;
  for (size_t at = 0; at < spelling.size(); ++at) {
    const char letter = spelling[at];
    if (letter == '"' || letter == '\'') {
      for (const size_t end = afterString(spelling, at); at + 1 < end; ++at)
        line += spelling[at] == '\n';
    } else if (letter == '#') {
      at = std::min(spelling.find('\n', at), spelling.size()) - 1;
    } else if (letter == '.') {
      if (++parts > most)
        file.refuse({{line, static_cast<unsigned>(at - lineStart + 1)}, {}, nullptr},
                    "a key has more than " + std::to_string(most) + " parts");
    } else if (std::string_view("=,[]{}\n").find(letter) != std::string_view::npos) {
      parts = 1;
    }
    if (letter == '\n') {
      ++line;
      lineStart = at + 1;
    }
  }
}

/// Returns the text of a manifest without its byte order mark. Refuses what is not UTF-8.
std::string textOf(const Environment &environment, const std::string &path) {
  std::string text = readFile(environment, path);
  if (text.starts_with("\xEF\xBB\xBF"))
    text.erase(0, 3);
  size_t line = 1;
  for (size_t at = 0, length = 0; at < text.size(); at += length) {
    length = module::utf8Length(std::string_view(text).substr(at));
    if (length == 0)
      throw Refusal(Problem::ManifestWrong, path + ":" + std::to_string(line) + ": not valid UTF-8",
                    "save the file as UTF-8");
    line += text[at] == '\n';
  }
  return text;
}

} // namespace

std::vector<ManifestModule> readManifest(const Environment &environment, const std::string &path) {
  const File file{path, textOf(environment, path)};
  const std::string spelling = asciiSpelling(file.text);
  checkKeys(file, spelling);
  toml::table root;
  try {
    root = toml::parse(spelling, path);
  } catch (const toml::parse_error &error) {
    file.refuse(error);
  }
  ManifestModule defaults;
  apply(file, root, defaults, true);

  std::vector<ManifestModule> modules;
  if (const toml::node *all = root.get("module")) {
    if (!all->is_table())
      file.refuse(all->source(), "'module' is not a table of modules", "write [module.NAME]");
    for (const auto &[key, node] : *all->as_table()) {
      const std::string name = file.nameOf(key, "the name of a module");
      const toml::table *table = node.as_table();
      if (!table)
        file.refuse(node.source(), "module '" + name + "' is not a table",
                    "write [module." + name + "]");
      ManifestModule module = defaults;
      module.name = name;
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

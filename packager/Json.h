// Writes JSON text, indented by two or on one line, members in the order in which they come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sextant::packager {

/// Returns a JSON string literal of `text`. Bytes that are not UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);

/// Increases for a command's JSON when a member is removed, or changes its name, type or meaning.
inline constexpr uint32_t jsonSchema = 1;

/// Containers are opened and closed in pairs. In an object every value follows its key. Misuse
/// gives malformed text, nothing worse.
class JsonWriter {
public:
  enum class Layout : uint8_t { Indented, OneLine };
  explicit JsonWriter(Layout layout = Layout::Indented) : layout(layout) {}
  /// Opens the outermost object, which begins with the number of its schema. docs/command.md says
  /// what the number promises.
  JsonWriter &beginDocument() { return beginObject().member("schema", jsonSchema); }
  JsonWriter &beginObject() { return open('{'); }
  JsonWriter &endObject() { return close('}'); }
  JsonWriter &beginArray() { return open('['); }
  JsonWriter &endArray() { return close(']'); }
  JsonWriter &key(std::string_view name);
  JsonWriter &value(std::string_view text) { return raw(jsonString(text)); }
  JsonWriter &value(const char *text) { return value(std::string_view(text)); }
  JsonWriter &value(bool truth) { return raw(truth ? "true" : "false"); }
  JsonWriter &value(uint64_t number) { return raw(std::to_string(number)); }
  JsonWriter &value(int64_t number) { return raw(std::to_string(number)); }
  JsonWriter &value(uint32_t number) { return raw(std::to_string(number)); }
  JsonWriter &value(int32_t number) { return raw(std::to_string(number)); }
  JsonWriter &value(double number); ///< finite
  JsonWriter &null() { return raw("null"); }
  /// \param literal a value in JSON's syntax
  JsonWriter &raw(std::string_view literal);
  template <class T> JsonWriter &member(std::string_view name, const T &item) {
    return key(name).value(item);
  }

  /// Returns the text so far, with a line end.
  std::string str() const { return text + "\n"; }

private:
  std::string text;
  Layout layout;
  unsigned depth = 0;
  bool isFirst = true, afterKey = false;

  JsonWriter &open(char bracket);
  JsonWriter &close(char bracket);
  void separate();
  void startLine();
};

} // namespace sextant::packager

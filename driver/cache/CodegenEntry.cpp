// The content of a cache entry: variants with image and resources, warnings, and whether the wave
// size matters. Numbers have eight bytes, and texts follow their length. The folder has checked the
// bytes, so this reader finds other formats, not damage.
#include "driver/cache/CodegenCache.h"

#include <algorithm>
#include <cstring>

namespace sextant {
namespace {

class Writer {
public:
  std::string bytes;
  void number(int64_t value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof value); }
  void text(std::string_view value) {
    number(static_cast<int64_t>(value.size()));
    bytes.append(value);
  }
  void texts(const std::vector<std::string> &values) {
    number(static_cast<int64_t>(values.size()));
    for (const std::string &value : values)
      text(value);
  }
};

/// A reader. After the first field that does not fit, it returns zeros and empty texts.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}
  bool good = true;
  bool atEnd() const { return good && rest.empty(); }
  int64_t number() {
    int64_t value = 0;
    if (!take(sizeof value))
      return 0;
    std::memcpy(&value, taken.data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(static_cast<uint64_t>(number())) ? taken : ""; }
  /// Returns how many items follow. Each item has at least one byte.
  size_t count() {
    auto value = static_cast<uint64_t>(number());
    good &= value <= rest.size();
    return good ? value : 0;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count());
    for (std::string &value : values)
      value = text();
    return values;
  }

private:
  std::string_view rest, taken;
  bool take(uint64_t size) {
    good &= size <= rest.size();
    if (!good)
      return false;
    taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return true;
  }
};

using Files = std::vector<std::unique_ptr<SourceFile>>;

void writePlace(Writer &out, const SourceFile &file, uint32_t offset) {
  LineColumn place = file.lineColumn(offset);
  out.number(place.line);
  out.number(place.column);
}

void write(Writer &out, const Diagnostic &diagnostic) {
  out.number(static_cast<int64_t>(diagnostic.severity));
  out.text(diagnostic.message);
  out.text(diagnostic.fix);
  out.text(diagnostic.name);
  out.number(diagnostic.at.file != nullptr);
  if (diagnostic.at.file) {
    out.text(diagnostic.at.file->path());
    writePlace(out, *diagnostic.at.file, diagnostic.at.begin);
    writePlace(out, *diagnostic.at.file, diagnostic.at.end);
  }
  out.number(static_cast<int64_t>(diagnostic.notes.size()));
  for (const Diagnostic &note : diagnostic.notes)
    write(out, note);
}

uint32_t readPlace(Reader &in, const SourceFile &file) {
  auto lineNumber = static_cast<unsigned>(in.number());
  auto column = static_cast<unsigned>(in.number());
  std::string_view line = file.line(std::max(lineNumber, 1u));
  auto begin = static_cast<uint32_t>(line.data() - file.text().data());
  return begin + std::min<uint32_t>(std::max(column, 1u) - 1, line.size());
}

Diagnostic readDiagnostic(Reader &in, const Files &files) {
  Diagnostic diagnostic;
  diagnostic.severity = static_cast<Severity>(in.number());
  diagnostic.message = in.text();
  diagnostic.fix = in.text();
  diagnostic.name = in.text();
  if (in.number()) {
    std::string_view path = in.text();
    auto file = std::find_if(files.begin(), files.end(),
                             [&](const auto &known) { return known->path() == path; });
    in.good &= file != files.end();
    if (!in.good)
      return diagnostic;
    diagnostic.at.file = file->get();
    diagnostic.at.begin = readPlace(in, **file);
    diagnostic.at.end = readPlace(in, **file);
  }
  diagnostic.notes.resize(in.count());
  for (Diagnostic &note : diagnostic.notes)
    note = readDiagnostic(in, files);
  return diagnostic;
}

void write(Writer &out, const BuiltVariant &variant) {
  out.text(variant.target.backend);
  out.text(variant.target.arch);
  out.texts(variant.target.features);
  out.number(variant.target.wave);
  out.text(variant.image.format);
  out.text({variant.image.bytes.data(), variant.image.bytes.size()});
  out.texts(variant.image.requirements);
  out.number(static_cast<int64_t>(variant.image.tasks.size()));
  for (const TaskResources &task : variant.image.tasks) {
    out.text(task.task);
    for (int value : {task.registers, task.spillBytes, task.stackBytes, task.sharedBytes,
                      task.scalarRegisters, task.occupancy})
      out.number(value);
  }
}

BuiltVariant readVariant(Reader &in) {
  BuiltVariant variant;
  variant.target.backend = in.text();
  variant.target.arch = in.text();
  variant.target.features = in.texts();
  variant.target.wave = static_cast<unsigned>(in.number());
  variant.image.format = in.text();
  std::string_view bytes = in.text();
  variant.image.bytes.assign(bytes.begin(), bytes.end());
  variant.image.requirements = in.texts();
  variant.image.tasks.resize(in.count());
  for (TaskResources &task : variant.image.tasks) {
    task.task = in.text();
    for (int *value : {&task.registers, &task.spillBytes, &task.stackBytes, &task.sharedBytes,
                       &task.scalarRegisters, &task.occupancy})
      *value = static_cast<int>(in.number());
  }
  return variant;
}

} // namespace

std::string serialize(const CodegenResult &result) {
  Writer out;
  out.number(static_cast<int64_t>(result.variants.size()));
  for (const BuiltVariant &variant : result.variants)
    write(out, variant);
  out.number(static_cast<int64_t>(result.diagnostics.size()));
  for (const Diagnostic &diagnostic : result.diagnostics)
    write(out, diagnostic);
  out.number(result.ignoresWave);
  return std::move(out.bytes);
}

std::optional<CodegenResult> deserialize(std::string_view bytes, const Files &files) {
  Reader in(bytes);
  CodegenResult result;
  result.variants.resize(in.count());
  for (BuiltVariant &variant : result.variants)
    variant = readVariant(in);
  result.diagnostics.resize(in.count());
  for (Diagnostic &diagnostic : result.diagnostics)
    diagnostic = readDiagnostic(in, files);
  result.ignoresWave = in.number() != 0;
  if (!in.atEnd())
    return std::nullopt;
  return result;
}

} // namespace sextant

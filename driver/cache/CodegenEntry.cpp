// The content of a cache entry: variants with image and resources, warnings, and whether the wave
// size matters. Numbers have eight bytes, and texts follow their length. The reader trusts nothing
// of it: memory is a multiple of the bytes, and the stack has a bound.
#include "driver/cache/CodegenCache.h"

#include <algorithm>
#include <cstring>

namespace sextant {
namespace {

/// Notes in notes in a diagnostic. MLIR's have one level.
constexpr unsigned mostNesting = 8;

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
  /// Reads items until their count is reached or one does not fit. The count itself takes no
  /// memory: each item has bytes.
  template <class Item, class Read> std::vector<Item> items(Read read) {
    std::vector<Item> items;
    for (auto left = static_cast<uint64_t>(number()); good && left > 0; --left)
      items.push_back(read());
    return items;
  }
  std::vector<std::string> texts() {
    return items<std::string>([&] { return std::string(text()); });
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

/// Diagnostics of backends have neither labels nor edits.
void write(Writer &out, const Diagnostic &diagnostic) {
  out.number(static_cast<int64_t>(diagnostic.severity));
  out.text(diagnostic.message);
  out.text(diagnostic.fix.text);
  out.text(diagnostic.warning ? warningName(*diagnostic.warning) : "");
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
  const auto lineNumber = static_cast<unsigned>(in.number());
  const auto column = static_cast<unsigned>(in.number());
  const std::string_view line = file.line(std::max(lineNumber, 1u));
  if (!line.data()) // the file has fewer lines
    return 0;
  const auto begin = static_cast<uint32_t>(line.data() - file.text().data());
  return begin + std::min<uint32_t>(std::max(column, 1u) - 1, line.size());
}

Diagnostic readDiagnostic(Reader &in, const Files &files, unsigned nesting = 0) {
  Diagnostic diagnostic;
  const auto severity = static_cast<uint64_t>(in.number());
  in.good &= nesting < mostNesting && severity <= static_cast<uint64_t>(Severity::Note);
  if (!in.good)
    return diagnostic;
  diagnostic.severity = static_cast<Severity>(severity);
  diagnostic.message = in.text();
  diagnostic.fix = std::string(in.text());
  diagnostic.warning = warningNamed(in.text());
  if (in.number()) {
    std::string_view path = in.text();
    auto file = std::find_if(files.begin(), files.end(),
                             [&](const auto &known) { return known->path() == path; });
    in.good &= file != files.end();
    if (!in.good)
      return diagnostic;
    diagnostic.at.file = file->get();
    diagnostic.at.begin = readPlace(in, **file);
    diagnostic.at.end = std::max(readPlace(in, **file), diagnostic.at.begin);
  }
  diagnostic.notes = in.items<Diagnostic>([&] { return readDiagnostic(in, files, nesting + 1); });
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

/// True for the target itself, and for the same one with more features (Backend::variants).
bool isVariantOf(const Target &variant, const Target &target) {
  const auto has = [&](const std::string &feature) {
    return std::ranges::find(variant.features, feature) != variant.features.end();
  };
  return variant.backend == target.backend && variant.arch == target.arch &&
         variant.wave == target.wave && std::ranges::all_of(target.features, has);
}

BuiltVariant readVariant(Reader &in, const Target &target) {
  BuiltVariant variant;
  variant.target.backend = in.text();
  variant.target.arch = in.text();
  variant.target.features = in.texts();
  variant.target.wave = static_cast<unsigned>(in.number());
  in.good &= isVariantOf(variant.target, target);
  variant.image.format = in.text();
  std::string_view bytes = in.text();
  variant.image.bytes.assign(bytes.begin(), bytes.end());
  variant.image.requirements = in.texts();
  variant.image.tasks = in.items<TaskResources>([&] {
    TaskResources task;
    task.task = in.text();
    for (int *value : {&task.registers, &task.spillBytes, &task.stackBytes, &task.sharedBytes,
                       &task.scalarRegisters, &task.occupancy})
      *value = static_cast<int>(in.number());
    return task;
  });
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

std::optional<CodegenResult> deserialize(std::string_view bytes, const Target &target,
                                         const Files &files) {
  Reader in(bytes);
  CodegenResult result;
  result.variants = in.items<BuiltVariant>([&] { return readVariant(in, target); });
  const auto isWanted = [&](const BuiltVariant &one) {
    return one.target.features == target.features;
  };
  in.good &= std::ranges::any_of(result.variants, isWanted);
  result.diagnostics = in.items<Diagnostic>([&] { return readDiagnostic(in, files); });
  result.ignoresWave = in.number() != 0;
  if (!in.atEnd())
    return std::nullopt;
  return result;
}

} // namespace sextant

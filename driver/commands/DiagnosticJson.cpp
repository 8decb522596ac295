#include "driver/commands/DiagnosticJson.h"

#include "packager/Json.h"

#include <algorithm>

namespace sextant {

static void writeMembers(packager::JsonWriter &json, const Diagnostic &diagnostic) {
  json.member("severity", severityName(diagnostic.severity));
  if (!diagnostic.name.empty())
    json.member("warning", diagnostic.name);
  if (diagnostic.problem != Problem::Other)
    json.member("code", problemName(diagnostic.problem));
  if (!diagnostic.kernels.empty())
    json.member("kernel", diagnostic.kernels.front());
  if (diagnostic.kernels.size() > 1) {
    json.key("kernels").beginArray();
    for (const std::string &kernel : diagnostic.kernels)
      json.value(kernel);
    json.endArray();
  }
  if (const SourceFile *file = diagnostic.at.file) {
    const LineColumn begin = file->lineColumn(diagnostic.at.begin);
    const LineColumn end = file->lineColumn(std::max(diagnostic.at.end, diagnostic.at.begin));
    json.member("file", file->path());
    json.member("line", begin.line).member("column", begin.column);
    json.member("endLine", end.line).member("endColumn", end.column);
  }
  json.member("message", diagnostic.message);
  if (!diagnostic.fix.empty())
    json.member("help", diagnostic.fix);
  if (diagnostic.notes.empty())
    return;
  json.key("notes").beginArray();
  for (const Diagnostic &note : diagnostic.notes) {
    json.beginObject();
    writeMembers(json, note);
    json.endObject();
  }
  json.endArray();
}

std::string diagnosticJson(const Diagnostic &diagnostic) {
  packager::JsonWriter json(packager::JsonWriter::Layout::OneLine);
  json.beginDocument();
  writeMembers(json, diagnostic);
  return json.endObject().str();
}

} // namespace sextant

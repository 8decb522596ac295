#include "driver/commands/DiagnosticJson.h"

#include "packager/Json.h"

#include <algorithm>

namespace sextant {

static void writePlace(packager::JsonWriter &json, const SourceRange &at) {
  if (!at.file)
    return;
  const LineColumn begin = at.file->lineColumn(at.begin);
  const LineColumn end = at.file->lineColumn(std::max(at.end, at.begin));
  json.member("file", at.file->path());
  json.member("line", begin.line).member("column", begin.column);
  json.member("endLine", end.line).member("endColumn", end.column);
}

static void writeLabels(packager::JsonWriter &json, const std::vector<Label> &labels) {
  if (labels.empty())
    return;
  json.key("labels").beginArray();
  for (const Label &label : labels) {
    writePlace(json.beginObject(), label.at);
    json.member("message", label.text).endObject();
  }
  json.endArray();
}

static void writeFix(packager::JsonWriter &json, const Fix &fix) {
  if (fix.edits.empty())
    return;
  json.key("fix").beginObject().member("isGuess", fix.isGuess).key("edits").beginArray();
  for (const Edit &edit : fix.edits) {
    writePlace(json.beginObject(), edit.at);
    json.member("begin", edit.at.begin).member("end", edit.at.end);
    json.member("replacement", edit.text).endObject();
  }
  json.endArray().endObject();
}

static void writeMembers(packager::JsonWriter &json, const Diagnostic &diagnostic) {
  json.member("severity", severityName(diagnostic.severity));
  if (diagnostic.warning)
    json.member("warning", warningName(*diagnostic.warning));
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
  writePlace(json, diagnostic.at);
  json.member("message", diagnostic.message);
  writeLabels(json, diagnostic.labels);
  if (!diagnostic.fix.text.empty())
    json.member("help", diagnostic.fix.text);
  writeFix(json, diagnostic.fix);
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

// libFuzzer's entry to the parser of kernel files. Any bytes: errors are fine; crashes, hangs and
// what sanitizers report are not.
#include "frontend/syntax/Ast.h"
#include "frontend/syntax/Diagnostics.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sextant::SourceFile file("fuzz.py", std::string(reinterpret_cast<const char *>(data), size));
  sextant::DiagnosticSink sink;
  auto module = sextant::parse(file, sink);
  for (const sextant::Diagnostic &diagnostic : sink.diagnostics())
    (void)sextant::formatDiagnostic(diagnostic);
  return module ? 0 : -1;
}

// How diagnostics look.
#include "frontend/syntax/Diagnostics.h"
#include "tests/support/Catch.h"

using namespace sextant;

TEST_CASE("a caret under the place, the fix, and notes") {
  SourceFile file("dir/k.py", "a\n\tx = fo\xC3\xA9 + 1\r\nb\n");
  DiagnosticSink sink;
  sink.error({&file, 7, 11}, Problem::NameNotDefined, "no such name", "write 'foo'");
  Diagnostic note{Severity::Note, {&file, 0, 1}, "called from here", "", {}};
  Diagnostic withNote = sink.diagnostics()[0];
  withNote.notes.push_back(note);
  CHECK(formatDiagnostic(withNote) == "dir/k.py:2:6: error: no such name\n"
                                      "  \tx = fo\xC3\xA9 + 1\n"
                                      "  \t    ^~~\n"
                                      "  help: write 'foo'\n"
                                      "dir/k.py:1:1: note: called from here\n"
                                      "  a\n"
                                      "  ^\n");
  CHECK(sink.hasErrors());
  CHECK(sink.errorCount() == 1);
  sink.warning({}, "no place");
  CHECK(sink.errorCount() == 1);
  CHECK(formatDiagnostic(sink.diagnostics()[1]) == "warning: no place\n");
}

TEST_CASE("places at the end, in long lines and in broken text") {
  SourceFile file("k.py", "ab");
  CHECK(formatDiagnostic({Severity::Error, {&file, 2, 2}, "m", "", {}}) ==
        "k.py:1:3: error: m\n  ab\n    ^\n");
  SourceFile marked("k.py", "\xEF\xBB\xBFxy\n");
  CHECK(formatDiagnostic({Severity::Error, {&marked, 4, 5}, "m", "", {}}) ==
        "k.py:1:2: error: m\n  xy\n   ^\n");
  SourceFile broken("k.py", "a\x01\xFFz");
  CHECK(formatDiagnostic({Severity::Error, {&broken, 2, 3}, "m", "", {}}) ==
        "k.py:1:3: error: m\n  a??z\n    ^\n");
  // What a terminal would obey: C1, a line separator, directions; the letters around them stay.
  SourceFile obeyed("k.py", "\u00a0a\u0085b\u2028c\u202ed\u2066e\u061cf\u200fg\u2010");
  CHECK(formatDiagnostic({Severity::Error, {&obeyed, 2, 3}, "m", "", {}}) ==
        "k.py:1:3: error: m\n  \u00a0a?b?c?d?e?f?g\u2010\n   ^\n");
  SourceFile lengthy("k.py", std::string(5000, 'a') + "!" + std::string(5000, 'b'));
  std::string text = formatDiagnostic({Severity::Error, {&lengthy, 5000, 5001}, "m", "", {}});
  CHECK(text.size() < 500);
  size_t line = text.find('\n') + 1, caret = text.find('\n', line) + 1;
  CHECK(text[line + (text.find('^') - caret)] == '!');
}

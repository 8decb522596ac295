// How diagnostics look.
#include "frontend/syntax/Diagnostics.h"
#include "tests/support/Catch.h"

using namespace sextant;

TEST_CASE("marks under the places, the fix, and notes") {
  SourceFile file("dir/k.py", "a\n\tx = fo\xC3\xA9 + 1\r\nb\n");
  DiagnosticSink sink;
  sink.error({&file, 7, 11}, Problem::NameNotDefined, "no such name", "write 'foo'");
  Diagnostic note{Severity::Note, {&file, 0, 1}, "called from here", "", {}};
  Diagnostic withNote = sink.diagnostics()[0];
  withNote.notes.push_back(note);
  CHECK(formatDiagnostic(withNote) == "dir/k.py:2:6: error: no such name\n"
                                      " 2 | \tx = fo\xC3\xA9 + 1\n"
                                      "   | \t    ^^^\n"
                                      "  help: write 'foo'\n"
                                      "dir/k.py:1:1: note: called from here\n"
                                      " 1 | a\n"
                                      "   | ^\n");
  CHECK(sink.hasErrors());
  CHECK(sink.errorCount() == 1);
  sink.warning({}, Warning::Cache, "no place");
  CHECK(sink.errorCount() == 1);
  CHECK(formatDiagnostic(sink.diagnostics()[1]) == "warning: no place [-Wcache]\n");
}

TEST_CASE("labels stand in the order of the lines, those of other files after them") {
  SourceFile file("k.py", "v = one\nw = two\n\n\n\n\n\n\n\nv + w\n"), other("m.py", "n = 3\n");
  Diagnostic d{Severity::Error, {&file, 23, 28}, "the shapes differ", "", {}};
  d.labels = {{{&file, 23, 24}, "the left side"},
              {{&other, 0, 1}, "`n` is declared here"},
              {{&file, 8, 9}, "`w` is declared here"},
              {{&file, 0, 1}, "`v` is declared here"}};
  CHECK(formatDiagnostic(d) == "k.py:10:1: error: the shapes differ\n"
                               "  1 | v = one\n"
                               "    | - `v` is declared here\n"
                               "  2 | w = two\n"
                               "    | - `w` is declared here\n"
                               "...\n"
                               " 10 | v + w\n"
                               "    | ^^^^^\n"
                               "    | - the left side\n"
                               "  --> m.py:1:1\n"
                               "  1 | n = 3\n"
                               "    | - `n` is declared here\n");
  // A label counts without a place of the error itself.
  d.at = {};
  d.labels.resize(2);
  d.labels.erase(d.labels.begin());
  CHECK(formatDiagnostic(d) == "error: the shapes differ\n  --> m.py:1:1\n 1 | n = 3\n"
                               "   | - `n` is declared here\n");
}

TEST_CASE("a fix shows the lines as they will be") {
  SourceFile file("k.py", "a = 1\nif a && b\n");
  Diagnostic d{Severity::Error, {&file, 11, 13}, "Python has no '&&'", "", {}};
  d.fix = Fix("write 'and'", {{{&file, 11, 13}, "and"}, {{&file, 15, 15}, ":"}});
  CHECK(formatDiagnostic(d) == "k.py:2:6: error: Python has no '&&'\n"
                               " 2 | if a && b\n"
                               "   |      ^^\n"
                               "  help: write 'and'\n"
                               " 2 | if a and b:\n"
                               "   |      +++  +\n");
  d.fix = Fix("remove it", {{{&file, 0, 4}, ""}});
  CHECK(formatDiagnostic(d).ends_with("  help: remove it\n 1 | 1\n   | ~\n"));
}

TEST_CASE("a name is replaced where the source has it") {
  SourceFile file("k.py", "qd.sqr(vaule=x)\n");
  auto edit = [&](SourceRange at, std::string_view wanted) -> std::string {
    const Fix fix = didYouMean(at, wanted, "known");
    CHECK(fix.text == "did you mean `known`?");
    CHECK(fix.isGuess == !fix.edits.empty());
    if (fix.edits.empty())
      return "";
    return std::to_string(fix.edits[0].at.begin) + "-" + std::to_string(fix.edits[0].at.end);
  };
  CHECK(edit({&file, 0, 6}, "sqr") == "3-6");
  CHECK(edit({&file, 7, 14}, "vaule") == "7-12");
  CHECK(edit({&file, 0, 2}, "sqr").empty());
  CHECK(edit({&file, 3, 5}, "sqr").empty());
  CHECK(edit({}, "sqr").empty());
  CHECK(didYouMean({&file, 0, 6}, "sqr", "").text.empty());
  CHECK(nearestName({&file, 3, 6}, "sqr", {"sqrt", "cos"}).edits[0].text == "sqrt");
  CHECK(nearestName({&file, 3, 6}, "sqr", {"cos"}, "it has cos").text == "it has cos");
}

TEST_CASE("places at the end, in long lines and in broken text") {
  SourceFile file("k.py", "ab");
  CHECK(formatDiagnostic({Severity::Error, {&file, 2, 2}, "m", "", {}}) ==
        "k.py:1:3: error: m\n 1 | ab\n   |   ^\n");
  SourceFile marked("k.py", "\xEF\xBB\xBFxy\n");
  CHECK(formatDiagnostic({Severity::Error, {&marked, 4, 5}, "m", "", {}}) ==
        "k.py:1:2: error: m\n 1 | xy\n   |  ^\n");
  SourceFile broken("k.py", "a\x01\xFFz");
  CHECK(formatDiagnostic({Severity::Error, {&broken, 2, 3}, "m", "", {}}) ==
        "k.py:1:3: error: m\n 1 | a??z\n   |   ^\n");
  // A terminal would obey these: C1, a line separator, directions; the letters around them stay.
  SourceFile obeyed("k.py", "\u00a0a\u0085b\u2028c\u202ed\u2066e\u061cf\u200fg\u2010");
  CHECK(formatDiagnostic({Severity::Error, {&obeyed, 2, 3}, "m", "", {}}) ==
        "k.py:1:3: error: m\n 1 | \u00a0a?b?c?d?e?f?g\u2010\n   |  ^\n");
  SourceFile lengthy("k.py", std::string(5000, 'a') + "!" + std::string(5000, 'b'));
  std::string text = formatDiagnostic({Severity::Error, {&lengthy, 5000, 5001}, "m", "", {}});
  CHECK(text.size() < 500);
  size_t line = text.find('\n') + 1, caret = text.find('\n', line) + 1;
  CHECK(text[line + (text.find('^') - caret)] == '!');
}

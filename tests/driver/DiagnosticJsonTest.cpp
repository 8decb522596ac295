// A diagnostic as JSON: one line of valid text that shows as it is meant.
#include "driver/commands/DiagnosticJson.h"
#include "driver/End.h"
#include "packager/Json.h"
#include "tests/support/Catch.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace sextant;

TEST_CASE("JSON is one line of valid text") {
  SourceFile file("a\"b.py", "x\ny\n");
  Diagnostic d{Severity::Error, {&file, 2, 3}, "bad \"\\\n\x01\xFF\xC3\xA9", "fix", {}};
  d.notes.push_back({Severity::Note, {}, "n", "", {}});
  CHECK(diagnosticJson(d) ==
        "{\"schema\":1,\"severity\":\"error\",\"file\":\"a\\\"b.py\",\"line\":2,\"column\":1,"
        "\"endLine\":2,"
        "\"endColumn\":2,\"message\":\"bad \\\"\\\\\\n\\u0001\\ufffd\xC3\xA9\",\"help\":\"fix\","
        "\"notes\":[{\"severity\":\"note\",\"message\":\"n\"}]}\n");
}

TEST_CASE("labels, and a fix that an editor can apply") {
  SourceFile file("k.py", "\xEF\xBB\xBF\xC3\xA9 = 1\r\nx = sqr(\xC3\xA9)\n");
  Diagnostic d{Severity::Error, {&file, 15, 18}, "no sqr", {}, {}};
  d.fix = didYouMean(d.at, "sqr", "sqrt");
  d.labels.push_back({{&file, 3, 5}, "declared here"});
  CHECK(diagnosticJson(d) ==
        "{\"schema\":1,\"severity\":\"error\",\"file\":\"k.py\",\"line\":2,\"column\":5,"
        "\"endLine\":2,\"endColumn\":8,\"message\":\"no sqr\","
        "\"labels\":[{\"file\":\"k.py\",\"line\":1,\"column\":1,\"endLine\":1,\"endColumn\":3,"
        "\"message\":\"declared here\"}],"
        "\"help\":\"did you mean `sqrt`?\","
        "\"fix\":{\"isGuess\":true,\"edits\":[{\"file\":\"k.py\",\"line\":2,\"column\":5,"
        "\"endLine\":2,\"endColumn\":8,\"begin\":15,\"end\":18,\"replacement\":\"sqrt\"}]}}\n");
}

TEST_CASE("a warning's name, and what is left out where it is empty") {
  Diagnostic warning{Severity::Warning, {}, "slow", "", {}, Warning::SerialLoop};
  CHECK(
      diagnosticJson(warning) ==
      "{\"schema\":1,\"severity\":\"warning\",\"warning\":\"serial-loop\",\"message\":\"slow\"}\n");
}

TEST_CASE("diagnostics escape what terminals obey, as all JSON of the commands does") {
  const std::string text = "a\xc2\x9b\xe2\x80\xae\xef\xbb\xbf\x7f\xf0\x9f\x98\x80";
  CHECK(diagnosticJson({Severity::Note, {}, text, "", {}}) ==
        "{\"schema\":1,\"severity\":\"note\",\"message\":"
        "\"a\\u009b\\u202e\\ufeff\\u007f\xf0\x9f\x98\x80\"}\n");
}

TEST_CASE("JSON on one line and indented") {
  using packager::JsonWriter;
  JsonWriter line(JsonWriter::Layout::OneLine), lines;
  for (JsonWriter *json : {&line, &lines}) {
    json->beginObject().member("a", 1u).key("b").beginArray().value("x").value(true).endArray();
    json->key("c").beginObject().endObject().endObject();
  }
  CHECK(line.str() == "{\"a\":1,\"b\":[\"x\",true],\"c\":{}}\n");
  CHECK(lines.str() == "{\n  \"a\": 1,\n  \"b\": [\n    \"x\",\n    true\n  ],\n  \"c\": {}\n}\n");
}

namespace {
/// Returns what a process that ends so writes to its error stream, and its status.
std::pair<std::string, int> endBy(void (*end)()) {
  int pipes[2] = {};
  REQUIRE(pipe(pipes) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipes[1], STDERR_FILENO);
    endInJson();
    end();
  }
  close(pipes[1]);
  std::string said;
  for (char letter = 0; read(pipes[0], &letter, 1) == 1;)
    said += letter;
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {said, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}
} // namespace

TEST_CASE("a process that no exception reaches ends with one line of JSON") {
  const auto [memory, without] = endBy(endWithoutMemory);
  CHECK(without == 1);
  CHECK(memory == "{\"schema\":1,\"severity\":\"error\",\"code\":\"launch-failed\","
                  "\"message\":\"there is not enough memory\"}\n");
  // LLVM's own words may have any letters.
  const auto [defect, status] = endBy([] { endWithDefect("no \"pass\" \\ of\nit \xc3"); });
  CHECK(status == 2);
  CHECK(defect == "{\"schema\":1,\"severity\":\"error\",\"code\":\"internal-error\","
                  "\"message\":\"internal: no 'pass' ' of it  \",\"help\":\"this is a defect of "
                  "sextant; report it with the command line and its files\"}\n");
}

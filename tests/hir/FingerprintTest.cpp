// The bytes by which caches know a kernel: any change of the code changes them, a change of places
// or of documentation does not.
#include "frontend/hir/Fingerprint.h"
#include "tests/hir/Everything.h"
#include "tests/hir/text/Dump.h"
#include "tests/hir/text/Parse.h"
#include "tests/support/Catch.h"

#include <cctype>
#include <functional>

using namespace sextant;

namespace {

/// The draft's tasks as a kernel's, as far as bytes care. Absent: the text is not a draft.
std::optional<hir::Kernel> kernelOf(const std::string &text) {
  std::string problem;
  hir::Draft draft = hir::parseDraft(text, problem);
  if (!problem.empty())
    return std::nullopt;
  hir::Kernel kernel = std::move(draft.kernel);
  for (hir::DraftTask &one : draft.tasks) {
    one.task.locals = draft.locals;
    one.task.shared = draft.shared;
    one.task.privates = draft.privates;
    kernel.tasks.push_back(std::move(one.task));
  }
  return kernel;
}

std::string codeOf(const std::function<void(hir::Kernel &)> &change) {
  hir::Kernel kernel = *kernelOf(everything);
  change(kernel);
  return hir::bytesOf(kernel).code;
}

/// Only the statements: what stands before is partly the draft's own.
const size_t firstTask = everything.find("task block");

} // namespace

TEST_CASE("a kernel without one of its statements, or with another number, has other bytes") {
  const std::string before = hir::bytesOf(*kernelOf(everything)).code;
  CHECK(hir::bytesOf(*kernelOf(everything)).code == before);
  size_t changes = 0;
  auto tryText = [&](const std::string &text) {
    const auto kernel = kernelOf(text);
    if (!kernel || hir::dump(*kernel) == hir::dump(*kernelOf(everything)))
      return;
    INFO(text);
    CHECK(hir::bytesOf(*kernel).code != before);
    ++changes;
  };
  for (size_t at = firstTask; at < everything.size(); ++at) {
    std::string text = everything;
    if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      text[at] = text[at] == '9' ? '0' : static_cast<char>(text[at] + 1);
      tryText(text);
    } else if (text[at] == '\n' && at + 1 < text.size()) {
      const size_t end = text.find('\n', at + 1);
      tryText(text.erase(at, end == std::string::npos ? end : end - at));
    }
  }
  // Operators and words of one form.
  const std::pair<const char *, const char *> words[] = {{" + ", " - "},
                                                         {"neg(", "abs("},
                                                         {" < ", " <= "},
                                                         {"volatile x[", "x["},
                                                         {"atomic_add", "atomic_max"},
                                                         {"i32(", "u32("},
                                                         {"true", "false"},
                                                         {"thread_idx", "block_idx"},
                                                         {"any<", "all<"},
                                                         {"reduce_all_max", "reduce_max"},
                                                         {"exclusive_", "inclusive_"},
                                                         {"shuffle_xor", "shuffle_up"},
                                                         {"device", "block"},
                                                         {"full ", ""},
                                                         {"serial", "full"},
                                                         {"x@i16", "x@u16"},
                                                         {"select(", "atomic_cas("},
                                                         {"waits ", ""},
                                                         {"inf", "-inf"}};
  for (const auto &[from, to] : words)
    if (const size_t at = everything.find(from, firstTask); at != std::string::npos)
      tryText(std::string(everything).replace(at, std::string(from).size(), to));
  CHECK(changes > 80);
}

TEST_CASE("what no text of a draft shows changes the bytes, too") {
  const std::string before = codeOf([](hir::Kernel &) {});
  auto changes = [&](const std::function<void(hir::Kernel &)> &change) {
    return codeOf(change) != before;
  };
  CHECK(changes([](hir::Kernel &k) { k.fastMath = true; }));
  CHECK(changes([](hir::Kernel &k) { k.instance = "other"; }));
  CHECK(changes([](hir::Kernel &k) { k.params[0].type = hir::Type::F64; }));
  CHECK(changes([](hir::Kernel &k) { k.hidden[0].count = 2; }));
  CHECK(changes([](hir::Kernel &k) { k.hidden[1].name = "u"; }));
  CHECK(changes([](hir::Kernel &k) { k.tasks[1].iterations = hir::LaunchExpr{}; }));
  CHECK(changes([](hir::Kernel &k) { k.tasks[1].shared[0].count = 65; }));
  CHECK(changes([](hir::Kernel &k) { k.arguments.push_back({}); }));
  auto firstBinary = [](hir::Kernel &k) -> hir::Binary & {
    auto &value = *std::get<hir::Store>(k.tasks[0].body[4].node).value;
    return std::get<hir::Binary>(std::get<hir::Load>(value.node).index->node);
  };
  CHECK(changes([&](hir::Kernel &k) { firstBinary(k).isPosition = true; }));
  CHECK(changes([&](hir::Kernel &k) { firstBinary(k).isPrecise = true; }));
}

TEST_CASE("places, names of locals and documentation are not the code's") {
  const hir::Kernel plain = *kernelOf(everything);
  const hir::KernelBytes before = hir::bytesOf(plain);
  const SourceFile file("k.py", "line one\nline two\n");
  hir::Kernel moved = *kernelOf(everything);
  moved.tasks[0].body[0].at = SourceRange{&file, 9, 13};
  CHECK(hir::bytesOf(moved).code == before.code);
  CHECK(hir::bytesOf(moved).places != before.places);
  hir::Kernel further = *kernelOf(everything);
  further.tasks[0].body[0].at = SourceRange{&file, 10, 13};
  CHECK(hir::bytesOf(further).places != hir::bytesOf(moved).places);
  hir::Kernel named = *kernelOf(everything);
  named.tasks[0].locals[0].name = "b";
  CHECK(hir::bytesOf(named).code == before.code);
  CHECK(hir::bytesOf(named).places != before.places);
  hir::Kernel documented = *kernelOf(everything);
  documented.doc = "Says what it does.";
  documented.wave = 64;
  CHECK(hir::bytesOf(documented).code == before.code);
  CHECK(hir::bytesOf(documented).places == before.places);
}

// `sextant message` and `sextant help NAME`, and when `compile` names them.
#include "CommandLine.h"
#include "frontend/problems/Problems.h"
#include "tests/support/Catch.h"

#include <set>

TEST_CASE("each message with a name is explained by it", "[arguments]") {
  Workplace place;
  for (unsigned i = 0; i < sextant::problemCount(); ++i) {
    const std::string name = sextant::problemName(sextant::Problem(i));
    INFO(name);
    // No source raises these (tests/tools/messages_test.py).
    static const std::set<std::string> unraised{"other", "atomic-cas-on-value",
                                                "block-dim-beyond-target",
                                                "expression-out-of-place", "returns-differ"};
    if (name.starts_with("internal-") || unraised.contains(name))
      continue;
    const std::string section = place.good({"message", name}).out;
    CHECK(section.starts_with(name + "\n\n"));
    CHECK(place.good({"help", name}).out == section);
    CHECK(!contains(section, "```"));
  }
  CHECK(place.good({"help", "range-step-zero"}).out == R"(range-step-zero

The loop would never get on. A step is positive or negative.

    for a in range(0, 4, 0):
        x[a] = 0.0

    for a in range(0, 4, 2):
        x[a] = 0.0
)");
  // On terminals an error says so.
  place.write("broken.py", noSuchNameSource);
  CHECK(contains(place.run({"compile", "broken.py"}, Surroundings{.errIsTerminal = true}).err,
                 "\n1 error; `sextant help name-not-defined` says more\n"));
  CHECK(place.run({"compile", "broken.py"}).err.ends_with("\n1 error\n"));
}

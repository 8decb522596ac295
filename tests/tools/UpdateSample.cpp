// Wrong expectations of each form, for update_test.py: it runs these cases, and never do others.
#include "tests/support/Catch.h"

#include <string>

static std::string dump(const std::string &name) { return name + "\n  \"two\"\n"; }

TEST_CASE("a raw text, several literals, and one beside others") {
  const std::string head = "x ==";
  CHECK(dump("first") == R"(wrong
)");
  CHECK(dump("second (") == "wrong\n"
                            "  twice");
  CHECK(head == "x =="); // right
  CHECK(dump(head.empty() ? "none == \"" : "third") == "wrong");
  // A number, and what is not the same each time, stay.
  CHECK(head.size() == 5);
  for (const char *name : {"a", "b"})
    CHECK(dump(name) == "c");
}

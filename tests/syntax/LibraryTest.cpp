// The library's own sources parse without errors.
#include "frontend/library/Library.h"
#include "tests/support/Catch.h"
#include "tests/syntax/DumpAst.h"

#include <string>

TEST_CASE("library modules are there and parse") {
  for (const char *name : {"subgroup", "block"}) {
    std::string text(sextant::libraryModule(name));
    INFO(name);
    CHECK(!text.empty());
    CHECK(sextant::test::errorsOf(text) == "");
    CHECK(sextant::test::parseAndDump(text).find("<opaque>") == std::string::npos);
  }
  CHECK(sextant::libraryModule("none").empty());
}

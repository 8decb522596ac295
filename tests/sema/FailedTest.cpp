// The result of an error converts to nothing, of each type that functions of sema return.
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/Places.h"
#include "tests/support/Catch.h"

using namespace sextant::sema;

TEST_CASE("an error is nothing of each type that functions return") {
  const std::optional<Place> place = Failed();
  CHECK(!place);
  const std::optional<std::vector<Value>> values = Failed();
  CHECK(!values);
  const ExprRef expression = Failed();
  CHECK(!expression);
  const TypeValue *type = Failed();
  CHECK(!type);
  const bool isGood = Failed();
  CHECK(!isGood);
  const Value value = Failed();
  CHECK(value.isPoison());
  const std::optional<Value> poison = Value(Failed());
  CHECK((poison && poison->isPoison()));
  // It does not say whether that is a poison or no value.
  CHECK(!std::is_convertible_v<Failed, std::optional<Value>>);
}

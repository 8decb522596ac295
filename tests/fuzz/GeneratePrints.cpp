// Prints. Each begins with the thread's number, or a word where there is one thread: prints of
// several threads come in any order, those of one in its own.
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz::generator {

/// A value of one of the types whose text is known, and of a type for its format.
Text Generator::printed(const Place &at, Text &format) {
  std::vector<Scalar> known;
  for (Scalar type : types)
    if (type != Scalar::F16)
      known.push_back(type);
  const Scalar type = pick(known);
  static const std::vector<Text> ofReals = {".3f", "8.2f", "+.1f", "08.1f", ".2e"};
  static const std::vector<Text> ofIntegers = {"5", "<4", ">7", "04", "+", "x", "08x"};
  if (type != Scalar::U1)
    format = pick(isReal(type) ? ofReals : ofIntegers);
  if (isComposed && type != Scalar::U1 && below(4) == 0)
    return composed(at, matrixShape(type), 1);
  return expression(at, type, 2);
}

void Generator::print(Place &at, const Text &who) {
  Text items, format;
  const unsigned count = 1 + below(3);
  const bool isWord = who[0] == '"';
  if (below(3) == 0) { // no braces and quotes of its own: literals have neither
    for (unsigned i = 0; i < count; ++i) {
      const Text value = printed(at, format);
      items += pick({" ", " v=", "|", " {{}} "}) + "{" + value +
               (below(2) && !format.empty() ? ":" + format : "") + "}";
      format.clear();
    }
    line(at.depth,
         "print(f\"" + (isWord ? who.substr(1, who.size() - 2) : "{" + who + "}") + items + "\")");
    return;
  }
  for (unsigned i = 0; i < count; ++i)
    items += ", " + (below(5) ? printed(at, format) : Text("\"text\""));
  line(
      at.depth,
      "print(" + who + items +
          (below(4) ? ")" : pick({", end=\";\\n\")", ", sep=\" / \")", ", sep=\" \", end=\"\")"})));
}

} // namespace fuzz::generator

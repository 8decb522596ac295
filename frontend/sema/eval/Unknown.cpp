#include "frontend/sema/eval/Unknown.h"

namespace sextant::sema {

Value unknownName(Context &cx, SourceRange at, Problem problem, const std::string &lack,
                  std::string_view name, const std::vector<std::string_view> &known,
                  std::string otherwise) {
  return error(cx, at, problem, lack + " `" + std::string(name) + "`",
               nearestName(at, name, known, std::move(otherwise)));
}

} // namespace sextant::sema

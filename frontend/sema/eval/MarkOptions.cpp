#include "frontend/sema/eval/MarkOptions.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/eval/Host.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

std::optional<bool> optionOf(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
                             std::string_view mark, std::string_view option) {
  if (!isDecorated(function, module, mark))
    return std::nullopt;
  for (auto &decorator : function.decorators)
    if (auto *call = std::get_if<ast::Call>(&decorator->node))
      for (auto &keyword : call->keywords)
        if (keyword.name == option) {
          bool known = false;
          const Value value = evalHost(cx, *keyword.value, module);
          return !value.isPoison() && isTruthy(cx, value, known, keyword.at);
        }
  return std::nullopt;
}

bool hasOption(Context &cx, const ast::FunctionDef &function, ModuleScope &module,
               std::string_view mark, std::string_view option) {
  return optionOf(cx, function, module, mark, option).value_or(false);
}

bool isRealFunction(Context &cx, const ast::FunctionDef &function, ModuleScope &module) {
  return isDecorated(function, module, "real_func") ||
         hasOption(cx, function, module, "func", "is_real_function");
}

} // namespace sextant::sema

// Looks at the options of `@qd.kernel(...)` and `@qd.func(...)`: a misspelt one would be as if it
// were not there.
#include "frontend/sema/kernels/Options.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/Decorators.h"
#include "frontend/sema/eval/MarkOptions.h"

#include <algorithm>

namespace sextant::sema {

namespace {

struct Mark {
  std::string_view name;
  std::vector<std::string_view>
      options; ///< those of Quadrants, some of which mean nothing here, and `fast_math`
};

const Mark marks[] = {{"kernel", {"pure", "fastcache", "graph", "checkpoints", "fast_math"}},
                      {"func", {"is_real_function", "requires_top_level"}}};

std::string listed(const std::vector<std::string_view> &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + std::string(words[i]);
  return text;
}

} // namespace

void checkOptions(Context &cx, const ast::FunctionDef &function, ModuleScope &module) {
  DiagnosticSink &sink = *cx.program.sink;
  for (const Mark &mark : marks) {
    const std::string what = "`@qd." + std::string(mark.name) + "`";
    for (const ast::ExprPtr &decorator : function.decorators) {
      auto *call = std::get_if<ast::Call>(&decorator->node);
      if (!call || !isMark(*decorator, module, mark.name))
        continue;
      if (!call->args.empty())
        sink.error(call->args[0]->at, Problem::MarkOptionUnknown,
                   what + " takes its options by name", "it has " + listed(mark.options));
      for (const ast::Keyword &keyword : call->keywords) {
        if (keyword.name.empty() ||
            std::find(mark.options.begin(), mark.options.end(), keyword.name) != mark.options.end())
          continue;
        sink.error(
            keyword.at, Problem::MarkOptionUnknown,
            what + " has no option `" + std::string(keyword.name) + "`",
            nearestName(keyword.at, keyword.name, mark.options, "it has " + listed(mark.options)));
      }
    }
  }
  for (const std::string_view other : {"func", "real_func", "pyfunc"})
    if (isDecorated(function, module, "kernel") && isDecorated(function, module, other))
      sink.error(function.nameAt, Problem::DecoratorUnknown,
                 "`" + std::string(function.name) + "` is marked as a kernel and with `@qd." +
                     std::string(other) + "`",
                 "leave one of them: kernels are launched, and functions are called by kernels");
  if (hasOption(cx, function, module, "kernel", "checkpoints") &&
      !hasOption(cx, function, module, "kernel", "graph"))
    sink.error(function.nameAt, Problem::CheckpointsWithoutGraph,
               "`checkpoints=True` needs `graph=True`",
               Fix("write `@qd.kernel(graph=True, checkpoints=True)`",
                   optionEdits(function, module, "graph=True")));
}

} // namespace sextant::sema

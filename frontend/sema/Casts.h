// Edits of code that sema knows a cure for: casts around values, options of marks.
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// Says whose value the code in its life stores.
class Writing {
public:
  Writing(Context &cx, Written written) : cx(cx), outer(std::exchange(cx.written, written)) {}
  Writing(const Writing &) = delete;
  ~Writing() { cx.written = outer; }

private:
  Context &cx;
  Written outer;
};

/// Returns the text of an item, where the text of a value is a tuple or a list of `count` items.
Written itemOf(const Written &written, size_t item, size_t count);

/// Returns what a file writes before the language's names, as "qd."; "" if it imports no package.
std::string packagePrefix(Context &cx, const SourceFile *file);
/// Returns a fix that puts a range into a call of the language's function `name`, as "static". It
/// has words only where the file has no name for the package.
Fix callFix(Context &cx, std::string text, const std::string &name, SourceRange at,
            bool isGuess = false);
/// Returns the fix that casts a value: in the text of the value that is stored, if `at` holds it.
Fix castFix(Context &cx, hir::Type to, SourceRange at, const std::string &ending = "");
/// Returns edits that give the mark `@qd.kernel` of a kernel further options, as "graph=True".
std::vector<Edit> optionEdits(const ast::FunctionDef &kernel, ModuleScope &module,
                              const std::string &options);

} // namespace sextant::sema

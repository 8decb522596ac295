// Code that never runs is analysed for its errors.
#pragma once

#include "frontend/sema/Context.h"
#include <functional>

namespace sextant::sema {

/// Runs `body` for its errors, and drops what it emits and changes.
void analyseUnreached(Context &cx, const std::function<void()> &body);
void analyseRest(Context &cx, const ast::Block &block, size_t from);

} // namespace sextant::sema

// A compact text form of syntax trees, for tests to compare with.
#pragma once

#include "frontend/syntax/Ast.h"
#include "frontend/syntax/Diagnostics.h"

#include <string>

namespace sextant::test {

std::string dump(const ast::Expr &expr);
/// Statements one after the other, blocks in braces.
std::string dump(const ast::Block &block);

/// Parses; the tree's text, then one line "line:col message" for each error.
std::string parseAndDump(std::string text);
/// Only the errors.
std::string errorsOf(std::string text);

} // namespace sextant::test

// A reference for control flow: walks hir statements as written. Knows the i32
// subset that the random programs use.
#pragma once

#include "frontend/sema/Hir.h"

#include <optional>
#include <vector>

namespace hirwalk {

using namespace sextant;

/// The thread that is walked, and the value of every scalar parameter.
struct Thread {
  int32_t thread = 0, block = 0, parameter = 1;
};

class Walker {
public:
  Walker(const hir::Task &task, std::vector<int32_t> &memory, Thread thread)
      : locals(task.locals.size()), memory(memory), thread(thread) {}

  /// The scope that is being left, or -1 at the block's end.
  int run(const hir::Block &block) {
    for (const hir::Stmt &stmt : block)
      if (int left = run(stmt); left >= 0 || steps > limit)
        return left;
    return -1;
  }

  static constexpr unsigned limit = 20000;
  unsigned steps = 0;

private:
  int run(const hir::Stmt &stmt) {
    ++steps;
    if (auto *assign = std::get_if<hir::Assign>(&stmt.node)) {
      locals[assign->local] = value(*assign->value);
    } else if (auto *store = std::get_if<hir::Store>(&stmt.node)) {
      int32_t stored = value(*store->value);
      memory[value(*store->index)] = stored;
    } else if (auto *branch = std::get_if<hir::If>(&stmt.node)) {
      return run(value(*branch->condition) ? branch->then : branch->otherwise);
    } else if (auto *loop = std::get_if<hir::While>(&stmt.node)) {
      while (steps <= limit && value(*loop->condition))
        if (int left = run(loop->body); left >= 0)
          return left;
    } else if (auto *loop = std::get_if<hir::For>(&stmt.node)) {
      int64_t begin = value(*loop->begin), end = value(*loop->end);
      for (int64_t i = begin; steps <= limit && (loop->step > 0 ? i < end : i > end);
           i += loop->step) {
        locals[loop->local] = int32_t(i);
        if (int left = run(loop->body); left >= 0)
          return left;
        ++steps;
      }
    } else if (auto *scope = std::get_if<hir::Scope>(&stmt.node)) {
      int left = run(scope->body);
      return left == int(scope->id) ? -1 : left;
    } else if (auto *leave = std::get_if<hir::Leave>(&stmt.node)) {
      return int(leave->scope);
    }
    return -1;
  }

  int32_t value(const hir::Expr &expr) {
    if (++steps > limit)
      return 0;
    if (auto *node = std::get_if<hir::Const>(&expr.node))
      return int32_t(node->bits);
    if (auto *node = std::get_if<hir::LocalRead>(&expr.node))
      return locals[node->local];
    if (auto *node = std::get_if<hir::ReadId>(&expr.node))
      return node->id == hir::Id::ThreadIdx ? thread.thread : thread.block;
    if (std::holds_alternative<hir::ParamRead>(expr.node))
      return thread.parameter;
    if (auto *node = std::get_if<hir::Load>(&expr.node))
      return memory[value(*node->index)];
    if (auto *node = std::get_if<hir::Conditional>(&expr.node))
      return value(*node->condition) ? value(*node->whenTrue) : value(*node->whenFalse);
    if (auto *node = std::get_if<hir::Sequence>(&expr.node)) {
      run(node->body);
      return value(*node->result);
    }
    auto &node = std::get<hir::Binary>(expr.node);
    uint32_t a = uint32_t(value(*node.lhs)), b = uint32_t(value(*node.rhs));
    switch (node.op) {
    case hir::BinaryOp::Add:
      return int32_t(a + b);
    case hir::BinaryOp::Mul:
      return int32_t(a * b);
    case hir::BinaryOp::Mod: {
      int32_t remainder = int32_t(a) % int32_t(b);
      return remainder < 0 ? remainder + int32_t(b) : remainder;
    }
    case hir::BinaryOp::Lt:
      return int32_t(a) < int32_t(b);
    case hir::BinaryOp::Ge:
      return int32_t(a) >= int32_t(b);
    case hir::BinaryOp::Eq:
      return a == b;
    default:
      return a != b;
    }
  }

  std::vector<int32_t> locals;
  std::vector<int32_t> &memory;
  Thread thread;
};

/// Runs `task` over `memory`, its only buffer; false where it takes too long.
inline bool run(const hir::Task &task, std::vector<int32_t> &memory, Thread thread) {
  Walker walker(task, memory, thread);
  walker.run(task.body);
  return walker.steps <= Walker::limit;
}

} // namespace hirwalk

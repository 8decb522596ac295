// A reference for control flow: walks hir statements as written. Knows the i32
// subset that the random programs use.
#pragma once

#include "frontend/hir/Hir.h"

#include <algorithm>
#include <barrier>
#include <list>
#include <optional>
#include <thread>
#include <vector>

namespace hirwalk {

using namespace sextant;

/// The state that the threads of a block share. Each thread is walked by one of ours.
struct Team {
  Team(unsigned blockDim, unsigned wave, size_t sharedCount)
      : wave(wave), all(blockDim), slots(blockDim), shared(sharedCount) {
    for (unsigned first = 0; first < blockDim; first += wave)
      subgroups.emplace_back(std::min(wave, blockDim - first));
  }

  unsigned wave;
  std::barrier<> all;
  std::list<std::barrier<>> subgroups;
  std::vector<int32_t> slots; ///< one a thread: what collective operations exchange
  std::vector<int32_t> shared;
};

/// The thread that is walked, and the value of every scalar parameter.
struct Thread {
  int32_t thread = 0, block = 0, parameter = 1;
};

class Walker {
public:
  Walker(const hir::Task &task, std::vector<int32_t> &memory, Thread thread, Team *team = nullptr)
      : locals(task.locals.size()), memory(memory), thread(thread), team(team) {
    if (team)
      subgroup = &*std::next(team->subgroups.begin(), thread.thread / team->wave);
  }

  /// This thread ends: the others do not wait for it any more.
  void drop() {
    if (team) {
      team->all.arrive_and_drop();
      subgroup->arrive_and_drop();
    }
  }

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
      bufferOf(store->buffer)[value(*store->index)] = stored;
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
    } else if (std::holds_alternative<hir::Barrier>(stmt.node)) {
      wait(team->all);
    }
    return -1;
  }

  std::vector<int32_t> &bufferOf(const hir::BufferRef &ref) {
    return ref.kind == hir::BufferRef::Shared ? team->shared : memory;
  }

  void wait(std::barrier<> &barrier) {
    if (steps <= limit)
      barrier.arrive_and_wait();
  }

  /// Hands `own` to the others that wait at `barrier` and computes from all.
  template <typename Compute>
  int32_t exchange(std::barrier<> &barrier, int32_t own, Compute compute) {
    if (steps > limit)
      return 0;
    team->slots[thread.thread] = own;
    wait(barrier);
    int32_t result = compute(team->slots);
    wait(barrier);
    return result;
  }

  static int32_t combine(hir::Combine op, int32_t a, int32_t b) {
    switch (op) {
    case hir::Combine::Add:
      return int32_t(uint32_t(a) + uint32_t(b));
    case hir::Combine::Min:
      return std::min(a, b);
    case hir::Combine::Max:
      return std::max(a, b);
    default:
      return a ^ b;
    }
  }

  int32_t collective(const hir::Expr &expr) {
    int lane = thread.thread % team->wave, base = thread.thread - lane;
    auto tileOf = [&](unsigned log2Size) { return base + (lane & -(1 << log2Size)); };
    if (auto *node = std::get_if<hir::Shuffle>(&expr.node)) {
      int32_t own = value(*node->value), by = value(*node->lane);
      int source = node->kind == hir::ShuffleKind::Xor    ? lane ^ by
                   : node->kind == hir::ShuffleKind::Up   ? std::max(lane - by, 0)
                   : node->kind == hir::ShuffleKind::Down ? std::min(lane + by, int(team->wave) - 1)
                                                          : by;
      return exchange(*subgroup, own, [&](auto &slots) { return slots[base + source]; });
    }
    if (auto *node = std::get_if<hir::Ballot>(&expr.node))
      return exchange(*subgroup, value(*node->predicate), [&](auto &slots) {
        uint32_t bits = 0;
        for (unsigned i = 0; i < std::min(team->wave, 32u); ++i)
          bits |= uint32_t(slots[base + i] != 0) << i;
        return int32_t(bits);
      });
    if (auto *node = std::get_if<hir::Match>(&expr.node))
      return exchange(*subgroup, value(*node->value), [&](auto &slots) {
        uint32_t bits = 0, compared = uint32_t((uint64_t(1) << node->bits) - 1);
        for (unsigned i = 0; i < std::min(team->wave, 32u); ++i)
          bits |= uint32_t(((slots[base + i] ^ slots[base + lane]) & compared) == 0) << i;
        return int32_t(bits);
      });
    if (auto *node = std::get_if<hir::Vote>(&expr.node))
      return exchange(*subgroup, value(*node->predicate), [&](auto &slots) {
        int first = tileOf(node->log2Size), count = 0;
        for (int i = 0; i < 1 << node->log2Size; ++i)
          count += slots[first + i] != 0;
        return int32_t(node->all ? count == 1 << node->log2Size : count != 0);
      });
    if (auto *node = std::get_if<hir::Reduce>(&expr.node))
      return exchange(*subgroup, value(*node->value), [&](auto &slots) {
        int first = tileOf(node->log2Size);
        int32_t result = slots[first];
        for (int i = 1; i < 1 << node->log2Size; ++i)
          result = combine(node->op, result, slots[first + i]);
        return result;
      });
    if (auto *node = std::get_if<hir::Scan>(&expr.node))
      return exchange(*subgroup, value(*node->value), [&](auto &slots) {
        int first = tileOf(node->log2Size), end = base + lane + !node->exclusive;
        int32_t result = node->op == hir::Combine::Min   ? INT32_MAX
                         : node->op == hir::Combine::Max ? INT32_MIN
                                                         : 0;
        for (int i = first; i < end; ++i)
          result = combine(node->op, result, slots[i]);
        return result;
      });
    auto &node = std::get<hir::BarrierReduce>(expr.node);
    return exchange(team->all, value(*node.predicate), [&](auto &slots) {
      int32_t count = 0;
      for (int32_t slot : slots)
        count += slot != 0;
      return node.kind == hir::BarrierReduceKind::Count ? count
             : node.kind == hir::BarrierReduceKind::Any ? int32_t(count != 0)
                                                        : int32_t(count == int(slots.size()));
    });
  }

  int32_t value(const hir::Expr &expr) {
    if (++steps > limit)
      return 0;
    if (auto *node = std::get_if<hir::Const>(&expr.node))
      return int32_t(node->bits);
    if (auto *node = std::get_if<hir::LocalRead>(&expr.node))
      return locals[node->local];
    if (auto *node = std::get_if<hir::ReadId>(&expr.node))
      return node->id == hir::Id::ThreadIdx  ? thread.thread
             : node->id == hir::Id::BlockIdx ? thread.block
             : node->id == hir::Id::BlockDim ? int(hir::defaultBlock)
                                             : thread.thread % int(team->wave);
    if (std::holds_alternative<hir::ParamRead>(expr.node))
      return thread.parameter;
    if (auto *node = std::get_if<hir::Load>(&expr.node))
      return bufferOf(node->buffer)[value(*node->index)];
    if (auto *node = std::get_if<hir::Conditional>(&expr.node))
      return value(*node->condition) ? value(*node->whenTrue) : value(*node->whenFalse);
    if (auto *node = std::get_if<hir::Sequence>(&expr.node)) {
      run(node->body);
      return value(*node->result);
    }
    if (auto *node = std::get_if<hir::Cast>(&expr.node))
      return value(*node->operand);
    if (auto *node = std::get_if<hir::Select>(&expr.node)) {
      bool chosen = value(*node->condition);
      int32_t whenTrue = value(*node->whenTrue), whenFalse = value(*node->whenFalse);
      return chosen ? whenTrue : whenFalse;
    }
    if (!std::holds_alternative<hir::Binary>(expr.node))
      return collective(expr);
    auto &node = std::get<hir::Binary>(expr.node);
    uint32_t a = uint32_t(value(*node.lhs)), b = uint32_t(value(*node.rhs));
    switch (node.op) {
    case hir::BinaryOp::Add:
      return int32_t(a + b);
    case hir::BinaryOp::Mul:
      return int32_t(a * b);
    case hir::BinaryOp::Mod: {
      if (b == 0) // past the limit values are zero
        return 0;
      // In 64 bits: the least integer has no quotient by -1 in 32.
      auto remainder = int32_t(int64_t(int32_t(a)) % int32_t(b));
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
  Team *team = nullptr;
  std::barrier<> *subgroup = nullptr;
};

/// Runs `task` over `memory`, its only buffer; false where it takes too long.
inline bool run(const hir::Task &task, std::vector<int32_t> &memory, Thread thread) {
  Walker walker(task, memory, thread);
  walker.run(task.body);
  return walker.steps <= Walker::limit;
}

/// Runs a block of threads that work together; false where one takes too long.
inline bool runTeam(const hir::Task &task, unsigned wave, std::vector<int32_t> &memory,
                    int32_t block, int32_t parameter) {
  Team team(task.blockDim, wave, task.shared.empty() ? 0 : task.shared[0].count);
  std::vector<char> fine(task.blockDim);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < task.blockDim; ++number)
    threads.emplace_back([&, number] {
      Walker walker(task, memory, {int32_t(number), block, parameter}, &team);
      walker.run(task.body);
      walker.drop();
      fine[number] = walker.steps <= Walker::limit;
    });
  for (std::thread &thread : threads)
    thread.join();
  return std::find(fine.begin(), fine.end(), 0) == fine.end();
}

} // namespace hirwalk

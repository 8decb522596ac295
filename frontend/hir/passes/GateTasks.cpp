// Tasks of loops and checkpoints: each begins with a look at the schedule's words, and does nothing
// if the device decided so. Then it makes no difference how many rounds of a loop a host queues
// before it asks whether there is another one.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"

#include <algorithm>
#include <utility>

namespace sextant::hir {

namespace {

/// Calls `visit` with each span from the task's own outwards, but the kernel.
template <class Visit> void eachSpan(const Draft &draft, unsigned span, Visit visit) {
  for (; span; span = draft.spans[span].parent)
    visit(span);
}

struct Gates {
  const Draft &draft;
  BufferRef buffer;
  bool hasCheckpoints;

  ExprRef word(unsigned number, SourceRange at) const {
    return makeExpr(Type::U32, Load{buffer, take(makeInt(number, Type::I32, at)), false}, at);
  }
  static ExprRef compare(BinaryOp op, ExprRef word, unsigned with, SourceRange at) {
    return makeBinary(op, std::move(word), makeInt(with, Type::U32, at), Type::Bool, at);
  }

  /// True where the tasks of a span run; null: they always do. A loop that is inside of another one
  /// has ended if that one has.
  ExprRef of(unsigned span, SourceRange at) const {
    ExprRef loop, checkpoint;
    eachSpan(draft, span, [&](unsigned s) {
      if (draft.spans[s].kind == Span::Loop && !loop)
        loop = compare(BinaryOp::Ne, word(abi::FirstLoop + draft.countBefore(s, Span::Loop), at), 0,
                       at);
      if (draft.spans[s].kind == Span::Checkpoint)
        checkpoint = compare(BinaryOp::Eq, word(abi::ResumeWord, at),
                             draft.countBefore(s, Span::Checkpoint) + 1, at);
    });
    if (!hasCheckpoints)
      return loop;
    ExprRef runs = compare(BinaryOp::Eq, word(abi::IdleWord, at), 0, at);
    if (checkpoint)
      runs = makeBinary(BinaryOp::Or, runs, checkpoint, Type::Bool, at);
    return loop ? makeBinary(BinaryOp::And, loop, runs, Type::Bool, at) : runs;
  }
};

} // namespace

void gateTasks(Draft &draft) {
  if (!draft.schedule)
    return;
  const Gates gates{
      draft, {BufferRef::Param, draft.paramOf(*draft.schedule)}, draft.has(Span::Checkpoint)};
  for (DraftTask &each : draft.tasks) {
    Block &body = each.task.body;
    if (ExprRef gate = gates.of(each.span, each.task.at))
      body.push_back({each.task.at, If{take(gate), std::exchange(body, {}), {}}});
  }
}

void writeSchedule(Draft &draft) {
  if (!draft.schedule)
    return;
  std::vector<abi::Span> spans;
  unsigned loops = 0;
  for (unsigned s = 1; s < draft.spans.size(); ++s) {
    const Span &from = draft.spans[s];
    loops += from.kind == Span::Loop;
    abi::Span span{from.kind, unsigned(draft.tasks.size()), 0, from.label};
    for (unsigned t = 0; t < draft.tasks.size(); ++t)
      eachSpan(draft, draft.tasks[t].span, [&](unsigned around) {
        if (around == s) {
          span.begin = std::min(span.begin, t);
          span.end = t + 1;
        }
      });
    if (span.begin < span.end) // a section may have no code; loops and checkpoints have a last task
      spans.push_back(span);
  }
  HiddenBuffer &hidden = draft.kernel.hidden[*draft.schedule];
  hidden.name = abi::textOf(spans);
  hidden.count = abi::wordsOf(loops);
}

} // namespace sextant::hir

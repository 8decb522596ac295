// The calls of loops on the device, checkpoints and parallel sections: what they ask for.
#include "frontend/sema/eval/Spans.h"
#include "frontend/sema/builtins/Builtins.h"

namespace sextant::sema {

using hir::Span;

Value doSpan(Context &cx, CallSite &site) {
  const std::string_view builtin = site.builtin->name;
  const std::string name = (builtin.starts_with("qd.") ? "" : "qd.") + std::string(builtin);
  SpanCall *reading = std::exchange(cx.spanCall, nullptr);
  if (!reading)
    return error(cx, site.at, Problem::SpanNotStatement, "`" + name + "` is not a value",
                 builtin == "graph.do_while" ? "write `while " + name + "(flag):`"
                                             : "write `with " + name + "(…):`");
  reading->name = name;
  reading->isStream = builtin == "qd.stream_parallel";
  reading->kind = builtin == "graph.do_while"           ? Span::Loop
                  : builtin == "qd.checkpoint"          ? Span::Checkpoint
                  : builtin == "graph.parallel_context" ? Span::Fork
                                                        : Span::Branch;
  if (reading->kind == Span::Checkpoint)
    reading->label = site.nodes[0];
  if (!site.nodes.empty())
    reading->flag = site.nodes.back();
  return Value::none();
}

} // namespace sextant::sema

// What `--assert` and `--check` builds test at run time. A test that fails records a
// fault in a hidden buffer of the launch, and the thread goes on; what an index out
// of bounds would have touched is left alone. docs/module-format.md has the buffer's
// layout and how a site's text takes its two values.
#include "frontend/sema/Analyzer.h"
#include "frontend/sema/Ranges.h"

namespace sextant::sema {

using hir::BinaryOp;
using hir::Type;

namespace {
/// Where a site's text takes the values of its check; an assertion's message has them too.
constexpr char kFirst[] = "\1", kSecond[] = "\2";
/// Words of the fault buffer, and the one that is not 0 once there is a fault.
constexpr unsigned kFaultWords = 8, kFaultSite = 1;
} // namespace

/// Out of the library, to the user's call.
SourceRange KernelAnalyzer::outsideLibrary(SourceRange at) {
  for (size_t i = frames.size(); i > 1; --i) {
    const Frame &f = *frames[i - 1];
    if (!f.module || f.module->library.empty() || !f.callAt.file)
      break;
    at = f.callAt;
  }
  return at;
}

unsigned KernelAnalyzer::faultParam() {
  if (!faultHidden) {
    hir::HiddenBuffer buffer;
    buffer.role = hir::HiddenBuffer::Fault;
    buffer.type = Type::U32;
    buffer.count = kFaultWords;
    faultHidden = unsigned(draft.kernel.hidden.size());
    draft.addHidden(std::move(buffer));
  }
  return draft.paramOf(*faultHidden);
}

/// The number of a text and its place; equal ones are one site.
unsigned KernelAnalyzer::faultSite(SourceRange at, const std::string &text) {
  at = outsideLibrary(at);
  std::string line;
  if (at.file) {
    LineColumn place = at.file->lineColumn(at.begin);
    line = at.file->path() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
           ": ";
  }
  line += text;
  faultParam();
  auto [entry, isNew] = faultSites.try_emplace(line, unsigned(faultSites.size() + 1));
  if (isNew)
    draft.kernel.hidden[*faultHidden].name += line + "\n";
  return entry->second;
}

void KernelAnalyzer::check(ExprRef ok, SourceRange at, const std::string &text, ExprRef first,
                           ExprRef second) {
  auto value = [&](ExprRef e) -> std::optional<hir::ExprPtr> {
    if (!e)
      return std::nullopt;
    return take(makeCast(std::move(e), Type::I64, at));
  };
  if (Exact constant = 0; !ok || (constInt(*ok, constant) && constant))
    return;
  unsigned site = faultSite(at, text);
  emit(at,
       hir::Check{site, take(std::move(ok)), value(std::move(first)), value(std::move(second))});
}

void KernelAnalyzer::checkAssertion(ExprRef condition, const std::string &message, SourceRange at,
                                    const std::vector<ExprRef> &values) {
  check(std::move(condition), at,
        message.empty() ? "assertion failed" : "assertion failed: " + message,
        values.empty() ? nullptr : values[0], values.size() < 2 ? nullptr : values[1]);
}

void KernelAnalyzer::checkDivisor(const ExprRef &divisor, bool isModulo, SourceRange at) {
  if (!options.checks || isHost() || isFloat(divisor->type))
    return;
  check(makeBinary(BinaryOp::Ne, divisor, makeInt(0, divisor->type, at), Type::Bool, at), at,
        isModulo ? "integer modulo by zero" : "integer division by zero");
}

/// Whether 0 <= index < extent, tested and as a value that stays: the guard of what is done
/// there. Null where that is known to hold.
ExprRef KernelAnalyzer::checkIndex(const ExprRef &index, const Value &extent, SourceRange at,
                                   const std::string &before, const std::string &after) {
  Exact known = 0;
  if (constInt(*index, known) && extent.kind == Value::Int) // tested when it was built
    return nullptr;
  // One unsigned comparison: what is negative becomes larger than any extent.
  bool isWide = bitWidth(index->type) == 64 || index->type == Type::U32;
  Type type = isWide ? Type::I64 : Type::I32, bits = isWide ? Type::U64 : Type::U32;
  ExprRef wide = makeCast(index, type, at), size = convert(extent, type, at);
  ExprRef ok = temp(makeBinary(BinaryOp::Lt, makeCast(wide, bits, at), makeCast(size, bits, at),
                               Type::Bool, at),
                    at, "inside")
                   .expr;
  check(ok, at, before + kFirst + after + kSecond, wide, size);
  return ok;
}

/// The guard of a component of a vector or matrix. What is tested is what is used from then on.
ExprRef KernelAnalyzer::checkComponents(std::vector<Value> &index, unsigned rows, unsigned cols,
                                        bool isVector, SourceRange at) {
  ExprRef guard;
  if (!options.checks || isHost())
    return guard;
  for (size_t k = 0; k < index.size(); ++k) {
    if (index[k].kind != Value::Scalar || isFloat(index[k].expr->type))
      continue;
    index[k] = snapshot(std::move(index[k]), at);
    guard = both(guard,
                 checkIndex(index[k].expr, Value::exactInt(k == 0 ? rows : cols), at,
                            isVector ? "component "
                            : k == 0 ? "row "
                                     : "column ",
                            " is out of bounds: there are "),
                 at);
  }
  return guard;
}

ExprRef KernelAnalyzer::both(ExprRef a, ExprRef b, SourceRange at) {
  return !a || !b ? (a ? a : b) : makeBinary(BinaryOp::And, a, b, Type::Bool, at);
}

/// `effect`, a Load or an atomic, where the guard holds; else a zero.
ExprRef KernelAnalyzer::guarded(const ExprRef &guard, ExprRef effect) {
  if (!guard)
    return effect;
  Type type = effect->type;
  SourceRange at = effect->at;
  ExprRef zero = isFloat(type)        ? makeFloat(0, type, at)
                 : type == Type::Bool ? makeBool(false, at)
                                      : makeInt(0, type, at);
  return makeExpr(
      type, hir::Conditional{take(guard), take(std::move(effect)), take(std::move(zero))}, at);
}

void KernelAnalyzer::emitGuarded(const ExprRef &guard, SourceRange at, hir::Store store) {
  if (!guard)
    return emit(at, std::move(store));
  hir::Stmt inner;
  inner.at = at;
  inner.node = std::move(store);
  hir::Block then;
  then.push_back(std::move(inner));
  emit(at, hir::If{take(guard), std::move(then), {}});
}

/// Source lanes that the subgroup, or the block, does not have. The library's own shuffles
/// read such lanes on purpose, and drop what they get.
void KernelAnalyzer::checkLane(hir::ShuffleKind kind, const ExprRef &lane, SourceRange at) {
  if (!options.checks || !frame().module || !frame().module->library.empty())
    return;
  auto u32 = [&](Exact value) { return makeInt(value, Type::U32, at); };
  auto less = [&](ExprRef a, ExprRef b) { return makeBinary(BinaryOp::Lt, a, b, Type::Bool, at); };
  ExprRef own = makeCast(makeId(hir::Id::Lane, at), Type::U32, at);
  // Lanes of this subgroup that are threads of the block.
  ExprRef lanes = u32(std::min(options.wave, blockDim()));
  if (blockDim() > options.wave && blockDim() % options.wave) {
    ExprRef thread = makeCast(makeId(hir::Id::ThreadIdx, at), Type::U32, at);
    ExprRef start = makeBinary(BinaryOp::Sub, thread, own, Type::U32, at);
    ExprRef rest = makeBinary(BinaryOp::Sub, u32(blockDim()), start, Type::U32, at);
    lanes = makeBinary(BinaryOp::Min, u32(options.wave), rest, Type::U32, at);
  }
  std::string last = std::string(": there are ") + kSecond;
  switch (kind) {
  case hir::ShuffleKind::Up:
  case hir::ShuffleKind::Down:
    // The lanes at the end have no source, which is as the page has it.
    check(less(lane, u32(options.wave)), at,
          std::string("offset ") + kFirst + " is outside of the subgroup's lanes" + last, lane,
          u32(options.wave));
    return;
  case hir::ShuffleKind::Xor: {
    ExprRef source = makeBinary(BinaryOp::Xor, own, lane, Type::U32, at);
    check(less(source, lanes), at,
          std::string("source lane ") + kFirst + " is outside of the subgroup's lanes" + last,
          source, lanes);
    return;
  }
  case hir::ShuffleKind::Index:
  case hir::ShuffleKind::Broadcast:
    check(less(lane, lanes), at,
          std::string("source lane ") + kFirst + " is outside of the subgroup's lanes" + last, lane,
          lanes);
  }
  if (kind != hir::ShuffleKind::Broadcast || asConst(*lane))
    return;
  ExprRef first =
      temp(makeExpr(Type::U32, hir::Shuffle{hir::ShuffleKind::Broadcast, take(lane), take(u32(0))},
                    at),
           at, "first")
          .expr;
  check(makeBinary(BinaryOp::Eq, lane, first, Type::Bool, at), at,
        std::string("the lanes of the subgroup broadcast from different lanes: ") + kFirst +
            " here, " + kSecond + " in lane 0",
        lane, first);
}

unsigned KernelAnalyzer::barrierSite(SourceRange at) {
  return options.checks ? faultSite(at, "block barrier in divergent control flow: threads of the "
                                        "block do not all reach it")
                        : 0;
}

/// A step of 0 that no launch refuses: nothing runs.
void KernelAnalyzer::checkStep(const Range &range, SourceRange at) {
  if (!options.checks || isHost() || constantOf(range.step))
    return;
  ExprRef step = range.step.expr;
  check(makeBinary(BinaryOp::Ne, step, makeInt(0, step->type, at), Type::Bool, at), at,
        "the step of a range is 0: nothing runs");
}

/// A bound in device memory that would cut a block, see parallelFor.
unsigned KernelAnalyzer::cutBlockSite(SourceRange at) {
  return faultSite(at, std::string("block barrier in a loop of ") + kFirst +
                           " iterations, which are no whole blocks of " + kSecond +
                           " threads: nothing runs");
}

/// That no fault is recorded: what waits for another thread ends then, as that thread may have
/// been stopped from doing what is waited for.
ExprRef KernelAnalyzer::noFaultYet(SourceRange at) {
  ExprRef site = temp(makeExpr(Type::U32,
                               hir::Load{{hir::BufferRef::Param, faultParam()},
                                         take(makeInt(kFaultSite, Type::I32, at)),
                                         true},
                               at),
                      at, "fault")
                     .expr;
  return makeBinary(BinaryOp::Eq, site, makeInt(0, Type::U32, at), Type::Bool, at);
}

} // namespace sextant::sema

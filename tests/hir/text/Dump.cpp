// HIR as text: one line a statement, locals as %name.number.
#include "tests/hir/text/Dump.h"
#include "frontend/hir/Types.h"

#include <cstdio>

namespace sextant::hir {

namespace {

struct Printer {
  const Kernel *kernel = nullptr;
  const std::vector<Local> *locals = nullptr;
  const std::vector<ArrayDecl> *shared = nullptr, *privates = nullptr;
  std::string out;
  unsigned depth = 0;

  std::string local(unsigned i) const {
    std::string text = "%";
    if (locals && i < locals->size())
      text += (*locals)[i].name;
    return text + "." + std::to_string(i);
  }
  std::string param(unsigned i) const {
    const size_t params = kernel ? kernel->params.size() : 0;
    if (i < params)
      return kernel->params[i].name;
    if (kernel && i - params < kernel->hidden.size()) // a draft has none
      return kernel->hidden[i - params].name;
    return "param" + std::to_string(i);
  }
  std::string buffer(BufferRef ref) const {
    switch (ref.kind) {
    case BufferRef::Param:
      return param(ref.index);
    case BufferRef::Shared:
      return "shared" + std::to_string(ref.index);
    case BufferRef::Private:
      return "private" + std::to_string(ref.index);
    case BufferRef::Carry:
      return "carry" + std::to_string(ref.index);
    case BufferRef::Variable:
      return "variable" + std::to_string(ref.index);
    }
    return "?";
  }
  std::optional<Type> typeOf(BufferRef ref) const {
    switch (ref.kind) {
    case BufferRef::Param: {
      const size_t params = kernel ? kernel->params.size() : 0;
      if (ref.index < params)
        return kernel->params[ref.index].type;
      if (kernel && ref.index - params < kernel->hidden.size())
        return kernel->hidden[ref.index - params].type;
      return std::nullopt;
    }
    case BufferRef::Shared:
      return shared ? std::optional((*shared)[ref.index].type) : std::nullopt;
    case BufferRef::Private:
      return privates ? std::optional((*privates)[ref.index].type) : std::nullopt;
    case BufferRef::Carry:
    case BufferRef::Variable:
      return locals ? std::optional((*locals)[ref.index].type) : std::nullopt;
    }
    return std::nullopt;
  }
  /// `x[i]`, and `x@f32[i]` where the element's type is not the buffer's.
  std::string element(BufferRef ref, const ExprPtr &index, Type type) {
    const bool isView = typeOf(ref).value_or(type) != type;
    return buffer(ref) + (isView ? "@" + spell(type) : "") + "[" + ptr(index) + "]";
  }
  /// Returns the words before an element that is not accessed in the ordinary way.
  static std::string access(bool isVolatile, Cache cache) {
    return std::string(isVolatile ? "volatile " : "") +
           (cache == Cache::All ? "" : std::string("cached<") + wordOf(cache) + "> ");
  }
  static std::string unrolled(unsigned unroll) {
    return unroll == unrollFreely  ? ""
           : unroll == unrollWhole ? " unroll whole"
                                   : " unroll " + std::to_string(unroll);
  }
  void line(const std::string &text) { out += std::string(depth * 2, ' ') + text + "\n"; }
  void block(const Block &body) {
    ++depth;
    for (auto &s : body)
      stmt(s);
    --depth;
  }

  std::string operator()(const Expr &e) { return expr(e); }
  std::string ptr(const ExprPtr &e) { return expr(*e); }

  std::string expr(const Expr &e) {
    std::string t = spell(e.type);
    struct Visit {
      Printer &p;
      const Expr &e;
      const std::string &t;
      std::string operator()(const Const &n) {
        if (isFloat(e.type)) {
          char text[40];
          std::snprintf(text, sizeof text, "%.9g", n.real);
          return std::string(text) + ":" + t;
        }
        if (e.type == Type::Bool)
          return n.bits ? "true" : "false";
        bool isSigned = e.type >= Type::I8 && e.type <= Type::I64;
        return (isSigned ? std::to_string(int64_t(n.bits)) : std::to_string(n.bits)) +
               (e.type == Type::I32 ? "" : ":" + t);
      }
      std::string operator()(const LocalRead &n) { return p.local(n.local); }
      std::string operator()(const ParamRead &n) { return p.param(n.param); }
      std::string operator()(const Load &n) {
        return access(n.isVolatile, n.cache) + p.element(n.buffer, n.index, e.type);
      }
      std::string operator()(const Unary &n) {
        return std::string(wordOf(n.op)) + "(" + p.ptr(n.operand) + ")";
      }
      std::string operator()(const Binary &n) {
        return "(" + p.ptr(n.lhs) + " " + wordOf(n.op) +
               (n.isPrecise    ? "! "
                : n.isPosition ? "@ "
                               : " ") +
               p.ptr(n.rhs) + ")";
      }
      std::string operator()(const Cast &n) { return t + "(" + p.ptr(n.operand) + ")"; }
      std::string operator()(const Bitcast &n) {
        return "bitcast<" + t + ">(" + p.ptr(n.operand) + ")";
      }
      std::string operator()(const Select &n) {
        return "select(" + p.ptr(n.condition) + ", " + p.ptr(n.whenTrue) + ", " +
               p.ptr(n.whenFalse) + ")";
      }
      std::string operator()(const Conditional &n) {
        return "(" + p.ptr(n.condition) + " ? " + p.ptr(n.whenTrue) + " : " + p.ptr(n.whenFalse) +
               ")";
      }
      std::string operator()(const Sequence &n) {
        Printer inner{p.kernel, p.locals, p.shared, p.privates, "", p.depth + 1};
        for (auto &s : n.body)
          inner.stmt(s);
        return "{\n" + inner.out + std::string(p.depth * 2, ' ') + "} " + p.expr(*n.result);
      }
      std::string operator()(const Atomic &n) {
        return std::string("atomic_") + wordOf(n.op) + "(" + p.element(n.buffer, n.index, e.type) +
               ", " + p.ptr(n.value) + ")";
      }
      std::string operator()(const AtomicCas &n) {
        return "atomic_cas(" + p.element(n.buffer, n.index, e.type) + ", " + p.ptr(n.expected) +
               ", " + p.ptr(n.desired) + ")";
      }
      std::string operator()(const ReadId &n) { return wordOf(n.id); }
      std::string operator()(const Address &n) {
        return "address<" + t + ">(" + p.buffer(n.buffer) + "[" + p.ptr(n.index) + "])";
      }
      std::string operator()(const Clock &) { return "clock"; }
      std::string operator()(const Shuffle &n) {
        return std::string("shuffle_") + wordOf(n.kind) + "(" + p.ptr(n.value) + ", " +
               p.ptr(n.lane) + ")";
      }
      std::string operator()(const Ballot &n) { return "ballot(" + p.ptr(n.predicate) + ")"; }
      std::string operator()(const Match &n) {
        return "match<" + std::to_string(n.bits) + ">(" + p.ptr(n.value) + ")";
      }
      std::string operator()(const Vote &n) {
        return std::string(n.all ? "all" : "any") + "<" + std::to_string(n.log2Size) + ">(" +
               p.ptr(n.predicate) + ")";
      }
      std::string operator()(const Reduce &n) {
        return std::string("reduce_") + (n.allLanes ? "all_" : "") + wordOf(n.op) + "<" +
               std::to_string(n.log2Size) + ">(" + p.ptr(n.value) + ")";
      }
      std::string operator()(const Scan &n) {
        return std::string(n.exclusive ? "exclusive_" : "inclusive_") + wordOf(n.op) + "<" +
               std::to_string(n.log2Size) + ">(" + p.ptr(n.value) + ")";
      }
      std::string operator()(const Derived &n) {
        return "derived(" + p.ptr(n.value) + ", " + p.ptr(n.slope) +
               (n.gradient ? ", " + p.ptr(*n.gradient) : "") + ")";
      }
      std::string operator()(const Pullback &n) {
        Printer inner{p.kernel, p.locals, p.shared, p.privates, "", p.depth + 1};
        for (auto &s : n.body)
          inner.stmt(s);
        std::string text = "pullback(";
        for (size_t k = 0; k < n.operands.size(); ++k)
          text += (k ? ", " : "") + p.ptr(n.operands[k]) + " by " + p.ptr(n.derivatives[k]);
        return text + ") {\n" + inner.out + std::string(p.depth * 2, ' ') + "}";
      }
      std::string operator()(const BarrierReduce &n) {
        return std::string("barrier_") + wordOf(n.kind) + "(" + p.ptr(n.predicate) + ")";
      }
    };
    return std::visit(Visit{*this, e, t}, e.node);
  }

  void stmt(const Stmt &s) {
    struct Visit {
      Printer &p;
      void operator()(const Assign &n) { p.line(p.local(n.local) + " = " + p.ptr(n.value)); }
      void operator()(const Store &n) {
        p.line(access(n.isVolatile, n.cache) + p.element(n.buffer, n.index, n.value->type) + " = " +
               p.ptr(n.value));
      }
      void operator()(const Eval &n) { p.line(p.ptr(n.value)); }
      void operator()(const If &n) {
        p.line("if " + p.ptr(n.condition));
        p.block(n.then);
        if (!n.otherwise.empty()) {
          p.line("else");
          p.block(n.otherwise);
        }
      }
      void operator()(const While &n) {
        p.line("while " + p.ptr(n.condition));
        p.block(n.body);
      }
      void operator()(const For &n) {
        p.line("for " + p.local(n.local) + " = " + p.ptr(n.begin) + " to " + p.ptr(n.end) +
               (n.step == 1 ? "" : " step " + std::to_string(n.step)) + unrolled(n.unroll));
        p.block(n.body);
      }
      void operator()(const Scope &n) {
        p.line("scope " + std::to_string(n.id));
        p.block(n.body);
      }
      void operator()(const Leave &n) { p.line("leave " + std::to_string(n.scope)); }
      void operator()(const Barrier &) { p.line("barrier"); }
      void operator()(const SubgroupBarrier &) { p.line("subgroup_barrier"); }
      void operator()(const Pause &) { p.line("pause"); }
      void operator()(const AsyncCopies &n) {
        p.line(n.pending ? "await_copies " + std::to_string(*n.pending) : "end_copies");
      }
      void operator()(const Instruction &n) {
        std::string text;
        for (unsigned result : n.results)
          text += (text.empty() ? "" : ", ") + p.local(result);
        text += (text.empty() ? "" : " = ") + std::string("instruction \"") + n.text + "\"" +
                (n.accessesMemory ? " memory" : "") + (n.isOfOneThread ? " of_thread (" : " (");
        for (size_t k = 0; k < n.operands.size(); ++k)
          text += (k ? ", " : "") + p.ptr(n.operands[k]);
        p.line(text + ")");
      }
      void operator()(const Fence &n) { p.line(std::string("fence ") + wordOf(n.scope)); }
      void operator()(const Check &n) {
        p.line("check " + p.ptr(n.ok) + " site " + std::to_string(n.site) +
               (n.first ? ", " + p.ptr(*n.first) : "") + (n.second ? ", " + p.ptr(*n.second) : ""));
      }
    };
    std::visit(Visit{*this}, s.node);
  }

  std::string launch(const LaunchExpr &launch) {
    std::string text;
    for (auto &item : launch.items) {
      text += text.empty() ? "" : " ";
      if (item.op == LaunchExpr::Constant)
        text += std::to_string(item.value);
      else if (item.op == LaunchExpr::Param)
        text += kernel->params[size_t(item.value)].name;
      else
        text += wordOf(item.op);
    }
    return text;
  }
};

} // namespace

std::string dump(const Expr &expr) { return Printer{}.expr(expr); }

static void printParams(Printer &p) {
  for (auto &param : p.kernel->params)
    p.line("param " + param.name + " " + spell(param.type) +
           (param.kind == Param::Buffer ? " buffer" : ""));
}

static std::string head(Printer &p, const Task &task) {
  return " block " + std::to_string(task.blockDim) + (task.light ? " light" : "") +
         (task.turns ? " turns" : "") + (task.serial ? " serial" : "") +
         (task.fullBlocks ? " full" : "") + (task.waits ? " waits" : "") +
         (task.minBlocks ? " min_blocks " + std::to_string(task.minBlocks) : "") +
         (task.iterations ? " iterations " + p.launch(*task.iterations) : "");
}

static void printArrays(Printer &p, const std::string &before,
                        const std::vector<ArrayDecl> &arrays) {
  for (size_t i = 0; i < arrays.size(); ++i)
    p.line(before + std::to_string(i) + " " + arrays[i].name + " " + spell(arrays[i].type) + " x " +
           std::to_string(arrays[i].count));
}

std::string dump(const Kernel &kernel) {
  Printer p;
  p.kernel = &kernel;
  p.line("kernel " + kernel.instance + " wave " + std::to_string(kernel.wave));
  printParams(p);
  for (auto &task : kernel.tasks) {
    p.locals = &task.locals;
    p.shared = &task.shared;
    p.privates = &task.privates;
    p.line("task " + task.name + head(p, task));
    printArrays(p, "  shared", task.shared);
    printArrays(p, "  private", task.privates);
    p.block(task.body);
  }
  return p.out;
}

std::string dump(const Draft &draft) {
  Printer p;
  p.kernel = &draft.kernel;
  p.locals = &draft.locals;
  p.shared = &draft.shared;
  p.privates = &draft.privates;
  p.line("draft " + draft.kernel.instance + " wave " + std::to_string(draft.kernel.wave));
  printParams(p);
  for (auto &hidden : draft.kernel.hidden)
    p.line(std::string("hidden ") + wordOf(hidden.role) + " " + hidden.name + " " +
           spell(hidden.type) + " x " + std::to_string(hidden.count) +
           (isValue(hidden.role) ? " of " + p.launch(hidden.divisor) : ""));
  for (size_t i = 0; i < draft.locals.size(); ++i)
    p.line("local " + p.local(unsigned(i)) + " " + spell(draft.locals[i].type) +
           (draft.locals[i].variable ? " shown" : ""));
  for (auto &[first, components] : draft.variables)
    p.line("variable " + components.name + " " + p.local(first) + " x " +
           std::to_string(components.count));
  printArrays(p, "shared", draft.shared);
  printArrays(p, "private", draft.privates);
  if (draft.returned)
    p.line("returned " + p.local(*draft.returned));
  for (size_t i = 1; i < draft.spans.size(); ++i)
    p.line(std::string("span ") + wordOf(draft.spans[i].kind) + " in " +
           std::to_string(draft.spans[i].parent) +
           (draft.spans[i].kind == Span::Checkpoint ? " " + std::to_string(draft.spans[i].label)
                                                    : ""));
  for (auto &each : draft.tasks) {
    p.line("task" + head(p, each.task) +
           (each.returnScope ? " returns " + std::to_string(each.returnScope) : "") +
           (each.mayHaveReturned ? " behind_return" : "") +
           (each.span ? " in " + std::to_string(each.span) : ""));
    p.block(each.task.body);
  }
  return p.out;
}

} // namespace sextant::hir

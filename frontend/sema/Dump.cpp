// HIR as text: one line a statement, locals as %name.number.
#include "frontend/sema/Dump.h"

#include <cstdio>

namespace sextant::hir {

namespace {

constexpr const char *kTypes[] = {"u1",  "i8",  "i16", "i32", "i64", "u8",
                                  "u16", "u32", "u64", "f16", "f32", "f64"};
constexpr const char *kUnary[] = {"neg",   "bitnot", "not",   "abs",    "floor", "ceil", "round",
                                  "trunc", "sqrt",   "rsqrt", "exp",    "exp2",  "log",  "log2",
                                  "log10", "sin",    "cos",   "tan",    "asin",  "acos", "atan",
                                  "sinh",  "cosh",   "tanh",  "popcnt", "clz",   "ffs"};
constexpr const char *kBinary[] = {"+",  "-",     "*",   "/",   "//", "%",  "cdiv", "cmod",
                                   "**", "atan2", "min", "max", "&",  "|",  "^",    "<<",
                                   ">>", ">>>",   "<",   "<=",  ">",  ">=", "==",   "!="};
constexpr const char *kAtomic[] = {"add", "mul", "min", "max", "and", "or", "xor", "exchange"};
constexpr const char *kIds[] = {"thread_idx", "block_idx", "grid_dim", "lane"};
constexpr const char *kShuffles[] = {"index", "xor", "up", "down", "broadcast"};
constexpr const char *kCombine[] = {"add", "mul", "min", "max", "and", "or", "xor"};
constexpr const char *kScopes[] = {"subgroup", "block", "device"};
constexpr const char *kBarrierReduce[] = {"all", "any", "count"};

struct Printer {
  const Kernel *kernel = nullptr;
  const Task *task = nullptr;
  std::string out;
  unsigned depth = 0;

  std::string local(unsigned i) const {
    std::string text = "%";
    if (task && i < task->locals.size())
      text += task->locals[i].name;
    return text + "." + std::to_string(i);
  }
  std::string buffer(BufferRef ref) const {
    switch (ref.kind) {
    case BufferRef::Param:
      return kernel && ref.index < kernel->params.size() ? kernel->params[ref.index].name
                                                         : "param" + std::to_string(ref.index);
    case BufferRef::Shared:
      return "shared" + std::to_string(ref.index);
    case BufferRef::Private:
      return "private" + std::to_string(ref.index);
    case BufferRef::Carry:
      return "carry" + std::to_string(ref.index);
    }
    return "?";
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
    std::string t = kTypes[unsigned(e.type)];
    struct Visit {
      Printer &p;
      const Expr &e;
      const std::string &t;
      std::string operator()(const Const &n) {
        if (e.type >= Type::F16) {
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
      std::string operator()(const ParamRead &n) {
        return p.kernel && n.param < p.kernel->params.size() ? p.kernel->params[n.param].name
                                                             : "param" + std::to_string(n.param);
      }
      std::string operator()(const Load &n) {
        return (n.isVolatile ? "volatile " : "") + p.buffer(n.buffer) + "[" + p.ptr(n.index) + "]";
      }
      std::string operator()(const Unary &n) {
        return std::string(kUnary[unsigned(n.op)]) + "(" + p.ptr(n.operand) + ")";
      }
      std::string operator()(const Binary &n) {
        return "(" + p.ptr(n.lhs) + " " + kBinary[unsigned(n.op)] + " " + p.ptr(n.rhs) + ")";
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
        Printer inner{p.kernel, p.task, "", p.depth + 1};
        for (auto &s : n.body)
          inner.stmt(s);
        return "{\n" + inner.out + std::string(p.depth * 2, ' ') + "} " + p.expr(*n.result);
      }
      std::string operator()(const Atomic &n) {
        return std::string("atomic_") + kAtomic[unsigned(n.op)] + "(" + p.buffer(n.buffer) + "[" +
               p.ptr(n.index) + "], " + p.ptr(n.value) + ")";
      }
      std::string operator()(const AtomicCas &n) {
        return "atomic_cas(" + p.buffer(n.buffer) + "[" + p.ptr(n.index) + "], " +
               p.ptr(n.expected) + ", " + p.ptr(n.desired) + ")";
      }
      std::string operator()(const ReadId &n) { return kIds[unsigned(n.id)]; }
      std::string operator()(const Shuffle &n) {
        return std::string("shuffle_") + kShuffles[unsigned(n.kind)] + "(" + p.ptr(n.value) + ", " +
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
        return std::string("reduce_") + (n.allLanes ? "all_" : "") + kCombine[unsigned(n.op)] +
               "<" + std::to_string(n.log2Size) + ">(" + p.ptr(n.value) + ")";
      }
      std::string operator()(const Scan &n) {
        return std::string(n.exclusive ? "exclusive_" : "inclusive_") + kCombine[unsigned(n.op)] +
               "<" + std::to_string(n.log2Size) + ">(" + p.ptr(n.value) + ")";
      }
      std::string operator()(const BarrierReduce &n) {
        return std::string("barrier_") + kBarrierReduce[unsigned(n.kind)] + "(" +
               p.ptr(n.predicate) + ")";
      }
    };
    return std::visit(Visit{*this, e, t}, e.node);
  }

  void stmt(const Stmt &s) {
    struct Visit {
      Printer &p;
      void operator()(const Assign &n) { p.line(p.local(n.local) + " = " + p.ptr(n.value)); }
      void operator()(const Store &n) {
        p.line((n.isVolatile ? "volatile " : "") + p.buffer(n.buffer) + "[" + p.ptr(n.index) +
               "] = " + p.ptr(n.value));
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
               (n.step == 1 ? "" : " step " + std::to_string(n.step)));
        p.block(n.body);
      }
      void operator()(const Scope &n) {
        p.line("scope " + std::to_string(n.id));
        p.block(n.body);
      }
      void operator()(const Leave &n) { p.line("leave " + std::to_string(n.scope)); }
      void operator()(const Barrier &) { p.line("barrier"); }
      void operator()(const SubgroupBarrier &) { p.line("subgroup_barrier"); }
      void operator()(const Fence &n) {
        p.line(std::string("fence ") + kScopes[unsigned(n.scope)]);
      }
      void operator()(const Check &n) {
        p.line("check " + p.ptr(n.ok) + " site " + std::to_string(n.site) +
               (n.first ? ", " + p.ptr(*n.first) : "") + (n.second ? ", " + p.ptr(*n.second) : ""));
      }
    };
    std::visit(Visit{*this}, s.node);
  }

  std::string launch(const LaunchExpr &launch) {
    std::string text;
    static constexpr const char *kOps[] = {"", "", "+", "-", "*", "//", "%", "min", "max", "neg"};
    for (auto &item : launch.items) {
      text += text.empty() ? "" : " ";
      if (item.op == LaunchExpr::Constant)
        text += std::to_string(item.value);
      else if (item.op == LaunchExpr::Param)
        text += kernel->params[size_t(item.value)].name;
      else
        text += kOps[item.op];
    }
    return text;
  }
};

} // namespace

std::string dump(const Expr &expr) { return Printer{}.expr(expr); }

std::string dump(const Kernel &kernel) {
  Printer p;
  p.kernel = &kernel;
  p.line("kernel " + kernel.instance + " wave " + std::to_string(kernel.wave));
  for (auto &param : kernel.params)
    p.line(std::string("param ") + param.name + " " + kTypes[unsigned(param.type)] +
           (param.kind == Param::Buffer ? " buffer" : ""));
  for (auto &task : kernel.tasks) {
    p.task = &task;
    std::string head = "task " + task.name + " block " + std::to_string(task.blockDim);
    if (task.serial)
      head += " serial";
    if (task.fullBlocks)
      head += " full";
    if (task.iterations)
      head += " iterations " + p.launch(*task.iterations);
    p.line(head);
    for (unsigned i = 0; i < task.shared.size(); ++i)
      p.line("  shared" + std::to_string(i) + " " + task.shared[i].name + " " +
             kTypes[unsigned(task.shared[i].type)] + " x " + std::to_string(task.shared[i].count));
    for (unsigned i = 0; i < task.privates.size(); ++i)
      p.line("  private" + std::to_string(i) + " " + task.privates[i].name + " " +
             kTypes[unsigned(task.privates[i].type)] + " x " +
             std::to_string(task.privates[i].count));
    p.block(task.body);
  }
  return p.out;
}

} // namespace sextant::hir

// A compact text form of syntax trees, for tests to compare with.
#include "tests/syntax/DumpAst.h"

namespace sextant::test {

using namespace ast;

namespace {

template <class... Ts> struct Overload : Ts... {
  using Ts::operator()...;
};
template <class... Ts> Overload(Ts...) -> Overload<Ts...>;

std::string orNone(const ExprPtr &expr) { return expr ? dump(*expr) : "_"; }

std::string list(const std::vector<ExprPtr> &exprs) {
  std::string out;
  for (const ExprPtr &expr : exprs)
    out += " " + dump(*expr);
  return out;
}

const char *name(BinaryOp op) {
  static const char *names[] = {"+", "-",  "*",  "/", "//", "%", "**",
                                "@", "<<", ">>", "&", "|",  "^"};
  return names[int(op)];
}
const char *name(CompareOp op) {
  static const char *names[] = {"<", "<=", ">", ">=", "==", "!=", "in", "not-in", "is", "is-not"};
  return names[int(op)];
}
const char *name(UnaryOp op) {
  static const char *names[] = {"neg", "pos", "~", "not"};
  return names[int(op)];
}

std::string statement(const Stmt &stmt) {
  return std::visit(
      Overload{
          [](const Import &s) {
            std::string out = "import";
            for (const ImportName &n : s.names)
              out += " " + n.path + (n.alias.empty() ? "" : ":" + std::string(n.alias));
            return out;
          },
          [](const FromImport &s) {
            std::string out = "from " + std::string(s.level, '.') + s.module;
            for (const ImportName &n : s.names)
              out += " " + n.path + (n.alias.empty() ? "" : ":" + std::string(n.alias));
            return out;
          },
          [](const Assign &s) { return "set" + list(s.targets) + " = " + dump(*s.value); },
          [](const AnnAssign &s) {
            return "ann " + dump(*s.target) + " : " + dump(*s.annotation) + " = " + orNone(s.value);
          },
          [](const AugAssign &s) {
            return "aug " + std::string(name(s.op)) + " " + dump(*s.target) + " " + dump(*s.value);
          },
          [](const If &s) {
            return "if " + dump(*s.condition) + " " + dump(s.then) +
                   (s.otherwise.empty() ? "" : " else " + dump(s.otherwise));
          },
          [](const While &s) {
            return "while " + dump(*s.condition) + " " + dump(s.body) +
                   (s.otherwise.empty() ? "" : " else " + dump(s.otherwise));
          },
          [](const For &s) {
            return "for " + dump(*s.target) + " in " + dump(*s.iterable) + " " + dump(s.body) +
                   (s.otherwise.empty() ? "" : " else " + dump(s.otherwise));
          },
          [](const With &s) { return "with " + dump(*s.context) + " " + dump(s.body); },
          [](const Return &s) { return "return " + orNone(s.value); },
          [](const Break &) { return std::string("break"); },
          [](const Continue &) { return std::string("continue"); },
          [](const Pass &) { return std::string("pass"); },
          [](const Assert &s) { return "assert " + dump(*s.condition) + " " + orNone(s.message); },
          [](const ExprStmt &s) { return dump(*s.value); },
          [](const FunctionDef &s) {
            std::string out;
            for (const ExprPtr &d : s.decorators)
              out += "@" + dump(*d) + " ";
            out += "def " + std::string(s.name) + "(";
            for (const Parameter &p : s.parameters) {
              static const char *kinds[] = {"", "", "kw ", "*", "**"};
              out += (&p == &s.parameters[0] ? "" : ", ") + std::string(kinds[p.kind]) +
                     std::string(p.name) + (p.annotation ? ": " + dump(*p.annotation) : "") +
                     (p.defaultValue ? " = " + dump(*p.defaultValue) : "");
            }
            out += ")" + (s.returns ? " -> " + dump(*s.returns) : "");
            return out + " " + (s.bodyIsOpaque ? "<opaque>" : dump(s.body));
          },
          [](const ClassDef &s) {
            std::string out;
            for (const ExprPtr &d : s.decorators)
              out += "@" + dump(*d) + " ";
            out += "class " + std::string(s.name) + "(";
            for (const ExprPtr &base : s.bases)
              out += (&base == &s.bases[0] ? "" : ", ") + dump(*base);
            return out + ") " + dump(s.body);
          },
          [](const OpaqueStmt &s) {
            std::string out = "<" + s.keyword;
            for (std::string_view n : s.binds)
              out += " " + std::string(n);
            return out + ">";
          },
      },
      stmt.node);
}

} // namespace

std::string dump(const Expr &expr) {
  return std::visit(
      Overload{
          [](const IntLit &e) { return e.tooBig ? "big" : std::to_string(e.value); },
          [](const FloatLit &e) { return std::string(e.text) + "f"; },
          [](const FormatString &e) {
            std::string out = "f'";
            for (const FormatString::Part &part : e.parts)
              out += part.text + (part.value ? "{" + dump(*part.value) +
                                                   (part.spec.empty() ? "" : ":" + part.spec) + "}"
                                             : "");
            return out + "'";
          },
          [](const StringLit &e) {
            return !e.unread.empty() ? std::string("<string>") : "'" + e.value + "'";
          },
          [](const BoolLit &e) { return std::string(e.value ? "True" : "False"); },
          [](const NoneLit &) { return std::string("None"); },
          [](const EllipsisLit &) { return std::string("..."); },
          [](const Name &e) { return std::string(e.id); },
          [](const Attribute &e) { return dump(*e.value) + "." + std::string(e.name); },
          [](const Call &e) {
            std::string out = "(call " + dump(*e.callee) + list(e.args);
            for (const Keyword &k : e.keywords)
              out += " " + (k.name.empty() ? "**" : std::string(k.name) + "=") + dump(*k.value);
            return out + ")";
          },
          [](const Subscript &e) { return dump(*e.value) + "[" + dump(*e.index) + "]"; },
          [](const Slice &e) {
            return orNone(e.lower) + ":" + orNone(e.upper) + ":" + orNone(e.step);
          },
          [](const Starred &e) { return "*" + dump(*e.value); },
          [](const Unary &e) {
            return "(" + std::string(name(e.op)) + " " + dump(*e.operand) + ")";
          },
          [](const Binary &e) {
            return "(" + std::string(name(e.op)) + " " + dump(*e.lhs) + " " + dump(*e.rhs) + ")";
          },
          [](const Compare &e) {
            std::string out = "(" + dump(*e.first);
            for (size_t i = 0; i < e.ops.size(); ++i)
              out += " " + std::string(name(e.ops[i])) + " " + dump(*e.rest[i]);
            return out + ")";
          },
          [](const BoolOp &e) { return (e.isAnd ? "(and" : "(or") + list(e.operands) + ")"; },
          [](const NamedExpr &e) {
            return "(name " + dump(*e.target) + " " + dump(*e.value) + ")";
          },
          [](const IfExpr &e) {
            return "(if " + dump(*e.condition) + " " + dump(*e.whenTrue) + " " +
                   dump(*e.whenFalse) + ")";
          },
          [](const TupleExpr &e) { return "(tuple" + list(e.elements) + ")"; },
          [](const ListExpr &e) { return "(list" + list(e.elements) + ")"; },
          [](const Comprehension &e) {
            std::string out = "(comp " + (e.key ? dump(*e.key) + ": " : "") + dump(*e.element);
            for (const CompFor &loop : e.loops)
              out += " " + dump(*loop.target) + " " + dump(*loop.iterable) + list(loop.conditions);
            return out + ")";
          },
          [](const DictExpr &e) {
            std::string out = "{";
            for (size_t i = 0; i < e.keys.size(); ++i)
              out += (i ? ", " : "") + (e.keys[i] ? dump(*e.keys[i]) + ": " : "**") +
                     dump(*e.values[i]);
            return out + "}";
          },
          [](const OpaqueExpr &e) { return "<" + e.what + ">"; },
      },
      expr.node);
}

std::string dump(const Block &block) {
  std::string out = "{";
  for (const StmtPtr &stmt : block)
    out += (out.size() > 1 ? "; " : "") + statement(*stmt);
  return out + "}";
}

namespace {

std::string run(std::string text, bool tree) {
  SourceFile file("test.py", std::move(text));
  DiagnosticSink sink;
  auto module = parse(file, sink);
  std::string out = tree ? dump(module->body) : "";
  for (const Diagnostic &d : sink.diagnostics()) {
    LineColumn place = file.lineColumn(d.at.begin);
    out += (out.empty() ? "" : "\n") + std::to_string(place.line) + ":" +
           std::to_string(place.column) + " " + d.message;
  }
  return out;
}

} // namespace

std::string parseAndDump(std::string text) { return run(std::move(text), true); }
std::string errorsOf(std::string text) { return run(std::move(text), false); }

} // namespace sextant::test

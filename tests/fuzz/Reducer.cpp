#include "tests/fuzz/Reducer.h"

#include "frontend/syntax/Diagnostics.h"

#include <algorithm>

namespace fuzz {

namespace ast = sextant::ast;

namespace {

/// Bytes of the text, and what they become.
struct Edit {
  uint32_t begin = 0, end = 0;
  std::string with;
  int64_t saves() const { return int64_t(end) - int64_t(begin) - int64_t(with.size()); }
};

class Finder {
public:
  explicit Finder(const sextant::SourceFile &file) : file(file), text(file.text()) {}

  std::vector<Edit> edits(const ast::Module &module) {
    for (const ast::StmtPtr &statement : module.body)
      if (const auto *function = std::get_if<ast::FunctionDef>(&statement->node)) {
        lines(*statement, "");
        block(function->body);
      } else if (const auto *record = std::get_if<ast::ClassDef>(&statement->node)) {
        lines(*statement, "");
        for (const ast::StmtPtr &method : record->body)
          if (const auto *function = std::get_if<ast::FunctionDef>(&method->node)) {
            lines(*method, "");
            block(function->body);
          }
      }
    std::sort(found.begin(), found.end(), [](const Edit &a, const Edit &b) {
      return std::pair(b.saves(), a.begin) < std::pair(a.saves(), b.begin);
    });
    return std::move(found);
  }

private:
  std::string_view textOf(const sextant::SourceRange &at) const {
    return text.substr(at.begin, at.end - at.begin);
  }
  uint32_t lineStart(uint32_t offset) const {
    const size_t newline = offset ? text.rfind('\n', offset - 1) : std::string::npos;
    return newline == std::string::npos ? 0 : uint32_t(newline + 1);
  }
  uint32_t lineEnd(uint32_t offset) const {
    const size_t newline = text.find('\n', offset);
    return newline == std::string::npos ? uint32_t(text.size()) : uint32_t(newline + 1);
  }
  /// The lines of some statements.
  std::pair<uint32_t, uint32_t> linesOf(const ast::Stmt &first, const ast::Stmt &last) const {
    return {lineStart(first.at.begin), lineEnd(last.at.end - (last.at.end > last.at.begin))};
  }
  void lines(const ast::Stmt &statement, const std::string &with) {
    const auto [begin, end] = linesOf(statement, statement);
    found.push_back({begin, end, with});
  }

  /// A block's text, as deep as the statement that it takes the place of.
  std::string raised(const ast::Block &body, const ast::Stmt &statement) const {
    const auto [begin, end] = linesOf(*body.front(), *body.back());
    const uint32_t from = file.lineColumn(body.front()->at.begin).column;
    const uint32_t to = file.lineColumn(statement.at.begin).column;
    std::string result, source(text.substr(begin, end - begin));
    for (size_t at = 0; at < source.size();) {
      const size_t next = std::min(source.find('\n', at), source.size() - 1) + 1;
      const size_t skip = from > to ? from - to : 0;
      result += source.substr(std::min(at + skip, next - 1), next - std::min(at + skip, next - 1));
      at = next;
    }
    return result;
  }

  void block(const ast::Block &body) {
    const std::string pass(body.empty() ? 0 : file.lineColumn(body[0]->at.begin).column - 1, ' ');
    if (body.size() > 3) { // halves
      const size_t middle = body.size() / 2;
      auto [begin, end] = linesOf(*body[0], *body[middle - 1]);
      found.push_back({begin, end, ""});
      std::tie(begin, end) = linesOf(*body[middle], *body.back());
      found.push_back({begin, end, ""});
    }
    for (const ast::StmtPtr &statement : body) {
      if (!std::holds_alternative<ast::Pass>(statement->node))
        lines(*statement, body.size() == 1 ? pass + "pass\n" : "");
      this->statement(*statement);
    }
  }

  void replaceBy(const ast::Stmt &statement, const ast::Block &body,
                 const std::string &before = "") {
    if (!body.empty()) {
      const auto [begin, end] = linesOf(statement, statement);
      const std::string indent(file.lineColumn(statement.at.begin).column - 1, ' ');
      found.push_back(
          {begin, end, (before.empty() ? "" : indent + before) + raised(body, statement)});
    }
    block(body);
  }

  void statement(const ast::Stmt &statement) {
    if (const auto *node = std::get_if<ast::Assign>(&statement.node)) {
      for (const ast::ExprPtr &target : node->targets)
        if (const auto *element = std::get_if<ast::Subscript>(&target->node))
          expression(*element->index);
      expression(*node->value);
    } else if (const auto *node = std::get_if<ast::AugAssign>(&statement.node)) {
      if (const auto *element = std::get_if<ast::Subscript>(&node->target->node))
        expression(*element->index);
      expression(*node->value);
    } else if (const auto *node = std::get_if<ast::If>(&statement.node)) {
      expression(*node->condition);
      replaceBy(statement, node->then);
      replaceBy(statement, node->otherwise);
      if (!node->otherwise.empty()) { // without its else
        const auto [begin, end] = linesOf(statement, *node->then.back());
        found.push_back({begin, linesOf(statement, statement).second,
                         std::string(text.substr(begin, end - begin))});
      }
    } else if (const auto *node = std::get_if<ast::While>(&statement.node)) {
      expression(*node->condition);
      replaceBy(statement, node->body);
    } else if (const auto *node = std::get_if<ast::For>(&statement.node)) {
      if (const auto *range = std::get_if<ast::Call>(&node->iterable->node))
        for (const ast::ExprPtr &argument : range->args)
          expression(*argument);
      replaceBy(statement, node->body, std::string(textOf(node->target->at)) + " = 1\n");
    } else if (const auto *node = std::get_if<ast::Return>(&statement.node)) {
      if (node->value)
        expression(*node->value);
    } else if (const auto *node = std::get_if<ast::ExprStmt>(&statement.node)) {
      if (const auto *call = std::get_if<ast::Call>(&node->value->node))
        for (const ast::ExprPtr &argument : call->args)
          inside(*argument);
    }
  }

  /// `qd.math`
  static bool isPath(const ast::Expr &expr) {
    const auto *attribute = std::get_if<ast::Attribute>(&expr.node);
    return attribute ? isPath(*attribute->value) : std::holds_alternative<ast::Name>(expr.node);
  }

  /// The parts of an expression that may stand for it.
  static std::vector<const ast::Expr *> parts(const ast::Expr &expr) {
    std::vector<const ast::Expr *> result;
    auto add = [&](const ast::ExprPtr &part) {
      if (part)
        result.push_back(part.get());
    };
    if (const auto *node = std::get_if<ast::Binary>(&expr.node)) {
      add(node->lhs);
      add(node->rhs);
    } else if (const auto *node = std::get_if<ast::Unary>(&expr.node)) {
      add(node->operand);
    } else if (const auto *node = std::get_if<ast::Compare>(&expr.node)) {
      add(node->first);
      for (const ast::ExprPtr &part : node->rest)
        add(part);
    } else if (const auto *node = std::get_if<ast::BoolOp>(&expr.node)) {
      for (const ast::ExprPtr &part : node->operands)
        add(part);
    } else if (const auto *node = std::get_if<ast::IfExpr>(&expr.node)) {
      add(node->condition);
      add(node->whenTrue);
      add(node->whenFalse);
    } else if (const auto *node = std::get_if<ast::Call>(&expr.node)) {
      for (const ast::ExprPtr &part : node->args)
        add(part);
      for (const ast::Keyword &keyword : node->keywords)
        add(keyword.value);
      const auto *method = std::get_if<ast::Attribute>(&node->callee->node);
      if (method && !isPath(*method->value)) // the thing that a method is called on
        add(method->value);
    } else if (const auto *node = std::get_if<ast::Attribute>(&expr.node)) {
      if (!isPath(*node->value))
        add(node->value);
    } else if (const auto *node = std::get_if<ast::ListExpr>(&expr.node)) {
      for (const ast::ExprPtr &part : node->elements)
        add(part);
    } else if (const auto *node = std::get_if<ast::TupleExpr>(&expr.node)) {
      for (const ast::ExprPtr &part : node->elements)
        add(part);
    } else if (const auto *node = std::get_if<ast::Subscript>(&expr.node)) {
      add(node->index);
    }
    return result;
  }

  void inside(const ast::Expr &expr) {
    for (const ast::Expr *part : parts(expr))
      expression(*part);
  }

  void expression(const ast::Expr &expr) {
    if (std::holds_alternative<ast::IntLit>(expr.node) ||
        std::holds_alternative<ast::FloatLit>(expr.node) ||
        std::holds_alternative<ast::Slice>(expr.node) ||
        (std::holds_alternative<ast::Attribute>(expr.node) && isPath(expr)))
      return;
    for (const ast::Expr *part : parts(expr)) {
      const bool plain = std::holds_alternative<ast::Name>(part->node) ||
                         std::holds_alternative<ast::IntLit>(part->node) ||
                         std::holds_alternative<ast::Call>(part->node);
      const std::string source(textOf(part->at));
      found.push_back({expr.at.begin, expr.at.end, plain ? source : "(" + source + ")"});
    }
    if (std::holds_alternative<ast::ListExpr>(expr.node) ||
        std::holds_alternative<ast::TupleExpr>(expr.node)) {
      inside(expr);
      return;
    }
    if (!std::holds_alternative<ast::Name>(expr.node))
      for (const char *value : {"0", "1", "qd.i32(1)", "qd.f32(1.0)", "(1 < 2)"})
        if (std::string(textOf(expr.at)) != value)
          found.push_back({expr.at.begin, expr.at.end, value});
    inside(expr);
  }

  const sextant::SourceFile &file;
  std::string_view text;
  std::vector<Edit> found;
};

/// One pass of edits of the text; whether any held.
bool reduceText(Program &program, const std::function<bool(const Program &)> &holds) {
  bool changed = false;
  size_t from = 0;
  for (;;) {
    const sextant::SourceFile file("program.py", program.text);
    sextant::DiagnosticSink sink;
    const auto module = sextant::parse(file, sink);
    const std::vector<Edit> edits = Finder(file).edits(*module);
    size_t i = from;
    for (; i < edits.size(); ++i) {
      if (edits[i].saves() <= 0)
        continue;
      Program candidate = program;
      candidate.text.replace(edits[i].begin, edits[i].end - edits[i].begin, edits[i].with);
      if (holds(candidate)) {
        program = std::move(candidate);
        break;
      }
    }
    if (i == edits.size())
      return changed;
    changed = true;
    from = i; // those before did not hold: they get their turn in the next pass
  }
}

/// The kernel's name for it: "p" of "p.mass".
std::string nameOf(const Datum &datum) { return datum.name.substr(0, datum.name.find('.')); }

bool reduceData(Program &program, const std::function<bool(const Program &)> &holds) {
  bool changed = false;
  auto attempt = [&](Program candidate) {
    if (!holds(candidate))
      return false;
    program = std::move(candidate);
    return changed = true;
  };
  for (size_t i = program.launch.arguments.size(); i-- > 0;) {
    Program candidate = program;
    const Datum &datum = program.launch.arguments[i];
    const std::string parameter = nameOf(datum); // for a record's members, the record's
    const size_t open = program.text.find("(", program.text.find("def " + program.launch.kernel));
    const size_t at = program.text.find(parameter + ": ", open);
    if (open != std::string::npos && at != std::string::npos) {
      // Up to the next parameter, or from the comma before to the end.
      size_t end = at, depth = 0;
      while (end < program.text.size() &&
             (depth || (program.text[end] != ',' && program.text[end] != ')'))) {
        depth += program.text[end] == '(';
        depth -= program.text[end] == ')';
        ++end;
      }
      size_t begin = at;
      if (program.text[end] == ',')
        end += 2;
      else if (begin > open + 1)
        begin -= 2;
      candidate.text.erase(begin, end - begin);
      std::erase_if(candidate.launch.arguments,
                    [&](const Datum &other) { return nameOf(other) == parameter; });
      if (attempt(candidate)) {
        i = std::min(i, program.launch.arguments.size());
        continue;
      }
    }
    for (int plain = 0; plain < 2; ++plain) {
      candidate = program;
      Datum &simple = candidate.launch.arguments[i];
      for (size_t k = 0; k < simple.data.size(); ++k)
        simple.data[k] = plain ? wrap(datum.type, isReal(datum.type) ? 0
                                                  : datum.isArray    ? k
                                                                     : 1)
                               : 0;
      if (simple.data == datum.data || attempt(candidate))
        break;
    }
  }
  for (size_t i = program.launch.fields.size(); i-- > 0;) {
    Program candidate = program;
    const std::string name = nameOf(program.launch.fields[i]);
    const size_t at = program.text.find(name + " = ");
    if (at == std::string::npos)
      continue;
    candidate.text.erase(at, program.text.find('\n', at) + 1 - at);
    std::erase_if(candidate.launch.fields,
                  [&](const Datum &other) { return nameOf(other) == name; });
    if (attempt(candidate))
      i = std::min(i, program.launch.fields.size());
  }
  if (!program.launch.results.empty()) {
    Program candidate = program;
    const size_t arrow = candidate.text.find(" -> ");
    const size_t result = candidate.text.rfind("    return ");
    if (arrow != std::string::npos && result != std::string::npos) {
      candidate.text.erase(result, candidate.text.find('\n', result) + 1 - result);
      candidate.text.erase(arrow, candidate.text.find(':', arrow) - arrow);
      candidate.launch.results.clear();
      attempt(candidate);
    }
  }
  return changed;
}

} // namespace

Program reduce(Program program, const std::function<bool(const Program &)> &holds) {
  for (int round = 0; round < 8; ++round) {
    const bool data = reduceData(program, holds);
    const bool text = reduceText(program, holds);
    if (!data && !text)
      break;
  }
  return program;
}

} // namespace fuzz

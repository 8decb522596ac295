// Calls of kernels and of classes in host code: at module level, and in functions that nothing here
// runs. They say which instances of kernels the program wants. Host code is looked at token by
// token, since it may be any Python. What it binds is taken for more than it is, never for less.
#include "frontend/syntax/Parser.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace sextant {

using namespace ast;

namespace {

/// Tokens [from, to).
struct Range {
  size_t from, to;
  bool holds(size_t i) const { return i >= from && i < to; }
};

/// A name or a member that host code binds, and whether one binding already means that it changes.
struct Binding {
  std::string_view name;
  bool changes;
  bool isMember = false;
  bool isOfSelf = false; ///< `self.x`
};

class HostNames {
public:
  HostNames(const std::vector<Token> &tokens, std::function<bool(const Token &)> isIdentifier)
      : tokens(tokens), isIdentifier(std::move(isIdentifier)) {}

  /// The functions of the file, each with its body. Functions within are part of them.
  std::vector<Range> functions() const {
    std::vector<Range> all;
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].is("def")) {
        const size_t end = endOfSuite(i);
        all.push_back({i, end});
        i = end - 1;
      }
    return all;
  }

  /// Returns what the lines of [from, to) bind, except those in `except`, which is in order.
  std::vector<Binding> bindings(Range range, const std::vector<Range> &except) const {
    std::vector<Binding> found;
    auto skipped = except.begin();
    for (size_t i = range.from; i < range.to;) {
      while (skipped != except.end() && skipped->to <= i)
        ++skipped;
      if (skipped != except.end() && skipped->holds(i)) {
        i = skipped->to;
        continue;
      }
      size_t end = i;
      while (end < range.to && tokens[end].kind != TokenKind::Newline)
        ++end;
      bindingsOfLine({i, end}, found);
      i = end + 1;
    }
    return found;
  }

  /// Returns the names in all `global` statements.
  std::set<std::string_view> globals() const {
    std::set<std::string_view> names;
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].is("global"))
        while (++i < tokens.size() && tokens[i].kind != TokenKind::Newline)
          names.insert(tokens[i].text);
    return names;
  }

private:
  size_t endOfSuite(size_t i) const {
    while (i < tokens.size() && tokens[i].kind != TokenKind::Newline)
      ++i;
    if (i + 1 >= tokens.size() || tokens[i + 1].kind != TokenKind::Indent)
      return i;
    unsigned open = 0;
    for (++i; i < tokens.size(); ++i) {
      open += tokens[i].kind == TokenKind::Indent;
      open -= tokens[i].kind == TokenKind::Dedent;
      if (!open)
        break;
    }
    return std::min(i + 1, tokens.size());
  }

  /// All names and members of [from, to) that are not called or indexed, and have no members there.
  void names(Range range, bool changes, std::vector<Binding> &found) const {
    for (size_t i = range.from; i < range.to; ++i) {
      const bool isPart = i + 1 < tokens.size() &&
                          (tokens[i + 1].is(".") || tokens[i + 1].is("[") || tokens[i + 1].is("("));
      const bool isMember = i > 0 && tokens[i - 1].is(".");
      const bool isOfSelf =
          isMember && i > 1 && tokens[i - 2].is("self") && (i == 2 || !tokens[i - 3].is("."));
      if (isIdentifier(tokens[i]) && !isPart)
        found.push_back({tokens[i].text, changes, isMember, isOfSelf});
    }
  }

  size_t next(size_t i, size_t end, std::string_view text) const {
    while (i < end && !tokens[i].is(text))
      ++i;
    return i;
  }

  void bindingsOfLine(Range line, std::vector<Binding> &found) const {
    while (line.from < line.to && (tokens[line.from].kind == TokenKind::Indent ||
                                   tokens[line.from].kind == TokenKind::Dedent))
      ++line.from;
    if (line.from == line.to)
      return;
    const Token &first = tokens[line.from];
    if (first.is("def") || first.is("class") || first.is("async") || first.is("import") ||
        first.is("from"))
      for (size_t i = line.from; i < line.to; ++i)
        if (isIdentifier(tokens[i]))
          found.push_back({tokens[i].text, false});
    if (first.is("del") || first.is("global") || first.is("nonlocal"))
      names(line, true, found);
    size_t assigned = line.from; // place after the targets
    bool changes = false;
    int depth = 0;
    for (size_t i = line.from; i < line.to; ++i) {
      const Token &here = tokens[i];
      depth += here.is("(") || here.is("[") || here.is("{");
      depth -= here.is(")") || here.is("]") || here.is("}");
      if (here.is("for"))
        names({i + 1, next(i, line.to, "in")}, false, found);
      if (here.is("lambda"))
        names({i + 1, next(i, line.to, ":")}, false, found);
      if (here.is("as"))
        names({i + 1, next(i, line.to, ":")}, false, found);
      if (here.is(":=") && i > line.from)
        found.push_back({tokens[i - 1].text, false});
      const bool isAugmented = here.kind == TokenKind::Operator && here.text.size() >= 2 &&
                               here.text.back() == '=' && here.text != "==" && here.text != "!=" &&
                               here.text != "<=" && here.text != ">=" && here.text != ":=";
      if (depth == 0 && (here.is("=") || isAugmented)) {
        assigned = i;
        changes |= isAugmented;
      }
    }
    names({line.from, assigned}, changes, found);
  }

  const std::vector<Token> &tokens;
  std::function<bool(const Token &)> isIdentifier;
};

} // namespace

/// The functions that host code may call: the kernels of a file and its classes, and what it
/// imports: classes, and modules that have some.
struct Callees {
  std::set<std::string_view> kernels, classes, imported;
  bool importsAll = false;       ///< `from x import *`
  std::vector<SourceRange> ours; ///< functions that are not host code, in order

  void addImports(const Block &block);
  bool mayMake(std::string_view name) const {
    // A class begins with a capital letter, by convention.
    const bool isStar = importsAll && name[0] >= 'A' && name[0] <= 'Z';
    return classes.contains(name) || imported.contains(name) || (isStar && !kernels.contains(name));
  }
};

/// True for modules of the host, and files of kernels; the language knows these packages itself.
static bool isForeign(std::string_view path) {
  const std::string_view root = path.substr(0, path.find('.'));
  return root != "quadrants" && root != "numpy" && root != "math";
}

void Callees::addImports(const Block &block) {
  for (const StmtPtr &stmt : block) {
    if (auto *branch = std::get_if<If>(&stmt->node)) {
      addImports(branch->then);
      addImports(branch->otherwise);
    } else if (auto *import = std::get_if<Import>(&stmt->node)) {
      for (const ImportName &name : import->names)
        if (isForeign(name.path))
          imported.insert(name.alias.empty()
                              ? std::string_view(name.path).substr(0, name.path.find('.'))
                              : name.alias);
    } else if (auto *from = std::get_if<FromImport>(&stmt->node);
               from && (from->level != 0 || isForeign(from->module))) {
      for (const ImportName &name : from->names) {
        importsAll |= name.path == "*";
        imported.insert(name.alias.empty() ? std::string_view(name.path) : name.alias);
      }
    }
  }
}

/// The name that `name = Class(…)` or `self.name = Class(…)` assigns, of a call at token `i`, or
/// empty.
static std::string_view assignedName(const std::vector<Token> &tokens, size_t i) {
  return i >= 2 && tokens[i - 1].is("=") && tokens[i - 2].kind == TokenKind::Name
             ? tokens[i - 2].text
             : std::string_view();
}

Callees Parser::calleesOf(const Module &module) const {
  Callees callees;
  callees.addImports(module.body);
  const auto isOurs = [&](const FunctionDef &function) {
    return std::ranges::any_of(function.decorators,
                               [&](const ExprPtr &each) { return isKernelDecorator(*each); });
  };
  for (const StmtPtr &stmt : module.body) {
    if (auto *function = std::get_if<FunctionDef>(&stmt->node)) {
      for (const ExprPtr &decorator : function->decorators) {
        auto *attribute = std::get_if<Attribute>(&decorator->node);
        if (markOf(*decorator) == "kernel" || (attribute && attribute->name == "perf_dispatch"))
          callees.kernels.insert(function->name);
      }
      if (isOurs(*function))
        callees.ours.push_back(stmt->at);
    }
    auto *definition = std::get_if<ClassDef>(&stmt->node);
    if (!definition)
      continue;
    callees.classes.insert(definition->name);
    for (const StmtPtr &member : definition->body)
      if (auto *method = std::get_if<FunctionDef>(&member->node); method && isOurs(*method))
        callees.ours.push_back(member->at);
  }
  return callees;
}

/// The tokens at which host code calls a kernel, or makes an object.
static std::vector<size_t> callsAmong(const std::vector<Token> &tokens, const Callees &callees) {
  const auto isName = [&](size_t i) {
    return i < tokens.size() && tokens[i].kind == TokenKind::Name;
  };
  const auto isCall = [&](size_t i) {
    if (!isName(i) ||
        (i > 0 && (tokens[i - 1].is("def") || tokens[i - 1].is("class") || tokens[i - 1].is("."))))
      return false;
    size_t end = i + 1; // after `other.Solver`
    while (end < tokens.size() && tokens[end].is(".") && isName(end + 1))
      end += 2;
    const std::string_view name = tokens[i].text;
    return end < tokens.size() && tokens[end].is("(") &&
           (end > i + 1 ? callees.imported.contains(name)
                        : callees.kernels.contains(name) || callees.mayMake(name));
  };
  std::vector<size_t> calls;
  auto own = callees.ours.begin();
  for (size_t i = 0; i < tokens.size(); ++i) {
    while (own != callees.ours.end() && own->end <= tokens[i].begin)
      ++own;
    if (isCall(i) && (own == callees.ours.end() || tokens[i].begin < own->begin))
      calls.push_back(i);
  }
  return calls;
}

void Parser::findHostCalls(Module &module) {
  const Callees callees = calleesOf(module);
  const std::vector<size_t> calls = callsAmong(tokens, callees);
  if (calls.empty() && callees.classes.empty())
    return;

  module.changesAnyMember = std::ranges::any_of(tokens, [](const Token &token) {
    return token.is("setattr") || token.is("__dict__") || token.is("vars") || token.is("exec");
  });
  const HostNames host(tokens, [this](const Token &token) { return isIdentifier(token); });
  const std::vector<Range> functions = host.functions();
  std::set<std::string_view> changing = host.globals(), once;
  for (const Binding &binding : host.bindings({0, tokens.size()}, functions))
    if (binding.isMember)
      module.changedMembers.insert(binding.name);
    else if (binding.changes || !once.insert(binding.name).second)
      changing.insert(binding.name);
  auto own = callees.ours.begin();
  for (const Range &function : functions) {
    while (own != callees.ours.end() && own->end <= tokens[function.from].begin)
      ++own;
    if (own != callees.ours.end() && own->begin <= tokens[function.from].begin)
      continue;
    const bool isInit = tokens[function.from + 1].is("__init__");
    for (const Binding &binding : host.bindings(function, {}))
      if (binding.isMember && !(isInit && binding.isOfSelf))
        module.changedMembers.insert(binding.name);
  }
  DiagnosticSink discarded, *outer = std::exchange(sink, &discarded);
  std::vector<Range>::const_iterator around = functions.begin();
  std::set<std::string_view> local; // names of the function that `around` is
  for (const size_t at : calls) {
    if (around != functions.end() && !around->holds(at)) {
      while (around != functions.end() && around->to <= at)
        ++around;
      local.clear();
    }
    if (local.empty() && around != functions.end() && around->holds(at))
      for (const Binding &binding : host.bindings(*around, {}))
        if (!binding.isMember)
          local.insert(binding.name);
    position = at;
    panic = false;
    const bool makesObject = callees.mayMake(tokens[at].text);
    ExprPtr call = makesObject ? parseFirstCall() : parsePostfix();
    auto *node = call ? std::get_if<Call>(&call->node) : nullptr;
    if (panic || !node || (!makesObject && !std::holds_alternative<Name>(node->callee->node)))
      continue;
    std::vector<std::string_view> bound;
    if (local.contains(tokens[at].text))
      bound.push_back(tokens[at].text);
    for (size_t i = at + 1; i < position; ++i)
      if (changing.count(tokens[i].text) || local.count(tokens[i].text))
        bound.push_back(tokens[i].text);
    if (makesObject)
      module.hostObjects.push_back({std::move(call), assignedName(tokens, at), std::move(bound)});
    else
      module.hostCalls.push_back({std::move(call), std::move(bound)});
  }
  sink = outer;
}

} // namespace sextant

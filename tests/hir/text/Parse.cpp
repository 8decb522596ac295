// The text of a draft, read.
#include "tests/hir/text/Parse.h"
#include "frontend/hir/Types.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace sextant::hir {

namespace {

bool startsWith(const std::string &text, const std::string &start) {
  return text.compare(0, start.size(), start) == 0;
}

struct Reader {
  const std::string &text;
  Draft draft;
  std::string problem; ///< the first
  size_t at = 0;

  //--- Words

  void fail(const std::string &what) {
    if (!problem.empty())
      return;
    const auto begin = text.begin();
    const auto line =
        1 + std::count(begin, begin + std::ptrdiff_t(std::min(at, text.size())), '\n');
    problem = "line " + std::to_string(line) + ": " + what;
    at = text.size(); // ends every loop
  }
  char peek() const { return at < text.size() ? text[at] : '\n'; }
  void blanks() {
    while (peek() == ' ')
      ++at;
  }
  bool accept(const std::string &what) {
    blanks();
    if (text.compare(at, what.size(), what) != 0)
      return false;
    at += what.size();
    return true;
  }
  void expect(const std::string &what) {
    if (!accept(what))
      fail("expected `" + what + "`");
  }
  std::string word() {
    blanks();
    const size_t from = at;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_' || peek() == '.')
      ++at;
    if (at == from)
      fail("expected a word");
    return text.substr(from, at - from);
  }
  bool acceptWord(const std::string &what) {
    const size_t before = at;
    blanks();
    if (std::isalpha(static_cast<unsigned char>(peek())) && word() == what)
      return true;
    at = before;
    return false;
  }
  int64_t number() {
    blanks();
    char *end = nullptr;
    const int64_t value = std::strtoll(text.c_str() + at, &end, 10);
    if (end == text.c_str() + at)
      fail("expected a number");
    else
      at = size_t(end - text.c_str());
    return value;
  }
  /// A word of an enumeration.
  template <class Enum> Enum oneOf(const std::string &what) {
    const std::string found = word();
    if (const auto known = fromWord<Enum>(found))
      return *known;
    fail("`" + found + "` is not a " + what);
    return Enum();
  }
  Type type() {
    Type result = Type::I32;
    if (const std::string name = word(); !typeFromName(name, result))
      fail("`" + name + "` is not a type");
    return result;
  }
  void endLine() {
    blanks();
    if (peek() != '\n')
      fail("expected the end of the line");
    else if (at < text.size())
      ++at;
  }
  /// Returns the next line's indentation, in units of two spaces.
  size_t indentation() const {
    size_t end = at;
    while (end < text.size() && text[end] == ' ')
      ++end;
    return (end - at) / 2;
  }

  //--- Names

  /// `%name.3`
  unsigned local() {
    expect("%");
    const std::string name = word();
    const size_t dot = name.rfind('.');
    return dot == std::string::npos ? 0 : unsigned(std::atoi(name.c_str() + dot + 1));
  }
  unsigned known(unsigned local) {
    if (local >= draft.locals.size())
      fail("there is no local " + std::to_string(local));
    return local;
  }
  std::optional<unsigned> param(const std::string &name) const {
    for (size_t i = 0; i < draft.kernel.params.size(); ++i)
      if (draft.kernel.params[i].name == name)
        return unsigned(i);
    for (size_t i = 0; i < draft.kernel.hidden.size(); ++i)
      if (draft.kernel.hidden[i].name == name)
        return draft.paramOf(i);
    return std::nullopt;
  }
  Type typeOfParam(unsigned index) const {
    const size_t params = draft.kernel.params.size();
    return index < params ? draft.kernel.params[index].type
                          : draft.kernel.hidden[index - params].type;
  }
  BufferRef buffer(const std::string &name, Type &type) {
    if (std::optional<unsigned> index = param(name)) {
      type = typeOfParam(*index);
      return {BufferRef::Param, *index};
    }
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::string kind = name.substr(0, digits);
    const unsigned index = unsigned(std::atoi(name.c_str() + digits));
    if (kind == "shared" && index < draft.shared.size()) {
      type = draft.shared[index].type;
      return {BufferRef::Shared, index};
    }
    if (kind == "private" && index < draft.privates.size()) {
      type = draft.privates[index].type;
      return {BufferRef::Private, index};
    }
    if ((kind == "carry" || kind == "variable") && index < draft.locals.size()) {
      type = draft.locals[index].type;
      return {kind == "carry" ? BufferRef::Carry : BufferRef::Variable, index};
    }
    fail("there is no buffer `" + name + "`");
    return {};
  }

  /// The type of the elements, in a buffer that may be accessed as one of another type, `x@f32[i]`.
  Type elementType(Type ofBuffer) { return accept("@") ? type() : ofBuffer; }

  //--- Expressions

  static ExprPtr make(Type type, decltype(Expr::node) node) {
    return Expr{{}, type, std::move(node)};
  }

  ExprPtr inParentheses() {
    expect("(");
    ExprPtr value = expr();
    expect(")");
    return value;
  }

  ExprPtr constant() {
    const size_t from = at;
    bool isReal = false;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '-' || peek() == '+' ||
           peek() == '.') {
      isReal |= peek() == '.' || peek() == 'n';
      ++at;
    }
    const std::string digits = text.substr(from, at - from);
    const Type type = accept(":") ? this->type() : Type::I32;
    if (isFloat(type))
      return make(type, Const{0, std::strtod(digits.c_str(), nullptr)});
    if (isReal)
      fail("`" + digits + "` is not an integer");
    const bool isNegative = digits[0] == '-';
    return make(type, Const{isNegative ? uint64_t(std::strtoll(digits.c_str(), nullptr, 10))
                                       : std::strtoull(digits.c_str(), nullptr, 10),
                            0});
  }

  /// `(a + b)` or `(c ? a : b)`
  ExprPtr operation() {
    expect("(");
    ExprPtr first = expr();
    if (accept("?")) {
      ExprPtr whenTrue = expr();
      expect(":");
      ExprPtr whenFalse = expr();
      expect(")");
      const Type type = whenTrue->type;
      return make(type, Conditional{std::move(first), std::move(whenTrue), std::move(whenFalse)});
    }
    blanks();
    const size_t from = at;
    while (peek() != ' ' && peek() != '\n')
      ++at;
    std::string word = text.substr(from, at - from);
    const bool isPrecise = word.size() > 1 && word.back() == '!';
    const bool isPosition = word.size() > 1 && word.back() == '@';
    if (isPrecise || isPosition)
      word.pop_back();
    const auto op = fromWord<BinaryOp>(word);
    if (!op)
      fail("`" + word + "` is not an operator");
    ExprPtr second = expr();
    expect(")");
    const Type type = op >= BinaryOp::Lt ? Type::Bool : first->type;
    return make(type, Binary{op.value_or(BinaryOp::Add), std::move(first), std::move(second),
                             isPrecise, isPosition});
  }

  ExprPtr sequence(size_t depth) {
    expect("{");
    endLine();
    Block body = block(depth + 1);
    this->depth = depth;
    expect("}");
    ExprPtr result = expr();
    const Type type = result->type;
    return make(type, Sequence{std::move(body), std::move(result)});
  }

  ExprPtr load(const std::string &name, bool isVolatile, Cache cache = Cache::All) {
    Type type = Type::I32;
    const BufferRef ref = buffer(name, type);
    type = elementType(type);
    expect("[");
    ExprPtr index = expr();
    expect("]");
    return make(type, Load{ref, std::move(index), isVolatile, cache});
  }

  /// `(buffer[index], value)` and `(buffer[index], expected, desired)`
  ExprPtr atomic(const std::string &op) {
    Type type = Type::I32;
    expect("(");
    const BufferRef ref = buffer(word(), type);
    type = elementType(type);
    expect("[");
    ExprPtr index = expr();
    expect("]");
    expect(",");
    ExprPtr value = expr();
    std::optional<ExprPtr> desired;
    if (op == "cas") {
      expect(",");
      desired = expr();
    }
    expect(")");
    if (desired)
      return make(type, AtomicCas{ref, std::move(index), std::move(value), std::move(*desired)});
    const auto known = fromWord<Combine>(op);
    if (!known)
      fail("`atomic_" + op + "` is not an operation");
    return make(type,
                Atomic{known.value_or(Combine::Add), ref, std::move(index), std::move(value)});
  }

  /// `<5>`, as of a tile's size.
  unsigned angle() {
    expect("<");
    const unsigned value = unsigned(number());
    expect(">");
    return value;
  }

  /// Reads a node that threads of a subgroup or block do together; absent if the name is another's.
  std::optional<ExprPtr> acrossThreads(const std::string &name) {
    if (startsWith(name, "shuffle_"))
      if (const auto kind = fromWord<ShuffleKind>(name.substr(8))) {
        expect("(");
        ExprPtr value = expr();
        expect(",");
        ExprPtr lane = expr();
        expect(")");
        const Type type = value->type;
        return make(type, Shuffle{*kind, std::move(value), std::move(lane)});
      }
    if (name == "ballot")
      return make(Type::U64, Ballot{inParentheses()});
    if (startsWith(name, "barrier_"))
      if (const auto kind = fromWord<BarrierReduceKind>(name.substr(8)))
        return make(Type::I32, BarrierReduce{*kind, inParentheses()});
    if (name == "match") {
      const unsigned bits = angle();
      return make(Type::U64, Match{inParentheses(), bits});
    }
    if (name == "all" || name == "any") {
      const unsigned tile = angle();
      return make(Type::Bool, Vote{name == "all", inParentheses(), tile});
    }
    if (startsWith(name, "reduce_")) {
      const bool allLanes = startsWith(name, "reduce_all_");
      if (const auto op = fromWord<Combine>(name.substr(allLanes ? 11 : 7));
          op && op != Combine::Exchange) {
        const unsigned tile = angle();
        ExprPtr value = inParentheses();
        const Type type = value->type;
        return make(type, Reduce{*op, std::move(value), tile, allLanes});
      }
    }
    if (startsWith(name, "inclusive_") || startsWith(name, "exclusive_"))
      if (const auto op = fromWord<Combine>(name.substr(10)); op && op != Combine::Exchange) {
        const unsigned tile = angle();
        ExprPtr value = inParentheses();
        const Type type = value->type;
        return make(type, Scan{*op, std::move(value), tile, name[0] == 'e'});
      }
    return std::nullopt;
  }

  /// `derived(value, slope)` and `derived(value, slope, gradient)`
  ExprPtr derived() {
    expect("(");
    ExprPtr value = expr();
    expect(",");
    Derived node{std::move(value), expr()};
    if (accept(","))
      node.gradient = expr();
    expect(")");
    const Type type = node.value->type;
    return make(type, std::move(node));
  }

  /// `pullback(operand by derivative, …) {`, and then the body.
  ExprPtr pullback() {
    const size_t outer = depth;
    Pullback node;
    do {
      expect(node.operands.empty() ? "(" : ",");
      node.operands.push_back(expr());
      if (!acceptWord("by"))
        fail("expected `by`");
      node.derivatives.push_back(expr());
      blanks();
    } while (peek() == ',');
    expect(")");
    expect("{");
    endLine();
    node.body = block(outer + 1);
    depth = outer;
    expect("}");
    return make(Type::F32, std::move(node));
  }

  /// Parses an expression that starts with a keyword or operator name.
  ExprPtr call(const std::string &name) {
    if (name == "true" || name == "false")
      return make(Type::Bool, Const{name == "true", 0});
    if (name == "inf" || name == "nan") {
      expect(":");
      return make(type(), Const{0, std::strtod(name.c_str(), nullptr)});
    }
    if (const auto id = fromWord<Id>(name))
      return make(Type::I32, ReadId{*id});
    if (name == "clock")
      return make(Type::I64, Clock{});
    if (name == "address") {
      expect("<");
      const Type type = this->type();
      expect(">");
      expect("(");
      Type element = Type::I32;
      const BufferRef ref = buffer(word(), element);
      expect("[");
      ExprPtr index = expr();
      expect("]");
      expect(")");
      return make(type, Address{ref, std::move(index)});
    }
    if (startsWith(name, "atomic_"))
      return atomic(name.substr(7));
    if (name == "select") {
      expect("(");
      ExprPtr condition = expr();
      expect(",");
      ExprPtr whenTrue = expr();
      expect(",");
      ExprPtr whenFalse = expr();
      expect(")");
      const Type type = whenTrue->type;
      return make(type, Select{std::move(condition), std::move(whenTrue), std::move(whenFalse)});
    }
    if (name == "derived")
      return derived();
    if (name == "pullback")
      return pullback();
    if (name == "bitcast") {
      expect("<");
      const Type type = this->type();
      expect(">");
      return make(type, Bitcast{inParentheses()});
    }
    if (std::optional<ExprPtr> together = acrossThreads(name))
      return std::move(*together);
    if (const auto op = fromWord<UnaryOp>(name)) {
      ExprPtr operand = inParentheses();
      const Type type = op == UnaryOp::LogicNot ? Type::Bool
                        : op >= UnaryOp::Popcnt ? Type::I32
                                                : operand->type;
      return make(type, Unary{*op, std::move(operand)});
    }
    Type type = Type::I32;
    if (typeFromName(name, type))
      return make(type, Cast{inParentheses()});
    fail("`" + name + "` is nothing that an expression can begin with");
    return make(Type::I32, Const{});
  }

  ExprPtr expr() {
    blanks();
    const char next = peek();
    if (next == '(')
      return operation();
    if (next == '{')
      return sequence(depth);
    if (next == '%') {
      const unsigned l = known(local());
      return make(problem.empty() ? draft.locals[l].type : Type::I32, LocalRead{l});
    }
    if (std::isdigit(static_cast<unsigned char>(next)) || next == '-')
      return constant();
    if (!problem.empty() || !std::isalpha(static_cast<unsigned char>(next))) {
      fail("expected an expression");
      return make(Type::I32, Const{});
    }
    if (acceptWord("volatile"))
      return load(word(), true);
    if (accept("cached<")) {
      const auto cache = oneOf<Cache>("cache");
      expect(">");
      return load(word(), false, cache);
    }
    const std::string name = word();
    if (peek() == '[' || peek() == '@')
      return load(name, false);
    if (std::optional<unsigned> index = param(name))
      return make(typeOfParam(*index), ParamRead{*index});
    return call(name);
  }

  //--- Statements

  size_t depth = 0; ///< the depth of the statement that is read

  Block block(size_t indent) {
    Block body;
    while (at < text.size() && indentation() == indent) {
      at += 2 * indent;
      depth = indent;
      body.push_back({{}, stmt(indent)});
    }
    if (indentation() > indent)
      fail("unexpected indentation");
    return body;
  }

  decltype(Stmt::node) stmt(size_t indent) {
    if (acceptWord("if")) {
      ExprPtr condition = expr();
      endLine();
      Block then = block(indent + 1), otherwise;
      if (at < text.size() && indentation() == indent &&
          text.compare(at + 2 * indent, 5, "else\n") == 0) {
        at += 2 * indent + 5;
        otherwise = block(indent + 1);
      }
      return If{std::move(condition), std::move(then), std::move(otherwise)};
    }
    if (acceptWord("while")) {
      ExprPtr condition = expr();
      endLine();
      return While{std::move(condition), block(indent + 1)};
    }
    if (acceptWord("for")) {
      const unsigned l = known(local());
      expect("=");
      ExprPtr begin = expr();
      expect("to");
      ExprPtr end = expr();
      const int64_t step = acceptWord("step") ? number() : 1;
      unsigned unroll = unrollFreely;
      if (acceptWord("unroll"))
        unroll = acceptWord("whole") ? unrollWhole : unsigned(number());
      endLine();
      return For{l, std::move(begin), std::move(end), step, block(indent + 1), unroll};
    }
    if (acceptWord("scope")) {
      const unsigned id = unsigned(number());
      endLine();
      return Scope{id, block(indent + 1)};
    }
    decltype(Stmt::node) node = line();
    endLine();
    return node;
  }

  /// `"text" memory of_thread (operands)`
  Instruction instruction(std::vector<unsigned> results) {
    Instruction made{"", false, false, std::move(results), {}};
    expect("\"");
    while (at < text.size() && text[at] != '"')
      made.text += text[at++];
    expect("\"");
    made.accessesMemory = acceptWord("memory");
    made.isOfOneThread = acceptWord("of_thread");
    expect("(");
    while (problem.empty() && !accept(")")) {
      made.operands.push_back(expr());
      accept(",");
    }
    return made;
  }

  /// A statement of one line.
  decltype(Stmt::node) line() {
    if (acceptWord("leave"))
      return Leave{unsigned(number())};
    if (acceptWord("barrier"))
      return Barrier{};
    if (acceptWord("subgroup_barrier"))
      return SubgroupBarrier{};
    if (acceptWord("pause"))
      return Pause{};
    if (acceptWord("end_copies"))
      return AsyncCopies{};
    if (acceptWord("await_copies"))
      return AsyncCopies{unsigned(number())};
    if (acceptWord("fence"))
      return Fence{oneOf<FenceScope>("fence's scope")};
    if (acceptWord("check")) {
      Check check{0, expr(), {}, {}};
      expect("site");
      check.site = unsigned(number());
      if (accept(","))
        check.first = expr();
      if (accept(","))
        check.second = expr();
      return check;
    }
    if (acceptWord("instruction"))
      return instruction({});
    // An assignment or a store begins as an expression does.
    ExprPtr target = expr();
    std::vector<unsigned> results;
    while (accept(",")) {
      const auto *read = std::get_if<LocalRead>(&target->node);
      results.push_back(read ? read->local : 0);
      target = expr();
    }
    if (!accept("="))
      return Eval{std::move(target)};
    if (acceptWord("instruction")) {
      const auto *read = std::get_if<LocalRead>(&target->node);
      results.push_back(read ? read->local : 0);
      return instruction(std::move(results));
    }
    ExprPtr value = expr();
    if (auto *read = std::get_if<LocalRead>(&target->node))
      return Assign{read->local, std::move(value)};
    if (auto *load = std::get_if<Load>(&target->node))
      return Store{load->buffer, std::move(load->index), std::move(value), load->isVolatile,
                   load->cache};
    fail("nothing can be assigned to this");
    return Eval{std::move(value)};
  }

  //--- The draft

  void array(std::vector<ArrayDecl> &arrays) {
    ArrayDecl decl;
    decl.name = word();
    decl.type = type();
    expect("x");
    decl.count = uint64_t(number());
    arrays.push_back(std::move(decl));
  }

  void task() {
    DraftTask each;
    expect("block");
    each.task.blockDim = unsigned(number());
    each.task.light = acceptWord("light");
    each.task.turns = acceptWord("turns");
    each.task.serial = acceptWord("serial");
    each.task.fullBlocks = acceptWord("full");
    each.task.waits = acceptWord("waits");
    if (acceptWord("min_blocks"))
      each.task.minBlocks = unsigned(number());
    if (acceptWord("returns"))
      each.returnScope = unsigned(number());
    each.mayHaveReturned = acceptWord("behind_return");
    if (acceptWord("in"))
      each.span = unsigned(number());
    endLine();
    each.task.body = block(1);
    draft.tasks.push_back(std::move(each));
  }

  void header() {
    const std::string kind = word();
    if (kind == "param") {
      Param param;
      param.name = word();
      param.type = type();
      param.kind = acceptWord("buffer") ? Param::Buffer : Param::Value;
      draft.kernel.params.push_back(std::move(param));
    } else if (kind == "hidden") {
      HiddenBuffer hidden;
      hidden.role = oneOf<HiddenBuffer::Role>("role of a hidden buffer");
      hidden.name = word();
      hidden.type = type();
      expect("x");
      hidden.count = uint64_t(number());
      if (hidden.role == HiddenBuffer::Schedule)
        draft.schedule = unsigned(draft.kernel.hidden.size());
      draft.kernel.hidden.push_back(std::move(hidden));
    } else if (kind == "span") {
      Span span;
      span.kind = oneOf<Span::Kind>("span");
      expect("in");
      span.parent = unsigned(number());
      if (span.kind == Span::Checkpoint)
        span.label = number();
      draft.spans.push_back(span);
    } else if (kind == "local") {
      expect("%");
      Local local;
      local.name = word();
      local.name.resize(std::min(local.name.size(), local.name.rfind('.')));
      local.type = type();
      if (acceptWord("shown"))
        local.variable = 0;
      draft.locals.push_back(std::move(local));
    } else if (kind == "variable") {
      Components components;
      components.name = word();
      const unsigned first = known(local());
      expect("x");
      components.count = unsigned(number());
      draft.variables[first] = std::move(components);
    } else if (startsWith(kind, "shared")) {
      array(draft.shared);
    } else if (startsWith(kind, "private")) {
      array(draft.privates);
    } else if (kind == "returned") {
      draft.returned = known(local());
    } else {
      fail("`" + kind + "` begins no line of a draft");
    }
    endLine();
  }

  void read() {
    expect("draft");
    draft.kernel.instance = draft.kernel.name = word();
    expect("wave");
    draft.kernel.wave = unsigned(number());
    endLine();
    while (at < text.size())
      if (acceptWord("task"))
        task();
      else
        header();
  }
};

} // namespace

Draft parseDraft(const std::string &text, std::string &problem) {
  Reader reader{text, {}, {}};
  reader.read();
  problem = std::move(reader.problem);
  return std::move(reader.draft);
}

} // namespace sextant::hir

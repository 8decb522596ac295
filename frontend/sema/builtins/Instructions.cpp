// The library's way to a target's matrix unit: which one there is, its instructions in the target's
// own words, and the addresses that some of them take.
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

using hir::Type;

Value doMatrixUnit(Context &cx, CallSite &) { return Value::str(cx.matrixUnit()); }

/// Appends the scalars that a value consists of.
static bool addOperands(Context &cx, const Value &value, SourceRange at,
                        std::vector<hir::ExprPtr> &operands) {
  if (value.isCompound())
    return std::ranges::all_of(
        value.items, [&](const Value &item) { return addOperands(cx, item, at, operands); });
  ExprRef scalar = toRuntime(cx, value, at);
  if (!scalar)
    return false;
  operands.push_back(take(cx, std::move(scalar)));
  return true;
}

/// `_instruction(text, like, operands, memory, of_thread)`: as many results, of the same types, as
/// `like` has components; None: no result.
Value doInstruction(Context &cx, CallSite &site) {
  const Value &like = site.args[1];
  auto flag = [&](size_t k) { return site.given[k] && site.args[k].integer != 0; };
  hir::Instruction made{site.args[0].text, flag(3), flag(4), {}, {}};
  if (!addOperands(cx, site.args[2], site.at, made.operands))
    return Value();
  auto result = [&](const Value &component) {
    const ExprRef prototype = toRuntime(cx, component, site.at);
    if (!prototype)
      return Value();
    made.results.push_back(newLocal(cx, "result", prototype->type));
    return Value::scalar(makeLocal(made.results.back(), prototype->type, site.at));
  };
  Value value = like.kind == Value::None     ? Value::none()
                : like.kind == Value::Matrix ? mapItems(like, result)
                                             : result(like);
  emit(cx, site.at, std::move(made));
  return value;
}

/// `_address(array, index)`: of an element, in bytes.
Value doAddress(Context &cx, CallSite &site) {
  const auto place = elementPlace(cx, site.args[0].array, site.args[1], site.at, Access::Address);
  if (!place)
    return Value();
  const bool isShared = place->buffer.kind == hir::BufferRef::Shared;
  return Value::scalar(hir::makeExpr(isShared ? Type::U32 : Type::U64,
                                     hir::Address{place->buffer, take(cx, place->index)}, site.at));
}

/// `_word(array, index, number)`: 32 bits of the 16 bytes that begin at an element, which lies at a
/// multiple of 16 bytes in its array.
Value doWord(Context &cx, CallSite &site) {
  auto place = elementPlace(cx, site.args[0].array, site.args[1], site.at, Access::Address);
  if (!place)
    return Value();
  const Type type = place->index->type;
  auto step = [&](hir::BinaryOp op, Exact by) {
    place->index = makePosition(op, place->index, makeInt(by, type, site.at), site.at);
  };
  step(hir::BinaryOp::CDiv, 128 / bitWidth(place->element.type));
  step(hir::BinaryOp::Mul, 4);
  step(hir::BinaryOp::Add, site.integer(2));
  return Value::scalar(hir::makeExpr(
      Type::U32,
      hir::Load{.buffer = place->buffer, .index = take(cx, place->index), .isAligned = true},
      site.at));
}

/// `_matrix_type(use, rows, cols, dtype, word, count)`: the class of matrices that a subgroup has,
/// of whose values a lane holds `count` words in the member `words`.
Value doSubgroupMatrix(Context &cx, CallSite &site) {
  const std::string shape = spell(site.integer(1)) + "x" + spell(site.integer(2));
  const Value &dtype = site.args[3];
  const std::string of = dtype.kind == Value::Str ? dtype.text : spell(dtype.type);
  const std::string name = "subgroup.Matrix." + site.args[0].text + " of " + shape + " " + of;
  auto &known = cx.program.matrices[name];
  if (!known) {
    const ast::Module *library = cx.options.library("matrices/matrix");
    const auto base = moduleName(cx, cx.program.scopeOf(*library, "matrices"), "Matrix", site.at);
    auto type = std::make_shared<StructType>();
    type->name = name;
    type->bases = {base->type.structure};
    type->constants = {
        {"use", site.args[0]}, {"rows", site.args[1]}, {"cols", site.args[2]}, {"dtype", dtype}};
    StructMember words;
    words.name = "words";
    words.type.element = {site.dtype(4), unsigned(site.integer(5)), 1, true, true};
    type->members.push_back(std::move(words));
    known = std::move(type);
  }
  return Value::ofType(TypeValue::of(known));
}

} // namespace sextant::sema

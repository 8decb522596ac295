// Short spellings for building hir by hand in tests.
#pragma once

#include "frontend/hir/Hir.h"

#include <utility>

namespace hb {

using namespace sextant;
using hir::Type;

template <typename Node> hir::ExprPtr expr(Type type, Node node) {
  return hir::Expr{{}, type, std::move(node)};
}

template <typename Node> hir::Stmt stmt(Node node) { return hir::Stmt{{}, std::move(node)}; }

template <typename... Stmts> hir::Block block(Stmts... stmts) {
  hir::Block result;
  (result.push_back(std::move(stmts)), ...);
  return result;
}

inline hir::ExprPtr num(int64_t value, Type type = Type::I32) {
  return expr(type, hir::Const{uint64_t(value), double(value)});
}
inline hir::ExprPtr real(double value, Type type = Type::F32) {
  return expr(type, hir::Const{0, value});
}
inline hir::ExprPtr truth(bool value) { return expr(Type::Bool, hir::Const{value, 0}); }
inline hir::ExprPtr local(unsigned index, Type type = Type::I32) {
  return expr(type, hir::LocalRead{index});
}
inline hir::ExprPtr param(unsigned index, Type type = Type::I32) {
  return expr(type, hir::ParamRead{index});
}
inline hir::ExprPtr load(unsigned buffer, hir::ExprPtr index, Type type = Type::I32,
                         bool isVolatile = false) {
  return expr(type, hir::Load{{hir::BufferRef::Param, buffer}, std::move(index), isVolatile});
}
inline hir::ExprPtr unary(hir::UnaryOp op, hir::ExprPtr operand) {
  Type type = operand->type;
  return expr(type, hir::Unary{op, std::move(operand)});
}
inline hir::ExprPtr binary(hir::BinaryOp op, hir::ExprPtr lhs, hir::ExprPtr rhs) {
  Type type = op >= hir::BinaryOp::Lt ? Type::Bool : lhs->type;
  return expr(type, hir::Binary{op, std::move(lhs), std::move(rhs)});
}
inline hir::ExprPtr cast(Type type, hir::ExprPtr operand) {
  return expr(type, hir::Cast{std::move(operand)});
}

inline hir::Stmt assign(unsigned index, hir::ExprPtr value) {
  return stmt(hir::Assign{index, std::move(value)});
}
inline hir::Stmt store(unsigned buffer, hir::ExprPtr index, hir::ExprPtr value) {
  return stmt(
      hir::Store{{hir::BufferRef::Param, buffer}, std::move(index), std::move(value), false});
}
inline hir::Stmt when(hir::ExprPtr condition, hir::Block then, hir::Block otherwise = {}) {
  return stmt(hir::If{std::move(condition), std::move(then), std::move(otherwise)});
}
inline hir::Stmt scope(unsigned id, hir::Block body) {
  return stmt(hir::Scope{id, std::move(body)});
}
inline hir::Stmt leave(unsigned id) { return stmt(hir::Leave{id}); }
inline hir::Stmt loop(hir::ExprPtr condition, hir::Block body) {
  return stmt(hir::While{std::move(condition), std::move(body)});
}
inline hir::Stmt count(unsigned index, hir::ExprPtr begin, hir::ExprPtr end, int64_t step,
                       hir::Block body) {
  return stmt(hir::For{index, std::move(begin), std::move(end), step, std::move(body)});
}

/// A kernel of one task over parameters `params`.
inline hir::Kernel kernel(std::vector<hir::Param> params, std::vector<hir::Local> locals,
                          hir::Block body) {
  hir::Kernel result;
  result.name = result.instance = "k";
  result.params = std::move(params);
  hir::Task task;
  task.name = "k_t0";
  task.locals = std::move(locals);
  task.body = std::move(body);
  result.tasks.push_back(std::move(task));
  return result;
}
inline hir::Param buf(Type type) { return {hir::Param::Buffer, type, "buf"}; }
inline hir::Param val(Type type) { return {hir::Param::Value, type, "val"}; }

} // namespace hb

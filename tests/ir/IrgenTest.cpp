// Generated modules, from hir built by hand: control flow, locals, operators.
// What kernels compute is tested from source files by tests/conformance.
#include "frontend/irgen/Irgen.h"
#include "frontend/ir/SimtDialect.h"
#include "tests/ir/HirBuilder.h"
#include "tests/support/Catch.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace hb;
using Op = hir::BinaryOp;

/// The text of `kernel`'s module, or its errors.
static std::string text(const hir::Kernel &kernel) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string result;
  llvm::raw_string_ostream stream(result);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    stream << "error: " << diagnostic << "\n";
    return mlir::success();
  });
  if (auto module = generate(kernel, context))
    module->print(stream);
  return result;
}

static unsigned occurrences(const std::string &text, const std::string &word) {
  unsigned count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

#define CHECK_HAS(TEXT, WORD)                                                                      \
  do {                                                                                             \
    INFO(TEXT);                                                                                    \
    CHECK(occurrences(TEXT, WORD) > 0);                                                            \
  } while (false)
#define CHECK_COUNT(TEXT, WORD, N)                                                                 \
  do {                                                                                             \
    INFO(TEXT);                                                                                    \
    CHECK(occurrences(TEXT, WORD) == N);                                                           \
  } while (false)

TEST_CASE("parameters, task attributes and arrays") {
  hir::Kernel k = kernel({buf(Type::Bool), val(Type::Bool), buf(Type::F16), val(Type::U32)}, {},
                         block(store(0, num(0), param(1, Type::Bool))));
  k.wave = 16;
  k.tasks[0].blockDim = 64;
  k.tasks[0].fullBlocks = true;
  k.tasks[0].shared.push_back({"tile", Type::F64, 10, {}});
  k.tasks[0].privates.push_back({"own", Type::U8, 3, {}});
  std::string ir = text(k);
  CHECK_HAS(ir, "module @k attributes {simt.wave = 16 : i32}");
  CHECK_HAS(ir, "(%arg0: !simt.buffer<i8, global>, %arg1: i1, %arg2: !simt.buffer<f16, global>, "
                "%arg3: i32)");
  CHECK_HAS(ir, "simt.task = {block_dim = 64 : i32, full_blocks}");
  CHECK_HAS(ir, "simt.shared \"tile\" : !simt.buffer<f64, shared, 10>");
  CHECK_HAS(ir, "simt.private : !simt.buffer<i8, private, 3>");
  CHECK_HAS(ir, "arith.extui %arg1 : i1 to i8");
}

TEST_CASE("a local assigned in both branches is one result; others stay inside") {
  // if p: y = 1; x = y + 1  else: x = 2;  a[0] = x
  std::string ir = text(kernel(
      {buf(Type::I32), val(Type::I32)}, {{"x", Type::I32}, {"y", Type::I32}},
      block(when(binary(Op::Lt, param(1), num(3)),
                 block(assign(1, load(0, num(5))), assign(0, binary(Op::Add, local(1), num(1)))),
                 block(assign(0, load(0, num(7))))),
            store(0, num(0), local(0)))));
  CHECK_COUNT(ir, "scf.if", 1);
  CHECK_HAS(ir, "-> (i32)");
}

TEST_CASE("an early return moves what follows into the other branch, without flags") {
  // scope 0: { if n < 3: leave; a[0] = 1 }
  std::string ir =
      text(kernel({buf(Type::I32), val(Type::I32)}, {},
                  block(scope(0, block(when(binary(Op::Lt, param(1), num(3)), block(leave(0))),
                                       store(0, num(0), num(1)))))));
  CHECK_COUNT(ir, "scf.if", 1);
  CHECK_HAS(ir, "arith.cmpi sge");
  CHECK_COUNT(ir, "else", 0);
  CHECK_COUNT(ir, "i1", 0); // no flag
}

TEST_CASE("a counted loop is scf.for, and carries only what lives on") {
  // s = 0; for i in range(n): t = a[i]; s = s + t;  a[0] = s
  std::string ir = text(kernel({buf(Type::I32), val(Type::I32)},
                               {{"s", Type::I32}, {"i", Type::I32}, {"t", Type::I32}},
                               block(assign(0, num(0)),
                                     count(1, num(0), param(1), 1,
                                           block(assign(2, load(0, local(1))),
                                                 assign(0, binary(Op::Add, local(0), local(2))))),
                                     store(0, num(0), local(0)))));
  CHECK_COUNT(ir, "scf.for", 1);
  CHECK_COUNT(ir, "iter_args", 1);
  CHECK_HAS(ir, "-> (i32)");
}

TEST_CASE("a step that cannot pass the type's end needs no count; others count their iterations") {
  auto down = [](hir::ExprPtr begin, hir::ExprPtr end) {
    return text(kernel(
        {buf(Type::I32), val(Type::I32)}, {{"i", Type::I32}},
        block(count(0, std::move(begin), std::move(end), -3, block(store(0, local(0), num(1)))))));
  };
  std::string ir = down(param(1), num(0));
  CHECK_COUNT(ir, "scf.for", 1);
  CHECK_COUNT(ir, "arith.divui", 0);
  CHECK_HAS(ir, "step %c3_i32");
  ir = down(num(0), param(1)); // as far as the least number
  CHECK_COUNT(ir, "scf.for", 1);
  CHECK_HAS(ir, "arith.divui");
  CHECK_HAS(ir, "constant 3 : i32");
  CHECK_HAS(ir, "arith.subi %c-1_i32"); // downwards is upwards over the complement
}

TEST_CASE("steps of two may be more than an i32 counts: they are counted from its least number") {
  std::string ir =
      text(kernel({buf(Type::I32), val(Type::I32)}, {{"i", Type::I32}},
                  block(count(0, num(0), param(1), 2, block(store(0, local(0), num(1)))))));
  CHECK_HAS(ir, "arith.divui");
  CHECK_HAS(ir, "scf.for %arg2 = %c-2147483648_i32");
}

TEST_CASE("single steps need no count, down to the least number") {
  std::string ir =
      text(kernel({buf(Type::I32), val(Type::I32)}, {{"i", Type::I32}},
                  block(count(0, num(0), param(1), -1, block(store(0, local(0), num(1)))))));
  CHECK_COUNT(ir, "arith.divui", 0);
  CHECK_COUNT(ir, "arith.cmpi", 0);
}

TEST_CASE("break leaves through the loop's condition; continue needs no flag") {
  // scope 0 { for i: scope 1 { if a[i] == 0: leave 0; if a[i] == 1: leave 1; a[i] = 5 } }
  std::string ir = text(kernel(
      {buf(Type::I32), val(Type::I32)}, {{"i", Type::I32}},
      block(scope(
          0,
          block(count(
              0, num(0), param(1), 1,
              block(scope(1, block(when(binary(Op::Eq, load(0, local(0)), num(0)), block(leave(0))),
                                   when(binary(Op::Eq, load(0, local(0)), num(1)), block(leave(1))),
                                   store(0, local(0), num(5)))))))))));
  CHECK_COUNT(ir, "scf.while", 1);
  CHECK_COUNT(ir, "scf.if", 2);
  CHECK_COUNT(ir, "scf.for", 0);
}

TEST_CASE("a return from two loops guards what follows") {
  // scope 0 { while p: { while p: { if a[1]: leave 0 }; a[2] = 1 }; a[3] = 1 } a[4] = 1
  std::string ir = text(kernel(
      {buf(Type::I32), val(Type::Bool)}, {},
      block(scope(0, block(loop(binary(Op::Ne, load(0, num(9)), num(0)),
                                block(loop(binary(Op::Ne, load(0, num(8)), num(0)),
                                           block(when(binary(Op::Ne, load(0, num(1)), num(0)),
                                                      block(leave(0))))),
                                      store(0, num(2), num(1)))),
                           store(0, num(3), num(1)))),
            store(0, num(4), num(1)))));
  CHECK_COUNT(ir, "scf.while", 2);
  CHECK_COUNT(ir, "simt.store", 3);
  // Guards of a[2] and a[3]; a[4] is outside of any.
  CHECK_HAS(ir, "\n    simt.store");
}

TEST_CASE("conditional evaluation is lazy only where that shows") {
  auto conditional = [](hir::ExprPtr whenTrue) {
    return expr(Type::I32,
                hir::Conditional{binary(Op::Lt, param(1), num(3)), std::move(whenTrue), num(0)});
  };
  std::string cheap =
      text(kernel({buf(Type::I32), val(Type::I32)}, {},
                  block(store(0, num(0), conditional(binary(Op::Mul, param(1), num(5)))))));
  CHECK_COUNT(cheap, "scf.if", 0);
  CHECK_COUNT(cheap, "arith.select", 1);
  std::string lazy = text(kernel({buf(Type::I32), val(Type::I32)}, {},
                                 block(store(0, num(0), conditional(load(0, param(1)))))));
  CHECK_COUNT(lazy, "scf.if", 1);
}

TEST_CASE("an inlined function assigns its result on every path") {
  // a[0] = { scope 0 { if n < 0: r = 1; leave; r = 2 }; r }
  hir::Sequence sequence{block(scope(0, block(when(binary(Op::Lt, param(1), num(0)),
                                                   block(assign(0, load(0, num(1))), leave(0))),
                                              assign(0, load(0, num(2)))))),
                         local(0)};
  std::string ir = text(kernel({buf(Type::I32), val(Type::I32)}, {{"r", Type::I32}},
                               block(store(0, num(0), expr(Type::I32, std::move(sequence))))));
  CHECK_COUNT(ir, "scf.if", 1);
  CHECK_HAS(ir, "-> (i32)");
}

TEST_CASE("comparisons of reals are ordered, but not-equal is true on NaN") {
  std::string ir = text(kernel({buf(Type::Bool), val(Type::F32)}, {},
                               block(store(0, num(0), binary(Op::Ne, param(1, Type::F32), real(1))),
                                     store(0, num(1), binary(Op::Le, param(1, Type::F32), real(1))),
                                     store(0, num(2), cast(Type::Bool, param(1, Type::F32))))));
  CHECK_COUNT(ir, "arith.cmpf une", 2);
  CHECK_COUNT(ir, "arith.cmpf ole", 1);
}

TEST_CASE("signedness is in the operators") {
  auto both = [](Op op, Type type) {
    return text(kernel({buf(type), val(type), val(type)}, {},
                       block(store(0, num(0), binary(op, param(1, type), param(2, type))))));
  };
  CHECK_HAS(both(Op::Shr, Type::I32), "arith.shrsi");
  CHECK_HAS(both(Op::Shr, Type::U32), "arith.shrui");
  CHECK_HAS(both(Op::BitShr, Type::I64), "arith.shrui");
  CHECK_HAS(both(Op::Max, Type::U64), "arith.maxui");
  CHECK_HAS(both(Op::Max, Type::F32), "arith.maxnumf");
  CHECK_HAS(both(Op::FloorDiv, Type::U32), "arith.divui");
  CHECK_HAS(both(Op::FloorDiv, Type::I32), "arith.divsi");
  CHECK_HAS(both(Op::Mod, Type::F32), "arith.remf");
  CHECK_COUNT(both(Op::Shl, Type::I32), "arith.andi", 1);
}

TEST_CASE("powers of two divide by shifts") {
  std::string ir = text(kernel({buf(Type::I32), val(Type::I32)}, {},
                               block(store(0, num(0), binary(Op::FloorDiv, param(1), num(8))),
                                     store(0, num(1), binary(Op::Mod, param(1), num(8))))));
  CHECK_HAS(ir, "arith.shrsi");
  CHECK_HAS(ir, "arith.andi");
  CHECK_COUNT(ir, "arith.divsi", 0);
  CHECK_COUNT(ir, "arith.remsi", 0);
}

TEST_CASE("small constant powers are products") {
  std::string ir =
      text(kernel({buf(Type::F32), val(Type::F32)}, {},
                  block(store(0, num(0), binary(Op::Pow, param(1, Type::F32), num(5))))));
  CHECK_COUNT(ir, "arith.mulf", 3);
  CHECK_COUNT(ir, "scf.while", 0);
  std::string byLoop = text(kernel({buf(Type::I32), val(Type::I32)}, {},
                                   block(store(0, num(0), binary(Op::Pow, param(1), param(1))))));
  CHECK_COUNT(byLoop, "scf.while", 1);
}

TEST_CASE("a leave out of an expression is refused") {
  hir::Sequence sequence{block(leave(7)), num(1)};
  std::string ir =
      text(kernel({buf(Type::I32)}, {},
                  block(scope(7, block(store(0, num(0), expr(Type::I32, std::move(sequence))))))));
  CHECK_HAS(ir, "error: internal error: an expression leaves a loop or function around it");
}

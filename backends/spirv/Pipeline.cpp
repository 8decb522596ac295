// Prints and verifies SPIR-V between stages, and the stages that vulkan and metal share.
#include "backends/spirv/Pipeline.h"
#include "backends/spirv/BufferUse.h"
#include "backends/spirv/Features.h"
#include "backends/spirv/ScalarWriter.h"
#include "loader/abi/Features.h"

#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Turns.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

Expected<std::string> SpirvJob::print(Form form) const {
  if (form != Form::Spirv)
    return Job::print(form);
  std::string all;
  for (const SpirvCode &code : modules) {
    Expected<std::string> text = disassemble(code.words);
    if (!text)
      return text.takeError();
    all += *text;
  }
  return all;
}

Error SpirvJob::verify(Form form) const {
  if (form != Form::Spirv)
    return Job::verify(form);
  for (const SpirvCode &code : modules)
    if (Error error = validate(code.words))
      return error;
  return Error::success();
}

/// Every device has so much shared memory, so collecting updates asks for no more of it, but in
/// variants for devices that have more.
static constexpr uint64_t leastShared = 16 * 1024, moreShared = 48 * 1024;

static bool hasMoreShared(const SpirvJob &job) {
  return hasFeature(job.how, abi::wordOf(abi::VulkanFeature::Shared48k));
}

/// Calls `transform` with a function that tells whether a task may have more shared memory.
static Error
inShared(SpirvJob &job,
         function_ref<void(function_ref<bool(mlir::func::FuncOp, uint64_t)>)> transform) {
  if (job.options.optLevel > 0)
    transform([&](mlir::func::FuncOp task, uint64_t more) {
      return spirv::sharedBytes(task, job.how) + more <=
             (hasMoreShared(job) ? moreShared : leastShared);
    });
  return Error::success();
}

/// Metal has no atomics of 64 bits in shared memory, and some of Vulkan's devices have them only in
/// buffers.
static constexpr unsigned widestTotal = 32;

bool sextant::spirv::hasTallies(mlir::ModuleOp module) {
  return simt::hasTallies(module, widestTotal);
}

// Places that share tags in fours make it 4096 slots in 20 KiB. Eight blocks of 256 threads still
// fit an H200's multiprocessor, which 32 KiB each would not.
Error sextant::spirv::tallyAtomics(SpirvJob &job) {
  simt::TableSupport support{.mostBytes = leastShared, .widest = widestTotal};
  if (hasMoreShared(job)) {
    support.mostBytes = 20 * 1024;
    support.bytesOfThread = 80;
    support.neighbours = 4;
  }
  return inShared(job, [&](auto fits) { simt::tallyAtomics(job.tasks, support, fits); });
}

static bool hasAddresses(const SpirvJob &job) {
  return hasFeature(job.how, abi::wordOf(abi::VulkanFeature::BufferAddresses));
}

Error sextant::spirv::combineAtomics(SpirvJob &job) {
  const simt::CombineSupport support{.how = simt::CombineThrough::Shared,
                                     .hasAddresses = hasAddresses(job)};
  return inShared(job, [&](auto fits) { simt::combineAtomics(job.tasks, support, fits); });
}

Error sextant::spirv::loadAhead(SpirvJob &job) {
  if (job.options.optLevel > 0)
    simt::loadAhead(job.tasks);
  return Error::success();
}

static bool hasVectors(simt::BufferType buffer) {
  return buffer.getSpace() == simt::Space::Global && !isNarrowInteger(buffer.getElementType());
}

bool sextant::spirv::hasRows(mlir::ModuleOp module) { return simt::hasRows(module, hasVectors); }

Error sextant::spirv::vectorizeRows(SpirvJob &job) {
  if (job.options.optLevel > 0 && hasAddresses(job))
    simt::vectorizeRows(job.tasks, hasVectors);
  return Error::success();
}

Error sextant::spirv::vectorizeAccesses(SpirvJob &job) {
  // Where lanes have one place, they add together instead.
  auto isAdd = [&](simt::AtomicRmwOp op) {
    return op.getBuffer().getType().getSpace() == simt::Space::Global &&
           op.getValue().getType().isF32() && op.getIndex().getType().isInteger(32) &&
           isNativeOnReals(op, job.how) && !useOf(op.getBuffer(), job.how).asBits &&
           !simt::isAtOnePlace(op) && !simt::isOftenAtOnePlace(op);
  };
  if (job.options.optLevel > 0)
    simt::vectorizeAccesses(job.tasks, {hasVectors, isAdd});
  return Error::success();
}

/// A branch takes a few instructions itself, and the time of both sides where lanes differ.
static constexpr unsigned shortSide = 3;

Error sextant::spirv::evaluateConditions(SpirvJob &job) {
  if (job.options.optLevel > 0)
    simt::evaluateConditions(job.tasks, shortSide);
  return Error::success();
}

// Queues, command buffers and what encodes commands into them.
#include "tests/simulators/metal/FakeMetal.h"
#include "tests/simulators/metal/objc/FakeObjC.h"
#include "tests/simulators/metal/objc/Foundation.h"
#include "tests/simulators/metal/objc/Metal.h"

#include <cstdlib>
#include <cstring>

extern "C" void *_NSConcreteStackBlock[32];

namespace sextant::test::objc {
namespace {

/// The `kind` of a copied block. Only its address counts.
const char mallocBlock = 0;

Block *copyOf(Block *block) {
  if (!block || block->kind != _NSConcreteStackBlock || !block->call || !block->descriptor ||
      block->descriptor->size < sizeof(Block)) {
    misuse("addCompletedHandler: gets no block");
    return nullptr;
  }
  auto *copied = static_cast<Block *>(std::malloc(block->descriptor->size));
  std::memcpy(static_cast<void *>(copied), block, block->descriptor->size);
  copied->kind = &mallocBlock;
  if (block->flags & Block::hasCopyAndDispose)
    block->descriptor->copy(copied, block);
  return copied;
}

void dispose(Block *block) {
  if (block->flags & Block::hasCopyAndDispose)
    block->descriptor->dispose(block);
  std::free(block);
}

} // namespace

//===--- MTLCommandQueue, MTLCommandBuffer ---------------------------------===//

Id Queue::commandBuffer() {
  table::CommandsRef made = nullptr;
  if (functions().newCommands(ref, &made) != table::Success)
    return nullptr;
  return autoreleased(new CommandBuffer(made, device));
}

const Methods &Queue::list() {
  static const Methods all = {Bound<&Queue::commandBuffer>::as("commandBuffer")};
  return all;
}

CommandBuffer::~CommandBuffer() { handlersAreCalled(false); }

void CommandBuffer::handlersAreCalled(bool call) {
  for (Block *handler : handlers) {
    if (call)
      handler->call(handler, id());
    dispose(handler);
  }
  handlers.clear();
}

bool CommandBuffer::takesCommands(const char *what) {
  if (isCommitted)
    misuse(std::string(what) + " after commit");
  if (isEncoding)
    misuse(std::string(what) + " before the last encoder got endEncoding");
  return !isCommitted && !isEncoding;
}

Id CommandBuffer::computeEncoder() {
  if (!takesCommands("computeCommandEncoder") || fakeMetalFails("dispatch"))
    return nullptr;
  return autoreleased(new ComputeEncoder(*this));
}

Id CommandBuffer::blitEncoder() {
  if (!takesCommands("blitCommandEncoder") || fakeMetalFails("copy") || fakeMetalFails("fill"))
    return nullptr;
  return autoreleased(new BlitEncoder(*this));
}

void CommandBuffer::signalEvent(Id event, uint64_t value) {
  auto *target = as<Event>(event, "the event of encodeSignalEvent:");
  if (!target || !takesCommands("encodeSignalEvent:"))
    return;
  const Sure sure;
  fakeMetalSignal(ref, target->ref, value);
}

void CommandBuffer::waitForEvent(Id event, uint64_t value) {
  auto *target = as<Event>(event, "the event of encodeWaitForEvent:");
  if (!target || !takesCommands("encodeWaitForEvent:"))
    return;
  const Sure sure;
  (void)functions().wait(ref, target->ref, value);
}

void CommandBuffer::addCompletedHandler(Block *block) {
  if (isCommitted)
    misuse("addCompletedHandler: after commit");
  else if (Block *copied = copyOf(block))
    handlers.push_back(copied);
}

void CommandBuffer::commit() {
  if (!takesCommands("commit"))
    return;
  isCommitted = true;
  take(*this); // until it is done
  fakeMetalWhenDone(
      ref,
      [](void *given) {
        auto *self = static_cast<CommandBuffer *>(given);
        self->handlersAreCalled(true);
        giveBack(self);
      },
      this);
  const Sure sure;
  functions().commit(ref);
}

void CommandBuffer::waitUntilCompleted() {
  if (!isCommitted) {
    misuse("waitUntilCompleted of a command buffer that gets no commit");
    return;
  }
  const Sure sure;
  (void)functions().finish(ref);
}

UInteger CommandBuffer::status() {
  constexpr UInteger notEnqueued = 0, committed = 2, completed = 4, error = 5;
  if (!isCommitted)
    return notEnqueued;
  const Sure sure;
  const table::Result result = functions().status(ref);
  return result == table::NotReady ? committed : result == table::Success ? completed : error;
}

Id CommandBuffer::error() {
  const Sure sure;
  if (!isCommitted || functions().status(ref) != table::Failed)
    return nullptr;
  return autoreleased(new Error(functions().lastError()));
}

double CommandBuffer::gpuEndTime() { return functions().endTime(ref); }

const Methods &CommandBuffer::list() {
  static const Methods all = {
      Bound<&CommandBuffer::computeEncoder>::as("computeCommandEncoder"),
      Bound<&CommandBuffer::blitEncoder>::as("blitCommandEncoder"),
      Bound<&CommandBuffer::signalEvent>::as("encodeSignalEvent:value:"),
      Bound<&CommandBuffer::waitForEvent>::as("encodeWaitForEvent:value:"),
      Bound<&CommandBuffer::addCompletedHandler>::as("addCompletedHandler:"),
      Bound<&CommandBuffer::commit>::as("commit"),
      Bound<&CommandBuffer::waitUntilCompleted>::as("waitUntilCompleted"),
      Bound<&CommandBuffer::status>::as("status"),
      Bound<&CommandBuffer::error>::as("error"),
      Bound<&CommandBuffer::gpuEndTime>::as("GPUEndTime"),
  };
  return all;
}

//===--- MTLCommandEncoder -------------------------------------------------===//

Encoder::Encoder(CommandBuffer &commands) : commands(commands) {
  commands.isEncoding = true;
  take(commands);
}

Encoder::~Encoder() {
  if (!ended) {
    misuse("an encoder is gone without endEncoding");
    commands.isEncoding = false;
  }
  giveBack(&commands);
}

bool Encoder::isOpen(const char *what) {
  if (ended)
    misuse(std::string(what) + " after endEncoding");
  return !ended;
}

void Encoder::endEncoding() {
  if (!isOpen("endEncoding"))
    return;
  ended = true;
  commands.isEncoding = false;
}

//===--- MTLComputeCommandEncoder ------------------------------------------===//

ComputeEncoder::~ComputeEncoder() {
  for (Base *object : held)
    giveBack(object);
}

void ComputeEncoder::hold(Base &object) {
  take(object);
  held.push_back(&object);
}

void ComputeEncoder::setPipeline(Id given) {
  auto *found = as<Pipeline>(given, "the state of setComputePipelineState:");
  if (!found || !isOpen("setComputePipelineState:"))
    return;
  hold(*found);
  pipeline = found;
}

void ComputeEncoder::setBuffer(Id given, UInteger offset, UInteger index) {
  auto *buffer = as<Buffer>(given, "the buffer of setBuffer:");
  if (!buffer || !isOpen("setBuffer:"))
    return;
  if (index >= mostIndices || offset >= buffer->length) {
    misuse(index >= mostIndices ? "setBuffer: an index above 30"
                                : "setBuffer: an offset beyond the buffer");
    return;
  }
  hold(*buffer);
  slots[index] = {buffer, offset, ""};
}

void ComputeEncoder::setBytes(const void *bytes, UInteger length, UInteger index) {
  constexpr UInteger most = 4096;
  if (!isOpen("setBytes:"))
    return;
  if (!bytes || length == 0 || length > most || index >= mostIndices) {
    misuse(index >= mostIndices ? "setBytes: an index above 30"
                                : "setBytes: no bytes, or more than 4096");
    return;
  }
  slots[index] = {nullptr, 0, std::string(static_cast<const char *>(bytes), length)};
}

void ComputeEncoder::useResource(Id given, UInteger usage) {
  constexpr UInteger read = 1, write = 2;
  auto *buffer = as<Buffer>(given, "the resource of useResource:");
  if (!buffer || !isOpen("useResource:"))
    return;
  if (usage != (read | write))
    misuse("useResource: kernels read and write, so both have to be told");
  hold(*buffer);
  used.push_back(buffer);
}

std::string ComputeEncoder::Slot::content() const {
  return buffer ? std::string(static_cast<const char *>(buffer->memory) + offset,
                              buffer->length - offset)
                : bytes;
}

/// The buffers whose addresses lie at index 0. Code may reach only what was used.
std::vector<table::Binding> ComputeEncoder::bindingsOfTable() {
  const std::string content = slots[0].content();
  std::vector<table::Binding> found;
  for (size_t at = 0; at + sizeof(uint64_t) <= content.size(); at += sizeof(uint64_t)) {
    uint64_t address = 0;
    std::memcpy(&address, content.data() + at, sizeof address);
    const size_t before = found.size();
    for (Buffer *buffer : used)
      if (address - buffer->gpuAddress() < buffer->length && found.size() == before)
        found.push_back({buffer->ref, address - buffer->gpuAddress()});
    if (found.size() == before)
      misuse("an address in a table of no buffer that got useResource:");
  }
  return found;
}

void ComputeEncoder::dispatch(Size groups, Size threads) {
  if (!isOpen("dispatchThreadgroups:"))
    return;
  if (!pipeline || groups.width * groups.height * groups.depth == 0 ||
      threads.width * threads.height * threads.depth == 0 ||
      threads.width * threads.height * threads.depth > pipeline->maxTotalThreads()) {
    misuse("dispatchThreadgroups: no pipeline, nothing to do, or threadgroups that are too large");
    return;
  }
  if (groups.height != 1 || groups.depth != 1 || threads.height != 1 || threads.depth != 1)
    misuse("the stand-in runs grids of one dimension");
  UInteger next = 0;
  std::vector<table::Binding> buffers;
  const bool hasTable = !used.empty();
  if (hasTable) {
    buffers = bindingsOfTable();
    next = 1;
  }
  while (!hasTable && next < mostIndices && slots[next].isBound() && !slots[next].hasValues()) {
    buffers.push_back({slots[next].buffer->ref, slots[next].offset});
    ++next;
  }
  std::string values;
  if (next < mostIndices && slots[next].isBound())
    values = slots[next++].content();
  for (; next < mostIndices; ++next)
    if (slots[next].isBound())
      misuse("a buffer at an index that the kernel does not have");
  const table::Dispatch what{pipeline->ref,
                             static_cast<uint32_t>(groups.width),
                             static_cast<uint32_t>(threads.width),
                             buffers.data(),
                             static_cast<uint32_t>(buffers.size()),
                             hasTable,
                             static_cast<uint32_t>(values.size()),
                             values.data()};
  const Sure sure;
  (void)functions().dispatch(commands.ref, &what);
}

const Methods &ComputeEncoder::list() {
  static const Methods all = {
      Bound<&ComputeEncoder::deviceOf>::as("device"),
      Bound<&ComputeEncoder::setPipeline>::as("setComputePipelineState:"),
      Bound<&ComputeEncoder::setBuffer>::as("setBuffer:offset:atIndex:"),
      Bound<&ComputeEncoder::setBytes>::as("setBytes:length:atIndex:"),
      Bound<&ComputeEncoder::useResource>::as("useResource:usage:"),
      Bound<&ComputeEncoder::dispatch>::as("dispatchThreadgroups:threadsPerThreadgroup:"),
      Bound<&ComputeEncoder::endEncoding>::as("endEncoding"),
  };
  return all;
}

//===--- MTLBlitCommandEncoder ---------------------------------------------===//

/// macOS copies and fills multiples of 4 bytes.
static bool isInside(const Buffer &buffer, UInteger offset, UInteger size, const char *what) {
  const bool good = size > 0 && offset <= buffer.length && size <= buffer.length - offset &&
                    (offset | size) % 4 == 0;
  if (!good)
    misuse(std::string(what) + " a range that is empty, beyond the buffer, or not of 4 bytes each");
  return good;
}

void BlitEncoder::copy(Id from, UInteger fromOffset, Id to, UInteger toOffset, UInteger size) {
  auto *source = as<Buffer>(from, "the source of copyFromBuffer:");
  auto *target = as<Buffer>(to, "the destination of copyFromBuffer:");
  if (!source || !target || !isOpen("copyFromBuffer:") ||
      !isInside(*source, fromOffset, size, "copyFromBuffer: reads") ||
      !isInside(*target, toOffset, size, "copyFromBuffer: writes"))
    return;
  const Sure sure;
  (void)functions().copy(commands.ref, target->ref, toOffset, source->ref, fromOffset, size);
}

void BlitEncoder::fill(Id given, Range range, uint8_t value) {
  auto *buffer = as<Buffer>(given, "the buffer of fillBuffer:");
  if (!buffer || !isOpen("fillBuffer:") ||
      !isInside(*buffer, range.location, range.length, "fillBuffer: has"))
    return;
  const Sure sure;
  (void)functions().fill(commands.ref, buffer->ref, range.location, range.length, value);
}

const Methods &BlitEncoder::list() {
  static const Methods all = {
      Bound<&BlitEncoder::deviceOf>::as("device"),
      Bound<&BlitEncoder::copy>::as("copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:"),
      Bound<&BlitEncoder::fill>::as("fillBuffer:range:value:"),
      Bound<&BlitEncoder::endEncoding>::as("endEncoding"),
  };
  return all;
}

} // namespace sextant::test::objc

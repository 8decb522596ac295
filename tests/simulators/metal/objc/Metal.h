// Metal's classes over the stand-in for the loader's table: each object holds the table's, and its
// methods check what Apple's documentation asks of their callers.
#pragma once

#include "loader/devices/metal/Driver.h"
#include "tests/simulators/metal/objc/Runtime.h"

namespace sextant::test::objc {

namespace table = loader::metal;
const table::Functions &functions();

/// Within: the calls of the table are counted, and none fails. Messages that return nothing cannot.
class Sure {
public:
  Sure();
  ~Sure();
};

class Device : public Base {
public:
  explicit Device(uint32_t ordinal);
  const char *className() const override { return "MTLDevice"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  Id name();
  bool supportsFamily(Integer family);
  UInteger argumentBuffersSupport();
  uint64_t workingSetSize();
  UInteger threadgroupMemory();
  UInteger maxBufferLength();
  Id newBuffer(UInteger length, UInteger options);
  Id newBufferWithBytes(const void *bytes, UInteger length, UInteger options);
  Id newLibrary(Id source, Id options, Id *error);
  Id newPipeline(Id function, Id *error);
  Id newQueue(UInteger most);
  Id newSharedEvent();

private:
  table::DeviceInfo info();

  const uint32_t ordinal;
  table::DeviceRef ref = nullptr;
};

class CompileOptions : public Base {
public:
  const char *className() const override { return "MTLCompileOptions"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  void setLanguageVersion(UInteger version);
  void setFastMath(bool enabled) { fastMath = enabled; }

  uint32_t major = 0, minor = 0;
  bool fastMath = true; ///< as Metal begins
};

/// Owns an object of the table.
template <class Ref> class Holder : public Base {
public:
  explicit Holder(Ref ref) : ref(ref) {}
  ~Holder() override { functions().release(ref); }
  const Ref ref;
};

class Library : public Holder<table::LibraryRef> {
public:
  using Holder::Holder;
  const char *className() const override { return "MTLLibrary"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  Id newFunction(Id name);
};

class Function : public Base {
public:
  Function(Library &library, std::string name) : library(library), name(std::move(name)) {
    take(library);
  }
  ~Function() override { giveBack(&library); }
  const char *className() const override { return "MTLFunction"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  Library &library;
  const std::string name;
};

class Pipeline : public Holder<table::PipelineRef> {
public:
  Pipeline(table::PipelineRef ref, uint32_t most, uint32_t width)
      : Holder(ref), most(most), width(width) {}
  const char *className() const override { return "MTLComputePipelineState"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  UInteger maxTotalThreads() { return most; }
  UInteger executionWidth() { return width; }

private:
  const uint32_t most, width;
};

class Buffer : public Holder<table::BufferRef> {
public:
  Buffer(table::BufferRef ref, void *memory, uint64_t length, bool isCopy)
      : Holder(ref), memory(memory), length(length), isCopy(isCopy) {}
  const char *className() const override { return "MTLBuffer"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  void *contents() { return memory; }
  uint64_t gpuAddress();

  void *const memory;
  const uint64_t length;
  const bool isCopy; ///< a copy of bytes: what a kernel's values are bound as if they are many
};

class Event : public Holder<table::EventRef> {
public:
  using Holder::Holder;
  const char *className() const override { return "MTLSharedEvent"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  uint64_t signaledValue();
  void setSignaledValue(uint64_t value);
};

class Queue : public Holder<table::QueueRef> {
public:
  Queue(table::QueueRef ref, Device &device) : Holder(ref), device(device) {}
  const char *className() const override { return "MTLCommandQueue"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  Id commandBuffer();

private:
  Device &device;
};

class CommandBuffer : public Holder<table::CommandsRef> {
public:
  CommandBuffer(table::CommandsRef ref, Device &device) : Holder(ref), device(device) {}
  ~CommandBuffer() override;
  const char *className() const override { return "MTLCommandBuffer"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  Id computeEncoder();
  Id blitEncoder();
  void signalEvent(Id event, uint64_t value);
  void waitForEvent(Id event, uint64_t value);
  void addCompletedHandler(Block *block);
  void commit();
  void waitUntilCompleted();
  UInteger status();
  Id error();
  double gpuEndTime();

  Device &device;
  bool isEncoding = false; ///< an encoder has not ended

private:
  /// True if something may be encoded now.
  bool takesCommands(const char *what);
  void handlersAreCalled(bool call);

  bool isCommitted = false;
  std::vector<Block *> handlers; ///< copies
};

class Encoder : public Base {
public:
  explicit Encoder(CommandBuffer &commands);
  ~Encoder() override;
  Id deviceOf() { return commands.device.id(); }
  void endEncoding();

protected:
  bool isOpen(const char *what);

  CommandBuffer &commands;

private:
  bool ended = false;
};

class ComputeEncoder : public Encoder {
public:
  using Encoder::Encoder;
  ~ComputeEncoder() override;
  const char *className() const override { return "MTLComputeCommandEncoder"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  void setPipeline(Id pipeline);
  void setBuffer(Id buffer, UInteger offset, UInteger index);
  void setBytes(const void *bytes, UInteger length, UInteger index);
  void useResource(Id buffer, UInteger usage);
  void dispatch(Size groups, Size threads);

private:
  static constexpr UInteger mostIndices = 31;
  struct Slot {
    Buffer *buffer = nullptr;
    uint64_t offset = 0;
    std::string bytes;
    bool isBound() const { return buffer || !bytes.empty(); }
    /// True if it holds values, and not an array.
    bool hasValues() const { return !bytes.empty() || (buffer && buffer->isCopy); }
    std::string content() const;
  };
  std::vector<table::Binding> bindingsOfTable();
  void hold(Base &object);

  Pipeline *pipeline = nullptr;
  Slot slots[mostIndices];
  std::vector<Buffer *> used;
  std::vector<Base *> held;
};

class BlitEncoder : public Encoder {
public:
  using Encoder::Encoder;
  const char *className() const override { return "MTLBlitCommandEncoder"; }
  const Methods &methods() const override { return list(); }
  static const Methods &list();
  void copy(Id from, UInteger fromOffset, Id to, UInteger toOffset, UInteger size);
  void fill(Id buffer, Range range, uint8_t value);
};

ClassObject *compileOptionsClass();

} // namespace sextant::test::objc

// A module on a device: chosen variants, loaded images, globals. It also holds all that a launch
// needs, computed once, so that the launch only checks and copies.
#pragma once

#include "loader/Handles.h"
#include "loader/abi/Schedule.h"

struct sxt_program;

namespace sextant::loader {

/// One argument, in the form in which the launch checks it.
struct ArgumentPlan {
  const module::Argument *argument = nullptr;
  uint32_t elementBytes = 0; ///< one scalar
  uint32_t elementScalars = 1;
  uint32_t firstParam = 0;
  uint32_t offset = 0;    ///< in the block: of the pointer, or of the value
  uint32_t alignment = 1; ///< bytes that an array's address is a multiple of
};

/// One hidden buffer's pointer in the block.
struct HiddenPlan {
  uint32_t offset = 0;    ///< in the block
  bool temporary = false; ///< it belongs to a launch: its address is the stream's temporary plus …
  uint64_t address = 0;   ///< … this
  const sxt_buffer *global = nullptr; ///< a field's memory, which may move between launches
};

/// Two values that a launch computes: those of the division by `divisor`.
struct DivisionPlan {
  module::LaunchExpr divisor;
  uint32_t multiplierOffset = 0, shiftOffset = 0; ///< in the block; noOffset: the kernel lacks it
  static constexpr uint32_t noOffset = 0xffffffff;
};

/// One return value in the stream's temporary memory.
struct ResultPlan {
  const module::Hidden *buffer = nullptr;
  uint64_t offset = 0, bytes = 0;
};

struct TaskPlan {
  LoadedTask loaded;
  const module::Task *task = nullptr;
};

/// A kernel's schedule as a graph of the device, which loops by itself.
struct ScheduleGraph {
  std::mutex mutex; ///< held while it is changed and queued
  std::vector<std::byte> memory;
  std::vector<uint64_t> handles;      ///< one for each loop
  std::unique_ptr<DeviceGraph> graph; ///< null: none was made yet
  bool isRefused = false;             ///< the device makes none
  /// Memory for the schedule's words, if tasks of a graph do not look at them: they keep the
  /// handles from launch to launch. 0: they are in a launch's memory.
  uint64_t words = 0;
  bool hasHandles = false; ///< those words have the graph's: a launch writes none
};

} // namespace sextant::loader

namespace sextant::loader {
/// A launch's status, without a message, that asks for the kernel's variant for large arrays.
inline constexpr sxt_status needsLarge = SXT_ERROR_UNSUPPORTED;
} // namespace sextant::loader

struct sxt_kernel {
  sxt_program *program = nullptr;
  uint32_t index = 0; ///< in the module
  const sextant::module::Kernel *record = nullptr;
  const sextant::module::Variant *variant = nullptr;
  std::string target;
  bool isLarge = false;    ///< the variant for large arrays
  bool keepsApart = false; ///< it has arrays that may not share memory (abi::Argument::isApart)
  size_t largeVerdict = 0; ///< that of the same variant for large arrays; 0: there is none
  /// That variant, once a launch has needed it. The slot's mutex guards it.
  std::unique_ptr<sxt_kernel> large;
  const sextant::loader::LaunchRecord *ran = nullptr; ///< the device's

  std::vector<sextant::module::Param> params;
  uint32_t blockBytes = 0;
  std::vector<sextant::loader::ArgumentPlan> arguments;
  std::vector<sextant::loader::HiddenPlan> hidden; ///< buffers
  std::vector<sextant::loader::DivisionPlan> divisions;
  std::vector<sextant::loader::ResultPlan> results;
  uint64_t resultBytes = 0;                        ///< results lie first in the temporary memory
  uint64_t temporaryBytes = 0;                     ///< 0: the launch needs none
  const sextant::module::Hidden *faults = nullptr; ///< null: a build without checks
  uint64_t faultOffset = 0; ///< place of their record in the temporary memory
  /// The texts of what the kernel prints; null: it prints nothing. Streams keep them, too.
  std::shared_ptr<const std::string> prints;
  uint32_t printOffset = 0; ///< in the block: of the pointer to the stream's prints
  std::vector<sextant::loader::TaskPlan> tasks;
  std::vector<sextant::abi::Span> spans; ///< the schedule's
  uint64_t scheduleOffset = 0;           ///< the place of its words in the temporary memory
  uint32_t scheduleParam = 0;            ///< in the block: of the words' address
  size_t scheduleWords = 0;              ///< 0: the kernel has no schedule
  /// Null if the host runs loops: the device has no such graphs, or the code knows nothing of them.
  std::unique_ptr<sextant::loader::ScheduleGraph> scheduleGraph;
  /// Temporary memory of the kernel's own, if it has checkpoints: what it holds outlives a launch,
  /// for the one that resumes it. 0: it has none, and uses the streams'.
  uint64_t kept = 0;

  ~sxt_kernel();
};

namespace sextant::loader {

/// The result of measuring one variant.
struct Measured {
  size_t verdict = 0;
  bool fastest = false;
  uint32_t samples = 0, launches = 0;
  double median = 0, minimum = 0, spread = 0; ///< milliseconds a launch
  std::string problem;                        ///< empty: no problem
};

/// One line of a file of preferences.
struct Preference {
  std::string kernel, target;
};

/// Reads the preferences for a device. Problems with the file are only logged.
std::vector<Preference> readPreferences(const char *path, const module::DeviceFacts &device);

/// Returns the rules of a program's options. Where these are silent, the environment decides.
module::SelectRules rulesOf(const sxt_program_options &options);

/// All state of one kernel of a program, filled in step by step.
struct KernelSlot {
  std::mutex mutex;
  // The result of selection.
  bool selected = false;
  std::vector<module::Verdict> verdicts;
  std::vector<std::string> targets; ///< targets of each verdict, then of each refusal
  size_t chosen = 0; ///< number of a verdict: the best, or a preferred or measured one
  /// For each verdict, why its variant does not load; null if it loads or was not tried.
  std::vector<std::unique_ptr<std::string>> problems;
  std::vector<std::unique_ptr<std::string>> texts; ///< the last one holds
  // The loaded kernel. Handles that were given out before stay valid.
  std::unique_ptr<sxt_kernel> kernel;
  std::vector<std::unique_ptr<sxt_kernel>> retired;
  std::vector<Measured> measured;
};

/// Called before and after the tasks of a launch of a kernel with checks, under the stream's
/// `order`. The first clears the record of faults. The second waits for the launch and reports what
/// the record holds.
sxt_status clearFaults(const sxt_kernel &kernel, sxt_stream &stream, uint64_t temporary);
sxt_status reportFaults(const sxt_kernel &kernel, sxt_stream &stream, uint64_t temporary);

/// Called before a launch of a kernel that prints, under the stream's `order`: gives the stream its
/// buffer of prints, and the launch the buffer.
sxt_status preparePrints(const sxt_kernel &kernel, sxt_stream &stream, std::byte *block);

/// Makes the text of sxt_program_explain anew. The caller holds the slot's mutex.
void explain(const module::Kernel &kernel, KernelSlot &slot);

struct ImageSlot {
  std::mutex mutex;
  std::unique_ptr<LoadedImage> image;
};

struct GlobalSlot {
  std::mutex mutex;
  /// Its device is null until it has memory. It owns none that the field is bound to.
  sxt_buffer buffer;
};

/// Returns the slot of that number. The first call makes it.
template <class Slot>
Slot &slotOf(std::mutex &mutex, std::unordered_map<uint32_t, std::unique_ptr<Slot>> &slots,
             uint32_t index) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Slot> &slot = slots[index];
  if (!slot)
    slot = std::make_unique<Slot>();
  return *slot;
}

} // namespace sextant::loader

struct sxt_program {
  std::shared_ptr<sextant::loader::ModuleState> module;
  std::shared_ptr<sextant::loader::DeviceState> device;
  sextant::module::SelectRules rules;
  std::vector<sextant::loader::Preference> preferences;

  std::mutex mutex; ///< guards the maps, not their values
  std::unordered_map<uint32_t, std::unique_ptr<sextant::loader::ImageSlot>> images;
  std::unordered_map<uint32_t, std::unique_ptr<sextant::loader::GlobalSlot>> globals;
  std::unordered_map<uint32_t, std::unique_ptr<sextant::loader::KernelSlot>> kernels;

  ~sxt_program();
  /// Finds the kernel's slot and fills in its verdicts.
  sxt_status select(const char *name, uint32_t &index, sextant::loader::KernelSlot *&slot);
  /// Loads the chosen variant into the slot. If the device refuses it, loads the next usable one.
  /// The caller holds the slot's mutex.
  sxt_status loadChosen(uint32_t index, sextant::loader::KernelSlot &slot);
  /// Loads the variant of one of the slot's verdicts. The caller holds the slot's mutex.
  sxt_status load(uint32_t index, sextant::loader::KernelSlot &slot, size_t verdict,
                  std::unique_ptr<sxt_kernel> &kernel);
  /// Returns the variant of a kernel for large arrays, if `status`, that of its launch, says that
  /// it is needed. Otherwise fails with it. The first launch that needs the variant loads it.
  sxt_status large(sxt_kernel &kernel, sxt_status status, sxt_kernel *&found);
  /// Returns the memory of a field. The first call allocates it, if it is bound to none.
  sxt_status global(uint32_t index, sxt_buffer *&buffer);
  /// Gives a field memory of the application, or its own. \param buffer null: its own
  sxt_status bindGlobal(uint32_t index, const sxt_buffer *buffer, uint64_t offset);
  sxt_status image(uint32_t index, const std::string &format, sextant::loader::LoadedImage *&image);

private:
  sxt_status globalSlot(uint32_t index, const sextant::module::Global *&global,
                        sextant::loader::GlobalSlot *&slot);
};

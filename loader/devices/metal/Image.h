// Metal code on a device: one library and one pipeline for each task.
#pragma once

#include "loader/abi/BindingLayout.h"
#include "loader/devices/Device.h"
#include "loader/devices/metal/Core.h"

#include <mutex>
#include <string_view>

namespace sextant::loader::metal {

/// The struct that LoadedTask::function points to.
struct Task {
  Ref<PipelineRef> pipeline;
  abi::BindingLayout bindings;
  bool hasTable = false; ///< true: a table has the buffers' addresses
};

/// One text of an image, see splitImage().
struct Source {
  std::string kernel; ///< that it defines
  unsigned languageMajor = 0, languageMinor = 0;
  std::string_view text; ///< with the heading
};

/// Splits an image of format "msl", which holds one Metal text for each task. Each text begins with
/// the line
///     // Sextant: Metal 3.0, kernel NAME
/// and is complete in itself. SPIRV-Cross gives helpers and structures of different tasks the same
/// names, so each task is compiled as a library of its own. The result is empty if `image` does not
/// have that form.
std::vector<Source> splitImage(std::string_view image);

class MetalImage : public LoadedImage {
public:
  MetalImage(Core &core, std::string text) : core(core), text(std::move(text)) {}
  /// Reads the headings.
  sxt_status open();
  sxt_status findTask(const module::Task &task, const module::BlockLayout &layout,
                      const module::Resources &resources, LoadedTask &loaded) override;

private:
  Core &core;
  std::string text;
  std::vector<Source> sources;
  std::mutex mutex;
  std::vector<std::unique_ptr<Task>> tasks; ///< one for each source, compiled when first asked for
};

} // namespace sextant::loader::metal

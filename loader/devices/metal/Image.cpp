// Splits images into texts and compiles them.
#include "loader/devices/metal/Image.h"

#include <charconv>
#include <memory>

namespace sextant::loader::metal {
namespace {

constexpr std::string_view heading = "// Sextant: Metal ";

bool takeNumber(std::string_view &text, unsigned &value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

bool take(std::string_view &text, std::string_view word) {
  if (!text.starts_with(word))
    return false;
  text.remove_prefix(word.size());
  return true;
}

} // namespace

std::vector<Source> splitImage(std::string_view image) {
  std::vector<Source> sources;
  while (!image.empty()) {
    std::string_view line = image.substr(0, image.find('\n'));
    Source source;
    if (!take(line, heading) || !takeNumber(line, source.languageMajor) || !take(line, ".") ||
        !takeNumber(line, source.languageMinor) || !take(line, ", kernel ") || line.empty())
      return {};
    source.kernel = line;
    size_t next = image.find("\n" + std::string(heading));
    next = next == image.npos ? image.size() : next + 1;
    source.text = image.substr(0, next);
    sources.push_back(std::move(source));
    image.remove_prefix(next);
  }
  return sources;
}

sxt_status MetalImage::open() {
  sources = splitImage(text);
  tasks.resize(sources.size());
  if (!sources.empty())
    return SXT_OK;
  return fail(SXT_ERROR_BAD_MODULE, "the msl image does not begin as one");
}

sxt_status MetalImage::findTask(const module::Task &task, const module::BlockLayout &layout,
                                const module::Resources &, LoadedTask &loaded) {
  std::lock_guard lock(mutex);
  size_t number = 0;
  while (number < sources.size() && sources[number].kernel != task.symbol)
    ++number;
  if (number == sources.size())
    return fail(SXT_ERROR_BAD_MODULE, "the Metal image has no kernel '%s'", task.symbol.c_str());
  std::unique_ptr<Task> &slot = tasks[number];
  if (!slot) {
    const Source *source = &sources[number];
    LibraryRef library = nullptr;
    Result result = core.api.newLibrary(core.device.get(), source->text.data(), source->text.size(),
                                        source->languageMajor, source->languageMinor, &library);
    Ref<LibraryRef> holder(core.api, library);
    if (result != Success)
      return core.check(result, ("the code of '" + task.symbol + "' does not compile").c_str());
    auto made = std::make_unique<Task>();
    PipelineRef pipeline = nullptr;
    uint32_t maxThreads = 0, width = 0;
    result = core.api.newPipeline(core.device.get(), library, task.symbol.c_str(), &pipeline,
                                  &maxThreads, &width);
    made->pipeline = {core.api, pipeline};
    if (result != Success)
      return core.check(result, ("the code of '" + task.symbol + "' does not load").c_str());
    made->bindings = abi::BindingLayout(layout);
    made->hasTable = abi::BindingPlaces::takesMetalTable(made->bindings.buffers.size(),
                                                         made->bindings.valueBytes != 0);
    if (loaded.wave != 0 && width != loaded.wave)
      return fail(SXT_ERROR_UNSUPPORTED,
                  "task '%s' is built for SIMD-groups of %u threads: %s runs it in %u",
                  task.symbol.c_str(), loaded.wave, core.name.c_str(), width);
    if (task.blockDim > maxThreads)
      return fail(SXT_ERROR_UNSUPPORTED,
                  "task '%s' has blocks of %u threads: %s has registers for %u of them",
                  task.symbol.c_str(), task.blockDim, core.name.c_str(), maxThreads);
    slot = std::move(made);
  }
  loaded.function = slot.get();
  loaded.blockDim = task.blockDim;
  return SXT_OK;
}

} // namespace sextant::loader::metal

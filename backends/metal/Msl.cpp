// SPIRV-Cross's C interface, configured so that buffers get the indices of their bindings.
#include "backends/metal/Msl.h"
#include "backends/Errors.h"
#include "backends/metal/MslRepairs.h"

#include <spirv_cross/spirv_cross_c.h>

using namespace llvm;
using namespace sextant;

namespace {

/// A context of SPIRV-Cross, and the last message of its callback.
class Cross {
public:
  Cross() {
    if (spvc_context_create(&context) != SPVC_SUCCESS)
      report_bad_alloc_error("no memory for SPIRV-Cross");
    // Without a callback, an error of SPIRV-Cross would only be a number.
    spvc_context_set_error_callback(
        context, [](void *self, const char *text) { static_cast<Cross *>(self)->message = text; },
        this);
  }
  ~Cross() { spvc_context_destroy(context); }
  Cross(const Cross &) = delete;
  Cross &operator=(const Cross &) = delete;

  Error check(spvc_result result) const {
    if (result == SPVC_SUCCESS)
      return Error::success();
    return fail("SPIRV-Cross: " + message);
  }

  spvc_context context = nullptr;
  std::string message;
};

} // namespace

static Error bind(const Cross &cross, spvc_compiler compiler, unsigned set, unsigned binding,
                  unsigned index) {
  spvc_msl_resource_binding place;
  spvc_msl_resource_binding_init(&place);
  place.stage = SpvExecutionModelGLCompute;
  place.desc_set = set;
  place.binding = binding;
  place.msl_buffer = index;
  return cross.check(spvc_compiler_msl_add_resource_binding(compiler, &place));
}

Expected<std::string> sextant::emitMsl(ArrayRef<uint32_t> words, const MslTask &task,
                                       MslVersion version) {
  Cross cross;
  spvc_parsed_ir ir = nullptr;
  spvc_compiler compiler = nullptr;
  spvc_compiler_options options = nullptr;
  if (Error error =
          cross.check(spvc_context_parse_spirv(cross.context, words.data(), words.size(), &ir)))
    return std::move(error);
  if (Error error = cross.check(spvc_context_create_compiler(
          cross.context, SPVC_BACKEND_MSL, ir, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler)))
    return std::move(error);
  if (Error error = cross.check(spvc_compiler_create_compiler_options(compiler, &options)))
    return std::move(error);
  spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_MSL_VERSION, version.number());
  spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_MSL_PLATFORM,
                                 SPVC_MSL_PLATFORM_MACOS);
  // Each value gets a variable. Otherwise SPIRV-Cross moves a shuffle or an atomic operation that
  // is used once into the expression that uses it. There, not every lane may reach it: a side of
  // `?:` is evaluated only if needed.
  spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_FORCE_TEMPORARY, SPVC_TRUE);
  // Uses array types of Metal itself, not a helper class.
  spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_MSL_FORCE_NATIVE_ARRAYS, SPVC_TRUE);
  if (Error error = cross.check(spvc_compiler_install_compiler_options(compiler, options)))
    return std::move(error);
  for (unsigned binding = 0; binding <= task.buffers; ++binding)
    if (Error error = bind(cross, compiler, 0, binding, binding))
      return std::move(error);
  if (Error error = bind(cross, compiler, SPVC_MSL_PUSH_CONSTANT_DESC_SET,
                         SPVC_MSL_PUSH_CONSTANT_BINDING, task.buffers))
    return std::move(error);
  const char *text = nullptr;
  if (Error error = cross.check(spvc_compiler_compile(compiler, &text)))
    return std::move(error);
  const char *kernel = spvc_compiler_get_cleansed_entry_point_name(compiler, task.kernel.c_str(),
                                                                   SpvExecutionModelGLCompute);
  if (!kernel || kernel != task.kernel)
    return fail("'" + task.kernel +
                "' is not a name for a kernel in Metal; SPIRV-Cross "
                "would call it '" +
                (kernel ? kernel : "") + "'");
  std::string result = text;
  restoreFences(result);
  restoreMinMax(result);
  writeInstructions(result, task.instructions);
  defineAtomicAdd(result);
  keepSigns(result);
  if (task.hasTable)
    takeFromTable(result, task.buffers);
  return result;
}

/* The Sextant loader. It opens modules that the `sextant` command compiled, picks the variant of
 * each kernel that fits a device, and launches it.
 *
 * These rules hold for every call:
 *  - A call returns a status. SXT_OK is zero. After any other status, the out-parameters are
 *    untouched and sxt_last_error_message() says what went wrong. The loader never throws or exits.
 *    It prints only what SEXTANT_LOG asks for. It runs no code when the library is loaded.
 *  - Null for a required handle or pointer is SXT_ERROR_INVALID_ARGUMENT.
 *  - The program may make calls from any thread at any time, also on the same handle. There are two
 *    exceptions: do not release a handle while another call uses it, and use a prepared launch or a
 *    graph from one thread at a time.
 *  - Besides the errors that a comment names, any call may return SXT_ERROR_OUT_OF_MEMORY. A call
 *    that reaches a device may return SXT_ERROR_DEVICE with the driver's own message.
 *  - A stream, an event, a buffer or a kernel of another device is SXT_ERROR_INVALID_ARGUMENT.
 *  - The caller owns each handle that a `*_create`, `*_open*`, `*_wrap*` or `*_adopt` function
 *    returns, and gives it back with the `*_release` function of its kind.
 *  - A `*_release` function accepts null. An object keeps alive what it needs, so the caller may
 *    release handles in any order. A stream finishes its queued work before it goes away.
 *  - Structs begin with their size. Set `struct_size = sizeof(the struct)` before a call: then a
 *    program that was built against an older header keeps working.
 *  - Strings are UTF-8 and end with NUL. A `const char *` that the loader returns belongs to the
 *    object that the caller asked, and lives as long as that object.
 *  - A size or offset counts bytes if its name says so, and elements otherwise.
 */
#ifndef SEXTANT_SEXTANT_H
#define SEXTANT_SEXTANT_H

#include <stddef.h>
#include <stdint.h>

/* Windows: define SXT_SHARED to call the loader in its DLL, as the CMake target does. */
#if defined(_WIN32) && defined(SXT_SHARED)
#define SXT_API_VOID __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define SXT_API_VOID __attribute__((visibility("default")))
#else
#define SXT_API_VOID
#endif
#if defined(__cplusplus)
#define SXT_API [[nodiscard]] SXT_API_VOID
#elif defined(__GNUC__)
#define SXT_API SXT_API_VOID __attribute__((warn_unused_result))
#else
#define SXT_API SXT_API_VOID
#endif

#define SXT_VERSION_MAJOR 0
#define SXT_VERSION_MINOR 1
#define SXT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* --- Status ------------------------------------------------------------------ */

/** The outcome of a call. Later versions add values, so a program should expect numbers that are
 *  not listed here. */
typedef enum sxt_status {
  SXT_OK = 0,                      /**< the call succeeded */
  SXT_ERROR_INVALID_ARGUMENT = 1,  /**< null, or a value that the call does not accept */
  SXT_ERROR_OUT_OF_MEMORY = 2,     /**< host or device memory ran out */
  SXT_ERROR_IO = 3,                /**< a file could not be read */
  SXT_ERROR_BAD_MODULE = 4,        /**< the data is not a module, truncated, or damaged */
  SXT_ERROR_MODULE_VERSION = 5,    /**< this loader does not read the module's format version */
  SXT_ERROR_NOT_FOUND = 6,         /**< no kernel, field or device has that name */
  SXT_ERROR_NO_DEVICE = 7,         /**< the backend has no usable device here */
  SXT_ERROR_NO_VARIANT = 8,        /**< no variant of the kernel fits the device */
  SXT_ERROR_SIGNATURE = 9,         /**< arguments or results do not fit the kernel's signature */
  SXT_ERROR_LAUNCH_REFUSED = 10,   /**< the types fit, but the kernel refuses the sizes */
  SXT_ERROR_OUT_OF_RANGE = 11,     /**< an index or range passes the end of a buffer or list */
  SXT_ERROR_DEVICE = 12,           /**< the device's driver reported an error */
  SXT_ERROR_UNSUPPORTED = 13,      /**< this device or build cannot do it */
  SXT_ERROR_NOT_READY = 14,        /**< the stream has not reached the event yet */
  SXT_ERROR_INTERNAL = 15,         /**< the loader has a bug */
  SXT_ERROR_KERNEL_FAULT = 16,     /**< an assertion or check in a kernel failed; see
                                        sxt_kernel_launch */
  SXT_ERROR_UNTRUSTED = 17,        /**< the module is not signed with a key that was given, was
                                        altered since, or no signature can be checked here */
  SXT_STATUS_MAX_ENUM = 0x7fffffff /* the type holds any number */
} sxt_status;

/** Returns the name of a status, such as "SXT_ERROR_IO", or "SXT_ERROR_UNKNOWN" for other values.
 *  Never null. */
SXT_API_VOID const char *sxt_status_name(sxt_status status);

/** Returns the message of the last call that failed on this thread, or "" if no call has failed.
 *  Valid until the next call fails on this thread. Never null. */
SXT_API_VOID const char *sxt_last_error_message(void);

/** Stores the version of the loader that runs. It may be newer than this header. */
SXT_API_VOID void sxt_version(int *major, int *minor, int *patch);

/* --- Logging ------------------------------------------------------------------ */

/** How much the loader logs. Each level includes all levels before it. */
typedef enum sxt_log_level {
  SXT_LOG_OFF = 0,              /**< nothing */
  SXT_LOG_ERROR = 1,            /**< calls that fail */
  SXT_LOG_WARNING = 2,          /**< environment variables without effect, … */
  SXT_LOG_INFO = 3,             /**< devices opened, variants chosen and loaded */
  SXT_LOG_DEBUG = 4,            /**< every launch */
  SXT_LOG_MAX_ENUM = 0x7fffffff /* the type holds any number */
} sxt_log_level;

/** Receives one line of the log, without its newline. The loader calls it from any thread, but from
 *  one at a time. The callback must not call the loader. */
typedef void (*sxt_log_callback)(sxt_log_level level, const char *message, void *user);

/** Sends messages up to `level` to `callback`. A null callback restores the initial state: messages
 *  go to stderr, at the level that SEXTANT_LOG names (off, error, warning, info or debug; off if it
 *  is unset). Once the function has returned, the previous callback is not called again. */
SXT_API_VOID void sxt_log_set_callback(sxt_log_callback callback, void *user, sxt_log_level level);

/** Receives what one `print` of a kernel wrote, `length` bytes of UTF-8. The loader calls it from
 * the thread that synchronises a stream, but from one at a time. The callback must not call the
 *  loader. */
typedef void (*sxt_print_callback)(const char *text, size_t length, void *user);

/** Sends what kernels print to `callback`; null: to stdout, the initial state. Prints are handed
 * out by sxt_stream_synchronize, sxt_kernel_call, sxt_device_synchronize (of the default stream)
 * and when a stream is released. Those of one thread of a launch come in their order. A stream
 * holds 1 MiB of them; it counts and reports those beyond. Once the function has returned, the
 * previous callback is not called again. */
SXT_API_VOID void sxt_print_set_callback(sxt_print_callback callback, void *user);

/* --- Types -------------------------------------------------------------------- */

/** The scalar types of the kernel language. A bool takes one byte in memory, which is 0 or 1. */
typedef enum sxt_dtype {
  SXT_DTYPE_BOOL = 1,
  SXT_DTYPE_I8 = 2,
  SXT_DTYPE_I16 = 3,
  SXT_DTYPE_I32 = 4,
  SXT_DTYPE_I64 = 5,
  SXT_DTYPE_U8 = 6,
  SXT_DTYPE_U16 = 7,
  SXT_DTYPE_U32 = 8,
  SXT_DTYPE_U64 = 9,
  SXT_DTYPE_F16 = 10,
  SXT_DTYPE_F32 = 11,
  SXT_DTYPE_F64 = 12,
  SXT_DTYPE_BF16 = 13,
  SXT_DTYPE_F8E4M3 = 14,
  SXT_DTYPE_F8E5M2 = 15,
  SXT_DTYPE_MAX_ENUM = 0x7fffffff /* the type holds any number */
} sxt_dtype;

/** Returns the type's name in the kernel language: "u1", "i8", … "f8e5m2". Returns "?" for other
 *  values. Never null. */
SXT_API_VOID const char *sxt_dtype_name(sxt_dtype dtype);
/** Returns the size of one scalar in memory, in bytes, or 0 for other values. */
SXT_API_VOID size_t sxt_dtype_size(sxt_dtype dtype);

/** An array argument has at most this many dimensions. */
#define SXT_MAX_DIMS 8

/** An opened device. */
typedef struct sxt_device sxt_device;
/** An opened .sxt file or a module in memory. It belongs to no device. */
typedef struct sxt_module sxt_module;
/** A module on a device: the variants that were chosen, their code, and the fields' memory. */
typedef struct sxt_program sxt_program;
/** A kernel of a program. The program owns it. */
typedef struct sxt_kernel sxt_kernel;
/** Device memory. */
typedef struct sxt_buffer sxt_buffer;
/** A queue of work that runs in the order in which it was given. */
typedef struct sxt_stream sxt_stream;
/** A point in a stream. */
typedef struct sxt_event sxt_event;
/** A launch whose arguments are checked already. */
typedef struct sxt_launch sxt_launch;
/** A recorded sequence of launches, copies and fills. */
typedef struct sxt_graph sxt_graph;

/* --- Devices ------------------------------------------------------------------ */

/** Facts about a device. Its strings and lists belong to the loader. */
typedef struct sxt_device_info {
  size_t struct_size;
  const char *name;    /**< "cpu", "cuda:0", "hip:0": what sxt_device_open takes */
  const char *backend; /**< the kind of code it runs: "cpu", "cuda", "amdgpu", "vulkan", "metal" */
  const char *description;    /**< the vendor's name for it */
  const char *arch;           /**< "x86-64-v3", "sm_90"; AMD: the target ID,
                                   "gfx90a:sramecc+:xnack-"; Vulkan: the version of its API */
  const uint32_t *wave_sizes; /**< the subgroup sizes it runs, preferred ones first */
  size_t wave_size_count;
  const char *const *features; /**< variants may require them: names, then numbers as name=8.4 */
  size_t feature_count;
  uint64_t memory_bytes;        /**< total; 0 if unknown */
  uint64_t shared_memory_bytes; /**< available to one block */
  uint32_t multiprocessors;     /**< on the CPU: worker threads */
  uint32_t max_threads_per_block;
} sxt_device_info;

/** Stores the number of this machine's devices. Discrete GPUs come first, then integrated ones,
 * then the CPU, which is always there, then software Vulkan devices. The first call starts all
 * drivers. */
SXT_API sxt_status sxt_device_count(size_t *count);
/** Stores facts about the device at `index` without opening it. The strings and lists in `info`
 *  live as long as the process. SXT_ERROR_OUT_OF_RANGE: the index is too large. */
SXT_API sxt_status sxt_device_get_info(size_t index, sxt_device_info *info);

/** Opens a device by name: "cpu", "cuda:1", or "cuda" for the first one
 *  in that order. If the name is null or "",
 *  opens the device that SEXTANT_DEVICE names, and otherwise index 0, which is a GPU if one is
 *  usable. Opening a device twice gives two handles to one device; the caller releases each.
 *  SXT_ERROR_NOT_FOUND: no device has that name. SXT_ERROR_NO_DEVICE: the device cannot be used,
 *  and the message gives the reason. */
SXT_API sxt_status sxt_device_open(const char *name, sxt_device **device);
/** Opens the device at `index`. The caller releases it with sxt_device_release.
 *  SXT_ERROR_OUT_OF_RANGE: the index is too large. */
SXT_API sxt_status sxt_device_open_index(size_t index, sxt_device **device);

/** Opens a device that runs the whole module: the one that SEXTANT_DEVICE names, and otherwise the
 *  first one for which every kernel has a variant. SEXTANT_VARIANT and SEXTANT_BLOCK limit the
 *  variants. The caller releases the device with sxt_device_release. SXT_ERROR_NO_VARIANT: no
 *  device runs the module; the message is about the last one tried. */
SXT_API sxt_status sxt_device_open_for(sxt_module *module, sxt_device **device);

/** A driver context that sxt_device_adopt makes a device of. The loader reads the struct during the
 *  call only. */
typedef struct sxt_adopt_info {
  size_t struct_size;
  const char *backend; /**< the device's family: "cuda", "hip", "vulkan", "metal" */
  void *context;       /**< CUcontext, hipCtx_t; null: the one current on this thread. Vulkan: an
                            sxt_vulkan_context. Metal: an id<MTLDevice> */
  void *stream;        /**< CUstream, hipStream_t, id<MTLCommandQueue> that becomes the device's
                            default stream; may be null */
} sxt_adopt_info;

/** A Vulkan device that the application created. The loader reads the struct during
 *  sxt_device_adopt only. The handles stay the application's. The loader chooses no variant that
 *  needs a feature which the application did not enable.
 *
 *  The loader submits work to `queue` before the call that queues it returns. The work is ordered
 *  with what the application submits to that queue before and after, so the application needs no
 *  barriers. */
typedef struct sxt_vulkan_context {
  size_t struct_size;
  void *get_instance_proc_addr; /**< vkGetInstanceProcAddr; null: the one of libvulkan.so.1 */
  void *instance;               /**< VkInstance */
  void *physical_device;        /**< VkPhysicalDevice */
  void *device;                 /**< VkDevice */
  const void *device_info;      /**< the VkDeviceCreateInfo that made `device`, for its features */
  void *queue;                  /**< a VkQueue that supports compute */
  uint32_t queue_family;        /**< the family of `queue` */
  uint32_t api_version;         /**< VkApplicationInfo::apiVersion of `instance`, at least 1.1 */
  /** The loader calls these two around each vkQueueSubmit, on any thread. They may be null if the
   *  application does not use `queue` from other threads meanwhile. */
  void (*lock_queue)(void *user);
  void (*unlock_queue)(void *user);
  void *user;
} sxt_vulkan_context;

/** Makes a device of a context that the application owns. The application keeps the context alive
 *  until the device, and everything made from it, is released. sxt_buffer_wrap accepts pointers of
 *  that context. The caller releases the device with sxt_device_release. SXT_ERROR_NOT_FOUND: this
 *  loader has no such backend. SXT_ERROR_UNSUPPORTED: the backend has no contexts to adopt. */
SXT_API sxt_status sxt_device_adopt(const sxt_adopt_info *adopt, sxt_device **device);

/** Stores facts about an opened device. The strings live as long as the device. */
SXT_API sxt_status sxt_device_describe(sxt_device *device, sxt_device_info *info);
/** Blocks until the work of all streams of the device is done. */
SXT_API sxt_status sxt_device_synchronize(sxt_device *device);
/** Stores the stream that a call uses if it is given a null stream. It is owned by the device: do
 *  not release it. */
SXT_API sxt_status sxt_device_default_stream(sxt_device *device, sxt_stream **stream);
/** Gives the handle back. The device lives on while objects that were made from it exist. */
SXT_API_VOID void sxt_device_release(sxt_device *device);

/* --- Modules ------------------------------------------------------------------ */

/** Opens a module file. The file stays open until the module, and every program made from it, is
 *  released; the caller releases the module with sxt_module_release. It is safe to replace the file
 *  by a rename meanwhile. If the file is truncated or overwritten instead, later calls return
 *  SXT_ERROR_BAD_MODULE. SXT_ERROR_IO: the file cannot be read. SXT_ERROR_BAD_MODULE,
 *  SXT_ERROR_MODULE_VERSION: this loader cannot read it as a module. */
SXT_API sxt_status sxt_module_open_file(const char *path, sxt_module **module);
/** Opens a module in memory, for example an embedded one. The loader does not copy the bytes: the
 *  caller must not change or free them until the module, and every program made from it, is
 *  released. The caller releases the module with sxt_module_release. Errors are those of
 *  sxt_module_open_file. */
SXT_API sxt_status sxt_module_open_memory(const void *data, size_t size, sxt_module **module);

/** An Ed25519 public key (RFC 8032). `sextant keygen` prints it as a C initialiser. */
typedef struct sxt_public_key {
  uint8_t bytes[32]; /**< in the RFC's encoding */
} sxt_public_key;

/** Conditions that a module must meet. The loader reads the struct during the call only. */
typedef struct sxt_module_options {
  size_t struct_size;
  /** If null, the loader accepts any module. Otherwise it accepts only an unaltered module that
   *  `sextant sign` signed with one of these keys. Anything else is SXT_ERROR_UNTRUSTED. The loader
   *  checks each part before it decompresses the part or hands it to a driver: at opening, or in
   *  the call that first needs the part. Checking needs libsodium (libsodium.so.23 or .26), which
   *  the loader finds at run time unless it was built with it. Without libsodium every module is
   *  refused. No environment variable changes this. The loader copies the keys. */
  const sxt_public_key *public_keys;
  size_t public_key_count; /**< 1 to 4096 if public_keys is not null, else 0 */
} sxt_module_options;

/** Like sxt_module_open_file, with options, which may be null. The caller releases the module with
 *  sxt_module_release. */
SXT_API sxt_status sxt_module_open_file_with(const char *path, const sxt_module_options *options,
                                             sxt_module **module);
/** Like sxt_module_open_memory, with options, which may be null. The loader checks the memory in
 *  place, so it trusts everyone who can write to that memory while the module is open. The caller
 *  releases the module with sxt_module_release. */
SXT_API sxt_status sxt_module_open_memory_with(const void *data, size_t size,
                                               const sxt_module_options *options,
                                               sxt_module **module);

/** Gives the handle back. Programs that were made from the module keep what they need of it. */
SXT_API_VOID void sxt_module_release(sxt_module *module);

/** The kinds of arguments. */
typedef enum sxt_argument_kind {
  SXT_ARGUMENT_ARRAY = 1,
  SXT_ARGUMENT_SCALAR = 2,
  SXT_ARGUMENT_MATRIX = 3,           /**< a vector (cols = 1) or matrix by value */
  SXT_ARGUMENT_MAX_ENUM = 0x7fffffff /* the type holds any number */
} sxt_argument_kind;

/** One argument of a kernel's signature, or one of its results. */
typedef struct sxt_parameter_info {
  size_t struct_size;
  const char *name;
  sxt_argument_kind kind;
  sxt_dtype dtype;
  uint32_t ndim; /**< arrays: dimensions; 0 means a single element */
  uint32_t rows; /**< extent of a matrix, or of an array's element; 1 for scalars */
  uint32_t cols;
  /** Arrays of structs in one piece (`layout=qd.Layout.AOS`): the struct's name and members, as
   *  "Grain{kind:u8,pos:f32x3,spot:Spot{x:f32,on:u1}}". An element is then `rows` scalars of
   *  `dtype`, which hold the struct as C lays it out. "" for all else. */
  const char *structure;
} sxt_parameter_info;

/** Facts about a kernel. The strings live as long as the module. */
typedef struct sxt_kernel_info {
  size_t struct_size;
  const char *name;     /**< the name to launch it by, unique in the module ("scan_i32_256") */
  const char *function; /**< the name in the kernel file ("scan") */
  size_t argument_count;
  size_t result_count; /**< return values */
  size_t variant_count;
  const char *doc; /**< its docstring without the lines' indentation; "" if it has no docstring */
} sxt_kernel_info;

/** Stores the number of kernels in the module. Each instance of a template counts. */
SXT_API sxt_status sxt_module_kernel_count(sxt_module *module, size_t *count);
/** Stores facts about the kernel at `index`. SXT_ERROR_OUT_OF_RANGE: the index is too large.
 *  SXT_ERROR_BAD_MODULE: the kernel's record is damaged; every call that names a kernel may return
 *  this. */
SXT_API sxt_status sxt_module_kernel(sxt_module *module, size_t index, sxt_kernel_info *info);
/** Stores the index of the kernel with that name. If a kernel has only one instance, its name in
 *  the kernel file works too. SXT_ERROR_NOT_FOUND: no kernel has that name, or several instances
 *  share it; the message lists similar names. */
SXT_API sxt_status sxt_module_find_kernel(sxt_module *module, const char *name, size_t *index);
/** Stores facts about argument `index` of kernel number `kernel`. The strings live as long as the
 *  module. SXT_ERROR_OUT_OF_RANGE: there is no such kernel or argument. */
SXT_API sxt_status sxt_module_argument(sxt_module *module, size_t kernel, size_t index,
                                       sxt_parameter_info *info);
/** Stores facts about return value `index` of kernel number `kernel`. Its name is "".
 *  SXT_ERROR_OUT_OF_RANGE: there is no such kernel or return value. */
SXT_API sxt_status sxt_module_result(sxt_module *module, size_t kernel, size_t index,
                                     sxt_parameter_info *info);

/** A field of the kernel file: device memory that the file's kernels share. */
typedef struct sxt_global_info {
  size_t struct_size;
  const char *name;
  sxt_dtype dtype;
  uint32_t ndim;
  uint32_t rows; /**< extent of one element */
  uint32_t cols;
  const int64_t *shape; /**< `ndim` extents */
  uint64_t size_bytes;
  const char
      *structure; /**< type of structs in one piece: as in sxt_parameter_info; "" for all else */
} sxt_global_info;

/** Stores the number of fields in the module. */
SXT_API sxt_status sxt_module_global_count(sxt_module *module, size_t *count);
/** Stores facts about the field at `index`. The pointers live as long as the module.
 *  SXT_ERROR_OUT_OF_RANGE: the index is too large. */
SXT_API sxt_status sxt_module_global(sxt_module *module, size_t index, sxt_global_info *info);

/** Stores where the attachment of that name lies, and its size in bytes: a text or bytes that
 *  `sextant compile --attach` put into the module. It is not followed by a zero byte; of an empty
 *  one, `data` may be null. The first call for a name decompresses it. The memory is owned by the
 *  module, must not be changed, and lives as long as the module. SXT_ERROR_NOT_FOUND: no attachment
 *  has that name; the message lists those that there are. SXT_ERROR_BAD_MODULE: it is damaged.
 *  SXT_ERROR_UNTRUSTED: it is not what was signed. */
SXT_API sxt_status sxt_module_attachment(sxt_module *module, const char *name, const void **data,
                                         size_t *size);

/* --- Programs ----------------------------------------------------------------- */

/** How a program chooses among variants. The loader reads the struct during sxt_program_create
 *  only. */
typedef struct sxt_program_options {
  size_t struct_size;
  /** Limits the choice to variants that this pattern matches: "cuda:sm_80", "x86-64-v2/wave8",
   *  "/wave8". If null, SEXTANT_VARIANT applies; if that is unset too, all variants count. */
  const char *variant;
  /** Excludes variants that match one of these comma-separated patterns. If null, SEXTANT_BLOCK
   *  applies. */
  const char *blocked;
  uint32_t wave; /**< only variants of this wave size; 0: all */
  /** The path of a file with preferences among variants that would run. `sextant bench --prefer`
   *  writes such a file. Each line names a kernel, a device and a target: "sum_f32 amdgpu:gfx1100
   *  amdgpu:gfx1100/wave64". A '#' starts a comment. If null, SEXTANT_PREFER applies. The loader
   *  ignores a line that it cannot read or that names something absent, and a file that it cannot
   *  read. */
  const char *preferences;
} sxt_program_options;

/** Makes a program of a module on a device. The call does no work for each variant: the loader
 *  decodes an image and hands it to the driver when the kernel is first launched, or first asked
 *  for by sxt_program_kernel. `options` may be null. The caller releases the program with
 *  sxt_program_release. */
SXT_API sxt_status sxt_program_create(sxt_module *module, sxt_device *device,
                                      const sxt_program_options *options, sxt_program **program);
/** Waits for the program's launches, then frees its code and fields. */
SXT_API_VOID void sxt_program_release(sxt_program *program);

/** Stores the kernel with that name. The first call for a kernel chooses and loads its variant; if
 *  another thread does so at the moment, the call waits for it. Names work as in
 *  sxt_module_find_kernel. The kernel is owned by the program, and lives as long as the program.
 *
 *  If the device's driver refuses a variant (SXT_ERROR_DEVICE, SXT_ERROR_UNSUPPORTED), the loader
 *  tries the next usable one. It logs a warning, and sxt_program_explain gives the reason. If no
 *  variant loads, the call returns the first one's error. SXT_ERROR_NO_VARIANT: no variant fits;
 *  the message gives a reason for each. */
SXT_API sxt_status sxt_program_kernel(sxt_program *program, const char *name, sxt_kernel **kernel);

/** The result of selection for one variant of a kernel. */
typedef struct sxt_verdict {
  size_t struct_size;
  const char *target; /**< "cuda:sm_90/wave32" */
  int usable;         /**< 1 if it could run here */
  int selected;       /**< 1 if it is the one that runs */
  const char *reason; /**< why it cannot run, or why it has its rank */
} sxt_verdict;

/** Stores the number of verdicts on a kernel, one for each variant. The verdicts are ordered: the
 *  best variant comes first, and variants that the compiler refused come last, with its reason. No
 *  variant is loaded. Strings of verdicts live as long as the program. SXT_ERROR_NOT_FOUND: no
 *  kernel has that name. */
SXT_API sxt_status sxt_program_verdict_count(sxt_program *program, const char *kernel,
                                             size_t *count);
/** Stores the verdict at `index`. SXT_ERROR_OUT_OF_RANGE: the index is too large. */
SXT_API sxt_status sxt_program_verdict(sxt_program *program, const char *kernel, size_t index,
                                       sxt_verdict *verdict);
/** Stores the same verdicts as text, one line for each variant. The text lives as long as the
 *  program. */
SXT_API sxt_status sxt_program_explain(sxt_program *program, const char *kernel, const char **text);

/** Stores facts about the field (global) with that name, or with "path:name" if several files have
 *  one. SXT_ERROR_NOT_FOUND: no field has that name, or several do. */
SXT_API sxt_status sxt_program_global(sxt_program *program, const char *name,
                                      sxt_global_info *info);
/** Stores the buffer that holds a field. The memory is zero at first. The caller may copy to and
 *  from the buffer and pass it as an array. It is owned by the program: do not release it. Errors
 *  are those of sxt_program_global. */
SXT_API sxt_status sxt_program_global_buffer(sxt_program *program, const char *name,
                                             sxt_buffer **buffer);
/** Gives a field memory of the application: from the next launch on, all kernels of the program
 * find it at `offset_bytes` of `buffer`, and so do the calls below and the buffer of
 *  sxt_program_global_buffer. The bytes there are the field's value. Kernels that were loaded,
 *  prepared launches and graphs see the new place, too; work that is queued already has the old
 * one. A null buffer gives the field memory of the program again, which is zero; if it has that
 * already, nothing happens. Memory of the program that the field leaves is freed, after a wait for
 * the device. Bind before the first call that uses the field, and the program allocates none.
 *
 *  The application keeps the memory valid, and the buffer too if it owns it, until the field is
 *  bound elsewhere or the program is released, and work in streams has ended. The buffer is one
 * that an array argument could lie in: on Vulkan, one of this library. No other thread may use the
 *  program during the call. Errors change nothing: those of sxt_program_global;
 * SXT_ERROR_OUT_OF_RANGE: the buffer is too small; SXT_ERROR_INVALID_ARGUMENT: the place is not
 * aligned to the field's elements (their scalar; of vectors and matrices their size, up to 16
 * bytes), the buffer belongs to another device, or the field's buffer is mapped. */
SXT_API sxt_status sxt_program_global_bind(sxt_program *program, const char *name,
                                           sxt_buffer *buffer, uint64_t offset_bytes);
/** Copies part of a field to host memory, after the work that is already in `stream`, and blocks
 *  until the copy is done. Errors are those of sxt_program_global and sxt_buffer_read. */
SXT_API sxt_status sxt_program_global_read(sxt_program *program, const char *name,
                                           uint64_t offset_bytes, void *destination,
                                           size_t size_bytes, sxt_stream *stream);
/** Copies host memory to part of a field, after the work that is already in `stream`, and blocks
 *  until the copy is done. Errors are those of sxt_program_global and sxt_buffer_write. */
SXT_API sxt_status sxt_program_global_write(sxt_program *program, const char *name,
                                            uint64_t offset_bytes, const void *source,
                                            size_t size_bytes, sxt_stream *stream);

/** Sets what `qd.random` draws from in the program's kernels, after the work that is already in
 *  `stream`, and blocks until it is set. A program begins with the seed 0. Each launch of a kernel
 *  that draws gives other numbers than the one before; the same launches after the same seed give
 *  the same numbers on every device. Launches that draw in several streams at a time may draw the
 *  same. Nothing happens where no kernel of the module draws. Errors are those of
 *  sxt_program_global_write. */
static inline sxt_status sxt_program_seed(sxt_program *program, uint32_t seed, sxt_stream *stream) {
  const uint32_t state[2] = {seed, 0}; /* the seed, and the launches that drew since */
  sxt_global_info info;
  sxt_status status;
  info.struct_size = sizeof info;
  status = sxt_program_global(program, "qd_random", &info);
  if (status == SXT_ERROR_NOT_FOUND)
    return SXT_OK;
  return status != SXT_OK
             ? status
             : sxt_program_global_write(program, "qd_random", 0, state, sizeof state, stream);
}

/* --- Buffers ------------------------------------------------------------------ */

/** Allocates device memory, aligned to at least 256 bytes (64 on the CPU). The content is
 *  unspecified. A size of 0 is allowed. The caller releases the buffer with sxt_buffer_release. */
SXT_API sxt_status sxt_buffer_create(sxt_device *device, uint64_t size_bytes, sxt_buffer **buffer);
/** Makes a buffer of memory that the caller owns and keeps alive. `address` is a CUdeviceptr, a
 *  pointer of HIP, on the CPU any host address, and on Vulkan and Metal an address within another
 *  buffer of the device. The loader does not check the size. It checks the address where the driver
 *  can tell whose it is: on CUDA, HIP and Vulkan. AMD GPUs may read up to the end of the aligned 16
 *  bytes that the memory ends in. sxt_buffer_release gives back the handle and leaves the memory
 *  alone. SXT_ERROR_INVALID_ARGUMENT: the address is null and the size is not 0, the range wraps
 *  around, or the address is memory of another device. */
SXT_API sxt_status sxt_buffer_wrap(sxt_device *device, uint64_t address, uint64_t size_bytes,
                                   sxt_buffer **buffer);
/** Makes a buffer of an object that the caller owns and keeps alive. On an adopted Vulkan device
 *  this is a VkBuffer of that device that is bound to memory and has the usages storage buffer,
 *  transfer source and transfer destination. Vulkan devices that the loader opened, and other
 *  devices, return SXT_ERROR_UNSUPPORTED: sxt_buffer_wrap covers all their memory.
 * sxt_buffer_release gives back the handle and leaves the object alone. */
SXT_API sxt_status sxt_buffer_wrap_native(sxt_device *device, void *native, uint64_t size_bytes,
                                          sxt_buffer **buffer);
/** Frees the memory after the work that is already queued. Blocks if the device requires it. */
SXT_API_VOID void sxt_buffer_release(sxt_buffer *buffer);

/** Stores the size that the buffer was created with. */
SXT_API sxt_status sxt_buffer_size(sxt_buffer *buffer, uint64_t *size_bytes);
/** Stores the device address: a CUdeviceptr, a pointer of HIP, or a host pointer on the CPU. On
 *  Vulkan it is a number that stands for the memory in calls of this loader only. */
SXT_API sxt_status sxt_buffer_address(sxt_buffer *buffer, uint64_t *address);
/** Stores the object that holds the buffer, a VkBuffer, and the buffer's offset in it.
 *  SXT_ERROR_UNSUPPORTED: the device has no such objects. */
SXT_API sxt_status sxt_buffer_native(sxt_buffer *buffer, void **native, uint64_t *offset_bytes);

/** Copies host memory to the buffer, after the work that is already in `stream` (null: the device's
 *  default stream), and blocks until the copy is done. SXT_ERROR_OUT_OF_RANGE: the range passes the
 *  buffer's end. This holds for all copies. */
SXT_API sxt_status sxt_buffer_write(sxt_buffer *buffer, uint64_t offset_bytes, const void *source,
                                    size_t size_bytes, sxt_stream *stream);
/** Copies from the buffer to host memory, after the work that is already in `stream`, and blocks
 *  until the copy is done. */
SXT_API sxt_status sxt_buffer_read(sxt_buffer *buffer, uint64_t offset_bytes, void *destination,
                                   size_t size_bytes, sxt_stream *stream);
/** Like sxt_buffer_write, but returns at once. `source` must not change until the stream has done
 *  the copy, which an event or sxt_stream_synchronize tells. */
SXT_API sxt_status sxt_buffer_write_async(sxt_buffer *buffer, uint64_t offset_bytes,
                                          const void *source, size_t size_bytes,
                                          sxt_stream *stream);
/** Like sxt_buffer_read, but returns at once. The caller must not touch `destination` until the
 *  stream has done the copy. */
SXT_API sxt_status sxt_buffer_read_async(sxt_buffer *buffer, uint64_t offset_bytes,
                                         void *destination, size_t size_bytes, sxt_stream *stream);
/** Queues a copy between two buffers of one device. SXT_ERROR_OUT_OF_RANGE: a range passes the end
 *  of its buffer. SXT_ERROR_INVALID_ARGUMENT: the ranges overlap. */
SXT_API sxt_status sxt_buffer_copy(sxt_buffer *destination, uint64_t destination_offset_bytes,
                                   sxt_buffer *source, uint64_t source_offset_bytes,
                                   uint64_t size_bytes, sxt_stream *stream);
/** Queues a fill with a pattern of 1, 2 or 4 bytes. The loader copies the pattern during the call.
 *  SXT_ERROR_OUT_OF_RANGE: the range passes the end of the buffer. SXT_ERROR_INVALID_ARGUMENT: the
 *  pattern has another size, or the offset or the size of the range is not a multiple of it. */
SXT_API sxt_status sxt_buffer_fill(sxt_buffer *buffer, uint64_t offset_bytes, uint64_t size_bytes,
                                   const void *pattern, size_t pattern_bytes, sxt_stream *stream);

/** Waits for all work of the device, then stores a pointer to the buffer's content in host
 *  memory: the memory itself where the host can access it (on the CPU, on Metal, on Vulkan devices
 *  that share the host's memory), and a copy elsewhere. A buffer has one mapping at a time
 *  (otherwise SXT_ERROR_INVALID_ARGUMENT). The pointer is valid until sxt_buffer_unmap. Do not
 *  launch with the buffer until then. */
SXT_API sxt_status sxt_buffer_map(sxt_buffer *buffer, void **pointer);
/** Ends the mapping. What the caller wrote through it becomes the buffer's content. Blocks until
 *  that is done. SXT_ERROR_INVALID_ARGUMENT: the buffer is not mapped. */
SXT_API sxt_status sxt_buffer_unmap(sxt_buffer *buffer);

/* --- Streams and events -------------------------------------------------------- */

/** Creates a stream, which runs beside the others. The caller releases it with sxt_stream_release.
 */
SXT_API sxt_status sxt_stream_create(sxt_device *device, sxt_stream **stream);
/** Makes a stream of one that the application owns: a CUstream or hipStream_t of the device's
 *  context, or null for the driver's own default stream. Work that the loader and the application
 *  queue in it runs in the order of the calls. While the application captures the stream into a
 *  graph, launches are captured too; a kernel that needs temporary memory must have run in this
 *  stream before. Wrap a stream once: return values and carried locals lie in memory of the handle.
 *  The application keeps its stream alive until the caller releases the handle with
 *  sxt_stream_release, which waits for the work and leaves the stream alone. SXT_ERROR_UNSUPPORTED:
 *  the device's streams cannot be wrapped (CPU, Vulkan, Metal). */
SXT_API sxt_status sxt_stream_wrap(sxt_device *device, void *native, sxt_stream **stream);
/** Blocks until all work of the stream is done. */
SXT_API sxt_status sxt_stream_synchronize(sxt_stream *stream);
/** Makes later work of `stream` wait for the point that `event` has recorded. */
SXT_API sxt_status sxt_stream_wait_event(sxt_stream *stream, sxt_event *event);
/** The last launch of a stream. The strings live as long as the device. */
typedef struct sxt_launch_info {
  size_t struct_size;
  const char *kernel; /**< "sum_f32" */
  const char *target; /**< the variant's target: "cuda:sm_90/wave32" */
  const char *format; /**< the image's format: "cubin", "ptx", "hsaco", "spirv", "msl", "elf" */
  uint32_t wave;      /**< lanes in a subgroup */
  uint32_t grid_dim;  /**< blocks of the hardware kernel with the most blocks; 0: nothing ran */
  uint32_t block_dim; /**< threads in a block of that hardware kernel */
  size_t task_count;  /**< number of hardware kernels in the launch */
} sxt_launch_info;

/** Describes the last launch that was queued in `stream` (not null) by any call. For a graph this
 *  is its last kernel. The call asks no driver. If other threads launch in the stream meanwhile,
 *  the answer is one of their launches, and `grid_dim` and `block_dim` may belong to another one.
 *  SXT_ERROR_NOT_FOUND: nothing was launched in the stream yet. */
SXT_API sxt_status sxt_stream_last_launch(sxt_stream *stream, sxt_launch_info *info);
/** Stores the driver's handle: a CUstream, hipStream_t, VkQueue or id<MTLCommandQueue>, or null on
 *  the CPU. It stays the stream's. */
SXT_API sxt_status sxt_stream_native(sxt_stream *stream, void **native);
/** Waits for the stream's work, then gives the handle back. */
SXT_API_VOID void sxt_stream_release(sxt_stream *stream);

/** Creates an event that has recorded nothing. The caller releases it with sxt_event_release. */
SXT_API sxt_status sxt_event_create(sxt_device *device, sxt_event **event);
/** Records the end of the work that `stream` (null: the default stream) has been given so far. A
 *  second call moves the event, but not for streams that wait for it already. */
SXT_API sxt_status sxt_event_record(sxt_event *event, sxt_stream *stream);
/** Blocks until the stream has reached the recorded point. Returns at once if nothing was recorded.
 */
SXT_API sxt_status sxt_event_synchronize(sxt_event *event);
/** Returns SXT_OK if the stream has reached the recorded point, else SXT_ERROR_NOT_READY. */
SXT_API sxt_status sxt_event_query(sxt_event *event);
/** Stores the milliseconds between two recorded points, with a resolution of a microsecond or
 *  better. SXT_ERROR_INVALID_ARGUMENT: an event has recorded nothing. SXT_ERROR_NOT_READY: a point
 * is not reached yet. */
SXT_API sxt_status sxt_event_elapsed(sxt_event *begin, sxt_event *end, double *milliseconds);
/** Gives the handle back. Streams that wait for the event still do. */
SXT_API_VOID void sxt_event_release(sxt_event *event);

/* --- Launches ------------------------------------------------------------------ */

/** One argument of a launch. The functions at the end of this header make it. */
typedef struct sxt_argument {
  size_t struct_size;
  uint32_t kind;  /**< an sxt_argument_kind */
  uint32_t dtype; /**< an sxt_dtype */
  uint32_t ndim;
  uint32_t rows;
  uint32_t cols;
  union {
    sxt_buffer *buffer; /**< arrays: the memory, which must hold the shape; may be null */
    const void *data;   /**< matrices: rows * cols scalars, row-major, read during the call */
    uint64_t bits;      /**< scalars: the value's bytes, in memory order from the first byte */
  } value;
  uint64_t offset_bytes;       /**< arrays: the offset of element 0 in the buffer; if the buffer is
                                    null: the device address of element 0, in memory that the caller
                                    keeps alive */
  int64_t shape[SXT_MAX_DIMS]; /**< arrays: the extents; the last dimension is contiguous */
} sxt_argument;

/** Queues a launch of the kernel in `stream` (null: the device's default stream) and returns. If a
 *  loop has no iterations, the launch skips it. Return values are discarded. The call allocates
 *  nothing. If the kernel has loops on the device (`qd.graph.do_while`), the call waits for them
 *  where the device cannot repeat tasks by itself (docs/loader-api.md).
 *
 *  The loader checks the arguments and computes the grids from their extents and values. A message
 *  names the argument, what the kernel expects and what was given.
 *   - SXT_ERROR_SIGNATURE: the number of arguments, or the kind, type, dimensions or element shape
 *     of one, does not fit the kernel's signature.
 *   - SXT_ERROR_OUT_OF_RANGE: an array does not lie within its buffer.
 *   - SXT_ERROR_INVALID_ARGUMENT: an array has no memory, or an address that is not aligned: to the
 *     largest power of two that divides its elements' size, at most 16 (16 bytes for vectors of 4
 *     f32, 4 for those of 3). Or an array of a gradient shares memory with another one, or with a
 *     field, and the gradient or its kernel writes it.
 *   - SXT_ERROR_UNSUPPORTED: an array has more than 2^31 - 1 scalars, or elements along an axis,
 *     and no code for that, which --large-arrays builds (docs/loader-api.md). Or it begins where
 *     a Vulkan device cannot bind it, or is more than that binds.
 *   - SXT_ERROR_LAUNCH_REFUSED: the kernel does not take these sizes. For example, the iterations
 *     are not a multiple of the block size of a kernel that synchronizes whole blocks, or there are
 *     more than the device runs. No task runs then.
 *   - SXT_ERROR_INVALID_ARGUMENT also if the kernel has checkpoints: see sxt_kernel_resume.
 *   - SXT_ERROR_KERNEL_FAULT: the kernel was built with assertions or checks, and one failed. The
 *     call waits for such a kernel. The message says which check failed first, where in the source,
 *     and in which thread. */
SXT_API sxt_status sxt_kernel_launch(sxt_kernel *kernel, sxt_stream *stream,
                                     const sxt_argument *arguments, size_t argument_count);

/** The place for a return value. */
typedef struct sxt_result {
  size_t struct_size;
  uint32_t dtype; /**< an sxt_dtype */
  uint32_t rows;  /**< 1 for scalars */
  uint32_t cols;
  void *data; /**< rows * cols scalars, row-major */
} sxt_result;

/** Launches the kernel, waits for it, and stores its return values. The caller gives a place for
 *  each of them, in order. Errors are those of sxt_kernel_launch; SXT_ERROR_SIGNATURE also if the
 *  number, type or shape of the results does not fit. */
SXT_API sxt_status sxt_kernel_call(sxt_kernel *kernel, sxt_stream *stream,
                                   const sxt_argument *arguments, size_t argument_count,
                                   const sxt_result *results, size_t result_count);

/** How a launch of a kernel with checkpoints ended. */
typedef struct sxt_graph_status {
  size_t struct_size;
  size_t yielded;     /**< 1: a checkpoint ended the launch, which can be resumed; 0: it is done */
  int64_t checkpoint; /**< the label of that checkpoint */
} sxt_graph_status;

/** Launches a kernel with checkpoints (`with qd.checkpoint(label, yield_on=flag):`) and waits
 *  until it is done or a checkpoint has ended it. It begins at the kernel's begin if
 *  `checkpoint` is null, else with the checkpoint of that label: what stands before it is
 *  skipped. The arguments may differ from those of the launch before, for example in the size
 *  of an array that was too small. The caller sets the flag of the checkpoint back to 0 before
 *  it resumes. What the kernel's own variables hold is kept from one launch to the next, so
 *  that one launch of a kernel with checkpoints runs at a time. Other kernels always end with
 *  `yielded` 0. Errors are those of sxt_kernel_launch, and SXT_ERROR_NOT_FOUND if there is no
 *  such checkpoint. */
SXT_API sxt_status sxt_kernel_resume(sxt_kernel *kernel, sxt_stream *stream,
                                     const sxt_argument *arguments, size_t argument_count,
                                     const int64_t *checkpoint, sxt_graph_status *status);

/* --- Prepared launches ---------------------------------------------------------- */
/* A prepared launch has its arguments checked and laid out once. Unlike other handles, it is used
 * by one thread at a time. It refers to its kernel's program and to the buffers of its arguments.
 * They must exist when it is enqueued, but not when it is released. */

/** Checks and packs the arguments as sxt_kernel_launch does, with the same errors, and computes the
 *  grids. Matrices are read during the call. The caller releases the launch with
 *  sxt_launch_release. */
SXT_API sxt_status sxt_launch_create(sxt_kernel *kernel, const sxt_argument *arguments,
                                     size_t argument_count, sxt_launch **launch);
/** Replaces argument `index`, counted from 0, and computes the grids again. Launches that are
 *  already queued keep their arguments. After an error, the prepared launch keeps its arguments
 *  too. Errors are those of sxt_kernel_launch, and SXT_ERROR_OUT_OF_RANGE: the kernel has no such
 *  argument. The call allocates nothing. */
SXT_API sxt_status sxt_launch_set_argument(sxt_launch *launch, size_t index,
                                           const sxt_argument *argument);
/** Queues the launch in `stream` (null: the device's default stream). The caller may do this any
 *  number of times. It works like sxt_kernel_launch without the checks of arguments, waits for a
 *  kernel with checks, and allocates nothing. */
SXT_API sxt_status sxt_launch_enqueue(sxt_launch *launch, sxt_stream *stream);
/** Gives the handle back. Launches that are already queued still run. */
SXT_API_VOID void sxt_launch_release(sxt_launch *launch);

/* --- Graphs --------------------------------------------------------------------- */
/* A graph is a sequence of steps that is recorded once and queued as a whole, any number of times,
 * in any stream of its device. Each step runs after the one before it, as if the caller had queued
 * them in turn. Like a prepared launch, a graph is used by one thread at a time, and refers to
 * programs and buffers: they must exist while the graph is enqueued and until its work is done.
 *
 * If the device has graphs of its own, the loader makes one: a CUDA or HIP graph, or a secondary
 * command buffer of Vulkan. It does so when the graph is first enqueued, and again after the caller
 * adds a step or sets an argument that gives a kernel blocks to run where it had no block, or the
 * reverse. Runs of such a graph follow each other, also in several streams. Runs of different
 * graphs may overlap.
 *
 * Otherwise the loader queues each step in turn: on the CPU, on Metal, with drivers that have no
 * graphs, and if a kernel has checks. The loader waits for a kernel with checks, and a fault ends
 * the run.
 */

/** Creates an empty graph for `device` and keeps the device alive. The caller releases the graph
 *  with sxt_graph_release. */
SXT_API sxt_status sxt_graph_create(sxt_device *device, sxt_graph **graph);
/** Appends a launch. Arguments and errors are those of sxt_launch_create. Return values are
 *  discarded. If `step` is not null, it becomes the number of the step, which
 *  sxt_graph_set_argument takes. */
SXT_API sxt_status sxt_graph_add_launch(sxt_graph *graph, sxt_kernel *kernel,
                                        const sxt_argument *arguments, size_t argument_count,
                                        size_t *step);
/** Appends a copy. Arguments and errors are those of sxt_buffer_copy. */
SXT_API sxt_status sxt_graph_add_copy(sxt_graph *graph, sxt_buffer *destination,
                                      uint64_t destination_offset_bytes, sxt_buffer *source,
                                      uint64_t source_offset_bytes, uint64_t size_bytes);
/** Appends a fill. Arguments and errors are those of sxt_buffer_fill. */
SXT_API sxt_status sxt_graph_add_fill(sxt_graph *graph, sxt_buffer *buffer, uint64_t offset_bytes,
                                      uint64_t size_bytes, const void *pattern,
                                      size_t pattern_bytes);
/** Replaces an argument of one of the graph's launches, as sxt_launch_set_argument does. Runs that
 *  are already queued keep their arguments. SXT_ERROR_OUT_OF_RANGE: `step` is not a launch. */
SXT_API sxt_status sxt_graph_set_argument(sxt_graph *graph, size_t step, size_t index,
                                          const sxt_argument *argument);
/** Queues all steps in `stream` (null: the device's default stream). The call allocates only when
 *  it makes or changes the device's own graph. SXT_ERROR_KERNEL_FAULT: a kernel with checks failed,
 *  and the steps after it were not queued. */
SXT_API sxt_status sxt_graph_enqueue(sxt_graph *graph, sxt_stream *stream);

/** Facts about a graph. */
typedef struct sxt_graph_info {
  size_t struct_size;
  size_t step_count;   /**< the number of steps */
  int native;          /**< 1: the device runs it as a graph of its own; 0: step by step */
  uint64_t kept_bytes; /**< device memory that the graph keeps for return values and carried
                            locals, without the driver's own memory */
} sxt_graph_info;
/** Says how the graph runs. The call makes the device's graph if that was not done yet. */
SXT_API sxt_status sxt_graph_describe(sxt_graph *graph, sxt_graph_info *info);
/** Gives the handle back. If the device has a graph of its own for it, the call waits for the
 *  graph's runs. */
SXT_API_VOID void sxt_graph_release(sxt_graph *graph);

/* --- Variants ------------------------------------------------------------------- */

/** The variant of a kernel that runs. */
typedef struct sxt_variant_info {
  size_t struct_size;
  const char *target;  /**< "cuda:sm_90/wave32" */
  const char *backend; /**< "cuda" */
  const char *arch;    /**< "sm_90" */
  uint32_t wave;
  size_t task_count; /**< the number of hardware kernels that one launch runs */
} sxt_variant_info;

/** One hardware kernel of a variant. A number is -1 if the toolchain did not report it. */
typedef struct sxt_task_info {
  size_t struct_size;
  const char *name;
  uint32_t block_dim;
  int32_t registers; /**< for each thread; AMD: vector registers */
  int32_t spill_bytes;
  int32_t stack_bytes;      /**< for each thread; CPU: tables that a call writes back */
  int32_t shared_bytes;     /**< for each block */
  int32_t scalar_registers; /**< for each wave */
  int32_t occupancy; /**< how many of its waves a SIMD unit can hold; CUDA: a multiprocessor */
} sxt_task_info;

/** Says which variant of the kernel runs. The strings live as long as the program. */
SXT_API sxt_status sxt_kernel_variant(sxt_kernel *kernel, sxt_variant_info *info);
/** Describes hardware kernel `index` of the variant. The strings live as long as the program.
 *  SXT_ERROR_OUT_OF_RANGE: the index is too large. */
SXT_API sxt_status sxt_kernel_task(sxt_kernel *kernel, size_t index, sxt_task_info *info);
/** Stores the kernel's index in its module, for queries about its signature. */
SXT_API sxt_status sxt_kernel_index(sxt_kernel *kernel, size_t *index);

/* --- Measuring ----------------------------------------------------------------- */

/** How sxt_program_measure measures. */
typedef struct sxt_measure_options {
  size_t struct_size;
  uint32_t samples; /**< the number of samples for each variant; 0: 11 */
  /** If not null, each sample is one launch, and this is called before it: it may queue on the
   *  stream what gives the arrays their values again. That is not timed. An error ends the call. */
  sxt_status (*prepare)(void *user, sxt_stream *stream);
  void *user; /**< is passed to `prepare` */
} sxt_measure_options;

/** The speed of one variant of a kernel on this device. */
typedef struct sxt_measurement {
  size_t struct_size;
  const char *target;  /**< "amdgpu:gfx1100/wave64" */
  int selected;        /**< 1 if selection takes it without measuring */
  int fastest;         /**< 1 if its median is the smallest: it runs from now on */
  uint32_t samples;    /**< the number taken; 0 if there is a problem */
  uint32_t launches;   /**< launches in each sample: short kernels run several times */
  double median_ms;    /**< time of one launch, like all times here */
  double minimum_ms;   /**< the best sample */
  double spread_ms;    /**< from the first to the third quartile of the samples */
  const char *problem; /**< why it could not be measured; null if it could */
} sxt_measurement;

/** Measures the usable variants of the best match (for example the wave sizes of an architecture):
 *  runs them in turn on these arguments and times them with events. One whose best sample is half
 *  as slow again as the fastest one's takes no more than three. From now on the program uses the
 *  fastest one, and sxt_program_kernel returns it. Handles that were returned before stay valid
 *  and keep their variant.
 *
 *  The call blocks. The kernel runs many times on the given arrays, so pass copies if their content
 *  matters. Return values are discarded. `options` may be null. If `count` is not null, it becomes
 *  the number of measurements. The call fails if no variant could be measured, or if the arguments
 *  do not fit. */
SXT_API sxt_status sxt_program_measure(sxt_program *program, const char *kernel, sxt_stream *stream,
                                       const sxt_argument *arguments, size_t argument_count,
                                       const sxt_measure_options *options, size_t *count);
/** Stores one result of the last sxt_program_measure of that kernel. Results are in the order of
 *  selection. `target` lives as long as the program, `problem` until the kernel is measured again.
 *  SXT_ERROR_OUT_OF_RANGE: the index is too large. */
SXT_API sxt_status sxt_program_measurement(sxt_program *program, const char *kernel, size_t index,
                                           sxt_measurement *measurement);

/* --- Making arguments ---------------------------------------------------------- */

/** Makes an argument of a kind, with all else zero. */
static inline sxt_argument sxt_make_argument(sxt_argument_kind kind, sxt_dtype dtype) {
  sxt_argument a;
  int i;
  a.struct_size = sizeof(sxt_argument);
  a.kind = (uint32_t)kind;
  a.dtype = (uint32_t)dtype;
  a.ndim = 0;
  a.rows = 1;
  a.cols = 1;
  a.value.bits = 0;
  a.offset_bytes = 0;
  for (i = 0; i < SXT_MAX_DIMS; ++i)
    a.shape[i] = 0;
  return a;
}

/** Makes an array of scalars at the start of `buffer`. `ndim` is between 0 and SXT_MAX_DIMS. With 0
 *  the array is one element, and `shape` may be null. */
static inline sxt_argument sxt_make_array(sxt_buffer *buffer, sxt_dtype dtype, uint32_t ndim,
                                          const int64_t *shape) {
  sxt_argument a = sxt_make_argument(SXT_ARGUMENT_ARRAY, dtype);
  uint32_t i;
  a.value.buffer = buffer;
  a.ndim = ndim;
  for (i = 0; i < ndim && i < SXT_MAX_DIMS; ++i)
    a.shape[i] = shape[i];
  return a;
}
/** Makes an array of no dimensions: one scalar, which the kernel reads as `x[None]`. */
static inline sxt_argument sxt_make_array0(sxt_buffer *buffer, sxt_dtype dtype) {
  return sxt_make_array(buffer, dtype, 0, 0);
}
/** Makes a one-dimensional array of `count` scalars. */
static inline sxt_argument sxt_make_array1(sxt_buffer *buffer, sxt_dtype dtype, int64_t count) {
  return sxt_make_array(buffer, dtype, 1, &count);
}
/** Makes a vector or matrix that is passed by value. The launch reads `data` during its call. */
static inline sxt_argument sxt_make_matrix(const void *data, sxt_dtype dtype, uint32_t rows,
                                           uint32_t cols) {
  sxt_argument a = sxt_make_argument(SXT_ARGUMENT_MATRIX, dtype);
  a.value.data = data;
  a.rows = rows;
  a.cols = cols;
  return a;
}
/** Makes a scalar of any type from its bytes. */
static inline sxt_argument sxt_make_scalar(sxt_dtype dtype, const void *value, size_t size_bytes) {
  sxt_argument a = sxt_make_argument(SXT_ARGUMENT_SCALAR, dtype);
  size_t i;
  for (i = 0; i < size_bytes && i < sizeof a.value.bits; ++i)
    ((unsigned char *)&a.value.bits)[i] = ((const unsigned char *)value)[i];
  return a;
}
/** Makes a bool. Any value but 0 is true. */
static inline sxt_argument sxt_make_bool(int value) {
  unsigned char byte = value != 0;
  return sxt_make_scalar(SXT_DTYPE_BOOL, &byte, 1);
}
/** Makes an i32. */
static inline sxt_argument sxt_make_i32(int32_t value) {
  return sxt_make_scalar(SXT_DTYPE_I32, &value, sizeof value);
}
/** Makes a u32. */
static inline sxt_argument sxt_make_u32(uint32_t value) {
  return sxt_make_scalar(SXT_DTYPE_U32, &value, sizeof value);
}
/** Makes an i64. */
static inline sxt_argument sxt_make_i64(int64_t value) {
  return sxt_make_scalar(SXT_DTYPE_I64, &value, sizeof value);
}
/** Makes a u64. */
static inline sxt_argument sxt_make_u64(uint64_t value) {
  return sxt_make_scalar(SXT_DTYPE_U64, &value, sizeof value);
}
/** Makes an f32. */
static inline sxt_argument sxt_make_f32(float value) {
  return sxt_make_scalar(SXT_DTYPE_F32, &value, sizeof value);
}
/** Makes an f64. */
static inline sxt_argument sxt_make_f64(double value) {
  return sxt_make_scalar(SXT_DTYPE_F64, &value, sizeof value);
}

#ifdef __cplusplus
}
#endif
#endif /* SEXTANT_SEXTANT_H */

/* Sextant's loader: opens modules that the `sextant` command compiled, picks the
 * variant of each kernel that fits a device, and launches it.
 *
 * Rules that hold for every call:
 *  - It returns a status; SXT_OK is zero. On anything else, out-parameters are
 *    untouched and sxt_last_error_message() says what was wrong. Nothing is
 *    printed (unless SEXTANT_LOG asks for it), thrown, or exited; no code runs
 *    when the library is loaded.
 *  - Null where a handle or pointer is required is SXT_ERROR_INVALID_ARGUMENT.
 *  - Calls may be made from any thread at once, also on the same handle. The
 *    exceptions: a handle must not be released while another call uses it; prepared
 *    launches and graphs are used by one thread at a time.
 *  - Besides the errors that a comment names, any call may give SXT_ERROR_OUT_OF_MEMORY,
 *    and one that reaches a device SXT_ERROR_DEVICE with the driver's own words.
 *  - Whoever gets a handle from a `*_create`, `*_open*`, `*_wrap*` or `*_adopt` owns it, and
 *    gives it back by the `*_release` of its kind.
 *  - `*_release` takes null. Objects keep alive what they need, so handles may
 *    be released in any order; a stream's queued work is finished first.
 *  - Structs start with their size: set `struct_size = sizeof(the struct)` before
 *    a call, so that programs built against an older header keep working.
 *  - Strings are UTF-8 and NUL-terminated. A `const char *` that the loader hands
 *    out belongs to the object that it was asked of and lives as long.
 *  - Sizes and offsets are bytes where the name says so, elements elsewhere.
 */
#ifndef SEXTANT_SEXTANT_H
#define SEXTANT_SEXTANT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && defined(__cplusplus)
#define SXT_API [[nodiscard]] __attribute__((visibility("default")))
#define SXT_API_VOID __attribute__((visibility("default")))
#elif defined(__GNUC__)
#define SXT_API __attribute__((visibility("default"), warn_unused_result))
#define SXT_API_VOID __attribute__((visibility("default")))
#else
#define SXT_API
#define SXT_API_VOID
#endif

#define SXT_VERSION_MAJOR 0
#define SXT_VERSION_MINOR 1
#define SXT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* --- Status ------------------------------------------------------------------ */

/** What became of a call. Programs should expect numbers that are not listed: later versions
 *  have more. */
typedef enum sxt_status {
  SXT_OK = 0,                      /**< it did what it says */
  SXT_ERROR_INVALID_ARGUMENT = 1,  /**< null, or a value outside of what the call takes */
  SXT_ERROR_OUT_OF_MEMORY = 2,     /**< of the host or of the device */
  SXT_ERROR_IO = 3,                /**< a file could not be read */
  SXT_ERROR_BAD_MODULE = 4,        /**< not a module, truncated, or damaged */
  SXT_ERROR_MODULE_VERSION = 5,    /**< a module of a format that this loader does not read */
  SXT_ERROR_NOT_FOUND = 6,         /**< no kernel, global or device of that name */
  SXT_ERROR_NO_DEVICE = 7,         /**< the backend has no usable device here */
  SXT_ERROR_NO_VARIANT = 8,        /**< no variant of the kernel fits the device */
  SXT_ERROR_SIGNATURE = 9,         /**< arguments or results do not fit the kernel's signature */
  SXT_ERROR_LAUNCH_REFUSED = 10,   /**< right types, but sizes that the kernel does not take */
  SXT_ERROR_OUT_OF_RANGE = 11,     /**< past the end of a buffer or list */
  SXT_ERROR_DEVICE = 12,           /**< the device's driver reported an error */
  SXT_ERROR_UNSUPPORTED = 13,      /**< this device or build cannot do it */
  SXT_ERROR_NOT_READY = 14,        /**< the event has not happened yet */
  SXT_ERROR_INTERNAL = 15,         /**< a fault of the loader */
  SXT_ERROR_KERNEL_FAULT = 16,     /**< an assertion or check in a kernel failed; see
                                        sxt_kernel_launch */
  SXT_ERROR_UNTRUSTED = 17,        /**< the module is not signed with a key that was given, was
                                        altered since, or no signature can be checked here */
  SXT_STATUS_MAX_ENUM = 0x7fffffff /* the type holds any number */
} sxt_status;

/** The name of a status, "SXT_ERROR_IO"; "SXT_ERROR_UNKNOWN" for other values. Never null. */
SXT_API_VOID const char *sxt_status_name(sxt_status status);

/** What the last failing call of this thread had to say; "" if none has failed.
 *  Valid until the next call that fails on this thread. Never null. */
SXT_API_VOID const char *sxt_last_error_message(void);

/** The version of the loader that runs, which may be newer than the header's. */
SXT_API_VOID void sxt_version(int *major, int *minor, int *patch);

/* --- Logging ------------------------------------------------------------------ */

/** How much is logged: messages of a level and of all before it. */
typedef enum sxt_log_level {
  SXT_LOG_OFF = 0,              /**< nothing */
  SXT_LOG_ERROR = 1,            /**< calls that fail */
  SXT_LOG_WARNING = 2,          /**< environment variables without effect, … */
  SXT_LOG_INFO = 3,             /**< devices opened, variants chosen and loaded */
  SXT_LOG_DEBUG = 4,            /**< every launch */
  SXT_LOG_MAX_ENUM = 0x7fffffff /* the type holds any number */
} sxt_log_level;

/** Called with one line without its newline. Calls come one at a time, from whichever
 *  thread has something to say. Must not call the loader. */
typedef void (*sxt_log_callback)(sxt_log_level level, const char *message, void *user);

/** Sends messages up to `level` to `callback`; a null callback restores the start:
 *  to stderr at the level of SEXTANT_LOG (off, error, warning, info, debug; unset: off). */
SXT_API_VOID void sxt_log_set_callback(sxt_log_callback callback, void *user, sxt_log_level level);

/* --- Types -------------------------------------------------------------------- */

/** Scalar types of the kernel language. A bool is one byte in memory, 0 or 1. */
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
  SXT_DTYPE_MAX_ENUM = 0x7fffffff /* the type holds any number */
} sxt_dtype;

/** "u1", "i8", … "bf16" as the kernel language writes it; "?" for other values. Never null. */
SXT_API_VOID const char *sxt_dtype_name(sxt_dtype dtype);
/** Bytes of one scalar in memory; 0 for other values. */
SXT_API_VOID size_t sxt_dtype_size(sxt_dtype dtype);

/** Most dimensions of an array that can be passed to a kernel. */
#define SXT_MAX_DIMS 8

/** An opened device. */
typedef struct sxt_device sxt_device;
/** An opened .sxt file or blob; knows no device. */
typedef struct sxt_module sxt_module;
/** A module on a device: variants, globals. */
typedef struct sxt_program sxt_program;
/** A kernel of a program; owned by the program. */
typedef struct sxt_kernel sxt_kernel;
/** Device memory. */
typedef struct sxt_buffer sxt_buffer;
/** Work that runs in the order given. */
typedef struct sxt_stream sxt_stream;
/** A point in a stream. */
typedef struct sxt_event sxt_event;
/** A prepared launch. */
typedef struct sxt_launch sxt_launch;
/** A recorded sequence of launches, copies and fills. */
typedef struct sxt_graph sxt_graph;

/* --- Devices ------------------------------------------------------------------ */

/** Facts about a device. Its strings and lists are the loader's. */
typedef struct sxt_device_info {
  size_t struct_size;
  const char *name;           /**< "cpu", "cuda:0", "hip:0": what sxt_device_open takes */
  const char *backend;        /**< of its code: "cpu", "cuda", "amdgpu", "vulkan", "metal" */
  const char *description;    /**< the maker's name for it */
  const char *arch;           /**< "x86-64-v3", "sm_90"; AMD: the target ID,
                                   "gfx90a:sramecc+:xnack-"; Vulkan: the version of its API */
  const uint32_t *wave_sizes; /**< subgroup sizes that it runs, preferred first */
  size_t wave_size_count;
  const char *const *features; /**< what variants may require: names, then numbers as name=8.4 */
  size_t feature_count;
  uint64_t memory_bytes;        /**< in all; 0 where unknown */
  uint64_t shared_memory_bytes; /**< a block may use */
  uint32_t multiprocessors;     /**< CPU: worker threads */
  uint32_t max_threads_per_block;
} sxt_device_info;

/** Devices of this machine: GPUs, then the CPU, which is always there, then Vulkan devices
 *  that are none but drivers on the processor. Starts all drivers at the first call. */
SXT_API sxt_status sxt_device_count(size_t *count);
/** Facts about the device of that index, without opening it. The strings and lists in
 *  `info` live as long as the process. */
SXT_API sxt_status sxt_device_get_info(size_t index, sxt_device_info *info);

/** Opens a device by name: "cpu", "cuda:1", "cuda" (the first one). Null or "": the
 *  device that SEXTANT_DEVICE names, else index 0 (a GPU where one is usable).
 *  Opening the same device twice gives handles to one device, each to be released.
 *  SXT_ERROR_NOT_FOUND: no such name; SXT_ERROR_NO_DEVICE: the reason is in the message. */
SXT_API sxt_status sxt_device_open(const char *name, sxt_device **device);
/** Opens the device of that index (SXT_ERROR_OUT_OF_RANGE: there are not so many), to be
 *  released by sxt_device_release. */
SXT_API sxt_status sxt_device_open_index(size_t index, sxt_device **device);

/** Opens the device that runs a whole module: the one that SEXTANT_DEVICE names, else the
 *  first one for which every kernel has a variant (SEXTANT_VARIANT and SEXTANT_BLOCK count).
 *  To be released by sxt_device_release.
 *  SXT_ERROR_NO_VARIANT: there is none; the message is about the last device tried. */
SXT_API sxt_status sxt_device_open_for(sxt_module *module, sxt_device **device);

/** A context to make a device of: see sxt_device_adopt. Read during the call alone. */
typedef struct sxt_adopt_info {
  size_t struct_size;
  const char *backend; /**< the device's family: "cuda", "hip", "vulkan", "metal" */
  void *context;       /**< CUcontext, hipCtx_t; null: what is current on this thread. Vulkan: an
                            sxt_vulkan_context. Metal: an id<MTLDevice> */
  void *stream;        /**< CUstream, hipStream_t, id<MTLCommandQueue> that becomes the device's
                            default stream; may be null */
} sxt_adopt_info;

/** A Vulkan device that an application made. Read during sxt_device_adopt alone; the
 *  handles stay the application's. Variants that need a feature which the application did
 *  not enable are no candidates.
 *
 *  Work goes to `queue`, at the latest when the call that queues it returns, and is ordered
 *  with what the application submits there before and after: no barriers are needed. */
typedef struct sxt_vulkan_context {
  size_t struct_size;
  void *get_instance_proc_addr; /**< vkGetInstanceProcAddr; null: libvulkan.so.1's */
  void *instance;               /**< VkInstance */
  void *physical_device;        /**< VkPhysicalDevice */
  void *device;                 /**< VkDevice */
  const void *device_info;      /**< the VkDeviceCreateInfo that made `device`, for its features */
  void *queue;                  /**< VkQueue that computes */
  uint32_t queue_family;        /**< of `queue` */
  uint32_t api_version;         /**< VkApplicationInfo::apiVersion of `instance`, at least 1.1 */
  /** Called around each vkQueueSubmit, on any thread; null where the application does not
   *  use `queue` from other threads meanwhile. */
  void (*lock_queue)(void *user);
  void (*unlock_queue)(void *user);
  void *user;
} sxt_vulkan_context;

/** Makes a device of a context that the application owns and must keep alive until the
 *  device and all that was made from it is released. Pointers of that context can be
 *  wrapped by sxt_buffer_wrap. */
SXT_API sxt_status sxt_device_adopt(const sxt_adopt_info *adopt, sxt_device **device);

/** Facts about an opened device; strings live as long as the device. */
SXT_API sxt_status sxt_device_describe(sxt_device *device, sxt_device_info *info);
/** Blocks until the work of all of the device's streams is done. */
SXT_API sxt_status sxt_device_synchronize(sxt_device *device);
/** The stream that calls use where they are given a null stream. Owned by the device:
 *  do not release it. */
SXT_API sxt_status sxt_device_default_stream(sxt_device *device, sxt_stream **stream);
/** Gives the handle back. The device lives on in what was made from it. */
SXT_API_VOID void sxt_device_release(sxt_device *device);

/* --- Modules ------------------------------------------------------------------ */

/** Opens a module file and keeps it open until the module, and every program made from it, is
 *  released (sxt_module_release). Replacing it meanwhile by a rename changes nothing; if it is
 *  cut short or written over, later calls return SXT_ERROR_BAD_MODULE. SXT_ERROR_IO: it cannot
 *  be read; SXT_ERROR_BAD_MODULE, SXT_ERROR_MODULE_VERSION: it is no module for this loader. */
SXT_API sxt_status sxt_module_open_file(const char *path, sxt_module **module);
/** Opens a module in memory, such as an embedded one. The bytes are not copied: they
 *  must stay as they are until the module, and every program made from it, is released.
 *  Errors as for sxt_module_open_file. To be released by sxt_module_release. */
SXT_API sxt_status sxt_module_open_memory(const void *data, size_t size, sxt_module **module);

/** An Ed25519 public key (RFC 8032), as `sextant keygen` prints it for C. */
typedef struct sxt_public_key {
  uint8_t bytes[32]; /**< as the RFC encodes it */
} sxt_public_key;

/** What a module has to be. Read during the call alone. */
typedef struct sxt_module_options {
  size_t struct_size;
  /** Null: any module is taken. Else only one that `sextant sign` signed with one of these
   *  keys, and that is as it was signed: anything else is SXT_ERROR_UNTRUSTED before a byte of
   *  it is decompressed or reaches a driver, when it is opened or, for what is read later, by
   *  the call that needs it. Checking takes libsodium (libsodium.so.23 or .26), found at run
   *  time unless the loader was built with it; without it every module is refused. No
   *  environment variable changes this. The keys are copied. */
  const sxt_public_key *public_keys;
  size_t public_key_count; /**< with keys: at least 1 */
} sxt_module_options;

/** As sxt_module_open_file, with options, which may be null. To be released likewise. */
SXT_API sxt_status sxt_module_open_file_with(const char *path, const sxt_module_options *options,
                                             sxt_module **module);
/** As sxt_module_open_memory, with options, which may be null. Memory is checked in place:
 *  whoever can write to it while the module is open is trusted. To be released likewise. */
SXT_API sxt_status sxt_module_open_memory_with(const void *data, size_t size,
                                               const sxt_module_options *options,
                                               sxt_module **module);

/** Gives the handle back; programs made from the module keep what they need of it. */
SXT_API_VOID void sxt_module_release(sxt_module *module);

/** What an argument is. */
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
  uint32_t ndim; /**< arrays: dimensions, 0 of one element alone */
  uint32_t rows; /**< of a matrix, or of an array's element; 1 for scalars */
  uint32_t cols;
} sxt_parameter_info;

/** Facts about a kernel; strings live as long as the module. */
typedef struct sxt_kernel_info {
  size_t struct_size;
  const char *name;     /**< as launched: unique in the module ("scan_i32_256") */
  const char *function; /**< as written in the kernel file ("scan") */
  size_t argument_count;
  size_t result_count; /**< return values */
  size_t variant_count;
  const char *doc; /**< its docstring, UTF-8, lines without their indentation; "" of none */
} sxt_kernel_info;

/** How many kernels the module has: instances of templates count each. */
SXT_API sxt_status sxt_module_kernel_count(sxt_module *module, size_t *count);
/** Facts about the kernel of that index. SXT_ERROR_OUT_OF_RANGE: there are not so many;
 *  SXT_ERROR_BAD_MODULE: its record is damaged, as for all calls here that name a kernel. */
SXT_API sxt_status sxt_module_kernel(sxt_module *module, size_t index, sxt_kernel_info *info);
/** The index of the kernel of that name; for a kernel with only one instance, the name
 *  as written in the kernel file does as well. SXT_ERROR_NOT_FOUND: there is none, or several
 *  instances have that name; the message lists near ones. */
SXT_API sxt_status sxt_module_find_kernel(sxt_module *module, const char *name, size_t *index);
/** The argument at `index` of kernel number `kernel`; strings live as long as the module.
 *  SXT_ERROR_OUT_OF_RANGE: there is none. */
SXT_API sxt_status sxt_module_argument(sxt_module *module, size_t kernel, size_t index,
                                       sxt_parameter_info *info);
/** The return value at `index` of kernel number `kernel`; it has no name (""). */
SXT_API sxt_status sxt_module_result(sxt_module *module, size_t kernel, size_t index,
                                     sxt_parameter_info *info);

/** A field of the kernel file: device memory that its kernels share. */
typedef struct sxt_global_info {
  size_t struct_size;
  const char *name;
  sxt_dtype dtype;
  uint32_t ndim;
  uint32_t rows; /**< of an element */
  uint32_t cols;
  const int64_t *shape; /**< `ndim` extents */
  uint64_t size_bytes;
} sxt_global_info;

/** How many fields the module has. */
SXT_API sxt_status sxt_module_global_count(sxt_module *module, size_t *count);
/** Facts about the field of that index; pointers live as long as the module. */
SXT_API sxt_status sxt_module_global(sxt_module *module, size_t index, sxt_global_info *info);

/* --- Programs ----------------------------------------------------------------- */

/** How a program chooses among variants. Read during sxt_program_create alone. */
typedef struct sxt_program_options {
  size_t struct_size;
  /** Only variants that this pattern names are considered: "cuda:sm_80", "x86-64-v2/wave8",
   *  "/wave8". Null: what SEXTANT_VARIANT says, else all. */
  const char *variant;
  /** Comma-separated patterns of variants to leave out. Null: what SEXTANT_BLOCK says. */
  const char *blocked;
  uint32_t wave; /**< only variants of this wave size; 0: all */
  /** A file of preferences among variants that would run, as `sextant bench --prefer`
   *  writes it: lines of kernel, device and target, "sum_f32 amdgpu:gfx1100
   *  amdgpu:gfx1100/wave64"; '#' starts a comment. Null: what SEXTANT_PREFER says, else none.
   *  Lines that are none, or name what is not there, change nothing; nor does a file that
   *  cannot be read. */
  const char *preferences;
} sxt_program_options;

/** A module on a device. Costs no work per variant: images are decoded and handed to the
 *  driver when a kernel is first launched or asked for by sxt_program_kernel.
 *  `options` may be null. To be released by sxt_program_release. */
SXT_API sxt_status sxt_program_create(sxt_module *module, sxt_device *device,
                                      const sxt_program_options *options, sxt_program **program);
/** Waits for the program's launches, then frees its code and globals. */
SXT_API_VOID void sxt_program_release(sxt_program *program);

/** The kernel of that name, its variant chosen and loaded (once, whichever thread comes
 *  first). Names as for sxt_module_find_kernel. SXT_ERROR_NO_VARIANT's message gives every
 *  variant's reason. A variant that the device's driver refuses (SXT_ERROR_DEVICE,
 *  SXT_ERROR_UNSUPPORTED) gives way to the next usable one, with a warning in the log and its
 *  reason in sxt_program_explain; if none loads, the error is the first one's. The kernel is
 *  owned by the program, and lives as long. Waits for another thread that loads the same one. */
SXT_API sxt_status sxt_program_kernel(sxt_program *program, const char *name, sxt_kernel **kernel);

/** What selection made of one variant of a kernel. */
typedef struct sxt_verdict {
  size_t struct_size;
  const char *target; /**< "cuda:sm_90/wave32" */
  int usable;         /**< it would run here */
  int selected;       /**< it is the one that runs */
  const char *reason; /**< why not, or where in the order */
} sxt_verdict;

/** Verdicts on all variants of a kernel, best first, without loading any. Variants that
 *  the compiler refused come last, with its reason. Strings live as long as the program. */
SXT_API sxt_status sxt_program_verdict_count(sxt_program *program, const char *kernel,
                                             size_t *count);
/** The verdict at `index` of those: SXT_ERROR_OUT_OF_RANGE past the last. */
SXT_API sxt_status sxt_program_verdict(sxt_program *program, const char *kernel, size_t index,
                                       sxt_verdict *verdict);
/** The same as text, one line a variant, which lives as long as the program. */
SXT_API sxt_status sxt_program_explain(sxt_program *program, const char *kernel, const char **text);

/** Facts about a global, by name. */
SXT_API sxt_status sxt_program_global(sxt_program *program, const char *name,
                                      sxt_global_info *info);
/** The global's memory, zero at first, to copy from and to or to pass as an array.
 *  Owned by the program: do not release it. */
SXT_API sxt_status sxt_program_global_buffer(sxt_program *program, const char *name,
                                             sxt_buffer **buffer);
/** Copies part of a global to host memory, after the work already in `stream`; blocks. */
SXT_API sxt_status sxt_program_global_read(sxt_program *program, const char *name,
                                           uint64_t offset_bytes, void *destination,
                                           size_t size_bytes, sxt_stream *stream);
/** Copies host memory to part of a global, after the work already in `stream`; blocks. */
SXT_API sxt_status sxt_program_global_write(sxt_program *program, const char *name,
                                            uint64_t offset_bytes, const void *source,
                                            size_t size_bytes, sxt_stream *stream);

/* --- Buffers ------------------------------------------------------------------ */

/** Allocates device memory, aligned to at least 256 bytes (64 on the CPU), its content
 *  unspecified. A size of 0 is fine. To be released by sxt_buffer_release. */
SXT_API sxt_status sxt_buffer_create(sxt_device *device, uint64_t size_bytes, sxt_buffer **buffer);
/** Makes a buffer of memory that the caller owns and keeps alive: a CUdeviceptr, a
 *  pointer of HIP's, on the CPU any host address; on Vulkan and Metal an address within
 *  another buffer of the device. The size is taken as true. sxt_buffer_release gives back the
 *  handle, and leaves the memory alone. */
SXT_API sxt_status sxt_buffer_wrap(sxt_device *device, uint64_t address, uint64_t size_bytes,
                                   sxt_buffer **buffer);
/** Makes a buffer of an object that the caller owns and keeps alive: on an adopted Vulkan
 *  device, a VkBuffer with memory, of the usages storage buffer, transfer source and
 *  transfer destination. SXT_ERROR_UNSUPPORTED on devices whose addresses say it all.
 *  sxt_buffer_release gives back the handle, and leaves the object alone. */
SXT_API sxt_status sxt_buffer_wrap_native(sxt_device *device, void *native, uint64_t size_bytes,
                                          sxt_buffer **buffer);
/** Frees the memory once work that is already queued is done (blocks where the device
 *  needs it). */
SXT_API_VOID void sxt_buffer_release(sxt_buffer *buffer);

/** The size that the buffer was made with. */
SXT_API sxt_status sxt_buffer_size(sxt_buffer *buffer, uint64_t *size_bytes);
/** The device address: CUdeviceptr, HIP's pointer, or a host pointer on the CPU. On Vulkan a number
 * that stands for the memory in calls of this loader, and for nothing else. */
SXT_API sxt_status sxt_buffer_address(sxt_buffer *buffer, uint64_t *address);
/** The object that the buffer lies in, and where: a VkBuffer. SXT_ERROR_UNSUPPORTED
 *  likewise. */
SXT_API sxt_status sxt_buffer_native(sxt_buffer *buffer, void **native, uint64_t *offset_bytes);

/** Copies host memory to the buffer, in `stream`'s order (null: the device's default stream),
 *  and blocks until that is done. SXT_ERROR_OUT_OF_RANGE: past the buffer's end, as for all
 *  copies. */
SXT_API sxt_status sxt_buffer_write(sxt_buffer *buffer, uint64_t offset_bytes, const void *source,
                                    size_t size_bytes, sxt_stream *stream);
/** Copies from the buffer to host memory, likewise: blocks until `destination` is there. */
SXT_API sxt_status sxt_buffer_read(sxt_buffer *buffer, uint64_t offset_bytes, void *destination,
                                   size_t size_bytes, sxt_stream *stream);
/** sxt_buffer_write that returns at once: `source` must stay as it is until the stream has
 *  got there (an event or sxt_stream_synchronize tells). */
SXT_API sxt_status sxt_buffer_write_async(sxt_buffer *buffer, uint64_t offset_bytes,
                                          const void *source, size_t size_bytes,
                                          sxt_stream *stream);
/** sxt_buffer_read that returns at once: `destination` is the loader's until the stream has
 *  got there. */
SXT_API sxt_status sxt_buffer_read_async(sxt_buffer *buffer, uint64_t offset_bytes,
                                         void *destination, size_t size_bytes, sxt_stream *stream);
/** Copies between two buffers of one device, which must not overlap; asynchronous. */
SXT_API sxt_status sxt_buffer_copy(sxt_buffer *destination, uint64_t destination_offset_bytes,
                                   sxt_buffer *source, uint64_t source_offset_bytes,
                                   uint64_t size_bytes, sxt_stream *stream);
/** Fills with a pattern of 1, 2 or 4 bytes; offset and size are multiples of it; asynchronous. */
SXT_API sxt_status sxt_buffer_fill(sxt_buffer *buffer, uint64_t offset_bytes, uint64_t size_bytes,
                                   const void *pattern, size_t pattern_bytes, sxt_stream *stream);

/** Gives the buffer's content as host memory, after all work of the device: the memory
 *  itself on the CPU, a copy elsewhere. One mapping at a time; do not launch with the buffer
 *  until it is unmapped. */
SXT_API sxt_status sxt_buffer_map(sxt_buffer *buffer, void **pointer);
/** Makes what was written through the mapping the buffer's content and ends the mapping. */
SXT_API sxt_status sxt_buffer_unmap(sxt_buffer *buffer);

/* --- Streams and events -------------------------------------------------------- */

/** A stream of its own, which runs beside the others. To be released by sxt_stream_release. */
SXT_API sxt_status sxt_stream_create(sxt_device *device, sxt_stream **stream);
/** Blocks until all work of the stream is done. */
SXT_API sxt_status sxt_stream_synchronize(sxt_stream *stream);
/** Later work of `stream` runs after what `event` recorded. */
SXT_API sxt_status sxt_stream_wait_event(sxt_stream *stream, sxt_event *event);
/** What was launched last in a stream. The strings live as long as the device. */
typedef struct sxt_launch_info {
  size_t struct_size;
  const char *kernel; /**< "sum_f32" */
  const char *target; /**< of the variant: "cuda:sm_90/wave32" */
  const char *format; /**< of its image: "cubin", "ptx", "hsaco", "spirv", "msl", "elf" */
  uint32_t wave;      /**< lanes of its subgroups */
  uint32_t grid_dim;  /**< blocks of the hardware kernel that had most of them; 0: none had */
  uint32_t block_dim; /**< threads a block of that one */
  size_t task_count;  /**< hardware kernels of the launch */
} sxt_launch_info;

/** Tells the last launch that was queued in `stream` (not null), by whichever call; of a
 *  graph, its last kernel. Asks no driver. Where other threads launch in the stream
 *  meanwhile, it is one of their launches, and `grid_dim` and `block_dim` may be another's.
 *  SXT_ERROR_NOT_FOUND: nothing was launched there yet. */
SXT_API sxt_status sxt_stream_last_launch(sxt_stream *stream, sxt_launch_info *info);
/** CUstream, hipStream_t, VkQueue, id<MTLCommandQueue>; null on the CPU. */
SXT_API sxt_status sxt_stream_native(sxt_stream *stream, void **native);
/** Waits for the stream's work, then gives the handle back. */
SXT_API_VOID void sxt_stream_release(sxt_stream *stream);

/** An event with nothing recorded. To be released by sxt_event_release. */
SXT_API sxt_status sxt_event_create(sxt_device *device, sxt_event **event);
/** Marks the point that `stream` (null: the default one) has been given work up to; a
 *  second call moves the event, but not for streams that wait for it already. */
SXT_API sxt_status sxt_event_record(sxt_event *event, sxt_stream *stream);
/** Blocks until the recorded point is reached; at once if nothing was recorded. */
SXT_API sxt_status sxt_event_synchronize(sxt_event *event);
/** SXT_OK when the recorded point is reached, SXT_ERROR_NOT_READY before. */
SXT_API sxt_status sxt_event_query(sxt_event *event);
/** Milliseconds between two recorded points that were reached (SXT_ERROR_NOT_READY
 *  before), at a resolution of a microsecond or better. */
SXT_API sxt_status sxt_event_elapsed(sxt_event *begin, sxt_event *end, double *milliseconds);
/** Gives the handle back; streams that wait for the event still do. */
SXT_API_VOID void sxt_event_release(sxt_event *event);

/* --- Launches ------------------------------------------------------------------ */

/** One argument of a launch. Make it with the functions below. */
typedef struct sxt_argument {
  size_t struct_size;
  uint32_t kind;  /**< an sxt_argument_kind */
  uint32_t dtype; /**< an sxt_dtype */
  uint32_t ndim;
  uint32_t rows;
  uint32_t cols;
  union {
    sxt_buffer *buffer; /**< arrays: the memory, checked to hold the shape; or null, and … */
    const void *data;   /**< matrices: rows * cols scalars, row-major, read during the call */
    uint64_t bits;      /**< scalars: the value's bytes in memory order, from the first byte */
  } value;
  uint64_t offset_bytes; /**< arrays: of element 0 in the buffer; … without a buffer: the device
                              address itself, of memory that the caller answers for */
  int64_t shape[SXT_MAX_DIMS]; /**< arrays: extents; C order, the last one contiguous */
} sxt_argument;

/** Queues a launch of the kernel in `stream` (null: the device's default stream).
 *  Arguments are checked against the signature: SXT_ERROR_SIGNATURE names the argument,
 *  what is expected and what was given. Grids come from the argument's extents and values; no
 *  iterations, no launch. Return values are discarded. Allocates nothing.
 *  A kernel built with assertions or checks is waited for, and SXT_ERROR_KERNEL_FAULT says
 *  which one failed first, where in the source, and in which thread. */
SXT_API sxt_status sxt_kernel_launch(sxt_kernel *kernel, sxt_stream *stream,
                                     const sxt_argument *arguments, size_t argument_count);

/** Where a return value goes. */
typedef struct sxt_result {
  size_t struct_size;
  uint32_t dtype; /**< an sxt_dtype */
  uint32_t rows;  /**< 1 for scalars */
  uint32_t cols;
  void *data; /**< rows * cols scalars, row-major */
} sxt_result;

/** Launches, waits for it, and stores the return values: all of them, in order. */
SXT_API sxt_status sxt_kernel_call(sxt_kernel *kernel, sxt_stream *stream,
                                   const sxt_argument *arguments, size_t argument_count,
                                   const sxt_result *results, size_t result_count);

/* --- Prepared launches ---------------------------------------------------------- */
/* A launch whose arguments are checked and laid out once. Unlike other handles, a prepared
 * launch is used by one thread at a time. It refers to its kernel's program and to the
 * buffers of its arguments: all must be there when it is enqueued, none when it is
 * released. */

/** Checks and packs the arguments as sxt_kernel_launch does, with its errors; computes the
 *  grids. Matrices are read during the call. The caller releases the launch. */
SXT_API sxt_status sxt_launch_create(sxt_kernel *kernel, const sxt_argument *arguments,
                                     size_t argument_count, sxt_launch **launch);
/** Replaces argument `index`, from 0, and computes the grids again. Launches that are
 *  queued already keep what they had; after an error, so does this one. Errors as of
 *  sxt_kernel_launch; SXT_ERROR_OUT_OF_RANGE: the kernel has no argument of that index.
 *  Allocates nothing. */
SXT_API sxt_status sxt_launch_set_argument(sxt_launch *launch, size_t index,
                                           const sxt_argument *argument);
/** Queues the launch in `stream` (null: the device's default stream), as often as wanted.
 *  As sxt_kernel_launch, but that there is nothing left to check. Allocates nothing. */
SXT_API sxt_status sxt_launch_enqueue(sxt_launch *launch, sxt_stream *stream);
/** What is queued runs all the same. */
SXT_API_VOID void sxt_launch_release(sxt_launch *launch);

/* --- Graphs --------------------------------------------------------------------- */
/* A sequence of steps that is recorded once and queued as a whole, any number of times, in
 * any stream of its device. A step runs after the one before it, as if each had been queued
 * in turn. Like a prepared launch, a graph is used by one thread at a time, and refers to
 * programs and buffers: while it is enqueued and until its work is done, what its steps use
 * must be there.
 *
 * Devices that have graphs are given one (a CUDA or HIP graph, a secondary command buffer of
 * Vulkan's), when the graph is enqueued first, and again after steps were added, or an
 * argument was set from which a kernel has blocks to run where it had none, or the reverse.
 * Runs of one graph then come one after another, also in several streams; runs of
 * several graphs may overlap. On the CPU, on Metal, with drivers that have no graphs, and
 * where a kernel has checks, each step is queued in turn; a kernel with checks is waited for,
 * and what it reports ends the run. */

/** An empty graph for `device`, which it keeps alive. The caller releases it. */
SXT_API sxt_status sxt_graph_create(sxt_device *device, sxt_graph **graph);
/** Appends a launch. Arguments and errors as of sxt_launch_create; return values are thrown
 *  away. `step`, if not null, becomes the number to set its arguments by. */
SXT_API sxt_status sxt_graph_add_launch(sxt_graph *graph, sxt_kernel *kernel,
                                        const sxt_argument *arguments, size_t argument_count,
                                        size_t *step);
/** Appends a copy; arguments and errors as of sxt_buffer_copy. */
SXT_API sxt_status sxt_graph_add_copy(sxt_graph *graph, sxt_buffer *destination,
                                      uint64_t destination_offset_bytes, sxt_buffer *source,
                                      uint64_t source_offset_bytes, uint64_t size_bytes);
/** Appends a fill; arguments and errors as of sxt_buffer_fill. */
SXT_API sxt_status sxt_graph_add_fill(sxt_graph *graph, sxt_buffer *buffer, uint64_t offset_bytes,
                                      uint64_t size_bytes, const void *pattern,
                                      size_t pattern_bytes);
/** Replaces an argument of a launch among the steps, as sxt_launch_set_argument does. Runs
 *  that are queued already keep what they had. SXT_ERROR_OUT_OF_RANGE: `step` is no
 *  launch. */
SXT_API sxt_status sxt_graph_set_argument(sxt_graph *graph, size_t step, size_t index,
                                          const sxt_argument *argument);
/** Queues all steps in `stream` (null: the device's default stream). Allocates nothing, but
 *  where the device's own graph has to be made or changed. */
SXT_API sxt_status sxt_graph_enqueue(sxt_graph *graph, sxt_stream *stream);

/** Facts about a graph. */
typedef struct sxt_graph_info {
  size_t struct_size;
  size_t step_count;   /**< that were added */
  int native;          /**< 1: the device runs it as a graph of its own; 0: step by step */
  uint64_t kept_bytes; /**< of device memory that the graph keeps for its kernels' results
                            and carried values; drivers' own memory is not counted */
} sxt_graph_info;
/** Tells how the graph runs; makes the device's graph, if that is still to be done. */
SXT_API sxt_status sxt_graph_describe(sxt_graph *graph, sxt_graph_info *info);
/** Waits for the graph's runs where the device has a graph of it. */
SXT_API_VOID void sxt_graph_release(sxt_graph *graph);

/* --- Variants ------------------------------------------------------------------- */

/** The variant that runs. */
typedef struct sxt_variant_info {
  size_t struct_size;
  const char *target;  /**< "cuda:sm_90/wave32" */
  const char *backend; /**< "cuda" */
  const char *arch;    /**< "sm_90" */
  uint32_t wave;
  size_t task_count; /**< hardware kernels that one launch runs */
} sxt_variant_info;

/** One hardware kernel. -1: the toolchain did not tell. */
typedef struct sxt_task_info {
  size_t struct_size;
  const char *name;
  uint32_t block_dim;
  int32_t registers; /**< a thread; AMD: vector registers */
  int32_t spill_bytes;
  int32_t stack_bytes;
  int32_t shared_bytes;     /**< a block */
  int32_t scalar_registers; /**< a wave */
  int32_t occupancy;        /**< waves of it that a SIMD unit holds at most */
} sxt_task_info;

/** Which variant of the kernel runs; strings live as long as the program. */
SXT_API sxt_status sxt_kernel_variant(sxt_kernel *kernel, sxt_variant_info *info);
/** The hardware kernel at `index` of the variant's: SXT_ERROR_OUT_OF_RANGE past the last.
 *  Strings live as long as the program. */
SXT_API sxt_status sxt_kernel_task(sxt_kernel *kernel, size_t index, sxt_task_info *info);
/** The kernel's index in its module, for signature queries. */
SXT_API sxt_status sxt_kernel_index(sxt_kernel *kernel, size_t *index);

/* --- Measuring ----------------------------------------------------------------- */

/** How sxt_program_measure measures. */
typedef struct sxt_measure_options {
  size_t struct_size;
  uint32_t samples; /**< of each variant; 0: 11 */
} sxt_measure_options;

/** How quick one variant of a kernel is on this device. */
typedef struct sxt_measurement {
  size_t struct_size;
  const char *target;  /**< "amdgpu:gfx1100/wave64" */
  int selected;        /**< it is the one that selection takes without measuring */
  int fastest;         /**< it has the smallest median: the one that runs from now on */
  uint32_t samples;    /**< that were taken; 0 if there is a problem */
  uint32_t launches;   /**< in each sample: quick kernels run several times */
  double median_ms;    /**< of one launch, as all times here */
  double minimum_ms;   /**< the best sample */
  double spread_ms;    /**< between the first and the third quarter of the samples */
  const char *problem; /**< why it could not be measured; null if it could */
} sxt_measurement;

/** Runs the usable variants of the best match (the wave sizes of an architecture, say) on
 *  these arguments in turn, times them with events, and has the program use the fastest
 *  from now on: sxt_program_kernel gives that one. Handles given out before stay valid and
 *  keep their variant. Blocks. The kernel runs many times, on the arrays given: pass copies
 *  where that matters. Return values are thrown away. `options` may be null.
 *  `count`, if not null, becomes the number of measurements. Fails if no variant could be
 *  measured, and if the arguments do not fit. */
SXT_API sxt_status sxt_program_measure(sxt_program *program, const char *kernel, sxt_stream *stream,
                                       const sxt_argument *arguments, size_t argument_count,
                                       const sxt_measure_options *options, size_t *count);
/** One result of the last sxt_program_measure of that kernel, in the order of selection.
 *  `target` lives as long as the program, `problem` until the kernel is measured again. */
SXT_API sxt_status sxt_program_measurement(sxt_program *program, const char *kernel, size_t index,
                                           sxt_measurement *measurement);

/* --- Making arguments ---------------------------------------------------------- */

/** A zeroed argument of a kind. */
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

/** An array of scalars at the start of `buffer`; `ndim` from 0, where `shape` may be null and the
 *  array is one element, to SXT_MAX_DIMS. */
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
/** A zero-dimensional array: one scalar, `x[None]` of the kernel. */
static inline sxt_argument sxt_make_array0(sxt_buffer *buffer, sxt_dtype dtype) {
  return sxt_make_array(buffer, dtype, 0, 0);
}
/** A one-dimensional array of `count` scalars. */
static inline sxt_argument sxt_make_array1(sxt_buffer *buffer, sxt_dtype dtype, int64_t count) {
  return sxt_make_array(buffer, dtype, 1, &count);
}
/** A vector or matrix by value; `data` is read during the launch call. */
static inline sxt_argument sxt_make_matrix(const void *data, sxt_dtype dtype, uint32_t rows,
                                           uint32_t cols) {
  sxt_argument a = sxt_make_argument(SXT_ARGUMENT_MATRIX, dtype);
  a.value.data = data;
  a.rows = rows;
  a.cols = cols;
  return a;
}
/** A scalar of any type, from its bytes. */
static inline sxt_argument sxt_make_scalar(sxt_dtype dtype, const void *value, size_t size_bytes) {
  sxt_argument a = sxt_make_argument(SXT_ARGUMENT_SCALAR, dtype);
  size_t i;
  for (i = 0; i < size_bytes && i < sizeof a.value.bits; ++i)
    ((unsigned char *)&a.value.bits)[i] = ((const unsigned char *)value)[i];
  return a;
}
/** A scalar bool: any value but 0 is true. */
static inline sxt_argument sxt_make_bool(int value) {
  unsigned char byte = value != 0;
  return sxt_make_scalar(SXT_DTYPE_BOOL, &byte, 1);
}
/** A scalar i32. */
static inline sxt_argument sxt_make_i32(int32_t value) {
  return sxt_make_scalar(SXT_DTYPE_I32, &value, sizeof value);
}
/** A scalar u32. */
static inline sxt_argument sxt_make_u32(uint32_t value) {
  return sxt_make_scalar(SXT_DTYPE_U32, &value, sizeof value);
}
/** A scalar i64. */
static inline sxt_argument sxt_make_i64(int64_t value) {
  return sxt_make_scalar(SXT_DTYPE_I64, &value, sizeof value);
}
/** A scalar u64. */
static inline sxt_argument sxt_make_u64(uint64_t value) {
  return sxt_make_scalar(SXT_DTYPE_U64, &value, sizeof value);
}
/** A scalar f32. */
static inline sxt_argument sxt_make_f32(float value) {
  return sxt_make_scalar(SXT_DTYPE_F32, &value, sizeof value);
}
/** A scalar f64. */
static inline sxt_argument sxt_make_f64(double value) {
  return sxt_make_scalar(SXT_DTYPE_F64, &value, sizeof value);
}

#ifdef __cplusplus
}
#endif
#endif /* SEXTANT_SEXTANT_H */

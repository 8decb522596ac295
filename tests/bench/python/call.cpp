// The cost of the same launch by the C API: bench-python-call MODULE prints the median in
// nanoseconds. Each call makes its arguments anew, as a caller in Python does.
#include <sextant/sextant.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

void need(sxt_status status) {
  if (status == SXT_OK)
    return;
  std::fprintf(stderr, "%s\n", sxt_last_error_message());
  std::exit(1);
}

/// The thread's processor time.
double nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * double(now.tv_sec) + double(now.tv_nsec);
}

sxt_argument at(float *data, int64_t count) {
  sxt_argument argument = sxt_make_array1(nullptr, SXT_DTYPE_F32, count);
  argument.offset_bytes = reinterpret_cast<uint64_t>(data);
  return argument;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  sxt_module *module = nullptr;
  sxt_device *device = nullptr;
  sxt_program *program = nullptr;
  sxt_kernel *kernel = nullptr;
  need(sxt_module_open_file(argv[1], &module));
  need(sxt_device_open("cpu", &device));
  need(sxt_program_create(module, device, nullptr, &program));
  need(sxt_program_kernel(program, "blend", &kernel));
  sxt_stream *stream = nullptr;
  need(sxt_device_default_stream(device, &stream));
  std::vector<float> data(4 * 64);
  constexpr int samples = 31, launches = 20000;
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) {
    const double begin = nanoseconds();
    for (int i = 0; i < launches; ++i) {
      const sxt_argument arguments[] = {sxt_make_i32(0),           sxt_make_f32(2),
                                        at(data.data(), 64),       at(data.data() + 64, 64),
                                        at(data.data() + 128, 64), at(data.data() + 192, 64)};
      need(sxt_kernel_launch(kernel, stream, arguments, 6));
    }
    times.push_back((nanoseconds() - begin) / launches);
  }
  std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
  std::printf("%.1f\n", times[samples / 2]);
  sxt_program_release(program);
  sxt_device_release(device);
  sxt_module_release(module);
}

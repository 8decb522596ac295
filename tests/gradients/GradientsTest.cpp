// Gradients and tangents of kernels, against each other and against differences.
//
// A kernel maps its real arrays to what they are after it. With the derivative J of this map, a
// direction v and weights w, the tangents of `k.dual` are J v, and the gradients of `k.grad` are w
// J: so w (J v) and (w J) v are one number, which is computed in two ways. In f64, the difference
// of the map at two points near each other along v is a third one.
#include "tests/conformance/Harness.h"

#include <map>

using namespace conformance;

std::string conformance::refusalOf(const Case &, const Column &) { return ""; }

namespace {

constexpr int64_t columns = 5;
/// The elements, or rows, of the arrays of kernels.py, and of those of lanes.py: whole blocks.
constexpr int64_t extent = 37, extentOfBlocks = 192;

struct Argument {
  std::string name;
  sxt_argument_kind kind;
  sxt_dtype dtype;
  uint32_t ndim, rows, cols;
  int64_t extent;
};

std::vector<Argument> argumentsOf(const Run &run, const std::string &kernel, int64_t extent) {
  size_t index = 0;
  sextant::check(sxt_module_find_kernel(run.module.get(), kernel.c_str(), &index));
  sxt_kernel_info info{};
  info.struct_size = sizeof info;
  sextant::check(sxt_module_kernel(run.module.get(), index, &info));
  std::vector<Argument> arguments;
  for (size_t k = 0; k < info.argument_count; ++k) {
    sxt_parameter_info each{};
    each.struct_size = sizeof each;
    sextant::check(sxt_module_argument(run.module.get(), index, k, &each));
    arguments.push_back(
        {each.name, each.kind, each.dtype, each.ndim, each.rows, each.cols, extent});
  }
  return arguments;
}

using Values = std::vector<double>;
using State = std::map<std::string, Values>; ///< arrays by name

bool isReal(const Argument &argument) {
  return argument.kind == SXT_ARGUMENT_ARRAY &&
         (argument.dtype == SXT_DTYPE_F32 || argument.dtype == SXT_DTYPE_F64);
}
std::vector<int64_t> shapeOf(const Argument &argument) {
  return argument.ndim == 1 ? std::vector<int64_t>{argument.extent}
                            : std::vector<int64_t>{argument.extent, columns};
}
size_t countOf(const Argument &argument) {
  size_t count = size_t(argument.rows) * argument.cols;
  for (int64_t each : shapeOf(argument))
    count *= size_t(each);
  return count;
}

template <class T> sextant::Buffer upload(const Run &run, const Values &values) {
  const std::vector<T> typed(values.begin(), values.end());
  sextant::Buffer buffer(run.device, typed.size() * sizeof(T));
  sextant::check(sxt_buffer_write(buffer.get(), 0, typed.data(), typed.size() * sizeof(T),
                                  run.device.defaultStream().get()));
  return buffer;
}
template <class T> Values download(const Run &run, const sextant::Buffer &buffer, size_t count) {
  std::vector<T> typed(count);
  sextant::check(sxt_buffer_read(buffer.get(), 0, typed.data(), count * sizeof(T),
                                 run.device.defaultStream().get()));
  return Values(typed.begin(), typed.end());
}

/// Makes the next launch draw what others after this call drew.
void seed(const Run &run) {
  sextant::check(sxt_program_seed(run.program.get(), 7, run.device.defaultStream().get()));
}

/// Launches a kernel with the arrays of a state, which then has what they are after it.
void launch(const Run &run, const std::string &kernel, int64_t extent, State &state,
            int32_t number) {
  std::vector<sextant::Buffer> buffers;
  std::vector<sxt_argument> arguments;
  const std::vector<Argument> all = argumentsOf(run, kernel, extent);
  for (const Argument &each : all) {
    if (each.kind != SXT_ARGUMENT_ARRAY) {
      arguments.push_back(sxt_make_i32(number));
      buffers.emplace_back();
      continue;
    }
    const Values &values = state.at(each.name);
    buffers.push_back(each.dtype == SXT_DTYPE_F64   ? upload<double>(run, values)
                      : each.dtype == SXT_DTYPE_F32 ? upload<float>(run, values)
                                                    : upload<int32_t>(run, values));
    sxt_argument argument =
        sxt_make_array(buffers.back().get(), each.dtype, each.ndim, shapeOf(each).data());
    argument.rows = each.rows, argument.cols = each.cols;
    arguments.push_back(argument);
  }
  sextant::Kernel found = run.program.kernel(kernel);
  sextant::check(sxt_kernel_launch(found.get(), run.device.defaultStream().get(), arguments.data(),
                                   arguments.size()));
  run.device.defaultStream().synchronize();
  for (size_t k = 0; k < all.size(); ++k)
    if (isReal(all[k]))
      state[all[k].name] = all[k].dtype == SXT_DTYPE_F64
                               ? download<double>(run, buffers[k], countOf(all[k]))
                               : download<float>(run, buffers[k], countOf(all[k]));
}

/// The sum of the products, and of their sizes.
struct Product {
  double sum = 0, size = 0;
  void add(const Values &a, const Values &b) {
    for (size_t k = 0; k < a.size(); ++k)
      sum += a[k] * b[k], size += std::abs(a[k] * b[k]);
  }
};

void expectNear(const Product &a, const Product &b, double tolerance, const std::string &what) {
  if (!(std::abs(a.sum - b.sum) <= tolerance * std::max(a.size, b.size)) || a.size == 0)
    throw Mismatch{what + ": " + std::to_string(a.sum) + " and " + std::to_string(b.sum) + " of " +
                   std::to_string(std::max(a.size, b.size))};
}

/// \param isSmooth differences of the kernel say something: no step of it lies near
void compare(Run &run, const std::string &kernel, int64_t extent, int32_t number, bool isSmooth) {
  State begin, direction, weights;
  std::vector<Argument> reals;
  std::uniform_real_distribution<double> near(0.3, 1.3), any(-1, 1);
  std::uniform_int_distribution<int32_t> index(0, int32_t(extent) - 1);
  for (const Argument &each : argumentsOf(run, kernel, extent)) {
    if (each.kind != SXT_ARGUMENT_ARRAY)
      continue;
    Values &values = begin[each.name];
    for (size_t k = 0; k < countOf(each); ++k)
      values.push_back(isReal(each) ? double(float(near(run.random))) : index(run.random));
    if (!isReal(each))
      continue;
    reals.push_back(each);
    for (size_t k = 0; k < values.size(); ++k) {
      direction[each.name].push_back(double(float(any(run.random))));
      weights[each.name].push_back(double(float(any(run.random))));
    }
  }
  State after = begin;
  seed(run);
  launch(run, kernel, extent, after, number);

  State tangent = begin;
  for (const Argument &each : reals)
    tangent[each.name + ".dual"] = direction[each.name];
  seed(run);
  launch(run, kernel + ".dual", extent, tangent, number);
  State adjoint = after;
  for (const Argument &each : reals)
    adjoint[each.name + ".grad"] = weights[each.name];
  launch(run, kernel + ".grad", extent, adjoint, number);

  Product forward, backward;
  const bool isDouble = reals[0].dtype == SXT_DTYPE_F64;
  for (const Argument &each : reals) {
    for (size_t k = 0; k < after[each.name].size(); ++k)
      if (!(std::abs(tangent[each.name][k] - after[each.name][k]) <=
            (isDouble ? 1e-12 : 1e-4) * (1 + std::abs(after[each.name][k]))))
        throw Mismatch{"`" + each.name + "` of the tangent kernel differs"};
    forward.add(weights[each.name], tangent[each.name + ".dual"]);
    backward.add(adjoint[each.name + ".grad"], direction[each.name]);
  }
  expectNear(forward, backward,
             !isDouble  ? 2e-4
             : isSmooth ? 1e-12
                        : 1e-10,
             "tangents and gradients");
  if (!isDouble || !isSmooth)
    return;
  constexpr double step = 1e-6;
  State above = begin, below = begin;
  for (const Argument &each : reals)
    for (size_t k = 0; k < begin[each.name].size(); ++k) {
      above[each.name][k] += step * direction[each.name][k];
      below[each.name][k] -= step * direction[each.name][k];
    }
  seed(run);
  launch(run, kernel, extent, above, number);
  seed(run);
  launch(run, kernel, extent, below, number);
  Product difference;
  for (const Argument &each : reals) {
    Values slope;
    for (size_t k = 0; k < begin[each.name].size(); ++k)
      slope.push_back((above[each.name][k] - below[each.name][k]) / (2 * step));
    difference.add(weights[each.name], slope);
  }
  expectNear(forward, difference, 1e-6, "tangents and differences");
}

} // namespace

std::vector<Case> conformance::allCases() {
  std::vector<Case> cases;
  for (const std::string module : {"gradients_f64", "gradients_f32"}) {
    const auto add = [&](const std::string &kernel, std::vector<int32_t> numbers = {0}) {
      cases.push_back({module, kernel, [kernel, numbers](Run &run) {
                         for (int32_t number : numbers)
                           compare(run, kernel, extent, number, true);
                       }});
    };
    for (const char *kernel : {"arithmetic",
                               "functions",
                               "powers",
                               "chooses",
                               "vectors",
                               "matrices",
                               "scattered",
                               "in_place",
                               "overwritten",
                               "constant_store",
                               "noisy",
                               "indexed",
                               "factored",
                               "read_back",
                               "stencil",
                               "returns",
                               "branches",
                               "skipped",
                               "static_loop",
                               "halves",
                               "nested_sums",
                               "guarded",
                               "tasks",
                               "carried",
                               "runtime_bound",
                               "serial",
                               "own_derivatives",
                               "constants",
                               "own_derivatives_in_tasks",
                               "large_matrices",
                               "solutions",
                               "singular_values",
                               "eigenvalues",
                               "positive_parts",
                               "polar_factors",
                               "equal_values",
                               "equal_eigenvalues",
                               "zero_values",
                               "opposite_values",
                               "singular_matrices"})
      add(kernel);
    for (const char *kernel :
         {"sums", "powers_in_loop", "steps_of_three", "two_states", "swaps", "linear_state",
          "leaves", "nested", "while_in_for", "last_value", "stores_in_loop", "vectors_in_loop",
          "history", "own_derivatives_in_loop"})
      add(kernel, module == "gradients_f64" ? std::vector<int32_t>{0, 1, 2, 31, 33, 100, 700}
                                            : std::vector<int32_t>{0, 2, 33, 64});
  }
  for (const std::string module : {"lanes_f64", "lanes_f32"})
    for (const char *kernel :
         {"shuffles", "shuffles_by_number", "reductions", "equal_values", "scans", "products",
          "votes", "block_sums", "block_scans", "turned", "tree", "products_of_tiles", "neighbours",
          "bins_of_block", "copied", "tiles"})
      cases.push_back({module, kernel, [kernel](Run &run) {
                         for (int32_t number : {0, 3, 9})
                           compare(run, kernel, extentOfBlocks, number,
                                   kernel != std::string("equal_values"));
                       }});
  // Random kernels (random_kernels.py), if the environment says how many.
  const char *count = std::getenv("SEXTANT_RANDOM_GRADIENTS");
  for (int k = 0; count && k < std::atoi(count); ++k) {
    const std::string kernel = "random_" + std::to_string(k);
    cases.push_back({"gradients_random", kernel, [kernel](Run &run) {
                       for (int32_t number : {0, 3, 40})
                         compare(run, kernel, extent, number, false);
                     }});
  }
  return cases;
}

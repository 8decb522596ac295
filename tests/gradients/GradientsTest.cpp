// Gradients and tangents of kernels, against each other and against differences.
//
// A kernel maps its real arrays to what they are after it. With the derivative J of this map, a
// direction v and weights w, the tangents of `k.dual` are J v, and the gradients of `k.grad` are w
// J: so w (J v) and (w J) v are one number, which is computed in two ways. In f64, the difference
// of the map at two points near each other along v is a third one.
#include "tests/conformance/Harness.h"

#include <cstddef>
#include <cstring>
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

template <class Info> Info sized() {
  Info info{};
  info.struct_size = sizeof info;
  return info;
}

struct Signature {
  std::vector<Argument> arguments;
  std::vector<Argument> results; ///< `return0` and so on
};

Signature signatureOf(const Run &run, const std::string &kernel, int64_t extent) {
  size_t index = 0;
  sextant::check(sxt_module_find_kernel(run.module.get(), kernel.c_str(), &index));
  auto info = sized<sxt_kernel_info>();
  sextant::check(sxt_module_kernel(run.module.get(), index, &info));
  Signature signature;
  auto each = sized<sxt_parameter_info>();
  for (size_t k = 0; k < info.argument_count; ++k) {
    sextant::check(sxt_module_argument(run.module.get(), index, k, &each));
    signature.arguments.push_back(
        {each.name, each.kind, each.dtype, each.ndim, each.rows, each.cols, extent});
  }
  for (size_t k = 0; k < info.result_count; ++k) {
    sextant::check(sxt_module_result(run.module.get(), index, k, &each));
    signature.results.push_back({"return" + std::to_string(k), SXT_ARGUMENT_MATRIX, each.dtype, 0,
                                 each.rows, each.cols, 1});
  }
  return signature;
}

using Values = std::vector<double>;
using State = std::map<std::string, Values>; ///< arrays and results by name

bool isReal(const Argument &argument) {
  return argument.dtype == SXT_DTYPE_F32 || argument.dtype == SXT_DTYPE_F64;
}
std::vector<int64_t> shapeOf(const Argument &argument) {
  return argument.ndim == 0   ? std::vector<int64_t>{}
         : argument.ndim == 1 ? std::vector<int64_t>{argument.extent}
                              : std::vector<int64_t>{argument.extent, columns};
}
size_t countOf(const Argument &argument) {
  size_t count = size_t(argument.rows) * argument.cols;
  for (int64_t each : shapeOf(argument))
    count *= size_t(each);
  return count;
}

/// The bytes of values as a kernel has them.
template <class T> std::vector<std::byte> bytesOf(const Values &values) {
  const std::vector<T> typed(values.begin(), values.end());
  std::vector<std::byte> bytes(typed.size() * sizeof(T));
  std::memcpy(bytes.data(), typed.data(), bytes.size());
  return bytes;
}
std::vector<std::byte> bytesOf(sxt_dtype dtype, const Values &values) {
  return dtype == SXT_DTYPE_F64   ? bytesOf<double>(values)
         : dtype == SXT_DTYPE_F32 ? bytesOf<float>(values)
                                  : bytesOf<int32_t>(values);
}
template <class T> Values valuesOf(const std::vector<std::byte> &bytes) {
  std::vector<T> typed(bytes.size() / sizeof(T));
  std::memcpy(typed.data(), bytes.data(), bytes.size());
  return Values(typed.begin(), typed.end());
}
Values valuesOf(sxt_dtype dtype, const std::vector<std::byte> &bytes) {
  return dtype == SXT_DTYPE_F64   ? valuesOf<double>(bytes)
         : dtype == SXT_DTYPE_F32 ? valuesOf<float>(bytes)
                                  : valuesOf<int32_t>(bytes);
}

/// Makes the next launch draw what others after this call drew.
void seed(const Run &run) {
  sextant::check(sxt_program_seed(run.program.get(), 7, run.device.defaultStream().get()));
}

/// Launches a kernel with the arrays of a state, which then has what they are after it, and the
/// results.
/// \param number the kernel's argument that is a whole number
void launch(const Run &run, const std::string &kernel, int64_t extent, State &state,
            int32_t number) {
  const Signature signature = signatureOf(run, kernel, extent);
  std::vector<std::vector<std::byte>> memory;
  std::vector<sextant::Buffer> buffers;
  std::vector<sxt_argument> arguments;
  sxt_stream *stream = run.device.defaultStream().get();
  for (const Argument &each : signature.arguments) {
    const bool isNumber = each.kind == SXT_ARGUMENT_SCALAR && !isReal(each);
    memory.push_back(bytesOf(each.dtype, isNumber ? Values{double(number)} : state.at(each.name)));
    const size_t size = memory.back().size();
    sextant::Buffer &buffer = buffers.emplace_back();
    if (each.kind == SXT_ARGUMENT_ARRAY) {
      buffer = sextant::Buffer(run.device, size);
      sextant::check(sxt_buffer_write(buffer.get(), 0, memory.back().data(), size, stream));
      arguments.push_back(
          sxt_make_array(buffer.get(), each.dtype, each.ndim, shapeOf(each).data()));
      arguments.back().rows = each.rows, arguments.back().cols = each.cols;
    } else if (each.kind == SXT_ARGUMENT_MATRIX) {
      arguments.push_back(
          sxt_make_matrix(memory.back().data(), each.dtype, each.rows, each.cols));
    } else {
      arguments.push_back(sxt_make_scalar(each.dtype, memory.back().data(), size));
    }
  }
  std::vector<std::vector<std::byte>> returned;
  std::vector<sxt_result> results;
  for (const Argument &each : signature.results) {
    returned.emplace_back(countOf(each) * sxt_dtype_size(each.dtype));
    results.push_back({sizeof(sxt_result), uint32_t(each.dtype), each.rows, each.cols,
                       returned.back().data()});
  }
  sextant::Kernel found = run.program.kernel(kernel);
  sextant::check(sxt_kernel_call(found.get(), stream, arguments.data(), arguments.size(),
                                 results.data(), results.size()));
  for (size_t k = 0; k < signature.arguments.size(); ++k) {
    const Argument &each = signature.arguments[k];
    if (each.kind != SXT_ARGUMENT_ARRAY || !isReal(each))
      continue;
    sextant::check(
        sxt_buffer_read(buffers[k].get(), 0, memory[k].data(), memory[k].size(), stream));
    run.device.defaultStream().synchronize();
    state[each.name] = valuesOf(each.dtype, memory[k]);
  }
  for (size_t k = 0; k < signature.results.size(); ++k)
    state[signature.results[k].name] = valuesOf(signature.results[k].dtype, returned[k]);
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
  const Signature signature = signatureOf(run, kernel, extent);
  const auto draw = [&](Values &values, const Argument &argument) {
    for (size_t k = 0; k < countOf(argument); ++k)
      values.push_back(double(float(any(run.random))));
  };
  for (const Argument &each : signature.arguments) {
    if (each.kind != SXT_ARGUMENT_ARRAY)
      continue;
    for (size_t k = 0; k < countOf(each); ++k)
      begin[each.name].push_back(isReal(each) ? double(float(near(run.random)))
                                              : index(run.random));
    if (!isReal(each))
      continue;
    reals.push_back(each);
    draw(direction[each.name], each);
    draw(weights[each.name], each);
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
  for (const auto &[name, values] : begin)
    adjoint[name + ".before"] = values;
  for (const Argument &each : reals)
    adjoint[each.name + ".grad"] = weights[each.name];
  const size_t count = signature.results.size();
  size_t ofTangent = count; // the tangents of results follow all of them
  for (const Argument &each : signature.results) {
    if (!isReal(each))
      continue;
    reals.push_back(each);
    draw(weights[each.name], each);
    tangent[each.name + ".dual"] = tangent["return" + std::to_string(ofTangent++)];
    adjoint[(count == 1 ? "return" : each.name) + "_grad"] = weights[each.name];
  }
  launch(run, kernel + ".grad", extent, adjoint, number);

  Product forward, backward;
  const bool isDouble = reals[0].dtype == SXT_DTYPE_F64;
  for (const Argument &each : reals) {
    for (size_t k = 0; k < after[each.name].size(); ++k)
      if (!(std::abs(tangent[each.name][k] - after[each.name][k]) <=
            (isDouble ? 1e-12 : 1e-4) * (1 + std::abs(after[each.name][k]))))
        throw Mismatch{"`" + each.name + "` of the tangent kernel differs"};
    forward.add(weights[each.name], tangent[each.name + ".dual"]);
    if (each.kind == SXT_ARGUMENT_ARRAY) // not a result
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
    for (size_t k = 0; k < above[each.name].size(); ++k)
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
                               "overwritten_later",
                               "overwritten_by_a_task",
                               "result",
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
          "history", "own_derivatives_in_loop", "results"})
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

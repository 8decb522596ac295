#include "tests/gradients/Compare.h"
#include "loader/abi/SmallReal.h"

#include <cstddef>
#include <cstring>
#include <map>

using namespace conformance;

namespace gradients {

namespace {

constexpr int64_t columns = 5, layers = 3;

uint16_t bitsOf(double number) {
  return sextant::abi::roundTo(sextant::abi::ScalarType::F16, number);
}
double halfOf(uint16_t bits) {
  return double(sextant::abi::numberOf(sextant::abi::ScalarType::F16, bits));
}

/// An argument, a result or a field.
struct Parameter {
  std::string name;
  sxt_argument_kind kind;
  sxt_dtype dtype;
  uint32_t rows, cols;
  std::vector<int64_t> shape;
  bool isField = false;

  bool isReal() const {
    return dtype == SXT_DTYPE_F16 || dtype == SXT_DTYPE_F32 || dtype == SXT_DTYPE_F64;
  }
  /// A number near it that f32, and this type, has.
  double rounded(double number) const {
    return dtype == SXT_DTYPE_F16 ? halfOf(bitsOf(number)) : double(float(number));
  }
  bool isMemory() const { return isField || kind == SXT_ARGUMENT_ARRAY; }
  /// Memory that algorithms use, whose values mean nothing before and after.
  bool isScratch() const { return name == "scratch" || (name == "s" && !isReal()); }
  size_t count() const {
    size_t count = size_t(rows) * cols;
    for (int64_t each : shape)
      count *= size_t(each);
    return count;
  }
};

template <class Info> Info sized() {
  Info info{};
  info.struct_size = sizeof info;
  return info;
}

struct Signature {
  std::vector<Parameter> arguments;
  std::vector<Parameter> results; ///< `return0` and so on
  std::vector<Parameter> fields;  ///< the module's
  bool has(const std::string &name) const {
    const auto isIn = [&](const std::vector<Parameter> &all) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Parameter &each) { return each.name == name; });
    };
    return isIn(arguments) || isIn(fields);
  }
};

Signature signatureOf(const Run &run, const std::string &kernel, int64_t extent) {
  size_t index = 0, count = 0;
  sextant::check(sxt_module_find_kernel(run.module.get(), kernel.c_str(), &index));
  auto info = sized<sxt_kernel_info>();
  sextant::check(sxt_module_kernel(run.module.get(), index, &info));
  Signature signature;
  auto each = sized<sxt_parameter_info>();
  for (size_t k = 0; k < info.argument_count; ++k) {
    sextant::check(sxt_module_argument(run.module.get(), index, k, &each));
    const int64_t extents[] = {extent, columns, layers};
    signature.arguments.push_back(
        {each.name,
         each.kind,
         each.dtype,
         each.rows,
         each.cols,
         {extents, extents + (each.kind == SXT_ARGUMENT_ARRAY ? std::min(each.ndim, 3u) : 0)}});
  }
  for (size_t k = 0; k < info.result_count; ++k) {
    sextant::check(sxt_module_result(run.module.get(), index, k, &each));
    signature.results.push_back(
        {"return" + std::to_string(k), SXT_ARGUMENT_MATRIX, each.dtype, each.rows, each.cols, {}});
  }
  sextant::check(sxt_module_global_count(run.module.get(), &count));
  auto field = sized<sxt_global_info>();
  for (size_t k = 0; k < count; ++k) {
    sextant::check(sxt_module_global(run.module.get(), k, &field));
    if (field.name != std::string_view("qd_random"))
      signature.fields.push_back({field.name,
                                  SXT_ARGUMENT_ARRAY,
                                  field.dtype,
                                  field.rows,
                                  field.cols,
                                  {field.shape, field.shape + field.ndim},
                                  true});
  }
  return signature;
}

/// The bytes of values as a kernel has them.
template <class T> std::vector<std::byte> bytesOf(const Values &values) {
  const std::vector<T> typed(values.begin(), values.end());
  std::vector<std::byte> bytes(typed.size() * sizeof(T));
  std::memcpy(bytes.data(), typed.data(), bytes.size());
  return bytes;
}
std::vector<std::byte> bytesOf(sxt_dtype dtype, const Values &values) {
  if (dtype == SXT_DTYPE_F16) {
    Values bits;
    for (double value : values)
      bits.push_back(bitsOf(value));
    return bytesOf<uint16_t>(bits);
  }
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
  if (dtype == SXT_DTYPE_F16) {
    Values values = valuesOf<uint16_t>(bytes);
    for (double &value : values)
      value = halfOf(uint16_t(value));
    return values;
  }
  return dtype == SXT_DTYPE_F64   ? valuesOf<double>(bytes)
         : dtype == SXT_DTYPE_F32 ? valuesOf<float>(bytes)
                                  : valuesOf<int32_t>(bytes);
}
bool isSame(const Values &a, const Values &b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same<double>);
}

/// "p.grad.pos" of "p.pos": the array beside an array, which has its gradient or its tangent.
std::string beside(const std::string &name, const char *what) {
  const size_t dot = std::min(name.find('.'), name.size());
  return name.substr(0, dot) + what + name.substr(dot);
}

/// Makes the next launch draw what others after this call drew.
void seed(const Run &run) {
  sextant::check(sxt_program_seed(run.program.get(), 7, run.device.defaultStream().get()));
}

} // namespace

void launch(const Run &run, const std::string &kernel, const Demand &demand, State &state) {
  const Signature signature = signatureOf(run, kernel, demand.extent);
  std::vector<std::vector<std::byte>> memory;
  std::vector<sextant::Buffer> buffers;
  std::vector<sxt_argument> arguments;
  sxt_stream *stream = run.device.defaultStream().get();
  for (const Parameter &each : signature.arguments) {
    const bool isNumber = each.kind == SXT_ARGUMENT_SCALAR && !each.isReal();
    memory.push_back(
        bytesOf(each.dtype, isNumber ? Values{double(demand.number)} : state.at(each.name)));
    const size_t size = memory.back().size();
    sextant::Buffer &buffer = buffers.emplace_back();
    if (each.kind == SXT_ARGUMENT_ARRAY) {
      buffer = sextant::Buffer(run.device, size);
      sextant::check(sxt_buffer_write(buffer.get(), 0, memory.back().data(), size, stream));
      arguments.push_back(
          sxt_make_array(buffer.get(), each.dtype, uint32_t(each.shape.size()), each.shape.data()));
      arguments.back().rows = each.rows, arguments.back().cols = each.cols;
    } else if (each.kind == SXT_ARGUMENT_MATRIX) {
      arguments.push_back(sxt_make_matrix(memory.back().data(), each.dtype, each.rows, each.cols));
    } else {
      arguments.push_back(sxt_make_scalar(each.dtype, memory.back().data(), size));
    }
  }
  for (const Parameter &each : signature.fields) {
    const auto found = state.find(each.name);
    const std::vector<std::byte> bytes =
        bytesOf(each.dtype, found == state.end() ? Values(each.count()) : found->second);
    sextant::check(sxt_program_global_write(run.program.get(), each.name.c_str(), 0, bytes.data(),
                                            bytes.size(), stream));
    run.device.defaultStream().synchronize();
  }
  std::vector<std::vector<std::byte>> returned;
  std::vector<sxt_result> results;
  for (const Parameter &each : signature.results) {
    returned.emplace_back(each.count() * sxt_dtype_size(each.dtype));
    results.push_back(
        {sizeof(sxt_result), uint32_t(each.dtype), each.rows, each.cols, returned.back().data()});
  }
  sextant::Kernel found = run.program.kernel(kernel);
  sextant::check(sxt_kernel_call(found.get(), stream, arguments.data(), arguments.size(),
                                 results.data(), results.size()));
  for (size_t k = 0; k < signature.arguments.size(); ++k) {
    const Parameter &each = signature.arguments[k];
    if (each.kind != SXT_ARGUMENT_ARRAY)
      continue;
    sextant::check(
        sxt_buffer_read(buffers[k].get(), 0, memory[k].data(), memory[k].size(), stream));
    run.device.defaultStream().synchronize();
    state[each.name] = valuesOf(each.dtype, memory[k]);
  }
  for (const Parameter &each : signature.fields) {
    std::vector<std::byte> bytes(each.count() * sxt_dtype_size(each.dtype));
    sextant::check(sxt_program_global_read(run.program.get(), each.name.c_str(), 0, bytes.data(),
                                           bytes.size(), stream));
    run.device.defaultStream().synchronize();
    state[each.name] = valuesOf(each.dtype, bytes);
  }
  for (size_t k = 0; k < signature.results.size(); ++k)
    state[signature.results[k].name] = valuesOf(signature.results[k].dtype, returned[k]);
}

namespace {

/// The sum of the products, and of their sizes.
struct Product {
  double sum = 0, size = 0;
  void add(const Values &a, const Values &b) {
    for (size_t k = 0; k < a.size(); ++k)
      sum += a[k] * b[k], size += std::abs(a[k] * b[k]);
  }
};

/// A kernel with inputs, a direction and weights.
class Trial {
public:
  Trial(Run &run, const std::string &kernel, const Demand &demand)
      : run(run), kernel(kernel), demand(demand),
        signature(signatureOf(run, kernel, demand.extent)),
        ofGrad(signatureOf(run, kernel + ".grad", demand.extent)),
        ofDual(signatureOf(run, kernel + ".dual", demand.extent)) {
    std::uniform_real_distribution<double> near(0.3, 1.3), any(-1, 1);
    std::uniform_int_distribution<int32_t> index(0, int32_t(demand.extent) - 1);
    const auto draw = [&](Values &values, const Parameter &parameter) {
      for (size_t k = 0; k < parameter.count(); ++k)
        values.push_back(parameter.rounded(any(run.random)));
    };
    const auto begin = [&](const Parameter &each) {
      if (each.kind == SXT_ARGUMENT_SCALAR && !each.isReal())
        return;
      for (size_t k = 0; k < each.count(); ++k)
        inputs[each.name].push_back(each.isReal() ? each.rounded(near(run.random))
                                                  : index(run.random));
      if (!each.isReal() || !each.isMemory() || each.isScratch())
        return;
      reals.push_back(each);
      draw(direction[each.name], each);
      draw(weights[each.name], each);
    };
    for (const Parameter &each : signature.arguments)
      begin(each);
    for (const Parameter &each : signature.fields)
      if (each.name.find(".grad") == std::string::npos &&
          each.name.find(".dual") == std::string::npos)
        begin(each);
    for (const Parameter &each : signature.results)
      if (each.isReal()) {
        reals.push_back(each);
        draw(weights[each.name], each);
      }
    after = apply(inputs);
    for (const Parameter &each : reals)
      for (double value : after.at(each.name))
        if (!std::isfinite(value))
          throw Skipped{"`" + each.name + "` is not finite"};
  }

  bool isDouble() const { return reals[0].dtype == SXT_DTYPE_F64; }

  State apply(State state) const {
    seed(run);
    launch(run, kernel, demand, state);
    return state;
  }

  /// w (J v), and whether what `k.dual` computes beside it is what `k` does.
  Product forward(const State &begin, const State &end, bool &isSameBits) const {
    State state = begin;
    for (const Parameter &each : reals)
      if (each.isMemory())
        state[beside(each.name, ".dual")] = direction.at(each.name);
    seed(run);
    launch(run, kernel + ".dual", demand, state);
    const size_t count = signature.results.size();
    size_t ofTangent = count; // the tangents of results follow all of them
    Product product;
    for (const Parameter &each : reals) {
      const Values &values = state.at(each.name), &expected = end.at(each.name);
      for (size_t k = 0; k < expected.size(); ++k) {
        isSameBits = isSameBits && same(values[k], expected[k]);
        if (!(std::abs(values[k] - expected[k]) <=
              (isDouble() ? 1e-11 : 1e-4) * (1 + std::abs(expected[k]))))
          throw Mismatch{"`" + each.name + "` of the tangent kernel differs at " +
                         std::to_string(k) + ": " + show(values[k]) + " for " + show(expected[k])};
      }
      const std::string tangent = beside(each.name, ".dual");
      if (!each.isMemory())
        product.add(weights.at(each.name), state.at("return" + std::to_string(ofTangent++)));
      else // without a tangent it has no other derivative than by itself
        product.add(weights.at(each.name),
                    ofDual.has(tangent) ? state.at(tangent) : direction.at(each.name));
    }
    return product;
  }

  /// (w J) v, and whether `k.grad` leaves alone what is not a gradient.
  Product backward(const State &end) const {
    State state = end;
    for (const auto &[name, values] : inputs) // --keep-overwritten
      state[name + ".before"] = values;
    for (const Parameter &each : reals)
      state[each.isMemory() ? beside(each.name, ".grad")
                            : (signature.results.size() == 1 ? "return" : each.name) + "_grad"] =
          weights.at(each.name);
    launch(run, kernel + ".grad", demand, state);
    for (const auto *parameters : {&signature.arguments, &signature.fields})
      for (const Parameter &each : *parameters)
        if (each.isMemory() && !each.isScratch() && inputs.contains(each.name) &&
            !isSame(state.at(each.name), end.at(each.name)))
          throw Mismatch{"the gradient kernel changes `" + each.name + "`"};
    Product product;
    for (const Parameter &each : reals) {
      if (!each.isMemory())
        continue;
      const std::string gradient = beside(each.name, ".grad");
      product.add(ofGrad.has(gradient) ? state.at(gradient) : weights.at(each.name),
                  direction.at(each.name));
    }
    return product;
  }

  /// A difference of w k along v, divided by the step.
  double slope(double step) const {
    State above = inputs, below = inputs;
    for (const auto &[name, values] : direction)
      for (size_t k = 0; k < values.size(); ++k) {
        above[name][k] += step * values[k];
        below[name][k] -= step * values[k];
      }
    above = apply(above), below = apply(below);
    double sum = 0;
    for (const Parameter &each : reals) {
      const Values &high = above.at(each.name), &low = below.at(each.name);
      for (size_t k = 0; k < high.size(); ++k)
        sum += weights.at(each.name)[k] * (high[k] - low[k]);
    }
    return sum / (2 * step);
  }

  /// The inputs with other last bits.
  State nearby() const {
    State state = inputs;
    for (const auto &[name, values] : direction)
      for (size_t k = 0; k < values.size(); ++k)
        state[name][k] *= 1 + (isDouble() ? 0x1p-50 : 0x1p-22) * (k % 2 ? 1 : -1);
    return state;
  }

  /// The rounding error that differences of w k have.
  double rounding() const {
    double sum = 0;
    for (const Parameter &each : reals)
      for (size_t k = 0; k < after.at(each.name).size(); ++k)
        sum += std::abs(weights.at(each.name)[k] * after.at(each.name)[k]);
    return sum * 0x1p-52;
  }

  Run &run;
  const std::string &kernel;
  const Demand &demand;
  Signature signature, ofGrad, ofDual;
  std::vector<Parameter> reals; ///< arrays and fields, then results
  State inputs, direction, weights, after;
};

[[noreturn]] void fail(const std::string &what, double a, double b, double size) {
  throw Mismatch{what + ": " + show(a) + " and " + show(b) + " of " + show(size)};
}

} // namespace

Comparison compare(Run &run, const std::string &kernel, const Demand &demand) {
  const Trial trial(run, kernel, demand);
  Comparison comparison;
  const Product forward = trial.forward(trial.inputs, trial.after, comparison.isSameBits);
  const Product backward = trial.backward(trial.after);
  const double size = std::max(forward.size, backward.size);
  const double error = std::abs(forward.sum - backward.sum);
  comparison.error = error / size;
  if (!(error <= (trial.isDouble() ? demand.bound : demand.singleBound) * size) || size == 0) {
    const State near = trial.nearby();
    bool ignored = true;
    const State after = trial.apply(near);
    const double change = std::abs(trial.forward(near, after, ignored).sum - forward.sum) +
                          std::abs(trial.backward(after).sum - backward.sum);
    if (!(error <= change && change <= 1e-3 * size))
      fail("tangents and gradients", forward.sum, backward.sum, size);
    comparison.isBoundByRounding = true;
  }
  if (!demand.differs || !trial.isDouble())
    return comparison;
  // Two steps give one of a higher order (Richardson). Where a branch, a step or a corner of the
  // kernel lies between the points, the slope is another one, and smaller steps may miss it.
  const double rounding = trial.rounding();
  double other = NAN;
  for (double step : {1e-4, 1e-5, 1e-6, 1e-7}) {
    const double wide = trial.slope(step), narrow = trial.slope(step / 2);
    const double slope = narrow + (narrow - wide) / 3;
    const double doubt = std::abs(narrow - wide) + 16 * rounding / step;
    if (!(doubt <= 1e-5 * size))
      continue;
    comparison.hasSlope = std::abs(slope - forward.sum) <= 4 * doubt + 1e-9 * size;
    if (comparison.hasSlope)
      return comparison;
    other = slope;
  }
  if (!std::isnan(other))
    fail("tangents and differences", forward.sum, other, size);
  comparison.lacksSlope = true;
  return comparison;
}

} // namespace gradients

// Gradients and tangents of the kernels of kernels.py and lanes.py, against each other and against
// differences (Compare.h).
#include "tests/gradients/Compare.h"

#include <algorithm>
#include <numeric>

using namespace conformance;

std::string conformance::refusalOf(const Case &, const Column &) { return ""; }

namespace {

/// The elements, or rows, of the arrays of kernels.py, and of those of lanes.py: whole blocks.
constexpr int64_t extent = 37, extentOfBlocks = 192;

/// \param isSmooth differences of the kernel say something: no step of it lies near
/// \param bound of f64
void compare(Run &run, const std::string &kernel, int64_t extent, int32_t number, bool isSmooth,
             double bound = 1e-12) {
  gradients::Demand demand;
  demand.extent = extent, demand.number = number, demand.differs = isSmooth, demand.bound = bound;
  demand.singleBound = std::max(bound, demand.singleBound);
  const gradients::Comparison comparison = gradients::compare(run, kernel, demand);
  if (comparison.isBoundByRounding)
    throw Mismatch{"tangents and gradients are " + show(comparison.error) + " apart"};
  if (comparison.lacksSlope)
    throw Mismatch{"differences do not converge"};
}

void compareAlgorithm(Run &run, const std::string &kernel, std::vector<int64_t> extents) {
  for (int64_t extent : extents) {
    compare(run, kernel, extent, int32_t(extent - extent / 9), false);
    if (extent < 10000)
      compare(run, kernel, extent, int32_t(extent), false);
  }
}

/// Gradients of algorithms that can be told without another kernel.
void compareWithValues(Run &run, int64_t extent) {
  const auto count = size_t(extent);
  const size_t n = count - count / 9;
  gradients::Demand demand;
  demand.extent = extent, demand.number = int32_t(n);
  std::uniform_real_distribution<double> any(-1, 1);
  gradients::Values weights;
  for (size_t k = 0; k < count; ++k)
    weights.push_back(any(run.random));
  const gradients::Values zeros(count, 0), x(count, 0.5);

  // out = 3 * (the sums of the elements before each): the sums of the weights after each.
  gradients::State state = {
      {"x", x},          {"y", zeros},      {"out", zeros},       {"s", zeros},
      {"x.grad", zeros}, {"y.grad", zeros}, {"out.grad", weights}};
  gradients::launch(run, "exclusive_sums.grad", demand, state);
  double after = 0;
  for (size_t k = count; k-- > 0;) {
    const double expected = k < n ? 3 * after : 0;
    if (!(std::abs(state["x.grad"][k] - expected) <= 1e-12 * double(count)))
      throw Mismatch{"the gradient of a scan at " + std::to_string(k)};
    after += k < n ? weights[k] : 0;
  }

  // Two elements share the minimum.
  state = {{"x", x}, {"out", zeros}, {"s", zeros}, {"x.grad", zeros}, {"out.grad", zeros}};
  state["x"][1] = state["x"][n - 1] = state["out"][0] = 0.25;
  state["out.grad"][0] = 7;
  gradients::launch(run, "least.grad", demand, state);
  for (size_t k = 0; k < count; ++k)
    if (state["x.grad"][k] != (k == 1 || k == n - 1 ? (n == 2 ? 7 : 3.5) : 0))
      throw Mismatch{"the gradient of a minimum at " + std::to_string(k)};
  if (state["out.grad"][0] != 0)
    throw Mismatch{"the gradient of the minimum stays"};

  // Each key gets the weight of its place in the order, stably; keys are few.
  gradients::Values keys(x);
  for (double &key : keys)
    key = double(run.random() % 9) / 4 - 1;
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, {}, [&](size_t k) { return std::pair(keys[k], k); });
  state = {{"x", keys},       {"tmp", zeros},      {"places", zeros},
           {"x.grad", zeros}, {"tmp.grad", zeros}, {"tmp_places", zeros}};
  gradients::launch(run, "sorted_alone", demand, state);
  state["x.grad"] = weights;
  gradients::launch(run, "sorted_alone.grad", demand, state);
  for (size_t k = 0; k < count; ++k)
    if (state["x"][k] != keys[k < n ? order[k] : k] ||
        state["x.grad"][k < n ? order[k] : k] != weights[k] || state["tmp.grad"][k] != 0)
      throw Mismatch{"the gradient of a sort at " + std::to_string(k)};
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
                               "edges",
                               "neighbours_of_vectors",
                               "around",
                               "waves",
                               "whole_blocks",
                               "wrapped",
                               "red_and_black",
                               "added_around",
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
                               "own_derivatives_of_loads",
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
                               "singular_matrices",
                               "mantissas"})
      add(kernel);
    cases.push_back({module, "small_reals", [](Run &run) { // gradients of 16 bits
                       compare(run, "small_reals", extent, 0, false, 2e-3);
                     }});
    add("maybe_none", {0, 3, 4});
    add("returned", {0, 4});
    add("frames", {0, 3, 35});
    add("row_by_row");
    add("rows_from_last");
    add("updates_of_read");
    add("other_components", {0, 2});
    for (const char *kernel :
         {"sums", "powers_in_loop", "steps_of_three", "two_states", "swaps", "linear_state",
          "leaves", "nested", "while_in_for", "last_value", "stores_in_loop", "vectors_in_loop",
          "history", "own_derivatives_in_loop", "results", "leaves_inside", "marks",
          "marks_of_rounds", "last_marks"})
      add(kernel, module == "gradients_f64" ? std::vector<int32_t>{0, 1, 2, 31, 33, 100, 700}
                                            : std::vector<int32_t>{0, 2, 33, 64});
  }
  for (const std::string module : {"lanes_f64", "lanes_f32"})
    for (const char *kernel :
         {"shuffles", "shuffles_by_number", "reductions", "equal_values", "scans", "products",
          "votes", "block_sums", "block_scans", "turned", "tree", "products_of_tiles", "neighbours",
          "bins_of_block", "copied", "scans_by_function", "tiles"})
      cases.push_back({module, kernel, [kernel](Run &run) {
                         const bool isSmooth = kernel != std::string("equal_values");
                         for (int32_t number : {0, 3, 9})
                           compare(run, kernel, extentOfBlocks, number, isSmooth,
                                   isSmooth ? 1e-12 : 1e-10);
                       }});
  for (const char *kernel :
       {"sums_of_all", "sums_of_one_tile", "extremes", "least", "exclusive_sums", "sums_in_place",
        "sums_of_counted", "selected", "parted", "runs", "real_runs", "largest", "sorted_places",
        "sorted_twice", "merged", "segments", "segmented_products", "copied", "products"})
    cases.push_back({"algorithms_cpu", kernel,
                     [kernel](Run &run) { compareAlgorithm(run, kernel, {1, 37, 5000, 70000}); }});
  cases.push_back({"algorithms_cpu", "worked_out", [](Run &run) {
                     for (int64_t extent : {3, 37, 5000, 70000})
                       compareWithValues(run, extent);
                   }});
  for (const std::string module : {"few_algorithms_f64", "few_algorithms_f32"})
    for (const char *kernel : {"inclusive_sums", "heads", "sorted_reals"})
      cases.push_back(
          {module, kernel, [kernel](Run &run) { compareAlgorithm(run, kernel, {37, 5000}); }});
  return cases;
}

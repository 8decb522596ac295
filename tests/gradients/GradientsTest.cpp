// Gradients and tangents of the kernels of kernels.py and lanes.py, against each other and against
// differences (Compare.h).
#include "tests/gradients/Compare.h"

using namespace conformance;

std::string conformance::refusalOf(const Case &, const Column &) { return ""; }

namespace {

/// The elements, or rows, of the arrays of kernels.py, and of those of lanes.py: whole blocks.
constexpr int64_t extent = 37, extentOfBlocks = 192;

/// \param isSmooth differences of the kernel say something: no step of it lies near
void compare(Run &run, const std::string &kernel, int64_t extent, int32_t number, bool isSmooth) {
  gradients::Demand demand;
  demand.extent = extent, demand.number = number, demand.differs = isSmooth;
  if (!isSmooth)
    demand.bound = 1e-10;
  const gradients::Comparison comparison = gradients::compare(run, kernel, demand);
  if (comparison.isBoundByRounding)
    throw Mismatch{"tangents and gradients are " + show(comparison.error) + " apart"};
  if (comparison.lacksSlope)
    throw Mismatch{"differences do not converge"};
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
                               "singular_matrices",
                               "mantissas"})
      add(kernel);
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
          "bins_of_block", "copied", "tiles"})
      cases.push_back({module, kernel, [kernel](Run &run) {
                         for (int32_t number : {0, 3, 9})
                           compare(run, kernel, extentOfBlocks, number,
                                   kernel != std::string("equal_values"));
                       }});
  for (const std::string module : {"algorithms_f64", "algorithms_f32"})
    for (const char *kernel : {"sums_of_all", "sums_of_one_tile", "extremes", "exclusive_sums",
                               "inclusive_sums", "sums_in_place", "sums_of_counted", "selected",
                               "parted", "heads", "runs", "real_runs", "largest", "sorted_places",
                               "merged", "segments", "segmented_products", "copied", "products"})
      cases.push_back({module, kernel, [kernel](Run &run) {
                         for (int64_t extent : {1, 37, 5000, 70000})
                           for (int32_t number : {int32_t(extent), int32_t(extent - extent / 9)})
                             compare(run, kernel, extent, number, false);
                       }});
  return cases;
}

// Attention (kernels/attention.py, kernels/matrix_rows.py) beside the definition in f64: softmax of
// each row's scores, times the values. Weights are rounded to the type of the operands before they
// are multiplied, so each may be wrong by half a unit in the last place.
#include "tests/conformance/Surface.h"

namespace conformance {

namespace {

/// The extents of a case: batches, heads of q and of k, rows of q and of k, elements of a head.
struct Shape {
  size_t batches, heads, kHeads, rows, kRows, dim;
};

/// An array of batches and heads of matrices, its rows before its heads or after them.
template <class T> struct Heads {
  size_t batches, heads, rows, dim;
  bool rowsFirst;
  std::vector<T> elements;
  Heads(size_t batches, size_t heads, size_t rows, size_t dim, bool rowsFirst)
      : batches(batches), heads(heads), rows(rows), dim(dim), rowsFirst(rowsFirst),
        elements(batches * heads * rows * dim) {}
  size_t place(size_t b, size_t h, size_t row, size_t d) const {
    return (rowsFirst ? (b * rows + row) * heads + h : (b * heads + h) * rows + row) * dim + d;
  }
  double at(size_t b, size_t h, size_t row, size_t d) const {
    return toDouble(elements[place(b, h, row, d)]);
  }
  sextant::Array<T, 4> on(Run &run) const {
    const auto [second, third] = rowsFirst ? std::pair(rows, heads) : std::pair(heads, rows);
    sextant::Array<T, 4> array(run.device,
                               {int64_t(batches), int64_t(second), int64_t(third), int64_t(dim)});
    array.write(elements);
    return array;
  }
};

/// Reals of about normal distribution.
template <class T>
Heads<T> reals(Run &run, size_t batches, size_t heads, size_t rows, size_t dim, bool rowsFirst) {
  Heads<T> made(batches, heads, rows, dim, rowsFirst);
  std::normal_distribution<double> normal;
  for (T &element : made.elements)
    element = rounded<T>(normal(run.random));
  return made;
}

/// The score of a row of q and a row of k; -inf where the row may not look.
using Score = std::function<double(double product, size_t b, size_t h, size_t row, size_t col)>;

template <class T>
void expectAttention(const std::string &what, const Heads<T> &q, const Heads<T> &k,
                     const Heads<T> &v, const std::vector<T> &got, const std::vector<float> &lse,
                     const Score &score) {
  const double half = std::ldexp(1.0, -fractionBits<T> - 1);
  for (size_t b = 0; b < q.batches; ++b)
    for (size_t h = 0; h < q.heads; ++h)
      for (size_t row = 0; row < q.rows; ++row) {
        const size_t own = h / (q.heads / k.heads);
        std::vector<double> weights(k.rows);
        double top = -std::numeric_limits<double>::infinity(), sum = 0;
        for (size_t col = 0; col < k.rows; ++col) {
          double product = 0;
          for (size_t d = 0; d < q.dim; ++d)
            product += q.at(b, h, row, d) * k.at(b, own, col, d);
          weights[col] = score(product, b, h, row, col);
          top = std::max(top, weights[col]);
        }
        for (double &weight : weights) {
          weight = std::isinf(top) ? 0 : std::exp(weight - top);
          sum += weight;
        }
        auto check = [&](double value, double wanted, double bound, const std::string &name) {
          if (!(std::abs(value - wanted) <= bound) && value != wanted)
            throw Mismatch{what + ", " + name + " of batch " + std::to_string(b) + ", head " +
                           std::to_string(h) + ", row " + std::to_string(row) + " is " +
                           show(value) + ", not " + show(wanted) + " (bound " + show(bound) + ")"};
        };
        for (size_t d = 0; d < q.dim; ++d) {
          double wanted = 0, size = 0;
          for (size_t col = 0; col < k.rows; ++col)
            if (weights[col] != 0) {
              wanted += weights[col] * v.at(b, own, col, d) / sum;
              size += weights[col] * std::abs(v.at(b, own, col, d)) / sum;
            }
          const double small = 1e-6 * double(k.rows); // weights below f16's normal numbers
          check(toDouble(got[q.place(b, h, row, d)]), wanted,
                1.1 * half * (size + std::abs(wanted)) + 2e-5 * size + small,
                "element " + std::to_string(d));
        }
        const double wanted = top + std::log(sum);
        if (!lse.empty())
          check(lse[(b * q.heads + h) * q.rows + row], wanted, 2e-5 * (1 + std::abs(wanted)),
                "lse");
      }
}

/// Each row of q looks at all rows of k.
Score everywhere(const Shape &s) {
  const double scale = 1 / std::sqrt(double(s.dim));
  return [scale](double product, size_t, size_t, size_t, size_t) { return product * scale; };
}

/// The last row of q looks at all rows of k, each one before it at one less.
Score toTheLast(const Shape &s) {
  const double scale = 1 / std::sqrt(double(s.dim));
  return [s, scale](double product, size_t, size_t, size_t row, size_t col) {
    return col + s.rows <= row + s.kRows ? product * scale
                                         : -std::numeric_limits<double>::infinity();
  };
}

/// Runs a kernel without further arguments.
template <class T>
void expectKernel(Run &run, const char *kernel, const Shape &s, bool rowsFirst,
                  const Score &score) {
  const auto q = reals<T>(run, s.batches, s.heads, s.rows, s.dim, rowsFirst);
  const auto k = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, rowsFirst);
  const auto v = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, rowsFirst);
  auto out = Heads<T>(s.batches, s.heads, s.rows, s.dim, rowsFirst).on(run);
  sextant::Array<float, 3> lse(run.device, {int64_t(s.batches), int64_t(s.heads), int64_t(s.rows)});
  const auto left = q.on(run), keys = k.on(run), values = v.on(run);
  run.launch(kernel, left, keys, values, out, lse, run.zeros<uint64_t>(80));
  expectAttention<T>(std::string(kernel) + ", rows " + std::to_string(s.rows), q, k, v, out.read(),
                     lse.read(), score);
}

template <class T> void plain(Run &run) {
  for (const Shape &s : {Shape{1, 1, 1, 16, 16, 64}, Shape{2, 2, 1, 70, 133, 64},
                         Shape{1, 1, 1, 1, 65, 40}, Shape{1, 2, 2, 33, 17, 33}})
    expectKernel<T>(run, "plain", s, false, everywhere(s));
}

template <class T> void causal(Run &run) {
  for (const Shape &s :
       {Shape{1, 2, 2, 130, 130, 64}, Shape{2, 4, 2, 20, 75, 64}, Shape{1, 1, 1, 40, 24, 64}})
    expectKernel<T>(run, "causal", s, true, toTheLast(s));
}

/// Makes the rows from a batch's length on NaN, which no result may have.
template <class T> void spoil(Heads<T> &heads, const std::vector<int32_t> &counts) {
  for (size_t b = 0; b < heads.batches; ++b)
    for (size_t h = 0; h < heads.heads; ++h)
      for (size_t row = size_t(counts[b]); row < heads.rows; ++row)
        for (size_t d = 0; d < heads.dim; ++d)
          heads.elements[heads.place(b, h, row, d)] =
              rounded<T>(std::numeric_limits<double>::quiet_NaN());
}

/// The score of the kernels' function `sloped`, with a scale of a quarter.
Score slopedBefore(const std::vector<int32_t> &counts) {
  return [&](double product, size_t b, size_t h, size_t row, size_t col) {
    if (col >= size_t(counts[b]))
      return -std::numeric_limits<double>::infinity();
    const double slope = std::abs(double(row) - double(col)) * double(h + 1) * 0.125;
    return product * 0.25 - slope + double(b);
  };
}

template <class T> void lengths(Run &run) {
  const Shape s{3, 2, 1, 37, 150, 64};
  const std::vector<int32_t> counts = {150, 0, 71};
  const auto q = reals<T>(run, s.batches, s.heads, s.rows, s.dim, false);
  auto k = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, false);
  auto v = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, false);
  spoil(k, counts);
  spoil(v, counts);
  auto out = Heads<T>(s.batches, s.heads, s.rows, s.dim, false).on(run);
  sextant::Array<float, 3> lse(run.device, {int64_t(s.batches), int64_t(s.heads), int64_t(s.rows)});
  const auto left = q.on(run), keys = k.on(run), values = v.on(run);
  run.launch("sloped_of_lengths", left, keys, values, out, lse, run.array(counts), 0.25f,
             run.zeros<uint64_t>(80));
  expectAttention<T>("lengths", q, k, v, out.read(), lse.read(), slopedBefore(counts));
}

/// The last row of q looks at all rows of k. Without scratch a head's rows have one block.
template <class T> void few(Run &run) {
  for (const Shape &s : {Shape{2, 4, 2, 1, 700, 64}, Shape{1, 3, 1, 5, 530, 40},
                         Shape{1, 8, 1, 3, 600, 64}, Shape{1, 2, 2, 1, 17, 64}})
    for (const size_t scratch : {size_t(0), size_t(10000)}) {
      const auto q = reals<T>(run, s.batches, s.heads, s.rows, s.dim, false);
      const auto k = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, false);
      const auto v = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, false);
      auto out = Heads<T>(s.batches, s.heads, s.rows, s.dim, false).on(run);
      const auto left = q.on(run), keys = k.on(run), values = v.on(run);
      run.launch("few", left, keys, values, out, run.zeros<float>(scratch));
      expectAttention<T>("few rows of " + std::to_string(s.kRows), q, k, v, out.read(), {},
                         toTheLast(s));
    }
}

/// Rows of k and v past a batch's length are NaN here, too.
template <class T> void fewOfLengths(Run &run) {
  const Shape s{4, 4, 2, 1, 800, 64};
  const std::vector<int32_t> counts = {800, 0, 1, 333};
  const auto q = reals<T>(run, s.batches, s.heads, s.rows, s.dim, true);
  auto k = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, true);
  auto v = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, true);
  spoil(k, counts);
  spoil(v, counts);
  auto out = Heads<T>(s.batches, s.heads, s.rows, s.dim, true).on(run);
  const auto left = q.on(run), keys = k.on(run), values = v.on(run);
  run.launch("few_of_lengths", left, keys, values, out, run.zeros<float>(8000), run.array(counts),
             0.25f);
  expectAttention<T>("few rows, lengths", q, k, v, out.read(), {}, slopedBefore(counts));
}

/// Weights of a row of q, in f64.
template <class T>
std::vector<double> weightsOf(const Heads<T> &q, const Heads<T> &k, size_t b, size_t h, size_t row,
                              size_t visible, double scale, double &logarithm) {
  const size_t own = h / (q.heads / k.heads);
  std::vector<double> weights(visible);
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (size_t col = 0; col < visible; ++col) {
    for (size_t d = 0; d < q.dim; ++d)
      weights[col] += q.at(b, h, row, d) * k.at(b, own, col, d) * scale;
    top = std::max(top, weights[col]);
  }
  for (double &weight : weights)
    sum += weight = std::exp(weight - top);
  for (double &weight : weights)
    weight /= sum;
  logarithm = top + std::log(sum);
  return weights;
}

/// The derivatives of a sum of the result times `d_out`, beside those by the definition in f64. The
/// kernel gets a result that is rounded once, and rounds weights and their derivatives.
template <class T>
void expectBackward(Run &run, const char *kernel, const Shape &s, bool isCausal,
                    const std::vector<int32_t> &counts) {
  const auto q = reals<T>(run, s.batches, s.heads, s.rows, s.dim, isCausal);
  auto k = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, isCausal);
  auto v = reals<T>(run, s.batches, s.kHeads, s.kRows, s.dim, isCausal);
  const auto dOut = reals<T>(run, s.batches, s.heads, s.rows, s.dim, isCausal);
  spoil(k, counts);
  spoil(v, counts);
  const double scale = 1 / std::sqrt(double(s.dim));
  const double half = std::ldexp(1.0, -fractionBits<T> - 1);
  Heads<T> out(s.batches, s.heads, s.rows, s.dim, isCausal);
  std::vector<float> lse(s.batches * s.heads * s.rows);
  struct Sum {
    double value = 0, bound = 0;
  };
  std::vector<Sum> dQ(q.elements.size()), dK(k.elements.size()), dV(v.elements.size());
  for (size_t b = 0; b < s.batches; ++b)
    for (size_t h = 0; h < s.heads; ++h)
      for (size_t row = 0; row < s.rows; ++row) {
        const size_t own = h / (s.heads / s.kHeads), count = size_t(counts[b]);
        const long last = isCausal ? long(row + 1 + count) - long(s.rows) : long(count);
        const size_t visible = size_t(std::max(0L, std::min(last, long(count))));
        double logarithm = 0;
        const std::vector<double> weights = weightsOf(q, k, b, h, row, visible, scale, logarithm);
        lse[(b * s.heads + h) * s.rows + row] = float(logarithm);
        double products = 0, size = 0; // the result times its derivative, in all
        for (size_t d = 0; d < s.dim; ++d) {
          double value = 0;
          for (size_t col = 0; col < visible; ++col)
            value += weights[col] * v.at(b, own, col, d);
          out.elements[out.place(b, h, row, d)] = rounded<T>(value);
          products += value * dOut.at(b, h, row, d);
          size += std::abs(value * dOut.at(b, h, row, d));
        }
        for (size_t col = 0; col < visible; ++col) {
          double dWeight = 0, dSize = 0;
          for (size_t d = 0; d < s.dim; ++d) {
            dWeight += dOut.at(b, h, row, d) * v.at(b, own, col, d);
            dSize += std::abs(dOut.at(b, h, row, d) * v.at(b, own, col, d));
          }
          const double weight = weights[col], dScore = weight * (dWeight - products) * scale;
          const double wrong = weight * scale * (half * size + 1e-4 * (dSize + size)) +
                               half * std::abs(dScore) + 1e-7;
          for (size_t d = 0; d < s.dim; ++d) {
            auto add = [](Sum &sum, double value, double bound) {
              sum.value += value;
              sum.bound += bound;
            };
            const double key = k.at(b, own, col, d), query = q.at(b, h, row, d);
            add(dQ[q.place(b, h, row, d)], dScore * key, wrong * std::abs(key));
            add(dK[k.place(b, own, col, d)], dScore * query, wrong * std::abs(query));
            const double other = dOut.at(b, h, row, d);
            add(dV[v.place(b, own, col, d)], weight * other,
                (weight * (half + 1e-4) + 1e-7) * std::abs(other));
          }
        }
      }
  sextant::Array<float, 3> logarithms(run.device,
                                      {int64_t(s.batches), int64_t(s.heads), int64_t(s.rows)});
  sextant::Array<float, 3> sums(run.device,
                                {int64_t(s.batches), int64_t(s.heads), int64_t(s.rows)});
  logarithms.write(lse);
  const auto queries = q.on(run), keys = k.on(run), values = v.on(run), results = out.on(run),
             dResults = dOut.on(run);
  auto byQ = Heads<T>(s.batches, s.heads, s.rows, s.dim, isCausal).on(run);
  auto byK = k.on(run), byV = k.on(run); // written whole, and NaN before
  if (isCausal)
    run.launch(kernel, queries, keys, values, results, dResults, logarithms, byQ, byK, byV, sums,
               run.array(counts));
  else
    run.launch(kernel, queries, keys, values, results, dResults, logarithms, byQ, byK, byV, sums);
  auto check = [&](const std::vector<Sum> &wanted, const std::vector<T> &got, const char *what) {
    for (size_t i = 0; i < wanted.size(); ++i)
      if (const auto [value, bound] = wanted[i];
          !(std::abs(toDouble(got[i]) - value) <= bound + 1.1 * half * std::abs(value) + 1e-7))
        throw Mismatch{std::string(what) + "[" + std::to_string(i) + "] is " +
                       show(toDouble(got[i])) + ", not " + show(value) + " (bound " + show(bound) +
                       ")"};
  };
  check(dQ, byQ.read(), "d_q");
  check(dK, byK.read(), "d_k");
  check(dV, byV.read(), "d_v");
}

template <class T> void backward(Run &run) {
  expectBackward<T>(run, "backward", {2, 2, 1, 70, 133, 64}, false, {133, 133});
  expectBackward<T>(run, "backward", {1, 1, 1, 3, 1, 40}, false, {1});
  expectBackward<T>(run, "causal_backward", {2, 4, 2, 75, 90, 64}, true, {90, 41});
}

/// Whole numbers: the largest of each row, and a product with the differences from it.
template <class T> void belowLargest(Run &run) {
  std::vector<float> x(32 * 48);
  std::vector<T> y(48 * 16);
  for (float &value : x)
    value = float(int(run.random() % 17) - 8);
  for (T &value : y)
    value = rounded<T>(double(int(run.random() % 17) - 8));
  sextant::Array<float, 2> left(run.device, {32, 48});
  sextant::Array<T, 2> right(run.device, {48, 16});
  left.write(x);
  right.write(y);
  auto largest = run.zeros<float>(32);
  auto z = run.zeros2<float>(32, 16);
  run.launch("below_largest", left, right, largest, z);
  const std::vector<float> tops = largest.read(), got = z.read();
  for (size_t i = 0; i < 32; ++i) {
    const float top = *std::max_element(x.begin() + long(i * 48), x.begin() + long(i * 48 + 48));
    if (tops[i] != top)
      throw Mismatch{"the largest of row " + std::to_string(i) + " is " + show(tops[i])};
    for (size_t j = 0; j < 16; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 48; ++k)
        sum += double(x[i * 48 + k] - top) * toDouble(y[k * 16 + j]);
      if (got[i * 16 + j] != sum)
        throw Mismatch{"(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                       show(got[i * 16 + j]) + ", not " + show(sum)};
    }
  }
}

template <class T> void add(std::vector<Case> &cases, const std::string &type) {
  cases.push_back({"matrix_rows_" + type, "rows of accumulators, and accumulators as an operand",
                   belowLargest<T>});
  cases.push_back({"attention_" + type, "attention of any shape", plain<T>});
  cases.push_back({"attention_" + type, "causal attention", causal<T>});
  cases.push_back({"attention_" + type, "derivatives of attention", backward<T>});
  cases.push_back({"attention_" + type, "attention of few rows", few<T>});
  cases.push_back({"attention_" + type, "attention of few rows with lengths", fewOfLengths<T>});
  cases.push_back(
      {"attention_" + type, "attention with lengths and scores of the caller's", lengths<T>});
}

} // namespace

void addAttentionCases(std::vector<Case> &cases) {
  add<sextant::Half>(cases, "f16");
  add<sextant::Bfloat16>(cases, "bf16");
}

} // namespace conformance

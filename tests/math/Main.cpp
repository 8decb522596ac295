// Measures the math functions on one device, column by column, and holds them to what is
// promised (Promises.cpp).
//
//   sextant-math MODULES [--device=NAME] [--points=N] [--filter=TEXT[,TEXT…]]
//                [--results=FILE] [VARIANT/waveN …]
//
// MODULES is the folder of functions_f16.sxt, functions_f32.sxt and functions_f64.sxt. The device
// is the one named, else SEXTANT_DEVICE's, else the best there is. --points: how many operands a
// function and type (f16 functions of one operand: all of them). --filter keeps functions of one of
// the names. --results writes a tab-separated row a function and type, which accuracy.py makes a
// page of. Status: 0 all promises are kept, 1 one is not, 2 nothing could be measured.
#define SEXTANT_THROWS
#include "tests/math/Functions.h"

#include "sextant/sextant.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>

using namespace accuracy;

namespace {

//===--- The exact value ---------------------------------------------------===//

/// A real number, exact or far closer than a format's last place.
class Exact {
public:
  Exact() { mpfr_init2(number, 120); }
  ~Exact() { mpfr_clear(number); }
  Exact(const Exact &) = delete;
  mpfr_t number;
};

void evaluate(const Function &function, const Format &format, double x, double y, Exact &result) {
  if (format.width < 64) {
    mpfr_set_d(result.number, function.inDouble(x, y), MPFR_RNDN);
    return;
  }
  static Exact first, second;
  mpfr_set_d(first.number, x, MPFR_RNDN);
  mpfr_set_d(second.number, y, MPFR_RNDN);
  function.exact(result.number, first.number, second.number);
}

/// How far `got` is off, in units of the last place at the exact value. Nothing where `got`
/// is of the wrong kind: NaN for a number, a zero of the wrong sign, no infinity where one
/// is due. An infinite result for a finite one counts as 2^(maxExponent + 1).
std::optional<double> errorOf(const Format &format, uint64_t got, const Exact &exact) {
  mpfr_srcptr want = exact.number;
  const double value = format.value(got);
  if (mpfr_nan_p(want))
    return std::isnan(value) ? std::optional(0.0) : std::nullopt;
  if (std::isnan(value))
    return std::nullopt;
  const bool isNegative = mpfr_signbit(want);
  const mpfr_exp_t exponent = mpfr_regular_p(want) ? mpfr_get_exp(want) - 1 : 0;
  if (mpfr_inf_p(want) || (mpfr_regular_p(want) && exponent > format.maxExponent))
    return std::isinf(value) && std::signbit(value) == isNegative ? std::optional(0.0)
                                                                  : std::nullopt;
  if (value == 0 && std::signbit(value) != isNegative)
    return std::nullopt;
  if (mpfr_zero_p(want))
    return value == 0 ? std::optional(0.0) : std::nullopt;
  const int unit = int(std::max<mpfr_exp_t>(exponent, format.minExponent)) - int(format.digits) + 1;
  static Exact difference;
  if (std::isinf(value))
    mpfr_set_ui_2exp(difference.number, 1, format.maxExponent + 1, MPFR_RNDN);
  else
    mpfr_set_d(difference.number, value, MPFR_RNDN);
  if (std::isinf(value) && value < 0)
    mpfr_neg(difference.number, difference.number, MPFR_RNDN);
  mpfr_sub(difference.number, difference.number, want, MPFR_RNDN);
  mpfr_mul_2si(difference.number, difference.number, -unit, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference.number, MPFR_RNDN));
}

//===--- One function ------------------------------------------------------===//

struct Column {
  std::string variant;
  unsigned wave;
};

struct Outcome {
  size_t points = 0, wrong = 0;
  double worst = 0;
  Operands worstAt = {}, wrongAt = {};
  uint64_t worstIs = 0, wrongIs = 0;
};

/// Operands and exact values do not depend on the column.
struct Prepared {
  std::vector<Operands> operands;
  std::vector<Exact> exact;
};

template <class T>
std::vector<uint64_t> runOn(const sextant::Device &device, const sextant::Program &program,
                            const Function &function, const std::vector<Operands> &operands) {
  std::vector<T> x(operands.size()), y(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    std::memcpy(&x[i], &operands[i].x, sizeof(T));
    std::memcpy(&y[i], &operands[i].y, sizeof(T));
  }
  sextant::Array<T> first(device, std::span<const T>(x)), second(device, std::span<const T>(y)),
      result(device, int64_t(x.size()));
  program.kernel(function.name)(device.defaultStream(), first, second, result);
  device.defaultStream().synchronize();
  const std::vector<T> got = result.read();
  std::vector<uint64_t> bits(got.size());
  for (size_t i = 0; i < got.size(); ++i)
    std::memcpy(&bits[i], &got[i], sizeof(T));
  return bits;
}

std::vector<uint64_t> runOn(const Format &format, const sextant::Device &device,
                            const sextant::Program &program, const Function &function,
                            const std::vector<Operands> &operands) {
  if (format.width == 16)
    return runOn<sextant::Half>(device, program, function, operands);
  if (format.width == 32)
    return runOn<float>(device, program, function, operands);
  return runOn<double>(device, program, function, operands);
}

/// The smallest error that flushing explains: subnormal operands and results may be zeros of
/// either sign.
std::optional<double> flushedError(const Function &function, const Format &format, Operands at,
                                   uint64_t got) {
  std::optional<double> best;
  const uint64_t sign = format.signBit();
  static Exact exact;
  for (uint64_t x : {at.x, at.x & sign, ~at.x & sign})
    for (uint64_t y : {at.y, at.y & sign, ~at.y & sign}) {
      if ((x != at.x && !format.isSubnormal(at.x)) || (y != at.y && !format.isSubnormal(at.y)))
        continue;
      evaluate(function, format, format.value(x), format.value(y), exact);
      std::optional<double> error = errorOf(format, got, exact);
      const bool isTiny =
          mpfr_zero_p(exact.number) ||
          (mpfr_regular_p(exact.number) && mpfr_get_exp(exact.number) - 1 <= format.minExponent);
      // A remainder that is flushed is taken for zero: `%` is zero, `//` may be one off.
      const std::string_view name = function.name;
      const bool hasTinyRest = (name == "modulo" || name == "floor_divide") &&
                               std::fabs(std::fmod(format.value(x), format.value(y))) <
                                   std::ldexp(1.0, format.minExponent);
      if ((isTiny || (hasTinyRest && name == "modulo")) && format.value(got) == 0)
        error = 0;
      if (hasTinyRest && name == "floor_divide" && mpfr_number_p(exact.number) &&
          std::fabs(format.value(got) - mpfr_get_d(exact.number, MPFR_RNDN)) <= 1)
        error = 0;
      if (error && (!best || *error < *best))
        best = error;
    }
  return best;
}

/// Either zero is a minimum of both, as C99 has it.
bool isZeroOfEither(const Function &function, const Format &format, Operands at, uint64_t got) {
  const std::string_view name = function.name;
  return (name == "min" || name == "max") && format.value(at.x) == 0 && format.value(at.y) == 0 &&
         format.value(got) == 0;
}

/// amdsim's v_div_scale_f64 goes by the wording of AMD's manual, by which a division overflows
/// where the divisor's reciprocal is subnormal; its v_div_fmas_f64 rounds a subnormal quotient
/// twice. Functions that divide so are not measured there.
bool isBeyondStandIn(const Function &function, const Format &format, Operands at) {
  if (format.width != 64)
    return false;
  const double x = std::fabs(format.value(at.x)), y = std::fabs(format.value(at.y));
  if (function.kind == Kind::Quotient)
    return y > 0x1p1021 || x / y < 0x1p-1021;
  if (function.isUnary() || function.kind == Kind::WholePower)
    return x > 0x1p1021;
  return std::string_view(function.name) == "atan2" &&
         (std::fmax(x, y) > 0x1p1021 || std::fmin(x, y) / std::fmax(x, y) < 0x1p-1021);
}

Outcome compare(const Function &function, const Format &format, const Prepared &prepared,
                const std::vector<uint64_t> &got, bool flushes, bool isAmdsim) {
  Outcome outcome;
  outcome.points = got.size();
  for (size_t i = 0; i < got.size(); ++i) {
    const Operands at = prepared.operands[i];
    if (isAmdsim && isBeyondStandIn(function, format, at)) {
      --outcome.points;
      continue;
    }
    std::optional<double> error = errorOf(format, got[i], prepared.exact[i]);
    if (isZeroOfEither(function, format, at, got[i]))
      error = 0;
    const double promise = promiseOf(function, format);
    if (flushes && (!error || *error > promise))
      error = flushedError(function, format, at, got[i]);
    if (!error) {
      if (outcome.wrong++ == 0) {
        outcome.wrongAt = at;
        outcome.wrongIs = got[i];
      }
    } else if (*error > outcome.worst) {
      outcome.worst = *error;
      outcome.worstAt = at;
      outcome.worstIs = got[i];
    }
  }
  return outcome;
}

//===--- All ---------------------------------------------------------------===//

struct Options {
  std::string folder, device, results;
  size_t points = 4000;
  std::vector<std::string> filter;
  std::vector<Column> columns;
};

std::string show(const Function &function, const Format &format, Operands at) {
  char text[80];
  const int digits = format.width == 64 ? 17 : format.width == 32 ? 9 : 5;
  if (function.isUnary())
    std::snprintf(text, sizeof text, "%.*g", digits, format.value(at.x));
  else
    std::snprintf(text, sizeof text, "%.*g, %.*g", digits, format.value(at.x), digits,
                  format.value(at.y));
  return text;
}
std::string show(const Format &format, uint64_t bits) {
  return show(functions()[0], format, {bits, 0});
}

/// llvmpipe cannot be told to keep subnormal numbers either, but does.
bool flushesSubnormals(const sextant::Device &device, const Format &format) {
  const sextant::Device::Info info = device.info();
  if (info.backend != std::string_view("vulkan") ||
      std::string_view(info.description).starts_with("llvmpipe"))
    return false;
  const std::string feature = "float" + std::to_string(format.width) + "-denorms";
  return std::none_of(info.features, info.features + info.feature_count,
                      [&](const char *has) { return has == feature; });
}

int measureAll(const Options &options) {
  const sextant::Device device = sextant::Device::open(options.device);
  const sextant::Device::Info info = device.info();
  std::FILE *file = options.results.empty() ? nullptr : std::fopen(options.results.c_str(), "w");
  if (!options.results.empty() && !file)
    throw std::runtime_error("cannot write " + options.results);
  std::printf("device: %s (%s, %s)\n", info.name, info.arch, info.description);
  if (file) {
    const std::time_t now = std::time(nullptr);
    char date[16];
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::fprintf(file, "device\t%s\t%s\t%s\t%s\t%s\n", info.name, info.backend, info.arch,
                 info.description, date);
  }
  const bool isAmdsim = std::string_view(info.description).starts_with("amdsim");
  unsigned measured = 0, broken = 0;
  for (const Format &format : formats) {
    const sextant::Module module =
        sextant::Module::open(options.folder + "/functions_" + format.name + ".sxt");
    const bool flushes = flushesSubnormals(device, format);
    for (const Function &function : functions()) {
      if (!options.filter.empty() && std::find(options.filter.begin(), options.filter.end(),
                                               function.name) == options.filter.end())
        continue;
      std::optional<Prepared> prepared;
      for (const Column &column : options.columns) {
        const std::string name = column.variant + "/wave" + std::to_string(column.wave);
        // The one type that a backend lacks.
        if (format.width == 64 && column.variant.starts_with("metal"))
          continue;
        const double promise = promiseOf(function, format);
        Outcome outcome;
        try {
          sextant::Program program(module, device, column.variant, column.wave);
          if (!prepared) {
            prepared.emplace();
            prepared->operands = operandsFor(function, format, options.points);
            prepared->exact = std::vector<Exact>(prepared->operands.size());
            for (size_t i = 0; i < prepared->operands.size(); ++i)
              evaluate(function, format, format.value(prepared->operands[i].x),
                       format.value(prepared->operands[i].y), prepared->exact[i]);
          }
          outcome = compare(function, format, *prepared,
                            runOn(format, device, program, function, prepared->operands), flushes,
                            isAmdsim);
        } catch (const sextant::Error &error) {
          ++broken;
          std::printf("%-13s %s %-26s FAILED: %s\n", function.name, format.name, name.c_str(),
                      error.what());
          continue;
        }
        ++measured;
        const bool holds = outcome.wrong == 0 && outcome.worst <= promise + 1e-6;
        broken += !holds;
        std::printf("%-13s %s %-26s %8.4g of %.3g ulp", function.name, format.name, name.c_str(),
                    outcome.worst, promise);
        if (outcome.worst > 0)
          std::printf(" at %s, %s", show(function, format, outcome.worstAt).c_str(),
                      show(format, outcome.worstIs).c_str());
        if (outcome.wrong)
          std::printf("; %zu special values wrong, first at %s, %s", outcome.wrong,
                      show(function, format, outcome.wrongAt).c_str(),
                      show(format, outcome.wrongIs).c_str());
        std::printf("%s\n", holds ? "" : "  FAILED");
        std::fflush(stdout);
        if (file)
          std::fprintf(file, "math\t%s\t%s\t%s\t%zu\t%.4g\t%s\t%s\t%zu\t%s\t%s\t%g\t%d\n",
                       name.c_str(), function.text, format.name, outcome.points, outcome.worst,
                       show(function, format, outcome.worstAt).c_str(),
                       show(format, outcome.worstIs).c_str(), outcome.wrong,
                       show(function, format, outcome.wrongAt).c_str(),
                       show(format, outcome.wrongIs).c_str(), promise, int(flushes));
      }
    }
  }
  if (file)
    std::fclose(file);
  std::printf("%u measured, %u not as promised\n", measured, broken);
  return broken ? 1 : measured ? 0 : 2;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (const char *points = std::getenv("SEXTANT_MATH_POINTS"))
    options.points = size_t(std::atoll(points));
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--filter="))
      options.filter = split(argument.substr(9), ',');
    else if (argument.starts_with("--device="))
      options.device = argument.substr(9);
    else if (argument.starts_with("--results="))
      options.results = argument.substr(10);
    else if (argument.starts_with("--points="))
      options.points = std::stoul(argument.substr(9));
    else if (options.folder.empty())
      options.folder = argument;
    else
      options.columns.push_back(
          {argument.substr(0, argument.find("/wave")),
           unsigned(std::stoul(argument.substr(argument.find("/wave") + 5)))});
  }
  if (options.folder.empty() || options.columns.empty()) {
    std::fprintf(stderr,
                 "usage: %s MODULES [--device=NAME] [--points=N] [--filter=NAME,…] "
                 "[--results=FILE] VARIANT/waveN …\n",
                 argv[0]);
    return 2;
  }
  try {
    return measureAll(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}

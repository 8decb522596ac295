// The code that small applications share beside pictures: options, checks, times.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

/// The command line of an example: pairs of a name and a value, `--out picture.png`.
class Options {
public:
  /// Throws std::runtime_error with the usage for a name that is not in `names`.
  Options(int count, char **words, const std::vector<std::string> &names);

  /// Returns the value, or `otherwise` where the command line has none.
  std::string get(const std::string &name, const std::string &otherwise = {}) const;
  /// Throws std::runtime_error if the value is not a number.
  double number(const std::string &name, double otherwise) const;

private:
  std::map<std::string, std::string> values;
};

/// Runs the example and returns the status of its process. An exception becomes a message and 1.
/// All examples take `--out` and `--device`; `more` names what this one takes, too.
int runExample(int count, char **words, void (*example)(const Options &),
               std::vector<std::string> more = {});

/// Returns the larger of two errors. NaN is the largest, so that it is not lost among others.
double largerError(double one, double other);

/// Prints how far a result is from what it has to be. Throws if that is more than `most`, or NaN.
void expectAtMost(const char *what, double found, double most);

/// Measures milliseconds from its construction on.
class Clock {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
  }

private:
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

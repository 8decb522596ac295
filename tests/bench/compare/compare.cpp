// Times two commits' rows in turn, in one process. Each commit has a folder: the programs of rows
// as libraries, which carry the commit's loader, and modules that its compiler made. A library runs
// on a stack of its own until it has a row; then both commits' rows of that name are timed, A B B A
// A B …, and the libraries go on. What the programs print is dropped.
//
//   bench-compare RESULTS OLD NEW first=old|new PROGRAM [ARGUMENT…]
//
// "@" in an argument is the commit's folder. RESULTS gets a line for each row, by tabs: its name,
// the medians of both in microseconds, and the median of the rounds' ratios, new over old. Rounds
// end when that median is known within 1 %, or known to be below a limit, in 95 of 100 runs. Status
// 0: both programs ended well; 3: the old one did not.
//
// SEXTANT_COMPARE_SECONDS: the most that a row may take (2)
// SEXTANT_COMPARE_LIMIT: a ratio; rows that are surely below it need no more rounds (none)
// SEXTANT_COMPARE_ROWS: only these rows, one a line; the programs end after the last
#include "../comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

namespace {

constexpr size_t stackBytes = size_t(64) << 20;
constexpr int leastRounds = 15, mostRounds = 301;
constexpr double closeEnough = 0.01;

ucontext_t scheduler;

/// One commit's program, which stands at a row or has ended.
struct Side {
  std::string folder;
  std::vector<std::string> arguments;
  std::vector<char *> pointers;
  int (*main)(int, char **) = nullptr;
  ucontext_t context = {};
  const char *row = nullptr;
  const std::function<double()> *microseconds = nullptr;
  bool ended = false;
  int status = 0;
};

Side *running = nullptr;

class Rows final : public comparison::Taker {
  void row(const char *name, const std::function<double()> &microseconds) override {
    Side &side = *running;
    side.row = name;
    side.microseconds = &microseconds;
    swapcontext(&side.context, &scheduler);
  }
} rows;

void run() {
  Side &side = *running;
  side.status = side.main(int(side.pointers.size()) - 1, side.pointers.data());
  side.ended = true;
}

/// Until the next row or the end.
void goOn(Side &side) {
  side.row = nullptr;
  running = &side;
  swapcontext(&scheduler, &side.context);
}

bool load(Side &side, const char *program, int argc, char **argv) {
  const std::string path = side.folder + "/" + program + ".so";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "bench-compare: %s\n", dlerror());
    return false;
  }
  side.main = reinterpret_cast<decltype(side.main)>(dlsym(library, "main"));
  auto *taker = static_cast<comparison::Taker **>(dlsym(library, "sextant_bench_taker"));
  if (!side.main || !taker) {
    std::fprintf(stderr, "bench-compare: %s gives no rows away\n", path.c_str());
    return false;
  }
  *taker = &rows;
  side.arguments = {program};
  for (int i = 0; i < argc; ++i) {
    std::string argument = argv[i];
    if (const size_t at = argument.find('@'); at != std::string::npos)
      argument.replace(at, 1, side.folder);
    side.arguments.push_back(argument);
  }
  for (std::string &argument : side.arguments)
    side.pointers.push_back(argument.data());
  side.pointers.push_back(nullptr);
  void *stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  getcontext(&side.context);
  side.context.uc_stack.ss_sp = stack;
  side.context.uc_stack.ss_size = stackBytes;
  side.context.uc_link = &scheduler;
  makecontext(&side.context, run, 0);
  return true;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// True if the order statistics that enclose the median in 95 of 100 runs are close to it, or below
/// the limit: most rows are as fast or faster, and by how much needs few rounds.
bool isSure(std::vector<double> ratios, double limit) {
  std::sort(ratios.begin(), ratios.end());
  const double n = double(ratios.size()), middle = ratios[ratios.size() / 2];
  const size_t k = size_t(std::max(0.0, n / 2 - 0.98 * std::sqrt(n)));
  const double low = ratios[k], high = ratios[ratios.size() - 1 - k];
  return high < limit || (low >= middle * (1 - closeEnough) && high <= middle * (1 + closeEnough));
}

bool isWanted(const char *row) {
  const char *wanted = std::getenv("SEXTANT_COMPARE_ROWS");
  const auto line = [](const char *text) { return "\n" + std::string(text) + "\n"; };
  return !wanted || line(wanted).find(line(row)) != std::string::npos;
}

/// The rows that are named; none if all are wanted.
size_t countWanted() {
  const char *wanted = std::getenv("SEXTANT_COMPARE_ROWS");
  return wanted ? 1 + size_t(std::count(wanted, wanted + std::strlen(wanted), '\n')) : 0;
}

void measure(const Side &old, const Side &now, double seconds, double limit, std::FILE *results) {
  std::vector<double> oldTimes, newTimes, ratios;
  const auto time = [](const Side &side, std::vector<double> &times) {
    times.push_back((*side.microseconds)());
  };
  (*old.microseconds)(), (*now.microseconds)(); // caches, clocks
  timespec begin, here;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int round = 0; round < mostRounds; ++round) {
    if (round % 2)
      time(now, newTimes), time(old, oldTimes);
    else
      time(old, oldTimes), time(now, newTimes);
    ratios.push_back(newTimes.back() / oldTimes.back());
    clock_gettime(CLOCK_MONOTONIC, &here);
    if (round + 1 >= leastRounds &&
        (double(here.tv_sec - begin.tv_sec) > seconds || isSure(ratios, limit)))
      break;
  }
  std::fprintf(results, "%s\t%.3f\t%.3f\t%.4f\n", old.row, median(oldTimes), median(newTimes),
               median(ratios));
  std::fflush(results);
}

int compare(int argc, char **argv) {
  if (argc < 6) {
    std::fprintf(stderr,
                 "usage: bench-compare RESULTS OLD NEW first=old|new PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  const auto setting = [](const char *name, double usual) {
    const char *text = std::getenv(name);
    return text ? std::atof(text) : usual;
  };
  const double seconds = setting("SEXTANT_COMPARE_SECONDS", 2);
  const double limit = setting("SEXTANT_COMPARE_LIMIT", 0);
  Side old, now;
  old.folder = argv[2], now.folder = argv[3];
  Side *const sides[] = {&old, &now};
  const bool isOldFirst = !std::strcmp(argv[4], "first=old");
  std::FILE *results = std::fopen(argv[1], "w");
  if (!results || !std::freopen("/dev/null", "w", stdout)) {
    std::perror(argv[1]);
    return 2;
  }
  for (int i = 0; i < 2; ++i) // who comes first has its memory and its threads first
    if (!load(*sides[isOldFirst ? i : 1 - i], argv[5], argc - 6, argv + 6))
      return 2;
  for (size_t measured = 0;;) {
    for (int i = 0; i < 2; ++i)
      goOn(*sides[isOldFirst ? i : 1 - i]);
    if (old.ended || now.ended)
      break;
    if (std::strcmp(old.row, now.row) != 0) {
      std::fprintf(stderr, "bench-compare: rows differ: '%s' and '%s'\n", old.row, now.row);
      return 2;
    }
    if (!isWanted(old.row))
      continue;
    measure(old, now, seconds, limit, results);
    if (++measured == countWanted()) // the programs would only set up the rest
      return 0;
  }
  if (old.ended != now.ended || old.status || now.status) {
    const char *row = old.row ? old.row : now.row ? now.row : "the end";
    std::fprintf(stderr, "bench-compare: %s: status %d of old, %d of new, before %s\n", argv[5],
                 old.status, now.status, row);
    return now.ended && (now.status || !old.ended) ? 1 : 3;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  const int status = compare(argc, argv);
  std::fflush(nullptr);
  std::_Exit(status); // a program that stands at a row still has its devices
}

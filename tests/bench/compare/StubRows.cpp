// Rows for the test of bench-compare: FILE has a line for each, a name and what a launch takes, or
// two such numbers, "8/10", that take turns. Each time that is asked for is written to the file of
// calls.
//
//   StubRows FILE CALLS [STATUS]
#include "../comparison.h"

#include <cstdlib>
#include <fstream>
#include <string>

int main(int argc, char **argv) {
  std::ifstream rows(argv[1]);
  std::ofstream calls(argv[2], std::ios::app);
  for (std::string name, times; rows >> name >> times;) {
    const double microseconds[] = {std::stod(times), std::stod(times.substr(times.find('/') + 1))};
    bool isOdd = false;
    comparison::takes(name.c_str(), [&] {
      calls << argv[1] << ' ' << name << std::endl;
      isOdd = !isOdd;
      return microseconds[isOdd];
    });
  }
  return argc > 3 ? std::atoi(argv[3]) : 0;
}

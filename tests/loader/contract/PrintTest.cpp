// The output that kernels print.
#include "tests/loader/contract/Contract.h"

#include <limits>
#include <map>
#include <mutex>

using namespace sextant;
using namespace sextant::test;

namespace {

/// Takes what is printed while it lives.
struct Printed {
  std::vector<std::string> texts;

  Printed() {
    sxt_print_set_callback(
        [](const char *text, size_t length, void *user) {
          static_cast<Printed *>(user)->texts.emplace_back(text, length);
        },
        this);
  }
  ~Printed() { sxt_print_set_callback(nullptr, nullptr); }
  std::vector<std::string> take() { return std::exchange(texts, {}); }
};

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("prints come with the stream's next synchronisation, each thread's in order", "[runs]") {
  Fixture f;
  Printed printed;
  Kernel prints = f.program.kernel("prints");
  prints(f.stream, 5, 0.5f);
  CHECK(printed.texts.empty());
  f.stream.synchronize();
  Texts texts = printed.take();
  REQUIRE(texts.size() == 1 + 5 + 2 * 2 + 1);
  CHECK(texts.front() == "n is 5\n");
  CHECK(texts.back() == "\n");
  // Threads may come in any order; " done" says no thread, and comes once after each "odd".
  std::map<std::string, size_t> at;
  size_t done = 0, odd = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    at[texts[i]] = i;
    odd += texts[i].starts_with("odd");
    done += texts[i] == " done\n";
    CHECK(done <= odd);
  }
  const char *halves[] = {"0.0", "0.5", "1.0", "1.5", "2.0"};
  for (int i = 0; i < 5; ++i) {
    const std::string first = "first " + std::to_string(i) + " " + halves[i] + "\n";
    REQUIRE(at.count(first));
    if (i % 2 == 1) {
      const std::string second = "odd: " + std::to_string(i) + " and";
      REQUIRE(at.count(second));
      CHECK(at[first] < at[second]);
    }
  }
  CHECK(done == 2);
  // They are handed out once.
  f.stream.synchronize();
  CHECK(printed.texts.empty());
  prints(f.stream, 0, 1.0f);
  prints(f.stream, 1, 1.0f);
  f.stream.synchronize();
  CHECK(printed.take() == Texts{"n is 0\n", "\n", "n is 1\n", "first 0 0.0\n", "\n"});
}

/// As a launch that waits hands out what was printed, this needs no clock.
TEST_CASE("sxt_kernel_resume waits for kernels without checkpoints, too", "[runs]") {
  Fixture f;
  Printed printed;
  const sxt_argument arguments[] = {sxt_make_i32(0), sxt_make_f32(1.0f)};
  const Kernel prints = f.program.kernel("prints");
  sxt_graph_status status{};
  status.struct_size = sizeof status;
  status.yielded = 7;
  for (sxt_stream *stream : {f.stream.get(), static_cast<sxt_stream *>(nullptr)}) {
    check(sxt_kernel_resume(prints.get(), stream, arguments, 2, nullptr, &status));
    CHECK(status.yielded == 0);
    CHECK(printed.take() == Texts{"n is 0\n", "\n"});
  }
  const int64_t label = 3;
  CHECK(sxt_kernel_resume(prints.get(), f.stream.get(), arguments, 2, &label, &status) ==
        SXT_ERROR_NOT_FOUND);
  CHECK(std::string(sxt_last_error_message()) == "kernel 'prints' has no checkpoint 3");
  CHECK(printed.texts.empty());
}

TEST_CASE("prints of every type", "[runs]") {
  Fixture f;
  Printed printed;
  const std::vector<float> values = {3,     -0.0f,    1e10f, 1.17549435e-38f,
                                     1e-4f, 16777216, 0.1f,  -123456.789f};
  Array<float> x(f.device, std::span<const float>(values));
  f.program.kernel("prints_types")(f.stream, x, uint64_t(0xfedcba9876543210));
  f.stream.synchronize();
  CHECK(printed.take() ==
        Texts{"-3 3 -3 3 1985229328 -81985529216486896 18364758544493064720 True None True\n",
              "3.0,-0.0,10000000000.0,1.1754944e-38,0.0001,16777216.0,0.1,-123456.79\n",
              "0.100 3.0 [0.1, 2.0]{}! 3\n",
              "3.0 [3.0, -0.0] [[1, 2], [3, 4]] (3, 'text') [3.0]\n"});
}

TEST_CASE("prints by formats, as Python 3.11 has them", "[runs]") {
  Fixture f;
  Printed printed;
  const std::vector<float> values = {-12.345f,
                                     123456.789f,
                                     0.0625f,
                                     -2.5f,
                                     0.1f,
                                     std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::infinity()};
  Array<float> x(f.device, std::span<const float>(values));
  f.program.kernel("prints_formats")(f.stream, x, 42, uint64_t(0xfedcba9876543210));
  f.stream.synchronize();
  CHECK(printed.take() ==
        Texts{"[   42|42   |  42  |****42|00042|+42| 42|-0042|42.00|4.200000e+01]\n",
              "[2a|-2A|52|101010|fedcba9876543210|"
              "1111111011011100101110101001100001110110010101000011001000010000|  1|-     42]\n",
              "[  -12.35|-12.3   |+1.235e+05|123457|6.2%|-002.5|     0.1|-12.345]\n",
              "[  nan|+INF|inf   |-00inf|-12.345000267029|123457]\n",
              // As printf has them, where Python refuses or has a rule of its own.
              "[-12.3|   123456.79|0000000042|-042|   0042|00fedcba9876543210|0.500|07|te]\n",
              "[42|  ab|{-2.5}] [0.1 42 -42]\n",
              "[   42|-007|0.500|ff|  text|a  |  1|     2.5|-2.5  |1e+300]\n"});
}

TEST_CASE("streams and kernels do not mix up their prints", "[runs]") {
  Fixture f;
  Printed printed;
  Stream other = f.device.createStream();
  Array<float> x(f.device, 8);
  x.clear();
  f.program.kernel("prints")(f.stream, 0, 1.0f);
  f.program.kernel("prints_types")(other, x, uint64_t(7));
  f.program.kernel("prints")(other, 0, 1.0f);
  other.synchronize();
  Texts texts = printed.take();
  REQUIRE(texts.size() == 6);
  CHECK(texts[0] == "0 0 0 0 7 7 7 False None True\n");
  CHECK(texts[4] == "n is 0\n");
  f.stream.synchronize();
  CHECK(printed.take() == Texts{"n is 0\n", "\n"});
  // The end of a stream is a synchronisation.
  {
    Stream last = f.device.createStream();
    f.program.kernel("prints")(last, 0, 1.0f);
    CHECK(printed.texts.empty());
  }
  CHECK(printed.take() == Texts{"n is 0\n", "\n"});
}

TEST_CASE("graphs and prepared launches print", "[runs]") {
  Fixture f;
  Printed printed;
  Graph graph(f.device);
  graph.launch(f.program.kernel("prints"), 0, 1.0f);
  graph.launch(f.program.kernel("prints"), 1, 1.0f);
  graph.enqueue(f.stream);
  graph.enqueue(f.stream);
  PreparedLaunch prepared(f.program.kernel("prints"), 0, 2.0f);
  prepared.enqueue(f.stream);
  f.stream.synchronize();
  const Texts once = {"n is 0\n", "\n", "n is 1\n", "first 0 0.0\n", "\n"};
  Texts wanted = once;
  wanted.insert(wanted.end(), once.begin(), once.end());
  wanted.insert(wanted.end(), {"n is 0\n", "\n"});
  CHECK(printed.take() == wanted);
}

TEST_CASE("prints that find no place are counted", "[runs]") {
  Fixture f;
  Printed printed;
  const int threads = 256;
  f.program.kernel("prints_much")(f.stream, threads);
  f.stream.synchronize();
  Texts texts = printed.take();
  REQUIRE(!texts.empty());
  const std::string last = texts.back();
  texts.pop_back();
  // A record has 18 words, and a stream holds 2^18 less its header.
  const size_t kept = ((1 << 18) - 4) / 18;
  CHECK(texts.size() == kept);
  CHECK(last == "sextant: " + std::to_string(size_t(threads) * 64 - kept) +
                    " prints were lost: a stream holds 1 MiB of them between synchronisations\n");
  size_t wrong = 0;
  for (const std::string &text : texts) {
    int i = -1, k = -1;
    std::sscanf(text.c_str(), "[%d, %d", &i, &k);
    const std::string pair = std::to_string(i) + ", " + std::to_string(k);
    const std::string list = "[" + pair + ", " + pair + ", " + pair + ", " + pair + "]";
    wrong += text != list + " " + list + "\n" || i < 0 || i >= threads || k < 0 || k >= 64;
  }
  CHECK(wrong == 0);
  // Afterwards there is room again.
  f.program.kernel("prints")(f.stream, 0, 1.0f);
  f.stream.synchronize();
  CHECK(printed.take() == Texts{"n is 0\n", "\n"});
}

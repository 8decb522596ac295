// thin: a module without some of its kernels and targets.
#include "CommandLine.h"
#include "packager/Pattern.h"
#include "tests/support/Catch.h"

namespace {

/// Two kernels for four targets; `scan` has two instances.
struct Whole : Workplace {
  Whole() {
    write("k.py", std::string(saxpySource) + R"(
@qd.kernel
def scan(x: qd.types.ndarray(dtype=qd.f32, ndim=1), n: qd.template()):
    for i in range(x.shape[0]):
        x[i] = x[i] + n
)");
    good({"compile", "k.py", "-o", "whole.sxt", "-k", "scan[n=2]", "-k", "scan[n=3]",
          "--targets=cpu:x86-64-v3/wave4,cpu:x86-64-v3/wave8,compute_75,sm_90,vulkan:1.1/wave32"});
  }
  CommandResult thin(std::vector<std::string> options, const std::string &output = "out.sxt") {
    options.insert(options.begin(), {"thin", "whole.sxt", "-o", output});
    return run(std::move(options));
  }
  /// `kernel target` of each variant, or of each refusal.
  std::string variants(const std::string &module, const std::string &mark = "  ") {
    std::string text = good({"inspect", module}).out, list, kernel;
    for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      const std::string line = text.substr(0, end);
      text = text.substr(end + 1);
      if (line.starts_with("kernel "))
        kernel = line.substr(7, line.find('(') - 7);
      else if (line.starts_with(mark) && line.find("/wave") != line.npos &&
               (mark != "  " || !line.starts_with("  refused")))
        list +=
            kernel + " " +
            line.substr(mark.size(), line.find_first_of(" :", line.find("/wave")) - mark.size()) +
            "\n";
    }
    return list;
  }
};

} // namespace

TEST_CASE("patterns", "[thin]") {
  using sextant::packager::matchesGlob;
  CHECK(matchesGlob("", ""));
  CHECK(!matchesGlob("", "a"));
  CHECK(matchesGlob("*", ""));
  CHECK(matchesGlob("a*b*c", "aXbYbZc"));
  CHECK(!matchesGlob("a*b*c", "aXbYbZcd"));
  CHECK(matchesGlob("sm_?0", "sm_90"));
  CHECK(!matchesGlob("sm_?0", "sm_100"));
  CHECK(matchesGlob("scan_*", "scan_2"));
  auto names = [](const char *text, const sextant::module::Target &target) {
    const auto pattern = sextant::packager::parsePattern(text);
    REQUIRE(pattern.ok());
    sextant::module::Kernel kernel;
    kernel.name = "scan";
    kernel.instance = "scan_2";
    return pattern->names(kernel, target);
  };
  const sextant::module::Target amd{"amdgpu", "gfx1100", {}, 32},
      vulkan{"vulkan", "1.1", {"float32-atomics"}, 8};
  for (const char *text :
       {"*", "amdgpu", "amdgpu:*", "gfx11*", "amdgpu:gfx11*/wave32", "*/wave32", "/wave32",
        "scan@gfx1100", "sc*@*", "kernel:scan", "kernel:scan_2", "scan_2@amdgpu/wave32"}) {
    INFO(text);
    CHECK(names(text, amd));
  }
  for (const char *text : {"cuda", "gfx10*", "gfx11*/wave64", "kernel:total", "total@amdgpu",
                           "scan_3@amdgpu", "amdgpu:gfx110"}) {
    INFO(text);
    CHECK(!names(text, amd));
  }
  for (const char *text : {"vulkan", "vulkan:1.?", "1.1+float32-atomics", "vulkan:*+float32*"}) {
    INFO(text);
    CHECK(names(text, vulkan));
  }
  CHECK(sextant::packager::parsePattern("@cuda").error().message ==
        "'@cuda' names nothing; write TARGET, KERNEL@TARGET or kernel:KERNEL, with * for any");
  CHECK(!sextant::packager::parsePattern("").ok());
  CHECK(!sextant::packager::parsePattern("kernel:").ok());
}

TEST_CASE("thin by target and kernel", "[thin]") {
  Whole place;
  CHECK(place.thin({"--keep=cuda"}).status == 0);
  CHECK(place.variants("out.sxt") == "saxpy cuda:compute_75/wave32\n"
                                     "saxpy cuda:sm_90/wave32\n"
                                     "scan_2 cuda:compute_75/wave32\n"
                                     "scan_2 cuda:sm_90/wave32\n"
                                     "scan_3 cuda:compute_75/wave32\n"
                                     "scan_3 cuda:sm_90/wave32\n");
  CHECK(place.thin({"--drop=/wave32", "--drop", "scan*@cpu:*/wave4"}).status == 0);
  CHECK(place.variants("out.sxt") == "saxpy cpu:x86-64-v3/wave4\n"
                                     "saxpy cpu:x86-64-v3/wave8\n"
                                     "scan_2 cpu:x86-64-v3/wave8\n"
                                     "scan_3 cpu:x86-64-v3/wave8\n");
  CHECK(place.thin({"--keep=saxpy@sm_90", "--keep=scan_3@cpu", "--drop=*/wave8"}).status == 0);
  CHECK(place.variants("out.sxt") == "saxpy cuda:sm_90/wave32\n"
                                     "scan_3 cpu:x86-64-v3/wave4\n");
  CHECK(place.thin({"--drop=kernel:scan", "--keep=sm_90"}).status == 0);
  CHECK(place.variants("out.sxt") == "saxpy cuda:sm_90/wave32\n");
}

TEST_CASE("thin records what it dropped, and merge gives the whole module back", "[thin]") {
  Whole place;
  const std::string whole = place.read("whole.sxt");
  CHECK(place.thin({"--keep=cuda", "--keep=vulkan"}, "gpu.sxt").status == 0);
  CHECK(place.thin({"--drop=cuda", "--drop=vulkan"}, "cpu.sxt").status == 0);
  CHECK(place.variants("gpu.sxt", "  refused ") == "saxpy cpu:x86-64-v3/wave4\n"
                                                   "saxpy cpu:x86-64-v3/wave8\n"
                                                   "scan_2 cpu:x86-64-v3/wave4\n"
                                                   "scan_2 cpu:x86-64-v3/wave8\n"
                                                   "scan_3 cpu:x86-64-v3/wave4\n"
                                                   "scan_3 cpu:x86-64-v3/wave8\n");
  CHECK(contains(place.good({"inspect", "gpu.sxt"}).out,
                 "  refused cpu:x86-64-v3/wave4: dropped by sextant thin\n"));
  CHECK(contains(place
                     .run({"run", "gpu.sxt", "saxpy", "--device=cpu", "n=1", "a=1", "x=zeros[1]",
                           "y=zeros[1]"})
                     .err,
                 "cpu:x86-64-v3/wave8 was left out: dropped by sextant thin"));
  place.good({"merge", "gpu.sxt", "cpu.sxt", "-o", "again.sxt"});
  CHECK(place.read("again.sxt") == whole);
  // Kernels select variants, too.
  CHECK(place.thin({"--keep=kernel:saxpy"}, "a.sxt").status == 0);
  CHECK(place.thin({"--drop=kernel:saxpy"}, "b.sxt").status == 0);
  place.good({"merge", "b.sxt", "a.sxt", "-o", "again.sxt"});
  CHECK(place.read("again.sxt") == whole);

  CHECK(place.thin({"--keep=cuda", "--forget"}, "silent.sxt").status == 0);
  CHECK(place.variants("silent.sxt", "  refused ").empty());
}

TEST_CASE("what is made of a signed module is not signed, and told so", "[thin]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "--targets=compute_75,x86-64-v3/wave8"});
  place.good({"keygen", "key"});
  place.good({"sign", "saxpy.sxt", "--key=key", "-o", "signed.sxt"});
  for (std::vector<std::string> command :
       {std::vector<std::string>{"thin", "signed.sxt", "-o", "out.sxt", "--keep=*"},
        {"merge", "signed.sxt", "-o", "out.sxt"}}) {
    CHECK(place.good(command).err == "sextant: warning: 'signed.sxt' is signed, what is made of it "
                                     "is not; run `sextant sign` [-Wsignature]\n");
    CHECK(place.read("out.sxt") == place.read("saxpy.sxt"));
  }
}

TEST_CASE("thin: what cannot be", "[thin]") {
  Whole place;
  auto error = [&](std::vector<std::string> options) {
    const CommandResult result = place.thin(std::move(options));
    CHECK(result.status == 1);
    CHECK(!place.has("out.sxt"));
    return result.err;
  };
  CHECK(error({}) == "sextant: error: nothing says what to leave out\n"
                     "  help: pass --keep, --drop or --losers\n");
  CHECK(error({"--keep=sm_89"}) ==
        "sextant: error: 'sm_89' names no target of the module; it has cpu:x86-64-v3/wave4, "
        "cpu:x86-64-v3/wave8, cuda:compute_75/wave32, cuda:sm_90/wave32, vulkan:1.1/wave32; did "
        "you mean 'sm_90'?\n");
  CHECK(contains(error({"--keep=nvidia"}), "did you mean 'cuda'?"));
  CHECK(contains(error({"--keep=vul"}), "did you mean 'vulkan'?"));
  CHECK(contains(error({"--keep=saxpi@cpu"}), "did you mean 'saxpy'?"));
  CHECK(error({"--drop=kernel:sum*"}) ==
        "sextant: error: 'kernel:sum*' names no kernel of the module; it has saxpy, scan_2, "
        "scan_3\n");
  CHECK(error({"--drop=kernel:*"}) == "sextant: error: nothing would be left of the module\n");
  CHECK(error({"--drop=cpu", "--drop=/wave32"}) ==
        "sextant: error: kernel 'saxpy' would lose its last variant of cpu:x86-64-v3/wave4, "
        "cpu:x86-64-v3/wave8, cuda:compute_75/wave32, cuda:sm_90/wave32, vulkan:1.1/wave32; keep "
        "one, drop the kernel by --drop 'kernel:saxpy', or pass --allow-empty-kernels\n");
  CHECK(contains(error({"--drop=@cuda"}), "'@cuda' names nothing"));
  CHECK(contains(place.run({"thin", "whole.sxt", "-o", "whole.sxt", "--keep=cuda"}).err,
                 "is one of the modules that are read"));
  place.write("text.sxt", "no module");
  CHECK(contains(place.run({"thin", "text.sxt", "-o", "out.sxt", "--keep=cuda"}).err, "text.sxt"));
  CHECK(contains(place.thin({"--keep=cuda"}, "text.sxt/out.sxt").err, "cannot make the folder '"));
}

TEST_CASE("a kernel without variants keeps its signature", "[thin]") {
  Workplace place;
  place.write("one.py", "import quadrants as qd\n\n@qd.kernel\ndef one() -> qd.f32:\n"
                        "    return 1.0\n");
  place.good({"compile", "one.py", "-o", "whole.sxt", "--targets=sm_90,x86-64-v3/wave8"});
  place.good({"thin", "whole.sxt", "-o", "none.sxt", "--drop=*/wave*", "--allow-empty-kernels"});
  place.good({"verify", "none.sxt"});
  auto abi = [&](const std::string &module) {
    const std::string text = place.good({"inspect", module}).out;
    const size_t at = text.find("  abi ");
    return text.substr(at, text.find('\n', at) - at);
  };
  CHECK(contains(place.good({"inspect", "none.sxt"}).out, "kernel one() -> f32\n"));
  CHECK(abi("none.sxt") == abi("whole.sxt"));
  place.good({"merge", "none.sxt", "whole.sxt", "-o", "again.sxt"});
  CHECK(place.read("again.sxt") == place.read("whole.sxt"));
  place.good({"merge", "none.sxt", "-o", "again.sxt"});
  CHECK(place.read("again.sxt") == place.read("none.sxt"));
}

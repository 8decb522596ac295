// Attachments on the command line: compile --attach and the manifest put them in, inspect and
// extract show them, sign, thin and merge keep them, diff tells of them.
#include "CommandLine.h"
#include "tests/support/Catch.h"

namespace {

/// A module with two attachments: `scene` of one file, `notes/1` of another.
struct Attached : Workplace {
  Attached() {
    write("saxpy.py", saxpySource);
    write("scene.json", "{\"steps\": 3}\n");
    write("notes.txt", std::string("a\0b", 3));
    good({"compile", "saxpy.py", "-o", "app.sxt", "--compress=fast", "--attach", "scene=scene.json",
          "--attach=notes/1=notes.txt", "-MD"});
  }
};

} // namespace

TEST_CASE("compile attaches files, and extract gives them back", "[attachments]") {
  Attached place;
  CHECK(contains(place.read("app.d"), place.path("scene.json")));
  const std::string text = place.good({"inspect", "app.sxt"}).out;
  CHECK(contains(text, "attachment  notes/1, 3 bytes\n"));
  CHECK(contains(text, "attachment  scene, 13 bytes\n"));
  CHECK(contains(place.good({"inspect", "--json", "app.sxt"}).out, "\"attachments\": ["));
  CHECK(contains(place.good({"inspect", "--size", "app.sxt"}).out, "attachments"));
  CHECK(contains(place.good({"extract", "app.sxt", "--attachment", "scene", "-o", "out.json"}).out,
                 "out.json: attachment scene, 13 bytes\n"));
  CHECK(place.read("out.json") == place.read("scene.json"));
  place.good({"extract", "app.sxt", "--attachment=notes/1"}); // stays in the folder
  CHECK(place.read("notes_1") == std::string("a\0b", 3));
  CHECK(place.good({"extract", "app.sxt", "--attachment=scene", "-o", "-"}).out ==
        "{\"steps\": 3}\n");
  const CommandResult none = place.run({"extract", "app.sxt", "--attachment=sceen"});
  CHECK(none.status == 1);
  CHECK(contains(none.err, "no attachment 'sceen'; it has notes/1, scene"));
  CHECK(place.run({"extract", "app.sxt", "saxpy", "--attachment=scene"}).status == 1);
  CHECK(contains(
      place
          .good({"run", "app.sxt", "saxpy", "n=2", "a=2.0", "x=const:1:f32[2]", "y=const:1:f32[2]"})
          .out,
      "[3, 3]"));
}

TEST_CASE("what cannot be attached is told before anything is written", "[attachments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.write("a", "1");
  place.write("b", "2");
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"compile", "saxpy.py", "-o", "x.sxt"});
    const CommandResult result = place.run(more);
    CHECK(result.status == 1);
    CHECK(!place.has("x.sxt"));
    return result.err;
  };
  CHECK(contains(error({"--attach=a"}), "--attach 'a' is not of the form NAME=FILE"));
  CHECK(contains(error({"--attach=a=missing"}), "'missing'"));
  CHECK(contains(error({"--attach=n=a", "--attach=n=b"}), "two attachments have the name 'n'"));
  place.good({"compile", "saxpy.py", "-o", "x.sxt", "--attach=n=a", "--attach=n=a"});
}

TEST_CASE("a manifest attaches files beside it", "[attachments]") {
  Attached place;
  place.write("m/saxpy.py", saxpySource);
  place.write("m/s.json", "{\"steps\": 3}\n");
  place.write("m/sextant.toml", "compress = \"fast\"\n[module.app]\nsources = [\"saxpy.py\"]\n"
                                "attach = { \"scene.json\" = \"s.json\" }\n");
  place.good({"compile", "--manifest=m/sextant.toml"});
  CHECK(place.good({"extract", "m/app.sxt", "--attachment=scene.json", "-o", "-"}).out ==
        "{\"steps\": 3}\n");
  // Options replace the manifest's, and their files lie where the command runs.
  place.good({"compile", "--manifest=m/sextant.toml", "--attach=n=notes.txt"});
  CHECK(contains(place.good({"inspect", "m/app.sxt"}).out, "attachment  n, 3 bytes\n"));
  CHECK(!contains(place.good({"inspect", "m/app.sxt"}).out, "scene.json"));
  place.write("m/sextant.toml", "[module.app]\nsources = [\"saxpy.py\"]\nattach = [\"a\"]\n");
  CHECK(contains(place.run({"compile", "--manifest=m/sextant.toml"}).err,
                 "'attach' is not a table of files"));
}

TEST_CASE("sign, merge and thin keep attachments, diff tells of them", "[attachments]") {
  Attached place;
  place.good({"keygen", "key.pem"});
  place.good({"sign", "app.sxt", "--key", "key.pem", "-o", "signed.sxt"});
  place.good({"verify", "signed.sxt", "--public-key", "key.pem.pub"});
  CHECK(place.good({"extract", "signed.sxt", "--attachment=scene", "-o", "-"}).out ==
        "{\"steps\": 3}\n");
  place.good({"compile", "saxpy.py", "-o", "ptx.sxt", "--compress=fast", "--targets=compute_80",
              "--attach=scene=scene.json", "--attach=more=scene.json"});
  place.good({"merge", "app.sxt", "ptx.sxt", "-o", "all.sxt"});
  const std::string text = place.good({"inspect", "all.sxt"}).out;
  for (const char *name : {"more, 13", "notes/1, 3", "scene, 13"})
    CHECK(contains(text, std::string("attachment  ") + name + " bytes\n"));
  place.good({"thin", "all.sxt", "--keep=cuda", "-o", "thin.sxt"});
  CHECK(contains(place.good({"inspect", "thin.sxt"}).out, "attachment  notes/1, 3 bytes\n"));

  place.write("scene.json", "{\"steps\": 40}\n");
  place.good(
      {"compile", "saxpy.py", "-o", "new.sxt", "--compress=fast", "--attach", "scene=scene.json"});
  const CommandResult changes = place.run({"diff", "app.sxt", "new.sxt", "--fail-on=attachment"});
  CHECK(changes.status == 1);
  CHECK(contains(changes.out, "attachment scene: changed, 13 -> 14 bytes\n"));
  CHECK(contains(changes.out, "attachment notes/1: removed\n"));
  const CommandResult clash = place.run({"merge", "app.sxt", "new.sxt", "-o", "no.sxt"});
  CHECK(clash.status == 1);
  CHECK(contains(clash.err, "attachment 'scene' has other bytes in 'app.sxt' than in 'new.sxt'"));
  CHECK(!place.has("no.sxt"));
}

TEST_CASE("a file with gradients says which memory its kernels use", "[attachments]") {
  Workplace place;
  place.write("k.py", R"(import quadrants as qd
F = qd.types.ndarray(qd.f32, 1)
table = qd.field(qd.f32, shape=8, needs_grad=True)
seen = qd.field(qd.i32, shape=())

@qd.kernel
def look(x: F, y: F, z: F, n: qd.i32):
    for i in range(n):
        if table[i] > 0.0:
            y[i] = x[i] * table[i] if n > 2 else 0.0
    z[0] += x[0]

@qd.kernel
def other(x: F):
    if x.shape[0] > 2:
        qd.atomic_max(seen[None], 1)
)");
  const auto accesses = [&](const std::string &module) {
    return place.good({"extract", module, "--attachment=sextant.accesses", "-o", "-"}).out;
  };
  place.good({"compile", "k.py", "-o", "plain.sxt", "-t", "cpu"});
  CHECK(contains(place.run({"extract", "plain.sxt", "--attachment=sextant.accesses"}).err,
                 "no attachment 'sextant.accesses'; it has none"));
  place.good({"compile", "k.py", "-o", "all.sxt", "-t", "x86-64-v2,x86-64-v3", "-k", "look.grad"});
  CHECK(accesses("all.sxt") == "look\n"
                               "look\treads\tarray\tx\n"
                               "look\treads\tarray\tz\n"
                               "look\treads\tfield\ttable\n"
                               "look\twrites\tarray\ty\n"
                               "look\twrites\tarray\tz\n"
                               "look_grad\n"
                               "look_grad\treads\tarray\tx\n"
                               "look_grad\treads\tarray\tx.grad\n"
                               "look_grad\treads\tarray\ty.grad\n"
                               "look_grad\treads\tarray\tz.grad\n"
                               "look_grad\treads\tfield\ttable\n"
                               "look_grad\treads\tfield\ttable.grad\n"
                               "look_grad\twrites\tarray\tx.grad\n"
                               "look_grad\twrites\tarray\ty.grad\n"
                               "look_grad\twrites\tfield\ttable.grad\n"
                               "other\n"
                               "other\treads\tfield\tseen\n"
                               "other\twrites\tfield\tseen\n");
  // Shards of one build have the lines of all.
  for (const char *target : {"x86-64-v2", "x86-64-v3"})
    place.good(
        {"compile", "k.py", "-o", std::string(target) + ".sxt", "-t", target, "-k", "look.grad"});
  place.good({"merge", "x86-64-v2.sxt", "x86-64-v3.sxt", "-o", "merged.sxt"});
  CHECK(place.read("merged.sxt") == place.read("all.sxt"));
}

// The command line itself: help, files of arguments, streams, colours, warnings, names of kernels,
// JSON, and what is said of arguments that are wrong.
#include "CommandLine.h"
#include "driver/commands/Messages.h"
#include "loader/format/Text.h"
#include "tests/support/Catch.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace {

const std::vector<std::string> commands = {
    "compile", "merge",   "thin",   "sign", "keygen", "cache",   "inspect", "verify", "diff",
    "explain", "extract", "disasm", "run",  "bench",  "targets", "devices", "message"};

std::vector<std::string> everyCommand() {
  std::vector<std::string> all = commands;
  all.insert(all.end(), {"freeze", "wheel", "tune", "completions", "man"});
  return all;
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

/// A file with a kernel of a name that is taken again: one warning, `redefined-kernel`.
const char *const twiceSource = R"(import quadrants as qd

@qd.kernel
def fill(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(a.shape[0]):
        a[i] = 1

@qd.kernel
def fill(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(a.shape[0]):
        a[i] = 2
)";

} // namespace

TEST_CASE("help: groups, a page for each command, examples", "[arguments]") {
  Workplace place;
  const std::string all = place.good({"--help"}).out;
  CHECK(place.good({"help"}).out == all);
  for (const char *group : {"Build:", "Look at modules:", "Run:", "What there is:"})
    CHECK(contains(all, group));
  for (const std::string &command : commands) {
    INFO(command);
    CHECK(contains(all, "\n  " + command + " "));
    const std::string page = place.good({"help", command}).out;
    CHECK(page == place.good({command, "--help"}).out);
    CHECK(contains(page, "usage: sextant " + command + " [OPTIONS]"));
    CHECK(contains(page, "Examples:\n  sextant " + command));
    CHECK(contains(page, "--color=WHEN"));
  }
  const std::string compile = place.good({"help", "compile"}).out;
  CHECK(contains(compile, "-MD"));
  CHECK(!contains(compile, "-beside"));
  std::istringstream lines(compile);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("help takes one command or one message, and suggests both", "[arguments]") {
  Workplace place;
  const std::string inspect = place.good({"inspect", "--help"}).out;
  for (const std::vector<std::string> &words : {std::vector<std::string>{"help", "--", "inspect"},
                                                {"--", "help", "inspect"},
                                                {"-q", "help", "inspect"},
                                                {"help", "inspect", "--json"}})
    CHECK(place.good(words).out == inspect);
  CHECK(place.good({"help", "range-step-zero"}).out ==
        place.good({"message", "range-step-zero"}).out);
  CHECK(place.good({"-q", "help", "--", "range-step-zero"}).out.starts_with("range-step-zero\n"));
  for (const auto &[word, meant] :
       std::vector<std::pair<std::string, std::string>>{{"compil", "'compile'"},
                                                        {"option-unknwon", "'option-unknown'"},
                                                        {"message-unknow", "'message-unknown'"}}) {
    const std::string error = "sextant: error: there is no command or message '" + word +
                              "'\n  help: did you mean " + meant + "?\n";
    CHECK(place.run({"help", word}).err == error);
    CHECK(place.run({"--color=never", "help", "--", word}).err == error);
  }
  CHECK(contains(place.run({"help", "option-unknwon", "--diagnostics=json"}).err,
                 "\"code\":\"command-unknown\""));
  CHECK(contains(place.run({"help", "inspect", "verify"}).err, "does not take 'verify'"));
  CHECK(contains(place.run({"help", "option-unknown", "x"}).err, "does not take 'x'"));
  CHECK(contains(place.run({"help", ""}).err, "an argument is empty"));
  // `help` itself has no page of the manual.
  CHECK(!contains(place.run({"man", "help"}).err, "did you mean"));
}

TEST_CASE("after -- every argument is an operand of the command", "[arguments]") {
  Workplace place;
  place.write("file.rsp", "--json");
  for (const std::string &command : everyCommand()) {
    INFO(command);
    // At the end it changes nothing.
    const CommandResult bare = place.run({command}), ended = place.run({command, "--"});
    CHECK(ended.status == bare.status);
    CHECK(ended.err == bare.err);
    CHECK(ended.out == bare.out);
    // Options, files of arguments, marks of the parser and lists in brackets are names here.
    const CommandResult plain = place.run({command, "+operand"});
    for (const std::string word :
         {"-x", "-q", "--help", "--json", "--color=always", "@file", "--", "++", "[a,b]", "%%"}) {
      INFO(word);
      const CommandResult odd = place.run({command, "--", word});
      CHECK(odd.status == plain.status);
      std::string expected = plain.err;
      for (size_t at; (at = expected.find("+operand")) != std::string::npos;)
        expected.replace(at, 8, word);
      CHECK(odd.err == expected);
    }
    for (const std::vector<std::string> &words : {std::vector<std::string>{command, "--", ""},
                                                  {command, "--", "", "--"},
                                                  {"--", command, ""}})
      CHECK(contains(place.run(words).err, "an argument is empty"));
    place.write("empty.rsp", command + " -- ''");
    CHECK(contains(place.run({"@empty.rsp"}).err, "an argument is empty"));
    if (command != "freeze") // whose program may get one
      CHECK(contains(place.run({command, "--", "a", ""}).err, "an argument is empty"));
  }
  CHECK(contains(place.run({"--", "--help"}).err, "there is no command '--help'"));
  CHECK(contains(place.run({"--", "inspect", "--json"}).err, "--json'"));
}

TEST_CASE("operands before and after -- are one list, whatever they look like", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-t", "x86-64-v2/wave8"});
  const std::vector<std::string> names{"-b.sxt", "--help", "@c", "[d]", "++"};
  for (const std::string &name : names)
    place.write(name, place.read("saxpy.sxt"));
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"verify", "saxpy.sxt", "--", "-b.sxt", "--help", "@c", "[d]",
                                 "++"},
        {"verify", "[d]", "++", "saxpy.sxt", "--", "-b.sxt", "--help", "@c"}}) {
    const std::string out = place.good(words).out;
    for (const std::string &name : names)
      CHECK(contains(out, name));
  }
  // The end of options in a file of arguments is that of the command line, too.
  place.write("verify.rsp", "verify --");
  CHECK(contains(place.good({"@verify.rsp", "@c", "--help"}).out, "@c"));
  // An option cannot have it as its value, unless it is written with `=`.
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"compile", "-o", "--", "saxpy.py"},
        {"compile", "saxpy.py", "-qo"}})
    CHECK(place.run(words).err == "sextant: error: '-o' has no value\n"
                                  "  help: give it a value, or leave the option out\n");
  place.good({"compile", "saxpy.py", "-t", "x86-64-v2/wave8", "--output=--"});
  CHECK(place.has("--"));
  CHECK(contains(place.run({"inspect", "saxpy.sxt", "--json=no"}).err, "'--json' takes no value"));
  place.write("binary", std::string("ELF\0x", 5));
  CHECK(contains(place.run({"verify", "@binary"}).err, "it is binary"));
}

TEST_CASE("help: rows stand once, what is written and built for first", "[arguments]") {
  Workplace place;
  for (const std::string &command : everyCommand()) {
    INFO(command);
    const std::string page = place.good({"help", command}).out;
    CHECK(countOf(page, "\n  KERNEL ") <= 1);
    CHECK(!contains(page, "[Option Group"));
    // The options -o and -t come first, where a command has them.
    const size_t first = page.find("\n  -"), output = page.find("\n  -o, "),
                 target = page.find("\n  -t, ");
    CHECK((output == page.npos || output == first));
    CHECK((target == page.npos || target == (output == page.npos ? first : target)));
    CHECK((output == page.npos || target == page.npos || output < target));
  }
  const std::string extract = place.good({"help", "extract"}).out;
  CHECK(contains(extract, "\n  -k, --kernel KERNEL       the same as KERNEL\n"));
  CHECK(extract.find("\n  -t, --target") < extract.find("\n  -k, --kernel"));
  CHECK(contains(place.good({"help", "sign"}).out, "\n  --key VALUE "));
}

TEST_CASE("empty arguments and values are refused by every command", "[arguments]") {
  Workplace place;
  place.write("k.py", saxpySource);
  size_t options = 0;
  for (const std::string &command : everyCommand()) {
    INFO(command);
    const CommandResult empty = place.run({command, ""});
    CHECK(empty.status == 1);
    CHECK(contains(empty.err, "an argument is empty"));
    std::istringstream page(place.good({"help", command}).out);
    for (std::string line; std::getline(page, line);) {
      if (!line.starts_with("  -"))
        continue;
      std::istringstream words(line.substr(0, line.find("  ", 2)));
      std::vector<std::string> names;
      std::string value;
      for (std::string word; words >> word;)
        if (word.starts_with("-"))
          names.push_back(word.substr(0, word.find_first_of(",=")));
        else
          value = word;
      for (const std::string &name : names) {
        INFO(name);
        if (name.starts_with("--")) {
          const CommandResult done = place.run({command, name + "=", "-q"});
          CHECK(done.status == 1);
          CHECK(contains(done.err, "'" + name + "' has an empty value"));
        }
        if (value.empty())
          continue;
        const CommandResult done = place.run({command, name, "", "-q"});
        CHECK(done.status == 1);
        CHECK(
            contains(done.err, name == "--color" ? "an argument is empty" : "has an empty value"));
        ++options;
      }
    }
  }
  CHECK(options > 100);
  CHECK(place.run({"compile", "k.py", ""}).status == 1);
  CHECK(place.run({"-W", "", "targets"}).status == 1);
  CHECK(place.list() == std::vector<std::string>{"k.py"}); // nothing was written
}

TEST_CASE("a frozen program gets its arguments as they are", "[arguments]") {
  Workplace place;
  place.write("app.py", "");
  // It stands for a Python with the packages, and writes down what it would run.
  place.write("python", "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\n"
                        "until [ \"$1\" = -- ]; do shift; done\nshift\n"
                        "for word; do echo \"<$word>\" >> \"" +
                            place.path("got") + "\"; done\nexit 1\n");
  std::filesystem::permissions(place.path("python"), std::filesystem::perms::owner_all);
  const auto got = [&](const std::vector<std::string> &more) {
    std::filesystem::remove(place.path("got"));
    std::vector<std::string> words{"freeze", "-o", "m.sxt", "--python=" + place.path("python")};
    words.insert(words.end(), more.begin(), more.end());
    (void)place.run(words);
    return place.has("got") ? place.read("got") : "nothing";
  };
  CHECK(got({"app.py", "", "--title=", "--title", ""}) ==
        "<app.py>\n<>\n<--title=>\n<--title>\n<>\n");
  CHECK(got({"app.py", "-MD", "-MF", "a.d", "--dump-ir", "-5", "-qz", "[a,b]"}) ==
        "<app.py>\n<-MD>\n<-MF>\n<a.d>\n<--dump-ir>\n<-5>\n<-qz>\n<[a,b]>\n");
  CHECK(got({"app.py", "--fresh", "x", "--", "--fresh", "--", "", "@y"}) ==
        "<app.py>\n<x>\n<--fresh>\n<-->\n<>\n<@y>\n");
  CHECK(got({"--", "app.py", "--python=x"}) == "<app.py>\n<--python=x>\n");
  CHECK(got({""}) == "nothing");
  CHECK(contains(place.run({"freeze", "-o", "m.sxt", "--frehs", "app.py"}).err,
                 "did you mean '--fresh'"));
}

TEST_CASE("every example of help is a command line that the parser takes", "[arguments]") {
  Workplace place;
  size_t examples = 0;
  for (const std::string &command : commands) {
    std::istringstream page(place.good({command, "--help"}).out);
    for (std::string line; std::getline(page, line);) {
      if (!line.starts_with("  sextant "))
        continue;
      // Up to what the shell would take, and to the remark after two blanks.
      std::string text = line.substr(10);
      for (const char *end : {"  ", " |", " <"})
        text = text.substr(0, text.find(end));
      place.write("line.rsp", text + " --help");
      INFO(line);
      CHECK(place.run({"@line.rsp"}).status == 0);
      ++examples;
    }
  }
  CHECK(examples >= commands.size());
}

TEST_CASE("--version: commit, LLVM, host", "[arguments]") {
  Workplace place;
  const std::string text = place.run({"--version"}, Surroundings{.commit = "0123456789ab"}).out;
  CHECK(text.starts_with("sextant 0.2.0 (0123456789ab)\nLLVM 19."));
  CHECK(contains(text, "\nhost "));
  CHECK(contains(text, "linux"));
  CHECK(place.run({"--version"}, Surroundings{}).out.starts_with("sextant 0.2.0\n"));
}

TEST_CASE("@FILE: blanks, quotes, backslashes, files in files", "[arguments]") {
  Workplace place;
  place.write("a file.py", saxpySource);
  place.write("inner.rsp", "-o \"out file.sxt\"\n--const=X=1");
  place.write("outer.rsp", "compile 'a file.py'\n\t@inner.rsp\r\n");
  CHECK(contains(place.run({"@outer.rsp"}).err, "no file has a constant 'X'"));
  place.write("inner.rsp", "-o out\\ file.sxt ''\"\"");
  CHECK(contains(place.run({"@outer.rsp"}).err, "an argument is empty"));
  place.write("inner.rsp", "-o out\\ file.sxt");
  CHECK(place.run({"@outer.rsp"}).status == 0);
  CHECK(place.has("out file.sxt"));
  CHECK(contains(place.run({"compile", "@none.rsp"}).err, "cannot read 'none.rsp'"));
  place.write("self.rsp", "@self.rsp");
  CHECK(contains(place.run({"@self.rsp"}).err, "more than 10 deep"));
  place.write("open.rsp", "compile 'a.py");
  CHECK(contains(place.run({"@open.rsp"}).err, "is not closed"));
  // After `--` a name is a name.
  CHECK(contains(place.run({"compile", "--", "@outer.rsp"}).err, "outer.rsp"));
  CHECK(!contains(place.run({"compile", "--", "@outer.rsp"}).err, "out file"));
}

TEST_CASE("- is standard input and output", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-o", "file.sxt", "-t", "x86-64-v2/wave8"});
  CommandResult piped = place.run({"compile", "-", "-o", "-", "-t", "x86-64-v2/wave8"},
                                  Surroundings{.input = saxpySource});
  INFO(piped.err);
  REQUIRE(piped.status == 0);
  CHECK(piped.err.empty());
  CHECK(place.list() == std::vector<std::string>{"file.sxt", "saxpy.py"});
  place.write("piped.sxt", piped.out);
  CHECK(contains(place.run({"diff", "file.sxt", "piped.sxt"}).out, "source <stdin>"));
  CHECK(contains(
      place.good({"run", "piped.sxt", "saxpy", "n=3", "a=2", "x=iota[3]", "y=const:1[3]"}).out,
      "y: f32[3] = [1, 3, 5]"));
  // Each command that reads a module takes it from there.
  const Surroundings withModule{.input = place.read("file.sxt")};
  CHECK(place.run({"inspect", "-"}, withModule).out == place.good({"inspect", "file.sxt"}).out);
  CHECK(place.run({"inspect", "--size", "-"}, withModule).status == 0);
  CHECK(place.run({"verify", "-"}, withModule).status == 0);
  CHECK(place.run({"thin", "-", "-o", "-", "--keep=cpu"}, withModule).out ==
        place.read("file.sxt"));
  CHECK(contains(
      place.run({"run", "-", "saxpy", "n=1", "a=2", "x=iota[1]", "y=const:1[1]"}, withModule).out,
      "y: f32[1] = [1]"));
  CHECK(place.run({"extract", "file.sxt", "-o", "-"})
            .out.starts_with("\x7f"
                             "ELF"));
  // Diagnostics say where the text came from.
  piped = place.run({"compile", "-", "-o", "x.sxt"}, Surroundings{.input = noSuchNameSource});
  CHECK(contains(piped.err, "<stdin>:6:16: error: "));
  // These cannot be meant.
  CHECK(contains(place.run({"compile", "-"}, Surroundings{.input = saxpySource}).err,
                 "name the module with -o FILE"));
  CommandResult shown = place.run({"compile", "-", "-o", "-"},
                                  Surroundings{.input = saxpySource, .outIsTerminal = true});
  CHECK(shown.status == 1);
  CHECK(shown.out.empty());
  CHECK(contains(shown.err, "standard output is a terminal"));
  CHECK(place.run({"compile", "saxpy.py", "-o", "-", "-MD"}).status == 1);
  CHECK(place.run({"compile", "saxpy.py", "-o", "-", "--emit-header=-"}).status == 1);
  CHECK(place.run({"compile", "saxpy.py", "-o", "-", "--dump-ir"}).status == 1);
  CommandResult header = place.good({"compile", "saxpy.py", "--emit-header=-"});
  CHECK(contains(header.out, "struct saxpy"));
}

TEST_CASE("pipes of the shell are sources and modules", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py"});
  // As `<(cat file)` does it. A command that refuses its arguments may close the pipe unread.
  std::signal(SIGPIPE, SIG_IGN);
  auto withPipe = [&](const std::string &text, auto body) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    std::thread writer([&] {
      size_t done = 0;
      while (done < text.size()) {
        const ssize_t count = write(ends[1], text.data() + done, text.size() - done);
        if (count <= 0)
          break;
        done += static_cast<size_t>(count);
      }
      close(ends[1]);
    });
    body("/dev/fd/" + std::to_string(ends[0]));
    close(ends[0]);
    writer.join();
  };
  withPipe(saxpySource, [&](const std::string &path) {
    CommandResult result = place.run({"compile", path, "-o", "piped.sxt", "-MF", "piped.d"});
    CHECK(result.err == "");
    CHECK(result.status == 0);
    CHECK(!contains(place.read("piped.d"), "/dev/fd"));
  });
  withPipe(saxpySource, [&](const std::string &path) {
    CommandResult result = place.run({"compile", path});
    CHECK(contains(result.err, "name the module with -o FILE"));
  });
  withPipe(place.read("saxpy.sxt"), [&](const std::string &path) {
    CHECK(place.run({"inspect", path, "--max-size=1MB"}).out ==
          place.good({"inspect", "saxpy.sxt"}).out);
  });
  withPipe(place.read("saxpy.sxt"), [&](const std::string &path) {
    CHECK(place.run({"merge", path, "-o", "merged.sxt"}).status == 0);
    CHECK(place.read("merged.sxt") == place.read("saxpy.sxt"));
  });
}

TEST_CASE("streams without an end, pipes without another end and folders are errors",
          "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-t", "x86-64-v2/wave8", "-o", "saxpy.sxt"});
  REQUIRE(mkfifo(place.path("pipe").c_str(), 0600) == 0);
  std::filesystem::create_directory(place.path("folder"));
  struct Row {
    std::string path, why;
  };
  for (const Row &row : {Row{"/dev/zero", "more than 256 MiB"},
                         Row{place.path("pipe"), "a pipe, and nobody writes to it"},
                         Row{place.path("folder"), "it is a folder"}}) {
    INFO(row.path);
    CommandResult source = place.run({"compile", row.path, "-o", "new.sxt"});
    CHECK(source.status == 1);
    CHECK(contains(source.err, "cannot read '" + row.path + "'"));
    CHECK(contains(source.err, row.why));
    CHECK(!place.has("new.sxt"));
    CommandResult key = place.run({"sign", "saxpy.sxt", "--key=" + row.path, "-o", "new.sxt"});
    CHECK(key.status == 1);
    CHECK(contains(key.err, row.why));
  }
  CommandResult output =
      place.run({"compile", "saxpy.py", "-t", "x86-64-v2/wave8", "-o", place.path("pipe")});
  CHECK(output.status == 1);
  CHECK(contains(output.err, "nobody reads from it"));
  CommandResult secret = place.run({"keygen", place.path("pipe"), "--force"});
  CHECK(secret.status == 1);
  CHECK(contains(secret.err, "is a stream, and a key is a file"));
  CHECK(std::filesystem::is_fifo(place.path("pipe")));
  // With somebody at the other end, later than the command.
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::ofstream(place.path("pipe")) << saxpySource;
  });
  CHECK(place.run({"compile", place.path("pipe"), "-t", "x86-64-v2/wave8", "-o", "new.sxt"}).err ==
        "");
  writer.join();
  CHECK(place.has("new.sxt"));
}

TEST_CASE("an error takes back no devices", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.write("file", "");
  // Through a link, so that a fault costs only the link.
  std::filesystem::create_symlink("/dev/null", place.path("null"));
  // The header is written before the module, which cannot be.
  CommandResult result =
      place.run({"compile", "saxpy.py", "--emit-header=null", "-o", "file/x.sxt"});
  CHECK(result.status == 1);
  CHECK(std::filesystem::is_symlink(place.path("null")));
}

TEST_CASE("outputs make the folders on their way", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-t", "x86-64-v2/wave8", "-o", "new/deep/a.sxt",
              "--emit-header=other/a.hpp", "-MF", "third/a.d"});
  CHECK(place.list("new/deep") == std::vector<std::string>{"a.sxt"});
  CHECK(place.has("other/a.hpp"));
  CHECK(place.has("third/a.d"));
  place.good({"compile", "saxpy.py", "--out-dir", "new/er"});
  CHECK(place.has("new/er/saxpy.sxt"));
  place.good({"merge", "new/deep/a.sxt", "-o", "merged/m.sxt"});
  place.good({"thin", "new/deep/a.sxt", "-o", "thinned/m.sxt", "--keep=cpu"});
  place.good({"extract", "new/deep/a.sxt", "-o", "images/a.so"});
  CHECK(place.has("images/a.so"));
  for (const char *folder : {"new", "new/", "none/"}) {
    CommandResult result = place.run({"compile", "saxpy.py", "-o", folder});
    INFO(folder);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "it is a folder"));
  }
}

TEST_CASE("colour: terminals, NO_COLOR, CLICOLOR_FORCE, --color", "[arguments]") {
  Workplace place;
  auto isColored = [&](std::vector<std::string> options, bool terminal,
                       std::map<std::string, std::string> variables) {
    variables.try_emplace("TERM", "xterm");
    variables.try_emplace("NO_COLOR", "");
    variables.try_emplace("CLICOLOR_FORCE", "");
    options.insert(options.end(), {"inspect", "none.sxt"});
    const std::string err =
        place.run(options, Surroundings{.variables = variables, .errIsTerminal = terminal}).err;
    CHECK(contains(err, "none.sxt"));
    return contains(err, "\x1b[");
  };
  CHECK(!isColored({}, false, {}));
  CHECK(isColored({}, true, {}));
  CHECK(!isColored({}, true, {{"NO_COLOR", "1"}}));
  CHECK(!isColored({}, true, {{"TERM", "dumb"}}));
  CHECK(isColored({}, false, {{"CLICOLOR_FORCE", "1"}}));
  CHECK(!isColored({}, false, {{"CLICOLOR_FORCE", "0"}}));
  CHECK(!isColored({}, true, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}));
  CHECK(isColored({"--color=always"}, false, {{"NO_COLOR", "1"}}));
  CHECK(isColored({"--color"}, false, {}));
  CHECK(!isColored({"--color=never"}, true, {{"CLICOLOR_FORCE", "1"}}));
  // It may follow the command's name too.
  CHECK(contains(place.run({"inspect", "none.sxt", "--color=always"}).err, "\x1b["));
}

TEST_CASE("warnings have names, which -W takes", "[arguments]") {
  Workplace place;
  place.write("k.py", twiceSource);
  auto compile = [&](std::vector<std::string> options) {
    std::filesystem::remove(place.path("k.sxt"));
    options.insert(options.begin(), {"compile", "k.py"});
    return place.run(options);
  };
  CommandResult result = compile({});
  CHECK(result.status == 0);
  CHECK(contains(result.err, "k.py:4:5: warning: this kernel is not built: `fill` is defined again "
                             "further down [-Wredefined-kernel]\n"));
  CHECK(compile({"-Wno-redefined-kernel"}).err == "");
  CHECK(compile({"-q"}).err == "");
  CHECK(compile({"-Wno-redefined-kernel", "-Wredefined-kernel"}).err == result.err);
  for (const char *option : {"-Werror", "-Werror=redefined-kernel"}) {
    CommandResult failed = compile({option});
    CHECK(failed.status == 1);
    CHECK(contains(failed.err, "k.py:4:5: error: this kernel is not built"));
    CHECK(contains(failed.err, " [-Werror=redefined-kernel]\n"));
    CHECK(contains(failed.err, "1 error\n"));
    CHECK(!place.has("k.sxt"));
    // An error stays one, however quiet.
    CHECK(compile({option, "-q"}).err == failed.err);
  }
  CHECK(compile({"-Werror", "-Wno-error=redefined-kernel"}).err == result.err);
  CHECK(compile({"-Werror", "-Wno-error"}).err == result.err);
  CHECK(compile({"-Werror", "-Wno-redefined-kernel"}).status == 0);
  CHECK(compile({"-Werror=deprecated"}).err == result.err);
  CHECK(contains(compile({"-Wno-redefined-kernels"}).err, "did you mean 'redefined-kernel'?"));
  CHECK(compile({"-Wno-redefined-kernels"}).status == 1);
  CHECK(contains(compile({"--diagnostics=json"}).err, "\"warning\":\"redefined-kernel\""));
  CHECK(contains(compile({"--diagnostics=json", "-Werror"}).err,
                 "\"warning\":\"redefined-kernel\",\"code\":\"warning-is-error\""));
}

TEST_CASE("each warning is told by its name", "[arguments]") {
  Workplace place;
  const std::string head = "import quadrants as qd\nfrom quadrants.lang.simt import subgroup\n\n"
                           "@qd.kernel\ndef f(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n";
  const std::string loop = "    for i in range(a.shape[0]):\n";
  auto warns = [&](const std::string &source, std::vector<std::string> options) {
    place.write("k.py", source);
    options.insert(options.begin(), {"compile", "k.py"});
    return place.run(options).err;
  };
  CHECK(contains(warns(head + loop + "        subgroup.barrier()\n        a[i] = 1\n", {}),
                 "[-Wdeprecated]"));
  CHECK(contains(warns(head + loop +
                           "        qd.loop_config(block_dim=64)\n        for j in "
                           "range(2):\n            a[i] = j\n",
                       {}),
                 "[-Wignored-loop-config]"));
  CHECK(contains(warns(head + loop + "        a[i] = subgroup.reduce_all_add_tiled(a[i], 4)\n",
                       {"-t", "cpu:x86-64-v3/all-waves"}),
                 "[-Wmissing-variant]"));
  CHECK(contains(warns(head + "    x = 1e39\n" + loop + "        a[i] = qd.i32(x > 0.0)\n", {}),
                 "[-Winfinite-constant]"));
  CHECK(contains(warns(head + loop + "        a[i] = qd.i32(qd.f8e4m3(-449.0))\n", {}),
                 "the constant -449 is more than f8e4m3 holds, and becomes -448"));
  CHECK(contains(
      warns(head + "    t = qd.Vector([0, 0])\n" + loop + "        a[i] = t[1]\n        t[1] = i\n",
            {}),
      "[-Wshared-variable]"));
  CHECK(contains(warns(templateSource, {}), "[-Wuninstantiated-kernel]"));
  CHECK(contains(warns(saxpySource, {"--dump-ir=nonsense"}), "[-Wunknown-pass]"));
  place.write("folder", "");
  CHECK(contains(warns(saxpySource, {"--cache-dir=folder/cache"}), "[-Wcache]"));
  CHECK(contains(warns(saxpySource, {"--cache-dir=/proc/self/cache"}),
                 "'/proc/self/cache' cannot be opened: No such file or directory [-Wcache]"));
  place.good({"keygen", "key"});
  place.good({"sign", "k.sxt", "--key", "key"});
  CHECK(contains(place.good({"thin", "k.sxt", "-o", "t.sxt", "--keep=cpu"}).err, "[-Wsignature]"));
  CHECK(place.good({"thin", "k.sxt", "-o", "t.sxt", "--keep=cpu", "-q"}).err.empty());
  CommandResult strict =
      place.run({"thin", "k.sxt", "-o", "none.sxt", "--keep=cpu", "-Werror=signature"});
  CHECK(strict.status == 1);
  CHECK(contains(strict.err, "[-Werror=signature]"));
  CHECK(!place.has("none.sxt"));
  // missing-tool is told where ptxas is missing, which this machine may have.
  const std::vector<std::string> &names = sextant::warningNames();
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(names.size() == 17);
}

TEST_CASE("one prefix for errors without a place", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.write("open.rsp", "'a.sxt");
  using Words = std::vector<std::string>;
  for (const auto &[command, code] : std::vector<std::pair<Words, std::string>>{
           {{"compile", "saxpy.py", "--const", "X=1"}, "constant-unknown"},
           {{"compile", "none.py"}, "file-unreadable"},
           {{"compile", "saxpy.py", "-t", "nothing"}, "target-unknown"},
           {{"compile", "saxpy.py", "--nonsense"}, "option-unknown"},
           {{"inspect", "none.sxt"}, "file-unreadable"},
           {{"run", "none.sxt", "k"}, "file-unreadable"},
           {{"verify", "none.sxt"}, "file-unreadable"},
           {{"explain", "none.sxt"}, "file-unreadable"},
           {{"inspect", "@open.rsp"}, "argument-file-wrong"},
           {{"compile", "saxpy.py", "saxpy.py"}, "named-twice"},
           {{"compile", "saxpy.py", "-o", "a.sxt", "--out-dir", "b"}, "options-exclusive"},
           {{"compile", "saxpy.py", "--module", "saxpy"}, "option-needs-another"},
           {{"compile", "saxpy.py", "-o", "a.sxt", "-MF", "a.sxt"}, "output-twice"},
           {{"compile", "saxpy.py", "--cache-dir=c", "--cache-size=x"}, "cache-setting-wrong"},
           {{"compile", "saxpy.py", "--tuning", "saxpy.py"}, "measurements-missing"},
           {{"compile", "-"}, "output-unnamed"},
           {{"cache", "--no-cache"}, "options-exclusive"},
           {{"run", "none.sxt"}, "option-missing"},
           {{"thin", "none.sxt", "-o", "a.sxt"}, "option-missing"},
           {{"diff", "a.sxt", "b.sxt", "--fail-on=x"}, "option-value-wrong"},
           {{"wheel", "-"}, "output-unnamed"},
           {{"wheel", "a.sxt", "--name=class"}, "wheel-name-wrong"},
           {{"wheel", "a.sxt", "--name=-"}, "wheel-name-wrong"},
           {{"wheel", "a.sxt", "--version=one"}, "wheel-name-wrong"},
           {{"freeze", "saxpy.py", "-o", "-"}, "output-is-stream"},
           {{"freeze", "none.py", "-o", "a.sxt"}, "file-unreadable"},
           {{"freeze", "saxpy.py", "-o", "a.sxt", "--python=no-python"}, "python-unusable"},
           {{"nonsense"}, "command-unknown"},
           {{}, "command-unknown"}}) {
    CommandResult result = place.run(command);
    INFO(result.err);
    CHECK(result.status == 1);
    CHECK(result.err.starts_with("sextant: error: "));
    CHECK(countOf(result.err, "error: ") == 1);
    // And as JSON, each line an object with its schema and the error's name.
    Words asJson = command;
    asJson.push_back("--diagnostics=json");
    result = place.run(asJson);
    INFO(result.err);
    CHECK(result.err.starts_with("{\"schema\":1,\"severity\":\"error\",\"code\":\"" + code +
                                 "\",\"message\":\""));
    CHECK(countOf(result.err, "\n") == 1);
  }
}

TEST_CASE("arguments that are missing or wrong", "[arguments]") {
  Workplace place;
  CHECK(place.run({"diff", "a.sxt"}).err ==
        "sextant: error: sextant diff needs AFTER, the module to compare it with\n"
        "  help: usage: sextant diff [OPTIONS] BEFORE AFTER; `sextant help diff` says more\n");
  CHECK(contains(place.run({"merge", "a.sxt"}).err, "sextant merge needs --output"));
  CHECK(contains(place.run({"inspect", "--sise", "a.sxt"}).err,
                 "sextant inspect has no option '--sise'\n  help: did you mean '--size'?\n"));
  CHECK(contains(place.run({"diff", "a", "b", "c"}).err,
                 "sextant diff does not take 'c'\n  help: usage: sextant diff"));
  CHECK(contains(place.run({}).err, "no command is named\n  help: usage: sextant [OPTIONS]"));
}

TEST_CASE("targets as others call them", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  for (const auto &[word, meant] : std::vector<std::pair<std::string, std::string>>{
           {"nvidia", "cuda"},
           {"NVIDIA", "cuda"},
           {"rocm", "amdgpu"},
           {"hip", "amdgpu"},
           {"x86", "x86-64-v3 or cpu"},
           {"x86_64", "x86-64-v3 or cpu"},
           {"arm64", "aarch64"},
           {"host", "native"},
           {"spirv", "vulkan"},
           {"apple", "metal"},
           {"gpu", "cuda, amdgpu, vulkan or metal; or all-major"},
           {"rocm:gfx1100", "amdgpu"},
           {"nvidia:sm_90", "cuda"},
           {"sm_9", "sm_89 or sm_90"}}) {
    CommandResult result = place.run({"compile", "saxpy.py", "-t", word});
    INFO(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "; did you mean " + meant));
  }
}

TEST_CASE("numbers of options: whole ones, in their range", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-t", "x86-64-v2/wave8"});
  using Words = std::vector<std::string>;
  for (const auto &[words, range] : std::vector<std::pair<Words, std::string>>{
           {{"compile", "saxpy.py", "--jobs"}, "1 to 1024"},
           {{"merge", "saxpy.sxt", "-o", "m.sxt", "--jobs"}, "1 to 1024"},
           {{"thin", "saxpy.sxt", "-o", "m.sxt", "--keep=cpu", "--jobs"}, "1 to 1024"},
           {{"wheel", "saxpy.sxt", "--jobs"}, "1 to 1024"},
           {{"freeze", "saxpy.py", "-o", "m.sxt", "--jobs"}, "1 to 1024"},
           {{"tune", "saxpy.sxt", "saxpy", "--jobs"}, "1 to 1024"},
           {{"bench", "saxpy.sxt", "saxpy", "--samples"}, "1 to 100000"},
           {{"run", "saxpy.sxt", "saxpy", "--repeat"}, "1 to 4294967295"},
           {{"run", "saxpy.sxt", "saxpy", "--wave"}, "1 to 4294967295"},
           {{"explain", "saxpy.sxt", "--wave"}, "1 to 4294967295"},
           {{"inspect", "saxpy.sxt", "--size", "--top"}, "0 to 4294967295"}})
    for (const std::string value : {"x", "-1", "1.5", "0x4", "+2", "8 ", "99999999999999999999"}) {
      Words line = words;
      line.push_back(value);
      CHECK(place.run(line).err == "sextant: error: " + words.back() + ": '" + value +
                                       "' is not a whole number from " + range + "\n");
    }
  CHECK(contains(place.run({"run", "saxpy.sxt", "saxpy", "--repeat=0"}).err,
                 "'0' is not a whole number from 1 to"));
  CHECK(contains(place.run({"compile", "saxpy.py", "-j1025"}).err,
                 "'1025' is not a whole number from 1 to 1024"));
  CHECK(
      place.run({"compile", "saxpy.py", "-o", "a.sxt", "-o", "b.sxt"}).err ==
      "sextant: error: '--output' is given more than once\n  help: it takes one value: keep one of "
      "them\n");
  place.good({"inspect", "saxpy.sxt", "--size", "--top", "0"});
  // A value follows a letter at once, or as the next word.
  for (const auto &[option, meant] : std::vector<std::pair<std::string, std::string>>{
           {"-j=4", "-j4"}, {"-o=x.sxt", "-ox.sxt"}, {"-qt=cpu", "-tcpu"}, {"-O=3", "-O3"}})
    CHECK(contains(place.run({"compile", "saxpy.py", option}).err,
                   "a value has no '='\n  help: write " + meant + "\n"));
  CHECK(contains(place.run({"diff", "a.sxt", "b.sxt", "--fail-on=spil"}).err,
                 "--fail-on: 'spil' is not a change\n  help: did you mean 'spill'?"));
  CHECK(contains(place.run({"compile", "saxpy.py", "--source-root=saxpy.py"}).err,
                 "--source-root: 'saxpy.py' is not a folder"));
  for (const char *request : {" ", "[a=1]"})
    CHECK(contains(place.run({"compile", "saxpy.py", "-k", request}).err, "it names no kernel"));
  CHECK(place.list() == Words{"saxpy.py", "saxpy.sxt"});
}

TEST_CASE("arguments that are long, or not UTF-8, get short messages in UTF-8", "[arguments]") {
  Workplace place;
  const std::string letters(5000, 'a');
  std::string characters;
  for (int k = 0; k < 1500; ++k)
    characters += "x€";
  for (const std::string &word : {letters, characters, std::string("na\xffme\xe2\x82")})
    for (const std::string &command : everyCommand()) {
      if (command == "keygen") // makes a file
        continue;
      INFO(command);
      const std::vector<std::string> line{command, word};
      const CommandResult text = place.run(line),
                          json = place.run({command, word, "--diagnostics=json"});
      CHECK(text.status == 1);
      for (const std::string &err : {text.err, json.err}) {
        CHECK(!contains(err, "internal"));
        CHECK(err.size() < 4000);
        size_t at = 0;
        while (const size_t length = sextant::module::utf8Length(std::string_view(err).substr(at)))
          at += length;
        CHECK(at == err.size());
      }
    }
  CHECK(contains(place.run({"inspect", letters}).err, "aaaa…aaaa"));
  CHECK(contains(place.run({"freeze", "-o", "m.sxt", letters}).err, "there is no program"));
}

TEST_CASE("targets: a list as compile takes it", "[arguments]") {
  Workplace place;
  const auto archs = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"targets", "--json"});
    const std::string out = place.good(words).out;
    std::vector<std::string> found;
    const std::string mark = "\"target\": \"";
    for (size_t at = 0; (at = out.find(mark, at)) != std::string::npos;) {
      at += mark.size();
      found.push_back(out.substr(at, out.find('"', at) - at));
    }
    return found;
  };
  using Names = std::vector<std::string>;
  CHECK(archs({"-t", "sm_90,gfx90a:xnack+", "-t", "x86-64-v3/wave8"}) ==
        Names{"cpu:x86-64-v3", "cuda:sm_90", "amdgpu:gfx90a"});
  CHECK(archs({"--targets=vulkan:1.1/wave8", "--tune-targets=vulkan"}) == Names{"vulkan:1.1"});
  CHECK(archs({"-t", "all"}) == archs({}));
  const CommandResult wrong = place.run({"targets", "-t", "cpu,cpux"});
  CHECK(wrong.status == 1);
  CHECK(wrong.out.empty());
  CHECK(contains(wrong.err, "unknown target 'cpux'; did you mean cpu?"));
  CHECK(contains(place.run({"targets", "-t", "cpu", "--tune-targets=cuda"}).err,
                 "--tune-targets 'cuda' matches no target of the build"));
}

TEST_CASE("a binary file is one error", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py"});
  CommandResult result = place.run({"compile", "saxpy.sxt", "-o", "x.sxt"});
  CHECK(result.status == 1);
  CHECK(countOf(result.err, "error") == 2); // and "1 error"
  CHECK(contains(result.err, "'saxpy.sxt' is not a kernel file: it is binary"));
}

TEST_CASE("kernels cannot take ** parameters, which no value mends", "[arguments]") {
  Workplace place;
  place.write("k.py",
              "import quadrants as qd\n\n@qd.kernel\ndef k(n: qd.i32, **kwargs):\n    pass\n");
  CommandResult result = place.run({"compile", "k.py"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "kernels cannot take `*` or `**` parameters"));
  CHECK(!contains(result.err, "--kernel"));
}

TEST_CASE("one way to name a kernel", "[arguments]") {
  Workplace place;
  place.write("k.py", templateSource);
  place.good(
      {"compile", "k.py", "-k", "fill[value=2]", "-k", "fill[value=-7]", "-t", "x86-64-v2/wave8"});
  // Kernels are named by instance, as `compile` was told, and by option.
  for (const char *name : {"fill_2", "fill[value=2]", "fill[ value = 2 ]"}) {
    INFO(name);
    for (const std::vector<std::string> &way :
         {std::vector<std::string>{name}, {"-k", name}, {"--kernel", name}}) {
      auto command = [&](std::vector<std::string> words,
                         const std::vector<std::string> &rest = {}) {
        words.insert(words.end(), way.begin(), way.end());
        words.insert(words.end(), rest.begin(), rest.end());
        return place.run(words);
      };
      CHECK(contains(command({"run", "k.sxt"}, {"out=zeros[2]", "--device=cpu"}).out, "[6, 6]"));
      CHECK(contains(command({"explain", "k.sxt"}, {"--as=x86-64-v3"}).out, "fill_2"));
      CHECK(contains(command({"extract", "k.sxt"}, {"-o", "-"}).out, "ELF"));
      CHECK(contains(command({"disasm", "k.sxt"}).out, "fill_2"));
      CHECK(
          contains(command({"bench", "k.sxt"}, {"out=zeros[2]", "--samples=1", "--device=cpu"}).out,
                   "fill_2"));
    }
  }
  CHECK(contains(place.good({"run", "k.sxt", "out=zeros[2]", "-k", "fill[value=-7]"}).out,
                 "[-21, -21]"));
  CHECK(contains(place.run({"run", "k.sxt"}).err, "no kernel is named"));
  CHECK(place.run({"run", "k.sxt", "fill[value=9]", "out=zeros[2]"}).status == 1);
  CHECK(place.run({"disasm", "k.sxt", "fill"}).status == 1);
}

TEST_CASE("--json everywhere, with a schema", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  place.good({"compile", "saxpy.py", "-t", "x86-64-v2/wave8"});
  for (const std::vector<std::string> &command :
       {std::vector<std::string>{"devices"},
        {"targets"},
        {"run", "saxpy.sxt", "saxpy", "n=1", "a=1", "x=iota[1]", "y=zeros[1]", "--device=cpu"},
        {"bench", "saxpy.sxt", "saxpy", "n=1", "a=1", "x=iota[1]", "y=zeros[1]", "--device=cpu",
         "--samples=1"},
        {"cache", "--cache-dir=none"},
        {"inspect", "saxpy.sxt"},
        {"inspect", "saxpy.sxt", "--size"},
        {"verify", "saxpy.sxt"},
        {"diff", "saxpy.sxt", "saxpy.sxt"},
        {"explain", "saxpy.sxt", "--as=x86-64-v4"},
        {"extract", "saxpy.sxt", "-o", "one.so"},
        {"extract", "saxpy.sxt", "--all", "-o", "folder"},
        {"keygen", "key"}}) {
    std::vector<std::string> words = command;
    words.push_back("--json");
    CommandResult result = place.good(words);
    INFO(command.front());
    CHECK(result.out.starts_with("{\n  \"schema\": 1,\n"));
    CHECK(result.out.ends_with("}\n"));
  }
  CHECK(place.read("folder/manifest.json").starts_with("{\n  \"schema\": 1,\n"));
  const std::string devices = place.good({"devices", "--json"}).out;
  CHECK(contains(devices, "\"name\": \"cpu\""));
  CHECK(contains(place.good({"targets", "--json"}).out, "\"target\": \"cuda:sm_90\""));
}

TEST_CASE("run --json gives every element", "[arguments]") {
  Workplace place;
  place.write("k.py", "import quadrants as qd\n\n@qd.kernel\n"
                      "def f(a: qd.types.ndarray(dtype=qd.f32, ndim=2)) -> qd.i32:\n"
                      "    for i, j in a:\n        a[i, j] = 1.0 / a[i, j]\n    return 7\n");
  place.good({"compile", "k.py"});
  std::string out = place.good({"run", "k.sxt", "f", "a=const:0.5:f32[2,50]", "--json"}).out;
  out.erase(std::remove_if(out.begin(), out.end(), [](char c) { return c == ' ' || c == '\n'; }),
            out.end());
  CHECK(contains(out, "\"name\":\"a\",\"dtype\":\"f32\",\"shape\":[2,50],\"values\":[2,2,"));
  CHECK(countOf(out, "2,") >= 99);
  CHECK(contains(out, "{\"name\":\"return\",\"dtype\":\"i32\",\"shape\":[],\"values\":[7]}"));
  // JSON has no number for these.
  out = place.good({"run", "k.sxt", "f", "a=const:0:f32[1,1]", "--json"}).out;
  CHECK(contains(out, "\"inf\""));
}

TEST_CASE("--syntax-only tells what is wrong, and makes nothing but a stamp", "[arguments]") {
  Workplace place;
  place.write("helpers.py",
              "import quadrants as qd\n\n@qd.func\ndef twice(x):\n    return x * 2\n");
  place.write("good.py", "import quadrants as qd\nfrom helpers import twice\n\n@qd.kernel\n"
                         "def f(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                         "    for i in range(a.shape[0]):\n        a[i] = twice(a[i])\n");
  place.write("broken.py", noSuchNameSource);
  CommandResult result = place.run({"compile", "good.py", "--syntax-only", "-t", "all"});
  CHECK(result.err == "");
  CHECK(place.list() == std::vector<std::string>{"broken.py", "good.py", "helpers.py"});
  place.good({"compile", "good.py", "--syntax-only", "-o", "steps/ok", "-MF", "steps/ok.d"});
  CHECK(place.read("steps/ok") == "");
  CHECK(contains(place.read("steps/ok.d"), "helpers.py"));
  result = place.run({"compile", "broken.py", "--syntax-only", "-o", "steps/no"});
  CHECK(result.status == 1);
  CHECK(contains(result.err, "broken.py:6:16: error: "));
  CHECK(!place.has("steps/no"));
  // Warnings are told by one of the two.
  place.write("twice.py", twiceSource);
  CHECK(contains(place.good({"compile", "twice.py", "--syntax-only"}).err, "[-Wredefined-kernel]"));
  CHECK(place.good({"compile", "twice.py", "--frontend-checked"}).err == "");
  CHECK(place.run({"compile", "twice.py", "--syntax-only", "-Werror"}).status == 1);
  // A kernel that an item can have at none of its wave sizes needs no code to be refused.
  place.write("tile.py", "import quadrants as qd\nfrom quadrants.lang.simt import subgroup\n\n"
                         "@qd.kernel\ndef f(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n"
                         "    for i in range(a.shape[0]):\n"
                         "        a[i] = subgroup.reduce_all_add_tiled(a[i], 4)\n");
  CHECK(place.run({"compile", "tile.py", "--syntax-only", "-t", "cpu:x86-64-v3/wave4,x86-64-v3"})
            .status == 1);
  CHECK(
      place.run({"compile", "tile.py", "--syntax-only", "-t", "cpu:x86-64-v3/all-waves"}).status ==
      0);
}

TEST_CASE("thousands of kernels that some waves cannot have are analysed in linear time",
          "[arguments]") {
  Workplace place;
  std::string source = "import quadrants as qd\nfrom quadrants.lang.simt import subgroup\n";
  // In linear time they take seconds; in cubic time, which they once took, longer than a test may.
  for (int kernel = 0; kernel < 5000; ++kernel)
    source += "\n@qd.kernel\ndef f" + std::to_string(kernel) +
              "(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):\n    for i in range(a.shape[0]):\n"
              "        a[i] = subgroup.reduce_all_add_tiled(a[i], 4)\n";
  place.write("k.py", source);
  CommandResult result =
      place.run({"compile", "k.py", "--syntax-only", "-t", "cpu:x86-64-v3/all-waves"});
  CHECK(result.status == 0);
}

TEST_CASE("progress tells of the frontend, on terminals and where it is asked for", "[arguments]") {
  Workplace place;
  place.write("saxpy.py", saxpySource);
  CommandResult result = place.run({"compile", "saxpy.py"}, Surroundings{.errIsTerminal = true});
  CHECK(contains(result.err, "analyzing saxpy for cpu at wave "));
  CHECK(result.err.ends_with("\r\x1b[K"));
  CHECK(place.run({"compile", "saxpy.py", "-q"}, Surroundings{.errIsTerminal = true}).err == "");
  result = place.run({"compile", "saxpy.py", "--progress"});
  CHECK(contains(result.err, "analyzing saxpy for cpu at wave "));
  CHECK(!contains(result.err, "\r"));
}

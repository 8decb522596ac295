"""The loader as one source file: amalgamate.py SOURCE-FOLDER OUTPUT-FOLDER FILE... [--on SYSTEM FILE...]...

Writes OUTPUT-FOLDER/sextant_loader.cpp, and sextant/sextant.h and the C++ wrapper beside it.
FILE...: the loader's sources, relative to SOURCE-FOLDER; after --on, those of one SYSTEM: Linux,
Darwin or Windows. Headers of the loader are put in where they are first included; those of libraries
and standard ones are collected at the top. The sources for only some systems come last, in conditions
and with their includes: windows.h is full of macros. The same sources give the same bytes on every
system. The result needs C++20, the headers of zstd, xxhash and Vulkan, and at run time zstd:

    c++ -std=c++20 -O2 -fvisibility=hidden -I. -c sextant_loader.cpp
    cc -I. app.c sextant_loader.o -lzstd -lstdc++ -lm -lpthread -ldl

What a file keeps to itself (in nameless namespaces, and macros) may clash with others in one
file: such names get the file's name after them for as long as the file lasts.
"""
import os
import re
import shutil
import sys

PUBLIC = "sextant/sextant.h"
SYSTEMS = {"Linux": "defined(__linux__)", "Darwin": "defined(__APPLE__)", "Windows": "defined(_WIN32)"}


class Amalgamation:
    def __init__(self, root):
        self.root, self.done, self.system = root, set(), {}

    def path(self, name):
        """The file that an include names, or None for the system's."""
        for folder in ("", "loader/include/"):
            if os.path.exists(os.path.join(self.root, folder + name)):
                return folder + name
        return None

    def text(self, path, in_place=False):
        """The loader's headers that a file is the first to include, and its own lines; with `in_place`, these have the
        file's includes of what is not the loader's."""
        headers, own = [], []
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            source = file.read()
        macros = []  # that an include is to see
        depth = 0  # the depth of conditions: what they include stays where it is
        for line in source.rstrip("\n").split("\n"):
            depth += line.startswith("#if")
            depth -= line.startswith("#endif")
            include = re.match(r'#include ([<"])([^>"]+)[>"]', line)
            found = self.path(include.group(2)) if include else None
            if not include or depth > 0 or (in_place and found is None):
                if re.match(r"#define (XXH|VK|ZSTD|_)\w*", line):
                    macros.append(line)
                elif line != "#pragma once":
                    own.append(line)
                continue
            if include.group(2) == PUBLIC:
                self.system.setdefault('"sextant/sextant.h"', [])
            elif found is None:
                self.system.setdefault(f"<{include.group(2)}>", macros)
                macros = []
            elif found.endswith(".def"):  # a table: in place, as often as it is included
                own += self.text(found)
            elif found not in self.done:
                self.done.add(found)
                headers += self.text(found)
        return ["\n".join(headers), "\n".join(own)] if path.endswith(".cpp") else headers + own


def private_names(text):
    """(namespace, name) of what nameless namespaces of a file declare, and (None, macro)."""
    names = {(None, macro) for macro in re.findall(r"^#define (\w+)", text, re.M)}
    for block in re.finditer(r"^namespace {\n(.*?)^} // namespace$", text, re.S | re.M):
        opened = re.findall(r"^(?:namespace ([\w:]+) {|} // namespace ([\w:]+))$", text[:block.start()], re.M)
        space = opened[-1][0] if opened else ""
        body = re.sub(r" *//.*", "", block.group(1))  # words of comments are not names
        found = set(re.findall(r"^(?:struct|class|enum class|enum|union) (\w+)", body, re.M))
        found |= set(re.findall(r"^using (\w+) =", body, re.M))
        # Functions and variables begin a line at the namespace's own level.
        for line in re.findall(r"^(?!using|struct|class|enum|template|#|/|}|namespace)\w.*", body, re.M):
            for declared in re.split(r"[;,](?![^(]*\))", line) if line.startswith("constexpr") else [line]:
                words = re.split(r"[({=\[;]", declared)[0].split()
                if words and (len(words) > 1 or declared is not line):
                    found.add(re.sub(r"\W", "", words[-1].split("::")[-1]))
        for enumerators in re.findall(r"^enum \w* ?:? ?\w* ?{(.*?)}", body, re.M | re.S):
            found |= set(re.findall(r"^\s*(\w+)", enumerators, re.M))
        names |= {(space, name) for name in found if re.match(r"[A-Za-z_]", name)}
    return names


def sources(arguments):
    """(file, systems) of a command line: first those of all systems, which are named as none."""
    files, system = {}, None
    arguments = iter(arguments)
    for argument in arguments:
        if argument == "--on":
            system = next(arguments)
        else:
            files.setdefault(argument, []).extend([SYSTEMS[system]] if system else [])
    return sorted(files.items(), key=lambda item: len(item[1]) > 0)


def main():
    root, output, *arguments = sys.argv[1:]
    whole = Amalgamation(root)
    headers, parts, conditions = [], [], {}
    for name, systems in sources(arguments):
        before, text = whole.text(name, in_place=bool(systems))
        headers.append(before)
        parts.append((name, text))
        conditions[name] = " || ".join(systems)
    owners = {}
    for name, text in parts:
        for private in private_names(text):
            owners.setdefault(private, []).append(name)
    words = {name: set(re.findall(r"\w+", text)) for name, text in parts}

    def clashes_of(name, text):
        """Private names of a file that others use too: in the same namespace, or as names at
        all, unless the file uses members (or what is std's) of that name, which have to keep it."""
        for private in private_names(text):
            word = private[1]
            is_member = re.search(rf"(\.|->|std::){word}\b", text)
            if len(owners[private]) > 1 or (private[0] is not None and not is_member and any(
                    word in others for other, others in words.items() if other != name)):
                yield word

    out = ["// Sextant's loader in one file, made by cmake/amalgamate.py. Do not edit: edit the sources.",
           "// Needs C++20 and the headers of zstd, xxhash and Vulkan. Link zstd; on Linux pthread and dl, and on",
           "// Windows synchronization.", ""]
    for include, macros in sorted(whole.system.items(), key=lambda item: (bool(item[1]), item[0])):
        out += [*macros, f"#include {include}"]
    out += headers
    for name, text in parts:
        stem = re.sub(r"\W", "_", os.path.splitext(name)[0].removeprefix("loader/"))
        clashes = sorted(set(clashes_of(name, text)))
        out += ["", f"//===--- {name} ---===//", ""]
        if conditions[name]:
            out += [f"#if {conditions[name]}"]
        out += [f"#define {clash} {clash}_{stem}" for clash in clashes if not re.search(rf"^#define {clash}\b", text, re.M)]
        out += [text]
        out += [f"#undef {clash}" for clash in clashes]
        if conditions[name]:
            out += ["#endif"]
    os.makedirs(os.path.join(output, "sextant"), exist_ok=True)
    with open(os.path.join(output, "sextant_loader.cpp"), "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
    shutil.copytree(os.path.join(root, "loader/include/sextant"), os.path.join(output, "sextant"), dirs_exist_ok=True)


if __name__ == "__main__":
    main()

"""Kernels, arguments, structs and members with hostile names: what the command writes of them compiles, and works.

    names.py SEXTANT FOLDER INCLUDE C-COMPILER C++-COMPILER

Names are keywords, macros of system headers, and every name that the written files have themselves.
"""

import ast
import importlib
import keyword
import pathlib
import re
import shutil
import subprocess
import sys

# Names of C, C++, their libraries, POSIX, glibc and Windows.
HOSTILE = """
    alignas and_eq asm auto bitand bool catch char16_t co_await compl concept consteval constexpr decltype default
    delete double dynamic_cast enum explicit export extern float friend goto inline int int32_t long mutable namespace
    new noexcept not_eq nullptr operator or_eq private protected public register requires restrict short signed size_t
    sizeof static std struct switch template this thread_local throw typedef typeid typename union unsigned using
    virtual void volatile wchar_t xor
    EOF I NULL assert complex defined errno fileno getc htonl i386 isnan linux major makedev max min minor near
    offsetof putchar setjmp signbit small st_atime stderr stdin stdout unix va_start
    sextant sxt_status sextant_kernel sextant_status sxt_make_scalar stream graph checkpoint value result array
    module device create Prepared Step prepare addTo Any_s s_type index names names_find names_sxt
    __FILE__ __LINE__ _x __x self cls property _lock _program_of _module _builtins _typing _Array __init__ __all__
    __debug__ __class__ program print type match object
""".split()

HEADERS = """
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
"""
WINDOWS = "#define near\n#define small char\n#define I 1\n#define complex _Complex\n"
PROGRAM_CPP = HEADERS + WINDOWS + """
#include "names.hpp"
int main() { return errno == EOF; } // the macros are there again
"""
PROGRAM_C = PROGRAM_CPP.replace("#define complex _Complex\n", "#include <complex.h>\n").replace(
    "#define I 1\n", "").replace("//", "/* ").replace("again", "again */")

STAND_IN = '''
import types

class Device: pass
class Stream: pass

class Module:
    def __init__(self, path): pass

class Program:
    def __init__(self, module, device):
        self.device = types.SimpleNamespace(name="cpu")
    def __getitem__(self, kernel):
        return lambda *arguments, **more: calls.append((kernel, len(arguments)))

calls = []
'''


PARAMETERS = 30  # parameters of a kernel
ARRAY = "takes_struct[b=ndarray(E, 1, layout=Layout.AOS)] as takes_struct"
SOURCE = {"qd", "dataclasses", "A", "E", "S", "i_", "all_", "inner_", "takes_struct"}


def source(names, kernels):
    """Kernels of those names, with the names as arguments and members."""
    text = "import dataclasses\nimport quadrants as qd\nA = qd.types.ndarray(dtype=qd.f32, ndim=1)\n"
    members = "".join(f"    {name}: qd.f32\n" for name in names)
    text += "@dataclasses.dataclass\nclass S:\n    inner_: A\n" + members
    text += "@qd.dataclass\nclass E:\n" + members
    for first in range(0, len(names), PARAMETERS):
        parameters = ", ".join(f"{name}: qd.i32" for name in names[first:first + PARAMETERS])
        text += f"@qd.kernel\ndef takes_{first}(all_: A, {parameters}):\n    all_[0] = 1.0\n"
    text += f"@qd.kernel\ndef takes_struct(s: S, b: qd.types.ndarray()):\n    for i in s.inner_:\n        s.inner_[i] = b[i].{names[0]}\n"
    for name in kernels:
        text += f"@qd.kernel\ndef {name}({name}: A):\n    {name}[0] = 1.0\n"
    return text


def check(*command):
    done = subprocess.run([str(each) for each in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{done.stdout[:4000]}\n{' '.join(map(str, command))}: status {done.returncode}")


def build(sextant, folder, names, kernels):
    folder.mkdir()
    (folder / "names.py").write_text(source(names, kernels))
    check(sextant, "compile", folder / "names.py", "-o", folder / "names.sxt", "--targets=cpu:x86-64-v2/wave4", "-q", "-k", ARRAY,
          f"--emit-header={folder}/names.hpp", "--embed-symbol=names_sxt")


def check_headers(folder, include, c, cpp):
    (folder / "main.cpp").write_text(PROGRAM_CPP)
    (folder / "main.c").write_text(PROGRAM_C)
    options = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", f"-I{folder}", "-isystem",
               include]
    check(c, "-std=gnu11", *options, folder / "main.c")
    check(cpp, "-std=gnu++20", *options, folder / "main.cpp")  # with the macro linux


def own_names(text):
    """All names of a file of Python, and none of its attributes."""
    tree = ast.parse(text)
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found |= {node.name for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    return found | {node.asname or node.name for node in ast.walk(tree) if isinstance(node, ast.alias)}


def unpack(sextant, folder):
    check(sextant, "wheel", folder / "names.sxt", "-o", folder, "--version=1.0", "--name=hostile", "-q")
    shutil.unpack_archive(next(folder.glob("*.whl")), folder / "site", "zip")
    return (folder / "site/hostile/__init__.py").read_text()


def check_package(folder, kernels):
    for name in [each for each in sys.modules if each.startswith(("hostile", "sextant"))]:
        del sys.modules[name]
    (folder / "site/sextant.py").write_text(STAND_IN)
    sys.path.insert(0, str(folder / "site"))
    package = importlib.import_module("hostile")
    sys.path.pop(0)
    for name in package.__all__:
        if name != "program" and not name.startswith("takes_"):
            getattr(package, name)(None)
    called = {kernel for kernel, _ in package.sextant.calls}
    assert called == set(kernels), called ^ set(kernels)
    package.sextant.calls.clear()
    package.takes_struct(None, None)
    package.takes_0(*range(PARAMETERS + 1))
    assert package.sextant.calls == [("takes_struct", 2), ("takes_0", PARAMETERS + 1)]


def main(sextant, folder, include, c, cpp):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()

    def usable(found):
        return sorted(name for name in found if not keyword.iskeyword(name) and name not in SOURCE
                      and not name.startswith("takes_"))

    build(sextant, folder / "harmless", ["harmless"], ["harmless"])
    package, header = unpack(sextant, folder / "harmless"), (folder / "harmless/names.hpp").read_text()
    header = re.sub(r'"[^"\n]*"|//.*', "", header)
    kernels = usable(own_names(package) | set(HOSTILE))
    # One rule is for those that begin with sxt_.
    names = usable(set(kernels) | set(re.findall(r"\b(?!sxt_|SXT_|sextant_)[A-Za-z_]\w*", header)))
    build(sextant, folder / "hostile", names, kernels)
    check_headers(folder / "hostile", include, c, cpp)
    unpack(sextant, folder / "hostile")
    check_package(folder / "hostile", kernels)
    print(f"{len(names)} names")


if __name__ == "__main__":
    main(*sys.argv[1:])

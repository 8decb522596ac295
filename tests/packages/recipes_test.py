"""The recipes of other packagers: recipes_test.py SOURCE WORK. Each is checked by what is here: vcpkg's port by CMake with
stand-ins for vcpkg's functions, and its manifest; Nix' file by nix-instantiate with a stand-in for nixpkgs; Conan's recipe
by `conan inspect`. With --create, Conan makes and tests the package, with the system's zstd, xxhash and Vulkan headers.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

STUBS = """
foreach(name vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_install_copyright)
  cmake_language(EVAL CODE "function(${name})\\nmessage(\\"${name} \\${ARGN}\\")\\nendfunction()")
endforeach()
function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "OUT_FEATURE_OPTIONS" "FEATURES")
  list(GET ARG_FEATURES 1 option)
  set(${ARG_OUT_FEATURE_OPTIONS} -D${option}=OFF PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${ARG_SOURCE_PATH}" -B "${WORK}" ${ARG_OPTIONS}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
include("${CURRENT_PORT_DIR}/portfile.cmake")
"""


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, **more)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + "\n" + done.stderr


def vcpkg(source, work, version):
    port = source / "cmake/packages/vcpkg"
    manifest = json.loads((port / "vcpkg.json").read_text())
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"])
    assert manifest["version"] == version, (manifest["version"], version)
    names = {each if isinstance(each, str) else each["name"] for each in manifest["dependencies"]}
    assert names == {"vcpkg-cmake", "vcpkg-cmake-config", "vulkan-headers", "xxhash", "zstd"}
    assert set(manifest["features"]) == {"compiler"}
    stubs = work / "stubs.cmake"
    stubs.write_text(STUBS)
    said = run("cmake", f"-DCURRENT_PORT_DIR={port}", f"-DWORK={work}/vcpkg", "-DPORT=sextant",
               f"-DCURRENT_PACKAGES_DIR={work}/none", "-P", stubs)
    for call in ("vcpkg_cmake_install", "vcpkg_cmake_config_fixup PACKAGE_NAME;Sextant", "vcpkg_install_copyright"):
        assert call in said, (call, said)
    assert (work / "none/share/sextant/usage").read_text() == (port / "usage").read_text()
    cache = (work / "vcpkg/CMakeCache.txt").read_text()
    assert "SEXTANT_BUILD_COMPILER:BOOL=OFF" in cache and "SEXTANT_BUILD_TESTS:BOOL=OFF" in cache
    print("vcpkg: the manifest is well formed; the port configures the loader")


def nix(source, version):
    if not shutil.which("nix-instantiate"):
        return print("nix: skipped, no nix-instantiate (Debian: nix-bin)")
    names = ("cmake", "ninja", "python3", "zstd", "xxHash", "vulkan-headers")
    given = " ".join(f'{name} = "{name}";' for name in names)
    said = run("nix-instantiate", "--eval", "--strict", "--json", "-E",
               f"import {source}/cmake/packages/nix/default.nix {{ lib.licenses.asl20 = 1; {given} stdenv.mkDerivation = "
               "x: { inherit (x) pname version buildInputs cmakeFlags; }; }", env={"HOME": "/tmp", "PATH": "/usr/bin:/bin"})
    made = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
    assert made["pname"] == "sextant-loader" and made["version"] == version, made
    assert made["buildInputs"] == ["zstd", "xxHash", "vulkan-headers"]
    # With the absolute folders that nixpkgs gives, the installation fails.
    for flag in ("SEXTANT_BUILD_COMPILER=OFF", "CMAKE_INSTALL_LIBDIR=lib", "CMAKE_INSTALL_INCLUDEDIR=include"):
        assert f"-D{flag}" in made["cmakeFlags"], (flag, made)
    print("nix: the file evaluates over a stand-in for nixpkgs")


def conan(source, work, version, create):
    command = pathlib.Path(sys.executable).with_name("conan")
    if not command.exists():
        return print("conan: skipped, no package conan beside this Python (PyPI)")
    home = {"CONAN_HOME": str(work / "conan"), "PATH": "/usr/bin:/bin", "HOME": str(work)}
    recipe = source / "cmake/packages/conan"
    seen = json.loads(subprocess.run([command, "inspect", recipe, "--format=json"], env=home, text=True,
                                     capture_output=True, check=True).stdout)
    assert seen["name"] == "sextant" and seen["version"] == version, seen
    if create:
        run(command, "profile", "detect", "--force", env=home)
        profile = work / "conan/profiles/default"
        profile.write_text(profile.read_text() + "compiler.cppstd=20\n[platform_requires]\nzstd/1.5.4\nxxhash/0.8.1\n"
                           "vulkan-headers/1.3.239\n")
        said = run(command, "create", recipe, "--no-remote", "-c", "tools.cmake.cmaketoolchain:generator=Ninja",
                   "-c", f"tools.cmake.cmake_layout:test_folder={work}/test", "-c",
                   "tools.cmake.cmaketoolchain:user_presets=", env=home)
        assert said.count(f"\nsextant {version}\n") == 2, said[-3000:]
    print(f"conan: the recipe is {'made and tested' if create else 'read'}")


def main():
    source, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    version = re.search(r"project\(Sextant VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text())[1]
    vcpkg(source, work, version)
    nix(source, version)
    conan(source, work, version, "--create" in sys.argv)


if __name__ == "__main__":
    main()

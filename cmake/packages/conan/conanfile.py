"""Conan 2's recipe of the sources that it lies in: conan create cmake/packages/conan

The loader by default, both kinds of it; with -o "sextant/*:compiler=True" the command too, whose libraries (LLVM, MLIR and
lld 19, …) come from the system.
"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Sextant(ConanFile):
    name = "sextant"
    description = "Ahead-of-time GPU and CPU kernels in one module"
    license = "Apache-2.0"
    settings = "os", "compiler", "build_type", "arch"
    options = {"compiler": [True, False]}
    default_options = {"compiler": False}
    package_type = "shared-library"  # and the static one beside it
    no_copy_source = True

    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        self.version = re.search(r"project\(Sextant VERSION ([0-9.]+)", load(self, os.path.join(self._root(), "CMakeLists.txt")))[1]

    def export_sources(self):
        parts = ["CMakeLists.txt", "LICENSE", "CHANGELOG.md", "README.md", "cmake/*", "loader/*", "packager/*"]
        for part in parts + ["frontend/*", "backends/*", "driver/*"]:
            copy(self, part, self._root(), self.export_sources_folder)

    def requirements(self):
        # Programs that link the static loader link zstd, too.
        self.requires("zstd/[>=1.5 <2]", transitive_libs=True)
        self.requires("xxhash/[>=0.8 <1]")
        self.requires("vulkan-headers/[>=1.3]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SEXTANT_BUILD_COMPILER"] = bool(self.options.compiler)
        for part in ("TESTS", "EXAMPLES", "PYTHON"):
            toolchain.cache_variables[f"SEXTANT_BUILD_{part}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # find_package(Sextant) finds the package's own configuration, with all its targets.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/Sextant"]
        self.cpp_info.libs = ["sextant_loader"]

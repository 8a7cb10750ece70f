# SPDX-License-Identifier: Apache-2.0
"""Conan's recipe (2.x) of the headers: `conan create packaging/conan -c user.onepass:cccl=DIR` from the source tree, where
DIR has CCCL's headers (thrust/, cub/, cuda/); without it CMake looks where the CUDA toolkit is."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class OnepassRecipe(ConanFile):
    name = "onepass"
    description = "Parallel primitives on a single-pass scan, for CUDA and CPU"
    license = "Apache-2.0"
    topics = ("scan", "prefix-sum", "sort", "compaction", "cuda", "parallel")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = re.search(r"project\(onepass VERSION ([\d.]+)", text)[1]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for what in ("CMakeLists.txt", "LICENSE", "cmake/*", "core/*", "primitives/*", "packaging/debian/*"):
            copy(self, what, src=root, dst=self.export_sources_folder)

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 17)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "ONEPASS_CUDA": "OFF",  # headers have both backends; this is about what is built
            "ONEPASS_TBB": False,  # threads are std::thread's
            "ONEPASS_BUILD_LIBRARY": False,
            "ONEPASS_BUILD_APPS": False,
            "ONEPASS_BUILD_TESTS": False,
            "ONEPASS_CCCL_DIR": self.conf.get("user.onepass:cccl", default=""),
        })
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # onepass's own package for CMake says what to include and link.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "onepass")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []

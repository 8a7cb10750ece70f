# SPDX-License-Identifier: Apache-2.0
"""Spack's recipe. In a repository of recipes, as packages/onepass/package.py: `spack develop --path TREE onepass@0.1.0`."""
from spack.package import *


class Onepass(CMakePackage):
    """Parallel primitives on a single-pass scan, for CUDA and CPU."""

    license("Apache-2.0")

    version("0.1.0")

    variant("shared", default=False, description="Build the shared library, too")
    variant("tbb", default=True, description="Take CPU threads from oneTBB")
    variant("cuda", default=False, description="Build the library with the CUDA backend")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("intel-oneapi-tbb", when="+tbb")
    depends_on("cuda@13:")  # without the variant, too: its CCCL headers

    def cmake_args(self):
        return [
            self.define_from_variant("ONEPASS_BUILD_SHARED", "shared"),
            self.define_from_variant("ONEPASS_TBB", "tbb"),
            self.define_from_variant("ONEPASS_CUDA", "cuda"),
            self.define("ONEPASS_CCCL_DIR", self.spec["cuda"].prefix.include.cccl),
            self.define("ONEPASS_BUILD_APPS", False),
            self.define("ONEPASS_BUILD_TESTS", False),
        ]

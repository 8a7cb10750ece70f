# SPDX-License-Identifier: Apache-2.0
"""The recipes in packaging/: they have the project's version, name options that there are, and what they run installs the
headers. vcpkg's port is run with a pretended vcpkg, Spack's recipe with a pretended Spack, and of conda's recipe the script.
scripts/package runs Conan's recipe by Conan itself. What the port has built is also installed by links.

recipes.py CCCL_DIR CMAKE
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
CMAKE_LISTS = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"^project\(onepass VERSION ([\d.]+)", CMAKE_LISTS, re.M)[1]
PRETENDED_VCPKG = """
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B build -G Ninja -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}
                          -DCMAKE_INSTALL_LIBDIR=lib ${arg_OPTIONS} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --install build COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  file(COPY ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/ DESTINATION ${CURRENT_PACKAGES_DIR}/share/onepass)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  configure_file(${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/onepass/copyright COPYONLY)
endfunction()
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, (command, done.stdout[-2000:])


def names_what_there_is():
    known = set(re.findall(r"(?:option|set)\((ONEPASS_\w+)", CMAKE_LISTS)) | {"ONEPASS_HAS_TBB"}
    for path in PACKAGING.rglob("*"):
        if path.is_file() and path.suffix in {".py", ".cmake", ".yaml", ".json"} and "build" not in path.parts:
            unknown = set(re.findall(r"\bONEPASS_[A-Z_]+\b", path.read_text())) - known
            assert not unknown, (path, unknown)
    assert json.loads((PACKAGING / "vcpkg/vcpkg.json").read_text())["version"] == VERSION
    assert f'version: "{VERSION}"' in (PACKAGING / "conda-forge/recipe.yaml").read_text()


def vcpkg(folder, cmake, cccl):
    prefix = folder / "vcpkg"
    program = folder / "port.cmake"
    program.write_text(PRETENDED_VCPKG + f'set(CURRENT_PACKAGES_DIR "{prefix}")\nset(CURRENT_PORT_DIR "{PACKAGING}/vcpkg")\n'
                       f'include("{PACKAGING}/vcpkg/portfile.cmake")\n')
    run(cmake, "-P", program, cwd=folder, env={**os.environ, "ONEPASS_CCCL_DIR": cccl})
    for name in ("include/onepass/onepass.hpp", "share/onepass/onepass-config.cmake", "share/onepass/copyright"):
        assert (prefix / name).exists(), name
    assert not (prefix / "lib").exists()


def links(folder, cmake):
    """Installs links to where the port was built, and none into the source tree: the public headers are other files."""
    prefix = folder / "links [1]"
    run(cmake, "--install", folder / "build", "--prefix", prefix, env={**os.environ, "CMAKE_INSTALL_MODE": "ABS_SYMLINK"})
    for header in (ROOT / "primitives/include/onepass").glob("*.h*"):
        installed = prefix / "include/onepass" / header.name
        assert not installed.resolve().is_relative_to(ROOT / "primitives"), installed
        assert '"../../' not in installed.read_text(), installed
    assert (prefix / "include/onepass/internal/core/lookback/look_back.hpp").exists()


def conda(folder, cccl):
    recipe = (PACKAGING / "conda-forge/recipe.yaml").read_text()
    script = re.search(r"^  script:\n((?:    - .*\n)+)", recipe, re.M)[1]
    prefix = folder / "conda"
    (prefix / "include").mkdir(parents=True)
    for name in ("thrust", "cub", "cuda"):  # as cuda-cccl lays its headers
        (prefix / "include" / name).symlink_to(Path(cccl) / name)
    for line in re.findall(r"- (.*)", script):
        run("bash", "-euc", line.replace("-B build/conda", f"-B {folder}/build_conda").replace("build/conda", f"{folder}/build_conda"),
            cwd=ROOT, env={**os.environ, "PREFIX": str(prefix)})
    for name in re.search(r"files: \[(.*)\]", recipe)[1].split(", "):
        assert (prefix / name).exists(), name


def spack():
    said = []
    pretended = types.ModuleType("spack.package")

    class CMakePackage:
        def define(self, name, value):
            return f"-D{name}={value}"

        def define_from_variant(self, name, variant):
            assert ("variant", variant) in said, variant
            return f"-D{name}={variant}"

    for directive in ("license", "version", "variant", "depends_on"):
        setattr(pretended, directive, lambda what, *_, kind=directive, **__: said.append((kind, what)))
    pretended.CMakePackage = CMakePackage
    sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), pretended
    scope = {}
    exec((PACKAGING / "spack/package.py").read_text(), scope)
    assert ("version", VERSION) in said
    package = scope["Onepass"]()
    package.spec = {"cuda": types.SimpleNamespace(prefix=types.SimpleNamespace(include=types.SimpleNamespace(cccl="/cccl")))}
    assert "-DONEPASS_CCCL_DIR=/cccl" in package.cmake_args()


def main():
    cccl, cmake = sys.argv[1:]
    names_what_there_is()
    spack()
    with tempfile.TemporaryDirectory() as folder:
        vcpkg(Path(folder), cmake, cccl)
        links(Path(folder), cmake)
        conda(Path(folder), cccl)
    print("recipes: 3 run")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
# What scripts/demo, scripts/test, scripts/gpu and .ci/run share: finding or installing what a build needs. Sourced by bash.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$PWD  # whose names of files the options mean
this_script=$(cd "$(dirname -- "$0")" && pwd)/${0##*/}  # for its usage, from any folder
cd "$root"
for folder in ${CUDA_PATH:+"$CUDA_PATH/bin"} /usr/local/cuda/bin; do
  [[ -x $folder/nvcc ]] && PATH=$PATH:$folder
done
export PATH

app_packages=(libpng-dev libcli11-dev libstb-dev libsndfile1-dev zlib1g-dev)  # what apps/ needs beside a compiler

say() { printf '== %s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 2; }

# from_here NAME: where a file or folder is that an option names.
from_here() { if [[ $1 == /* ]]; then echo "$1"; else echo "$here/$1"; fi; }

project_version() { sed -n 's/^project(onepass VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt; }
has_nvcc() { command -v nvcc >/dev/null; }
has_gpu() { [[ -e /dev/nvidia0 ]] || nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# The Debian package `$1` is needed if the command or file `$2` is not there.
present() { if [[ $2 == /* ]]; then compgen -G "$2" >/dev/null; else command -v "$2" >/dev/null; fi; }
probe_of() {
  case $1 in
    g++ | cmake | file | pkg-config) echo "$1" ;;
    ninja-build) echo ninja ;;
    python3) echo python3 ;;
    python3-venv) echo '/usr/lib/python3*/ensurepip' ;;
    libtbb-dev) echo '/usr/include/tbb/tbb.h' ;;
    libgtest-dev) echo '/usr/include/gtest/gtest.h' ;;
    libpng-dev) echo '/usr/include/png.h' ;;
    libcli11-dev) echo '/usr/include/CLI/CLI.hpp' ;;
    libsndfile1-dev) echo '/usr/include/sndfile.h' ;;
    zlib1g-dev) echo '/usr/include/zlib.h' ;;
    libstb-dev) echo '/usr/include/stb/stb_easy_font.h' ;;
    libbenchmark-dev) echo '/usr/include/benchmark/benchmark.h' ;;
    clang-format) echo clang-format ;;
    clang) echo clang++ ;;
    llvm) echo '/usr/bin/llvm-profdata*' ;;
    libclang-rt-14-dev) echo '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a' ;;
    doxygen | lintian | debootstrap | yamllint) echo "$1" ;;
    abigail-tools) echo abidw ;;
    dpkg-dev) echo dpkg-shlibdeps ;;
    openmpi-bin) echo mpirun ;;  # another MPI will do, too
    libopenmpi-dev) echo mpicxx ;;
    g++-aarch64-linux-gnu) echo aarch64-linux-gnu-g++ ;;
    qemu-user-static) echo qemu-aarch64-static ;;
  esac
}

# need PACKAGE...: installs those that are missing, through apt where it may; otherwise names them and stops.
need() {
  local package missing=() as_root=()
  for package in "$@"; do
    present "$package" "$(probe_of "$package")" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if [[ $(id -u) != 0 ]]; then as_root=(sudo -n); fi
  if ! command -v apt-get >/dev/null || { ((${#as_root[@]})) && ! sudo -n true 2>/dev/null; }; then
    die "these packages are missing, please install them: ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >/dev/null ||
    die "apt could not install these packages, please do: ${missing[*]}"
}

# wheel NAME VERSION: installs a package of PyPI's into build/venv.
wheel() {
  need python3
  [[ -x build/venv/bin/pip ]] || { need python3-venv; python3 -m venv build/venv; }
  say "installing $1 from PyPI into build/venv"
  build/venv/bin/pip install --quiet --disable-pip-version-check "$1==$2" || die "pip could not install $1"
}

# For apps/query to read Parquet: a wheel that holds Arrow's C++ library, unless that is there. Without PyPI it goes on without.
try_arrow() {
  present parquet /usr/include/parquet/file_reader.h || present pyarrow "$root/build/venv/lib/python3*/site-packages/pyarrow" ||
    (wheel pyarrow 26.0.1) || say "going on without Arrow: query will read no Parquet"
}

# Sets cccl to the folder with CCCL's headers: the one named, the toolkit's, else the wheel's (a CPU build needs no more).
find_cccl() {
  local folder
  for folder in ${ONEPASS_CCCL_DIR:+"$ONEPASS_CCCL_DIR"} ${CUDA_PATH:+"$CUDA_PATH"/include{/cccl,}} \
                /usr/local/cuda/include{/cccl,} build/venv/lib/python3*/site-packages/nvidia/cu13/include/cccl; do
    if [[ -e $folder/cuda/__cccl_config ]]; then cccl=$(cd "$folder" && pwd); return; fi
  done
  [[ -z ${cccl_tried:-} ]] || die "CCCL's headers are missing, please set ONEPASS_CCCL_DIR to their folder"
  cccl_tried=1
  wheel nvidia-cuda-cccl 13.0.85
  find_cccl
}

# configure PRESET FOLDER [CMAKE OPTION...]: what changes nothing is over in a second.
configure() {
  local preset=$1 folder=$2 options=()
  shift 2
  need g++ cmake ninja-build libtbb-dev
  if ! printf '3.25\n%s\n' "$(cmake --version | grep -o '[0-9.]*' | head -n 1)" | sort -CV; then
    [[ -x build/venv/bin/cmake ]] || wheel cmake 3.31.6
    PATH=$root/build/venv/bin:$PATH
  fi
  if [[ $preset != cuda ]]; then  # nvcc brings its own
    find_cccl
    options+=("-DONEPASS_CCCL_DIR=$cccl")
  fi
  if [[ $preset == cuda || $preset == bench ]] && has_nvcc && has_gpu && [[ -z ${CUDAARCHS:-} ]]; then
    options+=(-DCMAKE_CUDA_ARCHITECTURES=native)  # of the GPU that will run it
  fi
  mkdir -p "$folder"
  cmake --preset "$preset" -B "$folder" "${options[@]}" "$@" >"$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log" >&2; die "configuring $folder failed"; }
}

build() { cmake --build "$1" "${@:2}"; }

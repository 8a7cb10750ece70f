# SPDX-License-Identifier: Apache-2.0
# Facts about the machine and the build that every results file carries. Sourced after setup.sh.
ask_gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

# describe BUILD_DIR: sets device, driver, toolkit, architectures, compiler and slug (the device's name for a file's name).
describe() {
  device=$(has_gpu && ask_gpu name || sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  driver=$(has_gpu && ask_gpu driver_version || echo none)
  build_fact() { sed -n "s/^$1=//p" "$2/bin/build_info.txt"; }
  toolkit=$(build_fact toolkit "$1")
  architectures=$(build_fact architectures "$1")
  compiler=$(build_fact compiler "$1")
  slug=$(tr '[:upper:]' '[:lower:]' <<<"$device" | tr -cs 'a-z0-9\n' '_' | sed 's/_*$//')
}

# Programs that were built elsewhere bring the shared libraries they need in lib/.
use_packed_libraries() {
  if [[ -d $1/lib ]]; then export LD_LIBRARY_PATH=$(cd "$1/lib" && pwd)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; fi
}

# SPDX-License-Identifier: Apache-2.0
# Facts about the machine and the build that every results file carries. Sourced after setup.sh.
ask_gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }

# describe BUILD_DIR [cpu]: sets device, driver, toolkit, architectures, compiler and slug (the device's name for a file's name).
describe() {
  if has_gpu && [[ ${2:-} != cpu ]]; then
    device=$(ask_gpu name) driver=$(ask_gpu driver_version)
  else
    device=$(sed -n '/^model name/{s/^[^:]*: //p;q}' /proc/cpuinfo) driver=none
  fi
  toolkit=$(build_fact "$1" toolkit)
  architectures=$(build_fact "$1" architectures)
  compiler=$(build_fact "$1" compiler)
  slug=$(tr '[:upper:]' '[:lower:]' <<<"${device:-unknown}" | tr -cs 'a-z0-9\n' '_' | sed 's/_*$//')
}
# A text as JSON has it between quotes; and standard input as sed puts it into `s###`.
json_text() { sed 's/[\\"]/\\&/g' <<<"$1"; }
sed_text() { sed 's/[\\#&]/\\&/g'; }
build_fact() { sed -n "s/^$2=//p" "$1/bin/build_info.txt"; }

# Programs that were built elsewhere bring the shared libraries they need in lib/.
use_packed_libraries() {
  if [[ -d $1/lib ]]; then export LD_LIBRARY_PATH=$(cd "$1/lib" && pwd)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}; fi
}

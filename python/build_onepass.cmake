# SPDX-License-Identifier: Apache-2.0
# Builds the static library from the repository that this folder is a part of. Sets ONEPASS_CUDA to ON or OFF.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/../cmake)
include(onepass_jobs)
if(ONEPASS_CUDA STREQUAL AUTO)
  include(CheckLanguage)
  check_language(CUDA)
  set(ONEPASS_CUDA OFF)
  if(CMAKE_CUDA_COMPILER)
    set(ONEPASS_CUDA ON)
  endif()
endif()
# Without nvcc CCCL's headers are those of the wheel nvidia-cuda-cccl, which pip has put beside nanobind, or of a toolkit that
# is there all the same. nvcc has its own.
if(NOT ONEPASS_CUDA AND NOT ONEPASS_CCCL_DIR)
  include(onepass_cccl)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import nvidia; print(next(iter(nvidia.__path__)))"
                  OUTPUT_VARIABLE wheels OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  onepass_find_cccl(ONEPASS_CCCL_DIR ${wheels}/cu13/include/cccl)
endif()
set(ONEPASS_INSTALL OFF)
add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/.. onepass)

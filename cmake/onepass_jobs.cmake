# SPDX-License-Identifier: Apache-2.0
# One compile a core, as Ninja's own default is two more; and one for every 2 GiB, as nvcc takes that much.
cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
math(EXPR by_memory "${memory} / 2000")
if(by_memory LESS jobs)
  set(jobs ${by_memory})
endif()
if(jobs LESS 1)
  set(jobs 1)
endif()
set_property(GLOBAL PROPERTY JOB_POOLS compile=${jobs} link=${jobs})
set(CMAKE_JOB_POOL_COMPILE compile)
set(CMAKE_JOB_POOL_LINK link)

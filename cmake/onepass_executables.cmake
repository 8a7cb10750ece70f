# SPDX-License-Identifier: Apache-2.0
# How programs are made: one .cpp serves both kinds of build, through nvcc in a CUDA build and through g++ otherwise.

# onepass_program(<name> [PLAIN] SOURCES <file>... [LIBRARIES <target>...])
# PLAIN: compiled by g++ in a CUDA build too, and linked to nothing but LIBRARIES.
function(onepass_program name)
  cmake_parse_arguments(arg "PLAIN" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  if(NOT arg_PLAIN)
    onepass_sources_are_cuda(${arg_SOURCES})
    list(PREPEND arg_LIBRARIES onepass::headers)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  onepass_own(${name})
endfunction()

# onepass_app(<name> SOURCES <file>... [LIBRARIES <target>...]): one of the example programs.
function(onepass_app name)
  onepass_program(${name} ${ARGN})
endfunction()

# onepass_bench(<name> SOURCES <file>... [LIBRARIES <target>...]): a benchmark program, with the peers that are found:
# TBB for the standard library's parallel algorithms and Thrust's backend of that name, OpenMP for Thrust's, Highway for
# vqsort, Boost for spreadsort.
function(onepass_bench name)
  onepass_program(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/bench)
  target_link_libraries(${name} PRIVATE benchmark::benchmark benchmark::benchmark_main)
  if(ONEPASS_HAS_TBB)
    target_compile_definitions(${name} PRIVATE ONEPASS_BENCH_TBB=1)
  endif()
  if(OpenMP_CXX_FOUND)
    # By hand, as CMake has no OpenMP target for CUDA sources.
    target_compile_definitions(${name} PRIVATE ONEPASS_BENCH_OPENMP=1)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${OpenMP_CXX_FLAGS}>
                                           $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>)
    target_link_libraries(${name} PRIVATE ${OpenMP_CXX_LIBRARIES})
  endif()
  if(HWY_INCLUDE_DIR AND HWY_LIBRARY AND HWY_CONTRIB_LIBRARY)
    target_compile_definitions(${name} PRIVATE ONEPASS_BENCH_VQSORT=1)
    target_include_directories(${name} SYSTEM PRIVATE ${HWY_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE ${HWY_CONTRIB_LIBRARY} ${HWY_LIBRARY})
  endif()
  if(SPREADSORT_INCLUDE_DIR)
    target_compile_definitions(${name} PRIVATE ONEPASS_BENCH_SPREADSORT=1)
    target_include_directories(${name} SYSTEM PRIVATE ${SPREADSORT_INCLUDE_DIR})
  endif()
endfunction()

# What built the programs: benchmark results quote it, also where they run on another machine than the one that built them.
set(toolkit none)
if(ONEPASS_HAS_CUDA)
  set(toolkit ${CMAKE_CUDA_COMPILER_VERSION})
endif()
file(WRITE ${PROJECT_BINARY_DIR}/bin/build_info.txt
  "toolkit=${toolkit}\narchitectures=${CMAKE_CUDA_ARCHITECTURES}\ncompiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\nbuild_type=${CMAKE_BUILD_TYPE}\n")

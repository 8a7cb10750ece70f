# SPDX-License-Identifier: Apache-2.0
# onepass_test(<name> [PLAIN] SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...]): one GoogleTest program.
#
# Each test case of the program becomes a test of CTest's, found by asking the program when ctest starts, so that a program
# built here can be asked elsewhere. The CTest name is made from GoogleTest's, with the backend moved to the end:
#
#   how the test is written                                            GoogleTest's name             CTest's name
#   TEST(scan, non_commutative_cpu)                                    scan.non_commutative_cpu      scan.non_commutative.cpu
#   TYPED_TEST(scan, non_commutative), a type named `cpu`              scan/cpu.non_commutative      scan.non_commutative.cpu
#   TYPED_TEST, a type named `gpu_int32`                               scan/gpu_int32.all_sizes      scan.all_sizes.int32.gpu
#   TEST_P(scan, sizes), INSTANTIATE_TEST_SUITE_P(cpu, scan, ...)      cpu/scan.sizes/65536          scan.sizes.65536.cpu
#
# The words cpu, gpu and cuda (the same as gpu) count where they stand alone or at an end, between `_`, `/` and `.`.
#
# Labels: `gpu` for tests of that backend, `cpu` for all others; `large` and `slow` where the program's name or the test's
# holds that word; `apps` for the programs' tests; and LABELS. Large tests run alone (they take gigabytes), GPU tests one at a
# time. A test that says GTEST_SKIP counts as skipped.
#
# Tests get the environment variable ONEPASS_BIN_DIR, the folder of the built programs.
function(onepass_test name)
  cmake_parse_arguments(arg "" "" "LABELS" ${ARGN})
  onepass_program(${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)

  set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}.cmake)
  file(WRITE ${script} "set(program \"${name}\")\nset(binary_dir \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}\")\n"
    "set(labels \"${arg_LABELS}\")\ninclude(\"${PROJECT_SOURCE_DIR}/cmake/onepass_discover.cmake\")\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# onepass_precompile(<target>): gives a g++ target of a CPU build tests/support/precompiled.hpp, made by the first such target.
function(onepass_precompile target)
  if(ONEPASS_HAS_CUDA OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT ONEPASS_TEST_PRECOMPILED)
    return()
  elseif(NOT TARGET onepass_test_precompiled)
    file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "// what owns the header\n")
    add_library(onepass_test_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(onepass_test_precompiled PRIVATE onepass::headers GTest::gtest)
    target_precompile_headers(onepass_test_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/precompiled.hpp)
    target_compile_options(onepass_test_precompiled PRIVATE -fpch-preprocess)  # for ccache
  endif()
  target_precompile_headers(${target} REUSE_FROM onepass_test_precompiled)
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)  # as the header was made with, by GTest::gtest
endfunction()

# onepass_device_code(<name> SOURCES <file>... [LIBRARIES <target>...]): a test's device code goes through the compiler's front
# end (to PTX by an older nvcc), and nothing else of it does. That takes a sixth of what a program takes; the rest of the
# compiler the static library and the apps go through, and what a call shows on the host other programs show.
function(onepass_device_code name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(${name} OBJECT ${arg_SOURCES})
  onepass_sources_are_cuda(${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CUDA_PTX_COMPILATION ON)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gtest)
  if(ONEPASS_HAS_SYNTAX_ONLY)
    target_compile_options(${name} PRIVATE -fdevice-syntax-only)
  endif()
  onepass_own(${name})
endfunction()

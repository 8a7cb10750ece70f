# SPDX-License-Identifier: Apache-2.0
# What the whole build agrees on: the CUDA language, build type, compiler cache, parallel jobs, sanitizers.

# CUDA. 90 is the architecture that onepass is tuned for; `native` would fail where a build machine has no GPU. A project
# that adds onepass gets no language that it has not got, if it does not ask for it.
set(ONEPASS_HAS_CUDA OFF)
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(ONEPASS_CUDA STREQUAL "AUTO" AND NOT PROJECT_IS_TOP_LEVEL AND NOT "CUDA" IN_LIST languages)
  set(wants_cuda OFF)
else()
  set(wants_cuda ${ONEPASS_CUDA})
endif()
if(wants_cuda)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(ONEPASS_HAS_CUDA ON)
    if(CMAKE_CUDA_ARCHITECTURES AND NOT CMAKE_CUDA_ARCHITECTURES MATCHES "all|native|(^|;)([89][0-9]|1[0-9][0-9])")
      message(WARNING "onepass: CMAKE_CUDA_ARCHITECTURES is ${CMAKE_CUDA_ARCHITECTURES}. If that is nvcc's default, name those "
                      "of your GPUs: code for older ones is slower on them, and some calls need more shared memory")
    endif()
  elseif(NOT ONEPASS_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "onepass: ONEPASS_CUDA is ${ONEPASS_CUDA}, but no nvcc was found (is it on PATH?)")
  endif()
endif()

# One folder for every program: it can be copied to another machine as it is. Tests look for programs there.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  foreach(language IN ITEMS CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_STANDARD)
      set(CMAKE_${language}_STANDARD 17)
    endif()
    set(CMAKE_${language}_STANDARD_REQUIRED ON)
    set(CMAKE_${language}_EXTENSIONS OFF)
  endforeach()

  find_program(ONEPASS_CCACHE ccache)
  if(ONEPASS_CCACHE)
    foreach(language IN ITEMS CXX CUDA)
      if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
        set(CMAKE_${language}_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${ONEPASS_CCACHE})
      endif()
    endforeach()
  endif()

  include(onepass_jobs)
endif()

if(ONEPASS_HAS_CUDA AND ONEPASS_FAST_DEVICE_COMPILE)
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA -Ofc=max ONEPASS_HAS_FAST_COMPILE)  # not in older toolkits
  if(ONEPASS_HAS_FAST_COMPILE)
    add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-Ofc=max>)
  endif()
  check_compiler_flag(CUDA -fdevice-syntax-only ONEPASS_HAS_SYNTAX_ONLY)
  string(REPLACE "-O3" "-O1" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")  # the host's part
endif()

if(ONEPASS_QUICK_TESTS)
  string(REPLACE "-O3" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # fewer passes, and below less garbage collection: a fifth less to compile a test
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-fno-tree-pta -fno-tree-dse -fno-tree-dominator-opts -fno-tree-sra
                         -fno-forward-propagate>")
  endif()
endif()
if((ONEPASS_QUICK_TESTS OR ONEPASS_SANITIZE) AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # 1.4 GB a compiler at most
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=1000000>")
endif()

if(ONEPASS_SANITIZE)
  if(ONEPASS_HAS_CUDA)
    message(FATAL_ERROR "onepass: ONEPASS_SANITIZE is for CPU-only builds, so set ONEPASS_CUDA to OFF with it")
  endif()
  # Thrust's tagged references bind their policy to a null reference on purpose. A null that is used and an object that is
  # too small AddressSanitizer sees. The library has no virtual functions.
  add_compile_options(-fsanitize=${ONEPASS_SANITIZE} -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  # Undefined behaviour is an illegal instruction, and AddressSanitizer shows the stack with the line (handle_sigill=1 in its
  # options). Calls that also say what was wrong take an eighth of the time to compile.
  if(ONEPASS_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fsanitize-undefined-trap-on-error)
  endif()
  add_link_options(-fsanitize=${ONEPASS_SANITIZE})
endif()

# SPDX-License-Identifier: Apache-2.0
# The two targets that users link: onepass::headers, and the static library onepass::onepass.
find_package(Threads REQUIRED)
set(ONEPASS_HAS_TBB OFF)
if(ONEPASS_TBB)
  find_package(TBB QUIET CONFIG)  # oneTBB's own: a project's FindTBB.cmake may make other targets
  if(TARGET TBB::tbb)
    set(ONEPASS_HAS_TBB ON)
  endif()
endif()
onepass_find_cccl(cccl)
if(NOT cccl AND ONEPASS_CCCL_DIR)
  message(FATAL_ERROR "onepass: CCCL's headers are not in ONEPASS_CCCL_DIR, which is ${ONEPASS_CCCL_DIR}")
elseif(NOT cccl)
  message(FATAL_ERROR "onepass: CCCL's headers were not found. Install the CUDA toolkit; or, for the CPU backend alone, "
                      "`pip install nvidia-cuda-cccl` and pass -DONEPASS_CCCL_DIR=<its site-packages folder>")
endif()
message(STATUS "onepass: CUDA ${ONEPASS_HAS_CUDA}, oneTBB ${ONEPASS_HAS_TBB}, CCCL in ${cccl}")

set(include_dirs $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/primitives/include>
                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

add_library(onepass_headers INTERFACE)
add_library(onepass::headers ALIAS onepass_headers)
target_compile_features(onepass_headers INTERFACE cxx_std_17)
target_include_directories(onepass_headers INTERFACE ${include_dirs})
target_compile_definitions(onepass_headers INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP>
  $<$<BOOL:${ONEPASS_HAS_TBB}>:ONEPASS_HAS_TBB=1>
  $<BUILD_INTERFACE:$<$<BOOL:${ONEPASS_DEBUG_SPIN}>:ONEPASS_BOUND_SPINS=1>>)
target_link_libraries(onepass_headers INTERFACE Threads::Threads $<$<BOOL:${ONEPASS_HAS_TBB}>:TBB::tbb>)
onepass_link_cccl(onepass_headers ${cccl})

# For a project that adds onepass its headers are the system's, as those of an installed package are, so that the project's
# warnings are for its own code. And the static library is built only if it is used, or installed.
if(NOT PROJECT_IS_TOP_LEVEL)
  set_target_properties(onepass_headers PROPERTIES SYSTEM ON)
endif()

# onepass_own(<target>): warnings for onepass's own code; never exported.
function(onepass_own target)
  set(warnings -Wall -Wextra $<$<BOOL:${ONEPASS_WERROR}>:-Werror>)
  list(JOIN warnings "," for_nvcc)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall;-Xcompiler=-Wextra>"
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${ONEPASS_WERROR}>>:-Xcompiler=-Werror;-Werror=all-warnings>")
  # Where no GPU runs it, the assembler is for the kernels of each family once, in the static library.
  if(ONEPASS_HAS_CUDA AND ONEPASS_FAST_DEVICE_COMPILE)
    list(GET CMAKE_CUDA_ARCHITECTURES 0 architecture)
    string(REGEX MATCH "^[0-9]+[a-f]?" architecture "${architecture}")
    if(NOT architecture)  # all, all-major, native
      set(architecture 90)
    endif()
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${architecture}-virtual)
    if(target STREQUAL "onepass_library")
      set(assembled scan scan_by_key linear_recurrence column_scans compact segmented_scan_offsets segmented_reduce reduce_by_key
                    sort sort_by_key segmented_sort_by_key select histogram_values)
      list(TRANSFORM assembled REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/primitives/library/\\1.cpp")
      set_source_files_properties(${assembled} PROPERTIES
        COMPILE_OPTIONS "--generate-code=arch=compute_${architecture},code=[sm_${architecture}]")
    endif()
  endif()
endfunction()

# onepass_sources_are_cuda(<sources>): in a CUDA build nvcc compiles these .cpp files, and both backends are in them.
function(onepass_sources_are_cuda)
  if(ONEPASS_HAS_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  endif()
endfunction()

if(ONEPASS_BUILD_LIBRARY OR ONEPASS_BUILD_SHARED)
  file(GLOB library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/primitives/library/*.cpp)
  onepass_sources_are_cuda(${library_sources})
  add_library(onepass_library STATIC ${library_sources})
  add_library(onepass::onepass ALIAS onepass_library)
  set_target_properties(onepass_library PROPERTIES OUTPUT_NAME onepass EXPORT_NAME onepass POSITION_INDEPENDENT_CODE ON)
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(onepass_library PROPERTIES SYSTEM ON)
  endif()
  if(NOT ONEPASS_BUILD_LIBRARY OR (NOT PROJECT_IS_TOP_LEVEL AND NOT ONEPASS_INSTALL))  # only if something needs it
    set_target_properties(onepass_library PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_compile_features(onepass_library INTERFACE cxx_std_17)
  target_include_directories(onepass_library INTERFACE ${include_dirs})
  # What users of the library see is plain C++: the headers' own needs end here, and only what must be linked goes on.
  target_link_libraries(onepass_library PRIVATE $<BUILD_INTERFACE:onepass_headers>
    INTERFACE Threads::Threads $<$<BOOL:${ONEPASS_HAS_TBB}>:$<LINK_ONLY:TBB::tbb>>
              $<$<BOOL:${ONEPASS_HAS_CUDA}>:$<LINK_ONLY:CUDA::cudart_static>>)
  # Device code is most of the library: compressed, it takes a third of the bytes, and is unpacked when it is loaded. That
  # takes a quarter of the time to compile it.
  if(ONEPASS_HAS_CUDA AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8 AND NOT ONEPASS_FAST_DEVICE_COMPILE)
    target_compile_options(onepass_library PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-compress-mode=size>)
  endif()
  onepass_own(onepass_library)
  if(ONEPASS_BUILD_SHARED)  # the same objects; only what the two headers of the library declare can be seen outside
    # Which that is, says the map, and no project that hides its own names. Without the shared library it may hide onepass's.
    set_target_properties(onepass_library PROPERTIES CXX_VISIBILITY_PRESET default CUDA_VISIBILITY_PRESET default
      VISIBILITY_INLINES_HIDDEN OFF)
    add_library(onepass_shared SHARED $<TARGET_OBJECTS:onepass_library>)
    add_library(onepass::shared ALIAS onepass_shared)
    set(symbols ${PROJECT_SOURCE_DIR}/cmake/onepass_shared.map)
    set_target_properties(onepass_shared PROPERTIES OUTPUT_NAME onepass EXPORT_NAME shared LINKER_LANGUAGE CXX
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${symbols})
    target_compile_features(onepass_shared INTERFACE cxx_std_17)
    target_include_directories(onepass_shared INTERFACE ${include_dirs})
    target_link_libraries(onepass_shared PRIVATE Threads::Threads $<$<BOOL:${ONEPASS_HAS_TBB}>:TBB::tbb>
                          $<$<BOOL:${ONEPASS_HAS_CUDA}>:CUDA::cudart_static>)
    target_link_options(onepass_shared PRIVATE LINKER:--version-script=${symbols})
  endif()
endif()

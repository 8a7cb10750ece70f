# SPDX-License-Identifier: Apache-2.0
# The target onepass_arrow: Arrow's C++ library and its reader of Parquet, for apps/query alone. It is an installed one, or
# the one that a wheel of pyarrow holds.
set(ONEPASS_ARROW_PYTHON "" CACHE FILEPATH "A Python that has pyarrow, for its copy of Arrow's C++ library; empty: build/venv's")
mark_as_advanced(ONEPASS_ARROW_PYTHON)

# Sets `result` to an installed library's target, or to nothing.
function(onepass_installed_arrow result)
  find_package(Parquet CONFIG QUIET GLOBAL)  # which looks for Arrow
  set(${result} "" PARENT_SCOPE)
  foreach(target IN ITEMS Parquet::parquet_shared parquet_shared Parquet::parquet_static parquet_static)
    if(TARGET ${target})
      set(${result} ${target} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Sets `result` to a target for the libraries in pyarrow's folder, or to nothing.
function(onepass_arrow_of_python result)
  set(${result} "" PARENT_SCOPE)
  set(python "${ONEPASS_ARROW_PYTHON}")
  if(NOT python)
    set(python ${PROJECT_SOURCE_DIR}/build/venv/bin/python3)
  endif()
  if(NOT EXISTS ${python})
    return()
  endif()
  execute_process(COMMAND ${python} -I -c "import pyarrow; print(pyarrow.get_include(), *pyarrow.get_library_dirs(), sep=';')"
                  OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    return()
  endif()
  list(POP_FRONT folders include)
  foreach(folder IN LISTS folders)
    file(GLOB parquet ${folder}/libparquet.so.*)
    file(GLOB arrow ${folder}/libarrow.so.*)
    if(parquet AND arrow)
      list(GET parquet 0 parquet)
      list(GET arrow 0 arrow)
      add_library(onepass_pyarrow INTERFACE IMPORTED GLOBAL)
      target_include_directories(onepass_pyarrow INTERFACE ${include})
      target_link_libraries(onepass_pyarrow INTERFACE ${parquet} ${arrow})
      set(${result} onepass_pyarrow PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Whether this compiler makes programs with it: headers in C++20, std::string as the library has it. Sets `result`.
function(onepass_arrow_links library result)
  include(CheckCXXSourceCompiles)
  get_target_property(folders ${library} INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(files ${library} INTERFACE_LINK_LIBRARIES)
  string(MD5 key "${CMAKE_CXX_COMPILER} ${library} ${folders} ${files}")  # another Arrow is tried anew
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_REQUIRED_LIBRARIES ${library})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("
    #include <parquet/file_reader.h>
    int main() {
      std::string none;
      return parquet::LogicalType::None()->is_float16() || parquet::ParquetFileReader::OpenFile(none) ? 1 : 0;
    }" ONEPASS_ARROW_LINKS_${key})
  set(${result} ${ONEPASS_ARROW_LINKS_${key}} PARENT_SCOPE)
endfunction()

function(onepass_add_arrow)
  onepass_installed_arrow(library)
  if(NOT library)
    onepass_arrow_of_python(library)
  endif()
  if(NOT library AND NOT ONEPASS_ARROW STREQUAL "AUTO")
    message(FATAL_ERROR "onepass: ONEPASS_ARROW is ${ONEPASS_ARROW}, but neither an installed Arrow nor pyarrow was found (ONEPASS_ARROW_PYTHON)")
  elseif(NOT library)
    return()
  endif()
  onepass_arrow_links(${library} links)
  if(links)
    add_library(onepass_arrow INTERFACE)
    target_link_libraries(onepass_arrow INTERFACE ${library})
  elseif(ONEPASS_ARROW STREQUAL "AUTO")
    message(STATUS "onepass: this compiler makes no program with the Arrow that was found, so query reads no Parquet")
  else()
    message(FATAL_ERROR "onepass: ONEPASS_ARROW is ${ONEPASS_ARROW}, but this compiler makes no program with the Arrow that was found")
  endif()
endfunction()

if(ONEPASS_ARROW)
  onepass_add_arrow()
endif()

# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: the public headers in include/onepass, what they are made of in include/onepass/internal, the static
# library, and the package that find_package() reads.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/onepass)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

install(DIRECTORY core primitives DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onepass/internal
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh" PATTERN "*.inc" PATTERN include EXCLUDE PATTERN library EXCLUDE)
# In the source tree the public headers name internal ones by ../../, which is another place when they are installed. So what
# is installed are copies, made anew where CMake runs, which it does when one of them changes.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/primitives/include/onepass/*.h*)
foreach(header IN LISTS headers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  string(REPLACE "#include \"../../../core/" "#include \"internal/core/" text "${text}")
  string(REPLACE "#include \"../../" "#include \"internal/primitives/" text "${text}")
  cmake_path(GET header FILENAME name)
  file(CONFIGURE OUTPUT installed_headers/${name} CONTENT "${text}" @ONLY)  # writes only what is different
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/installed_headers/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onepass)
endforeach()
foreach(component IN ITEMS development runtime)  # as Debian names the folders of its packages
  set(package libonepass-dev)
  if(component STREQUAL "runtime")
    if(NOT TARGET onepass_shared)
      break()
    endif()
    set(package libonepass${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  endif()
  install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/onepass)

set(targets onepass_headers)
set_target_properties(onepass_headers PROPERTIES EXPORT_NAME headers)
if(ONEPASS_BUILD_LIBRARY)
  list(APPEND targets onepass_library)
endif()
if(TARGET onepass_shared)
  list(APPEND targets onepass_shared)
endif()
install(TARGETS ${targets} EXPORT onepass ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(EXPORT onepass NAMESPACE onepass:: FILE onepass-targets.cmake DESTINATION ${package_dir})

set(library_has_cuda OFF)
if(ONEPASS_BUILD_LIBRARY)
  set(library_has_cuda ${ONEPASS_HAS_CUDA})
endif()
configure_package_config_file(cmake/onepass-config.cmake.in onepass-config.cmake INSTALL_DESTINATION ${package_dir}
                              NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(onepass-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/onepass-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/onepass-config-version.cmake
              cmake/onepass_cccl.cmake cmake/onepass_component.cmake cmake/onepass_mpi.cmake cmake/onepass_nccl.cmake
        DESTINATION ${package_dir})
include(onepass_pkg_config)
if(PROJECT_IS_TOP_LEVEL)
  include(onepass_package)
endif()

# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: the public headers in include/onepass, what they are made of in include/onepass/internal, the static
# library, and the package that find_package() reads.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/onepass)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

install(DIRECTORY core primitives DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/onepass/internal
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh" PATTERN "*.inc" PATTERN include EXCLUDE PATTERN library EXCLUDE)
install(DIRECTORY primitives/include/onepass DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN README.md EXCLUDE)
# In the source tree the public headers name internal ones by ../../, which is another place here.
set(prefix "\${CMAKE_INSTALL_PREFIX}/")
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(prefix "")
endif()
install(CODE "set(public \"\$ENV{DESTDIR}${prefix}${CMAKE_INSTALL_INCLUDEDIR}/onepass\")")
install(CODE [[
  file(GLOB headers ${public}/*.hpp)
  foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REPLACE "#include \"../../../core/" "#include \"internal/core/" text "${text}")
    string(REPLACE "#include \"../../" "#include \"internal/primitives/" text "${text}")
    file(WRITE ${header} "${text}")
  endforeach()
]])
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

# SPDX-License-Identifier: Apache-2.0
# Debian packages by `cpack`: libonepass0.1, the shared library, and libonepass-dev, everything else. scripts/package makes
# them as Debian would have them (in /usr, with the libraries in the architecture's folder) and tests them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onepass)
set(CPACK_PACKAGE_VENDOR onepass)
# An address belongs to those who publish a package.
set(ONEPASS_PACKAGE_CONTACT "The onepass developers" CACHE STRING "Maintainer of the packages: NAME <ADDRESS>")
mark_as_advanced(ONEPASS_PACKAGE_CONTACT)
set(CPACK_PACKAGE_CONTACT "${ONEPASS_PACKAGE_CONTACT}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libonepass-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, the static library, and what CMake and pkg-config need.")
set(needed "")
if(ONEPASS_HAS_TBB)
  list(APPEND needed libtbb-dev)
endif()
if(TARGET onepass_shared)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
  set(runtime libonepass${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime})
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/shlibs.in debian/shlibs @ONLY)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_BINARY_DIR}/debian/shlibs;${PROJECT_SOURCE_DIR}/packaging/debian/triggers")
  set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
      "The shared library, which C, C++ and other languages call.")
  list(APPEND needed "${runtime} (= ${PROJECT_VERSION})")
endif()
list(JOIN needed ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
include(CPack)

# SPDX-License-Identifier: Apache-2.0
# vcpkg's port of the headers, from the source tree that it lies in: vcpkg install onepass --overlay-ports=packaging/vcpkg.
# CCCL's headers are the CUDA toolkit's, or those in ONEPASS_CCCL_DIR (an environment variable that the triplet passes on).
set(VCPKG_BUILD_TYPE release)  # headers alone
get_filename_component(SOURCE_PATH ${CURRENT_PORT_DIR}/../.. ABSOLUTE)
vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS -DONEPASS_CUDA=OFF -DONEPASS_TBB=OFF -DONEPASS_BUILD_LIBRARY=OFF -DONEPASS_BUILD_APPS=OFF -DONEPASS_BUILD_TESTS=OFF
          -DONEPASS_CCCL_DIR=$ENV{ONEPASS_CCCL_DIR})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/onepass)
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/lib)  # its pkg-config file names this machine's folders
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/share/doc)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)

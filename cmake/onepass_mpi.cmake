# SPDX-License-Identifier: Apache-2.0
# The target onepass::mpi: onepass's headers and MPI's, for <onepass/mpi.hpp>. Nothing else of onepass knows of MPI.
# Used by the build and by the installed package, which makes the target where a project asks for the component `mpi`.

# onepass_add_mpi([REQUIRED]): makes the target if an MPI is found. MPI's own C++ interface, which is obsolete, is left
# out.
function(onepass_add_mpi)
  find_package(MPI QUIET ${ARGN} COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND OR TARGET onepass_mpi)
    return()
  endif()
  add_library(onepass_mpi INTERFACE)
  add_library(onepass::mpi ALIAS onepass_mpi)
  target_compile_definitions(onepass_mpi INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  target_link_libraries(onepass_mpi INTERFACE onepass::headers MPI::MPI_CXX)
endfunction()

if(ONEPASS_MPI STREQUAL "AUTO")
  onepass_add_mpi()
elseif(ONEPASS_MPI)
  onepass_add_mpi(REQUIRED)
endif()

# SPDX-License-Identifier: Apache-2.0
# The target onepass::mpi: onepass's headers and MPI's, for <onepass/mpi.hpp>. Nothing else of onepass knows of MPI.
# Used by the build and by the installed package, which makes the target where a project asks for the component `mpi`.

# onepass_add_mpi([REQUIRED]): makes the target if an MPI is found. MPI's own C++ interface, which is obsolete, is left
# out.
function(onepass_add_mpi)
  find_package(MPI QUIET ${ARGN} COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    onepass_add_component(mpi "OMPI_SKIP_MPICXX=1;MPICH_SKIP_MPICXX=1" MPI::MPI_CXX)
  endif()
endfunction()

if(ONEPASS_MPI STREQUAL "AUTO")
  onepass_add_mpi()
elseif(ONEPASS_MPI)
  onepass_add_mpi(REQUIRED)
endif()

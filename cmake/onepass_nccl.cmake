# SPDX-License-Identifier: Apache-2.0
# The target onepass::nccl: onepass's headers and dlopen, for <onepass/nccl.hpp>. NCCL itself is opened when a program
# makes its first communicator, so there is nothing to find here. Used by the build, and by the installed package where a
# project asks for the component `nccl`.
function(onepass_add_nccl)
  if(NOT TARGET onepass_nccl)
    add_library(onepass_nccl INTERFACE)
    add_library(onepass::nccl ALIAS onepass_nccl)
    target_link_libraries(onepass_nccl INTERFACE onepass::headers ${CMAKE_DL_LIBS})
  endif()
endfunction()

if(ONEPASS_HAS_CUDA)
  onepass_add_nccl()
endif()

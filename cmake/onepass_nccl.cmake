# SPDX-License-Identifier: Apache-2.0
# The target onepass::nccl: onepass's headers and dlopen, for <onepass/nccl.hpp>. NCCL itself is opened when a program
# makes its first communicator, so there is nothing to find here. Used by the build, and by the installed package where a
# project asks for the component `nccl`.
onepass_add_component(nccl "" "${CMAKE_DL_LIBS}")

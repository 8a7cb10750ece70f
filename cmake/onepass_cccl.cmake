# SPDX-License-Identifier: Apache-2.0
# Finds CCCL's headers (Thrust, CUB, libcu++). Used by the build and by the installed package.

# onepass_find_cccl(<out>): the folder that holds thrust/, cub/ and cuda/, or <out>-NOTFOUND. With ONEPASS_CCCL_DIR it is
# there or nowhere (the folder itself, or where the wheel nvidia-cuda-cccl was unpacked). Otherwise it is the CUDA toolkit's,
# that of the project's nvcc first: CUDA 13 keeps them in include/cccl, CUDA 12 in include. The file looked for tells CCCL
# from the older, separate Thrust and libcu++.
function(onepass_find_cccl out)
  set(roots ${ONEPASS_CCCL_DIR})
  if(NOT roots)
    set(roots ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} ${CUDAToolkit_INCLUDE_DIRS} ${ARGN})
    if(DEFINED ENV{CUDA_PATH})
      list(APPEND roots $ENV{CUDA_PATH}/include)
    endif()
    list(APPEND roots /usr/local/cuda/include)
  endif()
  foreach(root IN LISTS roots)
    foreach(folder IN ITEMS ${root} ${root}/nvidia/cu13/include/cccl ${root}/cccl)
      if(EXISTS ${folder}/cuda/__cccl_config AND EXISTS ${folder}/thrust/version.h)
        set(${out} ${folder} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
  set(${out} ${out}-NOTFOUND PARENT_SCOPE)
endfunction()

# onepass_link_cccl(<target> <folder>): gives <target>'s users the headers. nvcc has the toolkit's on its own path already;
# g++ needs them named, and a Thrust without CUDA behind it: its "device" is then the host.
function(onepass_link_cccl target folder)
  target_include_directories(${target} SYSTEM INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${folder}>>)
  if(ONEPASS_CCCL_DIR)
    # No system folder, which would stand behind the toolkit's own. CCCL's headers say themselves that they are the system's.
    target_compile_options(${target} INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-I${folder}>>)
  endif()
endfunction()

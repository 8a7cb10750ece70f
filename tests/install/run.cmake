# SPDX-License-Identifier: Apache-2.0
# The steps of the test install.package.cpu.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${work_dir})
set(flags)
if(sanitize)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${sanitize})
endif()
if(cccl_dir)
  list(APPEND flags -DONEPASS_CCCL_DIR=${cccl_dir})
endif()
step(${CMAKE_COMMAND} --install ${binary_dir} --prefix ${work_dir}/prefix)
step(${CMAKE_COMMAND} -S ${source_dir} -B ${work_dir}/build -G ${generator} -DCMAKE_BUILD_TYPE=${build_type}
     -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${work_dir}/prefix ${flags})
step(${CMAKE_COMMAND} --build ${work_dir}/build)
step(${work_dir}/build/library_consumer)
step(${work_dir}/build/header_consumer)

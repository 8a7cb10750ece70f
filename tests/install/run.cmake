# SPDX-License-Identifier: Apache-2.0
# The steps of the tests install.*, by what CMakeLists.txt gives:
#   binary_dir             installs that build to `prefix`
#   debian                 makes that build's Debian packages by `cpack`, and installs them in a root, which is then `prefix`;
#                          the shared library's says that it `depends` on this
#   pkg_config             compiles the consumers by what it says, with the modules in `libdir`
#   source_dir, programs   configures and builds that project, and runs its programs; `targets`: builds those alone
#   installs               what is there when that project is installed; all other files of a `bin` or `include` are wrong
#   alone                  compiles that file by the compiler alone, and runs it
#   headers                compiles files that include these, forwards and backwards
#   refused, header, by    with the options `by` that header is refused by an error that says this, before all others
#   checked                checks these files as one, by `standard`; `nvcc`: by that compiler
#   examples_of            makes the one file that is checked of this document's examples, by `python`
# Lists have commas.
cmake_policy(VERSION 3.25)
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${work_dir})
file(MAKE_DIRECTORY ${work_dir})
foreach(given IN ITEMS programs targets installs options headers checked)
  string(REPLACE "," ";" ${given} "${${given}}")
endforeach()

if(binary_dir)
  file(REMOVE_RECURSE ${prefix})
  step(${CMAKE_COMMAND} --install ${binary_dir} --prefix ${prefix})
endif()

if(debian)
  step(${cpack} --config ${debian}/CPackConfig.cmake -B ${work_dir}/packages)
  file(GLOB packages ${work_dir}/packages/*.deb)
  file(GLOB runtime ${work_dir}/packages/libonepass[0-9]*.deb)
  execute_process(COMMAND dpkg-deb --field ${runtime} Depends OUTPUT_VARIABLE says COMMAND_ERROR_IS_FATAL ANY)
  if(NOT says MATCHES "${depends}")
    message(FATAL_ERROR "the package of the shared library depends on ${says}")
  endif()
  set(root ${work_dir}/root)
  file(MAKE_DIRECTORY ${root}/var/lib/dpkg/updates ${root}/var/lib/dpkg/info)
  file(TOUCH ${root}/var/lib/dpkg/status ${root}/var/lib/dpkg/available)
  # What the packages depend on is outside that root.
  step(dpkg --root=${root} --force-not-root --force-depends --force-script-chrootless --log=${work_dir}/dpkg.log -i ${packages})
  set(prefix ${root}/usr)
endif()

if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${libdir}/pkgconfig)
  set(ENV{LD_LIBRARY_PATH} ${prefix}/${libdir})
  foreach(module IN ITEMS onepass onepass-headers)
    execute_process(COMMAND ${pkg_config} --cflags --libs ${module} OUTPUT_VARIABLE says COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(says UNIX_COMMAND ${says})
    set(program library_consumer)
    if(module STREQUAL "onepass-headers")
      set(program header_consumer)
    endif()
    step(${compiler} -std=c++17 ${CMAKE_CURRENT_LIST_DIR}/consumer/${program}.cpp ${says} -o ${work_dir}/${program})
    step(${work_dir}/${program})
  endforeach()
endif()

if(source_dir)
  set(flags -DCMAKE_BUILD_TYPE=${build_type} -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${prefix} ${options})
  if(sanitize)
    list(APPEND flags -DCMAKE_CXX_FLAGS=-fsanitize=${sanitize})
  endif()
  if(cccl_dir)
    list(APPEND flags -DONEPASS_CCCL_DIR=${cccl_dir})
  endif()
  if(onepass_dir)
    list(APPEND flags -DONEPASS_DIR=${onepass_dir})
  endif()
  step(${CMAKE_COMMAND} -S ${source_dir} -B ${work_dir}/build -G ${generator} ${flags})
  if(NOT targets)
    set(targets ${programs})
    if(installs)
      set(targets all)
    endif()
  endif()
  step(${CMAKE_COMMAND} --build ${work_dir}/build --target ${targets})
endif()
foreach(program IN LISTS programs)
  step(${work_dir}/build/${program})
endforeach()

if(installs)
  step(${CMAKE_COMMAND} -E touch ${work_dir}/build/program)  # where it was not built
  step(${CMAKE_COMMAND} --install ${work_dir}/build --prefix ${work_dir}/prefix)
  file(GLOB_RECURSE installed RELATIVE ${work_dir}/prefix ${work_dir}/prefix/*)
  foreach(file IN LISTS installs)
    if(NOT file IN_LIST installed)
      message(FATAL_ERROR "${file} was not installed, but ${installed}")
    endif()
  endforeach()
  if(NOT installs MATCHES "onepass" AND NOT installed STREQUAL installs)
    message(FATAL_ERROR "not only ${installs} was installed, but ${installed}")
  endif()
endif()

# As somebody types it: no system folder for onepass, so its warnings are shown.
if(NOT standard)
  set(standard 17)
endif()
set(compile ${compiler} -std=c++${standard} -I${prefix}/include -isystem ${cccl}
    -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP)
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror)

if(alone)
  step(${compile} ${warnings} ${alone} -pthread -o ${work_dir}/program)
  step(${work_dir}/program)
endif()

if(headers)  # forwards and backwards: each two of them in both orders
  foreach(order IN ITEMS forwards backwards)
    list(TRANSFORM headers REPLACE "(.+)" "#include <onepass/\\1>\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" text)
    file(WRITE ${work_dir}/${order}.cpp "${text}int main() {}\n")
    step(${compile} ${warnings} -fsyntax-only ${work_dir}/${order}.cpp)
    list(REVERSE headers)
  endforeach()
endif()

if(refused)
  file(WRITE ${work_dir}/refused.cpp "#include <onepass/${header}>\n")
  string(REPLACE "," ";" by "${by}")
  execute_process(COMMAND ${compile} ${by} -fsyntax-only ${work_dir}/refused.cpp ERROR_VARIABLE says RESULT_VARIABLE result)
  string(REGEX MATCH "error: [^\n]*" first "${says}")
  if(result EQUAL 0 OR NOT first MATCHES "${refused}")
    message(FATAL_ERROR "${header} with ${by} is not refused by '${refused}', but: ${says}")
  endif()
endif()

if(examples_of)
  step(${python} ${CMAKE_CURRENT_LIST_DIR}/../docs/extract_examples.py ${checked} ${examples_of})
endif()
if(checked)
  list(TRANSFORM checked REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN checked "" text)
  file(WRITE ${work_dir}/checked.cpp "${text}")
  if(nvcc)
    step(${nvcc} -std=c++${standard} -arch=sm_90 -ptx -I${prefix}/include -x cu ${work_dir}/checked.cpp
         -o ${work_dir}/checked.ptx)
  else()
    step(${compile} ${warnings} -fsyntax-only ${work_dir}/checked.cpp)
  endif()
endif()

# SPDX-License-Identifier: Apache-2.0
# onepass_add_component(<name> <definitions> <libraries>): makes the target onepass::<name>, the headers with what one of them
# needs. From the installed package it is an imported target, as the others are, so that a project that links it can export
# its own targets.
function(onepass_add_component name definitions libraries)
  if(TARGET onepass::${name})
    return()
  endif()
  if(TARGET onepass_headers)  # the build itself
    set(target onepass_${name})
    add_library(${target} INTERFACE)
    add_library(onepass::${name} ALIAS ${target})
  else()
    set(target onepass::${name})
    add_library(${target} INTERFACE IMPORTED)
  endif()
  target_compile_definitions(${target} INTERFACE ${definitions})
  target_link_libraries(${target} INTERFACE onepass::headers ${libraries})
endfunction()

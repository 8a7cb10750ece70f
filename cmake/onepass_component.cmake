# SPDX-License-Identifier: Apache-2.0
# onepass_add_component(<name> <definitions> <libraries>): makes the target onepass::<name>, the headers with what one of them
# needs. It is an imported target, in the build itself, too, so that a project that links it can export its own targets. It
# is seen where onepass::headers is.
function(onepass_add_component name definitions libraries)
  if(TARGET onepass::${name})
    return()
  endif()
  set(seen "")
  if(TARGET onepass_headers)  # the build itself
    set(seen GLOBAL)
  endif()
  add_library(onepass::${name} INTERFACE IMPORTED ${seen})
  target_compile_definitions(onepass::${name} INTERFACE ${definitions})
  target_link_libraries(onepass::${name} INTERFACE onepass::headers ${libraries})
endfunction()

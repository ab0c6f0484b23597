# libwoa.a: one object with all of woa_library, whose only global symbols are the functions of woa.h, as in libwoa.so:
# classes inside have names that woa.hpp uses, too.
set(archives woa_library)  # and each archive of this project that it needs
set(unseen ${archives})
while(unseen)
  list(POP_FRONT unseen archive)
  get_target_property(needs ${archive} LINK_LIBRARIES)
  foreach(need IN LISTS needs)
    if(TARGET ${need} AND NOT need IN_LIST archives)
      get_target_property(type ${need} TYPE)
      get_target_property(imported ${need} IMPORTED)
      if(type STREQUAL "STATIC_LIBRARY" AND NOT imported)
        list(APPEND archives ${need})
        list(APPEND unseen ${need})
      endif()
    endif()
  endforeach()
endwhile()

# What a program links beside it, as a linker knows it in any prefix.
set(libraries protobuf-lite spdlog fmt yaml pthread dl stdc++ m)
if(WOA_HAVE_OPENSSL)
  list(APPEND libraries crypto)
endif()

list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
set(object ${CMAKE_CURRENT_BINARY_DIR}/woa.o)
# Sections of no group: a program may have the same inline functions, and would discard those that local symbols need.
# objcopy makes no unique symbol local, but a weak one.
add_custom_command(OUTPUT ${object}
  COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -o ${object} -Wl,--force-group-allocation
          -Wl,--whole-archive $<TARGET_FILE:woa_library> -Wl,--no-whole-archive -Wl,--start-group ${files} -Wl,--end-group
  COMMAND sh -c "${CMAKE_NM} --extern-only --defined-only '${object}' | sed -n 's/.* u //p' >'${object}.unique'"
  COMMAND ${CMAKE_OBJCOPY} --weaken-symbols=${object}.unique ${object}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=woa_* ${object}
  DEPENDS ${archives} VERBATIM)
add_library(woa_static STATIC ${object})
target_include_directories(woa_static INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(woa_static INTERFACE ${libraries})
set_target_properties(woa_static PROPERTIES OUTPUT_NAME woa EXPORT_NAME woa LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
add_dependencies(programs woa_static)

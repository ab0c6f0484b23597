# `cmake --install`: the library with its headers, the programs, the kernels, and what other builds find them by. The
# library finds the rest by paths relative to its own file, so a prefix may be moved.
include(CMakePackageConfigHelpers)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # `programs` is enough: tests are not installed
set(woa_data ${CMAKE_INSTALL_LIBDIR}/woa)
set(woa_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/woa)
get_target_property(woa_public woa::woa ALIASED_TARGET)
target_compile_features(${woa_public} INTERFACE cxx_std_20)  # of woa.hpp; projects in C alone do not notice

# Each component is a Debian package (cmake/WoaPackages.cmake): programs with their data, library, dev.
install(TARGETS woa woa-bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs OPTIONAL)
foreach(folder kernels bench/kernels)
  cmake_path(GET folder PARENT_PATH parent)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/${folder} DESTINATION ${woa_data}/${parent} COMPONENT programs FILES_MATCHING
          PATTERN kernel.yaml PATTERN unavailable.txt PATTERN *.so PATTERN *.cl PATTERN *.cu PATTERN *.ptx PATTERN CMakeFiles EXCLUDE)
endforeach()
install(FILES tools/completion/woa.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT programs RENAME woa)
install(FILES tools/completion/woa.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT programs)
foreach(folder site-functions vendor-completions)  # the second is Debian's below /usr
  install(FILES tools/completion/_woa DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder} COMPONENT programs)
endforeach()
set(woa_manuals ${PROJECT_BINARY_DIR}/man)
add_custom_command(OUTPUT ${woa_manuals}/woa.1
  COMMAND ${CMAKE_COMMAND} -DWOA=$<TARGET_FILE:woa> -DFOLDER=${woa_manuals} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/WoaManuals.cmake
  DEPENDS woa woa-bench cmake/WoaManuals.cmake VERBATIM)
add_custom_target(manuals DEPENDS ${woa_manuals}/woa.1)
add_dependencies(programs manuals)
install(DIRECTORY ${woa_manuals}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/report DESTINATION ${woa_data} COMPONENT programs FILES_MATCHING PATTERN *.html)

# Documents lie as in the source tree, so that their links lead somewhere, and so do the schemas that the examples name.
set(woa_documents ${CMAKE_INSTALL_DATADIR}/doc/woa)
install(DIRECTORY docs DESTINATION ${woa_documents} COMPONENT programs FILES_MATCHING PATTERN *.md PATTERN *.svg)
foreach(file README.md CONTRIBUTING.md LICENSE tools/packages.txt controllers/fpga/README.md controllers/fpga/card/README.md
    tests/integration/semantics/README.md)
  cmake_path(GET file PARENT_PATH folder)
  install(FILES ${file} DESTINATION ${woa_documents}/${folder} COMPONENT programs)
endforeach()
install(DIRECTORY graphs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/woa/examples COMPONENT programs PATTERN *.so EXCLUDE)
install(DIRECTORY compiler/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/woa/compiler COMPONENT programs FILES_MATCHING PATTERN *.json)

set(woa_components programs library dev)
set(woa_packages woa libwoa1 libwoa-dev)
foreach(component package IN ZIP_LISTS woa_components woa_packages)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} RENAME copyright)
endforeach()

install(TARGETS ${woa_public} EXPORT woa
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(DIRECTORY include/woa DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(FILES kernels/woa_cuda.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/woa COMPONENT dev)

install(EXPORT woa NAMESPACE woa:: DESTINATION ${woa_cmake} COMPONENT dev FILE woaTargets.cmake)
configure_package_config_file(cmake/woaConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/woaConfig.cmake INSTALL_DESTINATION ${woa_cmake})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/woaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/woaConfig.cmake ${PROJECT_BINARY_DIR}/cmake/woaConfigVersion.cmake
        DESTINATION ${woa_cmake} COMPONENT dev)

set(woa_private_libs)
if(WOA_STATIC)
  get_target_property(woa_private_libs ${woa_public} INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM woa_private_libs PREPEND "-l")
  list(JOIN woa_private_libs " " woa_private_libs)
endif()
file(RELATIVE_PATH woa_prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(cmake/woa.pc.in ${PROJECT_BINARY_DIR}/cmake/woa.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/woa.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

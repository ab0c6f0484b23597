# `cmake --install`: the library with its headers, the programs, the kernels, and what other builds find them by. The
# library finds the rest by paths relative to its own file, so a prefix may be moved.
include(CMakePackageConfigHelpers)
set(woa_data ${CMAKE_INSTALL_LIBDIR}/woa)

install(TARGETS woa_shared EXPORT woa LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS woa woa-bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
install(FILES include/woa/woa.h include/woa/woa.hpp include/woa/woa_kernel.h include/woa/woa_kernel.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/woa)
foreach(kernels kernels bench/kernels)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/${kernels} DESTINATION ${woa_data}/${kernels}/.. FILES_MATCHING
          PATTERN kernel.yaml PATTERN unavailable.txt PATTERN *.so PATTERN *.cl PATTERN CMakeFiles EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/report DESTINATION ${woa_data} FILES_MATCHING PATTERN *.html)

install(EXPORT woa NAMESPACE woa:: DESTINATION ${woa_data}/cmake FILE woaTargets.cmake)
configure_package_config_file(cmake/woaConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/woaConfig.cmake INSTALL_DESTINATION ${woa_data}/cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/woaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/woaConfig.cmake ${PROJECT_BINARY_DIR}/cmake/woaConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/woa)

file(RELATIVE_PATH woa_prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(cmake/woa.pc.in ${PROJECT_BINARY_DIR}/cmake/woa.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/woa.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

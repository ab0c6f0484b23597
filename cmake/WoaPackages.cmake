# Debian packages by CPack (`make deb`): libwoa1, libwoa-dev and woa, in <build>/packages. Files lie in /usr/lib, where
# the build's relative paths fit. WOA_MAINTAINER is who answers for the packages.
set(WOA_MAINTAINER "unknown maintainer <root@localhost>" CACHE STRING "Maintainer of the Debian packages, as `Name <address>`")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "${WOA_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(woa_same_version "(= ${PROJECT_VERSION})")

# woa_package(COMPONENT name section "summary" "description")
function(woa_package component name section summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
endfunction()
woa_package(programs woa utils "Compiles and runs task graphs on CPU, GPU and FPGA controllers"
  "Each stage writes its result into the memory of the next one.\nThis package holds the program woa, its benchmarks, the kernels,\ndocuments and examples.")
woa_package(library libwoa1 libs "Task graphs on CPU, GPU and FPGA controllers, in a program"
  "The library compiles a graph and runs it, in the process of the\nprogram or with a process per controller.")
woa_package(dev libwoa-dev libdevel "Task graphs on CPU, GPU and FPGA controllers: headers"
  "The C and C++ headers of libwoa1, and of kernels.")
# Libraries that woa loads at first use.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "ocl-icd-libopencl1, libfabric1")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "coinor-libcbc3, libpmix2, pocl-opencl-icd")
# Plans and the messages between processes are of one version, and a library without kernels runs nothing.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "woa ${woa_same_version}")
# CPack itself would look for libraries among the kernels, too.
file(WRITE ${PROJECT_BINARY_DIR}/cmake/shlibs "libwoa 1 libwoa1 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/cmake/shlibs)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libwoa1 ${woa_same_version}")
set(CPACK_COMPONENTS_ALL ${woa_components})
include(CPack)

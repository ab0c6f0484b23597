# Every library that the project links. A missing required one stops the configuration. An optional one sets
# WOA_HAVE_<NAME>, WOA_<NAME>_INCLUDE and WOA_<NAME>_LIBRARY. WOA_WHY_NOT_<NAME> holds the reason why it is absent, half
# installed or broken, which `woa devices` prints. tools/packages.txt lists the Debian packages of both.
include(WoaFind)
include(WoaVerilator)
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
find_path(WOA_LIBYAML_INCLUDE yaml.h REQUIRED)
find_library(WOA_LIBYAML_LIBRARY yaml REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)

woa_find_program(WOA_CCACHE ccache)

woa_find_library(OPENSSL PACKAGE "OpenSSL (libssl-dev)" HEADERS openssl/evp.h openssl/hmac.h LIBRARIES crypto USE "EVP_CIPHER_CTX_new()"
                 TARGET OpenSSL::Crypto)
woa_find_library(JPEG PACKAGE "libjpeg-turbo (libjpeg-dev)" HEADERS jpeglib.h LIBRARIES jpeg USE "jpeg_std_error(nullptr)" TARGET JPEG::JPEG)
woa_find_library(PNG PACKAGE "libpng (libpng-dev)" HEADERS png.h LIBRARIES png USE "png_access_version_number()" TARGET PNG::PNG)

# These need headers only: the program loads the library at first use.
woa_find_library(OFI PACKAGE "libfabric (libfabric-dev)" HEADERS rdma/fabric.h USE "fi_info* info = nullptr; (void)info")
woa_find_library(CBC PACKAGE "CBC (coinor-libcbc-dev)" HEADERS coin/Cbc_C_Interface.h USE "Cbc_Model* model = nullptr; (void)model")
woa_find_library(PMIX PACKAGE "PMIx (libpmix-dev)" HEADERS pmix.h SUFFIXES ../lib/${CMAKE_LIBRARY_ARCHITECTURE}/pmix2/include  # Debian's
                 USE "pmix_proc_t* process = nullptr; (void)process")

# Devices: AUTO uses what is installed, ON requires it, OFF leaves it out.
macro(woa_check_device name option)
  if("${${option}}" STREQUAL "ON" AND NOT WOA_HAVE_${name})
    message(FATAL_ERROR "${option}=ON, but ${WOA_WHY_NOT_${name}}")
  endif()
endmacro()
if(WOA_WITH_OPENCL STREQUAL "OFF")
  woa_optional(OPENCL "left out of this build (WOA_WITH_OPENCL=OFF)")
else()
  woa_find_library(OPENCL PACKAGE "an OpenCL ICD loader (ocl-icd-opencl-dev, opencl-headers)" HEADERS CL/cl.h LIBRARIES OpenCL
                   USE "clGetPlatformIDs(0, nullptr, nullptr)")
endif()
woa_check_device(OPENCL WOA_WITH_OPENCL)
if(WOA_WITH_VERILATOR STREQUAL "OFF")
  woa_optional(VERILATOR "left out of this build (WOA_WITH_VERILATOR=OFF)")
else()
  woa_find_verilator(woa_why_not "Verilator (verilator)")
  woa_optional(VERILATOR "${woa_why_not}")
endif()
woa_check_device(VERILATOR WOA_WITH_VERILATOR)

# Peers of the benchmarks, each in its own program. Sanitizers would find nothing there but memory that the libraries
# keep.
if(WOA_SANITIZE)
  foreach(name MPI UCX ZEROMQ GRPC TASKFLOW TBB)
    woa_optional(${name} "left out of this build (WOA_SANITIZE)")
  endforeach()
else()
  woa_find_mpi(PACKAGE "Open MPI (openmpi-bin, libopenmpi-dev)" TARGET MPI::MPI_CXX)
  woa_find_library(UCX PACKAGE "UCX (libucx-dev)" HEADERS ucp/api/ucp.h LIBRARIES ucp ucs
                   USE "ucp_get_version_string(); ucs_status_string(UCS_OK)")
  woa_find_library(ZEROMQ PACKAGE "ZeroMQ (libzmq3-dev)" HEADERS zmq.h LIBRARIES zmq USE "zmq_ctx_new()")
  woa_find_library(TASKFLOW PACKAGE "Taskflow" HEADERS taskflow/taskflow.hpp USE "tf::Executor executor(1)")
  woa_find_library(TBB PACKAGE "oneTBB (libtbb-dev)" HEADERS tbb/flow_graph.h LIBRARIES tbb USE "tbb::flow::graph graph; graph.wait_for_all()")
  woa_find_library(GRPC PACKAGE "gRPC (libgrpc++-dev, protobuf-compiler-grpc)" HEADERS grpcpp/grpcpp.h LIBRARIES grpc++ gpr
                   PROGRAMS protoc grpc_cpp_plugin USE "grpc::Version()")
  if(WOA_HAVE_GRPC)
    list(POP_FRONT WOA_GRPC_PROGRAMS WOA_PROTOC WOA_PROTOC_GRPC)
    woa_runs(woa_error ${WOA_PROTOC} --proto_path=${CMAKE_CURRENT_LIST_DIR}/.. --grpc_out=${PROJECT_BINARY_DIR}/CMakeFiles
             --plugin=protoc-gen-grpc=${WOA_PROTOC_GRPC} bench/peers/echo.proto)
    woa_reason(woa_why_not "gRPC (protobuf-compiler-grpc)" "" "" "${woa_error}")
    woa_optional(GRPC "${woa_why_not}")
  endif()
endif()

if(WOA_BUILD_TESTS)
  find_package(Catch2 REQUIRED)  # version 2.13 or 3
  find_package(yaml-cpp REQUIRED)  # reads kernel.yaml independently of the compiler
  if(TARGET yaml-cpp::yaml-cpp)
    set(WOA_YAML yaml-cpp::yaml-cpp)
  else()
    set(WOA_YAML yaml-cpp)
  endif()
  woa_find_library(RAPIDCHECK PACKAGE "rapidcheck (librapidcheck-dev)" HEADERS rapidcheck.h LIBRARIES rapidcheck
                   USE "rc::check([](int) {})")
  woa_find_library(VALIJSON PACKAGE "valijson (libvalijson-dev)" HEADERS valijson/validator.hpp USE "valijson::Validator validator")
  woa_find_program(WOA_YOSYS yosys)
endif()

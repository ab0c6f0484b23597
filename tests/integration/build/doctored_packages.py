"""Stand-ins of all optional packages in a folder of their own, whole or with parts missing or broken.

CMake is told to look for optional packages there alone, so that the test does not depend on what the machine has; required ones it
takes from where the build that the test belongs to found them.
"""
import os
import shutil
import subprocess

BUILD = os.environ["WOA_BUILD_DIR"]
REQUIRED = ("Protobuf_", "CLI11_DIR", "spdlog_DIR", "fmt_DIR", "nlohmann_json_DIR", "Catch2_DIR", "yaml-cpp_DIR", "WOA_LIBYAML_",
            "CMAKE_C_COMPILER:", "CMAKE_CXX_COMPILER:", "CMAKE_MAKE_PROGRAM:")
IN_C = 'extern "C" '

# Name in WOA_HAVE_<name>: its header, what the header says, its libraries, its programs.
PACKAGES = {
    "OPENSSL": ("openssl/evp.h", IN_C + "void* EVP_CIPHER_CTX_new();", ["crypto"], []),
    "JPEG": ("jpeglib.h", IN_C + "void* jpeg_std_error(void*); inline std::size_t size;", ["jpeg"], []),
    "PNG": ("png.h", IN_C + "int png_access_version_number();", ["png"], []),
    "OFI": ("rdma/fabric.h", "struct fi_info;", [], []),
    "CBC": ("coin/Cbc_C_Interface.h", "struct Cbc_Model;", [], []),
    "PMIX": ("pmix.h", "struct pmix_proc_t;", [], []),
    "OPENCL": ("CL/cl.h", IN_C + "int clGetPlatformIDs(unsigned, void*, void*);", ["OpenCL"], []),
    "VERILATOR": ("verilated.h", "class VerilatedContext;", [], ["verilator_bin"]),
    "MPI": ("mpi.h", IN_C + "int MPI_Init(int*, char***);", ["mpi"], ["mpicxx"]),
    "UCX": ("ucp/api/ucp.h", IN_C + "const char* ucp_get_version_string(); extern \"C\" const char* ucs_status_string(int); enum { UCS_OK };",
            ["ucp", "ucs"], []),
    "ZEROMQ": ("zmq.h", IN_C + "void* zmq_ctx_new();", ["zmq"], []),
    "TASKFLOW": ("taskflow/taskflow.hpp", "namespace tf { struct Executor { explicit Executor(int) {} }; }", [], []),
    "TBB": ("tbb/flow_graph.h", IN_C + "int tbb_any(); namespace tbb::flow { struct graph { void wait_for_all() { tbb_any(); } }; }",
            ["tbb"], []),
    "GRPC": ("grpcpp/grpcpp.h", IN_C + "int grpc_any(); namespace grpc { inline int Version() { return grpc_any(); } }",
             ["grpc++", "gpr"], ["protoc", "grpc_cpp_plugin"]),
    "RAPIDCHECK": ("rapidcheck.h", IN_C + "int rc_any(); namespace rc { template <class T> int check(T) { return rc_any(); } }",
                   ["rapidcheck"], []),
    "VALIJSON": ("valijson/validator.hpp", "namespace valijson { class Validator {}; }", [], []),
}
SYMBOLS = ("EVP_CIPHER_CTX_new", "jpeg_std_error", "png_access_version_number", "clGetPlatformIDs", "MPI_Init", "ucp_get_version_string",
           "ucs_status_string", "zmq_ctx_new", "tbb_any", "grpc_any", "rc_any")
# Like Verilator's own package, this ends the configuration if it finds no program.
VERILATOR_PACKAGE = """
set(VERILATOR_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." CACHE PATH "")
find_program(VERILATOR_BIN verilator_bin)
if(NOT VERILATOR_BIN)
  message(FATAL_ERROR "Cannot find verilator_bin")
endif()
set(verilator_FOUND 1)
function(verilate name)
  target_sources(${name} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/model.cc")
endfunction()
"""
# It takes RTL unless this text is among the arguments. The mistake is the one of Verilator 5.032.
VERILATOR_PROGRAM = """#!/bin/sh
case "$*" in
  *"{refused}"*) echo 'In the module above:' >&2
     echo '%Error: Internal Error: {source}/core.sv:120:53: V3Delayed.cpp:937: Multiple Write refs on LHS of NBA' >&2
     exit 1 ;;
esac
"""


def cache_of_the_build():
    """The places where the build found required packages, as CMake code."""
    lines = []
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith(REQUIRED) and "-ADVANCED" not in line and "NOTFOUND" not in line:
                name, _, value = line.strip().partition("=")
                lines.append('set({} "{}" CACHE {} "")\n'.format(name.split(":")[0], value, name.split(":")[1]))
    return "".join(lines)


class Prefix:
    """The folder with the packages."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "prefix")
        self.programs = 0
        self.library = os.path.join(folder, "all.so")
        source = os.path.join(folder, "all.c")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(f"int {symbol}(void) {{ return 0; }}\n" for symbol in SYMBOLS)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, source], check=True)

    def path(self, *parts):
        path = os.path.join(self.folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def add_headers(self, names, text=None):
        for name in names:
            header, declarations, _, _ = PACKAGES[name]
            self.write(self.path("include", header), text or f"#pragma once\n{declarations}\n")
            if name == "OPENSSL":
                self.write(self.path("include/openssl/hmac.h"), "")

    def add_libraries(self, names, text=None):
        for name in names:
            for library in PACKAGES[name][2]:
                path = self.path("lib", f"lib{library}.so")
                if text is None:
                    shutil.copy(self.library, path)
                else:
                    self.write(path, text)
                    os.utime(path, (1, 1))  # times of files count seconds, and a configuration may take less

    def add_programs(self, names, code=0):
        """Programs that end with this code; Verilator's CMake package comes with its program's name only, as when that is missing."""
        for name in names:
            for program in PACKAGES[name][3]:
                says = f"echo c++ -I{self.path('include')} -L{self.path('lib')} -lmpi\n" if name == "MPI" else ""
                self.write_program(program, f"#!/bin/sh\n{says}exit {code}\n")

    def write_program(self, program, text):
        path = self.path("bin", program)
        self.write(path, text)
        os.chmod(path, 0o755)
        self.programs += 1
        os.utime(path, (self.programs, self.programs))  # as above

    def add_verilator_package(self):
        self.write(self.path("share/verilator/verilator-config.cmake"), VERILATOR_PACKAGE)
        self.write(self.path("share/verilator/model.cc"), "")

    def add_verilator_that_refuses(self, argument):
        self.add_headers(["VERILATOR"])
        self.add_verilator_package()
        self.write_program(PACKAGES["VERILATOR"][3][0], VERILATOR_PROGRAM.format(refused=argument, source=os.environ["WOA_SOURCE_DIR"]))

    def add_everything(self):
        self.add_headers(PACKAGES)
        self.add_libraries(PACKAGES)
        self.add_programs(PACKAGES)
        self.add_verilator_package()

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

#!/usr/bin/env python3
"""A project that contains this one's source: what it builds by itself, once for both ways to contain it."""
import os
import re
import shutil

from user_project import FIND, UserProject, documented, exported, folder_of
from harness import BUILD, SOURCE, main, read  # where user_project found it

CONTAINED = os.path.join(BUILD, "tests", "contained")
CONTAIN = {"add": "add_subdirectory(\"%s\" woa)" % SOURCE,
           "fetch": "include(FetchContent)\nFetchContent_Declare(woa SOURCE_DIR \"%s\" BINARY_DIR ${CMAKE_BINARY_DIR}/woa)\n"
                    "FetchContent_MakeAvailable(woa)" % SOURCE}
# Time matters, speed does not. The launcher (ccache) is the build's own.
QUICK = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0", "-DWOA_WITH_OPENCL=OFF", "-DWOA_WITH_VERILATOR=OFF"]


def launchers():
    cache = read(os.path.join(BUILD, "CMakeCache.txt"))
    return ["-D%s=%s" % found for found in re.findall(r"^(CMAKE_C(?:XX)?_COMPILER_LAUNCHER):[A-Z]+=(.+)$", cache, re.MULTILINE)]


class ContainedTest(UserProject):
    def contain(self, way, *options):
        """A project that contains this one, built: as little as its program needs, kept beside the tests for the next time."""
        os.makedirs(CONTAINED, exist_ok=True)
        shutil.copy(self.path("user/hello.cc"), CONTAINED)
        with open(os.path.join(CONTAINED, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(FIND % CONTAIN[way])
        self.run_command("cmake", "-S", CONTAINED, "-B", CONTAINED, *QUICK, *launchers(), *options)
        for target in ("hello", "woa", "copy"):
            self.run_command("cmake", "--build", CONTAINED, "--target", target, "--parallel", str(os.cpu_count()))
        return os.path.join(CONTAINED, "hello")

    def test_a_project_that_contains_this_one(self):
        self.says_hello(self.contain("add", "-DWOA_STATIC=OFF"))
        targets = self.run_command("cmake", "--build", CONTAINED, "--target", "help")
        self.assertNotIn("unit_compiler", targets)

    def test_a_static_library(self):
        """Its programs may lie anywhere: they find kernels and other processes by the `woa` in PATH."""
        program = self.contain("fetch", "-DWOA_STATIC=ON")
        self.says_hello(program, PATH=os.path.join(CONTAINED, "woa"))
        self.run_command("cmake", "--install", os.path.join(CONTAINED, "woa"), "--prefix", self.path("prefix"))
        libraries = folder_of("libwoa.a", self.path("prefix"))
        self.assertFalse(os.path.exists(os.path.join(libraries, "libwoa.so")))
        for program in (self.build_by_package(self.path("prefix")), self.build_by_flags(libraries, "--static")):
            self.says_hello(program, PATH=self.path("prefix/bin"))
            self.assertNotIn("libwoa", self.run_command("ldd", program))
        self.write("example.c", documented("c")[0])
        program = self.build_by_flags(libraries, "--static", compile_it=("cc", "-std=c11"), file="example.c")
        self.assertEqual(self.run_command(program, env=self.environment(PATH=self.path("prefix/bin"))), "hello\n")
        symbols = self.run_command("nm", "--extern-only", "--defined-only", os.path.join(libraries, "libwoa.a"))
        self.assertEqual(sorted(line.split()[-1] for line in symbols.splitlines() if re.search(" [A-Za-z] ", line)),
                         [name.split("@")[0] for name in exported() if "@" in name])


if __name__ == "__main__":
    main()

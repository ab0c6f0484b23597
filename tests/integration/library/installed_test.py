#!/usr/bin/env python3
"""The installed library: from a prefix that was moved, by each way in which builds find it; and its ABI, held against
tests/golden/library/abi.txt (WOA_REWRITE_GOLDEN=1 writes that anew)."""
import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["WOA_SOURCE_DIR"], "tests/integration/commands"))
from harness import BUILD, SOURCE, WoaTest, main, read  # noqa: E402

ABI = os.path.join(SOURCE, "tests", "golden", "library", "abi.txt")
CONTAINED = os.path.join(BUILD, "tests", "contained")
PROGRAM = """
#include <iostream>
#include <woa/woa.hpp>
#include <woa/woa_kernel.hpp>

int main(int, char** argv) {
  const woa::Plan plan = woa::Plan::compile(argv[1]);
  woa::Run run(plan, {{"processes", argv[2]}});
  std::cout << run.submit([](woa::Room& room) { room.write("hello"); }).get().text(0) << std::endl;
}
"""
GRAPH = """
woa: 1
graph: hello
inputs: {x: {type: bytes, max: 64}}
stages: {a: {kernel: copy, in: {data: x}}}
outputs: {y: a.data}
"""
FIND_FROM_C = """
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(woa 0.1 CONFIG REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE woa::woa)
"""
FIND = """
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C CXX)
%s
add_executable(hello hello.cc)
target_link_libraries(hello PRIVATE woa::woa)
"""
CONTAIN = {"add": "add_subdirectory(\"%s\" woa)" % SOURCE,
           "fetch": "include(FetchContent)\nFetchContent_Declare(woa SOURCE_DIR \"%s\" BINARY_DIR ${CMAKE_BINARY_DIR}/woa)\n"
                    "FetchContent_MakeAvailable(woa)" % SOURCE}
# Time matters, speed does not. The launcher (ccache) is the build's own.
QUICK = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0", "-DWOA_WITH_OPENCL=OFF", "-DWOA_WITH_VERILATOR=OFF"]


def launchers():
    cache = read(os.path.join(BUILD, "CMakeCache.txt"))
    return ["-D%s=%s" % found for found in re.findall(r"^(CMAKE_C(?:XX)?_COMPILER_LAUNCHER):[A-Z]+=(.+)$", cache, re.MULTILINE)]


def folder_of(name, prefix):
    return next(folder for folder, _, files in os.walk(prefix) if name in files)


def documented(language, file="docs/embedding.md"):
    """The examples of the documentation in a language."""
    text = read(os.path.join(SOURCE, file))
    return [rest.split("```")[0] for rest in text.split("```%s\n" % language)[1:]]


def exported():
    symbols = subprocess.run(["nm", "--dynamic", "--defined-only", os.path.join(BUILD, "libwoa.so")], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    return sorted(line.split()[-1] for line in symbols.splitlines())


def public_structs():
    """Each structure of the public headers, with the names of its members."""
    for header in ("woa_kernel.h", "woa.h"):
        text = re.sub(r"/\*.*?\*/", "", read(os.path.join(SOURCE, "include", "woa", header)), flags=re.DOTALL)
        for name, body in re.findall(r"typedef struct (\w+) \{(.*?)^\} \1;", text, re.DOTALL | re.MULTILINE):
            members = re.sub(r"\{[^}]*\}", " ", body).split(";")[:-1]
            functions = [re.search(r"\(\*(\w+)\)", member) for member in members]
            yield name, [name for member, function in zip(members, functions) for name in
                         ([function[1]] if function else re.findall(r"(\w+)(?:\[\w+\])?\s*(?:,|$)", member))]


class InstalledTest(WoaTest):
    def setUp(self):
        super().setUp()
        for folder in ("user", "home"):
            os.makedirs(self.path(folder))
        self.write("user/hello.cc", PROGRAM)
        self.write("graph.yaml", GRAPH)

    def run_command(self, *command, **more):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=1000, **more)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        return done.stdout

    def install(self):
        """The prefix, moved after it was installed."""
        self.run_command("cmake", "--install", BUILD, "--prefix", self.path("first"))
        os.rename(self.path("first"), self.path("moved"))
        return self.path("moved")

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": self.path("home"), **more}

    def says_hello(self, program, **more):
        for processes in ("one", "per-controller"):
            self.assertEqual(self.run_command(program, self.path("graph.yaml"), processes, env=self.environment(**more)), "hello\n")

    def build_by_package(self, prefix, project=FIND % "find_package(woa 0.1 CONFIG REQUIRED)", build="user/build"):
        self.write("user/CMakeLists.txt", project)
        self.run_command("cmake", "-S", self.path("user"), "-B", self.path(build), "-DCMAKE_PREFIX_PATH=" + prefix)
        self.run_command("cmake", "--build", self.path(build))
        return self.path(build + "/hello")

    def build_by_flags(self, libraries, *options, compile_it=("c++", "-std=c++20"), file="user/hello.cc"):
        if shutil.which("pkg-config") is None:
            self.skip("pkg-config", "pkg-config is not installed")
        environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(libraries, "pkgconfig"))
        flags = self.run_command("pkg-config", "--cflags", "--libs", *options, "woa", env=environment).split()
        self.run_command(*compile_it, "-o", self.path("by_flags"), self.path(file), *flags)
        return self.path("by_flags")

    def test_each_way_to_build_against_a_moved_prefix(self):
        prefix = self.install()
        libraries = folder_of("libwoa.so", prefix)
        self.says_hello(self.build_by_package(prefix))
        self.says_hello(self.build_by_flags(libraries), LD_LIBRARY_PATH=libraries)
        self.write("user/hello.c", documented("c")[0])
        self.assertEqual(self.run_command(self.build_by_package(prefix, FIND_FROM_C, "user/c"), env=self.environment()), "hello\n")
        woa = os.path.join(prefix, "bin", "woa")
        shutil.copytree(os.path.join(SOURCE, "graphs", "user-kernel"), self.path("kernel"), ignore=shutil.ignore_patterns("*.so"))
        self.run_command("cc", "-shared", "-fPIC", "-I" + os.path.join(prefix, "include"), "-o", self.path("kernel/threshold/libthreshold.so"),
                         self.path("kernel/threshold/threshold.c"))
        self.write("levels.bin", b"\001\177\200\377")
        self.run_command(woa, "run", self.path("kernel/graph.yaml"), "--in", "data=" + self.path("levels.bin"), "--out",
                         "data=" + self.path("marks.bin"), env=self.environment())
        self.assertEqual(read(self.path("marks.bin"), "rb"), b"\377\377\0\0")

    def test_an_older_standard_is_refused_with_the_option_to_set(self):
        done = subprocess.run(["c++", "-std=c++17", "-fsyntax-only", "-I", os.path.join(SOURCE, "include"), self.path("user/hello.cc")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertIn("woa.hpp needs C++20: compile with -std=c++20", done.stdout)

    def test_an_incomplete_prefix_names_what_is_missing_and_where(self):
        prefix = self.install()
        program = self.build_by_package(prefix)
        kernels = os.path.join(folder_of("libwoa.so", prefix), "woa", "kernels")
        for absent, processes in ((os.path.join(prefix, "bin", "woa"), "per-controller"), (kernels, "one")):
            os.rename(absent, absent + ".away")
            done = subprocess.run([program, self.path("graph.yaml"), processes], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env=self.environment(PATH=""), check=False, timeout=60)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(absent, done.stdout)

    def test_another_version_is_refused_with_the_one_that_is_here(self):
        prefix = self.install()
        self.write("user/CMakeLists.txt", FIND % "find_package(woa 0.2 CONFIG REQUIRED)")
        done = subprocess.run(["cmake", "-S", self.path("user"), "-B", self.path("user/build"), "-DCMAKE_PREFIX_PATH=" + prefix],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("0.2", done.stdout)
        self.assertIn("woaConfig.cmake, version: 0.1", done.stdout)

    def test_the_examples_of_the_documentation(self):
        cpp = ("c++", "-std=c++20")
        for file, language, command, outputs in (("docs/embedding.md", "cpp", cpp, ["hello\n", "42\n"]), ("README.md", "cpp", cpp, ["hello\n"]),
                                                 ("docs/embedding.md", "c", ("cc", "-std=c11"), ["hello\n"])):
            codes = documented(language, file)
            self.assertEqual(len(codes), len(outputs))
            for code, output in zip(codes, outputs):
                self.run_command(*command, "-Wall", "-Wextra", "-Werror", "-I", os.path.join(SOURCE, "include"), "-o", self.path("example"),
                                 self.write("example." + language, code),
                                 "-L" + BUILD, "-lwoa", "-Wl,-rpath," + BUILD)
                self.assertEqual(self.run_command(self.path("example"), cwd=SOURCE), output)

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

    def test_symbols_and_layouts_are_those_of_the_golden_file(self):
        found = exported()
        code = ["#include <stdio.h>", "#include \"woa/woa.h\"", "int main(void) {"]
        for struct, members in public_structs():
            code.append('printf("%s %%zu\\n", sizeof(%s));' % (struct, struct))
            code += ['printf("  %s %%zu\\n", offsetof(%s, %s));' % (member, struct, member) for member in members]
        self.write("layout.c", "\n".join([*code, "return 0; }"]))
        self.run_command("cc", "-std=c11", "-Wall", "-Werror", "-I", os.path.join(SOURCE, "include"), "-o", self.path("layout"), self.path("layout.c"))
        text = "\n".join(found) + "\n" + self.run_command(self.path("layout"))
        if os.environ.get("WOA_REWRITE_GOLDEN"):
            os.makedirs(os.path.dirname(ABI), exist_ok=True)
            with open(ABI, "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(text, read(ABI))

    def test_each_function_is_called_by_a_test(self):
        tests = "".join(read(file) for file in glob.glob(os.path.join(SOURCE, "tests/integration/library/*.[ch]*")))
        self.assertEqual([name for name in (symbol.split("@")[0] for symbol in exported())
                          if name.startswith("woa_") and name + "(" not in tests and name + "," not in tests], [])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The installed library: from a prefix that was moved, by each way in which builds find it; and its ABI, held against
tests/golden/library/abi.txt (WOA_REWRITE_GOLDEN=1 writes that anew)."""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["WOA_SOURCE_DIR"], "tests/integration/commands"))
from harness import BUILD, SOURCE, WoaTest, main, read  # noqa: E402

ABI = os.path.join(SOURCE, "tests", "golden", "library", "abi.txt")
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
FIND = """
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
%s
add_executable(hello hello.cc)
target_link_libraries(hello PRIVATE woa::woa)
"""
STRUCTS = {"woa_option": ("name", "value"),
           "woa_diagnostic": ("severity", "code", "file", "line", "column", "length", "text", "fix", "shown", "notes", "note_count"),
           "woa_port": ("name", "element", "rank", "dims", "max_bytes"),
           "woa_completion": ("instance", "user", "latency_ns", "status", "stage", "message", "outputs", "output_count"),
           "woa_run_setup": ("size", "options", "option_count", "on_completion", "user", "on_message"),
           "woa_statistics": ("size", "submitted", "succeeded", "failed", "in_flight", "kept", "latency_min_ns", "latency_p50_ns",
                              "latency_p99_ns", "latency_max_ns"),
           "woa_input": ("data", "bytes", "rank", "dims", "absent", "count", "elements"),
           "woa_output": ("data", "capacity", "bytes", "dims", "written", "count", "elements"),
           "woa_error": ("message",),
           "woa_param": ("name", "value"),
           "woa_firing": ("instance", "tag", "state", "scratch", "scratch_bytes"),
           "woa_kernel": ("abi", "create", "destroy", "size", "run", "retire", "state_bytes")}


class InstalledTest(WoaTest):
    def setUp(self):
        super().setUp()
        for folder in ("user", "add", "fetch", "home"):
            os.makedirs(self.path(folder))

    def run_command(self, *command, **more):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300, **more)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        return done.stdout

    def install(self):
        """The prefix, moved after it was installed."""
        self.run_command("cmake", "--install", BUILD, "--prefix", self.path("first"))
        os.rename(self.path("first"), self.path("moved"))
        return self.path("moved")

    def says_hello(self, program, libraries):
        self.write("graph.yaml", GRAPH)
        for processes in ("one", "per-controller"):
            environment = {"PATH": os.environ["PATH"], "HOME": self.path("home"), "LD_LIBRARY_PATH": libraries}
            self.assertEqual(self.run_command(program, self.path("graph.yaml"), processes, env=environment), "hello\n")

    def test_each_way_to_build_against_a_moved_prefix(self):
        prefix = self.install()
        libraries = next(folder for folder, _, files in os.walk(prefix) if "libwoa.so" in files)
        self.write("user/hello.cc", PROGRAM)
        self.write("user/CMakeLists.txt", FIND % "find_package(woa 0.1 CONFIG REQUIRED)")
        self.run_command("cmake", "-S", self.path("user"), "-B", self.path("user/build"), "-DCMAKE_PREFIX_PATH=" + prefix)
        self.run_command("cmake", "--build", self.path("user/build"))
        self.says_hello(self.path("user/build/hello"), libraries)
        if shutil.which("pkg-config"):
            environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(libraries, "pkgconfig"))
            flags = self.run_command("pkg-config", "--cflags", "--libs", "woa", env=environment).split()
        else:
            flags = ["-I" + os.path.join(prefix, "include"), "-L" + libraries, "-lwoa"]
        self.run_command("c++", "-std=c++20", "-o", self.path("by_flags"), self.path("user/hello.cc"), *flags)
        self.says_hello(self.path("by_flags"), libraries)
        woa = os.path.join(prefix, "bin", "woa")
        self.assertIn("hello: ok", self.run_command(woa, "check", self.path("graph.yaml"), env={"PATH": os.environ["PATH"], "HOME": self.path("home")}))

    def test_the_examples_of_the_documentation(self):
        text = read(os.path.join(SOURCE, "docs", "embedding.md"))
        for language, command, outputs in (("cpp", ("c++", "-std=c++20"), ["hello\n", "42\n"]), ("c", ("cc", "-std=c11"), ["hello\n"])):
            codes = [rest.split("```")[0] for rest in text.split("```%s\n" % language)[1:]]
            self.assertEqual(len(codes), len(outputs))
            for code, output in zip(codes, outputs):
                file = self.write("example." + language, code)
                self.run_command(*command, "-Wall", "-Wextra", "-Werror", "-I", os.path.join(SOURCE, "include"), "-o", self.path("example"), file,
                                 "-L" + BUILD, "-lwoa", "-Wl,-rpath," + BUILD)
                self.assertEqual(self.run_command(self.path("example")), output)

    def test_a_project_that_contains_this_one(self):
        """Its targets are there, without tests; building it would be building the project once more."""
        by = {"add": "add_subdirectory(%s woa)" % SOURCE,
              "fetch": "include(FetchContent)\nFetchContent_Declare(woa SOURCE_DIR %s)\nFetchContent_MakeAvailable(woa)" % SOURCE}
        for name, lines in by.items():
            with self.subTest(way=name):
                self.write(name + "/hello.cc", PROGRAM)
                self.write(name + "/CMakeLists.txt", FIND % lines)
                self.run_command("cmake", "-S", self.path(name), "-B", self.path(name + "/build"))
                makefiles = self.run_command("cmake", "--build", self.path(name + "/build"), "--target", "help")
                self.assertIn("woa_shared", makefiles)
                self.assertNotIn("unit_compiler", makefiles)

    def test_symbols_and_layouts_are_those_of_the_golden_file(self):
        symbols = self.run_command("nm", "--dynamic", "--defined-only", os.path.join(BUILD, "libwoa.so"))
        found = sorted(line.split()[-1] for line in symbols.splitlines())
        code = ["#include <stdio.h>", "#include \"woa/woa.h\"", "int main(void) {"]
        for struct, members in STRUCTS.items():
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


if __name__ == "__main__":
    main()

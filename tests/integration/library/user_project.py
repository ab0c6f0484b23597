"""A program of a user's, built in the ways that builds have to find the library."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["WOA_SOURCE_DIR"], "tests/integration/commands"))
from harness import BUILD, SOURCE, WoaTest, read  # noqa: E402

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
%s
add_executable(hello hello.cc)
target_link_libraries(hello PRIVATE woa::woa)
"""


def folder_of(name, prefix):
    return next(folder for folder, _, files in os.walk(prefix) if name in files)


def documented(language):
    """The examples of docs/embedding.md in a language."""
    text = read(os.path.join(SOURCE, "docs", "embedding.md"))
    return [rest.split("```")[0] for rest in text.split("```%s\n" % language)[1:]]


def exported():
    symbols = subprocess.run(["nm", "--dynamic", "--defined-only", os.path.join(BUILD, "libwoa.so")], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    return sorted(line.split()[-1] for line in symbols.splitlines())


class UserProject(WoaTest):
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

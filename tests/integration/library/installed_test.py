#!/usr/bin/env python3
"""The installed library: from a prefix that was moved, by each way in which builds find it; and its ABI, held against
tests/golden/library/abi.txt (WOA_REWRITE_GOLDEN=1 writes that anew)."""
import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from user_project import FIND, UserProject, documented, exported, folder_of
from harness import BUILD, SOURCE, main, read  # where user_project found it

ABI = os.path.join(SOURCE, "tests", "golden", "library", "abi.txt")
FIND_FROM_C = """
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(woa 0.1 CONFIG REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE woa::woa)
"""


def public_structs():
    """Each structure of the public headers, with the names of its members."""
    for header in ("woa_kernel.h", "woa.h"):
        text = re.sub(r"/\*.*?\*/", "", read(os.path.join(SOURCE, "include", "woa", header)), flags=re.DOTALL)
        for name, body in re.findall(r"typedef struct (\w+) \{(.*?)^\} \1;", text, re.DOTALL | re.MULTILINE):
            members = re.sub(r"\{[^}]*\}", " ", body).split(";")[:-1]
            functions = [re.search(r"\(\*(\w+)\)", member) for member in members]
            yield name, [name for member, function in zip(members, functions) for name in
                         ([function[1]] if function else re.findall(r"(\w+)(?:\[\w+\])?\s*(?:,|$)", member))]


class InstalledTest(UserProject):
    def install(self):
        """The prefix, moved after it was installed."""
        self.run_command("cmake", "--install", BUILD, "--prefix", self.path("first"))
        os.rename(self.path("first"), self.path("moved"))
        return self.path("moved")

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

    def test_documents_and_examples(self):
        prefix = self.install()
        documents, examples = (os.path.join(prefix, "share", *folder) for folder in (("doc", "woa"), ("woa", "examples")))
        pages = [os.path.join(folder, file) for folder, _, files in os.walk(documents) for file in files if file.endswith(".md")]
        self.assertLessEqual({os.path.join(documents, page) for page in ("README.md", "docs/tutorial.md", "docs/adr/README.md")}, set(pages))
        for page in pages:
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"^```.*?^```", "", read(page), flags=re.DOTALL | re.MULTILINE)):
                if "://" not in link:
                    self.assertTrue(os.path.exists(os.path.join(os.path.dirname(page), link)), f"{page}: {link}")
        woa = os.path.join(prefix, "bin", "woa")
        graphs = sorted(glob.glob(os.path.join(examples, "*.yaml")))
        self.assertEqual([os.path.basename(graph) for graph in graphs], sorted(os.path.basename(each) for each in glob.glob(
            os.path.join(SOURCE, "graphs", "*.yaml"))))
        devices = subprocess.run([woa, "devices", "--json"], stdout=subprocess.PIPE, check=True, env=self.environment()).stdout
        absent = tuple(f"[E0202]: kernel `{kernel['name']}` is not available" for kernel in json.loads(devices)["kernels"] if not kernel["available"])
        for graph in [*graphs, os.path.join(examples, "user-kernel", "graph.yaml")]:
            done = subprocess.run([woa, "check", graph], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=self.environment())
            errors = re.findall(r": error(\[.*)", done.stdout)
            self.assertTrue(all(error.startswith(absent) for error in errors), done.stdout)
            self.assertEqual(done.returncode, 1 if errors else 0, done.stdout)
            schema, = re.findall(r"^# \$schema: (\S+)$", read(graph), re.MULTILINE)
            self.assertTrue(os.path.exists(os.path.join(os.path.dirname(graph), schema)), graph)

    def test_a_new_kernel_finds_the_header_of_the_prefix(self):
        prefix = self.install()
        made = self.run_command(os.path.join(prefix, "bin", "woa"), "new-kernel", "scale", cwd=self.folder, env=self.environment())
        for line in [line for line in made.splitlines() if line.startswith("  ")]:
            self.run_command("sh", "-ec", line, cwd=self.folder, env=self.environment())
        self.assertIn("-I" + os.path.join(prefix, "include") + " ", made)

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
        for language, command, outputs in (("cpp", ("c++", "-std=c++20"), ["hello\n", "42\n"]), ("c", ("cc", "-std=c11"), ["hello\n"])):
            codes = documented(language)
            self.assertEqual(len(codes), len(outputs))
            for code, output in zip(codes, outputs):
                self.run_command(*command, "-Wall", "-Wextra", "-Werror", "-I", os.path.join(SOURCE, "include"), "-o", self.path("example"),
                                 self.write("example." + language, code),
                                 "-L" + BUILD, "-lwoa", "-Wl,-rpath," + BUILD)
                self.assertEqual(self.run_command(self.path("example"), cwd=SOURCE), output)

    def test_headers_give_no_warning_to_programs_that_ask_for_many(self):
        kernel = """
            static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
              (void)self, (void)firing;
              return woa_claim(&outs[0], "y", ins[0].bytes, error);
            }
            WOA_KERNEL_TABLE(.run = run)"""
        cpp = """
            #include <woa/woa_kernel.hpp>
            void use(woa::Run &run);
            void use(woa::Run &run) {
              (void)run.submit([](woa::Room &room) { room.write(room.all<const float>()); }).get().data<float>(0);
              woa::register_kernel("k", {{"x", "n"}, {"y", "n", 64}}, [](std::span<const float>, std::span<float>) {});
            }"""
        strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror", "-fsyntax-only",
                  "-I" + os.path.join(SOURCE, "include")]
        old = ["-Wold-style-cast", "-Wzero-as-null-pointer-constant", "-Wswitch-enum"]
        file = self.write("strict.c", "#include <woa/woa.h>\n" + kernel + "\n")
        both = self.write("strict.cpp", cpp + "\n" + kernel + "\n")
        compilers = [(cc, cxx, more) for cc, cxx, more in (("gcc", "g++", ["-Wuseless-cast"]), ("clang", "clang++", ["-Wcomma"]))
                     if shutil.which(cxx)]
        for cc, cxx, more in compilers:
            self.run_command(cc, "-std=c11", *strict, file)
            self.run_command(cxx, "-x", "c++", "-std=c++11", *strict, *old, *([] if cc == "clang" else more), file)
            self.run_command(cxx, "-std=c++20", *strict, *old, *more, both)

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

#!/usr/bin/env python3
"""The lints can fail: each is shown small trees that break one rule, and one that breaks none."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import format as formatting
import layers
import readme
import readme_lines
import style

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def problems(lint, files):
    """The problems that `lint` finds in a tree of these files ({path: text})."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return lint(root)[0]


class Layers(unittest.TestCase):
    def check(self, path, include, ok):
        found = problems(layers.lint, {path: f"#include {include}\n"})
        self.assertEqual(found == [], ok, f"{path} includes {include}: {found}")

    def test_what_the_table_forbids(self):
        for path, include in [
                ("runtime/base/status.cc", '"runtime/plan/plan.h"'),
                ("runtime/packet/codec.cc", '"runtime/transport/channel.h"'),
                ("runtime/plan/plan.cc", '"compiler/compiler.h"'),
                ("runtime/transport/channel.h", '"runtime/transport/shm/shm_transport.h"'),
                ("runtime/transport/shm/ring.cc", '"runtime/transport/loopback/loopback_transport.h"'),
                ("runtime/memory/block_pool.h", '"runtime/transport/channel.h"'),
                ("runtime/transport/channel.h", '"runtime/messaging/onesided/region.h"'),
                ("runtime/messaging/onesided/region.cc", '"runtime/transport/shm/shm_transport.h"'),
                ("runtime/messaging/onesided/region.cc", '"runtime/plan/plan.h"'),
                ("runtime/transport/channel.h", '"runtime/messaging/packing/packer.h"'),
                ("runtime/messaging/packing/packer.cc", '"runtime/transport/shm/shm_transport.h"'),
                ("runtime/messaging/packing/packer.cc", '"runtime/messaging/onesided/update.h"'),
                ("runtime/messaging/link.cc", '"runtime/messaging/packing/packer.h"'),
                ("runtime/call_models/fan_out.cc", '"runtime/controller/layout.h"'),
                ("runtime/controller/controller.cc", '"runtime/node/node.h"'),
                ("runtime/controller/controller.cc", '"controllers/cpu/cpu_backend.h"'),
                ("runtime/node/node.cc", '"runtime/transport/shm/shm_transport.h"'),
                ("runtime/node/node.cc", '"controllers/cpu/cpu_backend.h"'),
                ("controllers/cpu/backend.cc", '"controllers/gpu/opencl/backend.h"'),
                ("controllers/gpu/opencl/backend.cc", '"runtime/node/node.h"'),
                ("controllers/gpu/opencl/backend.cc", '"runtime/transport/channel.h"'),
                ("controllers/fpga/verilator/backend.cc", '"compiler/compiler.h"'),
                ("controllers/fpga/generated/wact_interface.h", '"controllers/fpga/verilator/backend.h"'),
                ("compiler/emit/emit.cc", '"controllers/cpu/cpu_backend.h"'),
                ("compiler/emit/emit.cc", '"runtime/transport/channel.h"'),
                ("compiler/diagnostics/report.h", '"compiler/compiler.h"'),
                ("compiler/check/flow.cc", '"compiler/buffers/blocks.h"'),
                ("compiler/place/place.cc", '"compiler/predict/prediction.h"'),
                ("compiler/place/solver/solve.cc", '"compiler/place/copies.h"'),
                ("tools/woa/main.cc", '"compiler/diagnostics/report.h"'),
                ("kernels/copy/copy.cc", '"runtime/base/status.h"'),
                ("kernels/copy/copy.cc", '"kernels/invert/invert.h"'),
                ("tests/unit/a_test.cc", '"tools/woa/run.h"'),
                ("bench/micro/a.cc", '"tools/woa/run.h"'),
                ("runtime/base/status.cc", '"status.h"'),
                ("elsewhere/a.cc", '"runtime/base/status.h"'),
        ]:
            self.check(path, include, ok=False)

    def test_libraries_stay_where_they_belong(self):
        for path, include in [
                ("runtime/node/node.cc", "<spdlog/spdlog.h>"),
                ("runtime/base/clock.cc", "<spdlog/spdlog.h>"),
                ("runtime/controller/controller.cc", "<google/protobuf/message.h>"),
                ("runtime/transport/shm/ring.cc", '"runtime/plan/plan.pb.h"'),
                ("runtime/plan/plan.cc", "<yaml-cpp/yaml.h>"),
                ("compiler/parse/yaml_tree.cc", "<yaml.h>"),
                ("runtime/node/node.cc", "<nlohmann/json.hpp>"),
                ("compiler/compiler.cc", "<CLI/CLI.hpp>"),
                ("runtime/controller/controller.cc", "<CL/cl.h>"),
                ("runtime/transport/shared_memory.cc", "<rdma/fabric.h>"),
                ("kernels/resize_bilinear/resize.cc", "<CL/cl.h>"),
                ("kernels/png_encode/png.cc", "<jpeglib.h>"),
                ("bench/micro/rate.cc", "<mpi.h>"),
                ("tests/unit/a_test.cc", "<catch2/catch.hpp>"),
        ]:
            self.check(path, include, ok=False)

    def test_what_the_table_allows(self):
        for path, include in [
                ("runtime/base/log.cc", "<spdlog/spdlog.h>"),
                ("runtime/plan/message.cc", "<google/protobuf/io/coded_stream.h>"),
                ("controllers/cpu/cpu_backend.h", '"runtime/transport/idle.h"'),
                ("runtime/transport/shm/ring.cc", '"runtime/transport/channel.h"'),
                ("runtime/transport/shm/ring.cc", '"runtime/transport/shm/ring.h"'),
                ("runtime/messaging/packing/outgoing.h", '"runtime/memory/block_pool.h"'),
                ("runtime/messaging/packing/packer.cc", '"runtime/messaging/link.h"'),
                ("runtime/controller/backend.h", '"woa/woa_kernel.h"'),
                ("controllers/gpu/opencl/backend.cc", "<CL/cl.h>"),
                ("runtime/transport/ofi/fabric.cc", "<rdma/fabric.h>"),
                ("controllers/gpu/opencl/backend.cc", '"runtime/transport/doorbell.h"'),
                ("controllers/fpga/verilator/backend.cc", '"controllers/fpga/generated/wact_interface.h"'),
                ("compiler/parse/yaml_events.cc", "<yaml.h>"),
                ("compiler/check/check.cc", '"compiler/parse/events.h"'),
                ("compiler/buffers/throughput_blocks.cc", '"compiler/predict/pipelined_run.h"'),
                ("tools/woa/main.cc", '"compiler/compiler.h"'),
                ("kernels/copy/copy.cc", '"woa/woa_kernel.h"'),
                ("kernels/aes_gcm_decrypt/a.cc", "<openssl/evp.h>"),
                ("tools/woa/main.cc", "<CLI/CLI.hpp>"),
                ("tools/woa/main.cc", '"runtime/transport/shm/shm_transport.h"'),
                ("tests/cts/a_test.cc", '"tests/support/catch.h"'),
                ("runtime/base/status.cc", "<string>"),
        ]:
            self.check(path, include, ok=True)


class Style(unittest.TestCase):
    def check(self, path, text, words):
        found = "\n".join(problems(style.lint, {path: text}))
        self.assertIn(words, found) if words else self.assertEqual(found, "")

    def test_long_files_and_functions(self):
        statements = "  step();\n" * 70
        self.check("a.cc", "int x;\n" * 501, "501 lines")
        self.check("generated/a.cc", "int x;\n" * 501, None)
        self.check("a.cc", f"void f() {{\n{statements}}}\n", "a function of 72 lines")
        self.check("a.cc", f"void f(int a,\n       int b)\n    : c_(a) {{\n{statements}}}\n", "a function of 74 lines")
        self.check("a.h", f"class A {{\n  void f() {{\n{statements}  }}\n}};\n", "a function of 72 lines")
        self.check("a.py", "def f():\n" + "    step()\n" * 70, "a function of 71 lines")
        self.check("a.cc", "void f() {\n  step();\n}\n\n" * 70, None)

    def test_leftovers_and_machine_names(self):
        # Put together here, so that this file passes the lint itself.
        self.check("a.cc", "// TODO" + "(now): later\n", "a leftover")
        self.check("a.md", "FIX" + "ME\n", "a leftover")
        for folder in ("home", "work", "root"):
            self.check("a.md", f"see /{folder}" + "/me/tree\n", "one machine")
        for host in ("deb.debian." + "org", "pypi." + "org", "archive.ubuntu." + "com"):
            self.check("a.sh", f"curl https://{host}/x\n", "a package host")
        self.check("a.md", "tests/work/a and $HOME/x and ${dir}/root/x and TODO" + "(someday)\n", None)

    def test_names_of_one_version_of_catch(self):
        use = "  CHECK_THAT(text, Catch::Matchers::Contains(word));\n"
        self.check("tests/unit/a_test.cc", use, "a name that Catch2 2 or 3 lacks")
        self.check("tests/support/catch_main.cc", use, None)
        self.check("tests/unit/a_test.cc", "  CHECK(time == Approx(0.5));\n", None)

    @unittest.skipIf(formatting.why_not(), "needs the right clang-format")
    def test_format(self):
        with open(os.path.join(SOURCE, ".clang-format"), encoding="utf-8") as file:
            settings = {".clang-format": file.read()}
        self.assertEqual(problems(formatting.lint, {**settings, "a.cc": "int f() { return 1; }\n"}), [])
        self.assertIn("a.cc:1", problems(formatting.lint, {**settings, "a.cc": "int  f( ) {return 1;}\n"})[0])


class Readme(unittest.TestCase):
    def run_examples(self, text):
        with tempfile.TemporaryDirectory() as root, contextlib.redirect_stdout(io.StringIO()):
            with open(os.path.join(root, "README.md"), "w", encoding="utf-8") as file:
                file.write(text)
            readme.main(root, root)

    def test_examples_that_work(self):
        self.run_examples("```sh\ntest -e build/README.md\n```\n\n```console\nfalse\n```\n")
        self.run_examples("```sh\necho one two three\n```\n\n```text\none ... three\n```\n")
        self.run_examples("<!-- needs sh, no_such_kernel -->\n```sh\nfalse\n```\n")
        self.run_examples("Save this as `a.txt`:\n\n```cpp\none\n```\n\n```sh\ncat a.txt\ntest -z \"$(ls ~)\"\n```\n\n```text\none\n```\n")

    def test_examples_that_do_not(self):
        for text in ("no example\n", "```sh\nfalse\n```\n", "```sh\nfalse | true\n```\n",
                     "```sh\necho one\n```\n\n```text\none\ntwo\n```\n", "```sh\nmktemp\n```\n",
                     "<!-- needs sh -->\n```sh\nfalse\n```\n"):
            with self.assertRaises(SystemExit):
                self.run_examples(text)


class ReadmeLines(unittest.TestCase):
    ELSEWHERE = {"make demo": ("a", "make demo")}

    def check(self, text, words, other="make demo"):
        def lint(root):
            return readme_lines.lint(root, self.ELSEWHERE, {"sh": ("a", "")})

        found = "\n".join(problems(lint, {"README.md": "```console\nmake demo  # why\n```\n" + text, "a": other}))
        self.assertIn(words, found) if words else self.assertEqual(found, "")

    def test_every_line_is_executed(self):
        self.check("Save this as `a.cc`:\n\n```cpp\nint x;\n```\n\n```sh\nc++ -c a.cc\n```\n", None)
        self.check("`make demo` and `woa run`\n", None)
        self.check("`make coffee`\n", "`make coffee` is executed by nothing")
        self.check("```console\npip install .\n```\n", "`pip install .` is executed by nothing")
        self.check("```cpp\nint x;\n```\n", "nothing executes a block of `cpp`")
        self.check("Save this as `a.cc`:\n\n```cpp\nint x;\n```\n", "no ```sh block uses the file a.cc")
        self.check("", "is not executed by a, which lacks: make demo", other="")

    def test_the_list_is_short(self):
        found = problems(lambda root: readme_lines.lint(root, self.ELSEWHERE, {}), {"README.md": "", "a": "make demo"})
        self.assertEqual(found, ["readme_lines.py: README.md has no `make demo` any more"])


class Harness(unittest.TestCase):
    """The tests of commands fail if they leave something in their folder for temporary files."""

    def run_program(self, body):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "WOA_BUILD_DIR": folder, "WOA_SOURCE_DIR": SOURCE, "TMPDIR": folder,
                           "PYTHONPATH": os.path.join(SOURCE, "tests", "integration", "commands")}
            done = subprocess.run([sys.executable, "-B", "-c", "import harness, tempfile\nclass T(harness.WoaTest):\n"
                                   f"  def test(self): {body}\nharness.main()\n"], env=environment, capture_output=True, text=True)
            self.assertEqual(os.listdir(folder), [])
            return done

    def test_a_file_that_is_left_is_a_failure(self):
        self.assertEqual(self.run_program("self.write('a', 'b')").returncode, 0)
        left = self.run_program("tempfile.mkdtemp(prefix='forgotten')")
        self.assertEqual(left.returncode, 1)
        self.assertIn("a test left this in the folder for temporary files: forgotten", left.stdout)
        self.assertEqual(self.run_program("self.fail()").returncode, 1)


@unittest.skipUnless(shutil.which("dpkg-query"), "needs dpkg")
class Packages(unittest.TestCase):
    """tools/install-packages.sh on lists of its own; nothing is ever installed."""

    def install(self, packages, *classes):
        with tempfile.TemporaryDirectory() as folder:
            script = shutil.copy(os.path.join(SOURCE, "tools", "install-packages.sh"), folder)
            with open(os.path.join(folder, "packages.txt"), "w", encoding="utf-8") as file:
                file.write(packages)
            return subprocess.run([script, *classes], env={**os.environ, "WOA_NO_INSTALL": "1"}, capture_output=True, text=True)

    def test_nothing_missing_says_nothing(self):
        done = self.install("# comment\n\nrequired dpkg  this one is there\nrequired no-such-a|dpkg  and so is one of these\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_required_missing_fails_with_the_list(self):
        done = self.install("required no-such-a|no-such-b  x\nrequired no-such-c  x\noptional no-such-d  x\n")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no-such-a|no-such-b\n  no-such-c", done.stderr)
        self.assertNotIn("no-such-d", done.stderr)

    def test_optional_missing_is_reported_and_left_out(self):
        done = self.install("required dpkg  x\noptional no-such-d  x\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("no-such-d", done.stdout)

    def test_packages_of_the_check_are_asked_for(self):
        self.assertEqual(self.install("check no-such-e  x\n").stdout, "")
        done = self.install("check no-such-e  x\n", "check")
        self.assertEqual(done.returncode, 0)
        self.assertIn("no-such-e", done.stdout)
        self.assertEqual(self.install("required dpkg  x\n", "required").returncode, 2)

    def test_a_bad_list_is_refused(self):
        self.assertEqual(self.install("requird dpkg  x\n").returncode, 2)


if __name__ == "__main__":
    unittest.main()

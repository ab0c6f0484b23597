"""Configures with optional packages that are absent, half there or broken, were installed later, or removed again."""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from doctored_packages import PACKAGES, Prefix, cache_of_the_build

SOURCE = os.environ["WOA_SOURCE_DIR"]
CMAKE = os.environ["WOA_CMAKE"]
LIMIT_S = 600
WITH_LIBRARIES = {name for name, package in PACKAGES.items() if package[2]}
WITH_PROGRAM = {name for name, package in PACKAGES.items() if package[3]}
ALL = set(PACKAGES)
REFUSED = "did not work when this was built .Error: Internal Error: core.sv:120:53: V3Delayed.cpp:937: Multiple Write refs on LHS of NBA"
LOOKING = """
cmake_minimum_required(VERSION 3.25)
project(looking LANGUAGES C CXX)
set(WOA_BUILD_TESTS ON)
list(APPEND CMAKE_MODULE_PATH "{source}/cmake")
include(WoaDependencies)
"""


class OptionalPackages(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="woa-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.prefix = Prefix(self.folder)
        Prefix.write(self.path("cache.cmake"), cache_of_the_build())
        os.mkdir(self.path("looking"))
        Prefix.write(self.path("looking/CMakeLists.txt"), LOOKING.format(source=SOURCE))

    def path(self, name):
        return os.path.join(self.folder, name)

    def configure(self, source=None):
        """The configuration's result for each package: "" where it was found, else the reason why not."""
        plain = {name: value for name, value in os.environ.items() if name not in ("VERILATOR_ROOT", "CMAKE_PREFIX_PATH")}
        done = subprocess.run(
            [CMAKE, "-S", source or self.path("looking"), "-B", self.path("build"), "-C", self.path("cache.cmake"),
             "-DCMAKE_PREFIX_PATH=" + self.prefix.folder, "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF",
             "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF", "-DCMAKE_FIND_USE_CMAKE_ENVIRONMENT_PATH=OFF"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S, env=plain)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        found = {name: reason for name, state, reason in re.findall(r"(?m)^-- optional (\w+): (ON|OFF) ?(.*)$", done.stdout)
                 if (state == "ON") == (reason == "")}
        self.assertEqual(set(found), ALL, done.stdout[-4000:])
        return found

    def left_out(self, found, names, pattern):
        """All of `names` with a reason like this, and no other."""
        self.assertEqual({name: reason for name, reason in found.items() if reason}.keys(), set(names))
        for name in names:
            self.assertRegex(found[name], pattern)

    def test_absent_then_installed_then_removed(self):
        self.left_out(self.configure(), ALL, "was not found when this was built: install it and build again")
        self.prefix.add_everything()
        self.left_out(self.configure(), (), "")
        self.prefix.clear()
        self.left_out(self.configure(), ALL, "was not found when this was built: install it and build again")

    def test_half_there_then_whole(self):
        half = "was only half there when this was built .found .*, not found: .*: install the rest and build again"
        self.prefix.add_headers(ALL)
        found = self.configure()
        self.assertRegex(found["PNG"], "found .*/include/png.h, not found: library png")
        self.left_out({**found, "MPI": "", "VERILATOR": ""}, WITH_LIBRARIES - {"MPI"}, half)

        self.prefix.clear()
        self.prefix.add_libraries(ALL)
        found = self.configure()
        self.left_out({name: found[name] for name in WITH_LIBRARIES - {"MPI"}}, WITH_LIBRARIES - {"MPI"}, half)

        self.prefix.add_everything()
        self.left_out(self.configure(), (), "")

    def test_a_wrapper_or_cmake_package_without_the_rest(self):
        """CMake's own modules end the configuration then."""
        half = "was only half there when this was built"
        self.prefix.add_programs(["MPI"])
        self.prefix.add_verilator_package()
        found = self.configure()
        self.assertRegex(found["MPI"], half + ".*found .*/bin/mpicxx, not found: mpi.h")
        self.assertRegex(found["VERILATOR"], half + ".*verilator.*, not found: verilator_bin")
        self.prefix.clear()
        self.prefix.add_everything()
        self.left_out(self.configure(), (), "")

    def test_broken_then_mended_then_broken(self):
        self.prefix.add_everything()
        self.prefix.add_headers(ALL, "#error this header is broken\n")
        self.left_out(self.configure(), ALL, r"did not work when this was built \(.*this header is broken\): mend or reinstall it and build again")

        self.prefix.add_everything()
        self.left_out(self.configure(), (), "")

        self.prefix.add_libraries(ALL, "no library")
        self.left_out(self.configure(), WITH_LIBRARIES, "did not work when this was built .*: mend or reinstall it and build again")

        self.prefix.add_everything()
        self.prefix.add_programs(ALL, 3)
        self.left_out(self.configure(), WITH_PROGRAM, "did not work when this was built .*: mend or reinstall it and build again")

    def test_the_project_configures_with_none_and_with_halves(self):
        self.configure(SOURCE)
        self.assertIn("libjpeg-turbo (libjpeg-dev) was not found", self.unavailable("jpeg_decode"))
        self.prefix.add_headers(ALL)
        self.prefix.add_programs(["MPI"])
        self.prefix.add_verilator_package()
        self.configure(SOURCE)
        self.assertIn("libjpeg-turbo (libjpeg-dev) was only half there", self.unavailable("jpeg_decode"))

    def test_verilator_that_refuses_a_model_of_the_product_is_left_out(self):
        self.prefix.add_everything()
        self.prefix.add_verilator_that_refuses("wact_kernel_512")
        self.left_out(self.configure(), ["VERILATOR"], REFUSED)
        self.prefix.add_everything()
        self.left_out(self.configure(), (), "")

    def test_the_project_configures_with_a_verilator_that_refuses_models(self):
        self.prefix.add_verilator_that_refuses("--coverage-line")
        self.assertEqual(self.configure(SOURCE)["VERILATOR"], "")
        self.assertRegex(self.line_of("tests/rtl/CTestTestfile.cmake", "add_test.*fpga_rtl_coverage"),
                         "unavailable_test.*the model woa_wact_rtl_counted " + REFUSED)
        self.assertIn("unit_controllers", self.line_of("tests/unit/controllers/fpga/CTestTestfile.cmake", "add_test.*fpga_wact_width_test"))

        self.prefix.add_verilator_that_refuses("wact_node")
        self.assertRegex(self.configure(SOURCE)["VERILATOR"], REFUSED)
        # `woa devices` prints this definition.
        command = shlex.split(json.loads("{" + self.line_of("compile_commands.json", '"command":.*woa_backend_verilator') + "}")["command"])
        self.assertRegex(next(word for word in command if word.startswith("-DWOA_WHY_NOT=")), REFUSED)

    def line_of(self, path, pattern):
        return next(line.strip().rstrip(",") for line in self.read(path).splitlines() if re.search(pattern, line))

    def read(self, path):
        with open(self.path("build/" + path), encoding="utf-8") as file:
            return file.read()

    def unavailable(self, kernel):
        return self.read(f"kernels/{kernel}/unavailable.txt")


if __name__ == "__main__":
    unittest.main(verbosity=2)

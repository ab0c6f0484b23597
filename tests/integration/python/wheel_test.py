#!/usr/bin/env python3
"""The Python package as its users get it: a wheel, in a virtual environment, with the tests of python/tests."""
import glob
import os
import shutil
import subprocess
import sys
import unittest
import venv

sys.path.insert(0, os.path.join(os.environ["WOA_SOURCE_DIR"], "tests/integration/commands"))
from harness import BUILD, SOURCE, WoaTest, main, read, required, skip_program  # noqa: E402

HOME = os.path.join(BUILD, "python", "test")  # stays, so that a second build finds its tools where they were
VENV = os.path.join(HOME, "woa-python")  # as the README names it
PYTHON = os.path.join(VENV, "bin", "python")
TOOLS = ("scikit-build-core>=1,<2", "nanobind>=3,<4", "numpy", "pytest", "cloudpickle")
MOST_BYTES = 12 << 20


def prepare():
    """The environment with the tools; a skip where there is no way to get them."""
    if not os.path.exists(PYTHON):
        try:
            venv.create(VENV, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            shutil.rmtree(VENV, ignore_errors=True)
            skip_program("pip", f"no virtual environment: {error}")
    got = subprocess.run([PYTHON, "-m", "pip", "install", "-q", "--retries", "1", "--timeout", "20", *TOOLS],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if got.returncode != 0:
        skip_program("pip", got.stdout.strip().splitlines()[-1])


def readme_lines():
    """What the README says to type for the package."""
    part = read(os.path.join(SOURCE, "README.md")).partition("\n## In Python\n")[2]
    return part.partition("\n```console\n")[2].partition("```\n")[0]


class WheelTest(WoaTest):
    def pip(self, *arguments):
        done = subprocess.run([PYTHON, "-m", "pip", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-5000:])

    def test_a_wheel_is_built_installed_and_tested(self):
        self.pip("wheel", "--no-build-isolation", "--no-deps", "-C", "cmake.define.WOA_BUILD=" + BUILD, "-C", "build-dir=" + os.path.join(HOME, "wheel"),
                 "-w", self.path("dist"), SOURCE)
        wheel, = glob.glob(self.path("dist/woa-*.whl"))
        self.assertLessEqual(os.path.getsize(wheel), MOST_BYTES)
        self.assertIn("pip install .", readme_lines())
        # The same tools and the same build folder as above.
        environment = dict(os.environ, HOME=HOME, PIP_NO_BUILD_ISOLATION="0", SKBUILD_BUILD_DIR=os.path.join(HOME, "wheel"),
                           SKBUILD_CMAKE_DEFINE="WOA_BUILD=" + BUILD)
        done = subprocess.run(["bash", "-ec", readme_lines()], cwd=SOURCE, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-5000:])
        done = subprocess.run([PYTHON, "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--basetemp", self.path("pytest"),
                               os.path.join(SOURCE, "python", "tests")],
                              cwd=self.path("."), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-8000:])
        if required("pip"):
            self.assertNotIn("skipped", done.stdout.splitlines()[-1], done.stdout[-3000:])


if __name__ == "__main__":
    prepare()
    main()

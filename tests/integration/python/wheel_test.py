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
from harness import BUILD, SOURCE, WoaTest, main, required, skip_program  # noqa: E402

HOME = os.path.join(BUILD, "python", "test")  # stays, so that a second build finds its tools where they were
PYTHON = os.path.join(HOME, "venv", "bin", "python")
TOOLS = ("scikit-build-core>=1,<2", "nanobind>=3,<4", "numpy", "pytest")
MOST_BYTES = 12 << 20


def prepare():
    """The environment with the tools; a skip where there is no way to get them."""
    if not os.path.exists(PYTHON):
        try:
            venv.create(os.path.join(HOME, "venv"), with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            shutil.rmtree(os.path.join(HOME, "venv"), ignore_errors=True)
            skip_program("pip", f"no virtual environment: {error}")
    got = subprocess.run([PYTHON, "-m", "pip", "install", "-q", "--retries", "1", "--timeout", "20", *TOOLS],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if got.returncode != 0:
        skip_program("pip", got.stdout.strip().splitlines()[-1])


class WheelTest(WoaTest):
    def pip(self, *arguments):
        done = subprocess.run([PYTHON, "-m", "pip", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-5000:])

    def test_a_wheel_is_built_installed_and_tested(self):
        self.pip("wheel", "--no-build-isolation", "--no-deps", "-C", "cmake.define.WOA_BUILD=" + BUILD, "-C", "build-dir=" + os.path.join(HOME, "wheel"),
                 "-w", self.path("dist"), SOURCE)
        wheel, = glob.glob(self.path("dist/woa-*.whl"))
        self.assertLessEqual(os.path.getsize(wheel), MOST_BYTES)
        self.pip("install", "-q", "--no-deps", "--force-reinstall", wheel)
        done = subprocess.run([PYTHON, "-B", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", os.path.join(SOURCE, "python", "tests")],
                              cwd=self.path("."), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-8000:])
        if required("pip"):
            self.assertNotIn("skipped", done.stdout.splitlines()[-1], done.stdout[-3000:])


if __name__ == "__main__":
    prepare()
    main()

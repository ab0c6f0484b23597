"""Starts `woa` as a user would; standard library only. Exit code 77 of a test program is a skip (tests/support/require.h). TMPDIR is a
folder of the program's own, and files that are left there fail it."""
import atexit
import errno
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.environ["WOA_BUILD_DIR"]
SOURCE = os.environ["WOA_SOURCE_DIR"]
WOA = os.path.join(BUILD, "woa")
SANITIZED = bool(os.environ.get("WOA_SANITIZED"))
LIMIT_S = float(os.environ.get("WOA_LIMIT_S", "60"))  # a hang; everything here ends in seconds

def own_temporary_folder():
    """Makes a folder for temporary files of this program and those that it starts; it goes when this process ends."""
    folder, own = tempfile.mkdtemp(prefix="woa-tests-"), os.getpid()
    os.chmod(folder, 0o1777)  # for programs that are started as another user
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    atexit.register(lambda: os.getpid() == own and shutil.rmtree(folder, ignore_errors=True))
    return folder


TEMPORARY = own_temporary_folder()

# A shell starts its background jobs with SIGINT ignored, and `woa` leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)

PLAN_HEADER = len(b"WOAPLAN\n") + 12


def sealed(plan):
    """A plan file that was changed, with the checksum that it asks for (runtime/plan/plan_file.h)."""
    crc = 0xFFFFFFFF
    for byte in plan[PLAN_HEADER:]:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return bytes(plan[:PLAN_HEADER - 4]) + struct.pack("<I", crc ^ 0xFFFFFFFF) + bytes(plan[PLAN_HEADER:])


def required(name):
    return name in os.environ.get("WOA_REQUIRE", "").split(",")


def skip_program(name, reason):
    """Ends this test program as skipped, or as failed where WOA_REQUIRE lists `name`."""
    print(("FAILED (WOA_REQUIRE)" if required(name) else "skipped") + f": {name} is unavailable: {reason}")
    sys.exit(1 if required(name) else 77)


def preloading(library):
    """The environment in which the loader takes `library` first. It ends a name of LD_PRELOAD at a space, but takes folders that
    have some."""
    folder, name = os.path.split(library)
    folders = os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
    return os.environ | {"LD_PRELOAD": name, "LD_LIBRARY_PATH": folders}


def need_program(name, *programs):
    for program in programs:
        if shutil.which(program) is None:
            skip_program(name, program + " is not installed")


LIBRARY_OF = {"aes_gcm_decrypt": "openssl", "aes_gcm_encrypt": "openssl", "jpeg_decode": "jpeg", "jpeg_encode": "jpeg", "png_encode": "png"}


# Words in the message of a program that lacks a library, or cannot load it -> the library.
LIBRARY_IN = {"libfabric": "ofi", "OpenSSL": "openssl", "PMIx (libpmix-dev)": "pmix", "libpmix cannot be loaded": "pmix"}


def absent_libraries(kernels):
    """The libraries that these kernels were built without, with the reason."""
    for kernel in kernels:
        reason = os.path.join(BUILD, "kernels", kernel, "unavailable.txt")
        if os.path.exists(reason):
            yield LIBRARY_OF[kernel], read(reason).strip()


def need_kernels(*kernels):
    """For a test program. In a test it would be a failure: there is WoaTest.need_kernels()."""
    for library, reason in absent_libraries(kernels):
        skip_program(library, reason)


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


class WoaTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="woa-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb" if isinstance(data, bytes) else "w") as file:
            file.write(data)
        return self.path(name)

    def skip(self, name, reason):
        """Ends this test as skipped, or as failed where WOA_REQUIRE lists `name`."""
        if required(name):
            self.fail(f"{name} is required here: {reason}")
        self.skipTest(reason)

    def need_kernels(self, *kernels):
        for library, reason in absent_libraries(kernels):
            self.skip(library, reason)

    def skip_without_libraries(self, code, error):
        """`code`, `error`: of a command that may have lacked a library."""
        for text, name in LIBRARY_IN.items():
            if code == 3 and text in error:
                self.skip(name, error.strip())

    def assert_same_outputs(self, *options):
        """Runs of graphs that scatter, gather and pass blocks on write the same without and with each of these."""
        text = self.write("text", "".join(f"line {k}, an error\n" for k in range(200)))
        for graph, given, output in (("scatter", "log", "errors"), ("hello", "text", "copy")):
            with self.subTest(graph):
                outputs = []
                for more in ([], *options):
                    done = self.woa("run", os.path.join(SOURCE, f"graphs/{graph}.yaml"), "--in", f"{given}={text}", "--instances", "20",
                                    "--out", f"{output}={self.path('%i')}", *more)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    outputs.append([read(self.path(str(k))) for k in range(20)])
                self.assertEqual(outputs[1:], outputs[:1] * len(options))

    def need_backend(self, name):
        """Skips this test where `woa devices` says that the back-end has no device here."""
        rows = json.loads(self.woa("devices", "--json").stdout)["devices"]
        row = next(row for row in rows if row["backend"] == name)
        if not row["available"]:
            self.skip(name, row["reason"])

    def control_group(self, controller):
        """The folder of a new control group (version 1), which goes when the test ends; a skip where none can be made."""
        group = f"/sys/fs/cgroup/{controller}/woa-test-{os.getpid()}"
        try:
            os.mkdir(group)
        except OSError as error:
            self.skipTest(f"no control group can be made: {error}")
        self.addCleanup(self.remove_control_group, group)
        return group

    def remove_control_group(self, group):
        """The system refuses while a process of the group is still on its way out."""
        for _ in range(int(100 * LIMIT_S)):
            try:
                os.rmdir(group)
                return
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise
                time.sleep(0.01)
        os.rmdir(group)

    def woa(self, *arguments, environment=None, cwd=None, user=None):
        # A developer may have a machine file of his own.
        plain = dict(os.environ, XDG_CONFIG_HOME=self.path("config"))
        return subprocess.run([WOA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S,
                              cwd=cwd, user=user, env=dict(plain, **(environment or {})))

    def run_json(self, *arguments, code=0, environment=None):
        """`woa run ... --json`: exactly one object on stdout."""
        done = self.woa("run", *arguments, "--json", environment=environment)
        self.assertEqual(done.returncode, code, done.stderr.decode(errors="replace")[-2000:])
        return json.loads(done.stdout)

    def refused(self, done, code, *texts):
        """Ended with `code` and an error on stderr that holds each of `texts`."""
        error = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, error[-2000:])
        for text in texts:
            self.assertIn(text, error)
        self.assertNotIn("internal error", error)


def main():
    result = unittest.main(verbosity=2, exit=False).result
    left = os.listdir(TEMPORARY)
    if left:
        print("a test left this in the folder for temporary files: " + ", ".join(left))
    sys.exit(0 if result.wasSuccessful() and not left else 1)

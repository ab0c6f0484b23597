"""tools/gpu-bundle and tools/gpu-check: the bundle runs where the build is not, and leaves one JSON; on the test double."""
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["WOA_BUILD_DIR"])
SOURCE = pathlib.Path(os.environ["WOA_SOURCE_DIR"])
PARTS = ["devices", "suites", "litmus", "sanitizer", "sass", "faults", "bench"]
LIMIT_S = 600  # what gpu-check promises
# Lays empty folders over these two, in a view of its own, and runs the rest there.
HIDE = 'mount -t tmpfs none "$1" && mount -t tmpfs none "$2" && shift 2 && exec "$@"'


def can_hide():
    return shutil.which("unshare") and subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0


class Check(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="gpu-check-")
        cls.addClassCleanup(cls.folder.cleanup)
        packed = pathlib.Path(cls.folder.name) / "gpu.tar.xz"
        done = subprocess.run([str(SOURCE / "tools/gpu-bundle"), "--no-build", "--build", str(BUILD), "-o", str(packed)],
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.said, cls.bytes = done.stdout, packed.stat().st_size
        with tarfile.open(packed) as archive:
            archive.extractall(cls.folder.name)
        packed.unlink()
        cls.bundle = pathlib.Path(cls.folder.name) / "woa-gpu"

    def check(self, *arguments, double=""):
        """Exit code and JSON of a machine that has no build of this project, nor anything in its environment."""
        target = pathlib.Path(self.folder.name) / "result.json"
        target.unlink(missing_ok=True)
        command = [str(self.bundle / "gpu-check"), "--json", str(target), *arguments]
        if can_hide():
            command = ["unshare", "-rm", "sh", "-c", HIDE, "sh", str(BUILD), str(SOURCE), *command]
        done = subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, timeout=LIMIT_S,
                              env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "WOA_CUDA_DOUBLE": double})
        return done.returncode, json.loads(target.read_text()) if target.exists() else done.stdout + done.stderr

    def test_bundle(self):
        self.assertLess(self.bytes, 64 << 20)
        self.assertRegex(self.said, r"needs glibc 2\.\d+")
        names = {str(path.relative_to(self.bundle)) for path in self.bundle.rglob("*")}
        for name in ("woa", "gpu-check", "gpu-sass", "suites", "about", "kernels/woa_cuda.h", "kernels/copy/copy.ptx", "kernels/copy/copy.cu",
                     "kernels/copy/kernel.yaml", "kernels/copy/libcopy.so", "tests/gpu_litmus", "tests/litmus.ptx", "graphs/hello.yaml",
                     "tests/gpu_graphs/stays/libstays.so", "tests/cts_backend", "tests/gpu_kernels", "tests/cuda_kernels/packet_golden/packet_golden.ptx", "tests/cuda_kernels/vectors.txt",
                     "lib/standard/libstdc++.so.6"):
            self.assertIn(name, names)
        for name in names:
            self.assertNotRegex(name, r"lib/(libc|libm|libpthread|ld-linux.*)\.so")

    def test_all_parts(self):
        code, found = self.check("--double", "--count", "320")
        self.assertIsInstance(found, dict, found)
        self.assertEqual([part["name"] for part in found["parts"]], PARTS)
        for part in found["parts"]:
            self.assertLess(part["seconds"], part["limit_s"] + 10, part)
            for each in part["checks"]:
                self.assertIn(each["result"], ("passed", "skipped"), each)
                self.assertTrue(each["result"] == "passed" or each["reason"], each)
        self.assertEqual((code, found["result"]), (0, "passed"))
        self.assertLess(found["seconds"], LIMIT_S)
        self.assertTrue(found["simulated"])
        self.assertIn("double", found["card"])
        for name in ("date", "commit", "cpu", "cores", "kernel"):
            self.assertTrue(found[name], name)
        by_name = {(part["name"], each["name"]): each for part in found["parts"] for each in part["checks"]}
        for graph in ("picture", "packets", "join", "scatter", "loop"):
            for window in (1, 4):
                self.assertEqual(by_name["suites", f"{graph}-window-{window}"]["result"], "passed")
        litmus = by_name["litmus", "messages"]["figures"]
        self.assertEqual((litmus["messages"], litmus["wrong"]), (320, 0))
        for name in ("graph-wild-store", "resident-endless", "killed-node", "two-processes", "nothing-registered"):
            self.assertEqual(by_name["faults", name]["result"], "passed")
        for name in ("packet", "stages", "bandwidth", "pipeline", "in-place"):
            self.assertIn("figures", by_name["bench", name])

    def test_a_part_that_fails_does_not_stop_the_others(self):
        code, found = self.check("--double", "--only", "litmus,faults", "--count", "16000", double="ignore=write_barrier")
        self.assertEqual((code, found["result"]), (1, "failed"), found)
        self.assertEqual([part["name"] for part in found["parts"]], ["litmus", "faults"])
        (messages,) = found["parts"][0]["checks"]
        self.assertEqual((messages["result"], messages["reason"]), ("failed", "exit code 1"))
        self.assertGreater(messages["figures"]["wrong"], 0)

    def test_a_machine_without_a_gpu(self):
        code, found = self.check("--only", "devices,sass")
        self.assertEqual((code, found["result"], found["card"]), (1, "failed", None), found)
        self.assertIn("libcuda.so.1", found["parts"][0]["checks"][0]["log"])

    def test_usage(self):
        for arguments in (["--only", "sas"], ["--count", "many"], ["--json"], ["--fast"]):
            self.assertEqual(self.check(*arguments)[0], 2, arguments)


if __name__ == "__main__":
    unittest.main()

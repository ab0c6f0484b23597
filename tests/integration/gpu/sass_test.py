"""tools/gpu-sass: the resident kernels that ship publish behind a fence, and it sees those that do not."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["WOA_SOURCE_DIR"])
CUDA = "/usr/local/cuda/bin"  # its usual place
GPUS = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
KERNEL = SOURCE / "kernels/copy/copy.ptx"
FENCE, PUBLISH = "fence.acq_rel.sys;", "st.relaxed.sys.global.u64"


def need(*tools):
    """Skips, or fails if WOA_REQUIRE names the first, unless one of the tools is here."""
    path = os.pathsep.join((os.environ.get("PATH", ""), CUDA))
    if any(shutil.which(tool, path=path) for tool in tools):
        return
    required = tools[0] in os.environ.get("WOA_REQUIRE", "").split(",")
    print(("FAILED (WOA_REQUIRE)" if required else "skipped") + f": {' or '.join(tools)} is not installed")
    sys.exit(1 if required else 77)


def sass(*arguments):
    done = subprocess.run([str(SOURCE / "tools/gpu-sass"), *map(str, arguments)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


class Sass(unittest.TestCase):
    def changed(self, change):
        """What the check says of the kernel with another text."""
        text = KERNEL.read_text()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "wrong.ptx"
            file.write_text(change(text))
            self.assertNotEqual(file.read_text(), text)
            return sass(file)

    def test_every_kernel_that_ships(self):
        files = [path for folder in ("kernels", "bench", "tests/litmus", "tests/gpu_graphs") for path in (SOURCE / folder).rglob("*.ptx")]
        self.assertGreater(len(files), 4)
        for gpu in GPUS:
            code, text = sass("-a", gpu, *files)
            self.assertEqual(code, 0, text)
            self.assertEqual(text.count("each behind MEMBAR.*.SYS"), len(files), text)

    def test_no_fence(self):
        code, text = self.changed(lambda text: text.replace(FENCE, ""))
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"copy_resident: a way leads to STG\.E\.64\.STRONG\.SYS at [0-9a-f]+ without MEMBAR")

    def test_a_fence_on_one_way_only(self):
        """The first fence is on every way, the second before a further publication of the same ring."""
        code, text = self.changed(lambda text: text.replace(FENCE, "", 1))
        self.assertEqual(code, 1, text)

    def test_a_fence_that_is_too_narrow(self):
        code, text = self.changed(lambda text: text.replace(FENCE, "fence.acq_rel.gpu;"))
        self.assertEqual(code, 1, text)

    def test_payload_behind_the_fence(self):
        code, text = self.changed(lambda text: text.replace(FENCE, FENCE + "\n st.global.u64 [%rd72], %rd73;", 1))
        self.assertEqual(code, 1, text)

    def test_no_publish_store(self):
        code, text = self.changed(lambda text: text.replace(PUBLISH, "st.global.u64"))
        self.assertEqual(code, 1, text)
        self.assertIn("found 0 publish stores, expected 2", text)

    def test_no_ptx(self):
        code, text = self.changed(lambda text: text + "\nno instruction;\n")
        self.assertEqual(code, 1, text)
        self.assertEqual(sass()[0], 2)


if __name__ == "__main__":
    need("ptxas")
    need("nvdisasm", "cuobjdump")
    unittest.main()

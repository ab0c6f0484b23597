"""woa doctor --kernel: what a kernel does to memory beside its ports is found before it does so in a run."""
import json
import os
import subprocess

import harness
from harness import SANITIZED, SOURCE, WoaTest

KERNEL = """
#include "woa/woa_kernel.h"
static woa_status run(void *self, const woa_firing *firing, const woa_input *ins, woa_output *outs, woa_error *error) {
  const uint64_t bytes = ins[0].bytes;
  (void)self, (void)firing;
  memset(outs[0].data, 1, bytes < 8 ? bytes : %s);
  outs[0].dims[0] = ins[0].dims[0];
  return bytes > 4000 ? woa_fail(error, WOA_UNSUPPORTED, "too much for me") : woa_claim(&outs[0], "y", bytes, error);
}
WOA_KERNEL_TABLE(.run = run)
"""
DECLARATION = ("woa_kernel: 1\nname: %s\nsummary: ones\nin: {x: {type: \"f32[n]\", max: 64KiB}}\nout: {y: {type: \"f32[n]\", max: 4000}}\n"
               "dims: {n: {max: 2000}}\nlibrary: libk.so\nvariants: {cpu: {}}\n")


class KernelCheck(WoaTest):
    def kernel(self, name, bytes_):
        os.makedirs(self.path(name))
        self.write(f"{name}/kernel.yaml", DECLARATION % name)
        subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-I" + os.path.join(SOURCE, "include"), "-o",
                        self.path(f"{name}/libk.so"), "-x", "c", "-"], input=(KERNEL % bytes_).encode(), check=True)
        return self.path(f"{name}/kernel.yaml")

    def check(self, code, *arguments):
        done = self.woa("doctor", "--kernel", *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_a_kernel_that_stays_within_its_ports_is_good(self):
        said = self.check(0, self.kernel("stays", "bytes > 4000 ? 0 : bytes"))
        self.assertTrue(said["ok"])
        self.assertEqual([finding["subject"] for finding in said["findings"]], ["n = 1", "n = 2", "n = 7", "n = 64", "n = 1000", "n = 2000"])
        self.assertEqual([finding["found"] for finding in said["findings"]][-1], "refused: too much for me")

    def test_one_that_writes_further_is_found_by_size(self):
        for name, bytes_, what in (("one", "4001", "the kernel wrote behind the 4000 bytes of output 'y'"),
                                   ("far", "8000", "was ended by signal 11 (Segmentation fault)")):
            with self.subTest(name):
                said = self.check(1, self.kernel(name, bytes_))
                self.assertEqual([finding["health"] for finding in said["findings"]], ["good"] + ["fault"] * 5)
                self.assertIn("its process" if SANITIZED and "signal" in what else what, said["findings"][1]["found"])

    def test_what_it_cannot_check_is_said(self):
        for arguments, code, text in ((["nonsense"], 2, "there is no kernel 'nonsense'"), ([self.path("absent.yaml")], 2, "is no kernel.yaml that can be read"),
                                      (["resize_bilinear"], 2, "needs parameter `width` (int) of kernel `resize_bilinear`; give it: --param NAME=VALUE"),
                                      (["join_lines"], 3, "gathers")):
            with self.subTest(arguments):
                self.refused(self.woa("doctor", "--kernel", *arguments), code, text)
        self.refused(self.woa("doctor", "--param", "a=1"), 2, "--param requires --kernel")


if __name__ == "__main__":
    harness.main()

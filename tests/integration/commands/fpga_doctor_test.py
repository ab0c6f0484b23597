"""What `woa doctor --fpga` and `woa devices` say of XRT: a library, an environment or a file that is broken in one way each."""
import json
import os
import re
import shutil
import subprocess
import sys

from harness import BUILD, SOURCE, WoaTest, main

LIBRARY = "libxrt_coreutil.so.2"
SUBJECTS = ["library", "version", "driver", "card", "shell", "xclbin", "bitstream", "kernel", "cores"]


class Recipe(WoaTest):
    def test_names_the_cores_that_the_kernel_is_built_with(self):
        rtl = os.path.join(SOURCE, "controllers/fpga/rtl")
        with open(os.path.join(rtl, "wact_cores.sv"), encoding="utf-8") as file:
            cores = re.findall(r'`WACT_(?:PAIR_)?CORE\((\d+), "(\w+)"', file.read())
        with open(os.path.join(rtl, "wact_kernel.sv"), encoding="utf-8") as file:
            mask = int(re.search(r"CORES = 32'h([0-9a-f]+)", file.read())[1], 16)
        with open(os.path.join(SOURCE, "controllers/fpga/card/README.md"), encoding="utf-8") as file:
            named = re.search(r"^ *CORES=(.*)$", file.read(), re.M)[1]
        self.assertEqual(named.split(","), [name for number, name in cores if mask >> int(number) & 1])


class FpgaDoctor(WoaTest):
    def findings(self, code, **environment):
        """The findings by subject, after checks that hold for all of them."""
        done = self.woa("doctor", "--fpga", "--json", environment={"XCL_EMULATION_MODE": "", "WOA_XCLBIN": "", "XILINX_XRT": "", **environment})
        answer = json.loads(done.stdout)
        self.assertEqual((done.returncode, answer["ok"]), (code, code == 0), done.stdout)
        subjects = [finding["subject"] for finding in answer["findings"]]
        self.assertEqual(subjects, sorted(set(subjects), key=SUBJECTS.index))
        for finding in answer["findings"]:
            self.assertTrue(finding["asked"] and finding["found"], finding)
            self.assertEqual(finding["fix"] is None, finding["health"] == "good", finding)
        return {finding["subject"]: finding for finding in answer["findings"]}

    def with_library(self, source=None):
        """The environment in which XRT's library is a copy of `source`, or an empty file."""
        place = self.path(LIBRARY)
        if source is None:
            self.write(LIBRARY, "")
        else:
            shutil.copy(source, place)
        return {"LD_LIBRARY_PATH": self.folder}

    def xclbin(self, *options):
        file = self.path("woa.xclbin")
        subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "tools/fpga-xclbin"), "xclbin", "--cores", "copy,-,invert", "-o", file, *options],
                       check=True)
        return file

    def reason(self, **environment):
        """Why `woa devices` shows no device of the back-end."""
        listed = json.loads(self.woa("devices", "--json", environment=environment).stdout)["devices"]
        return next(device["reason"] for device in listed if device["backend"] == "xrt")

    def test_no_library(self):
        broken = self.with_library()
        library = self.findings(1, **broken)["library"]
        self.assertEqual(library["health"], "fault")
        self.assertIn(LIBRARY, library["found"])
        self.assertIn("install XRT 2.13 or newer", self.reason(**broken))

    def test_a_library_without_a_function(self):
        broken = self.with_library(os.path.join(BUILD, "kernels/copy/libcopy.so"))
        found = self.findings(1, **broken)["library"]["found"]
        self.assertIn("has no xrtDeviceOpen; XRT 2.13 or newer is required", found)
        self.assertIn(found, self.reason(**broken))

    def test_a_simulator_is_refused(self):
        for mode in ("sw_emu", "hw_emu"):
            self.assertIn(f"XCL_EMULATION_MODE is '{mode}'", self.findings(1, XCL_EMULATION_MODE=mode)["library"]["found"])

    def test_a_file_that_was_cut_short(self):
        with open(self.xclbin(), "rb") as file:
            whole = file.read()
        short = self.write("short", whole[:-100])
        findings = self.findings(1, WOA_XCLBIN=short)
        self.assertIn(f"the header says {len(whole)} bytes, and the file has {len(whole) - 100}", findings["xclbin"]["found"])
        self.assertNotIn("kernel", findings)

    def test_a_file_that_is_none(self):
        self.assertIn("xclbin2", self.findings(1, WOA_XCLBIN=self.write("other", "x" * 600))["xclbin"]["found"])
        self.assertIn("No such file", self.findings(1, WOA_XCLBIN=self.path("nowhere"))["xclbin"]["found"])

    def test_the_file_is_looked_at_without_a_library(self):
        findings = self.findings(1, WOA_XCLBIN=self.xclbin("--units", "2", "--banks", "2", "--platform", "xilinx_u50"), **self.with_library())
        self.assertIn("xilinx_u50", findings["xclbin"]["found"])
        self.assertEqual(findings["kernel"]["found"], "woa_wact_1 in DDR[0]; woa_wact_2 in DDR[1]")
        self.assertTrue(findings["cores"]["found"].startswith("copy, invert; 64 stages"))

    def test_all_is_well_with_the_no_op_shim(self):
        environment = {"XCL_EMULATION_MODE": "noop", "WOA_XCLBIN": self.xclbin()}
        library = json.loads(self.woa("doctor", "--fpga", "--json", environment=environment).stdout)["findings"][0]
        if library["health"] != "good":
            self.skip("xrt", library["found"])
        findings = self.findings(0, **environment)
        self.assertEqual(findings["card"]["found"], "no-op shim of XRT (simulated)")
        self.assertNotIn("driver", findings)
        shown = self.woa("doctor", "--fpga", environment=environment).stdout.decode()
        self.assertIn("asked for: WOA_XCLBIN", shown)
        listed = json.loads(self.woa("devices", "--json", environment=environment).stdout)["devices"]
        self.assertTrue(next(device["simulated"] for device in listed if device["backend"] == "xrt"))


if __name__ == "__main__":
    main()
